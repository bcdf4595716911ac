// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which processes `footprint` measures: real ones, of which a function of the test
 * measures nothing.
 */
#define _GNU_SOURCE
#include "cmd/footprint.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/footprint.h"
#include "support/child.h"
#include "support/unit.h"

static bool smaps_wanted, lists, fails;
/* The status of the first process if it @fails. */
static enum ptu_status first_status;
static size_t nr_listed;
static pid_t listed;

int ptu_footprint_measure(struct ptu_footprint_report *report,
			  const struct ptu_footprint_ask *ask,
			  struct ptu_err *err)
{
	pid_t *pids = NULL;

	for (size_t i = 0; fails && i < report->base.nr_processes; i++) {
		struct ptu_process *process = &report->base.processes[i];

		process->status = i ? PTU_STATUS_FAILED : first_status;
		snprintf(process->error, sizeof(process->error), "reason %zu",
			 i);
	}
	smaps_wanted = ask->wants_smaps;
	lists = ask->list != NULL;
	if (!lists || ask->list(ask->arg, &pids, &nr_listed))
		return 0;
	listed = pids[0];
	free(pids);
	return 0;
}

static char name[16], selection[32];
static struct ptu_footprint_report report;
static struct ptu_err err;

/* Start a child with a name that no other run of the test has. */
static pid_t begin(void)
{
	int ready[2];
	pid_t child;
	char byte;

	snprintf(name, sizeof(name), "f%d", (int)getpid());
	snprintf(selection, sizeof(selection), "^%s$", name);
	if (pipe(ready))
		abort();
	child = child_fork();
	if (!child) {
		prctl(PR_SET_NAME, name);
		close(ready[1]);
		for (;;)
			pause();
	}
	close(ready[1]);
	/* the child closes the pipe when it has its name */
	while (read(ready[0], &byte, 1) < 0)
		;
	close(ready[0]);
	return child;
}

static int footprint(pid_t *pids, size_t nr_pids)
{
	const struct ptu_options options = { .pids = pids,
					     .nr_pids = nr_pids,
					     .name = nr_pids ? NULL :
							       selection };
	FILE *out = fopen("/dev/null", "w");
	int error = out ? ptu_footprint_command(&options, out, &report, &err) :
			  -ENOMEM;

	if (out)
		fclose(out);
	return error;
}

UNIT_TEST(smaps_is_wanted_for_json)
{
	pid_t pid = getpid();
	struct ptu_options options = { .pids = &pid, .nr_pids = 1 };
	FILE *out = fopen("/dev/null", "w");

	if (!out)
		abort();
	CHECK_EQ(ptu_footprint_command(&options, out, &report, &err), 0);
	CHECK(!smaps_wanted);
	ptu_footprint_report_deinit(&report);
	options.json = true;
	CHECK_EQ(ptu_footprint_command(&options, out, &report, &err), 0);
	CHECK(smaps_wanted);
	ptu_footprint_report_deinit(&report);
	fclose(out);
}

UNIT_TEST(an_address_space_has_one_row_unless_both_pids_are_named)
{
	static char stack[1 << 16] __attribute__((aligned(16)));
	const pid_t second = clone(child_pause, stack + sizeof(stack),
				   CLONE_VM | SIGCHLD, NULL);

	CHECK(second > 0);
	CHECK_EQ(footprint((pid_t[]){ getpid(), second, getpid() }, 3), 0);
	CHECK(!lists);
	CHECK_EQ(report.base.nr_processes, 2);
	CHECK_EQ(report.base.processes[0].pid, getpid());
	CHECK(report.base.processes[0].self);
	CHECK_EQ(report.base.processes[1].pid, second);
	CHECK(!report.base.processes[1].self);
	CHECK_EQ(report.rows[0].same_as, 0);
	CHECK_EQ(report.rows[1].same_as, getpid());
	CHECK_EQ(report.base.nr_sharing, 1);
	ptu_footprint_report_deinit(&report);
	child_end(second);
}

UNIT_TEST(zombies_of_a_group_are_counted)
{
	pid_t alive = begin(), dead = begin();
	siginfo_t ended;

	kill(dead, SIGKILL);
	CHECK_EQ(waitid(P_PID, (id_t)dead, &ended, WEXITED | WNOWAIT), 0);
	CHECK_EQ(footprint(NULL, 0), 0);
	CHECK_EQ(report.base.nr_processes, 1);
	CHECK_EQ(report.base.processes[0].pid, alive);
	CHECK_EQ(report.base.nr_zombies, 1);
	CHECK_EQ(report.base.nr_kthreads, 0);
	CHECK(report.base.is_all);
	/* the group can be listed again, with the zombie; PIDs begin again behind the highest one */
	CHECK(lists);
	CHECK_EQ(nr_listed, 2);
	CHECK_EQ(listed, alive < dead ? alive : dead);
	ptu_footprint_report_deinit(&report);
	child_end(dead);
	child_end(alive);
}

UNIT_TEST(a_set_of_which_nothing_was_measured_says_why)
{
	pid_t denied = begin(), child = begin();
	char expected[128];

	snprintf(expected, sizeof(expected),
		 "name %s: no process could be measured: reason 1", selection);
	fails = true;
	first_status = PTU_STATUS_DENIED;
	CHECK_EQ(footprint(NULL, 0), -ESRCH);
	CHECK_STR(err.text, expected);
	err.text[0] = '\0';
	first_status = PTU_STATUS_GONE;
	CHECK_EQ(footprint(NULL, 0), -ESRCH);
	CHECK_STR(err.text, expected);
	fails = false;
	child_end(denied);
	child_end(child);
}

UNIT_MAIN
