// SPDX-License-Identifier: GPL-2.0-only
/*
 * How a check brackets its estimate.  The test provides what each side reports at each
 * time; bracket.c and tables.c read no process, module or /proc here.
 */
#include <stdbool.h>

#include "base/clock.h"

/* Slow: one second passes between two looks at the clock. */
static bool is_slow;

uint64_t ptu_now_ns(void)
{
	static uint64_t now_ns;

	return now_ns += is_slow ? PTU_NS_PER_SEC : 1;
}

#include "measure/bracket.c"

#include "fake_process.h"

static unsigned int at_rest(unsigned int i, unsigned int look)
{
	return 100 + i % 100;
}

UNIT_TEST(a_process_at_rest_needs_one_bracket)
{
	CHECK_EQ(checked(20, at_rest), 0);
	CHECK_EQ(got.tries, 1);
	/* kernel, estimate, kernel: the row uses that estimate */
	CHECK_EQ(process.look, 3);
}

/* Both walks of each bracket count one page more than the estimate. */
static unsigned int one_counted_less(unsigned int i, unsigned int look)
{
	return i == 7 && look % 3 == 1 ? 99 : 100;
}

UNIT_TEST(contents_that_differ_each_time_alike_are_unexplained)
{
	CHECK_EQ(checked(20, one_counted_less), 1);
	CHECK_EQ(got.tries, PTU_WHOLE_TRIES);
	CHECK_EQ(got.nr_unexplained, 1);
	CHECK(got.unexplained[0].contents);
	CHECK_EQ(got.unexplained[0].start, A + 7 * 2 * MIB);
	CHECK_EQ(got.unexplained[0].entries, 100);
	CHECK_EQ(got.unexplained[0].entries_estimated, 99);
}

/* Reading allocates and frees memory of our own, so such a difference does not count. */
UNIT_TEST(contents_of_our_own_tables_are_not_compared)
{
	whom = getpid();
	CHECK_EQ(checked(20, one_counted_less), 0);
	CHECK_EQ(got.tries, 1);
	CHECK_EQ(got.levels[PTAUDIT_PTE].kernel, 20);
	CHECK_EQ(got.levels[PTAUDIT_PTE].estimate, 20);
}

/* A difference in a range whose mappings keep changing proves nothing. */
UNIT_TEST(a_difference_where_mappings_change_is_in_flux)
{
	process.changed = (struct ptu_span){ A + 15 * MIB, A + 15 * MIB + 1 };
	CHECK_EQ(checked(20, one_counted_less), 0);
	CHECK_EQ(got.status, PTU_STATUS_OK);
	CHECK_EQ(got.nr_unexplained, 0);
	CHECK_EQ(got.levels[PTAUDIT_PTE].kernel, 20);
	/* table 7 ends at 16 MiB */
	process.changed = (struct ptu_span){ A + 16 * MIB, A + 17 * MIB };
	CHECK_EQ(checked(20, one_counted_less), 1);
	CHECK_EQ(got.nr_unexplained, 1);
}

/* If mappings change between two pages of smaps, smaps shows them twice or not at all. */
UNIT_TEST(a_difference_without_flags_to_be_read_is_in_flux)
{
	process.flags = -EAGAIN;
	CHECK_EQ(checked(20, one_counted_less), 0);
	CHECK_EQ(got.status, PTU_STATUS_OK);
	CHECK_EQ(got.nr_unexplained, 0);
	process.flags = -EACCES;
	CHECK_EQ(checked(20, one_counted_less), 2);
	CHECK_EQ(got.status, PTU_STATUS_FAILED);
	/* a recording does not change */
	process.flags = -EAGAIN;
	process.is_recording = true;
	CHECK_EQ(checked(20, one_counted_less), 2);
}

/* The flags cannot be read in each bracket, which is accepted; then the walks fail. */
UNIT_TEST(the_message_is_that_of_the_step_that_failed)
{
	process.flags = -EAGAIN;
	process.lost_from = 3 * (PTU_WHOLE_TRIES + 1);
	CHECK_EQ(checked(20, one_counted_less), 2);
	CHECK_STR(got.error, "no walk");
}

/* Table 7 is empty, and the estimator sees no empty tables. */
static unsigned int one_empty(unsigned int i, unsigned int look)
{
	return i != 7 ? 100 : look % 3 == 1 ? NO_TABLE : 0;
}

/* The counter includes the empty table. */
static unsigned int has_empty(unsigned int look)
{
	return look % 3 == 1;
}

UNIT_TEST(a_cause_where_mappings_change_is_not_proven)
{
	fake.blind = 1u << PTAUDIT_K_NONE;
	process.more = has_empty;
	process.is_mapped = true;
	CHECK_EQ(checked(20, one_empty), 0);
	CHECK_EQ(got.tries, 1);
	CHECK_EQ(got.levels[PTAUDIT_PTE].explained, 1);
	process.changed = (struct ptu_span){ A + 15 * MIB, A + 15 * MIB + 1 };
	CHECK_EQ(checked(20, one_empty), 0);
	CHECK_EQ(got.levels[PTAUDIT_PTE].explained, 0);
	CHECK_EQ(got.levels[PTAUDIT_PTE].in_flux, 1);
}

UNIT_TEST(a_bracket_with_a_walk_during_which_entries_moved_is_taken_again)
{
	for (process.moved = 1; process.moved <= 3; process.moved += 2) {
		CHECK_EQ(checked(20, at_rest), 0);
		CHECK_EQ(got.tries, 2);
	}
}

/* In nr_flipping tables, each estimate counts another number of pages. */
static unsigned int nr_flipping;

static unsigned int flips(unsigned int i, unsigned int look)
{
	return i < nr_flipping && look % 3 == 1 ? 50 + look % 7 : 100;
}

UNIT_TEST(contents_that_keep_changing_are_in_flux)
{
	nr_flipping = 8;
	CHECK_EQ(checked(20, flips), 0);
	CHECK_EQ(got.status, PTU_STATUS_OK);
	CHECK_EQ(got.nr_unexplained, 0);
}

UNIT_TEST(too_many_tables_in_flux_make_a_process_unstable)
{
	nr_flipping = 9;
	CHECK_EQ(checked(20, flips), 2);
	CHECK_EQ(got.status, PTU_STATUS_UNSTABLE);
	CHECK(strstr(got.error, "9 of 23 tables kept changing"));
}

/* 5 % of 403 tables are 20. */
UNIT_TEST(flux_limit_is_5_percent_of_many_tables)
{
	nr_flipping = 20;
	CHECK_EQ(checked(400, flips), 0);
	nr_flipping = 21;
	CHECK_EQ(checked(400, flips), 2);
}

/* The whole process never agrees; each table alone agrees at once. */
static unsigned int calms_down(unsigned int i, unsigned int look)
{
	return i < 30 && look % 3 == 1 && look < 3 * PTU_WHOLE_TRIES ? 99 : 100;
}

UNIT_TEST(table_that_agrees_in_a_local_bracket_is_matched)
{
	CHECK_EQ(checked(100, calms_down), 0);
	CHECK_EQ(got.levels[PTAUDIT_PTE].kernel, 100);
	CHECK_EQ(got.levels[PTAUDIT_PTE].estimate, 100);
	CHECK_EQ(got.levels[PTAUDIT_PTE].in_flux, 0);
}

/* The kernel has table 7 only after the brackets of the whole process. */
static unsigned int comes_late(unsigned int i, unsigned int look)
{
	return i == 7 && look % 3 != 1 && look < 3 * PTU_WHOLE_TRIES ?
		       NO_TABLE :
		       100;
}

/* Only during those brackets, the estimate has table 7; the kernel never has it. */
static unsigned int goes_late(unsigned int i, unsigned int look)
{
	return i == 7 && (look % 3 != 1 || look >= 3 * PTU_WHOLE_TRIES) ?
		       NO_TABLE :
		       100;
}

UNIT_TEST(table_that_both_sides_have_later_or_neither_is_matched)
{
	CHECK_EQ(checked(20, comes_late), 0);
	CHECK_EQ(got.levels[PTAUDIT_PTE].kernel, 20);
	CHECK_EQ(got.levels[PTAUDIT_PTE].estimate, 20);
	CHECK_EQ(checked(20, goes_late), 0);
	CHECK_EQ(got.levels[PTAUDIT_PTE].kernel, 19);
	CHECK_EQ(got.levels[PTAUDIT_PTE].estimate, 19);
	CHECK_EQ(got.levels[PTAUDIT_PTE].in_flux, 0);
}

/* No bracket can be taken again: nothing is proven. */
UNIT_TEST(a_difference_that_cannot_be_measured_again_is_in_flux)
{
	process.busy_from = 3 * PTU_WHOLE_TRIES;
	CHECK_EQ(checked(20, one_counted_less), 0);
	CHECK_EQ(got.nr_unexplained, 0);
	CHECK_EQ(process.look, 3 * (PTU_WHOLE_TRIES + PTU_LOCAL_TRIES));
}

/* The first bracket is complete, and after it no other one can be taken. */
UNIT_TEST(bracket_before_those_that_could_not_be_taken_counts)
{
	process.busy_from = 3;
	CHECK_EQ(checked(20, one_counted_less), 0);
	CHECK_EQ(got.status, PTU_STATUS_OK);
	CHECK_EQ(got.levels[PTAUDIT_PTE].kernel, 20);
	CHECK_EQ(got.nr_unexplained, 0);
	process.busy_from = 1;
	CHECK_EQ(checked(20, one_counted_less), 2);
	CHECK_EQ(got.status, PTU_STATUS_UNSTABLE);
}

/* More tables differ than get brackets of their own: all of them agree later. */
static unsigned int all_calm_down(unsigned int i, unsigned int look)
{
	return look % 3 == 1 && look < 3 * PTU_WHOLE_TRIES ? 99 : 100;
}

UNIT_TEST(tables_beyond_the_limit_that_agree_later_are_matched)
{
	const unsigned int nr = PTU_LOCAL_DIFFS + 44;

	CHECK_EQ(checked(nr, all_calm_down), 0);
	CHECK_EQ(got.nr_unexplained, 0);
	CHECK_EQ(got.levels[PTAUDIT_PTE].kernel, nr);
	CHECK_EQ(got.levels[PTAUDIT_PTE].in_flux, 0);
	/* one bracket of the whole process is enough for the last 44 */
	CHECK_EQ(process.look, 3 * (PTU_WHOLE_TRIES + PTU_LOCAL_DIFFS + 1));
}

static unsigned int all_counted_less(unsigned int i, unsigned int look)
{
	return look % 3 == 1 ? 99 : 100;
}

UNIT_TEST(tables_beyond_the_limit_that_differ_alike_are_unexplained)
{
	const unsigned int nr = PTU_LOCAL_DIFFS + 44;

	CHECK_EQ(checked(nr, all_counted_less), 1);
	CHECK_EQ(got.nr_unexplained, nr);
	CHECK_EQ(process.look, 3 * (PTU_WHOLE_TRIES +
				    PTU_LOCAL_TRIES * (PTU_LOCAL_DIFFS + 1)));
}

/* Four tables are compared alone in less than five seconds, the other 16 together. */
UNIT_TEST(tables_beyond_the_time_limit_are_compared_together)
{
	is_slow = true;
	CHECK_EQ(checked(20, all_counted_less), 1);
	CHECK_EQ(got.nr_unexplained, 20);
	CHECK_EQ(process.look,
		 3 * (PTU_WHOLE_TRIES + PTU_LOCAL_TRIES * (4 + 1)));
}

/* The tables beyond the limit are never the same in two brackets. */
static unsigned int last_ones_flip(unsigned int i, unsigned int look)
{
	return i < PTU_LOCAL_DIFFS ? all_calm_down(i, look) :
	       look % 3 == 1	   ? 50 + look % 7 :
				     100;
}

UNIT_TEST(tables_beyond_the_limit_that_keep_changing_are_in_flux)
{
	/* 5 % of 269 tables are 13 */
	CHECK_EQ(checked(PTU_LOCAL_DIFFS + 10, last_ones_flip), 0);
	CHECK_EQ(got.status, PTU_STATUS_OK);
	CHECK_EQ(got.nr_unexplained, 0);
	CHECK_EQ(checked(PTU_LOCAL_DIFFS + 14, last_ones_flip), 2);
	CHECK_EQ(got.status, PTU_STATUS_UNSTABLE);
}

/* The LDT is replaced by a larger one during each bracket, and by a smaller one after it. */
static unsigned int replaced(unsigned int look)
{
	return look % 3 ? 2 : 1;
}

static unsigned int replaced_until_the_last(unsigned int look)
{
	return look < 3 * PTU_WHOLE_TRIES ? replaced(look) : 2;
}

UNIT_TEST(an_ldt_that_keeps_changing_is_in_flux)
{
	process.ldt = replaced;
	CHECK_EQ(checked(20, at_rest), 0);
	CHECK_EQ(got.nr_unexplained, 0);
	CHECK_EQ(got.levels[PTAUDIT_PTE].in_flux, 1);
	process.ldt = replaced_until_the_last;
	CHECK_EQ(checked(20, at_rest), 0);
	CHECK_EQ(got.levels[PTAUDIT_PTE].in_flux, 0);
	CHECK_EQ(got.levels[PTAUDIT_PTE].explained, 1);
}

/* Eight tables come between the estimate and the second walk. */
static unsigned int eight_come(unsigned int i, unsigned int look)
{
	return i < 8 && look < 2 ? NO_TABLE : 100;
}

/* Between the walks, seven tables went, of which the estimate has none. */
static unsigned int seven_go(unsigned int i, unsigned int look)
{
	return i < 7 && look > 0 ? NO_TABLE : 100;
}

/* A recording cannot be measured again. */
UNIT_TEST(tables_that_came_or_went_in_a_recording_are_in_flux)
{
	process.is_recording = true;
	CHECK_EQ(checked(20, eight_come), 0);
	CHECK_EQ(process.look, 3);
	CHECK_EQ(got.status, PTU_STATUS_OK);
	CHECK_EQ(got.nr_unexplained, 0);
	CHECK_EQ(got.levels[PTAUDIT_PTE].in_flux, 8);
	CHECK_EQ(checked(20, seven_go), 0);
	CHECK_EQ(got.nr_unexplained, 0);
	/* both walks have it */
	CHECK_EQ(checked(20, one_counted_less), 1);
	CHECK_EQ(got.nr_unexplained, 1);
}

/*
 * A munmap() of 900 tables is in progress: no mapping covers them, and the counter has
 * them until mmap_lock is released.
 */
static unsigned int nr_unmapped;

static unsigned int unmapped(unsigned int look)
{
	return nr_unmapped;
}

/* Check a process at rest whose counter changes. */
static int checked_counter(unsigned int (*more)(unsigned int look),
			   unsigned int more_behind)
{
	int status;

	process.more = more;
	process.more_behind = more_behind;
	status = checked(20, at_rest);
	process.more = NULL;
	return status;
}

UNIT_TEST(residual_of_a_counter_at_rest_is_unexplained)
{
	nr_unmapped = 900;
	CHECK_EQ(checked_counter(unmapped, 900), 1);
	CHECK_EQ(got.tries, PTU_WHOLE_TRIES);
	CHECK_EQ(got.vmpte_unexplained_bytes, 900 * 4096);
	CHECK_EQ(got.vmpte_in_flux_bytes, 0);
	CHECK_EQ(ptu_process_unexplained(&got), 1);
}

UNIT_TEST(residual_of_a_counter_that_one_walk_read_otherwise_is_in_flux)
{
	nr_unmapped = 8;
	for (process.odd = 1; process.odd <= 4; process.odd++) {
		CHECK_EQ(checked_counter(unmapped, 8), 0);
		CHECK_EQ(got.vmpte_unexplained_bytes, 0);
		CHECK(got.vmpte_in_flux_bytes);
	}
	process.odd = 0;
	CHECK_EQ(checked_counter(unmapped, 8), 1);
}

/* A table that moved meanwhile can be missing in both walks. */
UNIT_TEST(residual_of_tables_of_different_moments_is_in_flux)
{
	nr_unmapped = 8;
	for (process.in_pieces = 1; process.in_pieces < 4;
	     process.in_pieces++) {
		CHECK_EQ(checked_counter(unmapped, 8), 0);
		CHECK_EQ(got.vmpte_unexplained_bytes, 0);
		CHECK_EQ(got.vmpte_in_flux_bytes, 8 * 4096);
	}
	process.in_pieces = 0;
	CHECK_EQ(checked_counter(unmapped, 8), 1);
}

UNIT_TEST(residual_that_goes_with_mmap_lock_is_in_flux)
{
	nr_unmapped = 8;
	CHECK_EQ(checked_counter(unmapped, 0), 0);
	CHECK_EQ(got.tries, PTU_WHOLE_TRIES);
	CHECK_EQ(got.vmpte_unexplained_bytes, 0);
	CHECK_EQ(got.vmpte_in_flux_bytes, 8 * 4096);
}

/* The walk that waits for mmap_lock finds that the process changes too much. */
UNIT_TEST(residual_that_cannot_be_read_under_the_lock_is_in_flux)
{
	nr_unmapped = 8;
	process.behind = -EAGAIN;
	CHECK_EQ(checked_counter(unmapped, 8), 0);
	CHECK_EQ(got.vmpte_unexplained_bytes, 0);
	CHECK_EQ(got.vmpte_in_flux_bytes, 8 * 4096);
	process.behind = -EACCES;
	CHECK_EQ(checked_counter(unmapped, 8), 2);
	CHECK_EQ(got.status, PTU_STATUS_FAILED);
}

UNIT_TEST(process_with_large_residual_in_flux_is_unstable)
{
	nr_unmapped = 900;
	CHECK_EQ(checked_counter(unmapped, 0), 2);
	CHECK_EQ(got.status, PTU_STATUS_UNSTABLE);
	CHECK_EQ(got.vmpte_unexplained_bytes, 0);
}

static unsigned int one(unsigned int look)
{
	return 1;
}

/* Only the walk before the estimate finds a deposited table. */
static unsigned int found_before(unsigned int look)
{
	return look % 3 == 0;
}

/* A huge page came and another one went, so the counter has its old value. */
UNIT_TEST(residual_of_only_one_walk_is_in_flux)
{
	process.deposited = found_before;
	CHECK_EQ(checked_counter(one, 1), 0);
	CHECK_EQ(got.tries, PTU_WHOLE_TRIES);
	CHECK_EQ(got.vmpte_unexplained_bytes, 0);
	CHECK_EQ(got.vmpte_in_flux_bytes, 4096);
	/* neither walk finds the deposited table */
	process.deposited = NULL;
	CHECK_EQ(checked_counter(one, 1), 1);
	CHECK_EQ(got.vmpte_unexplained_bytes, 4096);
}

/* The counter falls with each look, but never reaches the sum. */
static unsigned int shrinking(unsigned int look)
{
	return 100 - look;
}

UNIT_TEST(residual_of_a_moving_counter_is_not_unexplained)
{
	/* the value under the lock is ignored, because the counter had changed before */
	CHECK_EQ(checked_counter(shrinking, 99 - 3 * PTU_WHOLE_TRIES), 2);
	CHECK_EQ(got.status, PTU_STATUS_UNSTABLE);
	CHECK_EQ(got.vmpte_unexplained_bytes, 0);
	CHECK_EQ(ptu_process_unexplained(&got), 0);
}

/* The munmap() falls into the first bracket; the next one comes after it. */
static unsigned int unmapped_once(unsigned int look)
{
	return look < 3 ? 900 : 0;
}

UNIT_TEST(bracket_after_a_munmap_adds_up)
{
	CHECK_EQ(checked_counter(unmapped_once, 0), 0);
	CHECK_EQ(got.tries, 2);
	CHECK_EQ(got.vmpte_unexplained_bytes, 0);
	CHECK_EQ(got.vmpte_in_flux_bytes, 0);
	CHECK_EQ(got.vmpte_bytes, 22 * 4096);
}

/* One of the counter's values equals the sum. */
static unsigned int grows_late(unsigned int look)
{
	return look % 3 == 1 ? 3 : 0;
}

UNIT_TEST(sum_that_the_counter_passed_is_in_flux_by_the_rest)
{
	CHECK_EQ(checked_counter(grows_late, 0), 0);
	CHECK_EQ(got.vmpte_unexplained_bytes, 0);
	CHECK_EQ(got.vmpte_in_flux_bytes, 3 * 4096);
}

/* A table was added after the evidence was read. */
static unsigned int evidence_moves(unsigned int look)
{
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
	struct build b;

	build_init(&b, 4, false);
	measure.geo = &b.geo;
	process.nr_tables = 20;
	process.pages = at_rest;
	process.look = 0;
	process.faulted = true;
	CHECK_EQ(ptu_measure_estimate(&measure, 4242, &got), 0);
	CHECK_EQ(got.status, PTU_STATUS_OK);
	CHECK_EQ(got.residual_bytes, 0);
	CHECK(!got.faulted);
	CHECK_EQ(got.vmpte_before_bytes, 22 * 4096);
	CHECK_EQ(got.vmpte_bytes, 22 * 4096);
	drop_got();
	process.more = evidence_moves;
	process.look = process.nr_evidence = 0;
	CHECK_EQ(ptu_measure_estimate(&measure, 4242, &got), 0);
	CHECK_EQ(got.vmpte_before_bytes, 22 * 4096);
	CHECK_EQ(got.vmpte_bytes, 23 * 4096);
	CHECK_EQ(got.residual_bytes, 4096);
	CHECK(got.faulted);
	build_deinit(&b);
}

/* Each test begins with a process that does not change, and with a clock that is fast. */
static void forget(void)
{
	memset(&process, 0, sizeof(process));
	fake.blind = 0;
	whom = 4242;
	is_slow = false;
	drop_got();
}

UNIT_MAIN_WITH(NULL, forget)
