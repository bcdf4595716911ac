// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read tables one by one while they change.  The test replaces the BPF programs: they
 * copy from an array of pages, which the test changes before a run.
 */
#include "acquire/bpf_pieces.c"

#include "acquire/fake_bpf.h"

/* page frames */
enum { PGD = 1, PUD, PMD, OTHER_PMD, PTES };

/* At A: @nr_ptes adjacent PTE tables with one page each. */
static void lay_out(unsigned int nr_ptes)
{
	kernel_init();
	kernel.state.pgtables_bytes = 40960;
	point(PGD, A >> 39, PUD);
	point(PUD, 0, PMD);
	for (unsigned int i = 0; i < nr_ptes; i++) {
		point(PMD, i, PTES + i);
		frames[PTES + i][i % 512] = 0x5000 | TABLE;
	}
}

static struct ptu_bpf_walking walk;

static int read_all(void)
{
	static struct ptu_bpf_format format;

	for (unsigned int i = 0; i < PTAUDIT_NR_LEVELS; i++)
		ptu_bpf_list_deinit(&walk.lists[i]);
	ptu_bpf_format_init(0, true, false, &format);
	walk = (struct ptu_bpf_walking){
		.memory = &kernel_memory,
		.reader = { .geo = &four_levels,
			    .format = &format,
			    .end = ptu_geometry_user_end(&four_levels) },
		.task = { .mm = MM,
			  .ctx_id = CTX,
			  .pgd = DIRECT_MAP + PGD * PTU_BPF_TABLE },
		.in_pieces = true,
	};
	return ptu_bpf_read_pieces(&walk);
}

static unsigned int nr_tables(unsigned int level)
{
	unsigned int nr = 0;

	for (size_t i = 0; i < walk.lists[level].nr_records; i++)
		nr += walk.lists[level].records[i].type == PTAUDIT_TABLE;
	return nr;
}

static const struct ptaudit_table *first(unsigned int level)
{
	return &walk.lists[level].records[0];
}

UNIT_TEST(tables_at_rest_are_all_read)
{
	lay_out(300);
	kernel.deposits[PMD] = 1;
	CHECK_EQ(read_all(), 0);
	CHECK_EQ(nr_tables(PTAUDIT_PUD), 1);
	CHECK_EQ(nr_tables(PTAUDIT_PMD), 1);
	CHECK_EQ(nr_tables(PTAUDIT_PTE), 300);
	CHECK_EQ(first(PTAUDIT_PMD)->children, 300);
	CHECK_EQ(first(PTAUDIT_PMD)->deposited, 1);
	CHECK_EQ(first(PTAUDIT_PMD)->flags, 0);
	CHECK_EQ(first(PTAUDIT_PTE)->present, 1);
	CHECK_EQ(first(PTAUDIT_PTE)->pfn, PTES);
	CHECK_EQ(first(PTAUDIT_PTE)->node, -1);
	/*
	 * A run for each of the three upper tables. A run takes 256 tables: the three and 253
	 * PTE tables, then the three and 47. A run counts the deposits, and a further one
	 * copies the three again.
	 */
	CHECK_EQ(kernel.nr_runs, 3 + 2 + 2);
	CHECK_EQ(walk.low_bytes, 40960);
	CHECK_EQ(walk.high_bytes, 40960);
}

/* A table is freed during each run that copies more than 20 tables. */
static void overtake(size_t nr)
{
	if (nr > 20)
		kernel.state.tlb_gen++;
}

static void overtake_and_count(size_t nr)
{
	kernel.state.pgtables_bytes += 4096;
	overtake(nr);
}

/* Deposits are counted only while the counter does not change. */
UNIT_TEST(nothing_is_read_if_the_counter_changes_in_each_run)
{
	lay_out(300);
	kernel.in_run = overtake_and_count;
	CHECK_EQ(read_all(), -EAGAIN);
	CHECK_EQ(nr_tables(PTAUDIT_PTE), 0);
	CHECK_EQ(nr_tables(PTAUDIT_PGD), 0);
}

UNIT_TEST(fewer_tables_are_read_at_once_if_others_are_freed)
{
	lay_out(300);
	kernel.in_run = overtake;
	CHECK_EQ(read_all(), 0);
	CHECK_EQ(nr_tables(PTAUDIT_PTE), 300);
	for (unsigned int i = 0; i < 300; i++) {
		CHECK_EQ(walk.lists[PTAUDIT_PTE].records[i].start,
			 A + i * 2 * MIB);
		CHECK_EQ(walk.lists[PTAUDIT_PTE].records[i].pfn, PTES + i);
	}
	CHECK_EQ(first(PTAUDIT_PMD)->children, 300);
}

static void always_overtake(size_t nr)
{
	kernel.state.tlb_gen++;
}

UNIT_TEST(nothing_is_read_if_tables_are_freed_in_each_run)
{
	lay_out(3);
	kernel.in_run = always_overtake;
	CHECK_EQ(read_all(), -EAGAIN);
	CHECK_EQ(nr_tables(PTAUDIT_PGD), 0);
	CHECK(kernel.nr_runs > TRIES && kernel.nr_runs < TRIES + 4);
}

/* Before the PTE tables are copied (7 tables in a run), one goes, and one is replaced. */
static void take_two(size_t nr)
{
	if (nr != 3 + 4)
		return;
	point(PMD, 1, 0);
	point(PMD, 2, PTES + 9);
	kernel.state.pgtables_bytes -= 4096;
}

UNIT_TEST(tables_that_went_away_are_left_out)
{
	lay_out(4);
	kernel.before_run = take_two;
	CHECK_EQ(read_all(), 0);
	CHECK_EQ(nr_tables(PTAUDIT_PTE), 2);
	CHECK_EQ(walk.lists[PTAUDIT_PTE].records[1].pfn, PTES + 3);
	CHECK_EQ(first(PTAUDIT_PMD)->children, 2);
	CHECK_EQ(first(PTAUDIT_PMD)->flags, PTAUDIT_T_MOVED);
	CHECK_EQ(first(PTAUDIT_PUD)->flags, 0);
	CHECK_EQ(walk.low_bytes, 40960 - 4096);
	CHECK_EQ(walk.high_bytes, 40960);
}

/* The second PMD table goes before its PTE tables are copied. */
static void take_pmd(size_t nr)
{
	if (nr == 3 + 2)
		point(PUD, 1, 0);
}

UNIT_TEST(table_that_went_away_takes_its_tables_along)
{
	lay_out(4);
	point(PUD, 1, OTHER_PMD);
	point(OTHER_PMD, 0, PTES + 8);
	point(OTHER_PMD, 1, PTES + 9);
	kernel.before_run = take_pmd;
	CHECK_EQ(read_all(), 0);
	CHECK_EQ(nr_tables(PTAUDIT_PMD), 1);
	CHECK_EQ(nr_tables(PTAUDIT_PTE), 4);
	CHECK_EQ(first(PTAUDIT_PUD)->children, 1);
	CHECK_EQ(first(PTAUDIT_PUD)->flags, PTAUDIT_T_MOVED);
	CHECK_EQ(first(PTAUDIT_PMD)->flags, 0);
}

/*
 * A table is freed during the first run that counts deposits, and the number is
 * wrong.  The first run of all also has one table, the PGD.
 */
static void replace(size_t nr)
{
	static bool is_done;

	if (nr != 1 || is_done || kernel.nr_runs < 5)
		return;
	is_done = true;
	kernel.deposits[PMD] = 9;
	kernel.state.tlb_gen++;
}

static void mend(size_t nr)
{
	if (nr == 1 && kernel.deposits[PMD] == 9)
		kernel.deposits[PMD] = 2;
}

UNIT_TEST(deposits_are_counted_again_if_a_table_was_freed)
{
	lay_out(1);
	kernel.before_run = mend;
	kernel.in_run = replace;
	CHECK_EQ(read_all(), 0);
	CHECK_EQ(first(PTAUDIT_PMD)->deposited, 2);
}

UNIT_TEST(another_mm_at_the_address_is_not_read)
{
	lay_out(1);
	kernel.state.ctx_id++;
	CHECK_EQ(read_all(), -EAGAIN);
}

UNIT_MAIN
