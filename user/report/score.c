// SPDX-License-Identifier: LGPL-2.1-or-later
/* Evaluate a score.  Pure. */
#include "report/score.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/geometry.h"

bool ptu_score_level_counts(const struct ptu_score_report *score,
			    const struct ptu_process *process,
			    unsigned int level)
{
	const unsigned int bit = 1u << level;

	/* a program that states counts of one level says nothing about the other levels */
	return score->levels & bit &&
	       (!process->stated || process->stated & bit);
}

bool ptu_score_is_missing(const struct ptu_report *report,
			  const struct ptu_process *process)
{
	/* ignore these in a group; a single PID given by the user is reported */
	if (report->is_all && (process->status == PTU_STATUS_GONE ||
			       process->status == PTU_STATUS_DENIED))
		return false;
	return process->status != PTU_STATUS_OK;
}

/* Append to a list; drop text that does not fit. */
__attribute__((format(printf, 2, 3))) static void
append(char ret[PTU_SCORE_WHY], const char *format, ...)
{
	size_t used = strlen(ret);
	va_list arguments;

	if (used) {
		snprintf(ret + used, PTU_SCORE_WHY - used, ", ");
		used = strlen(ret);
	}
	va_start(arguments, format);
	vsnprintf(ret + used, PTU_SCORE_WHY - used, format, arguments);
	va_end(arguments);
}

const char *ptu_score_why(const struct ptu_score_report *score,
			  const struct ptu_process *process,
			  char ret[PTU_SCORE_WHY])
{
	unsigned int level = PTAUDIT_NR_LEVELS;
	size_t i;

	ret[0] = '\0';
	while (level--) {
		const struct ptu_level_row *row = &process->levels[level];
		const char *name = ptu_level_name(level);

		if (!ptu_score_level_counts(score, process, level))
			continue;
		if (process->stated) {
			if (row->unexplained)
				append(ret, "%s %" PRIu64 " for %" PRIu64, name,
				       row->estimate, row->kernel);
			continue;
		}
		for (i = 0; i < process->nr_causes; i++)
			if (process->causes[i].level == level &&
			    process->causes[i].why != PTU_WHY_IN_FLUX)
				append(ret, "%" PRIu64 " %s %s",
				       process->causes[i].tables, name,
				       ptu_why_name(process->causes[i].why));
		if (row->unexplained)
			append(ret, "%" PRIu64 " %s unexplained",
			       row->unexplained, name);
	}
	return ret;
}

int ptu_score_status(const struct ptu_score_report *score)
{
	int status = 0;
	size_t i;

	for (i = 0; i < score->nr_rows; i++) {
		const struct ptu_score_row *row = &score->rows[i];

		if (row->not_measured || !row->processes ||
		    (row->base.require_all &&
		     ptu_report_with(&row->base, PTU_STATUS_DENIED)))
			status = 2;
	}
	return status;
}

void ptu_score_report_deinit(struct ptu_score_report *score)
{
	size_t i;

	for (i = 0; i < score->nr_rows; i++)
		ptu_report_deinit(&score->rows[i].base);
	free(score->rows);
	score->rows = NULL;
	score->nr_rows = 0;
}
