/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Page tables of groups of processes, as numbers that are watched over time. */
#ifndef PTU_REPORT_EXPORT_H
#define PTU_REPORT_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/host.h"
#include "module/ptaudit_abi.h"

/**
 * struct ptu_export_group - some processes, each address space once
 * @name: of the group; of the rest: ""
 * @nr_processes: address spaces
 * @tables: [level] tables in the trees
 * @bytes: [level] their memory
 * @nr_empty: PTE tables without any entry
 * @nr_deposited: PTE tables deposited for huge pages
 * @vmpte_bytes: VmPTE of those whose tables were not counted; in nothing else
 */
struct ptu_export_group {
	char name[256];
	uint64_t nr_processes;
	uint64_t tables[PTAUDIT_NR_LEVELS];
	uint64_t bytes[PTAUDIT_NR_LEVELS];
	uint64_t nr_empty;
	uint64_t nr_deposited;
	uint64_t vmpte_bytes;
};

/**
 * struct ptu_export_report - what is exported
 * @by: label of the groups: "comm"
 * @source: who counted: "module", "bpf", "estimate"; "vmpte": nobody
 * @has_levels: tables were counted
 * @has_empty: and those without an entry
 * @has_deposited: and those that lie in no tree
 * @unfolded: [level] there are such tables
 * @groups: [nr_groups] most memory first
 * @rest: all others
 * @nr_rest: groups in @rest
 * @pagetables_bytes: PageTables of /proc/meminfo
 * @has_remainder: @remainder_bytes is known
 * @remainder_bytes: of `ptaudit system`
 * @end_s: when it was done, seconds since 1970
 * @took_s: how long it took
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
 * ptu_export_total() - Memory of all tables of a group, deposited ones too.
 * @page_bytes: (in) of a deposited table
 */
uint64_t ptu_export_total(const struct ptu_export_group *group,
			  uint64_t page_bytes);

/**
 * ptu_export_add() - Add one to the other; the name stays.
 */
void ptu_export_add(struct ptu_export_group *to,
		    const struct ptu_export_group *from);

/**
 * ptu_export_find() - The group of that name, made if it is not there.
 *
 * Return: it, valid until the next call; NULL: no memory.
 */
struct ptu_export_group *ptu_export_find(struct ptu_export_report *report,
					 const char *name);

/**
 * ptu_export_limit() - Keep the groups with most memory; add up the rest.
 * @limit: (in) groups at most, 0: all
 */
void ptu_export_limit(struct ptu_export_report *report, size_t limit);

void ptu_export_report_deinit(struct ptu_export_report *report);

#endif
