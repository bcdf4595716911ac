// SPDX-License-Identifier: GPL-2.0-only
/*
 * The answer of a walk by BPF: its header, its range, the order of its records, and the flags
 * that follow from VMAs.
 */
#define _GNU_SOURCE
#include "acquire/fake_walk.h"

#include <unistd.h>

/* page frames */
enum { PUD = 2, PUD_B, P4D, PMD, PMD_1, PMD_B, PTES = 10 };

#define B (A + 512 * GIB)
#define USER_END (UINT64_C(1) << 47)

static void be_pte(unsigned int table, unsigned int index, unsigned int number)
{
	point(table, index, PTES + number);
	frames[PTES + number][0] = 0x5000 | TABLE;
}

/* At A: five adjacent PTE tables. */
static void lay_out(void)
{
	point(PGD, A >> 39, PUD);
	point(PUD, 0, PMD);
	for (unsigned int i = 0; i < 5; i++)
		be_pte(PMD, i, i);
	counter_is(7);
}

static void set_up(void)
{
	fake_set_up();
	lay_out();
}

/* @entries: for a run, its number of entries; 0 for a table */
struct row {
	unsigned int level;
	uint64_t pfn;
	uint64_t start;
	unsigned int entries;
	enum ptaudit_kind kind;
};

static void rows_are(const struct row *rows, size_t nr)
{
	CHECK_EQ(header()->nr_records, nr);
	CHECK_EQ(nr_bytes, PTAUDIT_HEADER_SIZE + nr * PTAUDIT_RECORD_SIZE);
	for (size_t i = 0; i < nr; i++) {
		const struct ptaudit_table *got = &records()[i];

		CHECK_EQ(got->level, rows[i].level);
		CHECK_EQ(got->pfn, rows[i].pfn);
		CHECK_EQ(got->start, rows[i].start);
		CHECK_EQ(got->kind, rows[i].kind);
		CHECK_EQ(got->type,
			 rows[i].entries ? PTAUDIT_RUN : PTAUDIT_TABLE);
		if (rows[i].entries)
			CHECK_EQ(got->used, rows[i].entries);
		CHECK_EQ(got->node, -1);
	}
}

#define NR(array) (sizeof(array) / sizeof((array)[0]))

/* A table stands after the run of entries that leads to it, and before the next run. */
UNIT_TEST(records_are_in_the_order_of_a_walk)
{
	static const struct row rows[] = {
		{ PTAUDIT_PGD, PGD, 0 },
		{ PTAUDIT_PGD, PGD, A, 2, PTAUDIT_K_CHILD },
		{ PTAUDIT_PUD, PUD, A },
		{ PTAUDIT_PUD, PUD, A, 2, PTAUDIT_K_CHILD },
		{ PTAUDIT_PMD, PMD, A },
		{ PTAUDIT_PMD, PMD, A, 2, PTAUDIT_K_CHILD },
		{ PTAUDIT_PTE, PTES, A },
		{ PTAUDIT_PTE, PTES + 1, A + 2 * MIB },
		{ PTAUDIT_PMD, PMD, A + 4 * MIB, 3, PTAUDIT_K_LEAF },
		{ PTAUDIT_PMD, PMD, A + 10 * MIB, 1, PTAUDIT_K_CHILD },
		{ PTAUDIT_PTE, PTES + 2, A + 10 * MIB },
		{ PTAUDIT_PMD, PMD_1, A + GIB },
		{ PTAUDIT_PMD, PMD_1, A + 2 * GIB - 2 * MIB, 1,
		  PTAUDIT_K_CHILD },
		{ PTAUDIT_PTE, PTES + 3, A + 2 * GIB - 2 * MIB },
		{ PTAUDIT_PUD, PUD, A + 5 * GIB, 2, PTAUDIT_K_LEAF },
		{ PTAUDIT_PUD, PUD_B, B },
		{ PTAUDIT_PUD, PUD_B, B, 1, PTAUDIT_K_CHILD },
		{ PTAUDIT_PMD, PMD_B, B },
		{ PTAUDIT_PMD, PMD_B, B, 1, PTAUDIT_K_CHILD },
		{ PTAUDIT_PTE, PTES + 4, B },
	};

	memset(frames, 0, sizeof(frames));
	point(PGD, A >> 39, PUD);
	point(PGD, B >> 39, PUD_B);
	point(PUD, 0, PMD);
	point(PUD, 1, PMD_1);
	frames[PUD][5] = frames[PUD][6] = 0x40000000 | HUGE;
	be_pte(PMD, 0, 0);
	be_pte(PMD, 1, 1);
	for (unsigned int i = 2; i < 5; i++)
		frames[PMD][i] = 0x200000 | HUGE;
	be_pte(PMD, 5, 2);
	be_pte(PMD_1, 511, 3);
	point(PUD_B, 0, PMD_B);
	be_pte(PMD_B, 0, 4);
	counter_is(10);
	CHECK_EQ(try_once(), 0);
	rows_are(rows, NR(rows));
	/* an answer in pieces has the same order */
	CHECK_EQ(try_pieces(), 0);
	rows_are(rows, NR(rows));
}

UNIT_TEST(records_of_five_levels_are_in_the_order_of_a_walk)
{
	static const struct row rows[] = {
		{ PTAUDIT_PGD, PGD, 0 },
		{ PTAUDIT_PGD, PGD, 0, 1, PTAUDIT_K_CHILD },
		{ PTAUDIT_P4D, P4D, 0 },
		{ PTAUDIT_P4D, P4D, A, 1, PTAUDIT_K_CHILD },
		{ PTAUDIT_PUD, PUD, A },
		{ PTAUDIT_PUD, PUD, A, 1, PTAUDIT_K_CHILD },
		{ PTAUDIT_PMD, PMD, A },
		{ PTAUDIT_PMD, PMD, A, 1, PTAUDIT_K_CHILD },
		{ PTAUDIT_PTE, PTES, A },
		{ PTAUDIT_P4D, P4D, A + 1024 * GIB, 1, PTAUDIT_K_CHILD },
		{ PTAUDIT_PUD, PUD_B, A + 1024 * GIB },
	};

	memset(frames, 0, sizeof(frames));
	geo = five_levels;
	point(PGD, 0, P4D);
	point(P4D, A >> 39, PUD);
	point(P4D, (A >> 39) + 2, PUD_B);
	point(PUD, 0, PMD);
	be_pte(PMD, 0, 0);
	counter_is(4);
	CHECK_EQ(try_once(), 0);
	rows_are(rows, NR(rows));
	CHECK_EQ(header()->range_end, UINT64_C(1) << 56);
}

UNIT_TEST(the_header_names_process_and_walk)
{
	const uint64_t tick_ns = PTU_NS_PER_SEC / sysconf(_SC_CLK_TCK);

	fake.task.pid = 101;
	fake.task.tgid = 102;
	fake.task.tid = 103;
	fake.task.ns_tgid = 104;
	fake.task.start_boottime_ns = 987654321;
	fake.task.start_ns = 1234 * tick_ns + tick_ns - 1;
	memcpy(fake.task.comm, "a name of 16 by", 16);
	fake.find_ns = 100;
	CHECK_EQ(try_once(), 0);
	CHECK_EQ(header()->magic, UINT64_C(0x3174696475617470));
	CHECK_EQ(header()->abi, 1);
	CHECK_EQ(header()->header_size, 152);
	CHECK_EQ(header()->record_size, 64);
	CHECK_EQ(header()->range_start, 0);
	CHECK_EQ(header()->range_end, USER_END);
	CHECK_EQ(header()->start_boottime_ns, 987654321);
	CHECK_EQ(header()->mm, CTX);
	CHECK_EQ(header()->pgtables_bytes_before, 7 * 4096);
	CHECK_EQ(header()->pgtables_bytes_after, 7 * 4096);
	/* the process is looked for twice */
	CHECK_EQ(header()->clock_before_ns, 5000);
	CHECK_EQ(header()->clock_after_ns, 5200);
	CHECK_EQ(header()->flags, PTAUDIT_H_BPF);
	CHECK_EQ(header()->pid, 101);
	CHECK_EQ(header()->tgid, 102);
	CHECK_STR(header()->comm, "a name of 16 by");
	CHECK_EQ(header()->start_ticks, 1234);
	CHECK_EQ(header()->tid, 103);
	CHECK_EQ(header()->ns_pid, PID);
	CHECK_EQ(header()->ns_tgid, 104);
	CHECK_EQ(header()->ns_tid, NS_TID);
	geo.pti = true;
	CHECK_EQ(try_once(), 0);
	CHECK_EQ(header()->flags, PTAUDIT_H_BPF | PTAUDIT_H_PTI);
	CHECK_EQ(table_of(PGD)->pages, 2);
}

static void grow(size_t nr)
{
	/* PGD, PUD, PMD and PTE tables are read by runs of 1, 2, 3 and 8 tables */
	if (nr == 2)
		counter_is(5);
	if (nr == 8)
		counter_is(9);
}

UNIT_TEST(the_header_of_pieces_has_the_extremes_of_the_counter)
{
	kernel.before_run = grow;
	CHECK_EQ(try_pieces(), 0);
	CHECK_EQ(header()->flags, PTAUDIT_H_BPF | PTAUDIT_H_PIECES);
	CHECK_EQ(header()->pgtables_bytes_before, 5 * 4096);
	CHECK_EQ(header()->pgtables_bytes_after, 9 * 4096);
	geo.pti = true;
	CHECK_EQ(try_pieces(), 0);
	CHECK_EQ(header()->flags,
		 PTAUDIT_H_BPF | PTAUDIT_H_PIECES | PTAUDIT_H_PTI);
}

/* The range is rounded to the expected one; @nr of the five PTE tables are read. */
static void range_is(uint64_t start, uint64_t end, uint64_t expected_start,
		     uint64_t expected_end, unsigned int first, unsigned int nr)
{
	CHECK_EQ(try_range(start, end), 0);
	CHECK_EQ(header()->range_start, expected_start);
	CHECK_EQ(header()->range_end, expected_end);
	for (unsigned int i = 0; i < 5; i++)
		CHECK_EQ(!!table_of(PTES + i)->type, i - first < nr);
}

#define TABLE_REACH (2 * MIB)
#define AT(number) (A + (number)*TABLE_REACH)

UNIT_TEST(a_range_is_rounded_to_whole_pte_tables)
{
	range_is(AT(1), AT(3), AT(1), AT(3), 1, 2);
	range_is(AT(2) - 1, AT(3), AT(1), AT(3), 1, 2);
	range_is(AT(1), AT(2) + 1, AT(1), AT(3), 1, 2);
	range_is(AT(1) - 1, AT(3) + 1, AT(0), AT(4), 0, 4);
	range_is(AT(4) + 5, AT(4) + 6, AT(4), AT(5), 4, 1);
	range_is(0, 1, 0, TABLE_REACH, 0, 0);
	range_is(0, AT(1), 0, AT(1), 0, 1);
}

UNIT_TEST(a_range_ends_with_the_user_half)
{
	range_is(AT(3), USER_END, AT(3), USER_END, 3, 2);
	range_is(AT(3), USER_END + 1, AT(3), USER_END, 3, 2);
	range_is(AT(3), UINT64_MAX, AT(3), USER_END, 3, 2);
	range_is(USER_END - 1, USER_END, USER_END - TABLE_REACH, USER_END, 0,
		 0);
}

UNIT_TEST(a_range_without_user_space_is_refused)
{
	static const uint64_t ranges[][2] = { { A, A },
					      { A + 1, A },
					      { A, 0 },
					      { 1, 0 },
					      { USER_END, USER_END + 4096 },
					      { USER_END, UINT64_MAX } };

	for (unsigned int i = 0; i < NR(ranges); i++) {
		CHECK_EQ(try_range(ranges[i][0], ranges[i][1]), -EINVAL);
		CHECK_STR(err.text, "the range has no address of user space");
	}
	CHECK_EQ(fake.nr_finds, 0);
}

/* Under PTI, the kernel maps the LDT by entry 272 of the PGD, with 4 and with 5 levels. */
static void lay_out_ldt(void)
{
	memset(frames, 0, sizeof(frames));
	point(PGD, 272, PUD);
	/* other entries of the kernel half belong to no process */
	point(PGD, 271, NR_FRAMES);
	point(PGD, 273, NR_FRAMES);
	point(PUD, 0, PMD);
	be_pte(PMD, 0, 0);
	counter_is(3);
	geo.pti = true;
}

UNIT_TEST(the_ldt_is_read_under_pti)
{
	lay_out_ldt();
	CHECK_EQ(try_once(), 0);
	CHECK_EQ(table_of(PUD)->start, LDT_4);
	CHECK_EQ(table_of(PTES)->start, LDT_4);
	CHECK_EQ(table_of(PTES)->flags, PTAUDIT_T_LDT);
	CHECK_EQ(table_of(PTES)->present, 1);
	geo.pti = false;
	counter_is(0);
	CHECK_EQ(try_once(), 0);
	CHECK_EQ(header()->nr_records, 1);
}

UNIT_TEST(the_ldt_is_read_under_pti_with_five_levels)
{
	lay_out_ldt();
	geo = five_levels;
	geo.pti = true;
	point(PGD, 272, P4D);
	point(P4D, 0, PUD);
	CHECK_EQ(try_once(), 0);
	CHECK_EQ(table_of(PTES)->start, LDT_5);
	CHECK_EQ(table_of(PTES)->flags, PTAUDIT_T_LDT);
}

UNIT_TEST(the_ldt_belongs_to_ranges_up_to_the_end)
{
	lay_out_ldt();
	CHECK_EQ(try_range(A, USER_END - 4096), 0);
	CHECK_EQ(table_of(PTES)->start, LDT_4);
	CHECK_EQ(try_range(A, USER_END - TABLE_REACH), 0);
	CHECK_EQ(header()->nr_records, 1);
}

/* The VMAs are read again after the tables. Then this is the only one. */
static struct ptu_bpf_vma vma_after;

static void map_at_end(unsigned int call)
{
	if (call == 2)
		fake.vmas[0] = vma_after;
}

static unsigned int flags_of(uint64_t pfn)
{
	return table_of(pfn)->flags;
}

/* The tables are read in pieces. Meanwhile the only VMA moves to this range. */
static int try_while_mapping(uint64_t start, uint64_t end)
{
	vma_after = (struct ptu_bpf_vma){ start, end, 0 };
	fake.vmas[0] = (struct ptu_bpf_vma){ 0x1000, 0x2000, 0 };
	fake.nr_vmas = 1;
	fake.nr_vmas_read = 0;
	fake.before_vmas = map_at_end;
	return try_pieces();
}

UNIT_TEST(tables_outside_all_vmas_have_a_flag)
{
	CHECK_EQ(try_while_mapping(0x1000, 0x3000), 0);
	CHECK_EQ(flags_of(PGD), 0);
	CHECK_EQ(flags_of(PUD), PTAUDIT_T_OUTSIDE);
	CHECK_EQ(flags_of(PMD), PTAUDIT_T_OUTSIDE);
	CHECK_EQ(flags_of(PTES), PTAUDIT_T_OUTSIDE);
}

UNIT_TEST(a_vma_added_meanwhile_makes_its_tables_inside)
{
	CHECK_EQ(try_while_mapping(AT(2), AT(2) + 4096), 0);
	CHECK_EQ(flags_of(PUD), 0);
	CHECK_EQ(flags_of(PMD), 0);
	CHECK_EQ(flags_of(PTES + 1), PTAUDIT_T_OUTSIDE);
	CHECK_EQ(flags_of(PTES + 2), 0);
	CHECK_EQ(flags_of(PTES + 3), PTAUDIT_T_OUTSIDE);
	CHECK_EQ(table_of(PTES + 2)->present, 1);
}

UNIT_TEST(a_vma_added_beside_a_table_does_not_reach_it)
{
	CHECK_EQ(try_while_mapping(AT(2) - 4096, AT(2)), 0);
	CHECK_EQ(flags_of(PTES + 1), 0);
	CHECK_EQ(flags_of(PTES + 2), PTAUDIT_T_OUTSIDE);
	CHECK_EQ(try_while_mapping(AT(3), AT(3) + 4096), 0);
	CHECK_EQ(flags_of(PTES + 2), PTAUDIT_T_OUTSIDE);
	CHECK_EQ(flags_of(PTES + 3), 0);
	CHECK_EQ(try_while_mapping(A + GIB, A + GIB + 4096), 0);
	CHECK_EQ(flags_of(PUD), 0);
	CHECK_EQ(flags_of(PMD), PTAUDIT_T_OUTSIDE);
	CHECK_EQ(try_while_mapping(B, B + 4096), 0);
	CHECK_EQ(flags_of(PUD), PTAUDIT_T_OUTSIDE);
}

/* The PMD and PUD tables reach beyond the range, so PTAUDIT_T_PARTIAL stays set. */
UNIT_TEST(a_vma_added_meanwhile_clears_no_other_flag)
{
	vma_after = (struct ptu_bpf_vma){ A, A + 4096, 0 };
	fake.nr_vmas = 1;
	fake.vmas[0] = (struct ptu_bpf_vma){ 0x1000, 0x2000, 0 };
	fake.before_vmas = map_at_end;
	CHECK_EQ(ptu_bpf_try(bpf, PID, A, A + 4096, true, &bytes, &nr_bytes,
			     &err),
		 0);
	CHECK_EQ(flags_of(PTES), 0);
	CHECK_EQ(flags_of(PMD), PTAUDIT_T_PARTIAL);
	CHECK_EQ(flags_of(PUD), PTAUDIT_T_PARTIAL);
}

UNIT_TEST(p4d_tables_can_become_inside)
{
	geo = five_levels;
	point(PGD, A >> 39, 0);
	point(PGD, 0, P4D);
	point(P4D, A >> 39, PUD);
	CHECK_EQ(try_while_mapping(B, B + 4096), 0);
	CHECK_EQ(flags_of(P4D), 0);
	CHECK_EQ(flags_of(PUD), PTAUDIT_T_OUTSIDE);
}

UNIT_MAIN_WITH(set_up, fake_tear_down)
