// SPDX-License-Identifier: GPL-2.0-only
/*
 * `check` and `estimate` measure a process in steps.  These tests check the order of the
 * steps, and the status that a failed step leads to.  The test provides each step's result.
 */
#include "measure/fake_steps.h"

static void drop_got(void)
{
	ptu_process_deinit(&got);
	memset(&got, 0, sizeof(got));
}

static void set_up(void)
{
	calls_set_up();
	drop_got();
	nr_thawed = nr_brackets = nr_evidence = 0;
	without_mm_from = UINT_MAX;
	is_stated = is_unstable = has_faulted = again_of_bpf = false;
	flux_limit = residual_bytes = 0;
	noted = 0;
	changed = (struct ptu_span){ 0 };
	estimator = (struct ptu_estimator){ 0 };
	side = (struct ptu_kernel_side){ .which = PTU_SIDE_MODULE };
	measure = (struct ptu_measure){ .geo = &four_levels,
					.side = &side,
					.estimators = estimators,
					.nr_estimators = 1,
					.error = &noted };
}

static int measured(int (*how)(const struct ptu_measure *, pid_t,
			       struct ptu_process *))
{
	int error;

	drop_got();
	/* an old value in the report must be overwritten */
	got.tries = 99;
	error = how(&measure, 42, &got);
	if (nr_open || nr_brackets || nr_evidence)
		UNIT_FAIL("something is still open");
	if (nr_thawed != calls[FREEZE])
		UNIT_FAIL("%u of %u are thawed", nr_thawed, calls[FREEZE]);
	return error;
}

static int check(void)
{
	return measured(ptu_measure_check);
}

static int estimate(void)
{
	return measured(ptu_measure_estimate);
}

static void check_identity(void)
{
	CHECK_EQ(got.pid, 42);
	CHECK_EQ(got.tid, 43);
	CHECK_EQ(got.start_time, 77);
	CHECK_STR(got.comm, "made");
	CHECK_EQ(got.uid, 1000);
	CHECK_EQ(got.rss_bytes, 5 * PAGE);
	CHECK_EQ(got.status, PTU_STATUS_OK);
	CHECK_EQ(noted, 0);
}

UNIT_TEST(check_takes_each_step_once)
{
	static const enum call steps[] = { OPEN,	 MEMORY, STATUS,
					   BEST,	 SETTLE, TALLY_CHECK,
					   TALLY_KERNEL, RUN_ALL };

	CHECK_EQ(check(), 0);
	check_identity();
	CHECK_EQ(got.tries, 0);
	CHECK_EQ(got.mm, 500);
	CHECK(got.has_vmpte);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		CHECK_EQ(calls[steps[i]], 1);
	CHECK_EQ(calls[TALLY_COUNTS] + calls[BPF] + calls[ORPHANS] +
			 calls[DRAW] + calls[FREEZE],
		 0);
}

UNIT_TEST(check_takes_the_steps_that_are_asked_for)
{
	struct ptu_check_maps *maps = calloc(1, sizeof(*maps));

	measure.freeze = measure.orphans = true;
	measure.maps = maps;
	side.which = PTU_SIDE_BOTH;
	is_stated = true;
	CHECK_EQ(check(), 0);
	CHECK_EQ(calls[FREEZE], 1);
	CHECK_EQ(calls[TALLY_COUNTS], 1);
	CHECK_EQ(calls[TALLY_CHECK], 0);
	CHECK_EQ(calls[BPF], 1);
	CHECK(again_of_bpf);
	CHECK_EQ(calls[ORPHANS], 1);
	CHECK_EQ(calls[DRAW], 1);
	measure.is_recording = true;
	CHECK_EQ(check(), 0);
	CHECK(!again_of_bpf);
	free(maps);
}

UNIT_TEST(an_unstable_process_needs_no_second_walk)
{
	measure.orphans = is_unstable = true;
	CHECK_EQ(check(), 0);
	CHECK_EQ(calls[ORPHANS], 0);
	CHECK_EQ(got.status, PTU_STATUS_UNSTABLE);
}

UNIT_TEST(failure_of_a_step_ends_the_check)
{
	static const enum call steps[] = { OPEN,	MEMORY,	      STATUS,
					   FREEZE,	BEST,	      SETTLE,
					   TALLY_CHECK, TALLY_KERNEL, RUN_ALL,
					   BPF,		ORPHANS,      DRAW };
	struct ptu_check_maps *maps = calloc(1, sizeof(*maps));
	size_t i, k;

	for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		set_up();
		measure.freeze = measure.orphans = true;
		measure.maps = maps;
		side.which = PTU_SIDE_BOTH;
		results[steps[i]][0] = -EIO;
		CHECK_EQ(check(), 0);
		CHECK_EQ(got.status, PTU_STATUS_FAILED);
		CHECK_EQ(noted, -EIO);
		CHECK_EQ(got.pid, 42);
		/* the UID is known even if the process has no memory */
		CHECK_EQ(got.uid,
			 steps[i] == OPEN || steps[i] == STATUS ? 0 : 1000);
		for (k = i + 1; k < sizeof(steps) / sizeof(steps[0]); k++)
			CHECK_EQ(calls[steps[k]],
				 steps[i] == MEMORY && steps[k] == STATUS);
	}
	free(maps);
}

UNIT_TEST(message_is_that_of_the_step)
{
	results[SETTLE][0] = -EIO;
	CHECK_EQ(check(), 0);
	CHECK_STR(got.error, message_of(SETTLE, 0));
	set_up();
	is_silent = true;
	results[SETTLE][0] = -EIO;
	measure.error = NULL;
	CHECK_EQ(check(), 0);
	CHECK_STR(got.error, strerror(EIO));
	set_up();
	/* a process without memory is explained by that, whatever `status` says */
	results[MEMORY][0] = -EINVAL;
	results[STATUS][0] = -EIO;
	CHECK_EQ(check(), 0);
	CHECK_STR(got.error, message_of(MEMORY, 0));
}

UNIT_TEST(error_decides_the_status)
{
	results[BEST][0] = -ESRCH;
	CHECK_EQ(check(), 0);
	CHECK_EQ(got.status, PTU_STATUS_GONE);
	set_up();
	results[BEST][0] = -EAGAIN;
	CHECK_EQ(check(), 0);
	CHECK_EQ(got.status, PTU_STATUS_UNSTABLE);
	set_up();
	results[BEST][0] = -ENOMEM;
	CHECK_EQ(check(), -ENOMEM);
	set_up();
	results[EVIDENCE][0] = -ENOMEM;
	CHECK_EQ(estimate(), -ENOMEM);
	set_up();
	results[OPEN][0] = -ENOMEM;
	CHECK_EQ(estimate(), -ENOMEM);
}

UNIT_TEST(a_process_that_calls_exec_is_checked_again)
{
	results[TALLY_KERNEL][0] = -ESTALE;
	CHECK_EQ(check(), 0);
	check_identity();
	CHECK_EQ(calls[OPEN], 2);
	CHECK_EQ(calls[TALLY_CHECK], 2);
	set_up();
	for (unsigned int i = 0; i < PTU_OPEN_TRIES; i++)
		results[SETTLE][i] = -ESTALE;
	CHECK_EQ(check(), 0);
	CHECK_EQ(calls[SETTLE], PTU_OPEN_TRIES);
	CHECK_EQ(got.status, PTU_STATUS_FAILED);
	CHECK_STR(got.error, message_of(SETTLE, 4));
}

UNIT_TEST(another_thread_is_identified_if_one_has_ended)
{
	results[MEMORY][0] = results[MEMORY][1] = -ESTALE;
	CHECK_EQ(check(), 0);
	check_identity();
	CHECK_EQ(calls[OPEN], 3);
	CHECK_EQ(calls[BEST], 1);
	/* the message of the first thread is dropped */
	set_up();
	results[MEMORY][0] = -ESTALE;
	results[MEMORY][1] = -EINVAL;
	CHECK_EQ(check(), 0);
	CHECK_STR(got.error, message_of(MEMORY, 1));
	set_up();
	for (unsigned int i = 0; i < MOST_CALLS; i++)
		results[OPEN][i] = -ESTALE;
	CHECK_EQ(ptu_measure_identify(42, &(struct ptu_proc){ 0 }, &got, &err),
		 -ESTALE);
	CHECK_EQ(calls[OPEN], PTU_OPEN_TRIES);
}

UNIT_TEST(refusal_of_an_ended_process_means_that_it_has_ended)
{
	results[BEST][0] = -EACCES;
	results[PROC_SAME][0] = -ESRCH;
	CHECK_EQ(check(), 0);
	CHECK_EQ(got.status, PTU_STATUS_GONE);
	set_up();
	results[BEST][0] = -EACCES;
	CHECK_EQ(check(), 0);
	CHECK_EQ(got.status, PTU_STATUS_FAILED);
	CHECK_EQ(noted, -EACCES);
	set_up();
	results[BEST][0] = -EIO;
	results[PROC_SAME][0] = -ESRCH;
	CHECK_EQ(check(), 0);
	CHECK_EQ(got.status, PTU_STATUS_FAILED);
}

UNIT_TEST(a_process_without_an_mm_is_exiting)
{
	without_mm_from = 1;
	results[BEST][0] = -EINVAL;
	CHECK_EQ(check(), 0);
	CHECK_EQ(got.status, PTU_STATUS_GONE);
	CHECK_STR(got.error, "it is gone");
	/* it has an mm, so something else is invalid */
	set_up();
	results[BEST][0] = -EINVAL;
	CHECK_EQ(check(), 0);
	CHECK_EQ(got.status, PTU_STATUS_FAILED);
	/* the status cannot be read, so it is unknown whether the process has an mm */
	set_up();
	without_mm_from = 1;
	results[BEST][0] = -EINVAL;
	results[STATUS][1] = -EIO;
	CHECK_EQ(check(), 0);
	CHECK_EQ(got.status, PTU_STATUS_FAILED);
	/* a recorded process cannot exit */
	set_up();
	without_mm_from = 1;
	measure.is_recording = true;
	results[BEST][0] = -EINVAL;
	CHECK_EQ(check(), 0);
	CHECK_EQ(got.status, PTU_STATUS_FAILED);
	CHECK_EQ(calls[STATUS], 1);
	/* without an mm from the start */
	set_up();
	without_mm_from = 0;
	CHECK_EQ(check(), 0);
	CHECK_EQ(got.status, PTU_STATUS_GONE);
	CHECK(!got.has_vmpte);
}

UNIT_TEST(an_estimate_reads_status_before_and_after_the_evidence)
{
	CHECK_EQ(estimate(), 0);
	check_identity();
	CHECK_EQ(got.tries, 1);
	CHECK_EQ(calls[STATUS], 2);
	CHECK_EQ(got.vmpte_before_bytes, VMPTE(0));
	CHECK_EQ(got.vmpte_bytes, VMPTE(1));
	CHECK_EQ(got.nr_mappings, 0);
	CHECK_EQ(calls[RUN], 1);
	CHECK_EQ(calls[RUN_ALL], 1);
	CHECK_EQ(calls[FREEZE], 0);
	CHECK(needs & PTU_NEEDS_SCAN);
	CHECK(needs & PTU_TAKES_CHANGES);
	CHECK(needs & PTU_NEEDS_EMPTY);
	CHECK(needs & PTU_NEEDS_NO_NAMES);
	CHECK(!(needs & PTU_NEEDS_COUNTS));
	CHECK(sees_empty_tables);
}

UNIT_TEST(an_estimate_reads_what_is_asked_for)
{
	estimator.blind = 1u << PTAUDIT_K_NONE;
	measure.fill = measure.by_mapping = measure.freeze = true;
	CHECK_EQ(estimate(), 0);
	CHECK(needs & PTU_NEEDS_COUNTS);
	CHECK(!(needs & PTU_NEEDS_NO_NAMES));
	CHECK_EQ(got.nr_mappings, 1);
	CHECK(!sees_empty_tables);
	/* `status` is read again after the process was stopped */
	CHECK_EQ(calls[FREEZE], 1);
	CHECK_EQ(calls[STATUS], 3);
	CHECK_EQ(got.vmpte_before_bytes, VMPTE(1));
	CHECK_EQ(got.vmpte_bytes, VMPTE(2));
}

UNIT_TEST(page_faults_matter_only_with_a_residual_and_without_freezing)
{
	has_faulted = true;
	CHECK_EQ(estimate(), 0);
	CHECK(!got.faulted);
	set_up();
	has_faulted = true;
	residual_bytes = PAGE;
	CHECK_EQ(estimate(), 0);
	CHECK(got.faulted);
	set_up();
	has_faulted = measure.freeze = true;
	residual_bytes = PAGE;
	CHECK_EQ(estimate(), 0);
	CHECK(!got.faulted);
	set_up();
	residual_bytes = PAGE;
	CHECK_EQ(estimate(), 0);
	CHECK(!got.faulted);
}

UNIT_TEST(too_many_tables_in_changed_ranges_make_a_process_unstable)
{
	changed = (struct ptu_span){ A, A + PAGE };
	flux_limit = 1;
	CHECK_EQ(estimate(), 0);
	CHECK_EQ(got.status, PTU_STATUS_OK);
	set_up();
	changed = (struct ptu_span){ A, A + PAGE };
	measure.by_mapping = true;
	CHECK_EQ(estimate(), 0);
	CHECK_EQ(got.status, PTU_STATUS_UNSTABLE);
	CHECK_STR(got.error,
		  "process 42: its mappings changed while they were read, around 1 of 5 tables");
	CHECK_EQ(calls[MAPPINGS], 0);
	CHECK_EQ(calls[RUN_ALL], 0);
}

UNIT_TEST(failure_of_a_step_ends_the_estimate)
{
	static const struct {
		enum call call;
		unsigned int nr;
	} steps[] = { { OPEN, 0 },   { MEMORY, 0 }, { STATUS, 0 },
		      { FREEZE, 0 }, { STATUS, 1 }, { EVIDENCE, 0 },
		      { STATUS, 2 }, { RUN, 0 },    { MAPPINGS, 0 },
		      { RUN_ALL, 0 } };
	size_t i, k;

	for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		set_up();
		measure.freeze = measure.by_mapping = true;
		results[steps[i].call][steps[i].nr] = -EIO;
		CHECK_EQ(estimate(), 0);
		CHECK_EQ(got.status, PTU_STATUS_FAILED);
		CHECK_EQ(got.pid, 42);
		CHECK_EQ(noted, -EIO);
		CHECK_EQ(calls[steps[i].call], steps[i].nr + 1);
		for (k = i + 1; k < sizeof(steps) / sizeof(steps[0]); k++)
			if (steps[k].call != STATUS)
				CHECK_EQ(calls[steps[k].call], 0);
	}
}

UNIT_TEST(an_estimate_opens_another_thread_if_one_has_ended)
{
	results[EVIDENCE][0] = results[EVIDENCE][1] = -ESTALE;
	CHECK_EQ(estimate(), 0);
	check_identity();
	CHECK_EQ(calls[OPEN], 3);
	CHECK_EQ(got.tries, 1);
	set_up();
	for (unsigned int i = 0; i < MOST_CALLS; i++)
		results[EVIDENCE][i] = -ESTALE;
	CHECK_EQ(estimate(), 0);
	CHECK_EQ(calls[EVIDENCE], PTU_OPEN_TRIES);
	CHECK_EQ(got.status, PTU_STATUS_FAILED);
	CHECK_STR(got.error, message_of(EVIDENCE, 4));
	/* the process ends before another thread is opened */
	set_up();
	results[EVIDENCE][0] = -ESTALE;
	results[OPEN][1] = -ESRCH;
	CHECK_EQ(measured(ptu_measure_estimate), 0);
	CHECK_EQ(got.status, PTU_STATUS_GONE);
	CHECK_EQ(got.pid, 42);
}

UNIT_MAIN_WITH(set_up, drop_got)
