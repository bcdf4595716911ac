// SPDX-License-Identifier: GPL-2.0-only
/*
 * How a check brackets its estimate.  The test provides what each side reports at each
 * time; bracket.c and tables.c read no process, module or /proc here.
 */
#include "measure/bracket.c"

#include "fake_process.h"

static unsigned int at_rest(unsigned int i, unsigned int look)
{
	(void)look;
	return 100 + i % 100;
}

UNIT_TEST(a_process_at_rest_needs_one_bracket)
{
	struct ptu_process p;

	CHECK_EQ(checked(20, at_rest, &p), 0);
	CHECK_EQ(p.tries, 1);
	/* kernel, estimate, kernel: the row uses that estimate */
	CHECK_EQ(process.look, 3);
	ptu_process_deinit(&p);
}

/* Both walks of each bracket count one page more than the estimate. */
static unsigned int one_counted_less(unsigned int i, unsigned int look)
{
	return i == 7 && look % 3 == 1 ? 99 : 100;
}

UNIT_TEST(contents_that_differ_each_time_alike_are_unexplained)
{
	struct ptu_process p;

	CHECK_EQ(checked(20, one_counted_less, &p), 1);
	CHECK_EQ(p.tries, PTU_WHOLE_TRIES);
	CHECK_EQ(p.nr_unexplained, 1);
	CHECK(p.unexplained[0].contents);
	CHECK_EQ(p.unexplained[0].start, A + 7 * 2 * MIB);
	CHECK_EQ(p.unexplained[0].entries, 100);
	CHECK_EQ(p.unexplained[0].entries_estimated, 99);
	ptu_process_deinit(&p);
}

/* Reading allocates and frees memory of our own, so such a difference does not count. */
UNIT_TEST(contents_of_our_own_tables_are_not_compared)
{
	struct ptu_process p;

	whom = getpid();
	CHECK_EQ(checked(20, one_counted_less, &p), 0);
	CHECK_EQ(p.tries, 1);
	CHECK_EQ(p.levels[PTAUDIT_PTE].kernel, 20);
	CHECK_EQ(p.levels[PTAUDIT_PTE].estimate, 20);
	ptu_process_deinit(&p);
	whom = 4242;
}

/* A difference in a range whose mappings keep changing proves nothing. */
UNIT_TEST(a_difference_where_mappings_change_is_in_flux)
{
	struct ptu_process p;

	process.changed = (struct ptu_span){ A + 15 * MIB, A + 15 * MIB + 1 };
	CHECK_EQ(checked(20, one_counted_less, &p), 0);
	CHECK_EQ(p.status, PTU_STATUS_OK);
	CHECK_EQ(p.nr_unexplained, 0);
	CHECK_EQ(p.levels[PTAUDIT_PTE].kernel, 20);
	ptu_process_deinit(&p);
	/* table 7 ends at 16 MiB */
	process.changed = (struct ptu_span){ A + 16 * MIB, A + 17 * MIB };
	CHECK_EQ(checked(20, one_counted_less, &p), 1);
	CHECK_EQ(p.nr_unexplained, 1);
	ptu_process_deinit(&p);
	process.changed = (struct ptu_span){ 0 };
}

/* If mappings change between two pages of smaps, smaps shows them twice or not at all. */
UNIT_TEST(a_difference_without_flags_to_be_read_is_in_flux)
{
	struct ptu_process p;

	process.flags = -EAGAIN;
	CHECK_EQ(checked(20, one_counted_less, &p), 0);
	CHECK_EQ(p.status, PTU_STATUS_OK);
	CHECK_EQ(p.nr_unexplained, 0);
	ptu_process_deinit(&p);
	process.flags = -EACCES;
	CHECK_EQ(checked(20, one_counted_less, &p), 2);
	CHECK_EQ(p.status, PTU_STATUS_FAILED);
	ptu_process_deinit(&p);
	process.flags = 0;
}

/* The same, but with another number each time, in nr_flipping of the tables. */
static unsigned int nr_flipping;

static unsigned int flips(unsigned int i, unsigned int look)
{
	return i < nr_flipping && look % 3 == 1 ? 50 + look % 7 : 100;
}

UNIT_TEST(contents_that_keep_changing_are_in_flux)
{
	struct ptu_process p;

	nr_flipping = 8;
	CHECK_EQ(checked(20, flips, &p), 0);
	CHECK_EQ(p.status, PTU_STATUS_OK);
	CHECK_EQ(p.nr_unexplained, 0);
	ptu_process_deinit(&p);
}

UNIT_TEST(too_many_tables_in_flux_make_a_process_unstable)
{
	struct ptu_process p;

	nr_flipping = 9;
	CHECK_EQ(checked(20, flips, &p), 2);
	CHECK_EQ(p.status, PTU_STATUS_UNSTABLE);
	CHECK(strstr(p.error, "9 of 23 tables kept changing"));
	ptu_process_deinit(&p);
}

/* 5 % of 403 tables are 20. */
UNIT_TEST(flux_limit_is_5_percent_of_many_tables)
{
	struct ptu_process p;

	nr_flipping = 20;
	CHECK_EQ(checked(400, flips, &p), 0);
	ptu_process_deinit(&p);
	nr_flipping = 21;
	CHECK_EQ(checked(400, flips, &p), 2);
	ptu_process_deinit(&p);
}

/* The whole process never agrees; each table alone agrees at once. */
static unsigned int calms_down(unsigned int i, unsigned int look)
{
	return i < 30 && look % 3 == 1 && look < 3 * PTU_WHOLE_TRIES ? 99 : 100;
}

UNIT_TEST(table_that_agrees_in_a_local_bracket_is_matched)
{
	struct ptu_process p;

	CHECK_EQ(checked(100, calms_down, &p), 0);
	CHECK_EQ(p.levels[PTAUDIT_PTE].kernel, 100);
	CHECK_EQ(p.levels[PTAUDIT_PTE].estimate, 100);
	CHECK_EQ(p.levels[PTAUDIT_PTE].in_flux, 0);
	ptu_process_deinit(&p);
}

/*
 * A munmap() of 900 tables is in progress: no mapping covers them, and the counter has
 * them until mmap_lock is released.
 */
static unsigned int nr_unmapped;

static unsigned int unmapped(unsigned int look)
{
	(void)look;
	return nr_unmapped;
}

/* Check a process at rest whose counter changes. */
static int checked_counter(unsigned int (*more)(unsigned int look),
			   unsigned int more_behind, struct ptu_process *ret)
{
	int status;

	process.more = more;
	process.more_behind = more_behind;
	status = checked(20, at_rest, ret);
	process.more = NULL;
	return status;
}

UNIT_TEST(residual_of_a_counter_at_rest_is_unexplained)
{
	struct ptu_process p;

	nr_unmapped = 900;
	CHECK_EQ(checked_counter(unmapped, 900, &p), 1);
	CHECK_EQ(p.tries, PTU_WHOLE_TRIES);
	CHECK_EQ(p.vmpte_unexplained_bytes, 900 * 4096);
	CHECK_EQ(p.vmpte_in_flux_bytes, 0);
	CHECK_EQ(ptu_process_unexplained(&p), 1);
	ptu_process_deinit(&p);
}

UNIT_TEST(residual_that_goes_with_mmap_lock_is_in_flux)
{
	struct ptu_process p;

	nr_unmapped = 8;
	CHECK_EQ(checked_counter(unmapped, 0, &p), 0);
	CHECK_EQ(p.tries, PTU_WHOLE_TRIES);
	CHECK_EQ(p.vmpte_unexplained_bytes, 0);
	CHECK_EQ(p.vmpte_in_flux_bytes, 8 * 4096);
	ptu_process_deinit(&p);
}

UNIT_TEST(process_with_large_residual_in_flux_is_unstable)
{
	struct ptu_process p;

	nr_unmapped = 900;
	CHECK_EQ(checked_counter(unmapped, 0, &p), 2);
	CHECK_EQ(p.status, PTU_STATUS_UNSTABLE);
	CHECK_EQ(p.vmpte_unexplained_bytes, 0);
	ptu_process_deinit(&p);
}

static unsigned int one(unsigned int look)
{
	(void)look;
	return 1;
}

/* The walk behind the estimate does not find it. */
static unsigned int found_before(unsigned int look)
{
	return look % 3 == 0;
}

/* A huge page came and another one went, so the counter has its old value. */
UNIT_TEST(residual_of_only_one_walk_is_in_flux)
{
	struct ptu_process p;

	process.deposited = found_before;
	CHECK_EQ(checked_counter(one, 1, &p), 0);
	CHECK_EQ(p.tries, PTU_WHOLE_TRIES);
	CHECK_EQ(p.vmpte_unexplained_bytes, 0);
	CHECK_EQ(p.vmpte_in_flux_bytes, 4096);
	ptu_process_deinit(&p);
	/* neither walk finds it */
	process.deposited = NULL;
	CHECK_EQ(checked_counter(one, 1, &p), 1);
	CHECK_EQ(p.vmpte_unexplained_bytes, 4096);
	ptu_process_deinit(&p);
}

/* The counter falls with each look, but never reaches the sum. */
static unsigned int shrinking(unsigned int look)
{
	return 100 - look;
}

UNIT_TEST(residual_of_a_moving_counter_is_not_unexplained)
{
	struct ptu_process p;

	/* the value under the lock is ignored, because the counter had changed before */
	CHECK_EQ(checked_counter(shrinking, 99 - 3 * PTU_WHOLE_TRIES, &p), 2);
	CHECK_EQ(p.status, PTU_STATUS_UNSTABLE);
	CHECK_EQ(p.vmpte_unexplained_bytes, 0);
	CHECK_EQ(ptu_process_unexplained(&p), 0);
	ptu_process_deinit(&p);
}

/* The munmap() falls into the first bracket; the next one comes after it. */
static unsigned int unmapped_once(unsigned int look)
{
	return look < 3 ? 900 : 0;
}

UNIT_TEST(bracket_behind_a_munmap_closes)
{
	struct ptu_process p;

	CHECK_EQ(checked_counter(unmapped_once, 0, &p), 0);
	CHECK_EQ(p.tries, 2);
	CHECK_EQ(p.vmpte_unexplained_bytes, 0);
	CHECK_EQ(p.vmpte_in_flux_bytes, 0);
	CHECK_EQ(p.vmpte_bytes, 22 * 4096);
	ptu_process_deinit(&p);
}

/* One of the counter's values equals the sum. */
static unsigned int grows_late(unsigned int look)
{
	return look % 3 == 1 ? 3 : 0;
}

UNIT_TEST(sum_that_the_counter_passed_is_in_flux_by_the_rest)
{
	struct ptu_process p;

	CHECK_EQ(checked_counter(grows_late, 0, &p), 0);
	CHECK_EQ(p.vmpte_unexplained_bytes, 0);
	CHECK_EQ(p.vmpte_in_flux_bytes, 3 * 4096);
	ptu_process_deinit(&p);
}

/* A table was added after the evidence was read. */
static unsigned int evidence_moves(unsigned int look)
{
	(void)look;
	return process.nr_evidence;
}

/* An estimate reads VmPTE before and after its evidence. */
UNIT_TEST(estimate_has_vmpte_of_before_and_after)
{
	const struct ptu_estimator *estimators[] = { &fake };
	const struct ptu_kernel_side side = { 0 };
	struct ptu_measure measure = { .estimators = estimators,
				       .nr_estimators = 1,
				       .side = &side };
	struct ptu_process p;
	struct build b;

	build_init(&b, 4, false);
	measure.geo = &b.geo;
	process.nr_tables = 20;
	process.pages = at_rest;
	process.look = 0;
	process.faulted = true;
	CHECK_EQ(ptu_measure_estimate(&measure, 4242, &p), 0);
	CHECK_EQ(p.status, PTU_STATUS_OK);
	CHECK_EQ(p.residual_bytes, 0);
	CHECK(!p.faulted);
	CHECK_EQ(p.vmpte_before_bytes, 22 * 4096);
	CHECK_EQ(p.vmpte_bytes, 22 * 4096);
	ptu_process_deinit(&p);
	process.more = evidence_moves;
	process.look = process.nr_evidence = 0;
	CHECK_EQ(ptu_measure_estimate(&measure, 4242, &p), 0);
	process.more = NULL;
	CHECK_EQ(p.vmpte_before_bytes, 22 * 4096);
	CHECK_EQ(p.vmpte_bytes, 23 * 4096);
	CHECK_EQ(p.residual_bytes, 4096);
	CHECK(p.faulted);
	ptu_process_deinit(&p);
	build_deinit(&b);
}

UNIT_MAIN
