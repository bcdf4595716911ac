// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Let the kernel replace tables of shared memory by huge pages, and measure the
 * result.  Must not discard a page, nor make a process call anything. If it is
 * interrupted, each huge page is either complete or not started.
 */
#include "measure/whatif.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "acquire/collapse.h"
#include "base/clock.h"
#include "compare/whatif.h"

/*
 * Try several times: a page may be locked or pinned for a moment, and kernels before
 * 6.6 skip a process whose mmap_lock is held.
 */
#define ROUNDS 6
#define PAUSE_NS \
	20000000L /* before the second round; doubled for each further round */

/**
 * struct acting - handles that are reused from place to place
 * @mm: address space of @proc and @pidfd; SIZE_MAX: none
 * @file: file of @shmem; SIZE_MAX: none
 */
struct acting {
	const struct ptu_whatif_ask *ask;
	struct ptu_whatif_report *report;
	struct ptu_proc proc;
	int pidfd;
	size_t mm;
	struct ptu_shmem shmem;
	size_t file;
};

static void close_process(struct acting *a)
{
	if (a->mm == SIZE_MAX)
		return;
	close(a->pidfd);
	ptu_proc_close(&a->proc);
	a->mm = SIZE_MAX;
}

static void close_file(struct acting *a)
{
	if (a->file != SIZE_MAX)
		ptu_shmem_close(&a->shmem);
	a->file = SIZE_MAX;
}

static int open_process(struct acting *a, size_t mm)
{
	int error;

	if (a->mm == mm)
		return 0;
	close_process(a);
	error = ptu_whatif_reopen(&a->report->mms[mm], &a->proc);
	if (error)
		return error;
	a->pidfd = ptu_collapse_open(&a->proc);
	if (a->pidfd < 0) {
		ptu_proc_close(&a->proc);
		return a->pidfd;
	}
	a->mm = mm;
	return 0;
}

static int open_file(struct acting *a, const struct ptu_whatif_place *place)
{
	int error;

	if (a->file == place->file)
		return 0;
	close_file(a);
	error = ptu_whatif_open_file(a->report, place, &a->shmem);
	if (!error)
		a->file = place->file;
	return error;
}

/* Make the kernel create one huge page at the place, in the process that maps it. */
static int act(struct acting *a, const struct ptu_whatif_place *place)
{
	int error = open_process(a, place->mm);

	if (!error)
		error = open_file(a, place);
	if (error)
		return error;
	/* the mapping may have been replaced since the measurement */
	if (!ptu_shmem_same(&a->proc, place->vma_start, place->vma_end,
			    &a->shmem))
		return -ESTALE;
	return ptu_collapse(a->pidfd, place->addr, a->report->slot_bytes);
}

static bool is_same_window(const struct ptu_whatif_place *a,
			   const struct ptu_whatif_place *b)
{
	return a->file == b->file && a->offset == b->offset;
}

/*
 * Process each window whose tables still exist. In the first round use one address
 * space, since this frees the tables of all; later use each one that still has a table.
 */
static void act_on_all(struct acting *a, bool first)
{
	struct ptu_whatif_report *report = a->report;
	size_t i;

	for (i = 0; i < report->nr_places; i++) {
		const struct ptu_whatif_place *place = &report->places[i];
		struct ptu_whatif_window *window;
		int error;

		if (!ptu_whatif_is_predicted(place) || place->returned)
			continue;
		window = ptu_whatif_find_window(report, place->file,
						place->offset);
		error = act(a, place);
		/* an earlier request has made the huge page, and this process has ended since */
		if (first || error != -ESRCH)
			window->error = error;
		while (!error && first && i + 1 < report->nr_places &&
		       is_same_window(place, &report->places[i + 1]))
			i++;
	}
	close_process(a);
	close_file(a);
}

static bool has_table(const struct ptu_tables *tables, uint64_t start)
{
	size_t i;

	for (i = ptu_tables_find(tables, start);
	     i < tables->nr_tables && tables->tables[i].start == start; i++)
		if (tables->tables[i].level == PTAUDIT_PTE &&
		    tables->tables[i].claim != PTU_LEAF)
			return true;
	return false;
}

/* Find the tables of an address space that were freed. An ended process has none. */
static void see_returned(const struct acting *a, size_t mm)
{
	struct ptu_whatif_report *report = a->report;
	struct ptu_proc_status status;
	struct ptu_tables tables;
	struct ptu_vmas vmas;
	struct ptu_proc proc;
	size_t i, nr_changed;

	if (ptu_whatif_reopen(&report->mms[mm], &proc))
		return;
	if (!ptu_whatif_tables(a->ask, &proc, &vmas, &tables, &nr_changed,
			       NULL)) {
		for (i = 0; i < report->nr_places; i++) {
			struct ptu_whatif_place *place = &report->places[i];

			if (place->mm == mm)
				place->returned = !has_table(&tables,
							     place->addr);
		}
		ptu_tables_deinit(&tables);
		ptu_vmas_deinit(&vmas);
	}
	if (!ptu_proc_status(&proc, &status, NULL))
		report->mms[mm].vmpte_after_bytes = status.vmpte_bytes;
	ptu_proc_close(&proc);
}

/* Return: number of predicted tables that still exist. */
static uint64_t see_all_returned(const struct acting *a)
{
	struct ptu_whatif_report *report = a->report;
	uint64_t left = 0;
	size_t i;

	for (i = 0; i < report->nr_mms; i++)
		see_returned(a, i);
	for (i = 0; i < report->nr_places; i++)
		left += ptu_whatif_is_predicted(&report->places[i]) &&
			!report->places[i].returned;
	return left;
}

/* Add up the memory that the files use. */
static uint64_t used_bytes(const struct ptu_whatif_report *report, bool after)
{
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; i < report->nr_files; i++)
		bytes += after ? report->files[i].used_after_bytes :
				 report->files[i].used_bytes;
	return bytes;
}

static void see_used(struct ptu_whatif_report *report)
{
	size_t i, last = SIZE_MAX;

	for (i = 0; i < report->nr_files; i++)
		report->files[i].used_after_bytes = report->files[i].used_bytes;
	for (i = 0; i < report->nr_places; i++) {
		const struct ptu_whatif_place *place = &report->places[i];
		struct ptu_shmem shmem;

		if (place->file == last ||
		    ptu_whatif_open_file(report, place, &shmem))
			continue;
		last = place->file;
		report->files[last].used_after_bytes = shmem.used_bytes;
		ptu_shmem_close(&shmem);
	}
}

static void add_up(struct ptu_whatif_report *report)
{
	struct ptu_reclaim_result *result = &report->reclaim;
	uint64_t before = used_bytes(report, false);
	uint64_t after;
	size_t i;

	see_used(report);
	after = used_bytes(report, true);
	result->filled_bytes = after > before ? after - before : 0;
	for (i = 0; i < report->nr_places; i++) {
		const struct ptu_whatif_place *place = &report->places[i];
		bool predicted = ptu_whatif_is_predicted(place);

		result->returned_tables += predicted && place->returned;
		result->more_tables += !predicted && place->returned;
	}
	for (i = 0; i < report->nr_windows; i++) {
		const struct ptu_whatif_window *window = &report->windows[i];

		result->windows += !window->block && !window->error;
		result->failed_windows += !window->block && window->error;
	}
}

int ptu_reclaim(const struct ptu_whatif_ask *ask,
		struct ptu_whatif_report *report, struct ptu_err *err)
{
	struct acting a = {
		.ask = ask, .report = report, .mm = SIZE_MAX, .file = SIZE_MAX
	};
	const uint64_t began_ns = ptu_now_ns();
	unsigned int round;
	int error = ptu_collapse_ready(err);

	if (error)
		return error;
	report->reclaim.done = true;
	for (round = 0; round < ROUNDS; round++) {
		const struct timespec pause = { .tv_nsec = (PAUSE_NS << round) /
							   2 };

		if (round)
			nanosleep(&pause, NULL);
		act_on_all(&a, !round);
		if (!see_all_returned(&a))
			break;
	}
	report->reclaim.took_ns = ptu_now_ns() - began_ns;
	add_up(report);
	return 0;
}
