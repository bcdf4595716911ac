// SPDX-License-Identifier: GPL-2.0-only
/*
 * A walk at one moment is valid only if the process did not change meanwhile; otherwise it
 * is repeated.  Each run of a BPF program takes as many tables as fit.
 */
#define _GNU_SOURCE
#include "acquire/fake_walk.h"

/* page frames */
enum { PUD = 2, PMD, OTHER_PMD, P4D, PMDS = 10, PTES = 320 };

/* At A: a PTE table with one page.  Three tables count, and each is copied by one run. */
static void lay_out(void)
{
	point(PGD, A >> 39, PUD);
	point(PUD, 0, PMD);
	point(PMD, 0, PTES);
	frames[PTES][7] = 0x5000 | TABLE;
	counter_is(3);
}

static void set_up(void)
{
	fake_set_up();
	lay_out();
}

UNIT_TEST(tables_at_rest_are_read_level_by_level)
{
	CHECK_EQ(try_once(), 0);
	CHECK_EQ(nr_tables(PTAUDIT_PGD), 1);
	CHECK_EQ(table_of(PUD)->level, PTAUDIT_PUD);
	CHECK_EQ(table_of(PMD)->level, PTAUDIT_PMD);
	CHECK_EQ(table_of(PTES)->level, PTAUDIT_PTE);
	CHECK_EQ(table_of(PTES)->present, 1);
	/* one run for each table, and one for the deposits */
	CHECK_EQ(kernel.nr_runs, 5);
	for (unsigned int i = 0; i < 5; i++)
		CHECK_EQ(kernel.nr_of_run[i], 1);
	CHECK_EQ(fake.nr_finds, 2);
	CHECK_EQ(fake.nr_vmas_read, 2);
}

/* A member of the mm's state changes once, before the run with this number or in it. */
static __u64 *member;
static unsigned int changes_before, changes_in;

static void change_before(size_t nr)
{
	*member += kernel.nr_runs == changes_before;
}

static void change_in(size_t nr)
{
	*member += kernel.nr_runs == changes_in;
}

static int try_with_change(__u64 *changing, unsigned int before,
			   unsigned int in)
{
	const struct ptu_bpf_state state = kernel.state;
	int error;

	member = changing;
	changes_before = before;
	changes_in = in;
	kernel.nr_runs = 0;
	kernel.before_run = change_before;
	kernel.in_run = change_in;
	error = try_once();
	kernel.state = state;
	return error;
}

UNIT_TEST(a_change_at_any_time_makes_the_walk_invalid)
{
	__u64 *const members[] = { &kernel.state.tlb_gen, &kernel.state.ctx_id,
				   &kernel.state.mmap_lock_written,
				   &kernel.state.pgtables_bytes };
	unsigned int i, run;

	for (i = 0; i < 4; i++) {
		CHECK_EQ(try_with_change(members[i], 0, 0), 0);
		for (run = 1; run <= 5; run++)
			CHECK_EQ(try_with_change(members[i], 0, run), -EAGAIN);
		for (run = 2; run <= 5; run++)
			CHECK_EQ(try_with_change(members[i], run, 0), -EAGAIN);
		CHECK_EQ(try_with_change(members[i], 0, 6), 0);
		CHECK(!err.text[0]);
	}
	CHECK_EQ(try_with_change(&kernel.state.tlb_gen, 1, 0), 0);
	CHECK_EQ(try_with_change(&kernel.state.ctx_id, 1, 0), -EAGAIN);
}

UNIT_TEST(another_mm_at_the_address_is_not_read)
{
	kernel.state.ctx_id = CTX + 1;
	CHECK_EQ(try_once(), -EAGAIN);
	CHECK_EQ(kernel.nr_runs, 1);
}

UNIT_TEST(a_table_that_cannot_be_read_makes_the_walk_invalid)
{
	point(PMD, 1, NR_FRAMES);
	counter_is(4);
	CHECK_EQ(try_once(), -EAGAIN);
}

UNIT_TEST(an_error_of_the_program_is_returned_at_once)
{
	kernel.error = -EIO;
	CHECK_EQ(try_once(), -EIO);
	CHECK_EQ(kernel.nr_runs, 1);
	CHECK_EQ(fake.nr_finds, 1);
	CHECK_EQ(walk_range(0, 0), -EIO);
	CHECK_EQ(kernel.nr_runs, 2);
	CHECK_EQ(fake.nr_waits, 0);
}

UNIT_TEST(tables_must_add_up_to_the_counter)
{
	counter_is(2);
	CHECK_EQ(try_once(), -EAGAIN);
	counter_is(4);
	CHECK_EQ(try_once(), -EAGAIN);
	counter_is(3);
	CHECK_EQ(try_once(), 0);
	/* the counter includes tables outside a range, so it is not compared */
	counter_is(4);
	CHECK_EQ(try_range(0, A + 4096), 0);
	CHECK_EQ(try_range(A, A + 4096), 0);
	CHECK_EQ(try_range(A, geo.nr_entries[PTAUDIT_PGD] / 2 * (512 * GIB)),
		 0);
}

/* The kernel counts PUD, PMD and PTE tables. */
UNIT_TEST(p4d_tables_are_not_in_the_counter)
{
	geo = five_levels;
	point(PGD, A >> 39, 0);
	point(PGD, 0, P4D);
	point(P4D, A >> 39, PUD);
	CHECK_EQ(try_once(), 0);
	CHECK_EQ(table_of(P4D)->level, PTAUDIT_P4D);
	CHECK_EQ(table_of(PTES)->start, A);
	counter_is(4);
	CHECK_EQ(try_once(), -EAGAIN);
}

UNIT_TEST(each_deposit_is_a_table_of_the_counter)
{
	point(PUD, 1, OTHER_PMD);
	frames[PMD][1] = 0x200000 | HUGE;
	frames[OTHER_PMD][0] = 0x400000 | HUGE;
	frames[OTHER_PMD][1] = 0x600000 | HUGE;
	kernel.deposits[PMD] = 1;
	kernel.deposits[OTHER_PMD] = 2;
	counter_is(4 + 3);
	CHECK_EQ(try_once(), 0);
	CHECK_EQ(table_of(PMD)->deposited, 1);
	CHECK_EQ(table_of(OTHER_PMD)->deposited, 2);
	CHECK_EQ(kernel.nr_of_run[4], 2);
	counter_is(4 + 2);
	CHECK_EQ(try_once(), -EAGAIN);
}

/* Without VMAs, a table with sharers must be one of hugetlb memory. */
UNIT_TEST(tables_of_hugetlb_memory_have_sharers)
{
	point(PUD, 1, OTHER_PMD);
	frames[OTHER_PMD][0] = 0x400000 | HUGE;
	kernel.sharers[PMD] = 5;
	kernel.sharers[OTHER_PMD] = 6;
	fake.nr_vmas = 2;
	fake.vmas[0] = (struct ptu_bpf_vma){ A, A + GIB, 0 };
	/* include/linux/mm.h, VM_HUGETLB */
	fake.vmas[1] = (struct ptu_bpf_vma){ A + GIB, A + GIB + 2 * MIB,
					     0x00400000 };
	counter_is(4);
	CHECK_EQ(try_once(), 0);
	CHECK_EQ(table_of(PMD)->sharers, 0);
	CHECK_EQ(table_of(OTHER_PMD)->sharers, 6);
	CHECK_EQ(table_of(OTHER_PMD)->flags, PTAUDIT_T_HUGETLB);
	ptu_bpf_without_vmas(bpf);
	CHECK_EQ(try_once(), 0);
	CHECK_EQ(table_of(PMD)->sharers, 5);
	CHECK_EQ(table_of(OTHER_PMD)->sharers, 6);
	CHECK_EQ(fake.nr_vmas_read, 2);
}

/* PTE table number i has i + 1 pages. */
static void lay_out_ptes(unsigned int nr)
{
	unsigned int i, k;

	frames[PTES][7] = 0;
	for (i = 0; i < nr; i++) {
		point(PMD, i, PTES + i);
		for (k = 0; k <= i; k++)
			frames[PTES + i][k] = 0x5000 | TABLE;
	}
	counter_is(2 + nr);
}

UNIT_TEST(a_run_copies_256_tables)
{
	lay_out_ptes(300);
	CHECK_EQ(try_once(), 0);
	CHECK_EQ(kernel.nr_runs, 3 + 2 + 1);
	CHECK_EQ(kernel.nr_of_run[3], 256);
	CHECK_EQ(kernel.nr_of_run[4], 44);
	CHECK_EQ(nr_tables(PTAUDIT_PTE), 300);
	for (unsigned int i = 0; i < 300; i++) {
		CHECK_EQ(table_of(PTES + i)->present, i + 1);
		CHECK_EQ(table_of(PTES + i)->start, A + i * 2 * MIB);
	}
}

UNIT_TEST(a_run_with_256_tables_is_the_only_one)
{
	lay_out_ptes(256);
	CHECK_EQ(try_once(), 0);
	CHECK_EQ(kernel.nr_runs, 3 + 1 + 1);
	CHECK_EQ(kernel.nr_of_run[3], 256);
}

/* PMD tables, each with @nr_leaves leaves, and with as many deposits. */
static void lay_out_pmds(unsigned int nr, unsigned int nr_leaves)
{
	unsigned int i, k;

	for (i = 0; i < nr; i++) {
		point(PUD, i, PMDS + i);
		for (k = 0; k < nr_leaves; k++)
			frames[PMDS + i][k] = 0x200000 | HUGE;
		kernel.deposits[PMDS + i] = nr_leaves;
	}
	counter_is(1 + nr + nr * nr_leaves);
}

/* A list first has room for 64 records; the sanitizer finds a read behind them. */
UNIT_TEST(nothing_is_read_behind_the_last_record)
{
	lay_out_pmds(64, 0);
	CHECK_EQ(try_once(), 0);
	CHECK_EQ(nr_tables(PTAUDIT_PMD), 64);
}

UNIT_TEST(a_run_follows_the_deposits_of_256_tables)
{
	lay_out_pmds(300, 1);
	for (unsigned int i = 0; i < 300; i++)
		kernel.deposits[PMDS + i] = i % 3;
	counter_is(1 + 300 + 300);
	CHECK_EQ(try_once(), 0);
	/* PGD and PUD; then the PMD tables, and then their deposits */
	CHECK_EQ(kernel.nr_runs, 2 + 2 + 2);
	CHECK_EQ(kernel.nr_of_run[2], 256);
	CHECK_EQ(kernel.nr_of_run[4], 256);
	CHECK_EQ(kernel.nr_of_run[5], 44);
	for (unsigned int i = 0; i < 300; i++)
		CHECK_EQ(table_of(PMDS + i)->deposited, i % 3);
}

/* Of a table with 512 leaves, 514 deposits may be followed; 15 such tables fit in 8192. */
UNIT_TEST(a_run_follows_8192_deposits)
{
	lay_out_pmds(20, 512);
	CHECK_EQ(try_once(), 0);
	CHECK_EQ(kernel.nr_runs, 2 + 1 + 2);
	CHECK_EQ(kernel.nr_of_run[3], 15);
	CHECK_EQ(kernel.nr_of_run[4], 5);
	for (unsigned int i = 0; i < 20; i++)
		CHECK_EQ(table_of(PMDS + i)->deposited, 512);
}

UNIT_TEST(a_run_follows_all_8192_deposits)
{
	lay_out_pmds(16, 512);
	/* 15 * 514 + 482 = 8192 */
	memset(frames[PMDS + 15] + 480, 0, 32 * sizeof(uint64_t));
	kernel.deposits[PMDS + 15] = 480;
	counter_is(1 + 16 + 15 * 512 + 480);
	CHECK_EQ(try_once(), 0);
	CHECK_EQ(kernel.nr_runs, 2 + 1 + 1);
	CHECK_EQ(kernel.nr_of_run[3], 16);
	CHECK_EQ(table_of(PMDS + 15)->leaves, 480);
	frames[PMDS + 15][480] = 0x200000 | HUGE;
	CHECK_EQ(try_once(), 0);
	CHECK_EQ(kernel.nr_runs, 4 + 2 + 1 + 2);
	CHECK_EQ(kernel.nr_of_run[7], 15);
	CHECK_EQ(kernel.nr_of_run[8], 1);
}

/* A list that is damaged has no end: three more are followed than there are leaves. */
UNIT_TEST(a_list_of_deposits_is_followed_to_its_limit)
{
	lay_out_pmds(2, 4);
	kernel.deposits[PMDS] = kernel.deposits[PMDS + 1] = UINT32_MAX;
	counter_is(1 + 2 + 2 * 7);
	CHECK_EQ(try_once(), 0);
	CHECK_EQ(table_of(PMDS)->deposited, 7);
	CHECK_EQ(table_of(PMDS + 1)->deposited, 7);
}

UNIT_TEST(pte_tables_can_be_counted_without_reading_them)
{
	lay_out_ptes(300);
	ptu_bpf_tables_alone(bpf);
	CHECK_EQ(try_once(), 0);
	CHECK_EQ(kernel.nr_runs, 3 + 1);
	CHECK_EQ(nr_tables(PTAUDIT_PTE), 300);
	CHECK_EQ(table_of(PTES + 299)->present, 0);
	CHECK_EQ(table_of(PTES + 299)->start, A + 299 * 2 * MIB);
	CHECK_EQ(fake.nr_vmas_read, 0);
	counter_is(2 + 299);
	CHECK_EQ(try_once(), -EAGAIN);
}

UNIT_TEST(vmas_are_read_unless_they_are_not_wanted)
{
	fake.nr_vmas = 1;
	fake.vmas[0] = (struct ptu_bpf_vma){ A + GIB, A + 2 * GIB, 0 };
	CHECK_EQ(try_once(), 0);
	CHECK_EQ(table_of(PTES)->flags, PTAUDIT_T_OUTSIDE);
	CHECK_EQ(fake.nr_vmas_read, 2);
	ptu_bpf_without_vmas(bpf);
	CHECK_EQ(try_once(), 0);
	CHECK_EQ(table_of(PTES)->flags, 0);
	CHECK_EQ(table_of(PTES)->present, 1);
	CHECK_EQ(fake.nr_vmas_read, 2);
}

UNIT_TEST(errors_of_listing_are_returned)
{
	fake.vmas_error = -EIO;
	CHECK_EQ(try_once(), -EIO);
	CHECK_STR(err.text, "cannot list VMAs");
	CHECK_EQ(kernel.nr_runs, 0);
	fake.vmas_fails = 3;
	CHECK_EQ(try_once(), -EIO);
	CHECK_STR(err.text, "cannot list VMAs");
	CHECK_EQ(kernel.nr_runs, 5);
	fake.find_error = -ESRCH;
	fake.find_fails = fake.nr_finds + 1;
	CHECK_EQ(try_once(), -ESRCH);
	CHECK_STR(err.text, "cannot find it");
	CHECK_EQ(fake.nr_vmas_read, 3);
	fake.find_fails = fake.nr_finds + 2;
	CHECK_EQ(try_once(), -ESRCH);
	CHECK_STR(err.text, "cannot find it");
	CHECK_EQ(fake.nr_vmas_read, 4);
}

UNIT_TEST(memory_can_run_out)
{
	for (unsigned int i = 1; i <= 4; i++) {
		fails_to_read = i;
		CHECK_EQ(try_once(), -ENOMEM);
		CHECK_STR(err.text, "out of memory");
	}
	fails_to_allocate = 1;
	CHECK_EQ(try_once(), -ENOMEM);
	CHECK_STR(err.text, "out of memory");
	CHECK(!bytes);
	ptu_bpf_tables_alone(bpf);
	fails_to_enter = 1;
	CHECK_EQ(try_once(), -ENOMEM);
	CHECK_STR(err.text, "out of memory");
	CHECK_EQ(try_once(), 0);
}

/* What the process does before it is found again. */
static void (*happens)(void);

static void happen(unsigned int call)
{
	if (call == 2)
		happens();
}

static void start_anew(void)
{
	fake.task.start_boottime_ns++;
}

static void exec_to_new_mm(void)
{
	fake.task.ctx_id++;
}

static void exec_to_other_address(void)
{
	fake.task.mm++;
}

/* Another process has the PID, and its own mm. */
static void be_replaced(void)
{
	start_anew();
	exec_to_new_mm();
}

static int try_while(void (*what)(void))
{
	const struct ptu_bpf_task task = fake.task;
	int error;

	fake.before_find = happen;
	fake.nr_finds = 0;
	happens = what;
	error = try_once();
	fake.task = task;
	return error;
}

#define ENDED "process 77 ended"
#define CHANGED "process 77 started another program meanwhile"

UNIT_TEST(end_and_exec_of_the_process_are_named)
{
	CHECK_EQ(try_while(start_anew), -ESRCH);
	CHECK_STR(err.text, ENDED);
	CHECK_EQ(try_while(exec_to_new_mm), -ESTALE);
	CHECK_STR(err.text, CHANGED);
	CHECK_EQ(try_while(exec_to_other_address), -ESTALE);
	CHECK_STR(err.text, CHANGED);
	CHECK_EQ(try_while(be_replaced), -ESRCH);
	CHECK_STR(err.text, ENDED);
	CHECK(!bytes);
}

UNIT_TEST(an_ended_process_explains_a_change_but_no_error)
{
	counter_is(7);
	CHECK_EQ(try_while(start_anew), -ESRCH);
	CHECK_STR(err.text, ENDED);
	CHECK_EQ(try_while(exec_to_new_mm), -ESTALE);
	kernel.error = -EIO;
	CHECK_EQ(try_while(start_anew), -EIO);
	CHECK_EQ(fake.nr_finds, 1);
}

static void add_vma(void)
{
	fake.vmas[fake.nr_vmas++] = (struct ptu_bpf_vma){ A, A + MIB, 0 };
}

static void remove_vma(void)
{
	fake.nr_vmas--;
}

static void change_last_flags(void)
{
	fake.vmas[fake.nr_vmas - 1].flags = 1;
}

UNIT_TEST(a_change_of_the_vmas_makes_the_walk_invalid)
{
	void (*const changes[])(void) = { add_vma, remove_vma,
					  change_last_flags };

	for (unsigned int i = 0; i < 3; i++) {
		fake.nr_vmas = 2;
		fake.vmas[0] = (struct ptu_bpf_vma){ 0x1000, 0x2000, 0 };
		fake.vmas[1] = (struct ptu_bpf_vma){ 0x2000, 0x3000, 0 };
		CHECK_EQ(try_while(changes[i]), -EAGAIN);
		CHECK_EQ(try_once(), 0);
	}
}

UNIT_MAIN_WITH(set_up, fake_tear_down)
