// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds leaked tables by the memory cgroup of a process.  After many random operations of one
 * kind, the tables that are charged to the cgroup must be those of the tree and the deposited
 * ones.  operations_test finds a fault that affects at least half of the tables; this test finds
 * a single leaked table.
 */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "lib/lib.h"

#define NR_ROUNDS 100
/* Time limit for the charge to fall. */
#define SETTLE_SECONDS 2
#define POOL "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"

struct shape {
	const char *mutator;
};

static const struct mutator *find(const char *name)
{
	for (unsigned int i = 0; i < live_nr_mutators; i++)
		if (!strcmp(live_mutators[i].name, name))
			return &live_mutators[i];
	return NULL;
}

static pid_t mutate(const struct shape *shape)
{
	const struct mutator *mutator = find(shape->mutator);
	struct mutation m = { 0 };

	/* without hugetlb, only that mutator fails */
	live_mutation_open(&m);
	live_seed(1);
	for (unsigned int i = 0; i < NR_ROUNDS; i++)
		mutator->round(&m);
	live_must_be(m.populated >= NR_ROUNDS, "memory was populated");
	/* khugepaged must not change the tables any more; there are holes, so it fails */
	madvise((void *)FAR, TIB, MADV_NOHUGEPAGE);
	return 0;
}

static bool is(const struct shape *shape, const char *mutator)
{
	return !strcmp(shape->mutator, mutator);
}

/* What the operations need; without it they would fail unnoticed. */
static const char *missing_for(const struct shape *shape)
{
	const bool collapses = is(shape, "collapse") || is(shape, "shmem");

	if (!memcg_is_there())
		return "memory cgroups";
	if (is(shape, "hugetlb") && access(POOL, F_OK))
		return "hugetlb";
	if (collapses && live_thp_missing())
		return live_thp_missing();
	if (collapses && madvise((void *)FAR, 0, MADV_COLLAPSE))
		return "MADV_COLLAPSE";
	return NULL;
}

FIXTURE(storm)
{
	struct target target;
};

FIXTURE_VARIANT(storm)
{
	struct shape shape;
};

#define STORM(name)                      \
	FIXTURE_VARIANT_ADD(storm, name) \
	{                                \
		.shape.mutator = #name   \
	}

STORM(maps);
STORM(fork);
STORM(collapse);
STORM(hugetlb);
STORM(shmem);
STORM(islands);

FIXTURE_SETUP(storm)
{
	const char *missing = missing_for(&variant->shape);

	ASSERT_NE(NULL, find(variant->shape.mutator));
	ASSERT_EQ(0, live_check_environment());
	if (missing)
		SKIP(return, "needs %s", missing);
	if (is(&variant->shape, "hugetlb"))
		ASSERT_EQ(0, live_set(POOL, "4"));
	live_set(THP "enabled", "madvise");
	live_set(THP "shmem_enabled", "advise");
	ASSERT_EQ(0, target_start(&self->target, mutate, &variant->shape));
}

FIXTURE_TEARDOWN(storm)
{
	if (missing_for(&variant->shape))
		return;
	target_stop(&self->target);
	if (is(&variant->shape, "hugetlb"))
		live_set(POOL, "0");
}

TEST_F_TIMEOUT(storm, no_table_is_left, 240)
{
	struct answer answer;

	if (missing_for(&variant->shape))
		return;
	live_note("process %d (storm_test): %d rounds of %s", self->target.pid,
		  NR_ROUNDS, variant->shape.mutator);
	ASSERT_EQ(0, live_tables(self->target.pid, &answer));
	EXPECT_EQ(0, live_check_records(&answer));
	EXPECT_EQ(0, live_check_counts(self->target.pid, &answer));
	EXPECT_EQ(0, live_check_vmpte(self->target.pid, &answer));
	EXPECT_EQ(0, live_check_memcg(&self->target.memcg, self->target.pid,
				      &answer));
	live_answer_deinit(&answer);
}

#define NR_CHILDREN 2000

static pid_t end_children(const struct shape *shape)
{
	for (int i = 0; i < NR_CHILDREN; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		live_must(pid);
		waitpid(pid, NULL, 0);
	}
	return 0;
}

/*
 * VmPTE never counts PGD and P4D tables.  PageTables does not count them before 7.2.  A table that
 * is leaked after its destructor ran is in no counter.  If each process leaks one, the charge of
 * the cgroup does not fall.
 */
TEST(every_process_gives_its_pgd_back)
{
	const uint64_t deadline = live_deadline_ns(SETTLE_SECONDS);
	struct target target;
	uint64_t pages;

	if (!memcg_is_there())
		SKIP(return, "needs memory cgroups");
	ASSERT_EQ(0, target_start(&target, end_children, NULL));
	do {
		usleep(100000);
		pages = memcg_bytes(&target.memcg) / PAGE;
	} while (pages >= NR_CHILDREN / 2 && live_now_ns() < deadline);
	live_note("process %d (storm_test), level pgd, or another one after PageTables was reduced: %d of its children have ended, and its cgroup is charged for %llu pages",
		  target.pid, NR_CHILDREN, (unsigned long long)pages);
	EXPECT_GT(NR_CHILDREN / 2, pages);
	target_stop(&target);
}

TEST_HARNESS_MAIN
