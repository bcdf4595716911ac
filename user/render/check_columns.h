/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The columns of single tables and of causes, which follow the levels of a process. */
#ifndef PTU_RENDER_CHECK_COLUMNS_H
#define PTU_RENDER_CHECK_COLUMNS_H

#include "render/cells.h"
#include "report/report.h"

/* Each array ends with a column without a name; _MEMBERS are the JSON members, in order. */

/* of struct ptu_cause_row */
extern const struct ptu_grid_column ptu_cause_columns[];
#define PTU_CAUSE_MEMBERS "CAUSE,LEVEL,TABLES,SIZE,FROM,TO"

/* of struct ptu_unexplained */
extern const struct ptu_grid_column ptu_unexplained_columns[];
#define PTU_UNEXPLAINED_MEMBERS \
	"LEVEL,FROM,TO,SEEN BY,ENTRIES,WITHOUT CAUSE,LEAF,ESTIMATED"

/* of struct ptu_orphan_row */
extern const struct ptu_grid_column ptu_orphan_columns[];
#define PTU_ORPHAN_MEMBERS "LEVEL,FROM,TO,IN-TABLES,IN-ORPHANS,OUTSIDE,ENTRIES"

/* of struct ptu_shared */
extern const struct ptu_grid_column ptu_shared_columns[];
#define PTU_SHARED_MEMBERS "SHARED,FROM,TO,PFN,BY"

#endif
