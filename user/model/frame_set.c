// SPDX-License-Identifier: LGPL-2.1-or-later
/* Bitmaps of page frames; must not know what they contain. */
#include "model/frame_set.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* 52 bits of physical address, in 4 KiB pages. */
#define MAX_FRAMES (UINT64_C(1) << 40)

/* A block is 256 KiB, for 8 GiB of memory in 4 KiB pages. */
#define BLOCK_FRAMES (UINT64_C(1) << 21)
#define BLOCK_BYTES (BLOCK_FRAMES / 8)
#define NR_BLOCKS (MAX_FRAMES / BLOCK_FRAMES)

static uint64_t bit_of(uint64_t pfn)
{
	return UINT64_C(1) << pfn % 64;
}

/* Return: the word with the bit of the page frame; NULL if its block has no frame. */
static uint64_t *word_of(const struct ptu_frame_set *set, uint64_t pfn)
{
	uint64_t *block = pfn / BLOCK_FRAMES < set->end ?
				  set->blocks[pfn / BLOCK_FRAMES] :
				  NULL;

	return block ? &block[pfn % BLOCK_FRAMES / 64] : NULL;
}

bool ptu_frame_set_has(const struct ptu_frame_set *set, uint64_t pfn)
{
	const uint64_t *word = word_of(set, pfn);

	return word && *word & bit_of(pfn);
}

uint64_t ptu_frame_set_end(const struct ptu_frame_set *set)
{
	return set->end * BLOCK_FRAMES;
}

static int make_room(struct ptu_frame_set *set, uint64_t pfn)
{
	const size_t block = pfn / BLOCK_FRAMES;

	/* the kernel gives memory only to the parts that are used */
	if (!set->blocks)
		set->blocks = calloc(NR_BLOCKS, sizeof(*set->blocks));
	if (!set->blocks)
		return -ENOMEM;
	set->blocks[block] = calloc(1, BLOCK_BYTES);
	if (!set->blocks[block])
		return -ENOMEM;
	if (set->end <= block)
		set->end = block + 1;
	return 0;
}

int ptu_frame_set_add(struct ptu_frame_set *set, uint64_t pfn)
{
	uint64_t *word;

	if (pfn >= MAX_FRAMES)
		return -ERANGE;
	if (!word_of(set, pfn) && make_room(set, pfn))
		return -ENOMEM;
	word = word_of(set, pfn);
	if (*word & bit_of(pfn))
		return 1;
	*word |= bit_of(pfn);
	set->nr++;
	return 0;
}

void ptu_frame_set_remove(struct ptu_frame_set *set, uint64_t pfn)
{
	*word_of(set, pfn) &= ~bit_of(pfn);
	set->nr--;
}

void ptu_frame_set_clear(struct ptu_frame_set *set)
{
	size_t i;

	for (i = 0; i < set->end; i++)
		if (set->blocks[i])
			memset(set->blocks[i], 0, BLOCK_BYTES);
	set->nr = 0;
}

void ptu_frame_set_deinit(struct ptu_frame_set *set)
{
	size_t i;

	for (i = 0; i < set->end; i++)
		free(set->blocks[i]);
	free(set->blocks);
	memset(set, 0, sizeof(*set));
}
