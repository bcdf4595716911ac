/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The columns of copies, of struct ptu_cow_row; the total has no end. */
#ifndef PTU_RENDER_COW_COLUMNS_H
#define PTU_RENDER_COW_COLUMNS_H

#include "render/cells.h"
#include "report/cow.h"

/* A column without a name ends the array. */
extern const struct ptu_grid_column ptu_cow_columns[];

/* The JSON members of a sum; a mapping has further members before them. */
#define PTU_COW_COUNTS \
	"PAGES,UNTOUCHED,ORIGINAL,COPIED,SHARED,SWAPPED,AMBIGUOUS,AMBIGUOUS-SWAPPED,MARKERS,DISAGREE"

#endif
