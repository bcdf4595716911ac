// SPDX-License-Identifier: LGPL-2.1-or-later
/* Divide the mapped ranges; must not read anything. */
#include "measure/pieces.h"

bool ptu_is_large(const struct ptu_geometry *geo, uint64_t vmpte_bytes)
{
	return vmpte_bytes > PTU_PIECE_TABLES * geo->page_bytes;
}

int ptu_pieces_each(const struct ptu_vmas *vmas, const struct ptu_geometry *geo,
		    int (*fn)(void *arg, uint64_t start, uint64_t end),
		    void *arg)
{
	const uint64_t piece = PTU_PIECE_TABLES *
			       ptu_geometry_reach(geo, PTAUDIT_PTE);
	const uint64_t user_end = ptu_geometry_user_end(geo);
	uint64_t done = 0;
	size_t i;

	for (i = 0; i < vmas->nr_vmas; i++) {
		const struct ptu_vma *vma = &vmas->vmas[i];
		uint64_t at = vma->start - vma->start % piece;

		for (at = at > done ? at : done; at < vma->end && at < user_end;
		     at += piece) {
			int ret = fn(arg, at, at + piece);

			if (ret)
				return ret;
			done = at + piece;
		}
	}
	return 0;
}

bool ptu_pieces_is_new(struct ptu_pieces *pieces, unsigned int level,
		       uint64_t start)
{
	if (level < PTAUDIT_PUD)
		return true;
	if (pieces->any & 1u << level && pieces->last[level] == start)
		return false;
	pieces->any |= 1u << level;
	pieces->last[level] = start;
	return true;
}
