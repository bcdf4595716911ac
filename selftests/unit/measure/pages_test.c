// SPDX-License-Identifier: GPL-2.0-only
/*
 * How often `check --pages` reads a process, and what it concludes.  The test provides the
 * mappings, the module's totals and the pages.
 */
#include "measure/pages.h"

#include "fake_mappings.h"

static struct ptu_totals_process got;

static void set_up(void)
{
	calls_set_up();
	for (unsigned int i = 0; i < 2; i++) {
		vmas[i] = (struct ptu_vma){ .start = A + i * MIB,
					    .end = A + i * MIB + 16 * PAGE,
					    .inode = 5,
					    .perms = "rw-s",
					    .has_smaps = true,
					    .has_flags = true };
		by_module[i] = by_proc[i] = 3 + i;
	}
	/* it has no VmFlags that matter */
	vmas[2] = (struct ptu_vma){ .start = VSYSCALL,
				    .end = VSYSCALL + PAGE,
				    .perms = "--xp" };
	nr_vmas = 3;
	mm = 77;
	answered_end = more_in_whole = 0;
	nr_given = 0;
	ksm_is_anon = is_anon = false;
	head_flags = 0;
	has_mm = true;
	nr_files = nr_files_closed = nr_pauses = nr_thawed = 0;
	was_frozen = false;
	pause_us = 0;
}

static int measure(void)
{
	return ptu_totals_measure(PID, false, &four_levels, &got);
}

UNIT_TEST(process_that_agrees_is_read_once)
{
	CHECK_EQ(measure(), 0);
	CHECK_EQ(got.pid, PID);
	CHECK_EQ(got.tid, PID + 1);
	CHECK_STR(got.comm, "built");
	CHECK_EQ(got.status, PTU_STATUS_OK);
	CHECK_STR(got.error, "");
	CHECK_EQ(got.tries, 1);
	CHECK_EQ(got.mappings, 2);
	CHECK(got.whole_checked);
	CHECK_EQ(got.rows[PTU_TOTAL_PRESENT].kernel, 3 + 4);
	CHECK_EQ(got.rows[PTU_TOTAL_PRESENT].proc, 3 + 4);
	CHECK_EQ(got.rows[PTU_TOTAL_FILE].proc, 3 + 4);
	CHECK_EQ(got.rows[PTU_TOTAL_RSS].proc, 3 + 4);
	CHECK_EQ(got.unexplained, 0);
	/* the whole process and two mappings, before and after */
	CHECK_EQ(calls[TOTALS], 6);
	CHECK_EQ(calls[READ], 2);
	CHECK_EQ(calls[SMAPS], 2);
	CHECK_EQ(calls[MAPS_SAME], 1);
	CHECK_EQ(calls[HEAD] + calls[FREEZE], 0);
	CHECK_EQ(nr_pauses, 0);
	CHECK_EQ(nr_files, 1);
	CHECK_EQ(nr_files_closed, 1);
	CHECK_EQ(nr_open, 0);
	CHECK(!was_frozen);
}

UNIT_TEST(lasting_difference_is_read_six_times)
{
	by_module[1] = 6;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(got.tries, 6);
	CHECK_EQ(got.rows[PTU_TOTAL_PRESENT].kernel, 3 + 6);
	CHECK_EQ(got.rows[PTU_TOTAL_PRESENT].unexplained, 2);
	CHECK_EQ(got.rows[PTU_TOTAL_PRESENT].in_flux, 0);
	CHECK_EQ(got.diffs[0].start, A + MIB);
	CHECK_EQ(got.diffs[0].end, A + MIB + 16 * PAGE);
	CHECK_STR(got.diffs[0].path, "/f");
	CHECK(got.whole_checked);
	/* the first mapping has its result */
	CHECK_EQ(calls[READ], 2 + 5);
	CHECK_EQ(calls[TOTALS], 6 + 5 * 4);
	CHECK_EQ(nr_pauses, 5);
	CHECK_EQ(pause_us, 5 * 20000);
	CHECK_EQ(nr_files_closed, 6);
}

static void settle_later(enum call call, unsigned int nr)
{
	if (call == SMAPS && nr == 4)
		by_module[1] = 4;
}

UNIT_TEST(difference_that_disappears_is_not_reported)
{
	by_module[1] = 6;
	before_call = settle_later;
	CHECK_EQ(measure(), 0);
	/* the answers before and after the third bracket differ */
	CHECK_EQ(got.tries, 4);
	CHECK_EQ(got.unexplained, 0);
	CHECK_EQ(got.rows[PTU_TOTAL_PRESENT].proc, 3 + 4);
}

UNIT_TEST(whole_is_compared_with_its_mappings)
{
	more_in_whole = 2;
	CHECK_EQ(measure(), 0);
	CHECK_STR(got.diffs[0].name, "present");
	CHECK_EQ(got.diffs[0].end, 0);
	CHECK_EQ(got.diffs[0].kernel, 9);
	CHECK_EQ(got.diffs[0].proc, 7);
}

static void change_whole(enum call call, unsigned int nr)
{
	if (call == TOTALS && nr == 6)
		more_in_whole = 1;
}

UNIT_TEST(whole_that_changed_is_not_compared)
{
	before_call = change_whole;
	CHECK_EQ(measure(), 0);
	CHECK(!got.whole_checked);
	CHECK_EQ(got.unexplained, 0);
}

static struct ptu_page present(uint64_t pfn, uint64_t flags)
{
	return (struct ptu_page){ .word = PTU_PM_PRESENT | pfn,
				  .flags = flags,
				  .count = 2 };
}

UNIT_TEST(tail_has_the_kind_of_its_head)
{
	/* two tails of shmem with a hole between them, then head and tail of a file */
	nr_given = 4;
	given[0] = present(0x50, PTU_KPF_COMPOUND_TAIL);
	given[1] = (struct ptu_page){ 0 };
	given[2] = present(0x51, PTU_KPF_COMPOUND_TAIL);
	given[3] = present(0x60, PTU_KPF_COMPOUND_HEAD);
	by_proc[0] = 4;
	head_flags = PTU_KPF_COMPOUND_HEAD | PTU_KPF_SWAPBACKED;
	CHECK_EQ(measure(), 0);
	/* the head is searched once in each bracket */
	CHECK_EQ(got.tries, 6);
	CHECK_EQ(calls[HEAD], 6);
	CHECK_EQ(got.rows[PTU_TOTAL_SHMEM].proc, 2);
	CHECK_EQ(got.rows[PTU_TOTAL_FILE].proc, 1 + 4);
	CHECK_EQ(got.rows[PTU_TOTAL_FILE].kernel, 3 + 4);
}

UNIT_TEST(tail_of_another_folio_has_another_head)
{
	nr_given = 2;
	given[0] = present(0x60, PTU_KPF_COMPOUND_HEAD);
	given[1] = present(0x52, PTU_KPF_COMPOUND_TAIL);
	head_flags = PTU_KPF_COMPOUND_HEAD | PTU_KPF_SWAPBACKED;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(calls[HEAD], 6);
	CHECK_EQ(got.rows[PTU_TOTAL_SHMEM].proc, 1);
}

UNIT_TEST(ksm_flag_of_every_anonymous_page_is_a_cause)
{
	const struct ptu_totals_cause *cause =
		&got.causes[PTU_TOTALS_KSM_FLAG][PTU_TOTAL_KSM];

	nr_given = by_proc[0] = by_module[0] = 1;
	given[0] = present(0x50, PTU_KPF_ANON | PTU_KPF_KSM);
	is_anon = true;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(cause->mappings, 0);
	CHECK_EQ(got.rows[PTU_TOTAL_KSM].unexplained, 1);
	ksm_is_anon = true;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(cause->mappings, 1);
	CHECK_EQ(got.rows[PTU_TOTAL_KSM].unexplained, 0);
}

static void remap(enum call call, unsigned int nr)
{
	if (call != SMAPS || nr != 2)
		return;
	vmas[0].perms[1] = '-';
}

static void move_start(enum call call, unsigned int nr)
{
	if (call == SMAPS && nr == 2)
		vmas[2].start -= PAGE;
}

static void move_end(enum call call, unsigned int nr)
{
	if (call == SMAPS && nr == 2)
		vmas[2].end += PAGE;
}

static void replace_file(enum call call, unsigned int nr)
{
	if (call == SMAPS && nr == 2)
		vmas[1].inode++;
}

static void unmap(enum call call, unsigned int nr)
{
	if (call == SMAPS && nr == 2)
		nr_vmas = 2;
}

UNIT_TEST(changed_mappings_are_listed_again)
{
	static void (*const changes[])(enum call call, unsigned int nr) = {
		remap, move_start, move_end, replace_file, unmap
	};

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		set_up();
		before_call = changes[i];
		CHECK_EQ(measure(), 0);
		CHECK_EQ(got.status, PTU_STATUS_OK);
		CHECK_EQ(calls[SMAPS], 4);
		/* half a bracket, and a whole one */
		CHECK_EQ(calls[TOTALS], 3 + 6);
		CHECK_EQ(nr_files_closed, 2);
		CHECK_EQ(nr_pauses, 0);
		CHECK_EQ(got.mappings, 2);
		CHECK_EQ(got.rows[PTU_TOTAL_PRESENT].proc, 3 + 4);
	}
}

UNIT_TEST(mappings_that_changed_at_the_end_are_read_again)
{
	results[MAPS_SAME][0] = -EAGAIN;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(got.status, PTU_STATUS_OK);
	CHECK_EQ(calls[TOTALS], 2 * 6);
	CHECK_EQ(got.rows[PTU_TOTAL_PRESENT].proc, 3 + 4);
}

UNIT_TEST(process_whose_mappings_keep_changing_is_unstable)
{
	is_silent = true;
	fail(MAPS_SAME, 1, -EAGAIN);
	CHECK_EQ(measure(), 0);
	CHECK_EQ(got.status, PTU_STATUS_UNSTABLE);
	CHECK_STR(got.error, "it changed");
	CHECK_EQ(nr_tries, RETRIES);
	CHECK_EQ(calls[MAPS_SAME], RETRIES);
	CHECK_EQ(nr_open, 0);
}

static void exec_always(enum call call, unsigned int nr)
{
	if (call == TOTALS && nr % 2)
		mm++;
}

UNIT_TEST(process_that_keeps_calling_exec_is_unstable)
{
	before_call = exec_always;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(got.status, PTU_STATUS_UNSTABLE);
	CHECK_STR(got.error, "process 4242 started another program meanwhile");
	/* every other answer is of another mm: the third one, the fifth, ... */
	CHECK_EQ(calls[TOTALS], 3 + 2 * (RETRIES - 1));
}

static void exec_once(enum call call, unsigned int nr)
{
	if (call == TOTALS && nr == 6)
		mm++;
}

UNIT_TEST(process_that_called_exec_is_read_again)
{
	before_call = exec_once;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(got.status, PTU_STATUS_OK);
	CHECK_STR(got.error, "");
	CHECK_EQ(calls[TOTALS], 2 * 6);
}

UNIT_TEST(last_reason_is_reported)
{
	/* the process called exec(); then its mappings changed */
	before_call = exec_once;
	is_silent = true;
	fail(MAPS_SAME, 1, -EAGAIN);
	CHECK_EQ(measure(), 0);
	CHECK_EQ(got.status, PTU_STATUS_UNSTABLE);
	CHECK_STR(got.error, "it changed");
}

UNIT_TEST(answer_for_another_range_is_refused)
{
	answered_end = PAGE;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(got.status, PTU_STATUS_FAILED);
	CHECK_STR(got.error, "the module answered for another range");
	CHECK_EQ(calls[TOTALS], 2);
}

UNIT_TEST(mapping_without_flags_cannot_be_compared)
{
	vmas[1].has_flags = false;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(got.status, PTU_STATUS_FAILED);
	CHECK_STR(got.error,
		  "process 4242: smaps has no VmFlags, which --pages needs");
	CHECK_EQ(calls[TOTALS], 0);
}

UNIT_TEST(failed_calls_end_the_measurement)
{
	static const struct {
		enum call call;
		unsigned int nr, nr_files;
	} cases[] = {
		{ MEMORY, 1, 0 },    { STATUS, 1, 0 }, { FREEZE, 1, 0 },
		{ SMAPS, 1, 0 },     { FILES, 1, 0 },  { NEED, 1, 1 },
		{ TOTALS, 1, 1 },    { TOTALS, 2, 1 }, { TOTALS, 3, 1 },
		{ SMAPS, 2, 1 },     { READ, 1, 1 },   { READ, 2, 1 },
		{ TOTALS, 4, 1 },    { TOTALS, 5, 1 }, { TOTALS, 6, 1 },
		{ MAPS_SAME, 1, 1 }, { HEAD, 1, 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		set_up();
		nr_given = cases[i].call == HEAD;
		given[0] = present(0x50, PTU_KPF_COMPOUND_TAIL);
		fail(cases[i].call, cases[i].nr, -EIO);
		CHECK_EQ(ptu_totals_measure(PID, true, &four_levels, &got), 0);
		CHECK_EQ(got.status, PTU_STATUS_FAILED);
		CHECK_STR(got.error,
			  message_of(cases[i].call, cases[i].nr - 1));
		/* nothing was called after the failure */
		CHECK_EQ(calls[cases[i].call], cases[i].nr);
		CHECK_EQ(nr_files, cases[i].nr_files);
		CHECK_EQ(nr_files_closed, nr_files);
		CHECK_EQ(nr_open, 0);
		CHECK_EQ(nr_thawed, 1);
		CHECK_EQ(was_frozen, calls[FREEZE] == 1);
		CHECK_EQ(got.unexplained, 0);
		CHECK_EQ(got.mappings, 0);
	}
}

UNIT_TEST(process_is_stopped_only_on_request)
{
	CHECK_EQ(ptu_totals_measure(PID, true, &four_levels, &got), 0);
	CHECK_EQ(calls[FREEZE], 1);
	CHECK(was_frozen);
	CHECK_EQ(got.status, PTU_STATUS_OK);
}

UNIT_TEST(failure_of_a_process_that_ended_means_that_it_ended)
{
	fail(PROC_SAME, 1, -ESRCH);
	CHECK_EQ(measure(), 0);
	CHECK_EQ(got.status, PTU_STATUS_OK);
	set_up();
	fail(READ, 1, -EACCES);
	fail(PROC_SAME, 1, -ESRCH);
	CHECK_EQ(measure(), 0);
	CHECK_EQ(got.status, PTU_STATUS_GONE);
	set_up();
	fail(READ, 1, -EACCES);
	fail(PROC_SAME, 1, -ESTALE);
	CHECK_EQ(measure(), 0);
	CHECK_EQ(got.status, PTU_STATUS_FAILED);
	set_up();
	fail(READ, 1, -ENOMEM);
	fail(PROC_SAME, 1, -ESRCH);
	CHECK_EQ(measure(), -ENOMEM);
	CHECK_EQ(got.status, PTU_STATUS_FAILED);
	set_up();
	fail(OPEN, 1, -ESRCH);
	CHECK_EQ(measure(), 0);
	CHECK_EQ(got.status, PTU_STATUS_GONE);
	CHECK_EQ(nr_open + calls[MEMORY], 0);
}

UNIT_TEST(process_without_an_mm_ended)
{
	has_mm = false;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(got.status, PTU_STATUS_GONE);
	CHECK_STR(got.error, "it ended");
}

UNIT_TEST(reader_does_not_measure_itself)
{
	char expected[100];

	snprintf(expected, sizeof(expected),
		 "process %d is ptaudit itself, whose memory changes as it reads",
		 (int)getpid());
	CHECK_EQ(ptu_totals_measure(getpid(), false, &four_levels, &got), 0);
	CHECK_EQ(got.status, PTU_STATUS_FAILED);
	CHECK_STR(got.error, expected);
}

UNIT_TEST(error_without_a_sentence_has_the_systems)
{
	is_silent = true;
	fail(READ, 1, -EAGAIN);
	CHECK_EQ(measure(), 0);
	CHECK_STR(got.error, "it changed");
	set_up();
	is_silent = true;
	fail(READ, 1, -ENXIO);
	CHECK_EQ(measure(), 0);
	CHECK_EQ(got.status, PTU_STATUS_FAILED);
	CHECK_STR(got.error, strerror(ENXIO));
}

UNIT_MAIN_WITH(set_up, NULL)
