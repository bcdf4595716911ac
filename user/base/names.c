// SPDX-License-Identifier: LGPL-2.1-or-later
/* A hash table of names, open addressing.  Pure: must not look into them. */
#include "base/names.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 64 /* a power of two, as their number always is */

/* FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv/ */
static uint64_t hash(const char *name, size_t bytes)
{
	uint64_t value = UINT64_C(0xcbf29ce484222325);
	size_t i;

	for (i = 0; i < bytes; i++)
		value = (value ^ (unsigned char)name[i]) *
			UINT64_C(0x100000001b3);
	return value ^ value >> 32;
}

/* The slot of a name, or the free one that it would get. */
static size_t *find(const struct ptu_names *names, const char *name,
		    size_t bytes)
{
	size_t i = hash(name, bytes) & (names->nr_slots - 1);

	while (names->slots[i]) {
		const char *kept = names->bytes + names->slots[i];

		if (!strncmp(kept, name, bytes) && !kept[bytes])
			break;
		i = (i + 1) & (names->nr_slots - 1);
	}
	return &names->slots[i];
}

/* At most half of the slots are in use. */
static int add_slots(struct ptu_names *names)
{
	struct ptu_names more = *names;
	size_t i;

	if (names->nr < names->nr_slots / 2)
		return 0;
	more.nr_slots = names->nr_slots ? 2 * names->nr_slots : FIRST_SLOTS;
	more.slots = calloc(more.nr_slots, sizeof(*more.slots));
	if (!more.slots)
		return -ENOMEM;
	for (i = 0; i < names->nr_slots; i++) {
		const char *kept = names->bytes + names->slots[i];

		if (names->slots[i])
			*find(&more, kept, strlen(kept)) = names->slots[i];
	}
	free(names->slots);
	*names = more;
	return 0;
}

static int add_bytes(struct ptu_names *names, size_t bytes)
{
	size_t capacity = names->capacity ? names->capacity : 64;
	char *grown;

	while (capacity - names->nr_bytes < bytes)
		capacity *= 2;
	if (capacity == names->capacity)
		return 0;
	grown = realloc(names->bytes, capacity);
	if (!grown)
		return -ENOMEM;
	names->bytes = grown;
	names->capacity = capacity;
	return 0;
}

int ptu_names_keep(struct ptu_names *names, const char *name, size_t bytes,
		   size_t *ret)
{
	/* room for the empty one, too */
	int error = add_bytes(names, bytes + 2);
	size_t *slot;

	if (!error)
		error = add_slots(names);
	if (error)
		return error;
	if (!names->nr_bytes)
		names->bytes[names->nr_bytes++] = '\0';
	*ret = 0;
	if (!bytes)
		return 0;
	slot = find(names, name, bytes);
	if (!*slot) {
		*slot = names->nr_bytes;
		memcpy(names->bytes + names->nr_bytes, name, bytes);
		names->bytes[names->nr_bytes + bytes] = '\0';
		names->nr_bytes += bytes + 1;
		names->nr++;
	}
	*ret = *slot;
	return 0;
}

void ptu_names_deinit(struct ptu_names *names)
{
	free(names->bytes);
	free(names->slots);
	*names = (struct ptu_names){ 0 };
}
