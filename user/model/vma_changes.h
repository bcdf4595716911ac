/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Find the address ranges at which two readings of mappings differ.  Pure. */
#ifndef PTU_MODEL_VMA_CHANGES_H
#define PTU_MODEL_VMA_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/vma.h"

/* @end is exclusive */
struct ptu_span {
	uint64_t start;
	uint64_t end;
};

/**
 * struct ptu_spans - address ranges
 * @spans: [nr_spans]
 */
struct ptu_spans {
	struct ptu_span *spans;
	size_t nr_spans;
	size_t capacity;
};

/**
 * ptu_spans_add() - Add a range; an empty range is ignored.
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_spans_add(struct ptu_spans *spans, uint64_t start,
				 uint64_t end);

/**
 * ptu_spans_sort() - Make the ranges ascending and disjoint.
 */
void ptu_spans_sort(struct ptu_spans *spans);

/**
 * ptu_spans_touch() - Does [@start, @end) overlap one of the ranges?
 * @spans: (in) after ptu_spans_sort()
 */
bool ptu_spans_touch(const struct ptu_spans *spans, uint64_t start,
		     uint64_t end);

void ptu_spans_deinit(struct ptu_spans *spans);

/**
 * ptu_vmas_changes() - Add the addresses at which two readings differ.
 * @start: (in) first address to compare
 * @end: (in) end of the compared addresses, exclusive
 * @ret: (in, out) the ranges are added here
 *
 * An address is unchanged if no mapping contains it in either reading, or if
 * mappings with the same permissions, device, inode and file position contain it.
 * Where a mapping begins or ends does not matter: if a mapping has grown, only the new
 * part has changed.  [vsyscall] is ignored.
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_vmas_changes(const struct ptu_vmas *a,
				    const struct ptu_vmas *b, uint64_t start,
				    uint64_t end, struct ptu_spans *ret);

#endif
