// SPDX-License-Identifier: GPL-2.0-only
/* The library as used by a program outside the tree, through its header alone. */
#include <errno.h>
#include <ptaudit.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "layout.h"
#include "unit.h"

static pid_t target;

/* A call must not touch bytes beyond the structs that are passed to it. */
#define CANARY 0xa5

static struct ptaudit *handle_with(const char *recording, const char *estimator)
{
	const struct ptaudit_options options = {
		.size = sizeof(options),
		.recording = recording,
		.estimator = estimator,
	};
	struct ptaudit *handle;

	if (ptaudit_new(&handle) || ptaudit_configure(handle, &options))
		abort();
	return handle;
}

/* The mapping of a report that starts at @start. */
static bool find_mapping(const struct ptaudit_report *report, uint64_t start,
			 struct ptaudit_mapping_row *ret)
{
	size_t i;

	ret->size = sizeof(*ret);
	for (i = 0; !ptaudit_get_mapping(report, i, ret); i++)
		if (ret->start == start)
			return true;
	return false;
}

static bool estimated(const char *estimator, uint64_t flags,
		      struct ptaudit_process_row *process,
		      struct ptaudit_mapping_row *mapping)
{
	const struct ptaudit_ask ask = { .size = sizeof(ask), .flags = flags };
	struct ptaudit *handle = handle_with(NULL, estimator);
	struct ptaudit_report *report;
	bool ret;

	if (ptaudit_estimate(handle, target, &ask, &report))
		return false;
	ptaudit_free(handle); /* the report must remain valid */
	process->size = sizeof(*process);
	ret = !ptaudit_get_process(report, process) &&
	      find_mapping(report, BASE, mapping);
	ptaudit_report_free(report);
	return ret;
}

UNIT_TEST(estimate_by_pagemap_has_the_tables_with_entries)
{
	struct ptaudit_process_row process;
	struct ptaudit_mapping_row mapping;

	CHECK(estimated("pagemap", PTAUDIT_ASK_FILL, &process, &mapping));
	CHECK_EQ(process.pid, target);
	CHECK_EQ(process.sees_empty, 0);
	CHECK_EQ(mapping.end, BASE + SLOTS * SLOT);
	CHECK_EQ(mapping.tables[PTAUDIT_LEVEL_PTE], SLOTS - EMPTY);
	CHECK_EQ(mapping.tables[PTAUDIT_LEVEL_PMD], 3);
	CHECK_EQ(mapping.tables[PTAUDIT_LEVEL_PUD], 1);
	CHECK_EQ(mapping.possible[PTAUDIT_LEVEL_PTE], 0);
	CHECK_EQ(mapping.fill.counted, SLOTS - EMPTY);
	CHECK_EQ(mapping.fill.entries, SLOTS - EMPTY);
	CHECK_EQ(mapping.fill.in_class[1], SLOTS - EMPTY);
	CHECK_EQ(mapping.fill.room, (SLOTS - EMPTY) * 512);
}

UNIT_TEST(estimate_has_the_empty_tables_where_the_kernel_shows_them)
{
	struct ptaudit_process_row process;
	struct ptaudit_mapping_row mapping;

	CHECK(estimated(NULL, 0, &process, &mapping));
	CHECK_EQ(mapping.tables[PTAUDIT_LEVEL_PTE],
		 process.sees_empty ? SLOTS : SLOTS - EMPTY);
	CHECK_EQ(process.empty_tables, process.sees_empty ? EMPTY : 0);
	CHECK_EQ(process.residual_bytes,
		 process.sees_empty ? 0 : EMPTY * process.page_bytes);
	CHECK(!strcmp(process.comm, "target"));
	CHECK_EQ(mapping.fill.counted,
		 process.sees_empty ? EMPTY : SLOTS - EMPTY);
	CHECK(estimated(NULL, PTAUDIT_ASK_FILL, &process, &mapping));
	CHECK_EQ(mapping.fill.counted, mapping.tables[PTAUDIT_LEVEL_PTE]);
	CHECK_EQ(mapping.fill.entries, SLOTS - EMPTY);
	CHECK_EQ(mapping.fill.unasked, 0);
}

UNIT_TEST(mappings_and_pgd_add_up_to_the_levels)
{
	struct ptaudit_level_row level = { .size = sizeof(level) };
	struct ptaudit_mapping_row row = { .size = sizeof(row) };
	struct ptaudit *handle = handle_with(NULL, NULL);
	uint64_t tables[PTAUDIT_LEVELS] = { [PTAUDIT_LEVEL_PGD] = 1 };
	uint64_t possible[PTAUDIT_LEVELS] = { 0 }, bytes = 0;
	struct ptaudit_process_row process = { .size = sizeof(process) };
	struct ptaudit_report *report;
	unsigned int i;

	CHECK_EQ(ptaudit_estimate(handle, target, NULL, &report), 0);
	for (i = 0; !ptaudit_get_mapping(report, i, &row); i++)
		for (unsigned int k = 0; k < PTAUDIT_LEVELS; k++) {
			tables[k] += row.tables[k];
			possible[k] += row.possible[k];
		}
	for (i = 0; i < PTAUDIT_LEVELS; i++) {
		if (ptaudit_get_level(report, i, &level))
			continue;
		CHECK_EQ(level.tables, tables[i]);
		CHECK_EQ(level.possible, possible[i]);
		bytes += level.bytes;
	}
	CHECK_EQ(ptaudit_get_level(report, PTAUDIT_LEVELS, &level), -ENOENT);
	CHECK_EQ(ptaudit_get_process(report, &process), 0);
	CHECK_EQ(process.table_bytes, bytes);
	ptaudit_report_free(report);
	ptaudit_free(handle);
}

UNIT_TEST(map_has_each_table_at_its_address)
{
	struct ptaudit *handle = handle_with(NULL, "pagemap");
	struct ptaudit_table_row row = { .size = sizeof(row) };
	struct ptaudit_mapping_row mapping = { .size = sizeof(mapping) };
	unsigned long nr = 0;
	struct ptaudit_report *report;
	size_t i;

	CHECK_EQ(ptaudit_map(handle, target, NULL, &report), 0);
	for (i = 0; !ptaudit_get_table(report, i, &row); i++) {
		if (row.level != PTAUDIT_LEVEL_PTE || row.start < BASE ||
		    row.start >= BASE + SLOTS * SLOT)
			continue;
		CHECK_EQ(row.start, BASE + (EMPTY + nr) * SLOT);
		CHECK_EQ(row.end, row.start + SLOT);
		CHECK_EQ(row.flags, PTAUDIT_TABLE_COUNTED);
		CHECK_EQ(row.entries, 1);
		CHECK_EQ(ptaudit_get_mapping(report, row.mapping, &mapping), 0);
		CHECK_EQ(mapping.start, BASE);
		nr++;
	}
	CHECK_EQ(nr, SLOTS - EMPTY);
	ptaudit_report_free(report);
	ptaudit_free(handle);
}

UNIT_TEST(list_has_the_process)
{
	struct ptaudit *handle = handle_with(NULL, NULL);
	size_t nr, nr_again, i;
	bool found = false;
	pid_t *pids;

	CHECK_EQ(ptaudit_list(handle, NULL, 0, &nr), 0);
	CHECK(nr > 1);
	pids = calloc(nr + 1000, sizeof(*pids));
	CHECK(pids);
	CHECK_EQ(ptaudit_list(handle, pids, nr + 1000, &nr_again), 0);
	for (i = 0; i < nr_again && i < nr + 1000; i++)
		found |= pids[i] == target;
	CHECK(found);
	free(pids);
	ptaudit_free(handle);
}

/* shapes.c, empty(): 40 empty PTE tables on both sides of a 1 GiB boundary. */
UNIT_TEST(check_explains_the_differences_of_a_recording)
{
	static const uint64_t expected[PTAUDIT_LEVELS] = {
		[PTAUDIT_LEVEL_PTE] = 40,
		[PTAUDIT_LEVEL_PMD] = 2,
		[PTAUDIT_LEVEL_PUD] = 1,
	};
	struct ptaudit *handle = handle_with(DATA "empty", "pagemap");
	struct ptaudit_process_row process = { .size = sizeof(process) };
	struct ptaudit_difference_row open = { .size = sizeof(open) };
	struct ptaudit_cause_row cause = { .size = sizeof(cause) };
	struct ptaudit_level_row level = { .size = sizeof(level) };
	struct ptaudit_report *report;
	size_t nr, i;
	pid_t pid;

	CHECK_EQ(ptaudit_list(handle, &pid, 1, &nr), 0);
	CHECK_EQ(nr, 1);
	CHECK_EQ(ptaudit_check(handle, pid, NULL, &report), 0);
	CHECK_EQ(ptaudit_get_process(report, &process), 0);
	CHECK_EQ(process.unexplained, 0);
	CHECK_EQ(ptaudit_get_difference(report, 0, &open), -ENOENT);
	for (i = 0; i < PTAUDIT_LEVELS; i++) {
		if (ptaudit_get_level(report, (unsigned int)i, &level))
			continue;
		CHECK_EQ(level.kernel_only, expected[i]);
		CHECK_EQ(level.explained, expected[i]);
		CHECK_EQ(level.tables, level.estimate + expected[i]);
	}
	for (i = 0; !ptaudit_get_cause(report, i, &cause); i++)
		CHECK_EQ(cause.tables, expected[cause.level]);
	/* the lowest level comes last */
	CHECK_EQ(i, 3);
	CHECK_EQ(cause.level, PTAUDIT_LEVEL_PTE);
	CHECK_STR(cause.cause, "empty");
	CHECK_EQ(cause.start, SHAPE + (512 - 20) * SLOT);
	CHECK_EQ(cause.end, SHAPE + (512 + 20) * SLOT);
	ptaudit_report_free(report);
	ptaudit_free(handle);
}

UNIT_TEST(map_of_the_kernel_comes_from_the_recording)
{
	const struct ptaudit_ask ask = { sizeof(ask), PTAUDIT_ASK_KERNEL };
	struct ptaudit *handle = handle_with(DATA "dense", NULL);
	struct ptaudit_table_row row = { .size = sizeof(row) };
	unsigned int nr = 0;
	struct ptaudit_report *report;
	uint64_t entries = 0;
	size_t nr_pids, i;
	pid_t pid;

	CHECK_EQ(ptaudit_list(handle, &pid, 1, &nr_pids), 0);
	CHECK_EQ(ptaudit_map(handle, pid, &ask, &report), 0);
	for (i = 0; !ptaudit_get_table(report, i, &row); i++)
		if (row.level == PTAUDIT_LEVEL_PTE && row.start >= SHAPE &&
		    row.start < SHAPE + (1ul << 30)) {
			entries += row.entries;
			nr++;
		}
	/* shapes.c, dense(): 9 MiB that start 3 pages before a slot */
	CHECK_EQ(nr, 6);
	CHECK_EQ(entries, (9 << 20) / 4096);
	ptaudit_report_free(report);
	ptaudit_free(handle);
}

/* shapes.c, thp(): huge pages, and slots of which pagemap does not show what maps them. */
UNIT_TEST(a_recording_has_huge_pages_and_possible_tables)
{
	struct ptaudit *handle = handle_with(DATA "../6.1/thp", "pagemap");
	struct ptaudit_process_row process = { .size = sizeof(process) };
	struct ptaudit_level_row level = { .size = sizeof(level) };
	struct ptaudit_table_row row = { .size = sizeof(row) };
	struct ptaudit_mapping_row mapping = { .size = sizeof(mapping) };
	uint64_t huge = 0, possible = 0, of_mappings = 0, possibly = 0, all = 0;
	struct ptaudit_report *report;
	size_t nr, i;
	pid_t pid;

	CHECK_EQ(ptaudit_list(handle, &pid, 1, &nr), 0);
	CHECK_EQ(ptaudit_map(handle, pid, NULL, &report), 0);
	for (i = 0; !ptaudit_get_table(report, i, &row); i++) {
		possible += !!(row.flags & PTAUDIT_TABLE_POSSIBLE);
		if (!(row.flags & PTAUDIT_TABLE_HUGE_PAGE))
			continue;
		CHECK_EQ(row.level, PTAUDIT_LEVEL_PMD);
		CHECK_EQ(row.end, row.start + SLOT);
		huge++;
	}
	for (nr = 0; nr < PTAUDIT_LEVELS; nr++)
		if (!ptaudit_get_level(report, (unsigned int)nr, &level))
			all += level.tables + level.possible;
	CHECK_EQ(i, all + huge);
	CHECK_EQ(ptaudit_get_level(report, PTAUDIT_LEVEL_PMD, &level), 0);
	CHECK(huge && possible);
	CHECK_EQ(level.huge_pages, huge);
	CHECK_EQ(level.tables, 3);
	CHECK_EQ(ptaudit_get_level(report, PTAUDIT_LEVEL_PTE, &level), 0);
	CHECK_EQ(level.possible, possible);
	ptaudit_report_free(report);

	CHECK_EQ(ptaudit_estimate(handle, pid, NULL, &report), 0);
	CHECK_EQ(ptaudit_get_level(report, PTAUDIT_LEVEL_PTE, &level), 0);
	CHECK_EQ(level.possible, possible);
	for (i = 0; !ptaudit_get_mapping(report, i, &mapping); i++) {
		of_mappings += mapping.huge_pages;
		possibly += mapping.possible[PTAUDIT_LEVEL_PTE];
	}
	CHECK_EQ(of_mappings, huge);
	CHECK_EQ(possibly, possible);
	/* the files maps, status and stat of the recording */
	CHECK_EQ(i, 16);
	CHECK_EQ(ptaudit_get_process(report, &process), 0);
	CHECK_EQ(process.rss_bytes, 12916 << 10);
	CHECK_EQ(process.vmpte_bytes, 68 << 10);
	CHECK_EQ(process.start_time, 9373);
	CHECK_EQ(process.uid, 0);
	ptaudit_report_free(report);
	ptaudit_free(handle);
}

UNIT_TEST(levels_and_estimators_have_names)
{
	static const char *const levels[] = { "pte", "pmd", "pud", "p4d",
					      "pgd" };
	static const char *const estimators[] = { "naive", "pagemap", "scan",
						  "written", NULL };
	unsigned int i;

	for (i = 0; i < PTAUDIT_LEVELS; i++)
		CHECK_STR(ptaudit_level_name(i), levels[i]);
	CHECK(!ptaudit_level_name(PTAUDIT_LEVELS));
	for (i = 0; estimators[i]; i++)
		CHECK_STR(ptaudit_estimator_name(i), estimators[i]);
	CHECK(!ptaudit_estimator_name(i) && !ptaudit_estimator_name(i + 1));
}

/* A handle has one recording at a time, so a few descriptors are enough. */
UNIT_TEST(a_handle_can_be_configured_again_and_again)
{
	const rlim_t few = 32;
	const struct ptaudit_options options = {
		.size = sizeof(options),
		.recording = DATA "dense",
		.truth = PTAUDIT_TRUTH_BOTH,
	};
	struct ptaudit *handle = handle_with(NULL, NULL);
	struct rlimit before;
	unsigned int i;

	CHECK_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
	CHECK_EQ(setrlimit(RLIMIT_NOFILE,
			   &(struct rlimit){ few, before.rlim_max }),
		 0);
	for (i = 0; i < 2 * few; i++)
		CHECK_EQ(ptaudit_configure(handle, &options), 0);
	CHECK_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
	ptaudit_free(handle);
}

UNIT_TEST(failures_are_an_errno_and_a_sentence)
{
	const struct ptaudit_options unknown = { .size = sizeof(unknown),
						 .estimator = "pagmap" };
	const struct ptaudit_options far = { .size = sizeof(far),
					     .estimator = "far" };
	const struct ptaudit_options program = { .size = sizeof(program),
						 .estimator = "./pagemap" };
	const struct ptaudit_options nowhere = { .size = sizeof(nowhere),
						 .recording = "/nowhere" };
	const struct ptaudit_options truth = { .size = sizeof(truth),
					       .truth = 4 };
	/* this recording has a walk by the module */
	const struct ptaudit_options by_bpf = { .size = sizeof(by_bpf),
						.recording = DATA "empty",
						.truth = PTAUDIT_TRUTH_BPF };
	const struct ptaudit_options machine = { .size = sizeof(machine) };
	const struct ptaudit_ask flags = { sizeof(flags), PTAUDIT_ASK_KERNEL };
	struct ptaudit *handle = handle_with(NULL, NULL);
	struct ptaudit_report *report = NULL;
	char names[64];
	pid_t pid;
	size_t nr;

	CHECK_EQ(ptaudit_estimate(handle, 0x7fffffff, NULL, &report), -ESRCH);
	CHECK(strstr(ptaudit_error(handle), "no such process"));
	CHECK_EQ(ptaudit_estimate(handle, -1, NULL, &report), -EINVAL);
	CHECK_EQ(ptaudit_map(handle, 0x7fffffff, NULL, &report), -ESRCH);
	CHECK_EQ(ptaudit_configure(handle, &unknown), -EINVAL);
	CHECK(strstr(ptaudit_error(handle), "'pagemap'"));
	CHECK_EQ(ptaudit_configure(handle, &far), -EINVAL);
	snprintf(names, sizeof(names),
		 "unknown estimator 'far'; there are %s, ",
		 ptaudit_estimator_name(0));
	CHECK(strstr(ptaudit_error(handle), names));
	CHECK(!strstr(ptaudit_error(handle), "and all"));
	CHECK_EQ(ptaudit_configure(handle, &program), -EINVAL);
	CHECK_EQ(ptaudit_configure(handle, &truth), -EINVAL);
	CHECK(strstr(ptaudit_error(handle), "unknown truth 4"));
	CHECK_EQ(ptaudit_configure(handle, &nowhere), -ENOENT);
	CHECK(strstr(ptaudit_error(handle), "/nowhere"));
	CHECK_EQ(ptaudit_estimate(handle, target, &flags, &report), -EINVAL);
	CHECK_EQ(ptaudit_configure(handle, &by_bpf), 0);
	CHECK_EQ(ptaudit_list(handle, &pid, 1, &nr), 0);
	CHECK_EQ(ptaudit_check(handle, pid, NULL, &report), -ENOENT);
	CHECK(strstr(ptaudit_error(handle), "no walk by BPF"));
	CHECK_EQ(ptaudit_configure(handle, &machine), 0);
	CHECK(!report);
	/* it still reads /proc, and the old error is forgotten */
	CHECK_EQ(ptaudit_estimate(handle, target, NULL, &report), 0);
	CHECK_STR(ptaudit_error(handle), "");
	ptaudit_report_free(report);
	ptaudit_report_free(NULL);
	ptaudit_free(handle);
	ptaudit_free(NULL);
}

/* Also where debugfs is not mounted: that needs root, too. */
static bool user_is_not_permitted(void)
{
	const struct ptaudit_options options = {
		.size = sizeof(options),
		.truth = PTAUDIT_TRUTH_MODULE,
	};
	struct ptaudit *handle = handle_with(NULL, NULL);
	struct ptaudit_report *report;

	return !ptaudit_configure(handle, &options) &&
	       ptaudit_check(handle, getpid(), NULL, &report) == -EPERM &&
	       strstr(ptaudit_error(handle), "needs root");
}

UNIT_TEST(the_module_needs_root)
{
	pid_t child = fork();
	int status = -1;

	if (!child)
		_exit(!((geteuid() || !setuid(65534)) &&
			user_is_not_permitted()));
	CHECK(child > 0);
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK_EQ(status, 0);
}

UNIT_TEST(a_zombie_has_no_tables)
{
	struct ptaudit *handle = handle_with(NULL, NULL);
	struct ptaudit_report *report;
	siginfo_t info;
	pid_t child = fork();
	int error;

	if (!child)
		_exit(0);
	CHECK(child > 0);
	CHECK_EQ(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	error = ptaudit_estimate(handle, child, NULL, &report);
	waitpid(child, NULL, 0);
	CHECK_EQ(error, -EINVAL);
	CHECK(strstr(ptaudit_error(handle), "zombie"));
	ptaudit_free(handle);
}

/* A client that was built when a struct had only its first members. */
UNIT_TEST(a_smaller_struct_is_taken_and_filled_in)
{
	struct {
		size_t size;
		const char *recording;
		unsigned char canary[64];
	} options = { 2 * sizeof(size_t), DATA "dense", { 0 } };
	const struct ptaudit_options all = { .size = sizeof(all), .truth = 4 };
	struct {
		size_t size;
		int32_t pid;
		int32_t tid;
		unsigned char canary[64];
	} row = { .size = 16 };
	struct ptaudit *handle = handle_with(NULL, NULL);
	struct ptaudit_report *report;
	size_t nr, i;
	pid_t pid;

	/* if the library read these bytes, it would use another estimator and truth */
	memset(options.canary, CANARY, sizeof(options.canary));
	memset(row.canary, CANARY, sizeof(row.canary));
	/* leaves a value on the stack for the member that the next caller does not have */
	CHECK_EQ(ptaudit_configure(handle, &all), -EINVAL);
	CHECK_EQ(ptaudit_configure(handle,
				   (const struct ptaudit_options *)&options),
		 0);
	CHECK_EQ(ptaudit_list(handle, &pid, 1, &nr), 0);
	CHECK_EQ(nr, 1);
	CHECK_EQ(ptaudit_estimate(handle, pid, NULL, &report), 0);
	CHECK_EQ(ptaudit_get_process(report,
				     (struct ptaudit_process_row *)&row),
		 0);
	CHECK_EQ(row.pid, pid);
	CHECK_EQ(row.size, 16);
	for (i = 0; i < sizeof(row.canary); i++)
		CHECK_EQ(row.canary[i], CANARY);
	ptaudit_report_free(report);
	ptaudit_free(handle);
}

/* A client that was built for a later version of the library. */
UNIT_TEST(a_larger_struct_is_taken_if_its_end_is_0)
{
	struct {
		struct ptaudit_options known;
		uint64_t later[2];
	} options = { { .size = sizeof(options) }, { 0, 0 } };
	struct {
		struct ptaudit_ask known;
		uint64_t later;
	} ask = { { .size = sizeof(ask) }, 1ull << 63 };
	struct {
		struct ptaudit_process_row known;
		uint64_t later[2];
	} row = { { .size = sizeof(row) }, { 7, 7 } };
	const struct ptaudit_ask later_flag = { .size = sizeof(later_flag),
						.flags = 4 };
	struct ptaudit *handle = handle_with(NULL, NULL);
	struct ptaudit_report *report;

	CHECK_EQ(ptaudit_configure(handle, &options.known), 0);
	options.later[1] = 1ull << 63;
	CHECK_EQ(ptaudit_configure(handle, &options.known), -E2BIG);
	CHECK(*ptaudit_error(handle));
	CHECK_EQ(ptaudit_estimate(handle, target, &ask.known, &report), -E2BIG);
	CHECK_EQ(ptaudit_estimate(handle, target, &later_flag, &report),
		 -E2BIG);
	ask.later = 0;
	CHECK_EQ(ptaudit_estimate(handle, target, &ask.known, &report), 0);
	CHECK_EQ(ptaudit_get_process(report, &row.known), 0);
	CHECK_EQ(row.known.pid, target);
	CHECK_EQ(row.later[0] | row.later[1], 0);
	ptaudit_report_free(report);
	ptaudit_free(handle);
}

/* A later version may have an option where this one has room. */
UNIT_TEST(a_reserved_member_is_an_unknown_option)
{
	struct ptaudit_options options = { .size = sizeof(options),
					   .estimator = "pagemap",
					   .reserved = 1u << 31 };
	struct ptaudit *handle = handle_with(NULL, NULL);

	CHECK_EQ(ptaudit_configure(handle, &options), -E2BIG);
	CHECK(strstr(ptaudit_error(handle), "older than its caller"));
	options.reserved = 1;
	CHECK_EQ(ptaudit_configure(handle, &options), -E2BIG);
	options.reserved = 0;
	CHECK_EQ(ptaudit_configure(handle, &options), 0);
	ptaudit_free(handle);
}

UNIT_TEST(a_struct_without_size_is_refused)
{
	const struct ptaudit_options options = { .size = 0 };
	const struct ptaudit_ask ask = { .size = sizeof(size_t) };
	struct ptaudit_process_row row = { .size = 0 };
	struct ptaudit *handle = handle_with(NULL, NULL);
	struct ptaudit_report *report;

	CHECK_EQ(ptaudit_configure(handle, &options), -EINVAL);
	CHECK_EQ(ptaudit_estimate(handle, target, &ask, &report), -EINVAL);
	CHECK_EQ(ptaudit_estimate(handle, target, NULL, &report), 0);
	CHECK_EQ(ptaudit_get_process(report, &row), -EINVAL);
	row.size = sizeof(size_t);
	CHECK_EQ(ptaudit_get_process(report, &row), -EINVAL);
	ptaudit_report_free(report);
	ptaudit_free(handle);
}

UNIT_TEST(a_program_can_measure_itself)
{
	struct ptaudit_process_row row = { .size = sizeof(row) };
	struct ptaudit *handle = handle_with(NULL, NULL);
	struct ptaudit_report *report;

	CHECK_EQ(ptaudit_estimate(handle, getpid(), NULL, &report), 0);
	CHECK_EQ(ptaudit_get_process(report, &row), 0);
	CHECK_EQ(row.pid, getpid());
	ptaudit_report_free(report);
	ptaudit_free(handle);
}

int main(void)
{
	int status;

	target = begin();
	if (target < 0)
		return 1;
	status = unit_run(NULL, NULL);
	end(target);
	return status;
}
