/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What `ptaudit flags` found out: all that its renderers see. */
#ifndef PTU_REPORT_FLAGS_H
#define PTU_REPORT_FLAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/page_flags.h"
#include "report/head.h"

/**
 * struct ptu_flag_group - the pages that have exactly these flags
 */
struct ptu_flag_group {
	uint64_t flags;
	uint64_t pages;
};

/**
 * struct ptu_flag_run - neighbouring pages that have the same flags
 * @start: first address
 * @end: end, exclusive
 */
struct ptu_flag_run {
	uint64_t start;
	uint64_t end;
	uint64_t flags;
};

/**
 * struct ptu_pageflags - what was counted
 * @pages: all
 * @groups: [nr_groups] ascending by flags; the sum of their pages is @pages
 * @by_bit: pages that have the flag
 * @with_runs: (in) keep @runs
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
 * struct ptu_flags_report - the flags of what a process maps
 * @ksm_is_anon: KSM stands at every anonymous page and tells nothing (6.12);
 *	the flags are shown as the kernel has them all the same
 */
struct ptu_flags_report {
	struct ptu_mapped_head head;
	struct ptu_pageflags counted;
	bool ksm_is_anon;
};

void ptu_pageflags_deinit(struct ptu_pageflags *counted);

#endif
