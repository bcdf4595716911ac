// SPDX-License-Identifier: LGPL-2.1-or-later
/* Names and counts page flags; must not know how they are read or shown. */
#include "compare/page_flags.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Source: include/uapi/linux/kernel-page-flags.h for bits below 32,
 * include/linux/kernel-page-flags.h above, 6.1 to 7.2; bit 34 was called
 * MAPPEDTODISK up to 6.12, bit 39 is not there in 7.2.  ANON_EXCLUSIVE:
 * tools/mm/page-types.c (7.2).
 */
static const char *const names[PTU_PAGEFLAGS_BITS] = {
	[0] = "LOCKED",		[1] = "ERROR",		[2] = "REFERENCED",
	[3] = "UPTODATE",	[4] = "DIRTY",		[5] = "LRU",
	[6] = "ACTIVE",		[7] = "SLAB",		[8] = "WRITEBACK",
	[9] = "RECLAIM",	[10] = "BUDDY",		[11] = "MMAP",
	[12] = "ANON",		[13] = "SWAPCACHE",	[14] = "SWAPBACKED",
	[15] = "COMPOUND_HEAD", [16] = "COMPOUND_TAIL", [17] = "HUGE",
	[18] = "UNEVICTABLE",	[19] = "HWPOISON",	[20] = "NOPAGE",
	[21] = "KSM",		[22] = "THP",		[23] = "OFFLINE",
	[24] = "ZERO_PAGE",	[25] = "IDLE",		[26] = "PGTABLE",
	[32] = "RESERVED",	[33] = "MLOCKED",	[34] = "OWNER_2",
	[35] = "PRIVATE",	[36] = "PRIVATE_2",	[37] = "OWNER_PRIVATE",
	[38] = "ARCH",		[39] = "UNCACHED",	[40] = "SOFTDIRTY",
	[41] = "ARCH_2",	[42] = "ARCH_3",	[47] = "ANON_EXCLUSIVE",
};

const char *ptu_pageflag_name(unsigned int bit, char ret[PTU_PAGEFLAG_LEN])
{
	if (bit < PTU_PAGEFLAGS_BITS && names[bit])
		snprintf(ret, PTU_PAGEFLAG_LEN, "%s", names[bit]);
	else
		snprintf(ret, PTU_PAGEFLAG_LEN, "bit%u", bit);
	return ret;
}

const char *ptu_pageflags_format(uint64_t flags, char ret[PTU_PAGEFLAGS_LEN])
{
	char name[PTU_PAGEFLAG_LEN];
	size_t used = 0;
	unsigned int bit;

	strcpy(ret, "-");
	for (bit = 0; bit < PTU_PAGEFLAGS_BITS; bit++) {
		if (flags >> bit & 1)
			used += (size_t)snprintf(ret + used,
						 PTU_PAGEFLAGS_LEN - used,
						 "%s%s", used ? "," : "",
						 ptu_pageflag_name(bit, name));
	}
	return ret;
}

/* Room for one more element. */
static int grow(void **array, size_t nr, size_t *capacity, size_t element_bytes)
{
	size_t wanted = *capacity ? 2 * *capacity : 64;
	void *more;

	if (nr < *capacity)
		return 0;
	more = realloc(*array, wanted * element_bytes);
	if (!more)
		return -ENOMEM;
	*array = more;
	*capacity = wanted;
	return 0;
}

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
	error = grow((void **)&counted->groups, counted->nr_groups,
		     &counted->groups_capacity, sizeof(*counted->groups));
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
	error = grow((void **)&counted->runs, counted->nr_runs,
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

void ptu_pageflags_deinit(struct ptu_pageflags *counted)
{
	free(counted->groups);
	free(counted->runs);
	memset(counted, 0, sizeof(*counted));
}
