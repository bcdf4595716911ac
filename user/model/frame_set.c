// SPDX-License-Identifier: LGPL-2.1-or-later
/* A bitmap of page frames; must not know what they contain. */
#include "model/frame_set.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* 52 bits of physical address, in 4 KiB pages. */
#define MAX_FRAMES (UINT64_C(1) << 40)

/* 32 MiB of memory in 4 KiB pages. */
#define MIN_CAPACITY UINT64_C(8192)

bool ptu_frame_set_has(const struct ptu_frame_set *set, uint64_t pfn)
{
	return pfn < set->capacity && set->words[pfn / 64] >> pfn % 64 & 1;
}

static int make_room(struct ptu_frame_set *set, uint64_t pfn)
{
	uint64_t capacity = set->capacity ? set->capacity : MIN_CAPACITY;
	uint64_t *words;

	while (capacity <= pfn)
		capacity *= 2;
	words = realloc(set->words, capacity / 64 * sizeof(*words));
	if (!words)
		return -ENOMEM;
	memset(words + set->capacity / 64, 0,
	       (capacity - set->capacity) / 64 * sizeof(*words));
	set->words = words;
	set->capacity = capacity;
	return 0;
}

int ptu_frame_set_add(struct ptu_frame_set *set, uint64_t pfn)
{
	uint64_t bit = UINT64_C(1) << pfn % 64;

	if (pfn >= MAX_FRAMES)
		return -ERANGE;
	if (pfn >= set->capacity && make_room(set, pfn))
		return -ENOMEM;
	if (set->words[pfn / 64] & bit)
		return 1;
	set->words[pfn / 64] |= bit;
	set->nr++;
	return 0;
}

void ptu_frame_set_remove(struct ptu_frame_set *set, uint64_t pfn)
{
	set->words[pfn / 64] &= ~(UINT64_C(1) << pfn % 64);
	set->nr--;
}

void ptu_frame_set_clear(struct ptu_frame_set *set)
{
	if (set->words)
		memset(set->words, 0, set->capacity / 64 * sizeof(*set->words));
	set->nr = 0;
}

void ptu_frame_set_deinit(struct ptu_frame_set *set)
{
	free(set->words);
	memset(set, 0, sizeof(*set));
}
