// SPDX-License-Identifier: GPL-2.0-only
/* Parses the text of maps and smaps. */
#include "model/maps.h"

#include <errno.h>
#include <stdlib.h>

#include "support/unit.h"

#define LINE "7f0000000000-7f0000400000 rw-p 00000000 00:00 0 \n"

/* One VMA of smaps in the format of 6.1, divided into the parts that tests replace. */
#define SIZE "Size:               4096 kB\n"
#define PAGE "KernelPageSize:        4 kB\n"
#define MMUPAGE "MMUPageSize:           4 kB\n"
#define RSS "Rss:                2052 kB\n"
#define PSS "Pss:                1026 kB\n"
#define MORE "Pss_Dirty:             0 kB\nShared_Clean:          0 kB\n"
#define HUGE "AnonHugePages:      2048 kB\n"
#define SHMEM "ShmemPmdMapped:     4096 kB\n"
#define FILES "FilePmdMapped:      6144 kB\n"
#define HUGETLB "Private_Hugetlb:       4 kB\n"
#define SWAP "Swap:                  8 kB\n"
#define SWAPPSS "SwapPss:               8 kB\n"
#define ELIGIBLE "THPeligible:           1\n"
#define FLAGS "VmFlags: rd wr mr mw me ac sd hg \n"
/* The fields after Rss that complete a mapping. */
#define REST PSS HUGE SHMEM FILES HUGETLB SWAP FLAGS
#define DETAILS                                                              \
	SIZE PAGE MMUPAGE RSS PSS MORE HUGE SHMEM FILES HUGETLB SWAP SWAPPSS \
		ELIGIBLE FLAGS

static void refused(const char *text, unsigned int line, int expected, int at)
{
	static const struct ptu_vmas untouched = { .nr_vmas = 77 };
	struct ptu_vmas vmas = untouched;
	struct ptu_err err = { 0 };
	char prefix[32];
	int error = ptu_maps_parse(text, &vmas, &err);

	snprintf(prefix, sizeof(prefix), "maps:%u: ", line);
	if (error != expected)
		UNIT_FAIL("case in line %d: returned %d, not %d", at, error,
			  expected);
	else if (strncmp(err.text, prefix, strlen(prefix)))
		UNIT_FAIL("case in line %d: \"%s\" does not start with \"%s\"",
			  at, err.text, prefix);
	else if (vmas.nr_vmas != 77)
		UNIT_FAIL("case in line %d: the refusal changed the result",
			  at);
	if (!error)
		ptu_vmas_deinit(&vmas);
}

#define REFUSED(text, line) refused(text, line, -EINVAL, __LINE__)
#define CHANGED(text, line) refused(text, line, -EAGAIN, __LINE__)

static void accepted(const char *text, size_t nr_vmas, int at)
{
	struct ptu_vmas vmas;
	struct ptu_err err = { 0 };

	if (ptu_maps_parse(text, &vmas, &err)) {
		UNIT_FAIL("case in line %d: refused: %s", at, err.text);
		return;
	}
	if (vmas.nr_vmas != nr_vmas)
		UNIT_FAIL("case in line %d: %zu mappings, not %zu", at,
			  vmas.nr_vmas, nr_vmas);
	ptu_vmas_deinit(&vmas);
}

#define ACCEPTED(text, nr_vmas) accepted(text, nr_vmas, __LINE__)

UNIT_TEST(each_field_of_maps_is_read)
{
	static const char text[] =
		"00000000-00001000 rw-p 00000000 00:00 0 \n"
		"555555554000-555555556000 r-xp 00002000 fe:01 1234567"
		"                    /usr/bin/my cat\n"
		"7ffff7fc1000-7ffff7fc3000 rw-s 00000000 00:01 8"
		"                          /dev/zero (deleted)\n"
		"7ffffffde000-7ffffffff000 ---p 00000000 00:00 0"
		"                          [stack]\n"
		"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0"
		"                  [vsyscall]\n";
	struct ptu_vmas vmas;

	CHECK_EQ(ptu_maps_parse(text, &vmas, NULL), 0);
	CHECK_EQ(vmas.nr_vmas, 5);
	CHECK_EQ(vmas.vmas[0].start, 0);
	CHECK_EQ(vmas.vmas[0].end, 0x1000);
	CHECK_STR(ptu_vma_path(&vmas, &vmas.vmas[0]), "");
	CHECK_EQ(vmas.vmas[1].start, 0x555555554000);
	CHECK_EQ(vmas.vmas[1].end, 0x555555556000);
	CHECK_EQ(vmas.vmas[1].offset_bytes, 0x2000);
	CHECK_EQ(vmas.vmas[1].inode, 1234567);
	CHECK_STR(vmas.vmas[1].perms, "r-xp");
	CHECK_STR(ptu_vma_path(&vmas, &vmas.vmas[1]), "/usr/bin/my cat");
	CHECK(!vmas.vmas[1].has_smaps);
	CHECK_STR(vmas.vmas[2].perms, "rw-s");
	CHECK_EQ(vmas.vmas[2].inode, 8);
	CHECK_STR(ptu_vma_path(&vmas, &vmas.vmas[2]), "/dev/zero (deleted)");
	CHECK_EQ(vmas.vmas[3].end, 0x7ffffffff000);
	CHECK_STR(vmas.vmas[3].perms, "---p");
	CHECK_STR(ptu_vma_path(&vmas, &vmas.vmas[3]), "[stack]");
	CHECK_EQ(vmas.vmas[4].start, 0xffffffffff600000);
	ptu_vmas_deinit(&vmas);
	CHECK_EQ(vmas.nr_vmas, 0);
}

UNIT_TEST(empty_text_has_no_mappings)
{
	ACCEPTED("", 0);
}

UNIT_TEST(addresses_above_47_bits_are_read)
{
	ACCEPTED("fffffffffd0000-fffffffffe0000 rw-p 00000000 00:00 0 \n"
		 "fffffffffe0000-ffffffffff0000 r--p 00000000 00:00 0 \n",
		 2);
}

UNIT_TEST(each_field_of_smaps_is_read)
{
	struct ptu_vmas vmas;

	CHECK_EQ(ptu_maps_parse(LINE DETAILS, &vmas, NULL), 0);
	CHECK_EQ(vmas.nr_vmas, 1);
	CHECK(vmas.vmas[0].has_smaps);
	CHECK_EQ(vmas.vmas[0].kernel_page_bytes, 0x1000);
	CHECK_EQ(vmas.vmas[0].rss_bytes, 0x201000);
	CHECK_EQ(vmas.vmas[0].pss_bytes, 0x100800);
	CHECK_EQ(vmas.vmas[0].swap_bytes, 0x2000);
	CHECK_EQ(vmas.vmas[0].huge_bytes, 0xc00000);
	CHECK_EQ(vmas.vmas[0].anon_huge_bytes, 0x200000);
	CHECK_EQ(vmas.vmas[0].private_hugetlb_bytes, 0x1000);
	CHECK_EQ(vmas.vmas[0].flags, PTU_VM_HUGE);
	ptu_vmas_deinit(&vmas);
}

UNIT_TEST(details_of_one_mapping_are_not_kept_for_the_next)
{
	static const char text[] = LINE DETAILS
		"7f0000400000-7f0000800000 rw-p 00000000 00:00 0 [heap]\n" SIZE
		"KernelPageSize:     2048 kB\n"
		"Rss: 0 kB\nPss: 0 kB\nSwap: 0 kB\nAnonHugePages: 0 kB\n"
		"ShmemPmdMapped: 0 kB\nFilePmdMapped: 0 kB\n"
		"Private_Hugetlb: 2048 kB\nVmFlags: ht\n";
	struct ptu_vmas vmas;

	CHECK_EQ(ptu_maps_parse(text, &vmas, NULL), 0);
	CHECK_EQ(vmas.nr_vmas, 2);
	CHECK_EQ(vmas.vmas[0].flags, PTU_VM_HUGE);
	CHECK_EQ(vmas.vmas[0].kernel_page_bytes, 0x1000);
	CHECK_EQ(vmas.vmas[1].flags, PTU_VM_HUGETLB);
	CHECK_EQ(vmas.vmas[1].kernel_page_bytes, 0x200000);
	CHECK_EQ(vmas.vmas[1].private_hugetlb_bytes, 0x200000);
	CHECK_EQ(vmas.vmas[1].rss_bytes, 0);
	CHECK_EQ(vmas.vmas[1].huge_bytes, 0);
	CHECK_STR(ptu_vma_path(&vmas, &vmas.vmas[1]), "[heap]");
	ptu_vmas_deinit(&vmas);
}

UNIT_TEST(details_are_taken_over_and_the_path_is_kept)
{
	static const char second[] =
		"7f0000400000-7f0000800000 rw-p 00000000 00:00 0 [heap]\n";
	char maps[256], text[sizeof(second) + sizeof(DETAILS)];
	struct ptu_vmas vmas, smaps;

	snprintf(maps, sizeof(maps), "%s%s",
		 "7f0000000000-7f0000400000 rw-p 00000000 08:01 7 /a/long/path\n",
		 second);
	snprintf(text, sizeof(text), "%s%s", second, DETAILS);
	CHECK_EQ(ptu_maps_parse(maps, &vmas, NULL), 0);
	CHECK_EQ(ptu_maps_parse(text, &smaps, NULL), 0);
	ptu_vmas_take_smaps(&vmas, &smaps);
	CHECK(!vmas.vmas[0].has_smaps);
	CHECK(vmas.vmas[1].has_smaps);
	CHECK_EQ(vmas.vmas[1].rss_bytes, 0x201000);
	/* the path is at another offset in the names of the other array */
	CHECK(vmas.vmas[1].path != smaps.vmas[0].path);
	CHECK_STR(ptu_vma_path(&vmas, &vmas.vmas[1]), "[heap]");
	ptu_vmas_deinit(&smaps);
	/* they stay if the same mappings are read without details */
	CHECK_EQ(ptu_maps_parse(maps, &smaps, NULL), 0);
	ptu_vmas_take_smaps(&vmas, &smaps);
	CHECK(vmas.vmas[1].has_smaps);
	ptu_vmas_deinit(&smaps);
	ptu_vmas_deinit(&vmas);
}

UNIT_TEST(each_flag_is_known_by_its_letters)
{
	static const struct {
		const char *letters;
		unsigned int flags;
	} cases[] = {
		{ "ht", PTU_VM_HUGETLB },
		{ "pf", PTU_VM_PFNMAP },
		{ "mm", PTU_VM_MIXEDMAP },
		{ "uw", PTU_VM_UFFD_WP },
		{ "sh", PTU_VM_SHARED },
		{ "ms", PTU_VM_MAYSHARE },
		{ "gu", PTU_VM_GUARD },
		{ "nh", PTU_VM_NOHUGE },
		{ "hg", PTU_VM_HUGE },
		{ "um", PTU_VM_UFFD },
		{ "ui", PTU_VM_UFFD },
		{ "ur", PTU_VM_UFFD },
		{ "rd wr ??", 0 },
		{ "", 0 },
		{ "lo", PTU_VM_LOCKED },
		{ "ht ms ", 0x21 },
		{ "rd mr mw me sl ", 0x800 },
	};
	char text[1024];
	struct ptu_vmas vmas;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(text, sizeof(text),
			 LINE SIZE PAGE RSS PSS HUGE SHMEM FILES HUGETLB SWAP
			 "VmFlags: %s\n",
			 cases[i].letters);
		CHECK_EQ(ptu_maps_parse(text, &vmas, NULL), 0);
		CHECK_EQ(vmas.vmas[0].flags, cases[i].flags);
		ptu_vmas_deinit(&vmas);
	}
}

UNIT_TEST(unknown_details_of_later_kernels_are_skipped)
{
	ACCEPTED(LINE DETAILS "Pss_Moonlit:          12 kB\n", 1);
	ACCEPTED(LINE DETAILS "Colour: light blue\n", 1);
	ACCEPTED(LINE "KSM: 0 kB\n" DETAILS, 1);
}

UNIT_TEST(malformed_mappings_are_refused)
{
	REFUSED("7f0000000000-7f0000400000 rw-p 00000000 00:00 0 ", 1);
	REFUSED("7f0000000000-7f0000400000\n", 1);
	REFUSED("\n", 1);
	REFUSED("hello\n", 1);
	REFUSED("7f0000000000 7f0000400000 rw-p 00000000 00:00 0 \n", 1);
	REFUSED("-7f0000400000 rw-p 00000000 00:00 0 \n", 1);
	REFUSED("7f0000000000- rw-p 00000000 00:00 0 \n", 1);
	REFUSED("7F0000000000-7f0000400000 rw-p 00000000 00:00 0 \n", 1);
	REFUSED("0x7f0000000000-7f0000400000 rw-p 00000000 00:00 0 \n", 1);
	REFUSED("7f0000000000-7f0000400000 rwp 00000000 00:00 0 \n", 1);
	REFUSED("7f0000000000-7f0000400000 wr-p 00000000 00:00 0 \n", 1);
	REFUSED("7f0000000000-7f0000400000 rw-x 00000000 00:00 0 \n", 1);
	REFUSED("7f0000000000-7f0000400000 rw-ps 00000000 00:00 0 \n", 1);
	REFUSED("7f0000000000-7f0000400000 rw-p 0000000g 00:00 0 \n", 1);
	REFUSED("7f0000000000-7f0000400000 rw-p 00000000 0000 0 \n", 1);
	REFUSED("7f0000000000-7f0000400000 rw-p 00000000 00: 0 \n", 1);
	REFUSED("7f0000000000-7f0000400000 rw-p 00000000 00:00 \n", 1);
	REFUSED("7f0000000000-7f0000400000 rw-p 00000000 00:00 0x\n", 1);
	REFUSED("7f0000000000-7f0000400000 rw-p 00000000 00:00 -1 \n", 1);
	/* 2^64 and more */
	REFUSED("7f0000000000-10000000000000000 rw-p 00000000 00:00 0 \n", 1);
	REFUSED("7f0000000000-7f0000400000 rw-p 0 0:0 18446744073709551616 \n",
		1);
	REFUSED(LINE "7f0000400000-7f0000500000 rw-q 00000000 00:00 0 \n", 2);
}

UNIT_TEST(empty_mappings_are_refused)
{
	REFUSED("7f0000000000-7f0000000000 rw-p 00000000 00:00 0 \n", 1);
	REFUSED("7f0000001000-7f0000000000 rw-p 00000000 00:00 0 \n", 1);
}

/* maps is read in pieces, and the mappings can change between two pieces. */
UNIT_TEST(disorder_and_overlap_ask_for_another_attempt)
{
	CHANGED(LINE "7f00003ff000-7f0000500000 rw-p 00000000 00:00 0 \n", 2);
	CHANGED(LINE LINE, 2);
	CHANGED(LINE "1000-2000 rw-p 00000000 00:00 0 \n", 2);
}

UNIT_TEST(malformed_details_are_refused)
{
	REFUSED(SIZE, 1);
	REFUSED(LINE SIZE PAGE RSS PSS HUGE SHMEM FILES HUGETLB SWAP FLAGS
		"what\n",
		12);
	REFUSED(LINE SIZE PAGE RSS PSS HUGE SHMEM FILES HUGETLB SWAP FLAGS
		": 1 kB\n",
		12);
	REFUSED(LINE SIZE PAGE RSS PSS HUGE SHMEM FILES HUGETLB SWAP FLAGS
		"New:\n",
		12);
	REFUSED(LINE SIZE PAGE RSS PSS HUGE SHMEM FILES HUGETLB SWAP FLAGS
		"A-b: 1\n",
		12);
	REFUSED(LINE SIZE PAGE "Rss: 8\n" REST, 4);
	REFUSED(LINE SIZE PAGE "Rss: 8 MB\n" REST, 4);
	REFUSED(LINE SIZE PAGE "Rss: 8  kB\n" REST, 4);
	REFUSED(LINE SIZE PAGE "Rss: 8 kB \n" REST, 4);
	REFUSED(LINE SIZE PAGE "Rss: kB\n" REST, 4);
	REFUSED(LINE SIZE PAGE "Rss: -8 kB\n" REST, 4);
	REFUSED(LINE SIZE PAGE "Rss: a8 kB\n" REST, 4);
	REFUSED(LINE SIZE PAGE "Rss: 18014398509481984 kB\n" REST, 4);
	REFUSED(LINE SIZE PAGE RSS RSS REST, 5);
	REFUSED(LINE DETAILS FLAGS, 17);
	REFUSED(LINE SIZE PAGE RSS PSS HUGE SHMEM FILES HUGETLB SWAP
		"VmFlags: r\n",
		11);
	REFUSED(LINE SIZE PAGE RSS PSS HUGE SHMEM FILES HUGETLB SWAP
		"VmFlags: rdwr\n",
		11);
	REFUSED(LINE SIZE PAGE RSS PSS HUGE SHMEM FILES HUGETLB SWAP
		"VmFlags: rd w\n",
		11);
}

UNIT_TEST(missing_required_details_are_refused)
{
	REFUSED(LINE PAGE RSS PSS HUGE SHMEM FILES HUGETLB SWAP FLAGS, 10);
	REFUSED(LINE SIZE RSS PSS HUGE SHMEM FILES HUGETLB SWAP FLAGS, 10);
	REFUSED(LINE SIZE PAGE PSS HUGE SHMEM FILES HUGETLB SWAP FLAGS, 10);
	REFUSED(LINE SIZE PAGE RSS HUGE SHMEM FILES HUGETLB SWAP FLAGS, 10);
	REFUSED(LINE SIZE PAGE RSS PSS SHMEM FILES HUGETLB SWAP FLAGS, 10);
	REFUSED(LINE SIZE PAGE RSS PSS HUGE FILES HUGETLB SWAP FLAGS, 10);
	REFUSED(LINE SIZE PAGE RSS PSS HUGE SHMEM HUGETLB SWAP FLAGS, 10);
	REFUSED(LINE SIZE PAGE RSS PSS HUGE SHMEM FILES HUGETLB FLAGS, 10);
	REFUSED(LINE SIZE PAGE RSS PSS HUGE SHMEM FILES HUGETLB SWAP, 10);
	REFUSED(LINE SIZE PAGE RSS PSS HUGE SHMEM FILES SWAP FLAGS, 10);
	ACCEPTED(LINE SIZE PAGE RSS PSS HUGE SHMEM FILES HUGETLB SWAP FLAGS, 1);
	/* the size of another mapping */
	REFUSED(LINE "Size: 4092 kB\n" PAGE RSS PSS HUGE SHMEM FILES HUGETLB
			SWAP FLAGS,
		11);
	REFUSED(LINE "Size: 4100 kB\n" PAGE RSS PSS HUGE SHMEM FILES HUGETLB
			SWAP FLAGS,
		11);
}

UNIT_TEST(details_of_only_some_mappings_are_refused)
{
	static const char next[] =
		"7f0000400000-7f0000800000 rw-p 00000000 00:00 0 \n";
	char text[2048];

	snprintf(text, sizeof(text), "%s%s", LINE DETAILS, next);
	REFUSED(text, 17);
	snprintf(text, sizeof(text), "%s%s%s", LINE, next, DETAILS);
	REFUSED(text, 17);
	snprintf(text, sizeof(text), "%s%s%s", LINE DETAILS, next, DETAILS);
	ACCEPTED(text, 2);
}

/* More mappings than the first hash table has slots; mapping i has path i % @nr_paths. */
static size_t many_lines(char *text, size_t text_bytes, unsigned int nr_vmas,
			 unsigned int nr_paths)
{
	size_t used = 0;

	for (unsigned int i = 0; i < nr_vmas; i++)
		used += (size_t)
			snprintf(text + used, text_bytes - used,
				 "%08x-%08x rw-p 00000000 00:00 7 /tmp/file%05u\n",
				 0x10000 + i * 0x1000, 0x11000 + i * 0x1000,
				 i % nr_paths);
	return used;
}

UNIT_TEST(each_path_is_kept_once)
{
	static const unsigned int nrs[] = { 1, 2, 33, 1000 };
	static char text[1 << 20];
	const size_t path_bytes = sizeof("/tmp/file00000");

	for (unsigned int n = 0; n < 4; n++) {
		struct ptu_vmas vmas;
		unsigned int nr_wrong = 0;

		many_lines(text, sizeof(text), 3000, nrs[n]);
		CHECK_EQ(ptu_maps_parse(text, &vmas, NULL), 0);
		CHECK_EQ(vmas.nr_vmas, 3000);
		/* plus the empty path */
		CHECK_EQ(vmas.names_bytes, 1 + nrs[n] * path_bytes);
		for (unsigned int i = 0; i < 3000; i++) {
			char path[32];

			snprintf(path, sizeof(path), "/tmp/file%05u",
				 i % nrs[n]);
			nr_wrong += strcmp(ptu_vma_path(&vmas, &vmas.vmas[i]),
					   path) != 0;
		}
		ptu_vmas_deinit(&vmas);
		CHECK_EQ(nr_wrong, 0);
	}
}

UNIT_TEST(path_with_another_path_as_prefix_is_kept_apart)
{
	static const char text[] =
		"00001000-00002000 rw-p 00000000 00:00 7 /tmp/ab\n"
		"00002000-00003000 rw-p 00000000 00:00 7 /tmp/a\n"
		"00003000-00004000 rw-p 00000000 00:00 7 /tmp/abc\n"
		"00004000-00005000 rw-p 00000000 00:00 0 \n";
	struct ptu_vmas vmas;

	CHECK_EQ(ptu_maps_parse(text, &vmas, NULL), 0);
	CHECK_STR(ptu_vma_path(&vmas, &vmas.vmas[0]), "/tmp/ab");
	CHECK_STR(ptu_vma_path(&vmas, &vmas.vmas[1]), "/tmp/a");
	CHECK_STR(ptu_vma_path(&vmas, &vmas.vmas[2]), "/tmp/abc");
	CHECK_STR(ptu_vma_path(&vmas, &vmas.vmas[3]), "");
	ptu_vmas_deinit(&vmas);
}

/* The text may be cut anywhere, between lines and inside them. */
UNIT_TEST(text_in_pieces_is_parsed_like_the_complete_text)
{
	static const char text[] = LINE DETAILS
		"7f0000400000-7f0000800000 rw-p 00000000 00:00 0 \n" DETAILS;
	const char *cut;

	for (cut = strchr(text, '\n'); cut; cut = strchr(cut + 1, '\n')) {
		struct ptu_maps_parser *parser = ptu_maps_begin();
		struct ptu_vmas vmas;
		char first[sizeof(text)];

		snprintf(first, sizeof(first), "%.*s", (int)(cut + 1 - text),
			 text);
		CHECK(parser);
		CHECK_EQ(ptu_maps_take(parser, first, NULL), 0);
		CHECK_EQ(ptu_maps_take(parser, cut + 1, NULL), 0);
		CHECK_EQ(ptu_maps_end(parser, &vmas, NULL), 0);
		CHECK_EQ(vmas.nr_vmas, 2);
		CHECK(vmas.vmas[0].has_smaps && vmas.vmas[1].has_smaps);
		ptu_vmas_deinit(&vmas);
	}
}

UNIT_TEST(line_numbers_continue_across_pieces)
{
	struct ptu_maps_parser *parser = ptu_maps_begin();
	struct ptu_err err = { "" };

	CHECK(parser);
	CHECK_EQ(ptu_maps_take(parser, LINE DETAILS, &err), 0);
	CHECK_EQ(ptu_maps_take(parser, "nonsense\n", &err), -EINVAL);
	CHECK(!strncmp(err.text, "maps:17: ", 9));
	ptu_maps_cancel(parser);
}

UNIT_TEST(lookup_finds_the_first_mapping_that_ends_above_an_address)
{
	static const char text[] = "00001000-00002000 rw-p 00000000 00:00 0 \n"
				   "00002000-00003000 r--p 00000000 00:00 0 \n"
				   "00005000-00006000 rw-p 00000000 00:00 0 \n";
	struct ptu_vmas vmas;

	CHECK_EQ(ptu_maps_parse(text, &vmas, NULL), 0);
	CHECK_EQ(ptu_vmas_find(&vmas, 0), 0);
	CHECK_EQ(ptu_vmas_find(&vmas, 0x1fff), 0);
	CHECK_EQ(ptu_vmas_find(&vmas, 0x2000), 1);
	CHECK_EQ(ptu_vmas_find(&vmas, 0x2fff), 1);
	CHECK_EQ(ptu_vmas_find(&vmas, 0x3000), 2);
	CHECK_EQ(ptu_vmas_find(&vmas, 0x5fff), 2);
	CHECK_EQ(ptu_vmas_find(&vmas, 0x6000), 3);
	CHECK_EQ(ptu_vmas_find(&vmas, UINT64_MAX), 3);
	ptu_vmas_deinit(&vmas);
}

/* Parse a copy of exact size: ASan then detects a read beyond it. */
static int parse_copy(const char *text, size_t bytes)
{
	char *copy = malloc(bytes + 1);
	struct ptu_vmas vmas;
	int error = -ENOMEM;

	if (copy) {
		memcpy(copy, text, bytes);
		copy[bytes] = '\0';
		error = ptu_maps_parse(copy, &vmas, NULL);
		if (!error)
			ptu_vmas_deinit(&vmas);
	}
	free(copy);
	return error;
}

static const char two_mappings[] = LINE DETAILS
	"7f0000400000-7f0000800000 r-xs 00001000 fe:01 99      /a b\n" DETAILS;

UNIT_TEST(truncated_text_is_refused)
{
	const size_t whole = sizeof(two_mappings) - 1;
	const size_t first = sizeof(LINE DETAILS) - 1;
	size_t bytes;

	for (bytes = 1; bytes < whole; bytes++) {
		/* complete after the last line of a mapping; LINE alone is a maps file */
		bool is_whole = bytes == first || bytes == sizeof(LINE) - 1;

		if (parse_copy(two_mappings, bytes) != (is_whole ? 0 : -EINVAL))
			UNIT_FAIL("the text of the first %zu bytes must be %s",
				  bytes, is_whole ? "accepted" : "refused");
	}
	CHECK_EQ(parse_copy(two_mappings, whole), 0);
}

UNIT_TEST(damaged_text_never_crashes)
{
	static const char bytes[] = "\n -:0f9ZkB\x01\xff\t";
	char text[sizeof(two_mappings)];
	size_t at;

	for (at = 0; at + 1 < sizeof(two_mappings); at++) {
		for (size_t i = 0; i + 1 < sizeof(bytes); i++) {
			int error;

			memcpy(text, two_mappings, sizeof(text));
			text[at] = bytes[i];
			error = parse_copy(text, sizeof(text) - 1);
			if (error && error != -EINVAL && error != -EAGAIN)
				UNIT_FAIL("byte %zu, damage %zu: returned %d",
					  at, i, error);
		}
	}
}

#define FIRST "10000000-10001000 r-xp 00000000 08:01 7 /a\n"
#define SECOND "10001000-10003000 rw-p 00000000 00:00 0\n"
#define VSYSCALL \
	"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]\n"

static bool is_same(const char *a, const char *b)
{
	struct ptu_vmas x = { 0 }, y = { 0 };
	bool ret = !ptu_maps_parse(a, &x, NULL) &&
		   !ptu_maps_parse(b, &y, NULL) && ptu_vmas_same(&x, &y);

	ptu_vmas_deinit(&x);
	ptu_vmas_deinit(&y);
	return ret;
}

UNIT_TEST(mappings_that_differ_only_in_name_or_vsyscall_are_equal)
{
	CHECK(is_same("", ""));
	CHECK(is_same(FIRST SECOND, FIRST SECOND));
	CHECK(is_same(FIRST SECOND VSYSCALL, FIRST SECOND));
	CHECK(is_same(FIRST, FIRST VSYSCALL));
	CHECK(is_same(FIRST, "10000000-10001000 r-xp 00000000 08:01 7 /b\n"));
}

UNIT_TEST(each_other_difference_makes_mappings_unequal)
{
	CHECK(!is_same(FIRST, FIRST SECOND));
	CHECK(!is_same(FIRST SECOND, SECOND));
	CHECK(!is_same(FIRST, "1000f000-10010000 r-xp 00000000 08:01 7\n"));
	CHECK(!is_same(FIRST, "10000000-10002000 r-xp 00000000 08:01 7\n"));
	CHECK(!is_same(FIRST, "10000000-10001000 r-xs 00000000 08:01 7\n"));
	CHECK(!is_same(FIRST, "10000000-10001000 r-xp 00000000 08:01 8\n"));
	CHECK(!is_same(FIRST, "10000000-10001000 r-xp 00000000 08:02 7\n"));
	CHECK(!is_same(FIRST, "10000000-10001000 r-xp 00001000 08:01 7\n"));
}

UNIT_MAIN
