/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The result of `ptaudit flags`, the only input of its renderers. */
#ifndef PTU_REPORT_FLAGS_H
#define PTU_REPORT_FLAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/page_flags.h"
#include "report/head.h"

/**
 * struct ptu_flag_group - pages with exactly the same flags
 */
struct ptu_flag_group {
	uint64_t flags;
	uint64_t pages;
};

/**
 * struct ptu_flag_run - adjacent pages with the same flags
 * @start: first address
 * @end: end, exclusive
 */
struct ptu_flag_run {
	uint64_t start;
	uint64_t end;
	uint64_t flags;
};

/**
 * struct ptu_pageflags - counts of page flags
 * @pages: number of pages
 * @groups: [nr_groups] ascending by flags, after ptu_pageflags_sort() descending by pages;
 *	their pages add up to @pages
 * @by_bit: number of pages with the flag
 * @with_runs: (in) fill @runs
 * @runs: [nr_runs] ascending
 */
struct ptu_pageflags {
	uint64_t pages;
	struct ptu_flag_group *groups;
	size_t nr_groups;
	size_t groups_capacity;
	uint64_t by_bit[PTU_PAGEFLAGS_BITS];
	bool with_runs;
	struct ptu_flag_run *runs;
	size_t nr_runs;
	size_t runs_capacity;
};

/**
 * struct ptu_flags_report - flags of the pages that a process maps
 * @ksm_is_anon: the kernel sets KSM for every anonymous page (6.12), so the flag
 *	has no meaning; it is shown nevertheless
 */
struct ptu_flags_report {
	struct ptu_mapped_head head;
	struct ptu_pageflags counted;
	bool ksm_is_anon;
};

void ptu_pageflags_deinit(struct ptu_pageflags *counted);

#endif
