/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Split work into pieces for one or two threads; results keep the order of pieces. */
#ifndef PTU_BASE_PIECES_H
#define PTU_BASE_PIECES_H

#include <stddef.h>

#include "base/err.h"
#include "base/workers.h"

/* The items that one worker has found so far, a growing array. */
struct ptu_found {
	void *items;
	size_t nr;
};

/**
 * struct ptu_pieces - work to distribute
 * @nr_pieces: number of pieces
 * @item_bytes: size of an item
 * @work: do piece @index and append the results to @worker's items; 0 or -errno
 * @found: return the items that a worker has found so far
 * @arg: argument of both callbacks
 */
struct ptu_pieces {
	size_t nr_pieces;
	size_t item_bytes;
	int (*work)(void *arg, size_t index, enum ptu_worker worker);
	struct ptu_found (*found)(const void *arg, enum ptu_worker worker);
	void *arg;
};

/**
 * ptu_pieces_run() - Do all pieces and merge the results.
 * @pieces: (in) the work
 * @ret: (out) all items in the order of pieces, in the caller's array, which may have
 *	been reallocated to this size; untouched on failure
 * @ret_failed: (out) index of the piece that failed
 *
 * After an error no further piece is started, but earlier pieces are finished. The
 * error returned is the one that a single worker would have met first.
 *
 * Return: 0; -ENOMEM (@ret_failed unchanged); the error of @work.
 */
ptu_must_check int ptu_pieces_run(const struct ptu_pieces *pieces,
				  struct ptu_found *ret, size_t *ret_failed);

#endif
