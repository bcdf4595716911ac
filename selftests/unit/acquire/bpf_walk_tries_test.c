// SPDX-License-Identifier: GPL-2.0-only
/*
 * How often a walk by BPF is repeated, and the properties of the kernel that it depends on.
 * The test advances the clock.
 */
#define _GNU_SOURCE
#include "acquire/fake_walk.h"

/* page frames */
enum { PUD = 2, PMD, PTES };

/* At A: a PTE table with one page. */
static void set_up(void)
{
	fake_set_up();
	point(PGD, A >> 39, PUD);
	point(PUD, 0, PMD);
	point(PMD, 0, PTES);
	frames[PTES][7] = 0x5000 | TABLE;
	counter_is(3);
}

#define MS UINT64_C(1000000)
/* 20 tries; a wait of 1 ms follows the last one and each further try, until 250 ms are over. */
#define NR_TRIES 269

static void never_rest(size_t nr)
{
	kernel.state.tlb_gen++;
}

UNIT_TEST(tries_end_after_250_ms)
{
	kernel.in_run = never_rest;
	CHECK_EQ(walk_range(0, 0), -EAGAIN);
	CHECK_STR(err.text,
		  "process 77 kept changing: its page tables changed during each of 269 walks");
	/* three more are in pieces; each try looks for the process before and after */
	CHECK_EQ(fake.nr_finds, 2 * (NR_TRIES + 3));
	CHECK_EQ(fake.nr_waits, 250);
	CHECK_EQ(fake.waited_ns, 250 * MS);
	CHECK(!bytes);
}

UNIT_TEST(there_are_20_tries_however_long_they_take)
{
	fake.find_ns = 20 * MS;
	kernel.in_run = never_rest;
	CHECK_EQ(walk_range(0, 0), -EAGAIN);
	CHECK_STR(err.text,
		  "process 77 kept changing: its page tables changed during each of 20 walks");
	CHECK_EQ(fake.nr_finds, 2 * (20 + 3));
	CHECK_EQ(fake.nr_waits, 1);
}

UNIT_TEST(without_vmas_no_try_is_in_pieces)
{
	kernel.in_run = never_rest;
	ptu_bpf_without_vmas(bpf);
	CHECK_EQ(walk_range(0, 0), -EAGAIN);
	CHECK_EQ(fake.nr_finds, 2 * NR_TRIES);
	CHECK(err.text[0]);
	fake.nr_finds = 0;
	ptu_bpf_tables_alone(bpf);
	CHECK_EQ(walk_range(0, 0), -EAGAIN);
	CHECK_EQ(fake.nr_finds, 2 * NR_TRIES);
}

/* An unmapping never ends, but no table is freed: each table can be read. */
UNIT_TEST(a_process_that_never_rests_is_read_in_pieces)
{
	kernel.state.tlb_flush_pending = 1;
	CHECK_EQ(walk_range(0, 0), 0);
	CHECK_EQ(fake.nr_finds, 2 * (NR_TRIES + 1));
	CHECK_EQ(header()->flags, PTAUDIT_H_BPF | PTAUDIT_H_PIECES);
	CHECK_EQ(table_of(PTES)->present, 1);
	CHECK_STR(err.text, "");
}

static void rest_at_third_try(unsigned int call)
{
	if (call == 5)
		kernel.in_run = NULL;
}

UNIT_TEST(the_first_valid_walk_is_the_answer)
{
	kernel.in_run = never_rest;
	fake.before_find = rest_at_third_try;
	CHECK_EQ(walk_range(0, 0), 0);
	CHECK_EQ(fake.nr_finds, 2 * 3);
	CHECK_EQ(fake.nr_waits, 0);
	CHECK_EQ(header()->flags, PTAUDIT_H_BPF);
}

UNIT_TEST(an_error_ends_the_tries)
{
	kernel.in_run = never_rest;
	fake.find_error = -ESRCH;
	fake.find_fails = 5;
	CHECK_EQ(walk_range(0, 0), -ESRCH);
	CHECK_STR(err.text, "cannot find it");
	CHECK_EQ(fake.nr_finds, 5);
	/* an error of a try in pieces */
	fake.nr_finds = 0;
	fake.find_fails = 2 * NR_TRIES + 3;
	CHECK_EQ(walk_range(0, 0), -ESRCH);
	CHECK_STR(err.text, "cannot find it");
	CHECK_EQ(fake.nr_finds, 2 * NR_TRIES + 3);
}

static uint64_t swapped(uint64_t type, uint64_t offset)
{
	return type << 59 | (~offset << 14) >> 5;
}

/* One swap entry of each type from 22 to 30. */
static void lay_out_types(void)
{
	uint64_t type;

	for (type = 22; type <= 30; type++)
		frames[PTES][type] = swapped(type, 5);
}

static void types_are(const char *functions, unsigned int swap,
		      unsigned int other)
{
	lay_out_types();
	fake.functions = functions;
	CHECK_EQ(try_once(), -EAGAIN);
	CHECK_EQ(try_once(), 0);
	CHECK_EQ(table_of(PTES)->swap, swap);
	CHECK_EQ(table_of(PTES)->migration, 3);
	CHECK_EQ(table_of(PTES)->other, other);
	CHECK_EQ(table_of(PTES)->present, 1);
	CHECK_STR(err.text, "");
}

/*
 * The types from 30 down are those of device memory, three of migration, one of
 * poisoned pages, and those of swap files.  A function of the kernel shows how
 * many types device memory has.
 * Source: include/linux/swap.h (6.1 to 7.2).
 */
UNIT_TEST(make_device_exclusive_range_means_four_types_of_device_memory)
{
	types_are("make_device_exclusive_range", 1, 4 + 1);
	CHECK_EQ(fake.nr_btf_read, 1);
}

UNIT_TEST(make_device_exclusive_means_three_types_of_device_memory)
{
	types_are("make_device_exclusive", 2, 3 + 1);
	CHECK_EQ(fake.nr_btf_read, 2);
}

UNIT_TEST(without_either_function_there_are_no_types_of_device_memory)
{
	types_are(NULL, 5, 0 + 1);
	/* once for each function */
	CHECK_EQ(fake.nr_btf_read, 2);
}

UNIT_TEST(types_are_looked_up_only_if_they_matter)
{
	frames[PTES][8] = swapped(22, 5);
	CHECK_EQ(try_once(), 0);
	CHECK_EQ(fake.nr_btf_read, 0);
	frames[PTES][8] = swapped(23, 5);
	CHECK_EQ(walk_range(0, 0), 0);
	CHECK_EQ(fake.nr_btf_read, 2);
	CHECK_EQ(fake.nr_finds, 2 + 2 * 2);
	CHECK_EQ(table_of(PTES)->swap, 1);
}

UNIT_TEST(a_kernel_whose_types_cannot_be_read_is_an_error)
{
	lay_out_types();
	fake.btf_error = -ENOENT;
	for (fake.btf_fails = 1; fake.btf_fails <= 2; fake.btf_fails++) {
		fake.nr_btf_read = 0;
		CHECK_EQ(walk_range(0, 0), -ENOENT);
		CHECK_STR(err.text,
			  "cannot read the kernel's BTF: No such file or directory");
		CHECK_EQ(fake.nr_btf_read, fake.btf_fails);
	}
}

/* Close it, and open it on the machine that the test has changed. */
static int open_again(void)
{
	ptu_bpf_close(bpf);
	bpf = NULL;
	err.text[0] = '\0';
	return ptu_bpf_open(&geo, &bpf, &err);
}

static void refuses_to_open(int error, const char *text)
{
	CHECK_EQ(open_again(), error);
	CHECK_STR(err.text, text);
	CHECK(!bpf);
	CHECK_EQ(fake.nr_open, 0);
	/* open it again, because the next call and the teardown close it */
	fake.open_error = fake.memory_error = 0;
	fake.types.has_tlb_gen = 1;
	geo.arch = PTU_X86_64;
	CHECK_EQ(ptu_bpf_open(&geo, &bpf, &err), 0);
	CHECK_EQ(fake.nr_open, 1);
}

UNIT_TEST(an_unsupported_machine_is_refused)
{
	geo.arch = PTU_ARM64;
	refuses_to_open(-EOPNOTSUPP,
			"the walk by BPF knows only the page tables of x86-64");
	fake.types.has_tlb_gen = 0;
	refuses_to_open(-EOPNOTSUPP,
			"this kernel does not show when page tables are freed (it has no mm->context.tlb_gen)");
	fake.open_error = -EPERM;
	refuses_to_open(-EPERM, "no programs");
	fake.memory_error = -EOPNOTSUPP;
	refuses_to_open(-EOPNOTSUPP, "no direct map");
	fails_to_allocate = 1;
	refuses_to_open(-ENOMEM, "out of memory");
}

UNIT_TEST(run_times_are_those_of_the_programs)
{
	CHECK_EQ(ptu_bpf_times(bpf)->nr_runs, 3);
}

/* The marker of a page under userfaultfd-wp: its type depends on the kernel. */
static unsigned int nr_markers(bool has_markers, bool has_swapin_error,
			       unsigned int type)
{
	fake.types.has_markers = has_markers;
	fake.types.has_swapin_error = has_swapin_error;
	frames[PTES][8] = swapped(type, 1);
	if (open_again() || walk_range(0, 0))
		return 42;
	return table_of(PTES)->uffd_wp;
}

UNIT_TEST(markers_are_those_of_the_kernel)
{
	CHECK_EQ(nr_markers(true, false, 31), 1);
	CHECK_EQ(nr_markers(true, true, 31), 0);
	CHECK_EQ(nr_markers(true, true, 30), 1);
	CHECK_EQ(nr_markers(false, false, 31), 0);
}

/* On a CPU with memory encryption, a bit of each entry is not part of the address. */
UNIT_TEST(the_encryption_bit_is_not_an_address)
{
	const uint64_t bit = UINT64_C(1) << 47;

	frames[PGD][A >> 39] |= bit;
	frames[PMD][0] |= bit;
	CHECK_EQ(try_once(), -EAGAIN);
	fake.encryption_mask = bit;
	CHECK_EQ(open_again(), 0);
	CHECK_EQ(try_once(), 0);
	CHECK_EQ(table_of(PTES)->present, 1);
}

UNIT_MAIN_WITH(set_up, fake_tear_down)
