/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Growth of page tables in one interval, as data. */
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
 * @ended: it has ended; only @pid and @comm are known
 * @seconds: time since its previous sample; 0 for the first one
 * @vmpte_bytes: VmPTE
 * @growth_bytes: growth of VmPTE
 * @source: source of @growth and @deposited
 * @has_tables: @growth and @deposited are known; else see @why
 * @growth: tables that were added and freed; if @growth_bytes is negative, the rows are in
 *	ascending order of growth
 * @deposited: PTE tables deposited for huge pages
 * @deposited_before: the same at the previous sample
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
 * @seconds: time since the previous interval; 0 for the first one
 * @nr_processes: number of address spaces
 * @nr_started: of these, new ones
 * @nr_ended: address spaces that have ended
 * @vmpte_bytes: sum of VmPTE
 * @growth_bytes: growth of @vmpte_bytes
 * @has_most: @most is known
 * @most: the process that grew most; if the group shrank and a process of it did, the one
 *	that shrank most
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

/**
 * struct ptu_watch_peak - the sample of a process with the largest VmPTE, and its tables
 * @comm: name at that time
 * @vmpte_bytes: VmPTE; 0: there was no sample
 * @seconds: time of the sample after the start of the watch
 * @source: source of @tables
 * @tables: its tables, in .after and .rows; none if they could not be read; those of an
 *	earlier sample if that had more tables
 * @tables_seconds: when @tables were read; less than @seconds if they are of an earlier
 *	sample
 */
struct ptu_watch_peak {
	pid_t pid;
	char comm[64];
	uint64_t vmpte_bytes;
	double seconds;
	enum ptu_top_source source;
	struct ptu_growth tables;
	double tables_seconds;
};

/* Processes that the peak of a group names. */
#define PTU_WATCH_PROCESSES 3

/**
 * struct ptu_watch_most - a process at the peak of its group
 */
struct ptu_watch_most {
	pid_t pid;
	char comm[64];
	uint64_t vmpte_bytes;
};

/**
 * struct ptu_watch_group_peak - the interval in which a group had the largest VmPTE
 * @vmpte_bytes: sum of VmPTE; 0: it had no process
 * @seconds: time after the start of the watch
 * @nr_processes: number of address spaces
 * @most: [nr_most] the processes with the largest VmPTE at that time, descending
 */
struct ptu_watch_group_peak {
	uint64_t vmpte_bytes;
	double seconds;
	size_t nr_processes;
	struct ptu_watch_most most[PTU_WATCH_PROCESSES];
	size_t nr_most;
};

/**
 * struct ptu_watch_line - a process or a group in one interval, as it is shown
 * @time: local time of day
 * @total: the group, or NULL
 * @row: the process; for a group, its .most
 */
struct ptu_watch_line {
	const char *time;
	const struct ptu_watch_total *total;
	const struct ptu_watch_row *row;
};

#endif
