/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What `ptaudit footprint` found out: all that its renderers see. */
#ifndef PTU_FOOTPRINT_REPORT_H
#define PTU_FOOTPRINT_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "compare/footprint.h"
#include "render/render.h"
#include "report/report.h"

/**
 * struct ptu_footprint_tables_sum - the page tables of one process, or of the set
 * @bytes: table memory: all of its tables, deposited ones too; without the
 *	module: VmPTE, the PGD and P4D tables; in the set each table once,
 *	without the module as often as VmPTE has it
 * @inside_bytes: of these: tables that only processes of the set share
 * @outside_bytes: tables that processes outside the set have, too
 */
struct ptu_footprint_tables_sum {
	uint64_t bytes;
	uint64_t inside_bytes;
	uint64_t outside_bytes;
};

/**
 * struct ptu_footprint_row - what one process takes
 * @same_as: a process above that has the same address space, 0: none
 * @ksm_unknown: kpageflags does not tell which pages KSM merged (6.12)
 * @kernel_rss_bytes: sum of Rss in smaps, read just before
 * @kernel_pss_bytes: sum of Pss in smaps
 * @kernel_swap_bytes: sum of Swap in smaps
 * @huge_bytes: AnonHugePages + ShmemPmdMapped + FilePmdMapped in smaps: mapped
 *	by huge entries
 */
struct ptu_footprint_row {
	struct ptu_footprint_sum sum;
	struct ptu_footprint_tables_sum tables;
	pid_t same_as;
	bool ksm_unknown;
	uint64_t kernel_rss_bytes;
	uint64_t kernel_pss_bytes;
	uint64_t kernel_swap_bytes;
	uint64_t huge_bytes;
};

/* What kpagecount says of the pages of a large folio. */
enum ptu_counts {
	PTU_COUNTS_UNKNOWN, /* no large folio could be had to try it on */
	PTU_COUNTS_EXACT,
	PTU_COUNTS_ROUNDED /* the average of all its pages */
};

/**
 * struct ptu_footprint_report - a set of processes
 * @base: who they are, and how it went; its tables with the module
 * @rows: [base.nr_processes]
 * @selection: "" for PIDs, else what was asked for, for people
 * @set: all as one
 * @tables: all as one
 * @by_module: the tables were counted by the module
 * @tables_note: else why not, a sentence
 * @ksm_unknown: as of the processes
 * @spaces_known: processes that share an address space were told
 */
struct ptu_footprint_report {
	struct ptu_report base;
	struct ptu_footprint_row *rows;
	char selection[512];
	struct ptu_footprint_sum set;
	struct ptu_footprint_tables_sum tables;
	bool by_module;
	char tables_note[PTU_ERR_LEN];
	enum ptu_counts counts;
	bool ksm_unknown;
	bool spaces_known;
};

/**
 * ptu_render_footprint_text() - A row a process, one for the set, and what it means.
 *
 * Return: 0; -EINVAL an unknown column; -EIO output failed; -ENOMEM.
 */
ptu_must_check int
ptu_render_footprint_text(const struct ptu_footprint_report *report,
			  const struct ptu_render_options *options, FILE *out,
			  struct ptu_err *err);

/**
 * ptu_render_footprint_check() - Would ptu_render_footprint_text() take the options?
 */
ptu_must_check int
ptu_render_footprint_check(const struct ptu_render_options *options,
			   struct ptu_err *err);

/**
 * ptu_render_footprint_columns() - The columns, a line each, for --help.
 */
void ptu_render_footprint_columns(FILE *out);

ptu_must_check int
ptu_render_footprint_json(const struct ptu_footprint_report *report, FILE *out,
			  struct ptu_err *err);

#endif
