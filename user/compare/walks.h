/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compare two walks of the kernel's tables: the module's `tables`, which visits
 * mappings, and a walk that follows every entry of the user half: the module's
 * `orphans`, or the walk by BPF.  Pure; finds differences, but not their causes.
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
 * @in_other: the other walk has it; with @in_tables, at another page frame or with
 *	other contents
 * @stable: both walks by mappings have the same record of it
 * @outside: no mapping is in its reach
 * @contents: both have it at the same page frame, but with other contents
 * @entries: its used entries; if both walks have it, those in the walk by mappings
 * @entries_other: its used entries in the other walk
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
 * struct ptu_walk_diffs - result of a comparison
 * @diffs: [nr_diffs] sorted by start, the higher level first
 * @matched: tables that both walks have at the same place and page frame
 */
struct ptu_walk_diffs {
	struct ptu_walk_diff *diffs;
	size_t nr_diffs;
	size_t capacity;
	uint64_t matched[PTAUDIT_NR_LEVELS];
};

/**
 * ptu_walks_compare() - Find the differences.
 * @before: (in) `tables`, read before @other
 * @other: (in) `orphans`, or the walk by BPF, of the same range
 * @after: (in) `tables`, read after @other
 * @start: (in) compare only tables that map an address from here ...
 * @end: (in) ... up to here, and nothing beyond; 0 and UINT64_MAX for all
 * @ret: (out) free with ptu_walks_deinit()
 *
 * If @other and @after both have a table, @before is not used.  For a walk by BPF,
 * entries, deposits and sharers are compared too, if they are the same in @before and
 * @after.
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
 * ptu_walks_find() - Find the difference of a table; NULL if there is none.
 */
const struct ptu_walk_diff *ptu_walks_find(const struct ptu_walk_diffs *diffs,
					   uint64_t start, unsigned int level);

/**
 * ptu_walk_diff_same() - Are these two observations of the same difference?
 */
bool ptu_walk_diff_same(const struct ptu_walk_diff *a,
			const struct ptu_walk_diff *b);

void ptu_walks_deinit(struct ptu_walk_diffs *diffs);

#endif
