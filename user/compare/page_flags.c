// SPDX-License-Identifier: LGPL-2.1-or-later
/* Count page flags; must not know how they are read or shown. */
#include "compare/page_flags.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "model/page_flags.h"

static int add_to_group(struct ptu_pageflags *counted, uint64_t flags)
{
	size_t low = 0, high = counted->nr_groups;
	int error;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (counted->groups[middle].flags < flags)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < counted->nr_groups && counted->groups[low].flags == flags) {
		counted->groups[low].pages++;
		return 0;
	}
	error = ptu_array_grow(&counted->groups, counted->nr_groups,
			       &counted->groups_capacity,
			       sizeof(*counted->groups));
	if (error)
		return error;
	memmove(counted->groups + low + 1, counted->groups + low,
		(counted->nr_groups - low) * sizeof(*counted->groups));
	counted->groups[low] = (struct ptu_flag_group){ .flags = flags,
							.pages = 1 };
	counted->nr_groups++;
	return 0;
}

static int add_to_run(struct ptu_pageflags *counted, uint64_t addr,
		      uint64_t page_bytes, uint64_t flags)
{
	int error;

	if (counted->nr_runs) {
		struct ptu_flag_run *last = &counted->runs[counted->nr_runs - 1];

		if (last->end == addr && last->flags == flags) {
			last->end += page_bytes;
			return 0;
		}
	}
	error = ptu_array_grow(&counted->runs, counted->nr_runs,
			       &counted->runs_capacity, sizeof(*counted->runs));
	if (error)
		return error;
	counted->runs[counted->nr_runs++] = (struct ptu_flag_run){
		.start = addr,
		.end = addr + page_bytes,
		.flags = flags,
	};
	return 0;
}

int ptu_pageflags_add(struct ptu_pageflags *counted, uint64_t addr,
		      uint64_t page_bytes, uint64_t flags)
{
	unsigned int bit;
	int error = add_to_group(counted, flags);

	if (!error && counted->with_runs)
		error = add_to_run(counted, addr, page_bytes, flags);
	if (error)
		return error;
	counted->pages++;
	for (bit = 0; bit < PTU_PAGEFLAGS_BITS; bit++)
		counted->by_bit[bit] += flags >> bit & 1;
	return 0;
}

static int compare_groups(const void *a, const void *b)
{
	const struct ptu_flag_group *x = a;
	const struct ptu_flag_group *y = b;

	if (x->pages != y->pages)
		return x->pages < y->pages ? 1 : -1;
	return (x->flags > y->flags) - (x->flags < y->flags);
}

void ptu_pageflags_sort(struct ptu_pageflags *counted)
{
	if (counted->nr_groups)
		qsort(counted->groups, counted->nr_groups,
		      sizeof(*counted->groups), compare_groups);
}
