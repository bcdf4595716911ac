// SPDX-License-Identifier: LGPL-2.1-or-later
/* Compare two readings of mappings by address; must not know why they differ. */
#include "model/vma_changes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

int ptu_spans_add(struct ptu_spans *spans, uint64_t start, uint64_t end)
{
	if (start >= end)
		return 0;
	if (ptu_array_grow(&spans->spans, spans->nr_spans, &spans->capacity,
			   sizeof(*spans->spans)))
		return -ENOMEM;
	spans->spans[spans->nr_spans++] = (struct ptu_span){ start, end };
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct ptu_span *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

void ptu_spans_sort(struct ptu_spans *spans)
{
	size_t i, nr = 0;

	if (!spans->nr_spans)
		return;
	qsort(spans->spans, spans->nr_spans, sizeof(*spans->spans), by_start);
	for (i = 1; i < spans->nr_spans; i++) {
		const struct ptu_span span = spans->spans[i];

		if (span.start > spans->spans[nr].end)
			spans->spans[++nr] = span;
		else if (span.end > spans->spans[nr].end)
			spans->spans[nr].end = span.end;
	}
	spans->nr_spans = nr + 1;
}

bool ptu_spans_touch(const struct ptu_spans *spans, uint64_t start,
		     uint64_t end)
{
	size_t low = 0, high = spans->nr_spans;

	/* find the first span that ends above @start */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (spans->spans[middle].end > start)
			high = middle;
		else
			low = middle + 1;
	}
	return low < spans->nr_spans && spans->spans[low].start < end;
}

void ptu_spans_deinit(struct ptu_spans *spans)
{
	free(spans->spans);
	*spans = (struct ptu_spans){ 0 };
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * Return the mapping that contains @addr, or NULL.
 * @next: (in, out) index of the first mapping that ends above @addr
 * @until: (in, out) lowered to the address up to which the answer is the same
 */
static const struct ptu_vma *at(const struct ptu_vmas *vmas, uint64_t addr,
				size_t *next, uint64_t *until)
{
	const struct ptu_vma *vma;

	while (*next < vmas->nr_vmas && vmas->vmas[*next].end <= addr)
		++*next;
	if (*next == vmas->nr_vmas)
		return NULL;
	vma = &vmas->vmas[*next];
	if (vma->start <= addr) {
		*until = lesser(*until, vma->end);
		return vma;
	}
	*until = lesser(*until, vma->start);
	return NULL;
}

/* Do both readings agree about an address in these mappings? */
static bool agree(const struct ptu_vma *a, const struct ptu_vma *b)
{
	if (!a || !b)
		return !a && !b;
	if (a->inode != b->inode || a->device != b->device ||
	    strcmp(a->perms, b->perms))
		return false;
	return !ptu_vma_has_file(a) ||
	       a->offset_bytes - a->start == b->offset_bytes - b->start;
}

int ptu_vmas_changes(const struct ptu_vmas *a, const struct ptu_vmas *b,
		     uint64_t start, uint64_t end, struct ptu_spans *ret)
{
	size_t in_a = ptu_vmas_find(a, start), in_b = ptu_vmas_find(b, start);
	int error = 0;

	end = lesser(end, PTU_KERNEL_HALF);
	while (!error && start < end) {
		uint64_t until = end;
		const struct ptu_vma *was = at(a, start, &in_a, &until);
		const struct ptu_vma *is = at(b, start, &in_b, &until);

		if (!agree(was, is))
			error = ptu_spans_add(ret, start, until);
		start = until;
	}
	return error;
}
