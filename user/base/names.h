/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A set of names that stores each distinct name once.  Pure. */
#ifndef PTU_BASE_NAMES_H
#define PTU_BASE_NAMES_H

#include <stddef.h>

#include "base/err.h"

/**
 * struct ptu_names - distinct names, stored one after the other
 * @bytes: [nr_bytes] NUL-terminated names; the first one is empty
 * @slots: [nr_slots] hash table: offset of a name in @bytes, 0: free
 * @nr: number of names, without the empty one
 */
struct ptu_names {
	char *bytes;
	size_t nr_bytes;
	size_t capacity;
	size_t *slots;
	size_t nr_slots;
	size_t nr;
};

/**
 * ptu_names_keep() - Add a name unless it is there.
 * @name: (in) [@bytes], without a NUL
 * @ret: (out) offset of the name in @names->bytes
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_names_keep(struct ptu_names *names, const char *name,
				  size_t bytes, size_t *ret);

/**
 * ptu_names_deinit() - Free all names.
 */
void ptu_names_deinit(struct ptu_names *names);

/**
 * ptu_name_fit() - Copy a path, or "..." and its end, which distinguishes it from others.
 * @ret: (out) [@ret_bytes] with a NUL
 */
void ptu_name_fit(const char *name, char *ret, size_t ret_bytes);

#endif
