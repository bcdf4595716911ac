// SPDX-License-Identifier: GPL-2.0-only
/* Page tables of a set: which are shared, with which processes, and the memory they map. */
#include "compare/footprint.h"
#include "compare/footprint_tables.h"

#include "support/unit.h"

#define PAGE 4096ull
#define GIB (UINT64_C(1) << 30)
#define PMD PTAUDIT_PMD

#define SHARED PTU_FOOTPRINT_SHARED
#define AGAIN PTU_FOOTPRINT_AGAIN
#define OUTSIDE PTU_FOOTPRINT_OUTSIDE
#define UNKNOWN PTU_FOOTPRINT_UNKNOWN

static struct ptu_footprint_report report;
static struct ptu_process p[3];
static struct ptu_footprint_row rows[3];
static struct ptu_shared shared[3][4];
static struct ptu_footprint_tables tables;

static void tear_down(void)
{
	ptu_footprint_tables_deinit(&tables);
}

/*
 * Each process has a PGD of two pages, 10 PTE tables, 4 PMD tables and 2 deposited
 * tables.
 */
static void group_init(size_t nr, bool by_module)
{
	tear_down();
	memset(rows, 0, sizeof(rows));
	report = (struct ptu_footprint_report){
		.by_module = by_module,
		.base = { .page_bytes = PAGE,
			  .processes = p,
			  .nr_processes = nr },
		.rows = rows,
	};
	tables.reach_bytes = GIB;
	for (size_t i = 0; i < nr; i++) {
		p[i] = (struct ptu_process){ .pid = 100 + (int)i,
					     .mm = i + 1,
					     .vmpte_bytes = 16 * PAGE,
					     .shared = shared[i] };
		if (!by_module)
			continue;
		p[i].levels[PTAUDIT_PGD].bytes = 2 * PAGE;
		p[i].levels[PTAUDIT_PTE].bytes = 10 * PAGE;
		p[i].levels[PMD].bytes = 4 * PAGE;
		p[i].levels[PMD].kernel = 4;
		p[i].deposited_tables = 2;
	}
}

static void share(size_t process, uint64_t start_gib, uint64_t pfn,
		  uint32_t sharers)
{
	shared[process][p[process].nr_shared++] = (struct ptu_shared){
		.start = start_gib * GIB,
		.end = (start_gib + 1) * GIB,
		.pfn = pfn,
		.sharers = sharers,
		.pages = 1,
		.level = PMD,
	};
}

static const struct ptu_vma shm = {
	.start = 10 * GIB,
	.end = 14 * GIB,
	.flags = PTU_VM_HUGETLB | PTU_VM_MAYSHARE,
};

static unsigned int how(size_t process, uint64_t gib)
{
	uint64_t end;

	return ptu_footprint_tables_how(&tables, &p[process], &shm, gib * GIB,
					&end);
}

UNIT_TEST(without_the_module_there_is_vmpte)
{
	group_init(3, false);
	p[2].status = PTU_STATUS_GONE;
	CHECK_EQ(ptu_footprint_tables_add_up(&report, &tables), 0);
	CHECK_EQ(rows[0].tables.bytes, 16 * PAGE);
	CHECK_EQ(rows[2].tables.bytes, 0);
	CHECK_EQ(report.tables.bytes, 32 * PAGE);
	CHECK_EQ(report.tables.inside_bytes, 0);
	CHECK(!tables.known);
}

/*
 * With five levels and page-table isolation: a PGD of two pages, and one P4D table for
 * each of the four ranges of 256 TiB that have a mapping.
 */
UNIT_TEST(without_the_module_upper_tables_are_added_to_vmpte)
{
	const uint64_t reach = UINT64_C(1) << 48;
	struct ptu_vma vmas[] = {
		{ .start = PAGE, .end = 2 * PAGE },
		{ .start = reach - PAGE, .end = reach },
		{ .start = 5 * reach, .end = 6 * reach + PAGE },
		{ .start = 6 * reach + PAGE, .end = 7 * reach },
		{ .start = 9 * reach, .end = 10 * reach },
		/* process tables never map the kernel half */
		{ .start = 0xffffffffff600000, .end = 0xffffffffff601000 },
	};
	const struct ptu_vmas set = { .vmas = vmas, .nr_vmas = 6 };
	struct ptu_geometry geo;

	CHECK_EQ(ptu_geometry_init(PAGE, "x86_64", "la57 pti", &geo, NULL), 0);
	group_init(1, false);
	ptu_footprint_tables_above(&geo, &set, &p[0]);
	CHECK_EQ(ptu_footprint_tables_add_up(&report, &tables), 0);
	CHECK_EQ(rows[0].tables.bytes, (16 + 2 + 4) * PAGE);
	CHECK_EQ(report.tables.bytes, (16 + 2 + 4) * PAGE);

	CHECK_EQ(ptu_geometry_init(PAGE, "x86_64", "", &geo, NULL), 0);
	group_init(1, false);
	ptu_footprint_tables_above(&geo, &set, &p[0]);
	CHECK_EQ(ptu_footprint_tables_add_up(&report, &tables), 0);
	CHECK_EQ(rows[0].tables.bytes, (16 + 1) * PAGE);
}

UNIT_TEST(all_levels_and_deposits_are_tables)
{
	group_init(2, true);
	CHECK_EQ(ptu_footprint_tables_add_up(&report, &tables), 0);
	CHECK_EQ(rows[0].tables.bytes, 18 * PAGE);
	CHECK_EQ(report.tables.bytes, 36 * PAGE);
	CHECK_EQ(report.tables.inside_bytes, 0);
	CHECK_EQ(report.tables.outside_bytes, 0);
}

UNIT_TEST(an_address_space_counts_once)
{
	group_init(2, true);
	rows[1].same_as = 100;
	p[1].mm = p[0].mm;
	/* a process outside the set maps the table, too */
	share(0, 10, 500, 1);
	share(1, 10, 500, 1);
	CHECK_EQ(ptu_footprint_tables_add_up(&report, &tables), 0);
	CHECK_EQ(report.tables.bytes, 18 * PAGE);
	CHECK_EQ(report.tables.outside_bytes, PAGE);
	CHECK_EQ(report.tables.inside_bytes, 0);
	group_init(2, false);
	rows[1].same_as = 100;
	CHECK_EQ(ptu_footprint_tables_add_up(&report, &tables), 0);
	CHECK_EQ(report.tables.bytes, 16 * PAGE);
}

/*
 * Two tables are shared by the two processes of the set, one by these and a third process,
 * one with a process outside.
 */
UNIT_TEST(inside_and_outside_are_told_apart)
{
	group_init(2, true);
	share(0, 10, 500, 1);
	share(0, 11, 501, 2);
	share(1, 10, 500, 1);
	share(1, 11, 501, 2);
	share(1, 12, 502, 1);
	share(0, 13, 503, 1);
	share(1, 13, 503, 1);
	CHECK_EQ(ptu_footprint_tables_add_up(&report, &tables), 0);
	CHECK_EQ(report.tables.bytes, 33 * PAGE);
	CHECK_EQ(report.tables.inside_bytes, 2 * PAGE);
	CHECK_EQ(report.tables.outside_bytes, 2 * PAGE);
	CHECK_EQ(rows[0].tables.inside_bytes, 2 * PAGE);
	CHECK_EQ(rows[0].tables.outside_bytes, PAGE);
	CHECK_EQ(rows[1].tables.inside_bytes, 2 * PAGE);
	CHECK_EQ(rows[1].tables.outside_bytes, 2 * PAGE);

	CHECK_EQ(how(0, 10), SHARED);
	CHECK_EQ(how(0, 11), SHARED | OUTSIDE);
	CHECK_EQ(how(0, 12), 0);
	ptu_footprint_tables_done(&tables, &p[0]);
	CHECK_EQ(how(1, 10), SHARED | AGAIN);
	CHECK_EQ(how(1, 11), SHARED | OUTSIDE | AGAIN);
	CHECK_EQ(how(1, 12), SHARED | OUTSIDE);
}

/* Another process mapped the table between the answers for two processes. */
UNIT_TEST(greatest_number_of_sharers_counts)
{
	unsigned int first;

	for (first = 0; first < 2; first++) {
		group_init(2, true);
		share(first, 10, 500, 1);
		share(!first, 10, 500, 2);
		CHECK_EQ(ptu_footprint_tables_add_up(&report, &tables), 0);
		CHECK_EQ(report.tables.inside_bytes, 0);
		CHECK_EQ(report.tables.outside_bytes, PAGE);
	}
}

/* A process can map a file twice and share a table with itself. */
UNIT_TEST(a_table_at_two_places_of_one_process_counts_once)
{
	group_init(1, true);
	share(0, 10, 500, 1);
	share(0, 12, 500, 1);
	CHECK_EQ(ptu_footprint_tables_add_up(&report, &tables), 0);
	CHECK_EQ(report.tables.bytes, 17 * PAGE);
	CHECK_EQ(report.tables.inside_bytes, PAGE);
	CHECK_EQ(report.tables.outside_bytes, 0);
	CHECK_EQ(how(0, 10), SHARED);
	CHECK_EQ(how(0, 12), SHARED | AGAIN);
}

UNIT_TEST(answers_hold_to_the_end_of_a_table)
{
	const struct ptu_vma below = { .start = 8 * GIB, .end = 9 * GIB };
	uint64_t end;

	group_init(1, true);
	share(0, 11, 500, 1);
	CHECK_EQ(ptu_footprint_tables_add_up(&report, &tables), 0);
	CHECK_EQ(ptu_footprint_tables_how(&tables, &p[0], &shm, 10 * GIB, &end),
		 0);
	CHECK_EQ(end, 11 * GIB);
	CHECK_EQ(ptu_footprint_tables_how(&tables, &p[0], &shm, end, &end),
		 SHARED | OUTSIDE);
	CHECK_EQ(end, 12 * GIB);
	CHECK_EQ(ptu_footprint_tables_how(&tables, &p[0], &shm, end, &end), 0);
	CHECK_EQ(end, 14 * GIB);
	CHECK_EQ(ptu_footprint_tables_how(&tables, &p[0], &below, 8 * GIB,
					  &end),
		 0);
	CHECK_EQ(end, 9 * GIB);
}

/* Without the module, sharing is unknown only for complete GiB of a shareable mapping. */
UNIT_TEST(hugetlb_mappings_with_unknown_sharing_are_marked)
{
	struct ptu_vma odd = {
		.start = 10 * GIB + 0x200000,
		.end = 12 * GIB + 0x200000,
		.flags = PTU_VM_HUGETLB | PTU_VM_MAYSHARE,
	};
	const struct ptu_vma private = {
		.start = 10 * GIB,
		.end = 12 * GIB,
		.flags = PTU_VM_HUGETLB,
	};
	const struct ptu_vma small = {
		.start = 10 * GIB,
		.end = 12 * GIB,
		.flags = PTU_VM_MAYSHARE,
	};
	uint64_t end;

	group_init(1, false);
	CHECK_EQ(ptu_footprint_tables_add_up(&report, &tables), 0);
	CHECK_EQ(how(0, 10), UNKNOWN);
	CHECK_EQ(how(0, 13), UNKNOWN);
	CHECK_EQ(ptu_footprint_tables_how(&tables, &p[0], &odd, odd.start,
					  &end),
		 0);
	CHECK_EQ(end, 11 * GIB);
	CHECK_EQ(ptu_footprint_tables_how(&tables, &p[0], &odd, end, &end),
		 UNKNOWN);
	CHECK_EQ(end, 12 * GIB);
	CHECK_EQ(ptu_footprint_tables_how(&tables, &p[0], &odd, end, &end), 0);
	CHECK_EQ(end, odd.end);
	CHECK_EQ(ptu_footprint_tables_how(&tables, &p[0], &private,
					  private.start, &end),
		 0);
	CHECK_EQ(ptu_footprint_tables_how(&tables, &p[0], &small, small.start,
					  &end),
		 0);
	/* pages of 1 GiB need no PMD table */
	odd.kernel_page_bytes = GIB;
	CHECK_EQ(ptu_footprint_tables_how(&tables, &p[0], &odd, 11 * GIB, &end),
		 0);
	CHECK_EQ(end, odd.end);
	odd.kernel_page_bytes = 0x200000;
	CHECK_EQ(ptu_footprint_tables_how(&tables, &p[0], &odd, 11 * GIB, &end),
		 UNKNOWN);
	/* the geometry of the machine is unknown */
	tables.reach_bytes = 0;
	CHECK_EQ(ptu_footprint_tables_how(&tables, &p[0], &odd, odd.start,
					  &end),
		 UNKNOWN);
}

UNIT_MAIN_WITH(NULL, tear_down)
