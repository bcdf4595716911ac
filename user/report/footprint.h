/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What `ptaudit footprint` found out: all that its renderers see. */
#ifndef PTU_REPORT_FOOTPRINT_H
#define PTU_REPORT_FOOTPRINT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "report/report.h"

/* What a page is, as the kernel's RssAnon, RssFile and RssShmem divide them. */
enum ptu_footprint_kind {
	PTU_FOOTPRINT_ANON,
	PTU_FOOTPRINT_FILE,
	PTU_FOOTPRINT_SHMEM,
	PTU_FOOTPRINT_HUGETLB, /* in no RSS */
	PTU_NR_FOOTPRINT_KINDS
};

/**
 * struct ptu_footprint_sum - the memory of one process, or of the set
 * @rss_bytes: pages that are mapped; in a process each mapping counts, as in
 *	VmRSS, in the set each page once
 * @pss_bytes: the same, each mapping as its share of the page's mappings
 * @uss_bytes: pages of which all mappings lie here, each once
 * @kinds: @rss_bytes by kind; hugetlb beside it, likewise
 * @pss_kinds: @pss_bytes by kind, each short of it by less than a byte
 * @uss_kinds: @uss_bytes by kind; hugetlb beside it
 * @swap_bytes: pages swapped out, by entries of page tables; in the set each
 *	swap slot once
 * @large_bytes: of @rss_bytes: pages of large folios
 * @rounded_bytes: of @large_bytes: pages whose shares are by rounded counts
 * @ksm_bytes: of @rss_bytes: pages that KSM merged
 * @hugetlb_unknown_bytes: of hugetlb memory: whether others have it is not known
 * @migrating_bytes: pages that were just being migrated, or are a device's:
 *	nowhere else
 * @over_bytes: set: of @rss_bytes: pages seen in more mappings than the kernel
 *	counts, because they came and went meanwhile
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
	/* what @pss_bytes and @pss_kinds lack, in 2^-32 bytes */
	uint64_t pss_rest;
	uint64_t pss_rests[PTU_NR_FOOTPRINT_KINDS];
};

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

#endif
