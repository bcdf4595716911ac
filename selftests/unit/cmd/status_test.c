// SPDX-License-Identifier: GPL-2.0-only
/*
 * The exit status of `cow`, `kpagemap` and `check --pages`. Functions of the test replace
 * the measurements.
 */
#include "acquire/module.h"
#include "cmd/cow.h"
#include "cmd/kpagemap.h"
#include "measure/cow.h"
#include "measure/frames.h"
#include "measure/pages.h"

int ptu_truth_ready(const struct ptu_geometry *geo, struct ptu_err *err)
{
	return 0;
}

int ptu_truth_has_pages(struct ptu_err *err)
{
	return 0;
}

#include "cmd/check_pages.c"

#include <string.h>

#include "support/unit.h"

static struct ptu_cow_count pages;
static struct ptu_kpagemap frames;
/* Results by PID, from 1 on. */
static struct ptu_totals_process processes[3];

int ptu_measure_cow(pid_t pid, const struct ptu_range *range,
		    struct ptu_cow_report *ret, struct ptu_err *err)
{
	*ret = (struct ptu_cow_report){ .total = pages };
	return 0;
}

int ptu_measure_frames(const struct ptu_watcher *watcher,
		       struct ptu_kpagemap_report *report, struct ptu_err *err)
{
	report->compared = frames;
	return 0;
}

int ptu_totals_measure(pid_t pid, bool freeze, const struct ptu_geometry *geo,
		       struct ptu_totals_process *ret)
{
	*ret = processes[pid - 1];
	return 0;
}

static char said[256];

static void say(const char *sentence)
{
	strcat(said, sentence);
	strcat(said, "|");
}

/* Run check --pages of @nr processes. Return: the exit status. */
static int check_pages(size_t nr, bool freeze)
{
	pid_t pids[] = { 1, 2, 3 };
	const struct ptu_options options = { .pids = pids,
					     .nr_pids = nr,
					     .freeze = freeze };
	FILE *out = fopen("/dev/null", "w");
	struct ptu_err err = { "" };
	int status = -1;

	said[0] = '\0';
	if (!out || ptu_totals_command(&options, out, say, &status, &err))
		printf("# check --pages: %s\n", err.text);
	fclose(out);
	return status;
}

UNIT_TEST(cow_and_kpagemap_end_with_1_if_the_sides_disagree)
{
	pid_t pid = 1;
	const struct ptu_options options = { .pids = &pid, .nr_pids = 1 };
	FILE *out = fopen("/dev/null", "w");
	int status = -1;

	CHECK(out);
	pages.maybe_zero = 1;
	CHECK_EQ(ptu_cow_command(&options, out, &status, NULL), 0);
	CHECK_EQ(status, 0);
	pages.disagree = 1;
	CHECK_EQ(ptu_cow_command(&options, out, &status, NULL), 0);
	CHECK_EQ(status, 1);
	frames.ends[PTU_KPAGEMAP_AGREED] = frames.ends[PTU_KPAGEMAP_IN_FLUX] = 1;
	CHECK_EQ(ptu_kpagemap_command(&options, out, NULL, &status, NULL), 0);
	CHECK_EQ(status, 0);
	frames.ends[PTU_KPAGEMAP_UNEXPLAINED] = 1;
	CHECK_EQ(ptu_kpagemap_command(&options, out, NULL, &status, NULL), 0);
	CHECK_EQ(status, 1);
	fclose(out);
}

UNIT_TEST(check_pages_ends_with_the_worst_of_its_processes)
{
	CHECK_EQ(check_pages(1, false), 0);
	processes[1].unexplained = 5;
	CHECK_EQ(check_pages(2, false), 1);
	CHECK_STR(said, "");
	processes[0].status = PTU_STATUS_GONE;
	strcpy(processes[0].error, "process 1 ended");
	CHECK_EQ(check_pages(2, false), 2);
	CHECK_STR(said, "process 1 ended|");
	processes[2].status = PTU_STATUS_UNSTABLE;
	strcpy(processes[2].error, "process 3 changed");
	CHECK_EQ(check_pages(3, false), 2);
	CHECK_STR(said,
		  "process 1 ended|process 3 changed|" PTU_FREEZE_HINT "|");
	CHECK_EQ(check_pages(3, true), 2);
	CHECK_STR(said, "process 1 ended|process 3 changed|");
}

UNIT_MAIN
