// SPDX-License-Identifier: LGPL-2.1-or-later
/* Names of page flags. */
#include "model/page_flags.h"

#include <stdio.h>
#include <string.h>

/*
 * Source: include/uapi/linux/kernel-page-flags.h for bits below 32,
 * include/linux/kernel-page-flags.h for the others, 6.1 to 7.3. Bit 34 was
 * MAPPEDTODISK up to 6.12; 7.2 has no bit 39.  ANON_EXCLUSIVE:
 * tools/mm/page-types.c (7.2).
 */
static const char *const names[PTU_PAGEFLAGS_BITS] = {
	[0] = "LOCKED",		[1] = "ERROR",		[2] = "REFERENCED",
	[3] = "UPTODATE",	[4] = "DIRTY",		[5] = "LRU",
	[6] = "ACTIVE",		[7] = "SLAB",		[8] = "WRITEBACK",
	[9] = "RECLAIM",	[10] = "BUDDY",		[11] = "MMAP",
	[12] = "ANON",		[13] = "SWAPCACHE",	[14] = "SWAPBACKED",
	[15] = "COMPOUND_HEAD", [16] = "COMPOUND_TAIL", [17] = "HUGE",
	[18] = "UNEVICTABLE",	[19] = "HWPOISON",	[20] = "NOPAGE",
	[21] = "KSM",		[22] = "THP",		[23] = "OFFLINE",
	[24] = "ZERO_PAGE",	[25] = "IDLE",		[26] = "PGTABLE",
	[32] = "RESERVED",	[33] = "MLOCKED",	[34] = "OWNER_2",
	[35] = "PRIVATE",	[36] = "PRIVATE_2",	[37] = "OWNER_PRIVATE",
	[38] = "ARCH",		[39] = "UNCACHED",	[40] = "SOFTDIRTY",
	[41] = "ARCH_2",	[42] = "ARCH_3",	[47] = "ANON_EXCLUSIVE",
};

const char *ptu_pageflag_name(unsigned int bit, char ret[PTU_PAGEFLAG_LEN])
{
	if (bit < PTU_PAGEFLAGS_BITS && names[bit])
		snprintf(ret, PTU_PAGEFLAG_LEN, "%s", names[bit]);
	else
		snprintf(ret, PTU_PAGEFLAG_LEN, "bit%u", bit);
	return ret;
}

const char *ptu_pageflags_format(uint64_t flags, char ret[PTU_PAGEFLAGS_LEN])
{
	char name[PTU_PAGEFLAG_LEN];
	size_t used = 0;
	unsigned int bit;

	strcpy(ret, "-");
	for (bit = 0; bit < PTU_PAGEFLAGS_BITS; bit++) {
		if (flags >> bit & 1)
			used += (size_t)snprintf(ret + used,
						 PTU_PAGEFLAGS_LEN - used,
						 "%s%s", used ? "," : "",
						 ptu_pageflag_name(bit, name));
	}
	return ret;
}
