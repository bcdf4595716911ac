// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables of the system: each page frame counts once, and only frames that the kernel
 * counts.
 */
#include "compare/system.h"
#include "compare/system_cgroups.h"

#include <errno.h>

#include "model/page_flags.h"
#include "support/build.h"
#include "support/unit.h"

#define PAGE UINT64_C(4096)
#define A UINT64_C(0x7f0000000000)

static struct ptu_system_report report;
static struct ptu_system_tally tally;

static void set_up(void)
{
	report = (struct ptu_system_report){ 0 };
	tally = (struct ptu_system_tally){ .page_bytes = PAGE,
					   .report = &report };
}

static void tear_down(void)
{
	ptu_system_tally_deinit(&tally);
}

static void count(uint64_t pfn)
{
	if (ptu_frame_set_add(&tally.counted, pfn))
		UNIT_FAIL("cannot add the frame to the set");
}

/* One tree of four levels: two PTE tables, a huge leaf and its deposited table. */
static struct ptu_snapshot process(bool pti, uint64_t pmd_pfn, uint64_t pgd_pfn)
{
	struct ptu_snapshot snapshot;
	struct ptaudit_table *pmd;
	struct build b;

	build_init(&b, 4, pti);
	build_pte(&b, A, 1)->pfn = pgd_pfn + 101;
	build_pte(&b, A + 2 * MIB, 1)->pfn = pgd_pfn + 102;
	pmd = build_entries(&b, PTAUDIT_PMD, A + 4 * MIB, 1, PTAUDIT_K_LEAF, 0);
	pmd->pfn = pmd_pfn;
	pmd->deposited = 1;
	build_table(&b, PTAUDIT_PUD, A)->pfn = pgd_pfn + 103;
	build_table(&b, PTAUDIT_PGD, A)->pfn = pgd_pfn;
	snapshot = build_snapshot(&b);
	build_deinit(&b);
	return snapshot;
}

static int add(bool pti, uint64_t pmd_pfn, uint64_t pgd_pfn)
{
	struct ptu_snapshot snapshot = process(pti, pmd_pfn, pgd_pfn);
	int ret = ptu_system_add_process(&tally, &snapshot);

	ptu_snapshot_deinit(&snapshot);
	return ret;
}

/* 6.1 counts PTE and PMD tables. */
UNIT_TEST(only_counted_levels_are_in_parts)
{
	count(1101);
	count(1102);
	count(500);
	CHECK_EQ(add(false, 500, 1000), 0);
	CHECK_EQ(report.parts[PTAUDIT_PTE], 2 * PAGE);
	CHECK_EQ(report.parts[PTAUDIT_PMD], PAGE);
	CHECK_EQ(report.parts[PTAUDIT_PUD], 0);
	CHECK_EQ(report.parts[PTAUDIT_PGD], 0);
	CHECK_EQ(report.parts[PTU_SYSTEM_DEPOSITED], PAGE);
	CHECK_EQ(report.uncounted_bytes[PTAUDIT_PUD], PAGE);
	CHECK_EQ(report.uncounted_bytes[PTAUDIT_PGD], PAGE);
	CHECK(ptu_system_is_uncounted(&report, PTAUDIT_PUD));
	CHECK(!ptu_system_is_uncounted(&report, PTAUDIT_PTE));
	CHECK_EQ(ptu_system_accounted(&report), 4 * PAGE);
	report.pagetables_bytes = 3 * PAGE;
	CHECK(ptu_system_remainder(&report) == -(int64_t)PAGE);
	report.pagetables_bytes = 9 * PAGE;
	CHECK(ptu_system_remainder(&report) == 5 * (int64_t)PAGE);
}

/* A PGD of two pages; 7.2 counts both. */
UNIT_TEST(both_pages_of_a_pgd_are_counted)
{
	count(1000);
	count(1001);
	CHECK_EQ(add(true, 500, 1000), 0);
	CHECK_EQ(report.parts[PTAUDIT_PGD], 2 * PAGE);
	CHECK_EQ(report.uncounted_bytes[PTAUDIT_PGD], 0);
	CHECK_EQ(report.uncounted_bytes[PTAUDIT_PTE], 2 * PAGE);
}

UNIT_TEST(an_address_space_is_added_once)
{
	count(1101);
	CHECK_EQ(add(false, 500, 1000), 0);
	CHECK_EQ(add(false, 500, 1000), 1);
	CHECK_EQ(report.parts[PTAUDIT_PTE], PAGE);
	CHECK_EQ(report.parts[PTU_SYSTEM_DEPOSITED], PAGE);
	CHECK_EQ(report.uncounted_bytes[PTAUDIT_PUD], PAGE);
	CHECK_EQ(report.shared_bytes, 0);
}

/* Another process shares the PMD table: its deposited table must not count twice. */
UNIT_TEST(a_shared_table_is_added_once)
{
	count(500);
	CHECK_EQ(add(false, 500, 1000), 0);
	CHECK_EQ(add(false, 500, 2000), 0);
	CHECK_EQ(report.parts[PTAUDIT_PMD], PAGE);
	CHECK_EQ(report.parts[PTU_SYSTEM_DEPOSITED], PAGE);
	CHECK_EQ(report.shared_bytes, PAGE);
	CHECK_EQ(report.uncounted_bytes[PTAUDIT_PTE], 4 * PAGE);
}

UNIT_TEST(a_table_of_the_kernel_is_added_once)
{
	count(7);
	CHECK_EQ(ptu_system_add_table(&tally, PTU_SYSTEM_KERNEL, PTAUDIT_PMD, 7,
				      1),
		 0);
	CHECK_EQ(ptu_system_add_table(&tally, PTU_SYSTEM_KERNEL, PTAUDIT_PMD, 7,
				      1),
		 1);
	/* allocated at boot: not counted, and no sign that processes miss a level */
	CHECK_EQ(ptu_system_add_table(&tally, PTU_SYSTEM_KERNEL, PTAUDIT_PUD, 8,
				      1),
		 0);
	CHECK_EQ(report.parts[PTU_SYSTEM_KERNEL], PAGE);
	CHECK_EQ(report.uncounted_bytes[PTAUDIT_PUD], 0);
	CHECK_EQ(ptu_system_add_table(&tally, PTU_SYSTEM_KERNEL, PTAUDIT_PTE,
				      UINT64_C(1) << 40, 1),
		 -ERANGE);
	CHECK_EQ(add(false, UINT64_C(1) << 40, 1000), -ERANGE);
}

/*
 * A tail frame is flagged if its head is a table, even if the head was in the previous
 * chunk.
 */
UNIT_TEST(tails_of_flagged_frames_are_flagged)
{
	const uint64_t first[] = { PTU_KPF_PGTABLE, PTU_KPF_COMPOUND_TAIL, 0,
				   PTU_KPF_COMPOUND_TAIL,
				   PTU_KPF_PGTABLE | PTU_KPF_COMPOUND_HEAD };
	const uint64_t second[] = { PTU_KPF_COMPOUND_TAIL,
				    PTU_KPF_COMPOUND_HEAD };

	CHECK_EQ(ptu_system_flagged(&tally, 0, first, 5), 0);
	CHECK_EQ(report.flagged_bytes, 3 * PAGE);
	CHECK_EQ(ptu_system_flagged(&tally, 5, second, 2), 0);
	CHECK_EQ(report.flagged_bytes, 4 * PAGE);
	CHECK(ptu_frame_set_has(&tally.counted, 1));
	CHECK(!ptu_frame_set_has(&tally.counted, 3));
	CHECK(ptu_frame_set_has(&tally.counted, 5));
	CHECK(!ptu_frame_set_has(&tally.counted, 6));
	report.nr_mms = report.nr_sharing = report.nr_unwalked = 1;
	report.nr_gone = report.nr_kthreads = report.nr_uncompared = 1;
	CHECK_EQ(add(false, 500, 1000), 0);
	CHECK_EQ(add(false, 500, 2000), 0);
	CHECK(report.uncounted_bytes[PTAUDIT_PTE] && report.shared_bytes);
	ptu_system_tally_reset(&tally);
	CHECK_EQ(report.uncounted_bytes[PTAUDIT_PTE] + report.shared_bytes, 0);
	/* its tables are not known any more */
	CHECK_EQ(add(false, 500, 1000), 0);
	CHECK_EQ(report.shared_bytes, 0);
	CHECK_EQ(report.nr_mms + report.nr_sharing + report.nr_unwalked +
			 report.nr_gone + report.nr_kthreads +
			 report.nr_uncompared,
		 0);
	CHECK_EQ(report.flagged_bytes, 0);
	CHECK(!ptu_frame_set_has(&tally.counted, 1));
}

UNIT_TEST(flagged_frames_are_counted_by_node)
{
	const struct ptu_node_span spans[] = { { 1, 100, 0 },
					       { 100, 200, 1 },
					       { 200, UINT64_C(1) << 30, 0 } };
	struct ptu_system_node nodes[] = { { .node = 0 }, { .node = 1 } };

	report.nodes = nodes;
	report.nr_nodes = 2;
	count(99);
	count(100);
	count(199);
	count(200);
	/* the last one that the set has room for */
	count(ptu_frame_set_end(&tally.counted) - 1);
	/* a repeated measurement must not add to the earlier sums */
	ptu_system_count_nodes(&tally, spans, 3);
	ptu_system_count_nodes(&tally, spans, 3);
	CHECK_EQ(nodes[0].flagged_bytes, 3 * PAGE);
	CHECK_EQ(nodes[1].flagged_bytes, 2 * PAGE);
}

UNIT_TEST(a_cgroup_includes_the_uses_of_those_below_it)
{
	struct ptu_system_uses uses = { 0 };

	CHECK_EQ(ptu_system_use(&uses, "0::/a\n", 1), 0);
	CHECK_EQ(ptu_system_use(&uses, "4:cpu:/x\n0::/a/b\n", 10), 0);
	CHECK_EQ(ptu_system_use(&uses, "0::/ab\n", 100), 0);
	CHECK_EQ(ptu_system_use(&uses, "0::/\n", 1000), 0);
	CHECK_EQ(ptu_system_use(&uses, "0::/a\n", 10000), 0);
	CHECK_EQ(ptu_system_use(&uses, "4:cpu:/a\n", 100000), 0);
	CHECK_EQ(ptu_system_uses_below(&uses, "/"), 11111);
	CHECK_EQ(ptu_system_uses_below(&uses, "/a"), 10011);
	CHECK_EQ(ptu_system_uses_below(&uses, "/a/b"), 10);
	CHECK_EQ(ptu_system_uses_below(&uses, "/ab"), 100);
	CHECK_EQ(ptu_system_uses_below(&uses, "/b"), 0);
	ptu_system_uses_reset(&uses);
	CHECK_EQ(ptu_system_uses_below(&uses, "/"), 0);
	ptu_system_uses_deinit(&uses);
}

UNIT_MAIN_WITH(set_up, tear_down)
