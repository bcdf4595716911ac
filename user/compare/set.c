// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Add up processes that may share tables.  Only shared tables are examined one by
 * one; must not need the records of a process.
 */
#include "compare/set.h"

#include <errno.h>
#include <stdlib.h>

/* A process by its address space. */
struct space {
	uint64_t mm;
	pid_t first; /* only if the mm is unknown */
	size_t index;
};

static int by_identity(const struct space *x, const struct space *y)
{
	if (x->mm != y->mm)
		return x->mm < y->mm ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

static int by_space(const void *a, const void *b)
{
	const struct space *x = a, *y = b;
	const int order = by_identity(x, y);

	return order ? order : (x->index > y->index) - (x->index < y->index);
}

/* With 20,000 processes, comparing each with each takes seconds: sort them. */
size_t *ptu_set_owners(const struct ptu_report *report)
{
	const size_t nr = report->nr_processes;
	struct space *spaces = calloc(nr + 1, sizeof(*spaces));
	size_t *owners = calloc(nr + 1, sizeof(*owners));
	const struct space *owner = NULL;
	size_t i;

	for (i = 0; spaces && owners && i < nr; i++) {
		const struct ptu_process *process = &report->processes[i];

		owners[i] = i;
		spaces[i] = (struct space){ process->mm,
					    process->mm ? 0 : process->first,
					    i };
	}
	if (spaces && owners)
		qsort(spaces, nr, sizeof(*spaces), by_space);
	for (i = 0; spaces && owners && i < nr; i++) {
		const struct space *space = &spaces[i];

		if (owner && !by_identity(owner, space))
			owners[space->index] = owner->index;
		else if (report->processes[space->index].status ==
				 PTU_STATUS_OK &&
			 (space->mm || space->first))
			owner = space;
	}
	if (!spaces) {
		free(owners);
		owners = NULL;
	}
	free(spaces);
	return owners;
}

static void add_process(struct ptu_set *set, bool is_check,
			const struct ptu_process *process)
{
	unsigned int level;

	set->nr_spaces++;
	for (level = 0; level < PTAUDIT_NR_LEVELS; level++) {
		const struct ptu_level_row *row = &process->levels[level];

		set->tables[level] += is_check ? row->kernel : row->estimate;
		set->bytes[level] += row->bytes;
	}
	set->tree_bytes += process->tree_bytes;
	set->deposited_tables += process->deposited_tables;
	set->vmpte_bytes += process->vmpte_bytes;
}

static int by_pfn(const void *a, const void *b)
{
	const struct ptu_shared *const *x = a, *const *y = b;

	return (*x)->pfn < (*y)->pfn ? -1 : (*x)->pfn > (*y)->pfn;
}

/* @places: [nr] all places of one table */
static void add_shared(struct ptu_set *set, uint64_t page_bytes,
		       const struct ptu_shared *const *places, size_t nr)
{
	const struct ptu_shared *table = places[0];
	uint64_t again_bytes = (nr - 1) * table->pages * page_bytes;
	uint32_t sharers = 0;
	size_t i;

	for (i = 0; i < nr; i++)
		if (places[i]->sharers > sharers)
			sharers = places[i]->sharers;
	set->shared_tables++;
	set->shared_outside += sharers >= nr;
	set->counted_again += nr - 1;
	set->again_bytes += again_bytes;
	/* a table that changed meanwhile may be missing in the level's count */
	if (set->tables[table->level] > nr - 1)
		set->tables[table->level] -= nr - 1;
	set->bytes[table->level] -= again_bytes;
	set->tree_bytes -= again_bytes;
}

int ptu_set_add_up(struct ptu_report *report)
{
	size_t *owners = ptu_set_owners(report);
	const struct ptu_shared **places;
	struct ptu_set set = { 0 };
	size_t nr_places = 0, nr = 0, first, i, k;

	for (i = 0; i < report->nr_processes; i++)
		nr_places += report->processes[i].nr_shared;
	places = calloc(nr_places + 1, sizeof(const struct ptu_shared *));
	if (!places || !owners) {
		free(places);
		free(owners);
		return -ENOMEM;
	}
	for (i = 0; i < report->nr_processes; i++) {
		const struct ptu_process *process = &report->processes[i];

		if (process->status != PTU_STATUS_OK || owners[i] != i)
			continue;
		add_process(&set, report->is_check, process);
		for (k = 0; k < process->nr_shared; k++)
			places[nr++] = &process->shared[k];
	}
	qsort(places, nr, sizeof(const struct ptu_shared *), by_pfn);
	for (first = 0; first < nr; first = i) {
		for (i = first + 1;
		     i < nr && places[i]->pfn == places[first]->pfn; i++)
			;
		add_shared(&set, report->page_bytes, &places[first], i - first);
	}
	free(owners);
	free(places);
	set.residual_bytes = (int64_t)(set.vmpte_bytes - set.tree_bytes -
				       set.again_bytes -
				       set.deposited_tables *
					       report->page_bytes);
	report->set = set;
	return 0;
}
