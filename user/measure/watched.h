/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Samples of a process that is watched. */
#ifndef PTU_MEASURE_WATCHED_H
#define PTU_MEASURE_WATCHED_H

#include "measure/view.h"
#include "report/watch.h"

/**
 * struct ptu_watched - last sample of a process
 * @start_time: distinguishes it from another process with the same PID
 * @tid: the thread that is read
 * @is_left_out: another process with the same address space counts instead, or it has
 *	ended; such samples are not kept
 * @at_ns: CLOCK_MONOTONIC of the sample
 * @has_view: @view is valid
 * @view: tables of this sample, or of an earlier one if they were not read again
 * @read_at_ns: CLOCK_MONOTONIC when the last reading of its tables began
 * @read_ns: CPU time of this reading; 0: none
 */
struct ptu_watched {
	pid_t pid;
	pid_t tid;
	uint64_t start_time;
	char comm[64];
	bool is_left_out;
	uint64_t at_ns;
	uint64_t vmpte_bytes;
	bool has_view;
	struct ptu_view view;
	uint64_t read_at_ns;
	uint64_t read_ns;
};

/**
 * ptu_watched_seconds() - Time between two samples.
 * @before_ns: (in) 0: there is no earlier one, and the time is 0
 */
double ptu_watched_seconds(uint64_t before_ns, uint64_t after_ns);

/**
 * ptu_watched_identify() - Read identity and VmPTE from public files.
 * @ret: (out) without tables
 *
 * Return: 0; -ESRCH it has ended, or has no memory; -errno.
 */
ptu_must_check int ptu_watched_identify(struct ptu_proc *proc,
					struct ptu_watched *ret,
					struct ptu_err *err);

/**
 * ptu_watched_look() - Read the tables of a process, unless that took long before.
 * @before: (in, out) its earlier sample, or NULL; may lose its tables to @now
 * @now: (in, out) free .view with ptu_watched_forget()
 * @why: (out) [why_bytes] why its tables are not read; untouched otherwise
 *
 * Return: 0, even if the tables are not read; -ESRCH it ended; -ENOMEM.
 */
ptu_must_check int ptu_watched_look(const struct ptu_view_ask *ask,
				    struct ptu_proc *proc,
				    struct ptu_watched *before,
				    struct ptu_watched *now, char *why,
				    size_t why_bytes);

/**
 * ptu_watched_sample() - ptu_watched_identify() and ptu_watched_look().
 *
 * If VmPTE changes while the tables are read, the process is sampled once more: else the
 * growth would be in one interval, and its tables in another.  A reading that took long
 * is not repeated.
 *
 * Return: 0; -ESRCH; -ENOMEM; -errno.
 */
ptu_must_check int ptu_watched_sample(const struct ptu_view_ask *ask,
				      struct ptu_proc *proc,
				      struct ptu_watched *before,
				      struct ptu_watched *ret, char *why,
				      size_t why_bytes, struct ptu_err *err);

/**
 * ptu_watched_grow() - Compare the tables of two samples.
 * @ret: (out) free with ptu_growth_deinit()
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_watched_grow(const struct ptu_view_ask *ask,
				    const struct ptu_watched *before,
				    const struct ptu_watched *now,
				    struct ptu_growth *ret);

/**
 * ptu_watched_row() - Report the growth between two samples.
 * @before: (in) NULL if the process is new
 * @ret: (in, out) .why is set if @now has no tables, or those of an earlier sample
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_watched_row(const struct ptu_view_ask *ask,
				   const struct ptu_watched *before,
				   const struct ptu_watched *now,
				   struct ptu_watch_row *ret);

/**
 * ptu_watched_keep() - Move the tables of an earlier sample to a later one.
 */
void ptu_watched_keep(struct ptu_watched *before, struct ptu_watched *now);

/**
 * ptu_watched_forget() - Free the tables of a sample.
 */
void ptu_watched_forget(struct ptu_watched *seen);

#endif
