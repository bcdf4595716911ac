/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables of a process that were added and freed between two moments, as data. */
#ifndef PTU_REPORT_GROWTH_H
#define PTU_REPORT_GROWTH_H

#include <stddef.h>
#include <stdint.h>

#include "model/geometry.h"

/**
 * struct ptu_growth_row - changes in adjacent mappings with the same name
 * @start: first address
 * @end: end of the last mapping
 * @name: name as in maps, or a word for the kind of mapping
 * @came: [level] added tables
 * @went: [level] freed tables
 * @bytes: memory of @came minus memory of @went
 */
struct ptu_growth_row {
	uint64_t start;
	uint64_t end;
	char name[256];
	uint64_t came[PTAUDIT_NR_LEVELS];
	uint64_t went[PTAUDIT_NR_LEVELS];
	int64_t bytes;
};

/**
 * struct ptu_growth - all changes
 * @before: [level] tables before
 * @after: [level] tables after
 * @came: [level] in @after, not in @before
 * @went: [level] in @before, not in @after
 * @rows: [nr_rows] they add up to @came and @went, except the PGD; in descending order
 *	of growth
 */
struct ptu_growth {
	uint64_t before[PTAUDIT_NR_LEVELS];
	uint64_t after[PTAUDIT_NR_LEVELS];
	uint64_t came[PTAUDIT_NR_LEVELS];
	uint64_t went[PTAUDIT_NR_LEVELS];
	struct ptu_growth_row *rows;
	size_t nr_rows;
};

void ptu_growth_deinit(struct ptu_growth *growth);

#endif
