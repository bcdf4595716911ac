/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ADDR[-END] from the command line, and the parts of mappings in it.  Pure. */
#ifndef PTU_MODEL_RANGE_H
#define PTU_MODEL_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/vma.h"

/**
 * struct ptu_range - the requested addresses
 * @start: first address
 * @end: end, exclusive; 0: the end of the mapping that contains @start
 * @is_given: false: all addresses
 */
struct ptu_range {
	uint64_t start;
	uint64_t end;
	bool is_given;
};

/**
 * ptu_range_parse() - Parse "7f0000000000" or "0x7f0000000000-0x7f0000200000"
 *	(hex).
 *
 * Return: 0; -EINVAL with a sentence.
 */
ptu_must_check int ptu_range_parse(const char *text, struct ptu_range *ret,
				   struct ptu_err *err);

/**
 * ptu_range_clip() - Compute the part of a mapping that is in the range.
 * @start: (out) first address, rounded down to a page
 * @end: (out) end, rounded up to a page
 *
 * Mappings in the kernel half have no such part: the process's own page tables do
 * not map them.
 */
bool ptu_range_clip(const struct ptu_range *range, const struct ptu_vma *vma,
		    uint64_t page_bytes, uint64_t *start, uint64_t *end);

#endif
