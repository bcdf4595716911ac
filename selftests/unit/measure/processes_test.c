// SPDX-License-Identifier: GPL-2.0-only
/* The selection of processes that are measured, and the report about each. */
#include "measure/fake_processes.h"

UNIT_TEST(report_begins_with_the_machine_and_the_sides)
{
	geo.unfolded[PTAUDIT_PUD] = true;
	CHECK_EQ(ptu_survey_begin(&measure, true, &report, &err), 0);
	CHECK(report.is_check);
	CHECK_STR(report.kernel_release, "7.2.0");
	CHECK_STR(report.machine, "x86_64");
	CHECK_STR(report.time, "now");
	CHECK_STR(report.boot_id, "boot");
	CHECK(report.level_unfolded[PTAUDIT_PUD]);
	CHECK(!report.level_unfolded[PTAUDIT_P4D]);
	CHECK_EQ(report.page_bytes, 4096);
	CHECK_STR(report.estimator, "built");
	CHECK_STR(report.truth, "built");
	CHECK(!report.has_bpf && !report.has_orphans);

	side.which = PTU_SIDE_BOTH;
	measure.orphans = true;
	CHECK_EQ(ptu_survey_begin(&measure, true, &report, &err), 0);
	CHECK(report.has_bpf && report.has_orphans);

	measure.side = NULL;
	CHECK_EQ(ptu_survey_begin(&measure, false, &report, &err), 0);
	CHECK(!report.is_check && !report.has_bpf && !report.truth);
}

UNIT_TEST(report_of_an_unknown_machine_does_not_begin)
{
	host_error = -EPROTO;
	CHECK_EQ(ptu_survey_begin(&measure, true, &report, &err), -EPROTO);
	host_error = 0;
	boot_error = -ENOENT;
	CHECK_EQ(ptu_survey_begin(&measure, true, &report, &err), -ENOENT);
	CHECK(!report.is_check);
}

UNIT_TEST(named_processes_are_all_reported_in_their_order)
{
	add((struct fake){ .pid = 30, .status = PTU_STATUS_FAILED });
	add((struct fake){ .pid = SELF });
	add((struct fake){ .pid = 10 });
	add((struct fake){ .pid = 20, .first = 10 });
	CHECK_EQ(survey_named(), 0);
	CHECK_EQ(report.nr_processes, 4);
	CHECK_EQ(report.processes[0].pid, 30);
	CHECK_EQ(report.processes[1].pid, getpid());
	CHECK_EQ(report.processes[2].pid, 10);
	CHECK_EQ(report.processes[3].pid, 20);
	CHECK(!report.processes[0].self && report.processes[1].self);
	CHECK_EQ(fakes[3].way, ESTIMATE);
	/* the sum must count a shared mm once */
	CHECK_EQ(report.processes[0].first, 0);
	CHECK_EQ(report.processes[2].first, 10);
	CHECK_EQ(report.processes[3].first, 10);
	CHECK_EQ(nr_compared, 3);
	CHECK_EQ(report.nr_sharing, 0);
}

UNIT_TEST(check_reads_the_mm_instead_of_comparing)
{
	report.is_check = true;
	add((struct fake){ .pid = 10, .mm = 7 });
	CHECK_EQ(survey_named(), 0);
	CHECK_EQ(fakes[0].way, CHECK);
	CHECK_EQ(nr_compared, 0);
	CHECK_EQ(report.processes[0].mm, 7);
}

UNIT_TEST(recorded_processes_cannot_be_compared)
{
	measure.is_recording = true;
	add((struct fake){ .pid = SELF });
	CHECK_EQ(survey_named(), 0);
	CHECK_EQ(nr_compared, 0);
	/* another process had that PID */
	CHECK(!report.processes[0].self);
}

UNIT_TEST(processes_that_cannot_be_compared_count_separately)
{
	add((struct fake){ .pid = 10 });
	add((struct fake){ .pid = 20, .spaces = -EPERM });
	add((struct fake){ .pid = 30, .spaces = -EPERM });
	CHECK_EQ(survey_group(), 0);
	CHECK_EQ(nr_compared, 3);
	CHECK_EQ(report.nr_processes, 3);
	CHECK_EQ(report.nr_sharing, 0);
}

UNIT_TEST(shortage_of_memory_is_an_error)
{
	add((struct fake){ .pid = 10, .spaces = -ENOMEM });
	add((struct fake){ .pid = 20 });
	CHECK_EQ(survey_named(), -ENOMEM);
	CHECK_STR(err.text,
		  "cannot read all processes: Cannot allocate memory");
	CHECK_EQ(nr_compared, 1);
}

/* Without a comparison, the tables of one address space would count twice. */
UNIT_TEST(shortage_of_descriptors_is_an_error)
{
	add((struct fake){ .pid = 10 });
	add((struct fake){ .pid = 20, .spaces = -EMFILE });
	add((struct fake){ .pid = 30 });
	CHECK_EQ(survey_group(), -EMFILE);
	CHECK_STR(err.text, "cannot read all processes: Too many open files");
	CHECK_EQ(nr_compared, 2);
}

UNIT_TEST(error_of_a_named_process_ends_the_survey)
{
	add((struct fake){ .pid = 10 });
	add((struct fake){ .pid = 20, .error = -ENOMEM });
	add((struct fake){ .pid = 30 });
	CHECK_EQ(survey_named(), -ENOMEM);
	CHECK_STR(err.text, "measuring 20 failed: Cannot allocate memory");
	CHECK_EQ(report.nr_processes, 1);
	CHECK_EQ(fakes[2].way, NOT);
	CHECK_EQ(nr_compared, 0);
}

UNIT_TEST(kernel_threads_and_zombies_of_a_group_are_only_counted)
{
	add((struct fake){ .pid = 2, .kthread = true });
	add((struct fake){ .pid = 3, .kthread = true, .zombie = true });
	add((struct fake){ .pid = 10, .zombie = true });
	add((struct fake){ .pid = 20 });
	add((struct fake){ .pid = 30, .kthread = true });
	add((struct fake){ .pid = 40, .zombie = true });
	CHECK_EQ(survey_group(), 0);
	CHECK_EQ(report.nr_kthreads, 3);
	CHECK_EQ(report.nr_zombies, 2);
	CHECK_EQ(report.nr_processes, 1);
	CHECK_EQ(report.processes[0].pid, 20);
	CHECK_EQ(nr_measured, 1);
	CHECK_EQ(fakes[3].way, ESTIMATE_OPEN);
}

UNIT_TEST(this_process_is_measured_last_and_reported_in_its_place)
{
	add((struct fake){ .pid = 10 });
	add((struct fake){ .pid = SELF });
	add((struct fake){ .pid = 20 });
	CHECK_EQ(survey_group(), 0);
	CHECK_EQ(report.nr_processes, 3);
	CHECK_EQ(report.processes[1].pid, getpid());
	CHECK(report.processes[1].self);
	CHECK(!report.processes[0].self && !report.processes[2].self);
	CHECK_EQ(fakes[0].place, 0);
	CHECK_EQ(fakes[1].place, 2);
	CHECK_EQ(fakes[2].place, 1);
}

UNIT_TEST(process_that_cannot_be_opened_is_measured_for_the_reason)
{
	add((struct fake){ .pid = 10,
			   .open = -EMFILE,
			   .then = -EMFILE,
			   .status = PTU_STATUS_FAILED });
	add((struct fake){ .pid = 20,
			   .open = -ESRCH,
			   .then = -ESRCH,
			   .status = PTU_STATUS_FAILED });
	CHECK_EQ(survey_group(), 0);
	CHECK_EQ(fakes[0].way, ESTIMATE);
	CHECK_EQ(fakes[1].way, ESTIMATE);
	CHECK_EQ(report.nr_processes, 2);
	CHECK_EQ(report.processes[0].status, PTU_STATUS_FAILED);
	CHECK_EQ(report.processes[1].status, PTU_STATUS_GONE);
	CHECK_EQ(nr_compared, 0);
}

UNIT_TEST(processes_of_a_check_are_opened_by_it)
{
	report.is_check = true;
	add((struct fake){ .pid = 10, .mm = 5 });
	add((struct fake){ .pid = 20, .open = -ESRCH, .mm = 6 });
	CHECK_EQ(survey_group(), 0);
	CHECK_EQ(fakes[0].way, CHECK);
	CHECK_EQ(fakes[1].way, CHECK);
	CHECK_EQ(report.nr_processes, 2);
}

UNIT_TEST(recorded_processes_of_a_group_are_all_measured)
{
	measure.is_recording = true;
	add((struct fake){ .pid = SELF });
	add((struct fake){ .pid = 10, .kthread = true });
	add((struct fake){ .pid = 20, .zombie = true });
	/* a recorded process cannot end: the recording is damaged */
	add((struct fake){ .pid = 30, .status = PTU_STATUS_GONE });
	add((struct fake){
		.pid = 40, .zombie = true, .status = PTU_STATUS_UNSTABLE });
	CHECK_EQ(survey_group(), 0);
	CHECK_EQ(report.nr_processes, 5);
	CHECK_EQ(report.nr_kthreads + report.nr_zombies, 0);
	CHECK_EQ(fakes[0].place, 0);
	CHECK(!report.processes[0].self);
	CHECK_EQ(report.processes[2].status, PTU_STATUS_OK);
	CHECK_EQ(report.processes[3].status, PTU_STATUS_FAILED);
	CHECK_EQ(report.processes[4].status, PTU_STATUS_UNSTABLE);
	CHECK_EQ(nr_compared, 0);
}

UNIT_TEST(two_processes_with_one_mm_are_reported_once)
{
	add((struct fake){ .pid = 10 });
	add((struct fake){ .pid = 20, .first = 10 });
	add((struct fake){ .pid = 30 });
	add((struct fake){ .pid = 40, .first = 30 });
	add((struct fake){ .pid = 50, .first = 10 });
	CHECK_EQ(survey_group(), 0);
	CHECK_EQ(report.nr_processes, 2);
	CHECK_EQ(report.processes[0].pid, 10);
	CHECK_EQ(report.processes[0].nr_sharing, 2);
	CHECK_EQ(report.processes[1].pid, 30);
	CHECK_EQ(report.processes[1].nr_sharing, 1);
	CHECK_EQ(report.nr_sharing, 3);
}

UNIT_TEST(process_that_was_not_measured_stands_for_no_other)
{
	report.is_check = true;
	add((struct fake){ .pid = 10, .mm = 7, .status = PTU_STATUS_UNSTABLE });
	add((struct fake){ .pid = 20, .mm = 7 });
	add((struct fake){ .pid = 30, .mm = 7 });
	add((struct fake){ .pid = 40, .mm = 7, .status = PTU_STATUS_UNSTABLE });
	CHECK_EQ(survey_group(), 0);
	CHECK_EQ(report.nr_processes, 3);
	CHECK_EQ(report.processes[1].pid, 20);
	CHECK_EQ(report.processes[1].nr_sharing, 1);
	CHECK_EQ(report.processes[2].pid, 40);
	CHECK_EQ(report.nr_sharing, 1);
}

UNIT_TEST(error_of_a_process_ends_the_survey_of_a_group)
{
	add((struct fake){ .pid = 10 });
	add((struct fake){ .pid = SELF });
	add((struct fake){ .pid = 20, .error = -ENOMEM });
	add((struct fake){ .pid = 30 });
	CHECK_EQ(survey_group(), -ENOMEM);
	CHECK_STR(err.text, "measuring 20 failed: Cannot allocate memory");
	CHECK_EQ(fakes[3].way, NOT);
	CHECK_EQ(report.nr_sharing, 0);
	CHECK_EQ(nr_compared, 0);

	end();
	set_up();

	/* those behind it were measured by then */
	add((struct fake){ .pid = SELF, .error = -ENOMEM });
	add((struct fake){ .pid = 20 });
	CHECK_EQ(survey_group(), -ENOMEM);
	CHECK_EQ(fakes[1].way, ESTIMATE_OPEN);
	CHECK_EQ(report.nr_processes, 0);
}

UNIT_TEST(only_estimates_of_running_processes_are_shared_out)
{
	CHECK_EQ(survey_group(), 0);
	CHECK_EQ(nr_shared_out, 1);
	measure.freeze = true;
	CHECK_EQ(survey_group(), 0);
	measure.freeze = false;
	measure.is_recording = true;
	CHECK_EQ(survey_group(), 0);
	measure.is_recording = false;
	report.is_check = true;
	CHECK_EQ(survey_group(), 0);
	report.is_check = false;
	measure.nr_estimators = 2;
	estimator.program = "/bin/true";
	CHECK_EQ(survey_group(), 0);
	estimator.program = NULL;
	other.program = "/bin/true";
	CHECK_EQ(survey_group(), 0);
	CHECK_EQ(nr_shared_out, 1);
	other.program = NULL;
	CHECK_EQ(survey_group(), 0);
	CHECK_EQ(nr_shared_out, 2);
}

UNIT_TEST(process_without_memory_is_left_out)
{
	bool kthread = false, zombie = false;

	add((struct fake){ .pid = 10 });
	add((struct fake){ .pid = 20, .kthread = true });
	add((struct fake){ .pid = 30, .zombie = true });
	CHECK(!ptu_survey_leaves_out(10, &kthread, &zombie));
	CHECK(!kthread && !zombie);
	CHECK(ptu_survey_leaves_out(20, &kthread, &zombie));
	CHECK(kthread && !zombie);
	CHECK(ptu_survey_leaves_out(30, &kthread, &zombie));
	CHECK(!kthread && zombie);
}

UNIT_TEST(process_that_cannot_be_opened_is_not_left_out)
{
	bool kthread = true, zombie = true;

	add((struct fake){ .pid = 10, .open = -EMFILE });
	add((struct fake){ .pid = 20, .open = -ESRCH });
	CHECK(!ptu_survey_leaves_out(10, &kthread, &zombie));
	CHECK(!ptu_survey_leaves_out(20, &kthread, &zombie));
	CHECK(kthread && zombie);
}

static enum ptu_status settled(pid_t pid, enum ptu_status status)
{
	struct ptu_process process = { .pid = pid, .status = status };

	find(pid)->nr_opened = 0;
	ptu_survey_settle(&process);
	return process.status;
}

UNIT_TEST(failure_is_explained_by_what_the_process_is_now)
{
	struct fake *first = add((struct fake){ .pid = 10, .open = -ESRCH });

	add((struct fake){ .pid = 20, .zombie = true, .denied = true });
	add((struct fake){ .pid = 30, .denied = true });
	add((struct fake){ .pid = 40 });
	add((struct fake){ .pid = 50, .open = -EMFILE, .denied = true });
	CHECK_EQ(settled(10, PTU_STATUS_FAILED), PTU_STATUS_GONE);
	CHECK_EQ(settled(20, PTU_STATUS_FAILED), PTU_STATUS_GONE);
	CHECK_EQ(settled(30, PTU_STATUS_FAILED), PTU_STATUS_DENIED);
	CHECK_EQ(settled(30, PTU_STATUS_UNSTABLE), PTU_STATUS_DENIED);
	CHECK_EQ(settled(40, PTU_STATUS_UNSTABLE), PTU_STATUS_UNSTABLE);
	CHECK_EQ(settled(50, PTU_STATUS_FAILED), PTU_STATUS_FAILED);
	/* nothing is to be explained */
	CHECK_EQ(settled(10, PTU_STATUS_OK), PTU_STATUS_OK);
	CHECK_EQ(first->nr_opened, 0);
	CHECK_EQ(settled(30, PTU_STATUS_GONE), PTU_STATUS_GONE);
}

UNIT_TEST(next_process_is_zeroed)
{
	/* the allocator of this program fills new memory with another value */
	const struct ptu_process *next = ptu_survey_next(&report, &err);

	CHECK(next);
	CHECK_EQ(next->pid, 0);
	CHECK_EQ(next->vmpte_bytes, 0);
	CHECK(!next->causes);
	CHECK_EQ(report.nr_processes, 0);
}

UNIT_TEST(sum_has_the_measured_processes)
{
	add((struct fake){ .pid = 10 });
	add((struct fake){ .pid = 20, .status = PTU_STATUS_UNSTABLE });
	CHECK_EQ(survey_named(), 0);
	CHECK_EQ(ptu_survey_end(&report), 0);
	CHECK_EQ(report.set.nr_spaces, 1);
}

UNIT_MAIN_WITH(set_up, end)
