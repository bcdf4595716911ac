// SPDX-License-Identifier: GPL-2.0-only
/* Parses the counters of the kernel's files. */
#include "model/meminfo.h"

#include <errno.h>
#include <stdlib.h>

#include "support/unit.h"

UNIT_TEST(a_line_of_meminfo_is_found_by_its_whole_name)
{
	const char *text = "MemTotal:  100 kB\nSecPageTables:  8 kB\n"
			   "PageTables:         9384 kB\nKReclaimable: 1 kB\n";
	uint64_t bytes = 5;

	CHECK(ptu_meminfo_bytes(text, "PageTables", &bytes));
	CHECK_EQ(bytes, 9384 * 1024);
	CHECK(!ptu_meminfo_bytes(text, "PageTable", &bytes));
	CHECK(!ptu_meminfo_bytes("PageTables: 7\n", "PageTables", &bytes));
	CHECK(ptu_meminfo_bytes("Active(anon): 1 kB\nActive: 2 kB\n", "Active",
				&bytes));
	CHECK_EQ(bytes, 2 * 1024);
	bytes = 9384 * 1024;
	CHECK(!ptu_meminfo_bytes("", "PageTables", &bytes));
	CHECK_EQ(bytes, 9384 * 1024);
}

UNIT_TEST(a_line_of_a_node_is_found_behind_its_prefix)
{
	const char *text = "Node 12 MemTotal:  100 kB\n"
			   "Node 12 PageTables:      3 kB\n";
	uint64_t bytes;

	CHECK(ptu_meminfo_bytes(text, "PageTables", &bytes));
	CHECK_EQ(bytes, 3 * 1024);
}

UNIT_TEST(a_line_of_memory_stat_is_found_by_its_whole_name)
{
	const char *text = "anon 4096\nsec_pagetables 1\npagetables 8192\n";
	uint64_t bytes = 5;

	CHECK(ptu_memory_stat_bytes(text, "pagetables", &bytes));
	CHECK_EQ(bytes, 8192);
	CHECK(!ptu_memory_stat_bytes("sec_pagetables 1\n", "pagetables",
				     &bytes));
	CHECK_EQ(bytes, 8192);
	CHECK(ptu_memory_stat_bytes("file_mapped 1\nfile 2\n", "file", &bytes));
	CHECK_EQ(bytes, 2);
}

UNIT_TEST(zones_that_span_frames_have_their_node)
{
	const char *text = "Node 0, zone      DMA\n"
			   "  pages free     3840\n"
			   "        spanned  4095\n"
			   "        present  3998\n"
			   "  start_pfn:           1\n"
			   "Node 0, zone  Movable\n"
			   "        spanned  0\n"
			   "  start_pfn:           0\n"
			   "Node 1, zone   Normal\n"
			   "        spanned  256\n"
			   "  start_pfn:           1048576\n";
	struct ptu_node_span *spans = NULL;
	size_t nr = 0;

	CHECK_EQ(ptu_node_spans(text, &spans, &nr), 0);
	CHECK_EQ(nr, 2);
	CHECK_EQ(spans[0].start, 1);
	CHECK_EQ(spans[0].end, 4096);
	CHECK_EQ(spans[0].node, 0);
	CHECK_EQ(spans[1].start, 1048576);
	CHECK_EQ(spans[1].end, 1048832);
	CHECK_EQ(spans[1].node, 1);
	free(spans);
	CHECK_EQ(ptu_node_spans("", &spans, &nr), -EBADMSG);
}

UNIT_MAIN
