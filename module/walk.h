/* SPDX-License-Identifier: GPL-2.0-only */
/* Descends through the page tables of an mm and counts; no text, no requests. */
#ifndef PTA_WALK_H
#define PTA_WALK_H

#include <linux/mm_types.h>

#include "pages.h"
#include "ptaudit_abi.h"
#include "store.h"

/**
 * struct pta_request - what is to be walked
 * @start: first address, a multiple of PMD_SIZE
 * @end: end of the range, likewise; the whole user half ends at
 *	pta_user_end()
 * @counts_only: look into no PTE table and keep no records
 * @pages: count in here what is mapped, too; goes with @counts_only, though PTE
 *	tables are looked into then; NULL: not asked for
 * @orphans: follow each entry, whether a VMA covers it or not: pta_orphans()
 */
struct pta_request {
	unsigned long start;
	unsigned long end;
	bool counts_only;
	bool orphans;
	struct pta_pages *pages;
};

/**
 * struct pta_counts - tables and leaves by level
 * @tables: [level], the unit is tables
 * @leaves: [level of the table they lie in], the unit is entries
 * @deposited: PTE tables deposited for huge leaves
 */
struct pta_counts {
	u64 tables[PTAUDIT_NR_LEVELS];
	u64 leaves[PTAUDIT_NR_LEVELS];
	u64 deposited;
};

int pta_walk(struct mm_struct *mm, const struct pta_request *request,
	     struct ptaudit_header *header, struct pta_counts *counts,
	     struct pta_store *store);
int pta_walk_ldt(struct mm_struct *mm, const struct pta_request *request,
		 struct pta_counts *counts, struct pta_store *store,
		 struct ptaudit_table *pgd);

#endif
