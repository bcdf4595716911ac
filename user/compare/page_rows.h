/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Repeated measurements (brackets) of all mappings of a process: which mappings are
 * settled, and their sums.  Pure.
 */
#ifndef PTU_COMPARE_PAGE_ROWS_H
#define PTU_COMPARE_PAGE_ROWS_H

#include "compare/page_causes.h"
#include "report/pages.h"

/**
 * struct ptu_totals_mapping - the brackets of one mapping
 * @vma: index of the mapping
 * @before: the module's totals before /proc was read
 * @seen: /proc's totals
 * @after: the module's totals after /proc was read
 * @why: [total] result of the last bracket
 * @settled: nothing is unexplained: no other bracket is needed
 * @brackets: number of consecutive brackets with identical results so far
 * @last: the module's totals of the previous bracket
 * @last_seen: /proc's totals of the previous bracket
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
 * @vmas: with the fields of smaps
 * @mm: identity of its mm
 * @mappings: [nr]
 * @whole_before: the module's totals of the whole process before the last bracket
 * @whole_after: the same after the last bracket
 * @whole_sum: sum over all mappings in the last bracket during which nothing
 *	changed
 * @whole: totals of the whole process in that bracket
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
 * ptu_totals_settle() - Evaluate the last bracket of each mapping.
 *
 * Return: number of mappings that are not settled.
 */
size_t ptu_totals_settle(struct ptu_totals_set *set);

/**
 * ptu_totals_sum_up() - Compute rows, causes and differences of the process.
 * @ret: (in, out) .status becomes PTU_STATUS_UNSTABLE, with .error, if more than 5
 *	% of the pages (or 8, whichever is more) are in flux
 *
 * A difference that is not settled is unexplained if it was the same in the last
 * brackets, else in flux.
 */
void ptu_totals_sum_up(struct ptu_totals_set *set,
		       struct ptu_totals_process *ret);

#endif
