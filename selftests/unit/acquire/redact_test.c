// SPDX-License-Identifier: GPL-2.0-only
/* What redaction removes from a recording, and what it must keep. */
#include "acquire/redact.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/pagemap.h"
#include "module/ptaudit_abi.h"
#include "support/unit.h"

#define BLOCK UINT64_C(512)

static void check_maps(struct ptu_redact *redact, const char *text,
		       const char *expected)
{
	char *got;

	CHECK_EQ(ptu_redact_maps(redact, text, &got), 0);
	CHECK_STR(got, expected);
	free(got);
}

#define FIELDS " r--p 00001000 fd:00 4711      "

UNIT_TEST(each_path_has_a_number_of_its_own)
{
	struct ptu_redact redact = { .block_pages = BLOCK };

	check_maps(&redact,
		   "1000-2000" FIELDS "/usr/bin/cat\n"
		   "2000-3000" FIELDS "/home/a b/x (deleted)\n"
		   "3000-4000" FIELDS "/usr/bin/cat\n",
		   "1000-2000" FIELDS "/redacted/1\n"
		   "2000-3000" FIELDS "/redacted/2 (deleted)\n"
		   "3000-4000" FIELDS "/redacted/1\n");
	/* the same path in another file */
	check_maps(&redact, "a000-b000" FIELDS "/home/a b/x\n",
		   "a000-b000" FIELDS "/redacted/2\n");
	ptu_redact_deinit(&redact);
}

UNIT_TEST(names_of_the_kernel_and_figures_stay)
{
	static const char text[] =
		"1000-2000 rw-p 00000000 00:00 0 \n"
		"2000-3000 rw-p 00000000 00:00 0          [heap]\n"
		"3000-4000 r-xp 00000000 00:00 0          [vdso]\n"
		"Rss:                   4 kB\n"
		"VmFlags: rd wr mr mw me ac \n";
	struct ptu_redact redact = { .block_pages = BLOCK };

	check_maps(&redact, text, text);
	check_maps(&redact, "1000-2000" FIELDS "[anon:my arena]\n",
		   "1000-2000" FIELDS "[anon:1]\n");
	check_maps(&redact, "1000-2000" FIELDS "[anon_shmem:a]\n",
		   "1000-2000" FIELDS "[anon_shmem:2]\n");
	ptu_redact_deinit(&redact);
}

UNIT_TEST(kinds_of_shared_memory_stay)
{
	struct ptu_redact redact = { .block_pages = BLOCK };

	check_maps(&redact,
		   "1000-2000" FIELDS "/dev/zero (deleted)\n"
		   "2000-3000" FIELDS "/dev/zero\n"
		   "3000-4000" FIELDS "/anon_hugepage (deleted)\n"
		   "4000-5000" FIELDS "/memfd:secret (deleted)\n"
		   "5000-6000" FIELDS "/SYSV0052e2c1 (deleted)\n"
		   "6000-7000" FIELDS "/memfd:other (deleted)\n",
		   "1000-2000" FIELDS "/dev/zero (deleted)\n"
		   "2000-3000" FIELDS "/dev/zero\n"
		   "3000-4000" FIELDS "/anon_hugepage (deleted)\n"
		   "4000-5000" FIELDS "/memfd:1 (deleted)\n"
		   "5000-6000" FIELDS "/SYSV2 (deleted)\n"
		   "6000-7000" FIELDS "/memfd:3 (deleted)\n");
	/* paths that only begin like such a name */
	check_maps(&redact,
		   "1000-2000" FIELDS "/dev/zeroed\n"
		   "2000-3000" FIELDS "/dev/zer\n"
		   "3000-4000" FIELDS "/anon_hugepage/x\n",
		   "1000-2000" FIELDS "/redacted/4\n"
		   "2000-3000" FIELDS "/redacted/5\n"
		   "3000-4000" FIELDS "/redacted/6\n");
	ptu_redact_deinit(&redact);
}

UNIT_TEST(frames_keep_their_place_in_two_mib)
{
	struct ptu_redact redact = { .block_pages = BLOCK };
	uint64_t first = ptu_redact_pfn(&redact, 70 * BLOCK + 3);

	CHECK_EQ(ptu_redact_pfn(&redact, 0), 0);
	CHECK_EQ(first % BLOCK, 3);
	CHECK_EQ(ptu_redact_pfn(&redact, 70 * BLOCK + 4), first + 1);
	CHECK_EQ(ptu_redact_pfn(&redact, 70 * BLOCK + 3), first);
	/* the next block gets any other number, but not 0 */
	CHECK_EQ(ptu_redact_pfn(&redact, 9 * BLOCK), first - 3 + BLOCK);
	CHECK(first >= BLOCK);
	ptu_redact_deinit(&redact);
}

/* With pages of 16 KiB a PTE table has 2048 entries, and a huge page 32 MiB. */
UNIT_TEST(frames_keep_their_place_in_the_reach_of_a_table)
{
	struct ptu_redact redact = { .block_pages = 2048 };
	uint64_t other = ptu_redact_pfn(&redact, 7 * 2048 + 600), first;

	CHECK_EQ(other % 2048, 600);
	first = ptu_redact_pfn(&redact, 70 * 2048);
	CHECK_EQ(first % 2048, 0);
	CHECK(first && first != other - 600);
	for (uint64_t i = 1; i < 2048; i++)
		CHECK_EQ(ptu_redact_pfn(&redact, 70 * 2048 + i), first + i);
	ptu_redact_deinit(&redact);
}

UNIT_TEST(words_without_a_frame_stay)
{
	const uint64_t present = PTU_PM_PRESENT | PTU_PM_SOFT_DIRTY |
				 PTU_PM_FILE;
	const uint64_t swap = PTU_PM_SWAP | 0x12345;
	uint64_t words[] = { present | (70 * BLOCK + 3), swap,
			     PTU_PM_SWAP | PTU_PM_UFFD_WP, present, 0 };
	struct ptu_redact redact = { .block_pages = BLOCK };

	ptu_redact_pagemap(&redact, words, 5);
	CHECK_EQ(words[0], present | (BLOCK + 3));
	CHECK_EQ(words[1], swap);
	CHECK_EQ(words[2], PTU_PM_SWAP | PTU_PM_UFFD_WP);
	CHECK_EQ(words[3], present);
	CHECK_EQ(words[4], 0);
	ptu_redact_deinit(&redact);
}

UNIT_TEST(a_page_under_migration_gets_the_number_of_its_frame)
{
	const uint64_t type = 25; /* not a swap device */
	uint64_t words[] = { PTU_PM_PRESENT | (70 * BLOCK + 3),
			     PTU_PM_SWAP | (70 * BLOCK + 4) << 5 | type };
	struct ptu_redact redact = { .block_pages = BLOCK };

	ptu_redact_pagemap(&redact, words, 2);
	CHECK_EQ(words[0], PTU_PM_PRESENT | (BLOCK + 3));
	CHECK_EQ(words[1], PTU_PM_SWAP | (BLOCK + 4) << 5 | type);
	ptu_redact_deinit(&redact);
}

UNIT_TEST(tables_have_the_numbers_of_pages)
{
	struct {
		struct ptaudit_header header;
		struct ptaudit_table records[2];
	} walk = {
		.header = { .header_size = sizeof(walk.header),
			    .record_size = sizeof(walk.records[0]),
			    .nr_records = 2,
			    .mm = 0xa9de },
		.records = { { .start = 0x1000, .pfn = 70 * BLOCK, .used = 7 },
			     { .start = 0x2000, .pfn = 70 * BLOCK + 511 } },
	};
	struct ptu_redact redact = { .block_pages = BLOCK };

	CHECK_EQ(ptu_redact_pfn(&redact, 5 * BLOCK), BLOCK);
	CHECK_EQ(ptu_redact_walk(&redact, (char *)&walk, sizeof(walk)), 0);
	CHECK_EQ(walk.records[0].pfn, 2 * BLOCK);
	CHECK_EQ(walk.records[1].pfn, 2 * BLOCK + 511);
	CHECK_EQ(walk.records[0].start, 0x1000);
	CHECK_EQ(walk.records[0].used, 7);
	CHECK_EQ(walk.header.mm, 0xa9de);
	CHECK_EQ(ptu_redact_walk(&redact, (char *)&walk, 20), -EBADMSG);
	ptu_redact_deinit(&redact);
}

UNIT_MAIN
