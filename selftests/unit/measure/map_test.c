// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a map reads of a process, and when it reads it again.  The test chooses the result of
 * each call.
 */
#include "compare/map.h"
#include "compare/table_fill.h"

#define ptu_fill_of_kernel fake_fill
#define ptu_map_draw fake_draw

static int fake_fill(const struct ptu_snapshot *kernel,
		     const struct ptu_geometry *geo, struct ptu_tables *ret);
static int fake_draw(const struct ptu_tables *claims,
		     const struct ptu_snapshot *kernel,
		     const struct ptu_vmas *vmas, bool sees_empty,
		     struct ptu_map_report *ret);

#include "measure/map.c"

#undef ptu_fill_of_kernel
#undef ptu_map_draw

#include "support/build.h"

enum call {
	HOST,
	BOOT_ID,
	IDENTIFY,
	MAPS,
	SIDE,
	MAPS_SAME,
	FILL,
	EVIDENCE,
	ESTIMATE,
	STATUS,
	DRAW,
	PROC_SAME,
	NR_CALLS
};

#include "measure/fake_calls.h"

/* Tables that the estimator claims, from A on. */
static unsigned int nr_claims;

static struct ptu_map_report report;

/* Each time it is opened, it is read through another thread. */
int ptu_measure_identify(pid_t pid, struct ptu_proc *proc,
			 struct ptu_process *ret, struct ptu_err *error)
{
	int failed = called(IDENTIFY, error);

	*ret = (struct ptu_process){ .pid = pid,
				     .tid = pid + (pid_t)calls[IDENTIFY] };
	if (failed)
		return failed;
	*proc = (struct ptu_proc){ .pid = pid, .tid = ret->tid };
	nr_open++;
	return 0;
}

static struct ptu_vmas one_mapping(uint64_t end)
{
	struct ptu_vma *vma = calloc(1, sizeof(*vma));

	if (!vma)
		abort();
	*vma = (struct ptu_vma){ .start = A, .end = end, .perms = "rw-p" };
	return (struct ptu_vmas){ .vmas = vma, .nr_vmas = 1 };
}

/* The mapping grows by one table with each reading. */
static uint64_t end_now(void)
{
	return A + 2 * MIB * calls[MAPS];
}

int ptu_proc_maps(const struct ptu_proc *proc, struct ptu_vmas *ret,
		  struct ptu_err *error)
{
	int failed = called(MAPS, error);

	if (!failed)
		*ret = one_mapping(end_now());
	return failed;
}

int ptu_proc_maps_same(const struct ptu_proc *proc, const struct ptu_vmas *vmas,
		       struct ptu_err *error)
{
	/* the comparison must come after the walk, with the mappings read before it */
	if (calls[SIDE] != calls[MAPS] || vmas->vmas[0].end != end_now())
		UNIT_FAIL("the wrong mappings are compared");
	return called(MAPS_SAME, error);
}

/* A table for 2 MiB of the mapping, with 3 entries each. */
int ptu_side_read(const struct ptu_kernel_side *side,
		  const struct ptu_proc *proc, uint64_t start, uint64_t end,
		  enum ptu_walk walk, struct ptu_snapshot *ret,
		  struct ptu_err *error)
{
	int failed = called(SIDE, error);
	struct build b;
	uint64_t at;

	/* of a recording, the walk that belongs to the mappings */
	if (start || end || walk != PTU_WALK_AFTER)
		UNIT_FAIL("not all tables are read");
	if (failed)
		return failed;
	build_init(&b, 4, false);
	for (at = A; at < end_now(); at += 2 * MIB)
		build_pte(&b, at, 3);
	*ret = build_snapshot(&b);
	build_deinit(&b);
	return 0;
}

int ptu_proc_evidence(const struct ptu_proc *proc,
		      const struct ptu_geometry *geo, unsigned int needs,
		      uint64_t start, uint64_t end, struct ptu_evidence *ret,
		      struct ptu_err *error)
{
	int failed = called(EVIDENCE, error);

	if (needs != (PTU_NEEDS_PAGEMAP | PTU_NEEDS_COUNTS |
		      PTU_TAKES_CHANGES) ||
	    start || end != UINT64_MAX)
		UNIT_FAIL("the wrong evidence is read");
	if (failed)
		return failed;
	*ret = (struct ptu_evidence){ .geo = geo,
				      .vmas = one_mapping(A + 8 * MIB),
				      .end = UINT64_MAX };
	/* the mapping of the second table has changed */
	return ptu_spans_add(&ret->changed, A + 2 * MIB, A + 4 * MIB);
}

static int estimate(const struct ptu_evidence *evidence, struct ptu_tables *ret,
		    struct ptu_err *error)
{
	for (unsigned int i = 0; i < nr_claims; i++) {
		if (ptu_tables_add(ret, PTAUDIT_PTE, A + i * 2 * MIB,
				   PTU_CERTAIN))
			abort();
		ptu_tables_count_entries(ret, i);
	}
	return called(ESTIMATE, error);
}

int ptu_proc_status(const struct ptu_proc *proc, struct ptu_proc_status *ret,
		    struct ptu_err *error)
{
	*ret = (struct ptu_proc_status){ .has_mm = true,
					 .vmpte_bytes = 7 * PAGE };
	return called(STATUS, error);
}

static int fake_fill(const struct ptu_snapshot *kernel,
		     const struct ptu_geometry *geo, struct ptu_tables *ret)
{
	int failed = called(FILL, NULL);

	return failed ? failed : ptu_fill_of_kernel(kernel, geo, ret);
}

/* Its result is freed even after a failure. */
static int fake_draw(const struct ptu_tables *claims,
		     const struct ptu_snapshot *kernel,
		     const struct ptu_vmas *vmas, bool sees_empty,
		     struct ptu_map_report *ret)
{
	int failed = called(DRAW, NULL);

	if (ptu_map_draw(claims, kernel, vmas, sees_empty, ret))
		abort();
	return failed;
}

static int measure(const struct ptu_kernel_side *side, unsigned int blind)
{
	const struct ptu_estimator estimator = { .name = "built",
						 .needs = PTU_NEEDS_PAGEMAP,
						 .blind = blind,
						 .estimate = estimate };
	const struct ptu_map_ask ask = { .geo = &four_levels,
					 .side = side,
					 .estimator = &estimator,
					 .pid = 70 };

	return ptu_measure_map(&ask, &report, &err);
}

static int measure_kernel(void)
{
	static const struct ptu_kernel_side side = { .which = PTU_SIDE_MODULE };

	return measure(&side, 0);
}

static int measure_estimate(void)
{
	return measure(NULL, 0);
}

static void set_up(void)
{
	calls_set_up();
	nr_claims = 3;
}

static void drop(void)
{
	ptu_map_report_deinit(&report);
	memset(&report, 0, sizeof(report));
}

static void end(void)
{
	drop();
	if (nr_open)
		UNIT_FAIL("%u processes are open", nr_open);
}

UNIT_TEST(kernels_tables_are_drawn_with_the_mappings)
{
	CHECK_EQ(measure_kernel(), 0);
	/* one table of each of the four levels */
	CHECK_EQ(report.nr_tables, 4);
	CHECK_EQ(report.fills[PTAUDIT_PTE].tables, 1);
	CHECK_EQ(report.fills[PTAUDIT_PTE].entries, 3);
	CHECK_EQ(report.tables[3].mapping, 0);
	CHECK(report.process.sees_empty);
	CHECK_EQ(report.process.pid, 70);
	CHECK_EQ(report.process.tid, 71);
	CHECK_EQ(report.source, PTU_TOP_MODULE);
	CHECK(!report.estimator);
	CHECK_EQ(report.geo.page_bytes, PAGE);
	CHECK_STR(report.host.release, "7.2.0");
	CHECK_STR(report.boot_id, "boot");
	CHECK_EQ(calls[EVIDENCE] + calls[ESTIMATE] + calls[STATUS], 0);
	CHECK_EQ(calls[MAPS_SAME], 1);
	CHECK_EQ(calls[PROC_SAME], 1);
}

UNIT_TEST(map_says_which_side_its_tables_are_of)
{
	const struct ptu_kernel_side bpf = { .which = PTU_SIDE_BPF };
	const struct ptu_kernel_side both = { .which = PTU_SIDE_BOTH };

	CHECK_EQ(measure(&bpf, 0), 0);
	CHECK_EQ(report.source, PTU_TOP_BPF);
	CHECK(!report.estimator);
	drop();
	/* then the module's walk is read */
	CHECK_EQ(measure(&both, 0), 0);
	CHECK_EQ(report.source, PTU_TOP_MODULE);
}

UNIT_TEST(estimated_tables_are_drawn_with_vmpte)
{
	CHECK_EQ(measure_estimate(), 0);
	CHECK_EQ(report.source, PTU_TOP_ESTIMATE);
	CHECK_STR(report.estimator, "built");
	CHECK_EQ(report.nr_tables, 6);
	/* the mapping of the second one has changed */
	CHECK_EQ(report.fills[PTAUDIT_PTE].tables, 2);
	CHECK_EQ(report.fills[PTAUDIT_PTE].entries, 0 + 2);
	CHECK_EQ(report.possible[PTAUDIT_PTE], 1);
	CHECK_EQ(report.tables[4].flags, PTU_MAP_POSSIBLE);
	CHECK_EQ(report.process.levels[PTAUDIT_PTE].low, 2);
	CHECK_EQ(report.process.levels[PTAUDIT_PTE].high, 3);
	/* two PTE tables, the PMD and the PUD */
	CHECK_EQ(report.process.vmpte_bytes, 7 * PAGE);
	CHECK_EQ(report.process.residual_bytes, (7 - 4) * PAGE);
	/* the possible one is drawn, too */
	CHECK_EQ(ptu_map_unseen_bytes(&report), (7 - 5) * PAGE);
	CHECK_EQ(report.process.nr_mappings, 1);
	CHECK(report.process.sees_empty);
	CHECK_EQ(calls[MAPS] + calls[SIDE] + calls[MAPS_SAME], 0);
	CHECK_EQ(calls[PROC_SAME], 1);
}

UNIT_TEST(text_says_if_the_estimator_sees_no_empty_tables)
{
	CHECK_EQ(measure(NULL, 1u << PTAUDIT_K_NONE), 0);
	CHECK(!report.process.sees_empty);
	drop();
	CHECK_EQ(measure(NULL, 1u << PTAUDIT_K_LEAF), 0);
	CHECK(report.process.sees_empty);
}

UNIT_TEST(process_without_claims_has_a_pgd)
{
	nr_claims = 0;
	CHECK_EQ(measure_estimate(), 0);
	CHECK_EQ(report.nr_tables, 1);
	CHECK_EQ(report.tables[0].level, PTAUDIT_PGD);
}

UNIT_TEST(mappings_that_changed_are_read_again_with_the_tables)
{
	results[MAPS_SAME][0] = -EAGAIN;
	/* memory that is unmapped while the tables are read */
	results[SIDE][1] = -EAGAIN;
	CHECK_EQ(measure_kernel(), 0);
	CHECK_EQ(calls[IDENTIFY], 1);
	CHECK_EQ(calls[MAPS], 3);
	CHECK_EQ(calls[SIDE], 3);
	CHECK_EQ(calls[MAPS_SAME], 2);
	CHECK_EQ(calls[DRAW], 1);
	CHECK_EQ(report.fills[PTAUDIT_PTE].tables, 3);
	CHECK_EQ(report.process.pid, 70);
	CHECK_STR(report.boot_id, "boot");
	CHECK_STR(err.text, "");
}

UNIT_TEST(attempt_begins_with_an_empty_report)
{
	results[STATUS][0] = -EAGAIN;
	results[DRAW][0] = -EAGAIN;
	CHECK_EQ(measure_estimate(), 0);
	CHECK_EQ(calls[EVIDENCE], 3);
	CHECK_EQ(report.fills[PTAUDIT_PTE].tables, 2);
	CHECK_EQ(report.process.residual_bytes, (7 - 4) * PAGE);
}

UNIT_TEST(process_that_keeps_changing_is_an_error)
{
	is_silent = true;
	for (unsigned int i = 0; i < MOST_CALLS; i++)
		results[MAPS_SAME][i] = -EAGAIN;
	CHECK_EQ(measure_kernel(), -EAGAIN);
	CHECK_STR(err.text, "it changed");
	CHECK_EQ(nr_tries, RETRIES);
	CHECK_EQ(calls[MAPS], RETRIES);
	CHECK_EQ(calls[IDENTIFY], 1);
	CHECK_EQ(calls[PROC_SAME], 0);
	CHECK_EQ(report.process.pid, 0);

	set_up();

	/* a message that exists is kept */
	for (unsigned int i = 0; i < MOST_CALLS; i++)
		results[EVIDENCE][i] = -EAGAIN;
	CHECK_EQ(measure_estimate(), -EAGAIN);
	CHECK(says(EVIDENCE, RETRIES - 1));
	CHECK_EQ(nr_tries, 0);
}

UNIT_TEST(message_is_that_of_the_last_attempt)
{
	results[MAPS_SAME][0] = -EAGAIN;
	results[SIDE][1] = -EACCES;
	CHECK_EQ(measure_kernel(), -EACCES);
	CHECK(says(SIDE, 1));

	set_up();

	results[PROC_SAME][0] = -ESTALE;
	results[IDENTIFY][1] = -ESRCH;
	CHECK_EQ(measure_kernel(), -ESRCH);
	CHECK(says(IDENTIFY, 1));
}

UNIT_TEST(thread_that_ended_is_replaced_by_another_one)
{
	results[SIDE][0] = -ESTALE;
	results[PROC_SAME][0] = -ESTALE;
	CHECK_EQ(measure_kernel(), 0);
	CHECK_EQ(calls[IDENTIFY], 3);
	CHECK_EQ(calls[PROC_SAME], 2);
	CHECK_EQ(report.process.tid, 73);
	CHECK_EQ(report.fills[PTAUDIT_PTE].tables, 3);
	CHECK_EQ(report.source, PTU_TOP_MODULE);
	CHECK_STR(report.boot_id, "boot");
	CHECK_STR(err.text, "");
}

UNIT_TEST(process_is_opened_five_times_at_most)
{
	for (unsigned int i = 0; i < MOST_CALLS; i++)
		results[PROC_SAME][i] = -ESTALE;
	CHECK_EQ(measure_kernel(), -ESTALE);
	CHECK_EQ(calls[IDENTIFY], 5);
	CHECK(says(PROC_SAME, 4));
	CHECK_EQ(report.process.pid, 0);
}

/* Each call fails once. */
static void fail_each(const enum call *each, size_t nr, int (*measured)(void))
{
	for (size_t i = 0; i < nr; i++) {
		set_up();
		results[each[i]][0] = -EIO;
		CHECK_EQ(measured(), -EIO);
		CHECK_EQ(calls[each[i]], 1);
		/* nothing behind it is called */
		CHECK(i + 1 == nr || !calls[each[i + 1]]);
		CHECK(each[i] == FILL || each[i] == DRAW || says(each[i], 0));
		CHECK_EQ(report.process.pid, 0);
		CHECK_EQ(nr_open, 0);
	}
}

UNIT_TEST(first_failure_ends_the_measurement)
{
	static const enum call kernel[] = { HOST, BOOT_ID, IDENTIFY,
					    MAPS, SIDE,	   MAPS_SAME,
					    FILL, DRAW,	   PROC_SAME };
	static const enum call estimated[] = { HOST,	 BOOT_ID,  IDENTIFY,
					       EVIDENCE, ESTIMATE, STATUS,
					       DRAW,	 PROC_SAME };

	fail_each(kernel, sizeof(kernel) / sizeof(kernel[0]), measure_kernel);
	fail_each(estimated, sizeof(estimated) / sizeof(estimated[0]),
		  measure_estimate);
}

UNIT_TEST(shortage_of_memory_is_an_error)
{
	results[FILL][0] = -ENOMEM;
	CHECK_EQ(measure_kernel(), -ENOMEM);
	CHECK_STR(err.text, "no memory for the map");
}

UNIT_MAIN_WITH(set_up, end)
