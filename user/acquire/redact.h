/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Takes paths and page frame numbers out of what a recording would hold.  What
 * the estimators rely on stays: which pages follow each other in a huge page,
 * and which mappings and tables are the same.
 */
#ifndef PTU_ACQUIRE_REDACT_H
#define PTU_ACQUIRE_REDACT_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/**
 * struct ptu_redact - the numbers that stand for what was taken out
 * @blocks: 2 MiB blocks of memory, numbered as they were met; of tsearch()
 * @nr_blocks: how many
 * @paths: paths, likewise
 * @nr_paths: how many
 * @error: -ENOMEM once memory was short; it stays
 */
struct ptu_redact {
	void *blocks;
	uint64_t nr_blocks;
	void *paths;
	uint64_t nr_paths;
	int error;
};

/**
 * ptu_redact_maps() - The text of maps or smaps with numbers for the paths.
 * @ret: (out) free() it
 *
 * "/usr/bin/cat" becomes "/redacted/1", "[anon:arena]" "[anon:2]"; what the
 * kernel names, as "[heap]", stays, and so does " (deleted)".
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_redact_maps(struct ptu_redact *redact, const char *text,
				   char **ret);

/**
 * ptu_redact_pfn() - Replace a page frame number; 0 stays 0.
 *
 * The same frame always gets the same number.  Frames of one 2 MiB block keep their
 * distance.
 */
uint64_t ptu_redact_pfn(struct ptu_redact *redact, uint64_t pfn);

/**
 * ptu_redact_pagemap() - Words of pagemap, in place.
 */
void ptu_redact_pagemap(struct ptu_redact *redact, uint64_t *words,
			size_t nr_words);

/**
 * ptu_redact_walk() - Redact an answer of the module in place.
 *
 * Return: 0; -EBADMSG it is no answer of the module.
 */
ptu_must_check int ptu_redact_walk(struct ptu_redact *redact, char *bytes,
				   size_t nr_bytes);

void ptu_redact_deinit(struct ptu_redact *redact);

#endif
