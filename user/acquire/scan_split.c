// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Split the mapped addresses into pieces, and let one or two threads scan them.
 * Must not know what is scanned for.
 */
#include "acquire/scan_split.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "acquire/scan.h"
#include "base/array.h"
#include "base/pieces.h"

/* A piece costs one additional ioctl, about as much as one slot. */
#define PIECE_SLOTS 32
#define VMA_PIECES 32 /* maximum number of pieces of a mapping */
/* If there are as many pieces, each further mapping is one. */
#define MANY_PIECES 512

/* A range of whole slots. */
struct piece {
	uint64_t start;
	uint64_t end;
};

struct split {
	int fd;
	const struct ptu_geometry *geo;
	struct piece *pieces;
	size_t nr_pieces;
	size_t capacity;
	struct ptu_scan found[PTU_NR_WORKERS];
};

static int add_piece(struct split *s, uint64_t start, uint64_t end)
{
	if (ptu_array_grow(&s->pieces, s->nr_pieces, &s->capacity,
			   sizeof(*s->pieces)))
		return -ENOMEM;
	s->pieces[s->nr_pieces++] = (struct piece){ .start = start,
						    .end = end };
	return 0;
}

/* Split a range into pieces of equal length, if it is long enough. */
static int cut_range(struct split *s, uint64_t start, uint64_t end)
{
	const uint64_t slot_bytes = ptu_geometry_reach(s->geo, PTAUDIT_PTE);
	uint64_t nr = (end - start) / slot_bytes / PIECE_SLOTS;
	uint64_t piece_bytes;
	int error = 0;

	if (nr > VMA_PIECES)
		nr = VMA_PIECES;
	if (nr < 2 || s->nr_pieces >= MANY_PIECES)
		return add_piece(s, start, end);
	piece_bytes = (end - start) / nr / slot_bytes * slot_bytes;
	for (; !error && nr > 1; nr--, start += piece_bytes)
		error = add_piece(s, start, start + piece_bytes);
	return error ? error : add_piece(s, start, end);
}

/* Merge mappings that share a slot, and small neighbours, into one range. */
static int cut(struct split *s, const struct ptu_vmas *vmas, uint64_t start,
	       uint64_t end)
{
	const uint64_t slot_bytes = ptu_geometry_reach(s->geo, PTAUDIT_PTE);
	uint64_t range_start = 0, range_end = 0;
	size_t i;
	int error = 0;

	for (i = ptu_vmas_find(vmas, start);
	     !error && i < vmas->nr_vmas && vmas->vmas[i].start < end; i++) {
		const struct ptu_vma *vma = &vmas->vmas[i];
		uint64_t from = ptu_geometry_base(s->geo, PTAUDIT_PTE,
						  vma->start);
		uint64_t to = vma->end < end ? vma->end : end;

		to = ptu_geometry_base(s->geo, PTAUDIT_PTE, to - 1) +
		     slot_bytes;
		if (to > end)
			to = end;
		if (from < start)
			from = start;
		if (range_end &&
		    (from < range_end ||
		     to - range_start <= PIECE_SLOTS * slot_bytes)) {
			range_end = to;
			continue;
		}
		if (range_end)
			error = cut_range(s, range_start, range_end);
		range_start = from;
		range_end = to;
	}
	if (!error && range_end)
		error = cut_range(s, range_start, range_end);
	return error;
}

static int scan_piece(void *arg, size_t index, enum ptu_worker worker)
{
	struct split *s = arg;

	return ptu_scan_slots(s->fd, s->geo, s->pieces[index].start,
			      s->pieces[index].end, &s->found[worker]);
}

static struct ptu_found found(const void *arg, enum ptu_worker worker)
{
	const struct split *s = arg;

	return (struct ptu_found){ .items = s->found[worker].slots,
				   .nr = s->found[worker].nr_slots };
}

/* Scan all pieces; the caller's worker then holds all results. */
static int scan_pieces(struct split *s)
{
	const struct ptu_pieces pieces = {
		.nr_pieces = s->nr_pieces,
		.item_bytes = sizeof(struct ptu_scan_slot),
		.work = scan_piece,
		.found = found,
		.arg = s,
	};
	struct ptu_scan *ours = &s->found[PTU_CALLER];
	struct ptu_found all;
	size_t failed;
	int error = ptu_pieces_run(&pieces, &all, &failed);

	if (error)
		return error;
	ours->slots = all.items;
	ours->nr_slots = ours->capacity = all.nr;
	return 0;
}

int ptu_scan_split(int pagemap_fd, const struct ptu_geometry *geo,
		   const struct ptu_vmas *vmas, uint64_t start, uint64_t end,
		   struct ptu_scan *ret)
{
	struct split s = { .fd = pagemap_fd, .geo = geo };
	struct ptu_scan *ours = &s.found[PTU_CALLER];
	unsigned int i;
	int error = cut(&s, vmas, start, end);

	for (i = 0; i < PTU_NR_WORKERS; i++) {
		s.found[i].is_there = true;
		s.found[i].caps = ret->caps;
	}
	if (!error)
		error = scan_pieces(&s);
	if (!error) {
		*ret = *ours;
		memset(ours, 0, sizeof(*ours));
	}
	for (i = 0; i < PTU_NR_WORKERS; i++)
		ptu_scan_deinit(&s.found[i]);
	free(s.pieces);
	return error;
}
