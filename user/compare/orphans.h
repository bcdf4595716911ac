/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lays the kernel's two walks side by side: `tables`, which goes where mappings
 * are, and `orphans`, which follows every entry of the user half.  Pure; says
 * on which tables they differ, gives no reasons.
 */
#ifndef PTU_COMPARE_ORPHANS_H
#define PTU_COMPARE_ORPHANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/geometry.h"
#include "model/kernel_tables.h"
#include "report/report.h"

/**
 * struct ptu_orphan - a table on which the walks differ
 * @start: first address that it maps
 * @level: enum ptaudit_level
 * @in_tables: the later walk by mappings has it
 * @in_orphans: the other walk has it; with @in_tables, in another page frame
 * @stable: both walks by mappings say the same of it
 * @outside: no mapping reaches it
 * @entries: that are used in it, as who has it says
 */
struct ptu_orphan {
	uint64_t start;
	uint8_t level;
	bool in_tables;
	bool in_orphans;
	bool stable;
	bool outside;
	uint16_t entries;
};

/**
 * struct ptu_orphans - the result of a comparison
 * @diffs: [nr_diffs] in the order of start, the higher level first
 * @matched: tables that both have, at the same place in the same page frame
 */
struct ptu_orphans {
	struct ptu_orphan *diffs;
	size_t nr_diffs;
	size_t capacity;
	uint64_t matched[PTAUDIT_NR_LEVELS];
};

/**
 * ptu_orphans_compare() - Find the differences.
 * @before: (in) `tables`, before @orphans was asked
 * @orphans: (in) `orphans`, of the same range
 * @after: (in) `tables`, behind it
 * @start: (in) only tables that map an address from here ...
 * @end: (in) ... to here, and nothing beyond; 0 and UINT64_MAX for all
 * @ret: (out) deinit with ptu_orphans_deinit()
 *
 * Where @orphans and @after agree, @before is not asked.
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_orphans_compare(const struct ptu_snapshot *before,
				       const struct ptu_snapshot *orphans,
				       const struct ptu_snapshot *after,
				       const struct ptu_geometry *geo,
				       uint64_t start, uint64_t end,
				       struct ptu_orphans *ret,
				       struct ptu_err *err);

/**
 * ptu_orphans_find() - The difference about one table, or NULL.
 */
const struct ptu_orphan *ptu_orphans_find(const struct ptu_orphans *orphans,
					  uint64_t start, unsigned int level);

/**
 * ptu_orphan_same() - Is it the same difference, seen once more?
 */
bool ptu_orphan_same(const struct ptu_orphan *a, const struct ptu_orphan *b);

void ptu_orphans_deinit(struct ptu_orphans *orphans);

#endif
