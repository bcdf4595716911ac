/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables that came and went between two looks at a process, as data. */
#ifndef PTU_REPORT_GROWTH_H
#define PTU_REPORT_GROWTH_H

#include <stddef.h>
#include <stdint.h>

#include "model/geometry.h"

/**
 * struct ptu_growth_row - what came and went with neighbouring mappings of one name
 * @start: first address
 * @end: end of the last of them
 * @name: as maps has it, or a word for what they are
 * @came: tables by level
 * @went: likewise
 * @bytes: memory of @came without that of @went
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
 * struct ptu_growth - what came and went in all
 * @before: tables by level
 * @after: likewise
 * @came: in @after and not in @before
 * @went: in @before and not in @after
 * @rows: [nr_rows] the PGD aside they add up to @came and @went; the one that grew
 *	most comes first
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
