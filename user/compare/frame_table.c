// SPDX-License-Identifier: LGPL-2.1-or-later
/* Look up frames by number; must not know what they stand for. */
#include "compare/frame_table.h"

#include <stdlib.h>
#include <string.h>

/* Initial number of slots; doubled when half of them are used. */
#define SLOTS_MIN 1024u

_Static_assert(sizeof(struct ptu_frame_use) == 16, "16 bytes a frame");

/* @key: number of the chunk plus 1; 0: the slot is free. */
struct ptu_frame_uses_slot {
	uint64_t key;
	struct ptu_frame_use *chunk;
};

/* Return the slot of a chunk, or the free slot where it belongs. */
static size_t find(const struct ptu_frame_uses_slot *slots, size_t nr_slots,
		   uint64_t key)
{
	/* spread neighbours: the upper bits of the product are well mixed */
	size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) &
		    (nr_slots - 1);

	while (slots[at].key && slots[at].key != key)
		at = (at + 1) & (nr_slots - 1);
	return at;
}

static int grow(struct ptu_frame_uses *frames)
{
	size_t nr_slots = frames->nr_slots ? 2 * frames->nr_slots : SLOTS_MIN;
	struct ptu_frame_uses_slot *slots = calloc(nr_slots, sizeof(*slots));
	size_t i;

	if (!slots)
		return -1;
	for (i = 0; i < frames->nr_slots; i++) {
		const struct ptu_frame_uses_slot *slot = &frames->slots[i];

		if (slot->key)
			slots[find(slots, nr_slots, slot->key)] = *slot;
	}
	free(frames->slots);
	frames->slots = slots;
	frames->nr_slots = nr_slots;
	return 0;
}

struct ptu_frame_use *ptu_frame_uses_get(struct ptu_frame_uses *frames,
					 uint64_t number)
{
	uint64_t key = number / PTU_FRAME_USES_CHUNK + 1;
	struct ptu_frame_uses_slot *slot;

	if (2 * (frames->nr_chunks + 1) > frames->nr_slots && grow(frames))
		return NULL;
	/* the next frame is mostly in the same chunk */
	if (frames->last >= frames->nr_slots ||
	    frames->slots[frames->last].key != key)
		frames->last = find(frames->slots, frames->nr_slots, key);
	slot = &frames->slots[frames->last];
	if (!slot->key) {
		slot->chunk = calloc(PTU_FRAME_USES_CHUNK,
				     sizeof(*slot->chunk));
		if (!slot->chunk)
			return NULL;
		slot->key = key;
		frames->nr_chunks++;
	}
	return &slot->chunk[number % PTU_FRAME_USES_CHUNK];
}

void ptu_frame_uses_each(const struct ptu_frame_uses *frames,
			 void (*fn)(void *arg, struct ptu_frame_use *frame),
			 void *arg)
{
	size_t i, k;

	for (i = 0; i < frames->nr_slots; i++) {
		for (k = 0; frames->slots[i].key && k < PTU_FRAME_USES_CHUNK;
		     k++)
			fn(arg, &frames->slots[i].chunk[k]);
	}
}

void ptu_frame_uses_deinit(struct ptu_frame_uses *frames)
{
	size_t i;

	for (i = 0; i < frames->nr_slots; i++) {
		if (frames->slots[i].key)
			free(frames->slots[i].chunk);
	}
	free(frames->slots);
	memset(frames, 0, sizeof(*frames));
}
