// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Split the mapped addresses into pieces, and let one or two threads read their
 * pagemap.  Must not interpret the entries.
 */
#include "acquire/pagemap.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/pieces.h"

/* Entries per read: 512 KiB, for 256 MiB of addresses. */
#define CHUNK_ENTRIES 65536u
#define BUFFER_BYTES (CHUNK_ENTRIES * sizeof(uint64_t))

/* At the end, one thread waits at most for one piece: 1/256 of the work. */
#define NR_PIECES 256u

/**
 * struct piece - a range that ends at the end of a slot or of a mapping
 * @early: where pagemap ended early
 */
struct piece {
	uint64_t start;
	uint64_t end;
	struct ptu_words_end early;
};

struct split {
	const struct ptu_words *file;
	const struct ptu_geometry *geo;
	const struct ptu_vmas *vmas;
	struct piece pieces[NR_PIECES + 1];
	size_t nr_pieces;
	uint64_t *entries[PTU_NR_WORKERS];
	struct ptu_slots found[PTU_NR_WORKERS];
};

/* Intersect a mapping with [start, end). Return: whether the result is not empty. */
static bool clip(const struct ptu_vma *vma, uint64_t start, uint64_t end,
		 uint64_t *ret_start, uint64_t *ret_end)
{
	*ret_start = vma->start > start ? vma->start : start;
	*ret_end = vma->end < end ? vma->end : end;
	return *ret_start < *ret_end;
}

/*
 * Make pieces with equal numbers of entries, not of addresses, because mappings
 * differ in size.  Each piece except the last has at least piece_bytes mapped, so
 * there are at most NR_PIECES + 1.
 */
static void cut(struct split *s, uint64_t start, uint64_t end)
{
	const uint64_t chunk_bytes = CHUNK_ENTRIES * s->geo->page_bytes;
	const size_t first = ptu_vmas_find(s->vmas, start);
	uint64_t all_bytes = 0, bytes = 0, piece_bytes, from, to;
	size_t i;

	for (i = first; i < s->vmas->nr_vmas; i++)
		if (clip(&s->vmas->vmas[i], start, end, &from, &to))
			all_bytes += to - from;
	if (!all_bytes)
		return;
	piece_bytes = (all_bytes / NR_PIECES / chunk_bytes + 1) * chunk_bytes;
	s->pieces[0].start = start;
	for (i = first; i < s->vmas->nr_vmas; i++) {
		if (!clip(&s->vmas->vmas[i], start, end, &from, &to))
			continue;
		for (;;) {
			uint64_t at = from;

			if (bytes < piece_bytes) {
				at += piece_bytes - bytes + chunk_bytes - 1;
				at -= at % chunk_bytes;
			}
			if (at >= to)
				break;
			s->pieces[s->nr_pieces++].end = at;
			s->pieces[s->nr_pieces].start = at;
			bytes = 0;
			from = at;
		}
		bytes += to - from;
	}
	s->pieces[s->nr_pieces++].end = end;
}

/* Read [start, end) of one mapping, chunk by chunk. */
static int read_range(const struct split *s, struct piece *piece,
		      uint64_t *entries, uint32_t vma, uint64_t start,
		      uint64_t end, struct ptu_digest *digest)
{
	const uint64_t page_bytes = s->geo->page_bytes;
	const uint64_t chunk_bytes = CHUNK_ENTRIES * page_bytes;

	while (start < end) {
		uint64_t next = ptu_words_skip(s->file, start / page_bytes);
		uint64_t stop = start - start % chunk_bytes + chunk_bytes;
		size_t nr_entries;
		ssize_t nr;
		int error;

		if (next >= end / page_bytes)
			break;
		if (next * page_bytes > start) {
			start = next * page_bytes;
			continue;
		}
		if (stop > end)
			stop = end;
		nr_entries = (size_t)((stop - start) / page_bytes);
		nr = ptu_words_read(s->file, start / page_bytes, entries,
				    nr_entries);
		if (nr < 0)
			return (int)nr;
		if ((size_t)nr != nr_entries) {
			piece->early = (struct ptu_words_end){
				.addr = start,
				.nr_wanted = nr_entries,
				.nr_got = (size_t)nr,
			};
			return -ENODATA;
		}
		error = ptu_pagemap_digest(digest, vma, start, entries,
					   nr_entries);
		if (error)
			return error;
		start = stop;
	}
	return 0;
}

static int read_piece(void *arg, size_t index, enum ptu_worker worker)
{
	struct split *s = arg;
	struct piece *piece = &s->pieces[index];
	struct ptu_digest digest;
	size_t i;
	int error = 0;

	ptu_pagemap_digest_init(&digest, s->geo, &s->found[worker]);
	for (i = ptu_vmas_find(s->vmas, piece->start);
	     !error && i < s->vmas->nr_vmas; i++) {
		uint64_t from, to;

		if (!clip(&s->vmas->vmas[i], piece->start, piece->end, &from,
			  &to))
			break;
		error = read_range(s, piece, s->entries[worker], (uint32_t)i,
				   from, to, &digest);
	}
	return error ? error : ptu_pagemap_digest_end(&digest);
}

static struct ptu_found found(const void *arg, enum ptu_worker worker)
{
	const struct split *s = arg;

	return (struct ptu_found){ .items = s->found[worker].slots,
				   .nr = s->found[worker].nr_slots };
}

/* Read all pieces; the caller's worker then holds all results. */
static int read_pieces(struct split *s, struct ptu_words_end *ret_end)
{
	const struct ptu_pieces pieces = {
		.nr_pieces = s->nr_pieces,
		.item_bytes = sizeof(struct ptu_slot),
		.work = read_piece,
		.found = found,
		.arg = s,
	};
	struct ptu_slots *ours = &s->found[PTU_CALLER];
	struct ptu_found all;
	size_t failed;
	int error = ptu_pieces_run(&pieces, &all, &failed);

	if (error == -ENODATA)
		*ret_end = s->pieces[failed].early;
	if (error)
		return error;
	ours->slots = all.items;
	ours->nr_slots = ours->capacity = all.nr;
	return 0;
}

/*
 * One buffer per worker, allocated lazily by the kernel.  Not from the heap, because
 * that would change the mappings of this process, which may be the measured one.
 */
static int add_buffers(struct split *s)
{
	unsigned int w;

	for (w = 0; w < PTU_NR_WORKERS; w++) {
		void *got = mmap(NULL, BUFFER_BYTES, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (got == MAP_FAILED)
			return -ENOMEM;
		s->entries[w] = got;
	}
	return 0;
}

int ptu_words_split(const struct ptu_words *file,
		    const struct ptu_geometry *geo, const struct ptu_vmas *vmas,
		    uint64_t start, uint64_t end, struct ptu_slots *ret,
		    struct ptu_words_end *ret_end)
{
	struct split *s = calloc(1, sizeof(*s));
	unsigned int w;
	int error;

	if (!s)
		return -ENOMEM;
	s->file = file;
	s->geo = geo;
	s->vmas = vmas;
	cut(s, start, end < PTU_KERNEL_HALF ? end : PTU_KERNEL_HALF);
	error = add_buffers(s);
	if (!error)
		error = read_pieces(s, ret_end);
	if (!error) {
		*ret = s->found[PTU_CALLER];
		s->found[PTU_CALLER] = (struct ptu_slots){ 0 };
	}
	for (w = 0; w < PTU_NR_WORKERS; w++) {
		ptu_slots_deinit(&s->found[w]);
		if (s->entries[w])
			munmap(s->entries[w], BUFFER_BYTES);
	}
	free(s);
	return error;
}
