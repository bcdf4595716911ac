/* SPDX-License-Identifier: GPL-2.0-only */
/* What a walk is asked for, and what it counts. */
#ifndef PTA_REQUEST_H
#define PTA_REQUEST_H

#include <linux/types.h>

#include "pages.h"
#include "ptaudit_abi.h"

/**
 * enum pta_answer - the files that answer a request
 * @PTA_COUNTS: tables by level; looks into no PTE table
 * @PTA_TABLES: a record for each table
 * @PTA_ORPHANS: the same by pta_orphans(), which follows each entry, whether a VMA
 *	covers it or not
 * @PTA_PAGES: what the entries map
 */
enum pta_answer { PTA_COUNTS, PTA_TABLES, PTA_ORPHANS, PTA_PAGES };

/**
 * struct pta_request - what is to be walked
 * @answer: what for
 * @start: first address, a multiple of PMD_SIZE
 * @end: end of the range, likewise; the whole user half ends at
 *	pta_user_end()
 * @pages: (out) for PTA_PAGES: the totals; its range is set by the caller
 */
struct pta_request {
	enum pta_answer answer;
	unsigned long start;
	unsigned long end;
	struct pta_pages *pages;
};

/**
 * pta_keeps_records() - Does the answer consist of records?
 * @request: the request
 */
static inline bool pta_keeps_records(const struct pta_request *request)
{
	return request->answer == PTA_TABLES || request->answer == PTA_ORPHANS;
}

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

#endif
