/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which processes a command speaks of, each measured into one report. */
#ifndef PTU_MEASURE_PROCESSES_H
#define PTU_MEASURE_PROCESSES_H

#include <sys/types.h>

#include "base/err.h"
#include "measure/tables.h"
#include "report/report.h"

/**
 * ptu_survey_begin() - A report about this machine, without processes.
 * @is_check: (in) kernel against estimator; else estimate
 * @ret: (out) deinit with ptu_report_deinit()
 *
 * Return: 0; -errno.
 */
ptu_must_check int ptu_survey_begin(const struct ptu_measure *measure,
				    bool is_check, struct ptu_report *ret,
				    struct ptu_err *err);

/**
 * ptu_survey_add() - Measure one process.
 * @report: (in, out) gets it, also where it could not be measured
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_survey_add(const struct ptu_measure *measure, pid_t pid,
				  struct ptu_report *report,
				  struct ptu_err *err);

/**
 * ptu_survey_group() - Measure processes that nobody named one by one.
 * @pids: (in) [nr_pids]
 * @report: (in, out) gets each process but kernel threads, zombies and those
 *	whose address space another one has already; these are only counted
 *
 * Return: 0; -errno.
 */
ptu_must_check int ptu_survey_group(const struct ptu_measure *measure,
				    const pid_t *pids, size_t nr_pids,
				    struct ptu_report *report,
				    struct ptu_err *err);

/**
 * ptu_survey_next() - Room for one more process.
 *
 * Return: it, zeroed; it counts once nr_processes says so.  NULL: no memory.
 */
struct ptu_process *ptu_survey_next(struct ptu_report *report,
				    struct ptu_err *err);

/**
 * ptu_survey_leaves_out() - Is it a kernel thread or a zombie?
 *
 * There is nothing of them to measure, which is no failure.
 *
 * Return: whether it is one of them, with @kthread and @zombie; these are
 * untouched where the process is not there.
 */
bool ptu_survey_leaves_out(pid_t pid, bool *kthread, bool *zombie);

/**
 * ptu_survey_settle() - Why a process of a group was not measured.
 * @process: (in, out) .status: gone where it ended meanwhile, whatever the
 *	measurement made of the zombie; denied where its mappings must not be
 *	read
 */
void ptu_survey_settle(struct ptu_process *process);

/**
 * ptu_survey_end() - All processes are in: add them up as one set.
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_survey_end(struct ptu_report *report);

#endif
