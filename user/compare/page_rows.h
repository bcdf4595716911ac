/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Brackets of all mappings of a process: which are settled, and what they sum
 * up to.  Pure.
 */
#ifndef PTU_COMPARE_PAGE_ROWS_H
#define PTU_COMPARE_PAGE_ROWS_H

#include "compare/page_causes.h"
#include "report/pages.h"

/**
 * struct ptu_totals_mapping - the brackets around one mapping
 * @vma: its index
 * @before: the module's totals before /proc was read
 * @seen: what /proc said
 * @after: the module's totals afterwards
 * @why: of each total, from the last bracket
 * @settled: nothing is unexplained: it needs no other bracket
 * @brackets: how many in a row, up to now, said the very same
 * @last: of the bracket before: the module's totals
 * @last_seen: likewise, /proc's
 */
struct ptu_totals_mapping {
	size_t vma;
	struct ptu_totals before;
	struct ptu_seen seen;
	struct ptu_totals after;
	enum ptu_totals_why why[PTU_NR_TOTALS];
	bool settled;
	unsigned int brackets;
	struct ptu_totals last;
	uint64_t last_seen[PTU_NR_TOTALS];
};

/**
 * struct ptu_totals_set - all mappings of a process
 * @vmas: with what smaps says
 * @mm: its identity
 * @mappings: [nr]
 * @whole_before: the module's totals of the whole process before the last
 *	bracket
 * @whole_after: the same afterwards
 * @whole_sum: the sum over all mappings, of the last bracket in which all of
 *	them, and the whole, stood still
 * @whole: the whole in that bracket
 * @whole_checked: there was such a bracket
 */
struct ptu_totals_set {
	struct ptu_vmas vmas;
	uint64_t mm;
	struct ptu_totals_mapping *mappings;
	size_t nr;
	struct ptu_totals whole_before;
	struct ptu_totals whole_after;
	struct ptu_totals whole_sum;
	struct ptu_totals whole;
	bool whole_checked;
};

/**
 * ptu_totals_settle() - Judge the mappings that were bracketed.
 *
 * Return: how many are not settled.
 */
size_t ptu_totals_settle(struct ptu_totals_set *set);

/**
 * ptu_totals_sum_up() - Rows, causes and differences of the process.
 * @ret: (in, out) also .status: PTU_STATUS_UNSTABLE, with .error, if more than
 *	5 % of the pages (or 8, whichever is more) are in flux
 *
 * What is not settled is unexplained if the last brackets said the very same,
 * else it is in flux.
 */
void ptu_totals_sum_up(struct ptu_totals_set *set,
		       struct ptu_totals_process *ret);

#endif
