/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Work in pieces, by one thread or two, with what it finds in the pieces' order. */
#ifndef PTU_BASE_PIECES_H
#define PTU_BASE_PIECES_H

#include <stddef.h>

#include "base/err.h"
#include "base/workers.h"

/* What one worker has found, an array of items that grows at its end. */
struct ptu_found {
	void *items;
	size_t nr;
};

/**
 * struct ptu_pieces - work to share out
 * @nr_pieces: how many there are
 * @item_bytes: size of an item
 * @work: do piece @index, which appends to what @worker found; 0 or -errno
 * @found: what a worker has found so far
 * @arg: for both
 */
struct ptu_pieces {
	size_t nr_pieces;
	size_t item_bytes;
	int (*work)(void *arg, size_t index, enum ptu_worker worker);
	struct ptu_found (*found)(const void *arg, enum ptu_worker worker);
	void *arg;
};

/**
 * ptu_pieces_run() - Do all pieces, and join what was found.
 * @pieces: (in) the work
 * @ret: (out) all items, as if one worker had done the pieces one after the other;
 *	in the caller's array, which may have moved: it has room for no more; untouched
 *	on failure
 * @ret_failed: (out) with an error of a piece: which one
 *
 * After an error no further piece is begun, and those before it are done: it is the
 * first that one worker would have met.
 *
 * Return: 0; -ENOMEM, with @ret_failed left alone; what @work returned.
 */
ptu_must_check int ptu_pieces_run(const struct ptu_pieces *pieces,
				  struct ptu_found *ret, size_t *ret_failed);

#endif
