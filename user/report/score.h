/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How far estimators are from the kernel's side, as data. */
#ifndef PTU_REPORT_SCORE_H
#define PTU_REPORT_SCORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "report/report.h"

/* Processes that are shown with their causes. */
#define PTU_SCORE_WORST 5

/* Who it is, and how far off. */
struct ptu_score_process {
	pid_t pid;
	char comm[64];
	uint64_t errors;
	uint64_t explained;
};

/**
 * struct ptu_score_level - an estimator at one level, over all processes
 * @processes: that it says anything of at this level
 * @exact: of these, without a difference
 * @kernel: tables that the kernel has there
 * @estimate: tables that the estimator says
 * @missed: tables of the kernel that it does not have
 * @invented: tables that the kernel does not have
 * @explained: of these two, with a proven cause; 0 with --exact-only
 * @errors: of these two, the others; and those that it left undecided
 * @worst: the process with most errors; its .errors is 0 if no process has any
 */
struct ptu_score_level {
	uint64_t processes;
	uint64_t exact;
	uint64_t kernel;
	uint64_t estimate;
	uint64_t missed;
	uint64_t invented;
	uint64_t explained;
	uint64_t errors;
	struct ptu_score_process worst;
};

/* A process among the worst. */
struct ptu_score_worst {
	struct ptu_score_process who;
	const struct ptu_process *process; /* in the report that was scored */
};

/**
 * struct ptu_score_row - one estimator
 * @base: (in) what `check` found out with it; owns the processes
 * @is_counts: it states counts, so that no difference has a cause
 * @processes: measured
 * @exact: of these, without a difference at any level that counts
 * @accounted: of these, with differences that are all explained
 * @not_measured: processes that were not, but for those that ended meanwhile
 *	and those that must not be read
 * @worst: [nr_worst] with most errors, then most explained differences
 */
struct ptu_score_row {
	struct ptu_report base;
	const char *name;
	bool is_counts;
	uint64_t processes;
	uint64_t exact;
	uint64_t accounted;
	uint64_t not_measured;
	struct ptu_score_level levels[PTAUDIT_NR_LEVELS];
	struct ptu_score_worst worst[PTU_SCORE_WORST];
	size_t nr_worst;
};

/**
 * struct ptu_score_report - all estimators
 * @levels: a bit for each level that counts
 * @exact_only: a difference is an error, explained or not
 */
struct ptu_score_report {
	unsigned int levels;
	bool exact_only;
	struct ptu_score_row *rows; /* [nr_rows] as they were named */
	size_t nr_rows;
};

/**
 * ptu_score_level_counts() - Does that level of that process count?
 */
bool ptu_score_level_counts(const struct ptu_score_report *score,
			    const struct ptu_process *process,
			    unsigned int level);

/* The longest ptu_score_why() that is not cut. */
#define PTU_SCORE_WHY 512

/**
 * ptu_score_why() - Where an estimator is off in a process, and by which causes.
 * @ret: (out) "96 pte empty, 1 pmd hollow", or "pte 12 for 34"
 *
 * Return: @ret.
 */
const char *ptu_score_why(const struct ptu_score_report *score,
			  const struct ptu_process *process,
			  char ret[PTU_SCORE_WHY]);

/**
 * ptu_score_is_missing() - Should it have been measured, and was not?
 */
bool ptu_score_is_missing(const struct ptu_report *report,
			  const struct ptu_process *process);

/**
 * ptu_score_status() - Exit status.
 *
 * Return: 0 done; 2 a process was not measured, or an estimator scored none.
 */
int ptu_score_status(const struct ptu_score_report *score);

void ptu_score_report_deinit(struct ptu_score_report *score);

#endif
