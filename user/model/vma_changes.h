/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where two readings of a process's mappings differ, as address ranges.  Pure.
 */
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
 * ptu_spans_add() - Add a range; an empty one is left out.
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_spans_add(struct ptu_spans *spans, uint64_t start,
				 uint64_t end);

/**
 * ptu_spans_sort() - Make them ascending and disjoint.
 */
void ptu_spans_sort(struct ptu_spans *spans);

/**
 * ptu_spans_touch() - Is any address of [@start, @end) in one of them?
 * @spans: (in) after ptu_spans_sort()
 */
bool ptu_spans_touch(const struct ptu_spans *spans, uint64_t start,
		     uint64_t end);

void ptu_spans_deinit(struct ptu_spans *spans);

/**
 * ptu_vmas_changes() - Add the addresses at which two readings differ.
 * @start: (in) only from here on
 * @end: (in) only up to here, exclusive
 * @ret: (in, out) is added to
 *
 * An address is the same in both if no mapping has it, or if mappings have it
 * with the same permissions, device and inode and the same place in the file.
 * Where a mapping begins or ends does not matter, so that one that has grown has
 * changed only where it is new.  [vsyscall] is left out.
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_vmas_changes(const struct ptu_vmas *a,
				    const struct ptu_vmas *b, uint64_t start,
				    uint64_t end, struct ptu_spans *ret);

#endif
