/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes with most page-table memory and the reason, as data. */
#ifndef PTU_REPORT_TOP_H
#define PTU_REPORT_TOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "model/host.h"
#include "report/fill.h"

/* Source of the figures in a row. */
enum ptu_top_source {
	PTU_TOP_VMPTE, /* only VmPTE: its mappings were not read */
	PTU_TOP_ESTIMATE,
	PTU_TOP_BPF,
	PTU_TOP_MODULE,
	PTU_TOP_MIXED /* a group with several sources */
};

/**
 * struct ptu_top_row - a process, a group of them, or neighbouring mappings
 * @start_time: for a process, in clock ticks after boot
 * @name: for a group, its name; for mappings, their path or a word for their kind
 * @nr_processes: for a group
 * @start: for mappings, the first address
 * @end: for mappings, the end of the last one
 * @nr_mappings: for mappings, their number, with those that have no table
 * @mapped_bytes: for mappings, their size, without the gaps between them
 * @total_bytes: memory of the tables of all levels, deposited ones too
 * @has_empty: @empty_tables is known
 * @empty_tables: tables of all levels that hold nothing, or only such tables
 * @has_deposited: @deposited_tables is known
 * @deposited_tables: PTE tables deposited for huge pages
 * @fill: PTE tables by used entries
 * @leaves: for mappings: huge pages
 * @is_shared: for mappings: the first one is shared
 * @is_part: only part of the tables was examined, because time ran out
 * @why: a sentence
 */
struct ptu_top_row {
	pid_t pid;
	uid_t uid;
	uint64_t start_time;
	char comm[64];
	char name[256];
	size_t nr_processes;
	uint64_t start;
	uint64_t end;
	uint64_t nr_mappings;
	uint64_t mapped_bytes;
	uint64_t total_bytes;
	uint64_t vmpte_bytes;
	uint64_t rss_bytes;
	bool has_empty;
	uint64_t empty_tables;
	bool has_deposited;
	uint64_t deposited_tables;
	struct ptu_fill fill;
	uint64_t leaves;
	bool is_shared;
	enum ptu_top_source source;
	bool is_part;
	char why[384];
};

/* The kinds of rows. */
enum ptu_top_kind { PTU_TOP_PROCESSES, PTU_TOP_GROUPS, PTU_TOP_MAPPINGS };

struct ptu_top_report {
	struct ptu_host host;
	char boot_id[64];
	enum ptu_top_kind kind;
	const char *group; /* the rows are processes of this group, or NULL */
	struct ptu_top_row *rows; /* [nr_rows] in the displayed order */
	size_t nr_rows;
	size_t nr_all;		    /* number of rows without a limit */
	uint64_t all_bytes;	    /* VmPTE of all processes */
	struct ptu_top_row process; /* PTU_TOP_MAPPINGS: the process */
};

/**
 * ptu_top_source_name() - "vmpte", "estimate", "bpf", "module", "mixed".
 */
const char *ptu_top_source_name(enum ptu_top_source source);

/**
 * ptu_top_merge() - Add a process to its group.
 */
void ptu_top_merge(struct ptu_top_row *group, const struct ptu_top_row *row);

/**
 * ptu_top_order_name() - Name of the @i-th column by which rows can be sorted.
 *
 * Return: its name; NULL if there are no more.
 */
const char *ptu_top_order_name(enum ptu_top_kind kind, size_t i);

/**
 * ptu_top_order_counts() - Is the column known only after the tables were counted?
 */
bool ptu_top_order_counts(const char *column);

/**
 * ptu_top_order() - Sort rows, the worst first.
 * @column: (in) a name from ptu_top_order_name(), in any case
 *
 * Each column has a comparison function by_*().  Rows that it finds equal are sorted by
 * TOTAL, then by PID, mappings by START.
 *
 * Return: whether there is such a column.
 */
bool ptu_top_order(enum ptu_top_kind kind, struct ptu_top_row *rows,
		   size_t nr_rows, const char *column);

#endif
