// SPDX-License-Identifier: GPL-2.0-only
/* Does MADV_DONTNEED free tables on this kernel?  The test tries it with many tables. */
#include "acquire/collapse.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "acquire/file.h"
#include "model/meminfo.h"
#include "support/unit.h"

#define SLOT ((size_t)2 << 20)
#define NR_SLOTS 64

static uint64_t vmpte_bytes(void)
{
	uint64_t ret = 0;
	char *text;

	if (ptu_file_read(AT_FDCWD, "/proc/self/status", 0, &text))
		return 0;
	ptu_meminfo_bytes(text, "VmPTE", &ret);
	free(text);
	return ret;
}

UNIT_TEST(madvise_frees_tables_here_or_not)
{
	struct ptu_err err = { "" };
	uint64_t before, after;
	char *area = mmap(NULL, NR_SLOTS * SLOT, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	bool goes;

	CHECK(area != MAP_FAILED);
	madvise(area, NR_SLOTS * SLOT, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < NR_SLOTS; i++)
		area[i * SLOT] = 1;
	before = vmpte_bytes();
	CHECK_EQ(madvise(area, NR_SLOTS * SLOT, MADV_DONTNEED), 0);
	after = vmpte_bytes();
	CHECK(before && after);
	/* all tables but those at both ends, or none; reading may need a few new ones */
	goes = after + NR_SLOTS / 2 * 4096 < before;
	CHECK_EQ(ptu_collapse_madvise_frees(&err), goes);
	CHECK_STR(ptu_collapse_record(),
		  goes ? "madvise_frees 1\n" : "madvise_frees 0\n");
	munmap(area, NR_SLOTS * SLOT);
}

UNIT_MAIN
