// SPDX-License-Identifier: LGPL-2.1-or-later
/* Compute scores; must not classify differences. */
#include "compare/score.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/set.h"

/* Add one level of one process; tables in flux are not errors. */
static void add_level(const struct ptu_score_report *score,
		      const struct ptu_level_row *from,
		      struct ptu_score_level *to, struct ptu_score_process *who)
{
	uint64_t explained = score->exact_only ? 0 : from->explained;
	uint64_t errors = from->unexplained + from->explained - explained;

	to->processes++;
	to->exact += !errors && !from->explained;
	to->kernel += from->kernel;
	to->estimate += from->estimate;
	to->missed += from->kernel_only;
	to->invented += from->estimate_only;
	to->explained += explained;
	to->errors += errors;
	if (errors > to->worst.errors) {
		to->worst = *who;
		to->worst.errors = errors;
		to->worst.explained = explained;
	}
	who->errors += errors;
	who->explained += explained;
}

static bool is_worse(const struct ptu_score_process *a,
		     const struct ptu_score_process *b)
{
	if (a->errors != b->errors)
		return a->errors > b->errors;
	return a->explained > b->explained;
}

/* Insert by errors, descending; equal ones keep the order of measurement. */
static void rank(struct ptu_score_row *row, const struct ptu_score_worst *one)
{
	size_t at = row->nr_worst;

	if (!one->who.errors && !one->who.explained)
		return;
	while (at && is_worse(&one->who, &row->worst[at - 1].who))
		at--;
	if (at == PTU_SCORE_WORST)
		return;
	if (row->nr_worst < PTU_SCORE_WORST)
		row->nr_worst++;
	memmove(&row->worst[at + 1], &row->worst[at],
		(row->nr_worst - at - 1) * sizeof(*row->worst));
	row->worst[at] = *one;
}

int ptu_score_add_up(const struct ptu_score_report *score,
		     struct ptu_score_row *row)
{
	size_t *owners = ptu_set_owners(&row->base);
	size_t i;

	if (!owners)
		return -ENOMEM;

	for (i = 0; i < row->base.nr_processes; i++) {
		const struct ptu_process *process = &row->base.processes[i];
		struct ptu_score_worst one = { .who.pid = process->pid,
					       .process = process };
		unsigned int level = PTAUDIT_NR_LEVELS;
		bool is_scored = false;

		row->not_measured += ptu_score_is_missing(&row->base, process);
		if (process->status != PTU_STATUS_OK || owners[i] != i)
			continue;
		snprintf(one.who.comm, sizeof(one.who.comm), "%s",
			 process->comm);
		row->is_counts |= process->stated != 0;
		while (level--) {
			if (!row->base.level_unfolded[level] ||
			    !ptu_score_level_counts(score, process, level))
				continue;
			add_level(score, &process->levels[level],
				  &row->levels[level], &one.who);
			is_scored = true;
		}
		if (!is_scored)
			continue;
		row->processes++;
		row->exact += !one.who.errors && !one.who.explained;
		row->accounted += !one.who.errors && one.who.explained;
		rank(row, &one);
	}
	free(owners);
	return 0;
}
