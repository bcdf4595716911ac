// SPDX-License-Identifier: GPL-2.0-only
/*
 * How --orphans brackets: what each walk says, time after time, is the test's.
 * Behind measure_orphans.c stands here no process and no module.
 */
#include "measure/orphans.c"

#include "support/build.h"
#include "support/unit.h"

#define A UINT64_C(0x7f0000000000)
#define NR 40 /* PTE tables, side by side from A on */

/*
 * @has: has the walk PTE table @i when it is asked for the @look-th time?  Looks
 *	count from 0, three to a bracket: tables, orphans, tables
 */
static struct {
	bool (*has)(unsigned int i, unsigned int look, bool orphans);
	unsigned int look;
	uint64_t mm;
} process;

static int answer(uint64_t start, uint64_t end, bool orphans,
		  struct ptu_snapshot *ret)
{
	unsigned int i, look = process.look++;
	size_t nr_bytes;
	struct build b;
	void *bytes;
	int error;

	build_init(&b, 4, false);
	if (end)
		build_range(&b, start, end);
	if (orphans)
		b.header.flags |= PTAUDIT_H_ORPHANS;
	b.header.mm = process.mm ? process.mm : 7;
	b.header.hold_ns_max = orphans ? 1000 + look : 5000;
	build_table(&b, PTAUDIT_PMD, A)->pfn = 0x9000;
	build_table(&b, PTAUDIT_PUD, A)->pfn = 0x9001;
	build_table(&b, PTAUDIT_PGD, 0)->pfn = 0x9002;
	for (i = 0; i < NR; i++) {
		uint64_t at = A + i * 2 * MIB;

		if (process.has(i, look, orphans) &&
		    (!end || (at >= start && at < end)))
			build_pte(&b, at, 1)->pfn = 0x5000 + i;
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

int ptu_truth_read(const struct ptu_proc *proc, uint64_t start, uint64_t end,
		   enum ptu_walk walk, const struct ptu_geometry *geo,
		   struct ptu_snapshot *ret, struct ptu_err *err)
{
	(void)proc, (void)walk, (void)geo, (void)err;
	return answer(start, end, false, ret);
}

int ptu_truth_orphans(const struct ptu_proc *proc, uint64_t start, uint64_t end,
		      const struct ptu_geometry *geo, struct ptu_snapshot *ret,
		      struct ptu_err *err)
{
	(void)proc, (void)geo, (void)err;
	return answer(start, end, true, ret);
}

static int measure(bool (*has)(unsigned int, unsigned int, bool),
		   struct ptu_process *ret)
{
	const struct ptu_proc proc = { .pid = 42, .tid = 42 };
	struct ptu_err err = { "" };
	struct build b;
	int error;

	process.has = has;
	process.look = 0;
	*ret = (struct ptu_process){ .pid = 42, .mm = 7 };
	build_init(&b, 4, false);
	error = ptu_measure_orphans(&b.geo, &proc, ret, &err);
	build_deinit(&b);
	return error;
}

static bool all(unsigned int i, unsigned int look, bool orphans)
{
	(void)i, (void)look, (void)orphans;
	return true;
}

UNIT_TEST(walks_that_agree_take_one_bracket)
{
	struct ptu_process p;

	CHECK_EQ(measure(all, &p), 0);
	CHECK_EQ(process.look, 3);
	CHECK(p.orphans.done);
	CHECK_EQ(ptu_orphans_tables(&p.orphans), NR + 3);
	CHECK_EQ(p.orphans.in_flux, 0);
	CHECK_EQ(p.orphans.nr_unexplained, 0);
	/* of the walk of all entries, which is the second look */
	CHECK_EQ(p.orphans.hold_ns_max, 1001);
	CHECK_EQ(ptu_process_unexplained(&p), 0);
	ptu_process_deinit(&p);
}

static bool three_only_in_orphans(unsigned int i, unsigned int look,
				  bool orphans)
{
	(void)look;
	return i != 3 || orphans;
}

UNIT_TEST(a_table_that_stays_in_one_walk_is_unexplained)
{
	struct ptu_process p;

	CHECK_EQ(measure(three_only_in_orphans, &p), 0);
	CHECK_EQ(p.orphans.nr_unexplained, 1);
	CHECK_EQ(p.orphans.unexplained[0].start, A + 6 * MIB);
	CHECK_EQ(p.orphans.unexplained[0].end, A + 8 * MIB);
	CHECK_EQ(p.orphans.unexplained[0].level, PTAUDIT_PTE);
	CHECK(p.orphans.unexplained[0].in_orphans);
	CHECK(!p.orphans.unexplained[0].in_tables);
	CHECK_EQ(ptu_orphans_tables(&p.orphans), NR + 2);
	CHECK_EQ(ptu_process_unexplained(&p), 1);
	CHECK_EQ(p.status, PTU_STATUS_OK);
	ptu_process_deinit(&p);
}

static bool three_lost_in_orphans(unsigned int i, unsigned int look,
				  bool orphans)
{
	(void)look;
	return i != 3 || !orphans;
}

UNIT_TEST(a_table_that_the_walk_of_all_entries_never_has_is_unexplained)
{
	struct ptu_process p;

	CHECK_EQ(measure(three_lost_in_orphans, &p), 0);
	CHECK_EQ(p.orphans.nr_unexplained, 1);
	CHECK(p.orphans.unexplained[0].in_tables);
	CHECK(!p.orphans.unexplained[0].in_orphans);
	ptu_process_deinit(&p);
}

/* Until the brackets of the whole are over, and one local one more. */
static bool three_comes_late(unsigned int i, unsigned int look, bool orphans)
{
	return i != 3 || orphans || look >= 3 * (WHOLE_TRIES + 1);
}

UNIT_TEST(a_table_that_comes_to_both_is_none)
{
	struct ptu_process p;

	CHECK_EQ(measure(three_comes_late, &p), 0);
	CHECK_EQ(p.orphans.nr_unexplained, 0);
	CHECK_EQ(p.orphans.in_flux, 0);
	CHECK_EQ(ptu_orphans_tables(&p.orphans), NR + 3);
	ptu_process_deinit(&p);
}

/* There before the walk of all entries and with it, but never after it. */
static bool three_always_goes(unsigned int i, unsigned int look, bool orphans)
{
	(void)orphans;
	return i != 3 || look % 3 < 2;
}

UNIT_TEST(a_table_that_keeps_changing_is_in_flux)
{
	struct ptu_process p;

	CHECK_EQ(measure(three_always_goes, &p), 0);
	CHECK_EQ(p.orphans.nr_unexplained, 0);
	CHECK_EQ(p.orphans.in_flux, 1);
	CHECK_EQ(p.status, PTU_STATUS_OK);
	ptu_process_deinit(&p);
}

static bool nine_always_go(unsigned int i, unsigned int look, bool orphans)
{
	(void)orphans;
	return i >= 9 || look % 3 < 2;
}

UNIT_TEST(nine_tables_in_flux_are_too_many)
{
	struct ptu_process p;

	CHECK_EQ(measure(nine_always_go, &p), 0);
	CHECK_EQ(p.orphans.in_flux, 9);
	CHECK_EQ(p.status, PTU_STATUS_UNSTABLE);
	CHECK(strstr(p.error, "hold still"));
	ptu_process_deinit(&p);
}

UNIT_TEST(another_program_is_no_difference)
{
	struct ptu_process p;

	process.mm = 8;
	CHECK_EQ(measure(all, &p), -ESTALE);
	process.mm = 0;
	ptu_process_deinit(&p);
}

UNIT_MAIN
