/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measure the processes of a command into one report. */
#ifndef PTU_MEASURE_PROCESSES_H
#define PTU_MEASURE_PROCESSES_H

#include <sys/types.h>

#include "base/err.h"
#include "measure/tables.h"
#include "report/report.h"

/**
 * ptu_survey_begin() - Start a report about this machine, without processes.
 * @is_check: (in) compare kernel and estimator; else estimate
 * @ret: (out) free with ptu_report_deinit()
 *
 * Return: 0; -errno.
 */
ptu_must_check int ptu_survey_begin(const struct ptu_measure *measure,
				    bool is_check, struct ptu_report *ret,
				    struct ptu_err *err);

/**
 * ptu_survey_add() - Measure one process.
 * @report: (in, out) the process is added even if it could not be measured
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_survey_add(const struct ptu_measure *measure, pid_t pid,
				  struct ptu_report *report,
				  struct ptu_err *err);

/**
 * ptu_survey_named() - Measure processes that the user named individually.
 * @pids: (in) [nr_pids]
 * @report: (in, out) all processes are added
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_survey_named(const struct ptu_measure *measure,
				    const pid_t *pids, size_t nr_pids,
				    struct ptu_report *report,
				    struct ptu_err *err);

/**
 * ptu_survey_group() - Measure processes that the user did not name individually.
 * @pids: (in) [nr_pids]
 * @report: (in, out) all processes are added, except kernel threads, zombies and
 *	processes with the address space of an earlier one; these are only counted
 *
 * Return: 0; -errno.
 */
ptu_must_check int ptu_survey_group(const struct ptu_measure *measure,
				    const pid_t *pids, size_t nr_pids,
				    struct ptu_report *report,
				    struct ptu_err *err);

/**
 * ptu_survey_next() - Make room for one more process.
 *
 * Return: the zeroed process; increment nr_processes to keep it.  NULL if out of
 * memory.
 */
struct ptu_process *ptu_survey_next(struct ptu_report *report,
				    struct ptu_err *err);

/**
 * ptu_survey_leaves_out() - Is it a kernel thread or a zombie?
 *
 * They have nothing to measure, which is not an error.
 *
 * Return: whether it is one of them, with @kthread and @zombie; both are untouched
 * if there is no such process.
 */
bool ptu_survey_leaves_out(pid_t pid, bool *kthread, bool *zombie);

/**
 * ptu_survey_settle() - Find out why a process of a group was not measured.
 * @process: (in, out) .status becomes "gone" if it ended meanwhile, whatever the
 *	measurement reported, and "denied" without permission to read its mappings
 */
void ptu_survey_settle(struct ptu_process *process);

/**
 * ptu_survey_end() - Compute the sum over the set after the last process.
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_survey_end(struct ptu_report *report);

#endif
