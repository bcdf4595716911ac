/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lays two walks of the kernel's tables side by side: the module's `tables`, which
 * goes where mappings are, and another one, which follows every entry of the user
 * half: the module's `orphans`, or the walk by BPF.  Pure; says on which tables
 * they differ, gives no reasons.
 */
#ifndef PTU_COMPARE_WALKS_H
#define PTU_COMPARE_WALKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/geometry.h"
#include "model/kernel_tables.h"
#include "report/report.h"

/**
 * struct ptu_walk_diff - a table on which the walks differ
 * @start: first address that it maps
 * @level: enum ptaudit_level
 * @in_tables: the later walk by mappings has it
 * @in_other: the other walk has it; with @in_tables, in another page frame or
 *	with other contents
 * @stable: both walks by mappings say the same of it
 * @outside: no mapping reaches it
 * @contents: both have it in the same page frame, but with other contents
 * @entries: that are used in it, as who has it says, the walk by mappings if both
 * @entries_other: likewise, as the other walk says
 */
struct ptu_walk_diff {
	uint64_t start;
	uint8_t level;
	bool in_tables;
	bool in_other;
	bool stable;
	bool outside;
	bool contents;
	uint16_t entries;
	uint16_t entries_other;
};

/**
 * struct ptu_walk_diffs - the result of a comparison
 * @diffs: [nr_diffs] in the order of start, the higher level first
 * @matched: tables that both have, at the same place in the same page frame
 */
struct ptu_walk_diffs {
	struct ptu_walk_diff *diffs;
	size_t nr_diffs;
	size_t capacity;
	uint64_t matched[PTAUDIT_NR_LEVELS];
};

/**
 * ptu_walks_compare() - Find the differences.
 * @before: (in) `tables`, before @other was asked
 * @other: (in) `orphans`, or the walk by BPF, of the same range
 * @after: (in) `tables`, behind it
 * @start: (in) only tables that map an address from here ...
 * @end: (in) ... to here, and nothing beyond; 0 and UINT64_MAX for all
 * @ret: (out) deinit with ptu_walks_deinit()
 *
 * Where @other and @after agree that a table is there, @before is not asked.  What
 * a walk by BPF says of its entries, deposits and sharers is compared, too, where
 * @before and @after say the same of them.
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_walks_compare(const struct ptu_snapshot *before,
				     const struct ptu_snapshot *other,
				     const struct ptu_snapshot *after,
				     const struct ptu_geometry *geo,
				     uint64_t start, uint64_t end,
				     struct ptu_walk_diffs *ret,
				     struct ptu_err *err);

/**
 * ptu_walks_find() - The difference about one table, or NULL.
 */
const struct ptu_walk_diff *ptu_walks_find(const struct ptu_walk_diffs *diffs,
					   uint64_t start, unsigned int level);

/**
 * ptu_walk_diff_same() - Is it the same difference, seen once more?
 */
bool ptu_walk_diff_same(const struct ptu_walk_diff *a,
			const struct ptu_walk_diff *b);

void ptu_walks_deinit(struct ptu_walk_diffs *diffs);

#endif
