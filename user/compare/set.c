// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Add up processes that may share tables.  Only shared tables are examined one by
 * one; must not need the records of a process.
 */
#include "compare/set.h"

#include <errno.h>
#include <stdlib.h>

bool ptu_set_is_again(const struct ptu_report *report, size_t index)
{
	const struct ptu_process *process = &report->processes[index];
	size_t i;

	for (i = 0; i < index && (process->mm || process->first); i++) {
		const struct ptu_process *other = &report->processes[i];

		if (other->status == PTU_STATUS_OK &&
		    ptu_process_shares(process, other))
			return true;
	}
	return false;
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
	if (set->tables[table->level] >= nr - 1)
		set->tables[table->level] -= nr - 1;
	set->bytes[table->level] -= again_bytes;
	set->tree_bytes -= again_bytes;
}

int ptu_set_add_up(struct ptu_report *report)
{
	const struct ptu_shared **places;
	struct ptu_set set = { 0 };
	size_t nr_places = 0, nr = 0, first, i, k;

	for (i = 0; i < report->nr_processes; i++)
		nr_places += report->processes[i].nr_shared;
	places = calloc(nr_places + 1, sizeof(const struct ptu_shared *));
	if (!places)
		return -ENOMEM;
	for (i = 0; i < report->nr_processes; i++) {
		const struct ptu_process *process = &report->processes[i];

		if (process->status != PTU_STATUS_OK ||
		    ptu_set_is_again(report, i))
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
	free(places);
	set.residual_bytes = (int64_t)(set.vmpte_bytes - set.tree_bytes -
				       set.again_bytes -
				       set.deposited_tables *
					       report->page_bytes);
	report->set = set;
	return 0;
}
