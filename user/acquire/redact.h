/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Replace paths and page frame numbers in a recording.  Properties that estimators
 * need are kept: consecutive pages of a huge page, and the identity of mappings and
 * tables.
 */
#ifndef PTU_ACQUIRE_REDACT_H
#define PTU_ACQUIRE_REDACT_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/**
 * struct ptu_redact - replacements
 * @block_pages: page frames of a block, as many as a PTE table has entries: the position
 *	in a block shows whether pages may be a huge page
 * @blocks: blocks of memory, numbered in order of appearance; a tsearch() tree
 * @nr_blocks: number of blocks
 * @paths: paths, in the same way
 * @nr_paths: number of paths
 * @error: -ENOMEM after an allocation has failed
 */
struct ptu_redact {
	uint64_t block_pages;
	void *blocks;
	uint64_t nr_blocks;
	void *paths;
	uint64_t nr_paths;
	int error;
};

/**
 * ptu_redact_maps() - Replace the paths in the text of maps or smaps by numbers.
 * @ret: (out) free() it
 *
 * "/usr/bin/cat" becomes "/redacted/1", "[anon:arena]" becomes "[anon:2]", and
 * "/memfd:ring" becomes "/memfd:3". Names given by the kernel, such as "[heap]" and
 * "/dev/zero", and the suffix " (deleted)" are kept.
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_redact_maps(struct ptu_redact *redact, const char *text,
				   char **ret);

/**
 * ptu_redact_pfn() - Replace a page frame number; 0 stays 0.
 *
 * A frame always gets the same number.  Distances within a block are kept.
 */
uint64_t ptu_redact_pfn(struct ptu_redact *redact, uint64_t pfn);

/**
 * ptu_redact_pagemap() - Redact words of pagemap in place.
 */
void ptu_redact_pagemap(struct ptu_redact *redact, uint64_t *words,
			size_t nr_words);

/**
 * ptu_redact_walk() - Redact an answer of the module in place.
 *
 * Return: 0; -EBADMSG it is not an answer of the module.
 */
ptu_must_check int ptu_redact_walk(struct ptu_redact *redact, char *bytes,
				   size_t nr_bytes);

void ptu_redact_deinit(struct ptu_redact *redact);

#endif
