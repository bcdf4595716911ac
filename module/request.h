/* SPDX-License-Identifier: GPL-2.0-only */
/* The request of a walk, and its counts. */
#ifndef PTA_REQUEST_H
#define PTA_REQUEST_H

#include <linux/types.h>

#include "pages.h"
#include "ptaudit_abi.h"

/**
 * enum pta_answer - the files that answer a request
 * @PTA_COUNTS: tables by level; reads no PTE table
 * @PTA_TABLES: a record for each table
 * @PTA_ORPHANS: the same by pta_orphans(), which follows each entry, even outside VMAs
 * @PTA_PAGES: the pages that entries map
 */
enum pta_answer { PTA_COUNTS, PTA_TABLES, PTA_ORPHANS, PTA_PAGES };

/**
 * struct pta_request - what to walk
 * @answer: the kind of answer
 * @start: start of the range, a multiple of PMD_SIZE
 * @end: end of the range, a multiple of PMD_SIZE; pta_user_end() for the whole
 *	user half
 * @pages: (out) for PTA_PAGES: the totals; the caller sets its range
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
 * @tables: [level] number of tables
 * @leaves: [level of the containing table] number of entries
 * @deposited: PTE tables deposited for huge leaves
 */
struct pta_counts {
	u64 tables[PTAUDIT_NR_LEVELS];
	u64 leaves[PTAUDIT_NR_LEVELS];
	u64 deposited;
};

#endif
