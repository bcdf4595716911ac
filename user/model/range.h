/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ADDR[-END] as the user gives it, and the parts of mappings in it.  Pure. */
#ifndef PTU_MODEL_RANGE_H
#define PTU_MODEL_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/vma.h"

/**
 * struct ptu_range - the addresses of interest
 * @start: first address
 * @end: end, exclusive; 0: the end of the mapping that @start is in
 * @is_given: else all of them
 */
struct ptu_range {
	uint64_t start;
	uint64_t end;
	bool is_given;
};

/**
 * ptu_range_parse() - "7f0000000000", "0x7f0000000000-7f0000200000": in hex.
 *
 * Return: 0; -EINVAL with a sentence.
 */
ptu_must_check int ptu_range_parse(const char *text, struct ptu_range *ret,
				   struct ptu_err *err);

/**
 * ptu_range_clip() - The part of a mapping that lies in the range.
 * @start: (out) rounded to whole pages, as @end
 *
 * Mappings in the kernel half have none: no page table of the process maps them.
 *
 * Return: is there such a part?
 */
bool ptu_range_clip(const struct ptu_range *range, const struct ptu_vma *vma,
		    uint64_t page_bytes, uint64_t *start, uint64_t *end);

#endif
