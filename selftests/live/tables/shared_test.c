// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMD tables that processes share while they map, touch, unmap, protect and move one
 * hugetlb file: the tables of each process, and those of all processes together.
 *
 * Source of the rules of sharing: mm/hugetlb.c, huge_pmd_share(), huge_pmd_unshare() and
 * their callers (5.10 to 7.2).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "lib/lib.h"
#include "lib/set.h"

#define POOL "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"

#define HERE (FAR + 8 * GIB)
#define THERE (FAR + 20 * GIB)

/* Set the places that an actor is expected to have from now on: { }, { }... */
#define HAS(actor, ...)                                                       \
	memcpy((actor)->places, (struct place[NR_PLACES + 1]){ __VA_ARGS__ }, \
	       sizeof((actor)->places))

static void expect_places(struct expect *e, const struct place *places)
{
	unsigned int pages = 0, nr;

	e->flags = PTAUDIT_T_HUGETLB;
	for (nr = 0; places[nr].addr; nr++) {
		const struct place *p = &places[nr];

		pages += p->pages;
		if (p->gone) {
			expect_table(e, PTAUDIT_PUD, p->addr);
			continue;
		}
		expect_table(e, PTAUDIT_PMD, p->addr)->sharers = p->sharers;
		expect_leaves(e, p->addr, p->addr + p->pages * HUGE, false);
		e->empty[PTAUDIT_PMD] += !p->pages;
	}
	/* all places are below one PUD table */
	e->empty[PTAUDIT_PUD] = nr && !pages;
}

static void take_pfns(struct place *places, const struct answer *answer)
{
	for (struct place *p = places; p->addr; p++)
		for (size_t i = 0; i < answer->nr_records; i++) {
			const struct ptaudit_table *r = &answer->records[i];

			if (r->type == PTAUDIT_TABLE &&
			    r->level == PTAUDIT_PMD &&
			    r->start == (p->addr & ~(GIB - 1)))
				p->pfn = r->pfn;
		}
}

/* Check one process: the module, the other sources, and the tool. */
static int check_actor(struct actor *actor)
{
	struct expect expect;
	struct answer answer;
	int failures;

	expect_init(&expect, FAR, FAR + TIB);
	expect_places(&expect, actor->places);
	if (live_tables(actor->pid, &answer))
		return 1;
	take_pfns(actor->places, &answer);
	failures = expect_compare(&expect, &answer) +
		   live_check_records(&answer) +
		   live_check_counts(actor->pid, &answer) +
		   live_check_vmpte(actor->pid, &answer) +
		   live_check_pages_of_tables(&answer) +
		   live_check_orphans(actor->pid, &answer);
	live_answer_deinit(&answer);
	failures += live_check_tool(actor->pid, &expect, true);
	expect_deinit(&expect);
	return failures;
}

static int check_actors(struct actor *actors)
{
	int failures = 0;

	for (unsigned int i = 0; i < NR_ACTORS; i++)
		if (actors[i].pid)
			failures += check_actor(&actors[i]);
	return failures;
}

FIXTURE(shared)
{
	struct actor actors[NR_ACTORS];
	int file;
};

FIXTURE_SETUP(shared)
{
	char text[16];

	ASSERT_EQ(0, live_check_environment());
	ASSERT_EQ(0, live_set(POOL, "32"));
	ASSERT_EQ(32, atoi(live_file(POOL, text, sizeof(text))));
	self->file = memfd_create("shared", MFD_HUGETLB | MFD_CLOEXEC);
	ASSERT_LE(0, self->file);
	ASSERT_EQ(0, ftruncate(self->file, 3 * GIB));
	for (unsigned int i = 0; i < NR_ACTORS; i++)
		ASSERT_EQ(0, actor_start(&self->actors[i], self->file));
}

FIXTURE_TEARDOWN(shared)
{
	for (unsigned int i = 0; i < NR_ACTORS; i++)
		actor_stop(&self->actors[i]);
	close(self->file);
}

#define A (&self->actors[0])
#define B (&self->actors[1])
#define C (&self->actors[2])

/* Map a complete GiB from the start of the file, and touch the first page. */
#define MAP_AND_TOUCH(actor, addr)                                \
	do {                                                      \
		ASSERT_EQ(0, actor_do(actor, MAP, addr, GIB, 0)); \
		ASSERT_EQ(0, actor_do(actor, TOUCH, addr, 0, 0)); \
	} while (0)

TEST_F_TIMEOUT(shared, three_processes_share_one_table, 240)
{
	MAP_AND_TOUCH(A, HERE);
	MAP_AND_TOUCH(B, HERE);
	MAP_AND_TOUCH(C, THERE);
	/* each process touches one page, and the shared table has all of them */
	ASSERT_EQ(0, actor_do(B, TOUCH, HERE + HUGE, 0, 0));
	ASSERT_EQ(0, actor_do(C, READ, THERE + 2 * HUGE, 0, 0));
	HAS(A, { HERE, 3, 2 });
	HAS(B, { HERE, 3, 2 });
	HAS(C, { THERE, 3, 2 });
	EXPECT_EQ(0, check_actors(self->actors));
	EXPECT_EQ(A->places[0].pfn, B->places[0].pfn);
	EXPECT_EQ(A->places[0].pfn, C->places[0].pfn);
	EXPECT_EQ(0, check_set(self->actors, 3, (struct sums){ 1, 0, 2 }));
	EXPECT_EQ(0, check_set(self->actors, 2, (struct sums){ 1, 1, 1 }));
	EXPECT_EQ(0, check_set(self->actors, 1, (struct sums){ 1, 1, 0 }));
	EXPECT_EQ(0, check_set(self->actors, 0, (struct sums){ 1, 0, 2 }));
	EXPECT_EQ(0,
		  check_text(self->actors, 3, "\n3 address spaces as one: "));
	EXPECT_EQ(0, check_text(self->actors, 3,
				"\n1 shared table, counted once; "
				"VmPTE has it 2 times more\n"));
	EXPECT_EQ(0, check_text(self->actors, 2,
				"VmPTE has it once more; "
				"others share 1 of them\n"));
}

TEST_F_TIMEOUT(shared, mapping_without_access_shares_no_table, 240)
{
	MAP_AND_TOUCH(A, HERE);
	ASSERT_EQ(0, actor_do(B, MAP, HERE, GIB, 0));
	HAS(A, { HERE, 1, 0 });
	EXPECT_EQ(0, check_actors(self->actors));
	EXPECT_EQ(0, check_set(self->actors, 2, (struct sums){ 0, 0, 0 }));
	ASSERT_EQ(0, actor_do(B, TOUCH, HERE, 0, 0));
	HAS(A, { HERE, 1, 1 });
	HAS(B, { HERE, 1, 1 });
	EXPECT_EQ(0, check_actors(self->actors));
	EXPECT_EQ(0, check_set(self->actors, 2, (struct sums){ 1, 0, 1 }));
}

TEST_F_TIMEOUT(shared, unmapping_a_part_unshares_the_table, 240)
{
	MAP_AND_TOUCH(A, HERE);
	MAP_AND_TOUCH(B, HERE);
	ASSERT_EQ(0, actor_do(A, TOUCH, HERE + HUGE, 0, 0));
	ASSERT_EQ(0, actor_do(B, UNMAP, HERE + GIB / 2, GIB / 2, 0));
	HAS(A, { HERE, 2, 0 });
	HAS(B, { HERE, .gone = true });
	EXPECT_EQ(0, check_actors(self->actors));
	EXPECT_EQ(0, check_set(self->actors, 2, (struct sums){ 0, 0, 0 }));
	/* the rest is less than a GiB, so it gets a table that is not shared */
	ASSERT_EQ(0, actor_do(B, TOUCH, HERE, 0, 0));
	HAS(B, { HERE, 1, 0 });
	EXPECT_EQ(0, check_actors(self->actors));
	EXPECT_NE(A->places[0].pfn, B->places[0].pfn);
	EXPECT_EQ(0, check_set(self->actors, 2, (struct sums){ 0, 0, 0 }));
}

TEST_F_TIMEOUT(shared, exits_leave_fewer_sharers_of_a_table, 240)
{
	MAP_AND_TOUCH(A, HERE);
	MAP_AND_TOUCH(B, HERE);
	MAP_AND_TOUCH(C, HERE);
	/* the process that allocated the table ends first */
	actor_stop(A);
	HAS(B, { HERE, 1, 1 });
	HAS(C, { HERE, 1, 1 });
	EXPECT_EQ(0, check_actors(self->actors));
	EXPECT_EQ(0, check_set(B, 2, (struct sums){ 1, 0, 1 }));
	actor_stop(C);
	HAS(B, { HERE, 1, 0 });
	EXPECT_EQ(0, check_actors(self->actors));
	EXPECT_EQ(0, check_set(B, 1, (struct sums){ 0, 0, 0 }));
}

TEST_F_TIMEOUT(shared, another_protection_unshares_the_table, 240)
{
	MAP_AND_TOUCH(A, HERE);
	MAP_AND_TOUCH(B, HERE);
	ASSERT_EQ(0, actor_do(B, PROTECT, HERE, GIB, PROT_READ));
	HAS(A, { HERE, 1, 0 });
	HAS(B, { HERE, .gone = true });
	EXPECT_EQ(0, check_actors(self->actors));
	ASSERT_EQ(0, actor_do(B, READ, HERE, 0, 0));
	HAS(B, { HERE, 1, 0 });
	EXPECT_EQ(0, check_actors(self->actors));
	EXPECT_NE(A->places[0].pfn, B->places[0].pfn);
	EXPECT_EQ(0, check_set(self->actors, 2, (struct sums){ 0, 0, 0 }));
}

TEST_F_TIMEOUT(shared, moving_unshares_the_table, 240)
{
	/* before 5.16, mremap() refuses hugetlb; source: mm/mremap.c */
	if (live_system()->version < 5016)
		SKIP(return, "needs mremap() of hugetlb");
	MAP_AND_TOUCH(A, HERE);
	MAP_AND_TOUCH(B, HERE);
	ASSERT_EQ(0, actor_do(B, MOVE, HERE, GIB, THERE));
	HAS(A, { HERE, 1, 0 });
	HAS(B, { HERE, .gone = true });
	EXPECT_EQ(0, check_actors(self->actors));
	ASSERT_EQ(0, actor_do(B, TOUCH, THERE, 0, 0));
	HAS(A, { HERE, 1, 1 });
	HAS(B, { THERE, 1, 1 });
	EXPECT_EQ(0, check_actors(self->actors));
	EXPECT_EQ(0, check_set(self->actors, 2, (struct sums){ 1, 0, 1 }));
}

TEST_F_TIMEOUT(shared, nothing_is_shared_where_the_places_do_not_fit, 240)
{
	MAP_AND_TOUCH(A, HERE);
	ASSERT_EQ(0, actor_do(B, MAP, HERE, GIB / 2, 0));
	ASSERT_EQ(0, actor_do(B, TOUCH, HERE, 0, 0));
	/* the same pages of the file at other indices of the table */
	ASSERT_EQ(0, actor_do(C, MAP, HERE, GIB, GIB / 2));
	ASSERT_EQ(0, actor_do(C, TOUCH, HERE, 0, 0));
	HAS(A, { HERE, 1, 0 });
	HAS(B, { HERE, 1, 0 });
	HAS(C, { HERE, 1, 0 });
	EXPECT_EQ(0, check_actors(self->actors));
	EXPECT_NE(A->places[0].pfn, B->places[0].pfn);
	EXPECT_NE(A->places[0].pfn, C->places[0].pfn);
	EXPECT_EQ(0, check_set(self->actors, 3, (struct sums){ 0, 0, 0 }));
}

/* The mapping covers half a GiB, a complete one, and another half. */
TEST_F_TIMEOUT(shared, only_whole_gibs_of_a_mapping_are_shared, 240)
{
	for (unsigned int i = 0; i < 2; i++) {
		struct actor *actor = &self->actors[i];

		ASSERT_EQ(0, actor_do(actor, MAP, HERE + GIB / 2, 2 * GIB,
				      GIB / 2));
		ASSERT_EQ(0, actor_do(actor, TOUCH, HERE + GIB / 2, 0, 0));
		ASSERT_EQ(0,
			  actor_do(actor, TOUCH, HERE + GIB + i * HUGE, 0, 0));
		ASSERT_EQ(0, actor_do(actor, TOUCH, HERE + 2 * GIB, 0, 0));
		HAS(actor, { HERE + GIB / 2, 1, 0 }, { HERE + GIB, 2, 1 },
		    { HERE + 2 * GIB, 1, 0 });
	}
	EXPECT_EQ(0, check_actors(self->actors));
	EXPECT_NE(A->places[0].pfn, B->places[0].pfn);
	EXPECT_EQ(A->places[1].pfn, B->places[1].pfn);
	EXPECT_NE(A->places[2].pfn, B->places[2].pfn);
	EXPECT_EQ(0, check_set(self->actors, 2, (struct sums){ 1, 0, 1 }));
}

/*
 * Truncation unshares the table, and one process keeps it.  A fault beyond the end of
 * the file shares it again before it fails.
 */
TEST_F_TIMEOUT(shared, emptied_table_is_shared_again, 240)
{
	MAP_AND_TOUCH(A, HERE);
	MAP_AND_TOUCH(B, HERE);
	ASSERT_EQ(0, ftruncate(self->file, 0));
	ASSERT_EQ(-EFAULT, actor_do(A, TOUCH, HERE, 0, 0));
	ASSERT_EQ(-EFAULT, actor_do(B, TOUCH, HERE, 0, 0));
	HAS(A, { HERE, 0, 1 });
	HAS(B, { HERE, 0, 1 });
	EXPECT_EQ(0, check_actors(self->actors));
	EXPECT_EQ(A->places[0].pfn, B->places[0].pfn);
	EXPECT_EQ(0, check_set(self->actors, 2, (struct sums){ 1, 0, 1 }));
}

/* A single process maps the table twice, and its VmPTE counts it twice. */
TEST_F_TIMEOUT(shared, a_process_shares_a_table_with_itself, 240)
{
	MAP_AND_TOUCH(A, HERE);
	MAP_AND_TOUCH(A, THERE);
	ASSERT_EQ(0, actor_do(A, TOUCH, THERE + HUGE, 0, 0));
	HAS(A, { HERE, 2, 1 }, { THERE, 2, 1 });
	EXPECT_EQ(0, check_actors(self->actors));
	EXPECT_EQ(A->places[0].pfn, A->places[1].pfn);
	EXPECT_EQ(0, check_set(self->actors, 1, (struct sums){ 1, 0, 1 }));
	EXPECT_EQ(0, check_set(self->actors, 3, (struct sums){ 1, 0, 1 }));
}

TEST_HARNESS_MAIN
