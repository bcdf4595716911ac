// SPDX-License-Identifier: GPL-2.0-only
/*
 * `reclaim` without --do prints the reason for which --do refuses.  Replacements of
 * ptu_whatif_measure() and ptu_collapse_ready() return what each test needs.
 */
#include "acquire/collapse.h"
#include "measure/whatif.h"

#include "cmd/whatif.c"

#include "support/printed.h"
#include "support/unit.h"

#define REASON \
	"no table of /dev/shm/x\x1b can be freed: the program called madvise(MADV_NOHUGEPAGE)"
#define SHOWN \
	"no table of /dev/shm/x\\x1b can be freed: the program called madvise(MADV_NOHUGEPAGE)"

static bool is_ready, is_done, is_named = true;
static enum ptu_whatif_block block;
static uint64_t free_tables;

int ptu_collapse_ready(struct ptu_err *err)
{
	return is_ready ? 0 : ptu_err_set(err, -EPERM, "not allowed");
}

/* One process with one table of a file; the name has a byte that terminals obey. */
int ptu_whatif_measure(const struct ptu_whatif_ask *ask,
		       struct ptu_whatif_report *ret, struct ptu_err *err)
{
	if (!ptu_whatif_room(&ret->mms, 0, sizeof(*ret->mms)) ||
	    !ptu_whatif_room(&ret->files, 0, sizeof(*ret->files)) ||
	    !ptu_whatif_room(&ret->places, 0, sizeof(*ret->places)))
		abort();
	ret->nr_mms = ret->nr_files = ret->nr_places = 1;
	ret->mms[0].named = is_named;
	ret->files[0].path = strdup("/dev/shm/x\x1b");
	ret->files[0].tables = free_tables;
	ret->places[0].block = block;
	return 0;
}

int ptu_reclaim(const struct ptu_whatif_ask *ask,
		struct ptu_whatif_report *report, struct ptu_err *err)
{
	is_done = true;
	return 0;
}

/* Run reclaim, without or with --do, of one process or of all. Return: what it says. */
static const char *reclaim(bool act, bool all)
{
	static pid_t pid = 1;
	const struct ptu_options options = { .command = PTU_CMD_RECLAIM,
					     .act = act,
					     .all = all,
					     .pids = &pid,
					     .nr_pids = 1 };
	struct ptu_whatif_report report;
	static struct ptu_err err;
	const char *text;
	int error;

	is_done = false;
	err.text[0] = '\0';
	text = OUTPUT_OF(
		error = ptu_whatif_command(&options, out, &report, &err));
	if (error)
		return err.text;
	ptu_whatif_report_deinit(&report);
	return text;
}

UNIT_TEST(a_dry_run_has_the_reason_of_the_refusal)
{
	is_ready = true;
	block = PTU_BLOCK_NOHUGEPAGE;
	free_tables = 0;
	CHECK(strstr(reclaim(false, false),
		     "\nnothing was changed; --do would do nothing: " SHOWN));
	CHECK(strstr(reclaim(true, false), REASON));
	CHECK(!is_done);
	/* what blocks a process that was not named is no reason */
	is_named = false;
	reclaim(true, false);
	CHECK(is_done);
	is_named = true;
	is_ready = false;
	CHECK(strstr(reclaim(false, false),
		     "--do would do nothing: not allowed\n"));
	CHECK_STR(reclaim(true, false), "not allowed");
	CHECK(!is_done);
}

UNIT_TEST(a_dry_run_without_a_refusal_says_whether_tables_go)
{
	is_ready = true;
	block = PTU_BLOCK_PARTIAL;
	free_tables = 0;
	CHECK(strstr(reclaim(false, false),
		     "nothing was changed; --do would free no table\n"));
	reclaim(true, false);
	CHECK(is_done);
	/* of a group, what blocks one process is no reason to refuse */
	block = PTU_BLOCK_NOHUGEPAGE;
	CHECK(strstr(reclaim(false, true),
		     "nothing was changed; --do would free no table\n"));
	reclaim(true, true);
	CHECK(is_done);
	free_tables = 3;
	CHECK(strstr(reclaim(false, false),
		     "nothing was changed; --do frees the tables\n"));
	reclaim(true, false);
	CHECK(is_done);
}

UNIT_TEST(the_report_knows_if_all_processes_are_required)
{
	const struct ptu_options options = { .command = PTU_CMD_RECLAIM,
					     .all = true,
					     .require_all = true };
	struct ptu_whatif_report report;
	struct ptu_err err = { "" };
	int error;

	OUTPUT_OF(error = ptu_whatif_command(&options, out, &report, &err));
	CHECK_EQ(error, 0);
	CHECK(report.base.require_all);
	ptu_whatif_report_deinit(&report);
}

UNIT_TEST(fewer_freed_tables_than_predicted_are_status_1)
{
	struct ptu_whatif_file file = { .tables = 3 };
	struct ptu_process process = { .pid = 1 };
	struct ptu_whatif_report report = {
		.base = { .processes = &process, .nr_processes = 1 },
		.files = &file,
		.nr_files = 1,
	};

	CHECK_EQ(ptu_whatif_status(&report), 0);
	report.reclaim.done = true;
	report.reclaim.returned_tables = 2;
	CHECK_EQ(ptu_whatif_status(&report), 1);
	report.reclaim.returned_tables = 3;
	CHECK_EQ(ptu_whatif_status(&report), 0);
	report.reclaim.returned_tables = 2;
	process.status = PTU_STATUS_FAILED;
	CHECK_EQ(ptu_whatif_status(&report), 2);
}

UNIT_MAIN
