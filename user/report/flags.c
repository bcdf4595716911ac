// SPDX-License-Identifier: LGPL-2.1-or-later
/* Free a report on page flags. */
#include "report/flags.h"

#include <stdlib.h>
#include <string.h>

void ptu_pageflags_deinit(struct ptu_pageflags *counted)
{
	free(counted->groups);
	free(counted->runs);
	memset(counted, 0, sizeof(*counted));
}
