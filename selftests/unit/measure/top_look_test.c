// SPDX-License-Identifier: GPL-2.0-only
/* What top reports for a process that it cannot read. */
#include "measure/top_look.c"

#include "support/unit.h"

UNIT_TEST(reason_of_a_row_leaves_out_the_process_that_the_row_names)
{
	struct ptu_top_row row = { .pid = 42 };

	not_measured(&row, "process 42: its mappings changed");
	CHECK_STR(row.why, "its mappings changed: only VmPTE is known");
	not_measured(&row, "process 4: its mappings changed");
	CHECK_STR(row.why,
		  "process 4: its mappings changed: only VmPTE is known");
	not_measured(&row, "no permission to read its mappings");
	CHECK_STR(row.why,
		  "no permission to read its mappings: only VmPTE is known");
	CHECK_EQ(row.source, PTU_TOP_VMPTE);
}

UNIT_MAIN
