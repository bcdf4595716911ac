/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names that are kept once however often they come.  Pure. */
#ifndef PTU_BASE_NAMES_H
#define PTU_BASE_NAMES_H

#include <stddef.h>

#include "base/err.h"

/**
 * struct ptu_names - distinct names, one after the other
 * @bytes: [nr_bytes] each ends with a NUL; the empty one is the first
 * @slots: [nr_slots] a hash table: where in @bytes a name begins, 0 for none
 * @nr: names without the empty one
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
 * ptu_names_keep() - Keep a name.
 * @name: (in) [@bytes], without a NUL
 * @ret: (out) where in @names->bytes it begins
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_names_keep(struct ptu_names *names, const char *name,
				  size_t bytes, size_t *ret);

/**
 * ptu_names_deinit() - Free them all.
 */
void ptu_names_deinit(struct ptu_names *names);

#endif
