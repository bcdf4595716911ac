/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Page tables of groups of processes, as metrics for monitoring. */
#ifndef PTU_REPORT_EXPORT_H
#define PTU_REPORT_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/host.h"
#include "module/ptaudit_abi.h"

/**
 * struct ptu_export_group - a group of processes; each address space counts once
 * @name: name of the group; "" for the rest
 * @nr_processes: number of address spaces
 * @nr_counted: of these, those whose tables were counted
 * @tables: [level] tables in the trees
 * @bytes: [level] memory of these tables
 * @nr_empty: PTE tables without any entry
 * @nr_deposited: PTE tables deposited for huge pages
 * @vmpte_bytes: VmPTE of processes whose tables were not counted; not included
 *	above
 */
struct ptu_export_group {
	char name[256];
	uint64_t nr_processes;
	uint64_t nr_counted;
	uint64_t tables[PTAUDIT_NR_LEVELS];
	uint64_t bytes[PTAUDIT_NR_LEVELS];
	uint64_t nr_empty;
	uint64_t nr_deposited;
	uint64_t vmpte_bytes;
};

/**
 * struct ptu_export_report - all exported data
 * @by: label of the groups: "comm"
 * @source: source of the counts: "module", "bpf", "estimate", or "vmpte" if tables
 *	were not counted
 * @has_levels: tables were counted
 * @has_empty: tables without an entry were counted
 * @has_deposited: deposited tables were counted
 * @unfolded: [level] the level has tables
 * @groups: [nr_groups] in descending order of memory
 * @rest: sum of all other groups
 * @nr_rest: number of groups in @rest
 * @pagetables_bytes: PageTables of /proc/meminfo
 * @has_remainder: @remainder_bytes is known
 * @remainder_bytes: remainder as in `ptaudit system`
 * @end_s: end of the measurement, seconds since 1970
 * @took_s: duration of the measurement
 */
struct ptu_export_report {
	struct ptu_host host;
	const char *by;
	const char *source;
	bool has_levels;
	bool has_empty;
	bool has_deposited;
	bool unfolded[PTAUDIT_NR_LEVELS];
	struct ptu_export_group *groups;
	size_t nr_groups;
	struct ptu_export_group rest;
	size_t nr_rest;
	uint64_t pagetables_bytes;
	bool has_remainder;
	int64_t remainder_bytes;
	double end_s;
	double took_s;
};

/**
 * ptu_export_total() - Memory of all tables of a group, including deposited ones.
 * @page_bytes: (in) size of a deposited table
 */
uint64_t ptu_export_total(const struct ptu_export_group *group,
			  uint64_t page_bytes);

/**
 * ptu_export_add() - Add the figures of one group to another; the name is kept.
 */
void ptu_export_add(struct ptu_export_group *to,
		    const struct ptu_export_group *from);

/**
 * ptu_export_find() - Find the group with a name, or add it.
 *
 * Return: the group, valid until the next call; NULL if out of memory.
 */
struct ptu_export_group *ptu_export_find(struct ptu_export_report *report,
					 const char *name);

/**
 * ptu_export_limit() - Keep the groups with most memory; add up the others.
 * @limit: (in) number of groups to keep, 0: all
 */
void ptu_export_limit(struct ptu_export_report *report, size_t limit);

void ptu_export_report_deinit(struct ptu_export_report *report);

#endif
