// SPDX-License-Identifier: LGPL-2.1-or-later
/* Free the rows of a growth report. */
#include "report/growth.h"

#include <stdlib.h>

void ptu_growth_deinit(struct ptu_growth *growth)
{
	free(growth->rows);
	growth->rows = NULL;
	growth->nr_rows = 0;
}
