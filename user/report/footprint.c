// SPDX-License-Identifier: LGPL-2.1-or-later
/* Names of kinds of memory. */
#include "report/footprint.h"

const char *ptu_footprint_kind_name(enum ptu_footprint_kind kind)
{
	static const char *const names[] = {
		[PTU_FOOTPRINT_ANON] = "anon",
		[PTU_FOOTPRINT_FILE] = "file",
		[PTU_FOOTPRINT_SHMEM] = "shmem",
		[PTU_FOOTPRINT_HUGETLB] = "hugetlb",
	};

	return kind < PTU_NR_FOOTPRINT_KINDS ? names[kind] : "?";
}
