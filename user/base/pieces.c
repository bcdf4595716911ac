// SPDX-License-Identifier: LGPL-2.1-or-later
/* Distribute pieces of work to workers; must not know what they find. */
#define _GNU_SOURCE /* reallocarray() */
#include "base/pieces.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The result of one piece: items found by @worker, from index @first on. */
struct share {
	enum ptu_worker worker;
	size_t first;
	size_t nr;
	int error;
};

struct run {
	const struct ptu_pieces *pieces;
	struct share *shares;
	atomic_size_t next; /* index of the next piece to take */
	atomic_bool failed; /* take no further piece */
};

/* Do the next piece. Return: whether there was one and it succeeded. */
static bool take_piece(void *arg, enum ptu_worker worker)
{
	struct run *run = arg;
	const struct ptu_pieces *p = run->pieces;
	struct share *share;
	size_t index;

	if (atomic_load(&run->failed))
		return false;
	index = atomic_fetch_add(&run->next, 1);
	if (index >= p->nr_pieces)
		return false;
	share = &run->shares[index];
	share->worker = worker;
	share->first = p->found(p->arg, worker).nr;
	share->error = p->work(p->arg, index, worker);
	share->nr = p->found(p->arg, worker).nr - share->first;
	if (share->error)
		atomic_store(&run->failed, true);
	return !share->error;
}

/*
 * Merge the helper's items into the caller's array. Going from the last piece
 * to the first never overwrites items that are still needed.
 */
static int join(const struct run *run, struct ptu_found *ret)
{
	const struct ptu_pieces *p = run->pieces;
	const struct ptu_found ours = p->found(p->arg, PTU_CALLER);
	const struct ptu_found theirs = p->found(p->arg, PTU_HELPER);
	size_t at = ours.nr + theirs.nr, i;
	char *items;

	*ret = ours;
	if (!theirs.nr)
		return 0;
	items = reallocarray(ours.items, at, p->item_bytes);
	if (!items)
		return -ENOMEM;
	*ret = (struct ptu_found){ .items = items, .nr = at };
	for (i = p->nr_pieces; i--;) {
		const struct share *share = &run->shares[i];
		const char *from = share->worker == PTU_CALLER ? items :
								 theirs.items;

		at -= share->nr;
		if (share->nr)
			memmove(items + at * p->item_bytes,
				from + share->first * p->item_bytes,
				share->nr * p->item_bytes);
	}
	return 0;
}

int ptu_pieces_run(const struct ptu_pieces *pieces, struct ptu_found *ret,
		   size_t *ret_failed)
{
	struct run run = { .pieces = pieces };
	size_t i;
	int error = 0;

	run.shares = calloc(pieces->nr_pieces + 1, sizeof(*run.shares));
	if (!run.shares)
		return -ENOMEM;
	ptu_workers_run(take_piece, &run);
	/*
	 * pieces start in order, so all pieces before the first error are
	 * complete
	 */
	for (i = 0; !error && i < pieces->nr_pieces; i++) {
		error = run.shares[i].error;
		if (error)
			*ret_failed = i;
	}
	if (!error)
		error = join(&run, ret);
	free(run.shares);
	return error;
}
