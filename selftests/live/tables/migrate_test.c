// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages that migrate to another NUMA node: migration entries replace the entries that
 * mapped them.  The module hold stops the migrations half way, so that the entries stay
 * while they are checked.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fixtures/layout.h"

#define NR_HUGE "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"

/* values of shape.flags: the kind of pages in the layout */
enum { SMALL, ANON_HUGE, SHMEM, SHMEM_HUGE, HUGETLB };

/* The address of a page that migrates: .nr pages do so, one per .stride from .start on. */
static uint64_t migrating(const struct shape *s, unsigned int i)
{
	return s->start + i * s->stride;
}

static const char *missing(const struct shape *s)
{
	return live_migrate_missing();
}

static pid_t build(const struct shape *s)
{
	uint64_t end = s->start + s->bytes;
	const char *field = NULL;
	int advice = MADV_NOHUGEPAGE;

	switch (s->flags) {
	case ANON_HUGE:
		live_must(live_set(THP "enabled", "madvise"));
		advice = MADV_HUGEPAGE;
		field = "AnonHugePages";
		live_map(s->start, s->bytes, 0);
		break;
	case SMALL:
		live_map(s->start, s->bytes, 0);
		break;
	case SHMEM_HUGE:
		live_must(live_set(THP "shmem_enabled", "advise"));
		advice = MADV_HUGEPAGE;
		field = "ShmemPmdMapped";
		live_map_memfd(s->start, s->bytes, MAP_SHARED);
		break;
	case SHMEM:
		live_map_memfd(s->start, s->bytes, MAP_SHARED);
		break;
	case HUGETLB:
		live_must(live_set(NR_HUGE, "32"));
		field = "Private_Hugetlb";
		live_map(s->start, s->bytes, MAP_HUGETLB);
		break;
	}
	if (s->flags != HUGETLB)
		live_must(madvise((void *)s->start, s->bytes, advice));
	live_touch(s->start, end);
	live_must_be(!field || live_smaps_kib(getpid(), field, s->start, end) ==
				       s->bytes / KIB,
		     field);
	live_migrate(s->start, s->stride, s->nr);
	return 0;
}

/* The layout before and after the migration. */
static void expect_present(struct expect *e, const struct shape *s)
{
	uint64_t end = s->start + s->bytes;

	if (s->flags == HUGETLB)
		e->flags = PTAUDIT_T_HUGETLB;
	if (s->flags == SMALL || s->flags == SHMEM)
		expect_pages(e, s->start, end);
	else
		expect_leaves(e, s->start, end, s->flags == ANON_HUGE);
}

/* The entries change their kind, but tables and deposits stay. */
static void expect_migrating(struct expect *e, const struct shape *s)
{
	bool small = s->flags == SMALL || s->flags == SHMEM;

	expect_present(e, s);
	for (unsigned int i = 0; i < s->nr; i++) {
		struct ptaudit_table *table;

		table = expect_table(e, small ? PTAUDIT_PTE : PTAUDIT_PMD,
				     migrating(s, i));

		table->migration++;
		if (small) {
			table->present--;
		} else {
			table->leaves--;
			e->leaf_bytes -= HUGE;
		}
	}
	/* pagemap does not show a migrating hugetlb page */
	if (s->flags == HUGETLB && s->nr * HUGE == s->bytes)
		for (unsigned int level = PTAUDIT_PMD; level <= PTAUDIT_PUD;
		     level++)
			e->marker_only[level] = e->nr[level];
}

/* Three pages in the first table, two in the next one, one in a table of another GiB. */
LAYOUT(small_pages, build, expect_migrating,
       SHAPE(.start = FAR + GIB - 2 * HUGE, .bytes = 3 * HUGE,
	     .stride = 250 * PAGE, .nr = 6, .flags = SMALL),
       .missing = missing, .undo = live_migrate_on);

LAYOUT(pages_of_shmem, build, expect_migrating,
       SHAPE(.start = FAR + HUGE - 3 * PAGE, .bytes = 6 * PAGE,
	     .stride = 2 * PAGE, .nr = 3, .flags = SHMEM),
       .missing = missing, .undo = live_migrate_on);

LAYOUT(thp, build, expect_migrating,
       SHAPE(.start = FAR + HUGE, .bytes = 6 * HUGE, .stride = 2 * HUGE,
	     .nr = 3, .flags = ANON_HUGE),
       .missing = missing, .undo = live_migrate_on);

/* Each PMD table holds only a migration entry. */
LAYOUT(thp_all_across_1g_edge, build, expect_migrating,
       SHAPE(.start = FAR + GIB - HUGE, .bytes = 2 * HUGE, .stride = HUGE,
	     .nr = 2, .flags = ANON_HUGE),
       .missing = missing, .undo = live_migrate_on);

LAYOUT(thp_of_shmem, build, expect_migrating,
       SHAPE(.start = FAR, .bytes = 4 * HUGE, .stride = 3 * HUGE, .nr = 2,
	     .flags = SHMEM_HUGE),
       .missing = missing, .undo = live_migrate_on);

LAYOUT(hugetlb, build, expect_migrating,
       SHAPE(.start = FAR + 2 * GIB, .bytes = 5 * HUGE, .stride = 2 * HUGE,
	     .nr = 3, .flags = HUGETLB),
       .missing = missing, .undo = live_migrate_on);

LAYOUT(hugetlb_all_across_1g_edge, build, expect_migrating,
       SHAPE(.start = FAR + 2 * GIB - HUGE, .bytes = 3 * HUGE, .stride = HUGE,
	     .nr = 3, .flags = HUGETLB),
       .missing = missing, .undo = live_migrate_on);

/* Is the huge page's entry in a run of migration entries? */
static bool has_run(const struct answer *answer, uint64_t addr)
{
	for (size_t i = 0; i < answer->nr_records; i++) {
		const struct ptaudit_table *r = &answer->records[i];

		if (r->type == PTAUDIT_RUN && r->level == PTAUDIT_PMD &&
		    r->kind == PTAUDIT_K_MIGRATION && r->start <= addr &&
		    addr - r->start < r->used * HUGE)
			return true;
	}
	return false;
}

static bool is_alone(pid_t pid)
{
	unsigned int nr = 0;
	char path[32];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	for (const struct dirent *task; dir && (task = readdir(dir));)
		nr += task->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return nr == 1;
}

/*
 * The migration entries are at the expected places, and the layout is as before once the
 * pages have arrived.
 */
TEST_F_TIMEOUT(layout, migration_entries_come_and_go, 120)
{
	const struct shape *s = &variant->shape;
	struct answer answer;
	struct expect after;
	pid_t pid = self->target.pid;

	if (self->skipped)
		return;
	ASSERT_EQ(0, live_tables(pid, &answer));
	for (unsigned int i = 0; i < s->nr; i++)
		EXPECT_EQ(s->flags != SMALL && s->flags != SHMEM,
			  has_run(&answer, migrating(s, i)));
	live_answer_deinit(&answer);

	live_migrate_on();
	ASSERT_TRUE(live_until(is_alone(pid)));
	ASSERT_EQ(0, live_nr_migrating());
	expect_init(&after, FAR, FAR + TIB);
	expect_present(&after, s);
	ASSERT_EQ(0, live_tables(pid, &answer));
	EXPECT_EQ(0, expect_compare(&after, &answer));
	EXPECT_EQ(0, live_check_vmpte(pid, &answer));
	live_answer_deinit(&answer);
	expect_deinit(&after);
}

TEST_HARNESS_MAIN
