/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Differences between estimators and the kernel's side, as data. */
#ifndef PTU_REPORT_SCORE_H
#define PTU_REPORT_SCORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "report/report.h"

/* Maximum number of processes that are listed with their causes. */
#define PTU_SCORE_WORST 5

/* A process and its differences. */
struct ptu_score_process {
	pid_t pid;
	char comm[64];
	uint64_t errors;
	uint64_t explained;
};

/**
 * struct ptu_score_level - an estimator at one level, over all processes
 * @processes: processes for which it makes a claim at this level
 * @exact: of these, processes without a difference
 * @kernel: number of tables of the kernel
 * @estimate: number of tables of the estimator
 * @missed: tables of the kernel that the estimator does not have
 * @invented: tables of the estimator that the kernel does not have
 * @explained: differences with a proven cause; 0 with --exact-only
 * @errors: other differences, and undecided claims
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

/* One of the processes with most errors. */
struct ptu_score_worst {
	struct ptu_score_process who;
	const struct ptu_process *process; /* in the report that was scored */
};

/**
 * struct ptu_score_row - one estimator
 * @base: (in) the result of `check` with it; owns the processes
 * @is_counts: it states counts, so differences have no cause
 * @processes: number of measured processes
 * @exact: of these, processes without a difference at the scored levels
 * @accounted: of these, processes whose differences are all explained
 * @not_measured: processes that were not measured, except those that ended
 *	meanwhile and those that ptaudit has no permission to read
 * @worst: [nr_worst] sorted by errors, then by explained differences
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
 * @levels: scored levels, a bit each
 * @exact_only: every difference is an error, even if explained
 */
struct ptu_score_report {
	unsigned int levels;
	bool exact_only;
	struct ptu_score_row *rows; /* [nr_rows] as they were named */
	size_t nr_rows;
};

/**
 * ptu_score_level_counts() - Is that level of that process scored?
 */
bool ptu_score_level_counts(const struct ptu_score_report *score,
			    const struct ptu_process *process,
			    unsigned int level);

/* Size of the buffer for ptu_score_why(); longer texts are cut. */
#define PTU_SCORE_WHY 512

/**
 * ptu_score_why() - Describe the differences in a process with their causes.
 * @ret: (out) "96 pte empty, 1 pmd hollow", or "pte 12 for 34"
 *
 * Return: @ret.
 */
const char *ptu_score_why(const struct ptu_score_report *score,
			  const struct ptu_process *process,
			  char ret[PTU_SCORE_WHY]);

/**
 * ptu_score_is_missing() - Should the process have been measured, but was not?
 */
bool ptu_score_is_missing(const struct ptu_report *report,
			  const struct ptu_process *process);

/**
 * ptu_score_status() - Exit status.
 *
 * Return: 0 on success; 2 if a process was not measured or an estimator scored
 * none.
 */
int ptu_score_status(const struct ptu_score_report *score);

void ptu_score_report_deinit(struct ptu_score_report *score);

#endif
