// SPDX-License-Identifier: LGPL-2.1-or-later
/* A hash table of names with open addressing.  Pure. */
#include "base/names.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 64 /* the number of slots is always a power of two */

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

/* Return the slot of a name, or the free slot where it would be added. */
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

/* Keep at least half of the slots free. */
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
	/* one byte for the NUL, one for the empty name at offset 0 */
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

void ptu_name_fit(const char *name, char *ret, size_t ret_bytes)
{
	static const char cut[] = "...";
	const size_t bytes = strlen(name);

	if (bytes < ret_bytes)
		strcpy(ret, name);
	else
		strcpy(stpcpy(ret, cut),
		       name + bytes - (ret_bytes - sizeof(cut)));
}
