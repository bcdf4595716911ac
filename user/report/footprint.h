/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The result of `ptaudit footprint`, the only input of its renderers. */
#ifndef PTU_REPORT_FOOTPRINT_H
#define PTU_REPORT_FOOTPRINT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "model/page.h"
#include "report/report.h"

/* Kinds of pages, as in the kernel's RssAnon, RssFile and RssShmem. */
enum ptu_footprint_kind {
	PTU_FOOTPRINT_ANON,
	PTU_FOOTPRINT_FILE,
	PTU_FOOTPRINT_SHMEM,
	PTU_FOOTPRINT_HUGETLB, /* not part of RSS */
	PTU_NR_FOOTPRINT_KINDS
};

/**
 * struct ptu_footprint_sum - memory of one process, or of the set
 * @rss_bytes: mapped pages; for a process each mapping counts, as in VmRSS; for the
 *	set each page counts once
 * @pss_bytes: the same, each mapping divided by the page's number of mappings
 * @uss_bytes: pages whose mappings are all here, each page once
 * @kinds: @rss_bytes by kind; hugetlb pages in addition
 * @pss_kinds: @pss_bytes by kind, each rounded down to a byte
 * @uss_kinds: @uss_bytes by kind; hugetlb pages in addition
 * @swap_bytes: swapped pages, by page-table entries; for the set each swap slot
 *	once
 * @large_bytes: part of @rss_bytes in large folios
 * @rounded_bytes: part of @large_bytes whose shares depend on rounded counts
 * @ksm_bytes: part of @rss_bytes merged by KSM
 * @hugetlb_unknown_bytes: hugetlb memory for which it is unknown whether other
 *	processes have it
 * @migrating_bytes: pages under migration or in device memory; not counted above
 * @over_bytes: for the set: part of @rss_bytes with more mappings found than the
 *	kernel counts, because mappings changed meanwhile
 * @grown_bytes: for the set: memory that is not in @uss_kinds, and whose map count rose
 *	meanwhile; the new mappings may be in processes of the set that were already read
 */
struct ptu_footprint_sum {
	uint64_t rss_bytes;
	uint64_t pss_bytes;
	uint64_t uss_bytes;
	uint64_t kinds[PTU_NR_FOOTPRINT_KINDS];
	uint64_t pss_kinds[PTU_NR_FOOTPRINT_KINDS];
	uint64_t uss_kinds[PTU_NR_FOOTPRINT_KINDS];
	uint64_t swap_bytes;
	uint64_t large_bytes;
	uint64_t rounded_bytes;
	uint64_t ksm_bytes;
	uint64_t hugetlb_unknown_bytes;
	uint64_t migrating_bytes;
	uint64_t over_bytes;
	uint64_t grown_bytes;
	/* fractions of @pss_bytes and @pss_kinds, in 2^-32 bytes */
	uint64_t pss_rest;
	uint64_t pss_rests[PTU_NR_FOOTPRINT_KINDS];
};

/**
 * struct ptu_footprint_tables_sum - page tables of one process, or of the set
 * @bytes: memory of all tables, including deposited ones; without the module: VmPTE
 *	plus the PGD and P4D tables. For the set each table counts once; without the
 *	module it counts as often as in VmPTE.
 * @inside_bytes: part of @bytes that is shared only within the set
 * @outside_bytes: part of @bytes that is shared with processes outside the set
 */
struct ptu_footprint_tables_sum {
	uint64_t bytes;
	uint64_t inside_bytes;
	uint64_t outside_bytes;
};

/**
 * struct ptu_footprint_row - memory of one process
 * @same_as: an earlier process with the same address space, 0: none
 * @ksm_unknown: kpageflags does not show which pages KSM merged (6.12)
 * @kernel_rss_bytes: sum of Rss in smaps, read just before
 * @kernel_pss_bytes: sum of Pss in smaps
 * @kernel_swap_bytes: sum of Swap in smaps
 * @huge_bytes: AnonHugePages + ShmemPmdMapped + FilePmdMapped in smaps: memory
 *	mapped by huge entries
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

/**
 * struct ptu_footprint_report - a set of processes
 * @base: the processes and their status; with the module also their tables
 * @rows: [base.nr_processes]
 * @selection: "" for PIDs, else the selection as text
 * @set: sum over the set
 * @tables: sum of the tables of the set
 * @by_module: the tables were counted by the module
 * @tables_note: otherwise the reason, a sentence
 * @ksm_unknown: as in the rows
 * @spaces_known: processes that share an address space were recognized
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

#endif
