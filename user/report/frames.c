// SPDX-License-Identifier: LGPL-2.1-or-later
/* Names of rules for reference counts and for tail pages. */
#include "report/frames.h"

const char *ptu_kpagemap_count_name(enum ptu_kpagemap_count which)
{
	static const char *const names[PTU_KPAGEMAP_NR_COUNTS] = {
		[PTU_KPAGEMAP_MAPPED] = "mapped",
		[PTU_KPAGEMAP_BUDDY] = "buddy",
		[PTU_KPAGEMAP_TAIL] = "tail",
	};

	return names[which];
}

const char *ptu_kpagemap_tails_name(enum ptu_kpagemap_tails tails)
{
	switch (tails) {
	case PTU_KPAGEMAP_TAILS_OWN:
		return "own";
	case PTU_KPAGEMAP_TAILS_HEAD:
		return "head";
	case PTU_KPAGEMAP_TAILS_UNKNOWN:
		break;
	}
	return "unknown";
}
