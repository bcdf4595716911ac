// SPDX-License-Identifier: GPL-2.0-only
/*
 * How --orphans and --truth both bracket.  The test provides what each walk reports at
 * each time; measure/walks.c uses no process, module or BPF here.
 */
#include "base/clock.h"

/* Each bracket takes no time. */
uint64_t ptu_now_ns(void)
{
	return 0;
}

#include "measure/walks.c"

#include "support/build.h"
#include "support/unit.h"

#define A UINT64_C(0x7f0000000000)
#define NR 40 /* consecutive PTE tables from A on, or process.nr of them */

enum who { MODULE, ORPHANS, BPF };

/*
 * @has: does the walk find PTE table @i at the @look-th look?  Looks count from 0, three per
 *   bracket: tables, the other walk, tables
 * @more: number of additional entries that the other walk sees in table 3
 * @busy_from: from this look on, each walk fails because the tables change; 0: never
 * @busy_look: the walk at this look, counted from 1, fails for the same reason; 0: none
 */
static struct {
	bool (*has)(unsigned int i, unsigned int look, bool other);
	unsigned int nr;
	unsigned int look;
	unsigned int more;
	unsigned int busy_from;
	unsigned int busy_look;
	uint64_t mm;
} process;

static struct ptu_err err;

static int answer(uint64_t start, uint64_t end, enum who who,
		  struct ptu_snapshot *ret)
{
	const bool orphans = who == ORPHANS, other = who != MODULE;
	unsigned int i, look = process.look++;
	size_t nr_bytes;
	struct build b;
	void *bytes;
	int error;

	if ((process.busy_from && look >= process.busy_from) ||
	    process.busy_look == look + 1)
		return ptu_err_set(&err, -EAGAIN, "look %u", look);
	build_init(&b, 4, false);
	if (end)
		build_range(&b, start, end);
	if (orphans)
		b.header.flags |= PTAUDIT_H_ORPHANS;
	if (who == BPF) {
		b.header.flags |= PTAUDIT_H_BPF;
		b.header.lock_windows = 0;
	}
	b.header.mm = process.mm ? process.mm : 7;
	b.header.hold_ns_max = orphans ? 1000 + look : 5000;
	build_table(&b, PTAUDIT_PMD, A)->pfn = 0x9000;
	build_table(&b, PTAUDIT_PUD, A)->pfn = 0x9001;
	build_table(&b, PTAUDIT_PGD, 0)->pfn = 0x9002;
	for (i = 0; i < (process.nr ? process.nr : NR); i++) {
		uint64_t at = A + i * 2 * MIB;

		if (process.has(i, look, other) &&
		    (!end || (at >= start && at < end)))
			build_pte(&b, at,
				  other && i == 3 ? 1 + process.more : 1)
				->pfn = 0x5000 + i;
	}
	bytes = build_image(&b, &nr_bytes);
	error = orphans ?
			ptu_snapshot_parse_orphans(bytes, nr_bytes, &b.geo, ret,
						   NULL) :
			ptu_snapshot_parse(bytes, nr_bytes, &b.geo, ret, NULL);
	if (error)
		abort();
	free(bytes);
	build_deinit(&b);
	return 0;
}

int ptu_side_read(const struct ptu_kernel_side *side,
		  const struct ptu_proc *proc, uint64_t start, uint64_t end,
		  enum ptu_walk walk, struct ptu_snapshot *ret,
		  struct ptu_err *error)
{
	return answer(start, end, MODULE, ret);
}

int ptu_side_read_bpf(const struct ptu_kernel_side *side,
		      const struct ptu_proc *proc, uint64_t start, uint64_t end,
		      enum ptu_walk walk, struct ptu_snapshot *ret,
		      struct ptu_err *error)
{
	return answer(start, end, BPF, ret);
}

int ptu_truth_orphans(const struct ptu_proc *proc, uint64_t start, uint64_t end,
		      const struct ptu_geometry *geo, struct ptu_snapshot *ret,
		      struct ptu_err *error)
{
	return answer(start, end, ORPHANS, ret);
}

/* What was measured. */
static struct ptu_process got;

static void tear_down(void)
{
	ptu_process_deinit(&got);
	got = (struct ptu_process){ .pid = 42, .mm = 7 };
}

static int measure(bool (*has)(unsigned int, unsigned int, bool))
{
	const struct ptu_proc proc = { .pid = 42, .tid = 42 };
	struct build b;
	int error;

	process.has = has;
	process.look = 0;
	err.text[0] = '\0';
	tear_down();
	build_init(&b, 4, false);
	error = ptu_measure_orphans(&(struct ptu_kernel_side){ .geo = &b.geo,
							       .which =
								       PTU_SIDE_MODULE },
				    &proc, &got, &err);
	build_deinit(&b);
	return error;
}

/* Do as `check` does: bracket the whole process, then call ptu_measure_bpf(). */
static int measure_bpf(bool (*has)(unsigned int, unsigned int, bool),
		       bool again)
{
	const struct ptu_proc proc = { .pid = 42, .tid = 42 };
	struct ptu_kernel_side side = { .which = PTU_SIDE_BOTH };
	const struct other other = { .side = &side, .by_bpf = true };
	struct ptu_walk_diffs diffs = { 0 };
	struct build b;
	int error;

	process.has = has;
	process.look = 0;
	err.text[0] = '\0';
	tear_down();
	build_init(&b, 4, false);
	side.geo = &b.geo;
	error = bracket(&other, &proc, 0, 0, &got, &diffs, NULL, &err);
	if (!error)
		error = ptu_measure_bpf(&side, &proc, &diffs, again, &got,
					&err);
	ptu_walks_deinit(&diffs);
	build_deinit(&b);
	return error;
}

static bool all(unsigned int i, unsigned int look, bool orphans)
{
	return true;
}

UNIT_TEST(walks_that_agree_take_one_bracket)
{
	CHECK_EQ(measure(all), 0);
	CHECK_EQ(process.look, 3);
	CHECK(got.orphans.done);
	CHECK_EQ(ptu_orphans_tables(&got.orphans), NR + 3);
	CHECK_EQ(got.orphans.in_flux, 0);
	CHECK_EQ(got.orphans.nr_unexplained, 0);
	/* from the orphans walk, which is the second look */
	CHECK_EQ(got.orphans.hold_ns_max, 1001);
	CHECK_EQ(ptu_process_unexplained(&got), 0);
}

static bool three_only_in_orphans(unsigned int i, unsigned int look,
				  bool orphans)
{
	return i != 3 || orphans;
}

UNIT_TEST(a_table_that_stays_in_one_walk_is_unexplained)
{
	CHECK_EQ(measure(three_only_in_orphans), 0);
	CHECK_EQ(got.orphans.nr_unexplained, 1);
	CHECK_EQ(got.orphans.unexplained[0].start, A + 6 * MIB);
	CHECK_EQ(got.orphans.unexplained[0].end, A + 8 * MIB);
	CHECK_EQ(got.orphans.unexplained[0].level, PTAUDIT_PTE);
	CHECK(got.orphans.unexplained[0].in_orphans);
	CHECK(!got.orphans.unexplained[0].in_tables);
	CHECK_EQ(got.orphans.in_flux, 0);
	CHECK_EQ(ptu_orphans_tables(&got.orphans), NR + 2);
	CHECK_EQ(ptu_process_unexplained(&got), 1);
	CHECK_EQ(got.status, PTU_STATUS_OK);
}

/* The first bracket is complete, and after it no walk succeeds. */
UNIT_TEST(bracket_before_those_that_could_not_be_taken_counts)
{
	process.busy_from = 3;
	CHECK_EQ(measure(three_only_in_orphans), 0);
	CHECK_EQ(ptu_orphans_tables(&got.orphans), NR + 2);
	CHECK_EQ(got.orphans.in_flux, 1);
	CHECK_EQ(got.orphans.nr_unexplained, 0);
	CHECK_STR(err.text, "");
	process.busy_from = 1;
	CHECK_EQ(measure(three_only_in_orphans), -EAGAIN);
	/* the last attempt began at look 1 + 2 * (PTU_WHOLE_TRIES - 1) */
	CHECK(strncmp(err.text, "look ", 5) == 0);
	CHECK(strcmp(err.text, "look 1") != 0);
	process.busy_from = 0;
}

UNIT_TEST(message_of_a_failed_attempt_is_dropped)
{
	process.busy_look = 2;
	CHECK_EQ(measure(all), 0);
	process.busy_look = 0;
	CHECK_EQ(process.look, 2 + 3);
	CHECK_STR(err.text, "");
}

static bool three_lost_in_orphans(unsigned int i, unsigned int look,
				  bool orphans)
{
	return i != 3 || !orphans;
}

UNIT_TEST(a_table_that_the_walk_of_all_entries_never_has_is_unexplained)
{
	CHECK_EQ(measure(three_lost_in_orphans), 0);
	CHECK_EQ(got.orphans.nr_unexplained, 1);
	CHECK(got.orphans.unexplained[0].in_tables);
	CHECK(!got.orphans.unexplained[0].in_orphans);
}

/* The walks by mappings find table 3 only after one local bracket. */
static bool three_comes_late(unsigned int i, unsigned int look, bool orphans)
{
	return i != 3 || orphans || look >= 3 * (PTU_WHOLE_TRIES + 1);
}

UNIT_TEST(table_that_both_walks_find_later_is_no_difference)
{
	CHECK_EQ(measure(three_comes_late), 0);
	CHECK_EQ(got.orphans.nr_unexplained, 0);
	CHECK_EQ(got.orphans.in_flux, 0);
	CHECK_EQ(ptu_orphans_tables(&got.orphans), NR + 3);
}

/* The table exists before and during the orphans walk, but never after it. */
static bool three_always_goes(unsigned int i, unsigned int look, bool orphans)
{
	return i != 3 || look % 3 < 2;
}

UNIT_TEST(a_table_that_keeps_changing_is_in_flux)
{
	CHECK_EQ(measure(three_always_goes), 0);
	CHECK_EQ(got.orphans.nr_unexplained, 0);
	CHECK_EQ(got.orphans.in_flux, 1);
	CHECK_EQ(got.status, PTU_STATUS_OK);
}

/* Only in the first local bracket, one of the walks by mappings has the table. */
static bool three_came_once(unsigned int i, unsigned int look, bool orphans)
{
	return i != 3 || orphans || look == 3 * PTU_WHOLE_TRIES;
}

UNIT_TEST(a_table_that_changed_in_one_bracket_is_in_flux)
{
	CHECK_EQ(measure(three_came_once), 0);
	CHECK_EQ(got.orphans.nr_unexplained, 0);
	CHECK_EQ(got.orphans.in_flux, 1);
}

/* More tables differ than get brackets of their own. */
#define MANY (PTU_LOCAL_DIFFS + 44)

static bool come_late(unsigned int i, unsigned int look, bool other)
{
	return other || look >= 3 * PTU_WHOLE_TRIES;
}

UNIT_TEST(tables_beyond_the_limit_that_come_later_are_no_difference)
{
	process.nr = MANY;
	CHECK_EQ(measure(come_late), 0);
	process.nr = 0;
	CHECK_EQ(got.orphans.nr_unexplained, 0);
	CHECK_EQ(got.orphans.in_flux, 0);
	CHECK_EQ(ptu_orphans_tables(&got.orphans), MANY + 3);
	/* one bracket of the whole process is enough for the last 44 */
	CHECK_EQ(process.look, 3 * (PTU_WHOLE_TRIES + PTU_LOCAL_DIFFS + 1));
}

static bool only_in_other(unsigned int i, unsigned int look, bool other)
{
	return other;
}

UNIT_TEST(tables_beyond_the_limit_that_stay_in_one_walk_are_unexplained)
{
	process.nr = MANY;
	CHECK_EQ(measure(only_in_other), 0);
	CHECK_EQ(got.orphans.nr_unexplained, MANY);
	CHECK_EQ(measure_bpf(only_in_other, true), 0);
	CHECK_EQ(got.nr_unexplained, MANY);
	process.nr = 0;
	CHECK_EQ(got.levels[PTAUDIT_PTE].kernel_bpf, MANY);
	CHECK_EQ(process.look,
		 3 * (1 + PTU_LOCAL_TRIES * (PTU_LOCAL_DIFFS + 1)));
}

/* The tables beyond the limit are also in one of two walks by mappings. */
static bool last_ones_go(unsigned int i, unsigned int look, bool other)
{
	return i < PTU_LOCAL_DIFFS ? come_late(i, look, other) : look % 3 < 2;
}

UNIT_TEST(tables_beyond_the_limit_that_keep_changing_are_in_flux)
{
	process.nr = PTU_LOCAL_DIFFS + 10;
	CHECK_EQ(measure(last_ones_go), 0);
	process.nr = 0;
	CHECK_EQ(got.orphans.nr_unexplained, 0);
	CHECK_EQ(got.orphans.in_flux, 10);
	CHECK_EQ(got.status, PTU_STATUS_OK);
}

/*
 * Beyond the limit, the first table is found by both walks in the second bracket, and the
 * other one only in the first.
 */
static bool last_ones_come_in_turns(unsigned int i, unsigned int look,
				    bool other)
{
	const unsigned int begin = 3 * (PTU_WHOLE_TRIES + PTU_LOCAL_DIFFS);

	if (i < PTU_LOCAL_DIFFS)
		return come_late(i, look, other);
	if (other)
		return true;
	return look >= begin &&
	       (look - begin) / 3 == (i == PTU_LOCAL_DIFFS ? 1 : 0);
}

UNIT_TEST(a_table_needs_to_agree_only_once)
{
	process.nr = PTU_LOCAL_DIFFS + 2;
	CHECK_EQ(measure(last_ones_come_in_turns), 0);
	process.nr = 0;
	CHECK_EQ(got.orphans.nr_unexplained, 0);
	CHECK_EQ(got.orphans.in_flux, 0);
	CHECK_EQ(process.look, 3 * (PTU_WHOLE_TRIES + PTU_LOCAL_DIFFS + 2));
}

/* In later brackets, the first walk by mappings has table 3, too. */
static bool three_begins_to_change(unsigned int i, unsigned int look,
				   bool other)
{
	return i != 3 || other || (look >= 3 * PTU_WHOLE_TRIES && !(look % 3));
}

UNIT_TEST(a_table_that_differs_in_another_way_later_is_in_flux)
{
	CHECK_EQ(measure(three_begins_to_change), 0);
	CHECK_EQ(got.orphans.nr_unexplained, 0);
	CHECK_EQ(got.orphans.in_flux, 1);
}

UNIT_TEST(module_and_bpf_that_agree_have_the_same_counts)
{
	CHECK_EQ(measure_bpf(all, true), 0);
	CHECK_EQ(process.look, 3);
	CHECK(got.bpf.done);
	CHECK_EQ(got.levels[PTAUDIT_PTE].kernel_bpf, NR);
	CHECK_EQ(ptu_process_bpf_tables(&got), NR + 3);
	CHECK_EQ(got.nr_unexplained, 0);
}

UNIT_TEST(table_seen_only_by_bpf_has_side_bpf)
{
	CHECK_EQ(measure_bpf(three_only_in_orphans, true), 0);
	CHECK_EQ(got.nr_unexplained, 1);
	CHECK_EQ(got.bpf.in_flux, 0);
	CHECK_EQ(got.unexplained[0].side, PTU_SIDE_KERNEL_BPF);
	CHECK_EQ(got.unexplained[0].start, A + 6 * MIB);
	CHECK_EQ(got.unexplained[0].end, A + 8 * MIB);
	CHECK_EQ(got.unexplained[0].level, PTAUDIT_PTE);
	CHECK_EQ(got.unexplained[0].entries, 1);
	CHECK_EQ(got.levels[PTAUDIT_PTE].kernel_bpf, NR);
	CHECK_EQ(got.levels[PTAUDIT_PTE].unexplained, 1);
	CHECK_EQ(got.bpf.unexplained, 1);
	CHECK_EQ(ptu_process_unexplained(&got), 1);
}

UNIT_TEST(table_seen_only_by_the_module_has_side_module)
{
	CHECK_EQ(measure_bpf(three_lost_in_orphans, true), 0);
	CHECK_EQ(got.nr_unexplained, 1);
	CHECK_EQ(got.unexplained[0].side, PTU_SIDE_KERNEL_MODULE);
	CHECK_EQ(got.levels[PTAUDIT_PTE].kernel_bpf, NR - 1);
	CHECK_EQ(ptu_process_unexplained(&got), 1);
}

UNIT_TEST(table_with_other_contents_is_listed_for_both_sides)
{
	process.more = 4;
	CHECK_EQ(measure_bpf(all, true), 0);
	process.more = 0;
	CHECK_EQ(got.nr_unexplained, 2);
	CHECK_EQ(got.unexplained[0].side, PTU_SIDE_KERNEL_MODULE);
	CHECK_EQ(got.unexplained[0].entries, 1);
	CHECK_EQ(got.unexplained[1].side, PTU_SIDE_KERNEL_BPF);
	CHECK_EQ(got.unexplained[1].entries, 5);
	CHECK(got.unexplained[0].contents && got.unexplained[1].contents);
	CHECK_EQ(got.bpf.unexplained, 2);
	CHECK_EQ(got.levels[PTAUDIT_PTE].kernel_bpf, NR);
	CHECK_EQ(ptu_process_unexplained(&got), 2);
}

/* --orphans compares only the existence of tables. */
UNIT_TEST(contents_are_not_compared_with_the_walk_of_all_entries)
{
	process.more = 4;
	CHECK_EQ(measure(all), 0);
	process.more = 0;
	CHECK_EQ(got.orphans.nr_unexplained, 0);
}

/* The walks by mappings find table 3 only after the bracket of the whole process. */
static bool three_comes_behind(unsigned int i, unsigned int look, bool other)
{
	return i != 3 || other || look >= 3;
}

UNIT_TEST(table_that_both_walks_find_later_is_no_difference_of_bpf)
{
	CHECK_EQ(measure_bpf(three_comes_behind, true), 0);
	CHECK_EQ(got.nr_unexplained, 0);
	CHECK_EQ(got.bpf.in_flux, 0);
	CHECK_EQ(got.levels[PTAUDIT_PTE].kernel_bpf, NR);
}

UNIT_TEST(recording_is_read_once)
{
	CHECK_EQ(measure_bpf(three_comes_behind, false), 0);
	CHECK_EQ(process.look, 3);
	CHECK_EQ(got.nr_unexplained, 1);
	CHECK_EQ(measure_bpf(three_always_goes, false), 0);
	CHECK_EQ(got.nr_unexplained, 0);
	CHECK_EQ(got.bpf.in_flux, 1);
}

static bool nine_always_go(unsigned int i, unsigned int look, bool orphans)
{
	return i >= 9 || look % 3 < 2;
}

UNIT_TEST(nine_tables_in_flux_are_too_many)
{
	CHECK_EQ(measure(nine_always_go), 0);
	CHECK_EQ(got.orphans.in_flux, 9);
	CHECK_EQ(got.status, PTU_STATUS_UNSTABLE);
	CHECK(strstr(got.error, "kept changing: 9 tables"));
}

UNIT_TEST(nine_tables_in_flux_between_module_and_bpf_are_too_many)
{
	CHECK_EQ(measure_bpf(nine_always_go, true), 0);
	CHECK_EQ(got.bpf.in_flux, 9);
	CHECK_EQ(got.nr_unexplained, 0);
	CHECK_EQ(got.status, PTU_STATUS_UNSTABLE);
	CHECK(strstr(got.error, "between module and BPF"));
}

UNIT_TEST(another_program_is_no_difference)
{
	process.mm = 8;
	CHECK_EQ(measure(all), -ESTALE);
	process.mm = 0;
}

UNIT_MAIN_WITH(NULL, tear_down)
