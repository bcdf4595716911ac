// SPDX-License-Identifier: LGPL-2.1-or-later
/* Windows of shared files, and their sums over all processes that map them.  Pure. */
#include "compare/whatif.h"

#include <errno.h>
#include <stdlib.h>

static int by_file(const void *a, const void *b)
{
	const struct ptu_whatif_place *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	if (x->mm != y->mm)
		return x->mm < y->mm ? -1 : 1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

int ptu_whatif_add_windows(struct ptu_whatif_report *report)
{
	struct ptu_whatif_window *window = NULL;
	size_t i;

	if (report->nr_places)
		qsort(report->places, report->nr_places,
		      sizeof(*report->places), by_file);
	for (i = 0; i < report->nr_places; i++) {
		const struct ptu_whatif_place *place = &report->places[i];

		if (place->block || (window && window->file == place->file &&
				     window->offset == place->offset))
			continue;
		window = ptu_whatif_room(&report->windows, report->nr_windows,
					 sizeof(*window));
		if (!window)
			return -ENOMEM;
		report->nr_windows++;
		window->file = place->file;
		window->offset = place->offset;
		/* accesses beyond the end of the file must still raise SIGBUS */
		if (place->offset + report->slot_bytes >
		    report->files[place->file].size_bytes)
			window->block = PTU_BLOCK_BEYOND;
	}
	return 0;
}

static int add_hole(struct ptu_whatif_report *report, size_t file,
		    uint64_t start, uint64_t end)
{
	struct ptu_whatif_hole *hole;

	if (report->nr_holes) {
		hole = &report->holes[report->nr_holes - 1];
		if (hole->file == file && hole->end == start &&
		    start % report->slot_bytes) {
			hole->end = end;
			return 0;
		}
	}
	hole = ptu_whatif_room(&report->holes, report->nr_holes, sizeof(*hole));
	if (!hole)
		return -ENOMEM;
	report->nr_holes++;
	*hole = (struct ptu_whatif_hole){ file, start, end };
	return 0;
}

int ptu_whatif_see_window(struct ptu_whatif_report *report,
			  struct ptu_whatif_window *window,
			  const unsigned char *vec, uint64_t data_pages)
{
	const uint64_t page = report->base.page_bytes;
	const uint64_t nr = report->slot_bytes / page;
	uint64_t resident, i;
	int error = 0;

	for (i = 0; i < nr; i++)
		window->missing_pages += !(vec[i] & 1);
	resident = nr - window->missing_pages;
	window->swapped_pages = data_pages > resident ? data_pages - resident :
							0;
	if (!resident && !data_pages)
		window->block = PTU_BLOCK_HOLE;
	/* to those who may not write the file, mincore() shows each page as resident */
	if (resident > data_pages)
		window->block = PTU_BLOCK_UNKNOWN;
	for (i = 0; !error && !window->block && i < nr; i++)
		if (!(vec[i] & 1))
			error = add_hole(report, window->file,
					 window->offset + i * page,
					 window->offset + (i + 1) * page);
	return error;
}

struct ptu_whatif_window *
ptu_whatif_find_window(const struct ptu_whatif_report *report, size_t file,
		       uint64_t offset)
{
	size_t low = 0, high = report->nr_windows;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		struct ptu_whatif_window *window = &report->windows[middle];

		if (window->file == file && window->offset == offset)
			return window;
		if (window->file < file ||
		    (window->file == file && window->offset < offset))
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/*
 * Return the number of bytes that filling may still take from the tmpfs of a file.  All
 * files of the tmpfs share this number.
 */
static uint64_t *room_of(const struct ptu_whatif_report *report, size_t file)
{
	size_t i = 0;

	while (report->files[i].device != report->files[file].device)
		i++;
	return &report->files[i].room_bytes;
}

/* Decide which windows may be filled, and the memory that they need. */
static void fill(struct ptu_whatif_report *report)
{
	const uint64_t page = report->base.page_bytes;
	uint64_t filled = 0;
	size_t i;

	for (i = 0; i < report->nr_windows; i++) {
		struct ptu_whatif_window *window = &report->windows[i];
		struct ptu_whatif_file *file = &report->files[window->file];
		uint64_t bytes = window->missing_pages * page;
		/* the tmpfs counts a swapped page already */
		uint64_t taken = bytes - window->swapped_pages * page;
		uint64_t *room = room_of(report, window->file);

		if (window->block)
			continue;
		if (report->reclaim.has_limit &&
		    bytes > report->reclaim.max_fill_bytes - filled) {
			window->block = PTU_BLOCK_LIMIT;
			continue;
		}
		if (taken > *room) {
			window->block = PTU_BLOCK_ROOM;
			continue;
		}
		*room -= taken;
		filled += bytes;
		file->windows++;
		file->fill_bytes += bytes;
		file->swapped_bytes += window->swapped_pages * page;
	}
}

/* Drop the holes of windows that are not filled. */
static void drop_holes(struct ptu_whatif_report *report)
{
	size_t i, nr = 0;

	for (i = 0; i < report->nr_holes; i++) {
		const struct ptu_whatif_hole hole = report->holes[i];

		if (!ptu_whatif_find_window(report, hole.file,
					    hole.start -
						    hole.start %
							    report->slot_bytes)
			     ->block)
			report->holes[nr++] = hole;
	}
	report->nr_holes = nr;
}

static void add_place(struct ptu_whatif_report *report,
		      struct ptu_whatif_place *place)
{
	struct ptu_whatif_file *file = &report->files[place->file];

	if (!place->block)
		place->block = ptu_whatif_find_window(report, place->file,
						      place->offset)
				       ->block;
	file->blocked[place->block]++;
	file->hugetlb_tables += place->is_alone;
	if (place->block)
		return;
	file->tables++;
	file->empty_tables += place->is_empty;
	report->mms[place->mm].shared_tables++;
}

struct rank {
	uint64_t tables;
	uint64_t hugetlb_tables; /* of a file; 0 for an address space */
	size_t index;
};

/* Sort by tables, descending; equal ones keep their order. */
static int by_tables(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;

	if (x->tables != y->tables)
		return x->tables > y->tables ? -1 : 1;
	if (x->hugetlb_tables != y->hugetlb_tables)
		return x->hugetlb_tables > y->hugetlb_tables ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static int by_rank(const void *a, const void *b)
{
	const struct ptu_whatif_empty *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->tables != y->tables)
		return x->tables > y->tables ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

/*
 * Sort the rows: the address space with most empty tables comes first, and in each address
 * space the largest range.
 */
static int rank_empties(struct ptu_whatif_report *report)
{
	struct rank *ranks = calloc(report->nr_mms + 1, sizeof(*ranks));
	size_t *rank_of = calloc(report->nr_mms + 1, sizeof(*rank_of));
	size_t i;

	for (i = 0; ranks && rank_of && i < report->nr_mms; i++)
		ranks[i] = (struct rank){ report->mms[i].empty_tables, 0, i };
	if (ranks && rank_of) {
		qsort(ranks, report->nr_mms, sizeof(*ranks), by_tables);
		for (i = 0; i < report->nr_mms; i++)
			rank_of[ranks[i].index] = i;
		for (i = 0; i < report->nr_empties; i++)
			report->empties[i].rank = rank_of[report->empties[i].mm];
		if (report->nr_empties)
			qsort(report->empties, report->nr_empties,
			      sizeof(*report->empties), by_rank);
	}
	i = ranks && rank_of;
	free(ranks);
	free(rank_of);
	return i ? 0 : -ENOMEM;
}

/* Determine the display order of files; their indices do not change. */
static int rank_files(struct ptu_whatif_report *report)
{
	struct rank *ranks = calloc(report->nr_files + 1, sizeof(*ranks));
	size_t i;

	if (!ranks)
		return -ENOMEM;
	for (i = 0; i < report->nr_files; i++)
		ranks[i] = (struct rank){
			report->files[i].tables,
			ptu_whatif_hugetlb_tables(report, &report->files[i]), i
		};
	qsort(ranks, report->nr_files, sizeof(*ranks), by_tables);
	for (i = 0; i < report->nr_files; i++)
		report->files[i].shown = ranks[i].index;
	free(ranks);
	return 0;
}

int ptu_whatif_add_up(struct ptu_whatif_report *report)
{
	/* [address space] 1 + index of the last file found in it */
	size_t *seen = calloc(report->nr_mms + 1, sizeof(*seen));
	size_t i;

	if (!seen)
		return -ENOMEM;
	fill(report);
	drop_holes(report);
	for (i = 0; i < report->nr_places; i++) {
		struct ptu_whatif_place *place = &report->places[i];

		if (seen[place->mm] != place->file + 1)
			report->files[place->file].nr_mms++;
		report->files[place->file].mm = place->mm;
		seen[place->mm] = place->file + 1;
		add_place(report, place);
	}
	free(seen);
	for (i = 0; i < report->nr_empties; i++)
		report->mms[report->empties[i].mm].empty_tables +=
			report->empties[i].tables;
	return rank_empties(report) ? -ENOMEM : rank_files(report);
}
