/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How page tables grew in one interval, as data. */
#ifndef PTU_REPORT_WATCH_H
#define PTU_REPORT_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "report/growth.h"
#include "report/top.h"

/**
 * struct ptu_watch_row - one process in one interval
 * @ended: it is no more; but @pid and @comm nothing is known
 * @seconds: since it was looked at before; 0 of the first time
 * @vmpte_bytes: VmPTE
 * @growth_bytes: VmPTE without what it was before
 * @source: where @growth and @deposited come from
 * @has_tables: they are known; else @why says why not
 * @growth: tables that came and went
 * @deposited: PTE tables that wait behind huge pages
 * @deposited_before: likewise, before
 * @is_over: it grew faster than allowed
 */
struct ptu_watch_row {
	pid_t pid;
	char comm[64];
	bool ended;
	double seconds;
	uint64_t vmpte_bytes;
	int64_t growth_bytes;
	enum ptu_top_source source;
	bool has_tables;
	struct ptu_growth growth;
	uint64_t deposited;
	uint64_t deposited_before;
	char why[256];
	bool is_over;
};

/**
 * struct ptu_watch_total - a group of processes in one interval
 * @seconds: since the interval before; 0 of the first time
 * @nr_processes: address spaces
 * @nr_started: of these, those that were not there before
 * @nr_ended: those that are no more
 * @vmpte_bytes: VmPTE of all
 * @growth_bytes: that without what it was before
 * @has_most: a process grew
 * @most: the one that grew most
 * @is_over: the group grew faster than allowed
 */
struct ptu_watch_total {
	double seconds;
	size_t nr_processes;
	size_t nr_started;
	size_t nr_ended;
	uint64_t vmpte_bytes;
	int64_t growth_bytes;
	bool has_most;
	struct ptu_watch_row most;
	bool is_over;
};

#endif
