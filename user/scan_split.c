// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Cuts the mapped addresses into pieces, and has one or two threads scan them.
 * Must not know what a scan asks.
 */
#include "scan_split.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "scan.h"
#include "workers.h"

/* A piece costs one ioctl more than its slots do: about what one slot costs. */
#define PIECE_SLOTS 32
#define VMA_PIECES 32	/* ... and a mapping, however large, has so many */
#define MANY_PIECES 512 /* from here on a mapping is one piece */

/**
 * struct piece - a range, whole slots
 * @worker: who scanned it
 * @first: index of its first slot in what that worker found
 */
struct piece {
	uint64_t start;
	uint64_t end;
	enum ptu_worker worker;
	size_t first;
	size_t nr_slots;
};

struct split {
	int fd;
	const struct ptu_geometry *geo;
	struct piece *pieces;
	size_t nr_pieces;
	size_t capacity;
	atomic_size_t next; /* piece that nobody has taken */
	struct ptu_scan found[PTU_NR_WORKERS];
	struct ptu_err errs[PTU_NR_WORKERS];
	int errors[PTU_NR_WORKERS];
};

static int add_piece(struct split *s, uint64_t start, uint64_t end)
{
	if (s->nr_pieces == s->capacity) {
		size_t capacity = s->capacity ? 2 * s->capacity : 64;
		struct piece *more = reallocarray(s->pieces, capacity,
						  sizeof(*more));

		if (!more)
			return -ENOMEM;
		s->pieces = more;
		s->capacity = capacity;
	}
	s->pieces[s->nr_pieces++] = (struct piece){ .start = start,
						    .end = end };
	return 0;
}

/* A range becomes as many pieces of the same length as are worth it. */
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

/* Mappings of one slot, and small neighbours, are one range. */
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

/* Scan the next piece. Return: whether there was one. */
static bool take_piece(void *arg, enum ptu_worker worker)
{
	struct split *s = arg;
	struct ptu_scan *found = &s->found[worker];
	size_t index = atomic_fetch_add(&s->next, 1);
	struct piece *piece;

	if (index >= s->nr_pieces)
		return false;
	piece = &s->pieces[index];
	piece->worker = worker;
	piece->first = found->nr_slots;
	s->errors[worker] = ptu_scan_slots(s->fd, s->geo, piece->start,
					   piece->end, found, &s->errs[worker]);
	piece->nr_slots = found->nr_slots - piece->first;
	return !s->errors[worker];
}

/* What both found, in the order of the pieces. */
static int join(struct split *s, struct ptu_scan *ret)
{
	const size_t nr = s->found[PTU_CALLER].nr_slots +
			  s->found[PTU_HELPER].nr_slots;
	struct ptu_scan_slot *slots;
	size_t i, at = 0;

	if (!s->found[PTU_HELPER].nr_slots) {
		*ret = s->found[PTU_CALLER];
		memset(&s->found[PTU_CALLER], 0, sizeof(s->found[PTU_CALLER]));
		return 0;
	}
	slots = reallocarray(NULL, nr, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	for (i = 0; i < s->nr_pieces; i++) {
		const struct piece *piece = &s->pieces[i];

		if (!piece->nr_slots)
			continue;
		memcpy(slots + at, s->found[piece->worker].slots + piece->first,
		       piece->nr_slots * sizeof(*slots));
		at += piece->nr_slots;
	}
	ret->slots = slots;
	ret->nr_slots = ret->capacity = nr;
	return 0;
}

int ptu_scan_split(int pagemap_fd, const struct ptu_geometry *geo,
		   const struct ptu_vmas *vmas, uint64_t start, uint64_t end,
		   struct ptu_scan *ret, struct ptu_err *err)
{
	struct split s = { .fd = pagemap_fd, .geo = geo };
	unsigned int i;
	int error = cut(&s, vmas, start, end);

	for (i = 0; i < PTU_NR_WORKERS; i++) {
		s.found[i].is_there = true;
		s.found[i].caps = ret->caps;
	}
	if (!error)
		ptu_workers_run(take_piece, &s);
	for (i = 0; !error && i < PTU_NR_WORKERS; i++) {
		error = s.errors[i];
		if (error)
			ptu_err_set(err, error, "%s", s.errs[i].text);
	}
	if (!error)
		error = join(&s, ret);
	for (i = 0; i < PTU_NR_WORKERS; i++)
		ptu_scan_deinit(&s.found[i]);
	free(s.pieces);
	return error;
}
