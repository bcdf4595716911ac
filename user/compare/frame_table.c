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

/* Return: the slot of the frame, or the free slot for it. */
static struct ptu_frame_uses_slot *slot_of(struct ptu_frame_uses *frames,
					   uint64_t number)
{
	uint64_t key = number / PTU_FRAME_USES_CHUNK + 1;

	/* the next frame is mostly in the same chunk */
	if (frames->last >= frames->nr_slots ||
	    frames->slots[frames->last].key != key)
		frames->last = find(frames->slots, frames->nr_slots, key);
	return &frames->slots[frames->last];
}

struct ptu_frame_use *ptu_frame_uses_find(struct ptu_frame_uses *frames,
					  uint64_t number)
{
	struct ptu_frame_uses_slot *slot = frames->nr_slots ?
						   slot_of(frames, number) :
						   NULL;

	return slot && slot->key ? &slot->chunk[number % PTU_FRAME_USES_CHUNK] :
				   NULL;
}

struct ptu_frame_use *ptu_frame_uses_get(struct ptu_frame_uses *frames,
					 uint64_t number)
{
	struct ptu_frame_uses_slot *slot;

	if (2 * (frames->nr_chunks + 1) > frames->nr_slots && grow(frames))
		return NULL;
	slot = slot_of(frames, number);
	if (!slot->key) {
		slot->chunk = calloc(PTU_FRAME_USES_CHUNK,
				     sizeof(*slot->chunk));
		if (!slot->chunk)
			return NULL;
		slot->key = number / PTU_FRAME_USES_CHUNK + 1;
		frames->nr_chunks++;
	}
	return &slot->chunk[number % PTU_FRAME_USES_CHUNK];
}

struct ptu_frame_use *ptu_frame_uses_chunk(const struct ptu_frame_uses *frames,
					   size_t *at, uint64_t *ret_number)
{
	while (*at < frames->nr_slots) {
		const struct ptu_frame_uses_slot *slot = &frames->slots[(*at)++];

		if (!slot->key)
			continue;
		*ret_number = (slot->key - 1) * PTU_FRAME_USES_CHUNK;
		return slot->chunk;
	}
	return NULL;
}

void ptu_frame_uses_each(const struct ptu_frame_uses *frames,
			 void (*fn)(void *arg, struct ptu_frame_use *frame),
			 void *arg)
{
	struct ptu_frame_use *chunk;
	size_t at = 0, i;
	uint64_t number;

	while ((chunk = ptu_frame_uses_chunk(frames, &at, &number)))
		for (i = 0; i < PTU_FRAME_USES_CHUNK; i++)
			fn(arg, &chunk[i]);
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
