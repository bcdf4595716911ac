// SPDX-License-Identifier: GPL-2.0-only
/*
 * `ptaudit check --orphans`, and a table that no mapping covers.
 *
 * A correct kernel has no such table at rest: munmap() frees each table that no VMA
 * needs any more (mm/memory.c, free_pgtables() gets the ends of the neighbouring VMAs),
 * and holds mmap_lock meanwhile.  So the module plant installs one.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "lib/lib.h"

struct shape {
	uint64_t start, end;
	uint64_t last; /* for build_gap(): start of a second range of 2 MiB */
};

static const struct shape shape = { FAR, FAR + 4 * HUGE, FAR + GIB - HUGE };

static void map_pages(uint64_t start, uint64_t end)
{
	live_no_huge(live_map(start, end - start, 0), end - start);
	live_touch(start, end);
}

/* Pages in two PTE tables of one PMD table, and nothing between them. */
static pid_t build_gap(const struct shape *s)
{
	map_pages(s->start, s->end);
	map_pages(s->last, s->last + HUGE);
	return 0;
}

/* The tables of all levels hold nothing, and one PTE table was unmapped. */
static pid_t build_emptied(const struct shape *s)
{
	map_pages(s->start, s->end);
	for (uint64_t addr = s->start; addr < s->end; addr += PAGE)
		live_must(madvise((void *)addr, PAGE, MADV_DONTNEED));
	live_must(munmap((void *)(s->start + HUGE), HUGE));
	return 0;
}

static pid_t build_child(const struct shape *s)
{
	map_pages(s->start, s->end);
	return live_fork(s->start, s->end);
}

static pid_t build_shared(const struct shape *s)
{
	live_map_fd(s->start, s->end - s->start, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1);
	live_touch(s->start, s->end);
	return 0;
}

/* Run `ptaudit check --orphans --json WORD`. */
static json_t *check(const char *word, int *status)
{
	char *argv[] = { (char *)live_tool(),
			 (char[]){ "check" },
			 (char[]){ "--orphans" },
			 (char[]){ "--json" },
			 (char *)word,
			 NULL };
	struct tool_run run;
	json_t *root;

	*status = -1;
	if (live_run(argv, &run))
		return NULL;
	*status = run.status;
	root = json_loads(run.out, 0, NULL);
	if (*run.err)
		live_note("ptaudit says: %s", run.err);
	live_run_deinit(&run);
	return root;
}

/* VmPTE without deposited tables, plus the PGD and P4D tables, which it does not count. */
static int64_t tables_of(pid_t pid)
{
	struct counts counts;

	if (live_counts(pid, &counts))
		return -1;
	return (int64_t)(live_vmpte_bytes(pid) / PAGE - counts.deposited +
			 counts.tables[PTAUDIT_P4D] + 1);
}

FIXTURE(agreeing)
{
	struct target target;
	char pid[16];
};

FIXTURE_VARIANT(agreeing)
{
	live_build build;
};

FIXTURE_VARIANT_ADD(agreeing, gap){ .build = build_gap };
FIXTURE_VARIANT_ADD(agreeing, emptied){ .build = build_emptied };
FIXTURE_VARIANT_ADD(agreeing, child){ .build = build_child };
FIXTURE_VARIANT_ADD(agreeing, shared){ .build = build_shared };

FIXTURE_SETUP(agreeing)
{
	ASSERT_EQ(0, live_check_environment());
	ASSERT_EQ(0, target_start(&self->target, variant->build, &shape));
	snprintf(self->pid, sizeof(self->pid), "%d", self->target.pid);
}

FIXTURE_TEARDOWN(agreeing)
{
	target_stop(&self->target);
}

TEST_F_TIMEOUT(agreeing, both_walks_of_the_tool_see_the_same_tables, 120)
{
	json_t *root, *orphans;
	int status;

	root = check(self->pid, &status);
	EXPECT_EQ(0, status);
	orphans = json_object_get(json_array_get(json_object_get(root,
								 "processes"),
						 0),
				  "orphans");
	EXPECT_EQ(tables_of(self->target.pid), live_number(orphans, "tables"));
	EXPECT_EQ(0, live_number(orphans, "in_flux"));
	EXPECT_EQ(0, live_number(orphans, "unexplained"));
	EXPECT_TRUE(json_is_integer(json_object_get(orphans, "hold_ns_max")));
	if (live_clock_counts_ns()) {
		EXPECT_LT(0, live_number(orphans, "hold_ns_max"));
	}
	json_decref(root);
}

TEST(both_walks_see_the_same_tables_of_all_processes)
{
	json_t *root, *process;
	unsigned int checked = 0;
	int status;
	size_t i;

	ASSERT_EQ(0, live_check_environment());
	root = check("--all", &status);
	EXPECT_EQ(0, status);
	json_array_foreach(json_object_get(root, "processes"), i, process)
	{
		const char *says = json_string_value(
			json_object_get(process, "status"));
		json_t *orphans = json_object_get(process, "orphans");

		if (!says || strcmp(says, "ok"))
			continue;
		EXPECT_EQ(0, live_number(orphans, "unexplained"));
		EXPECT_LT(2, live_number(orphans, "tables"));
		checked++;
	}
	/* at least init, this test and ptaudit itself */
	EXPECT_LE(3, checked);
	json_decref(root);
}

TEST(text_of_orphans_compares_both_walks_in_one_line)
{
	char *argv[] = { (char *)live_tool(), (char[]){ "--orphans" },
			 (char[]){ "1" }, NULL };
	struct tool_run run;

	ASSERT_EQ(0, live_run(argv, &run));
	EXPECT_EQ(0, run.status);
	EXPECT_NE(NULL, strstr(run.out, "\nthe walk by mappings and the walk of"
					" all entries see the same "))
	{
		TH_LOG("%s%s", run.out, run.err);
	}
	live_run_deinit(&run);
}

/*
 * A planted table, which is removed with the module plant.  In each variant the layout
 * has five PTE tables of its own below one PMD table.
 */
FIXTURE(planted)
{
	struct target target;
	char pid[16];
	bool loaded;
};

FIXTURE_VARIANT(planted)
{
	struct shape shape;
	uint64_t at;
};

FIXTURE_VARIANT_ADD(planted, far_from_vmas){
	.shape = { FAR, FAR + 4 * HUGE, FAR + GIB - HUGE },
	.at = FAR + GIB / 2,
};

FIXTURE_VARIANT_ADD(planted, right_before_a_vma){
	.shape = { FAR, FAR + 4 * HUGE, FAR + GIB - HUGE },
	.at = FAR + GIB - 2 * HUGE,
};

FIXTURE_VARIANT_ADD(planted, right_behind_a_vma){
	.shape = { FAR, FAR + 4 * HUGE, FAR + GIB - HUGE },
	.at = FAR + 4 * HUGE,
};

/* The table is planted in the last entry of the PMD table. */
FIXTURE_VARIANT_ADD(planted, behind_the_last_vma){
	.shape = { FAR, FAR + 4 * HUGE, FAR + GIB - 2 * HUGE },
	.at = FAR + GIB - HUGE,
};

/* The table is planted in the first entry of the PMD table. */
FIXTURE_VARIANT_ADD(planted, before_the_first_vma){
	.shape = { FAR + 2 * HUGE, FAR + 6 * HUGE, FAR + GIB - HUGE },
	.at = FAR,
};

FIXTURE_SETUP(planted)
{
	const char *path = getenv("PTAUDIT_PLANT");
	char parameters[64];
	int fd;

	ASSERT_EQ(0, live_check_environment());
	ASSERT_NE(NULL, path);
	ASSERT_EQ(0, target_start(&self->target, build_gap, &variant->shape));
	snprintf(self->pid, sizeof(self->pid), "%d", self->target.pid);
	snprintf(parameters, sizeof(parameters), "pid=%d addr=0x%lx",
		 self->target.pid, variant->at);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, syscall(SYS_finit_module, fd, parameters, 0))
	{
		TH_LOG("%s", strerror(errno));
	}
	self->loaded = true;
	close(fd);
}

FIXTURE_TEARDOWN(planted)
{
	if (self->loaded)
		EXPECT_EQ(0, syscall(SYS_delete_module, "plant", O_NONBLOCK));
	target_stop(&self->target);
}

/* The record of the table of this level that maps the address, or NULL. */
static const struct ptaudit_table *table_at(const struct answer *answer,
					    unsigned int level, uint64_t addr)
{
	uint64_t start = addr & ~(expect_reach(level) - 1);

	for (size_t i = 0; i < answer->nr_records; i++) {
		const struct ptaudit_table *r = &answer->records[i];

		if (r->type == PTAUDIT_TABLE && r->level == level &&
		    r->start == start)
			return r;
	}
	return NULL;
}

TEST_F(planted, table_is_followed_by_the_other_walk_alone)
{
	const struct ptaudit_table *pmd, *pte;
	struct answer tables, orphans;
	uint64_t outside;

	ASSERT_EQ(0, live_tables(self->target.pid, &tables));
	ASSERT_EQ(0, live_orphans(self->target.pid, &orphans));
	EXPECT_EQ(0, live_check_records(&tables));
	EXPECT_EQ(0, live_check_records(&orphans));
	EXPECT_EQ(0, live_compare_walks(&tables, &orphans, &outside));
	EXPECT_EQ(1, outside);

	/* The five PTE tables of the layout and the planted one. */
	pmd = table_at(&tables, PTAUDIT_PMD, variant->at);
	ASSERT_NE(NULL, pmd);
	EXPECT_EQ(5, pmd->children);
	EXPECT_EQ(1, pmd->unwalked);
	EXPECT_EQ(6, pmd->used);
	EXPECT_EQ(NULL, table_at(&tables, PTAUDIT_PTE, variant->at));
	pmd = table_at(&orphans, PTAUDIT_PMD, variant->at);
	ASSERT_NE(NULL, pmd);
	EXPECT_EQ(6, pmd->children);
	EXPECT_EQ(0, pmd->unwalked);
	EXPECT_EQ(6, pmd->used);
	pte = table_at(&orphans, PTAUDIT_PTE, variant->at);
	ASSERT_NE(NULL, pte);
	EXPECT_EQ(0, pte->used);
	EXPECT_EQ(PTAUDIT_T_OUTSIDE, pte->flags);
	/* The mm counts the planted table, so only the orphans walk matches VmPTE. */
	EXPECT_EQ(0, live_check_vmpte(self->target.pid, &orphans));
	live_quiet(true);
	EXPECT_EQ(1, live_check_vmpte(self->target.pid, &tables));
	EXPECT_NE(0, live_check_orphans(self->target.pid, &tables));
	live_quiet(false);
	live_answer_deinit(&tables);
	live_answer_deinit(&orphans);
}

TEST_F_TIMEOUT(planted, tool_names_the_planted_table, 120)
{
	json_t *root, *process, *orphans, *table;
	char start[32];
	int status;

	root = check(self->pid, &status);
	EXPECT_EQ(1, status);
	process = json_array_get(json_object_get(root, "processes"), 0);
	orphans = json_object_get(process, "orphans");
	EXPECT_EQ(1, live_number(orphans, "unexplained"));
	EXPECT_EQ(0, live_number(orphans, "in_flux"));
	EXPECT_EQ(tables_of(self->target.pid) - 1,
		  live_number(orphans, "tables"));
	table = json_array_get(json_object_get(orphans, "unexplained_tables"),
			       0);
	snprintf(start, sizeof(start), "0x%lx", variant->at);
	EXPECT_STREQ(start, json_string_value(json_object_get(table, "start")));
	EXPECT_STREQ("pte", json_string_value(json_object_get(table, "level")));
	EXPECT_TRUE(json_is_true(json_object_get(table, "outside")));
	EXPECT_TRUE(json_is_true(json_object_get(table, "in_orphans")));
	EXPECT_TRUE(json_is_false(json_object_get(table, "in_tables")));
	/* The planted table, and VmPTE, which counts it. */
	EXPECT_EQ(2, live_number(process, "unexplained"));
	json_decref(root);
}

/* Tests of the comparison of the walks: one of the answers has one fault. */
FIXTURE(walks)
{
	struct target target;
	struct answer tables, orphans;
};

enum fault {
	NONE,
	TABLE_LOST,
	TABLE_INVENTED,
	TABLE_OUTSIDE,
	PFN,
	USED,
	KIND,
	PRESENT,
	DEPOSIT,
	FLAGS,
	RUN_LONGER,
	COUNTER,
	HEADER_FLAG,
};

FIXTURE_VARIANT(walks)
{
	enum fault fault;
};

#define WALKS_VARIANT(fault_name)              \
	FIXTURE_VARIANT_ADD(walks, fault_name) \
	{                                      \
		.fault = fault_name            \
	}

WALKS_VARIANT(NONE);
WALKS_VARIANT(TABLE_LOST);
WALKS_VARIANT(TABLE_INVENTED);
WALKS_VARIANT(TABLE_OUTSIDE);
WALKS_VARIANT(PFN);
WALKS_VARIANT(USED);
WALKS_VARIANT(KIND);
WALKS_VARIANT(PRESENT);
WALKS_VARIANT(DEPOSIT);
WALKS_VARIANT(FLAGS);
WALKS_VARIANT(RUN_LONGER);
WALKS_VARIANT(COUNTER);
WALKS_VARIANT(HEADER_FLAG);

FIXTURE_SETUP(walks)
{
	ASSERT_EQ(0, live_check_environment());
	ASSERT_EQ(0, target_start(&self->target, build_gap, &shape));
	ASSERT_EQ(0, live_tables(self->target.pid, &self->tables));
	ASSERT_EQ(0, live_orphans(self->target.pid, &self->orphans));
}

FIXTURE_TEARDOWN(walks)
{
	live_quiet(false);
	live_answer_deinit(&self->tables);
	live_answer_deinit(&self->orphans);
	target_stop(&self->target);
}

/* The first record of this type and level in the layout. */
static struct ptaudit_table *first(struct answer *answer, unsigned int type,
				   unsigned int level)
{
	for (size_t i = 0; i < answer->nr_records; i++) {
		struct ptaudit_table *r = &answer->records[i];

		if (r->type == type && r->level == level && r->start >= FAR &&
		    r->start < FAR + GIB)
			return r;
	}
	return NULL;
}

static void plant(enum fault fault, struct answer *tables,
		  struct answer *orphans)
{
	struct ptaudit_table *pte = first(orphans, PTAUDIT_TABLE, PTAUDIT_PTE);
	struct ptaudit_table *pmd = first(orphans, PTAUDIT_TABLE, PTAUDIT_PMD);

	switch (fault) {
	case NONE:
		break;
	case TABLE_LOST:
		pte->type = PTAUDIT_RUN;
		break;
	case TABLE_INVENTED:
		first(tables, PTAUDIT_TABLE, PTAUDIT_PTE)->type = PTAUDIT_RUN;
		break;
	case TABLE_OUTSIDE:
		pte->flags |= PTAUDIT_T_OUTSIDE;
		break;
	case PFN:
		pte->pfn++;
		break;
	case USED:
		pmd->used++;
		break;
	case KIND:
		pmd->children--;
		pmd->leaves++;
		break;
	case PRESENT:
		pte->present--;
		pte->swap++;
		break;
	case DEPOSIT:
		pmd->deposited++;
		break;
	case FLAGS:
		pte->flags |= PTAUDIT_T_MOVED;
		break;
	case RUN_LONGER:
		first(orphans, PTAUDIT_RUN, PTAUDIT_PMD)->used++;
		break;
	case COUNTER:
		orphans->header.pgtables_bytes_after += PAGE;
		break;
	case HEADER_FLAG:
		orphans->header.flags &= ~PTAUDIT_H_ORPHANS;
		break;
	}
}

TEST_F(walks, fault_is_seen)
{
	uint64_t outside;
	int failures;

	ASSERT_NE(NULL, first(&self->orphans, PTAUDIT_TABLE, PTAUDIT_PTE));
	ASSERT_NE(NULL, first(&self->tables, PTAUDIT_TABLE, PTAUDIT_PTE));
	ASSERT_NE(NULL, first(&self->orphans, PTAUDIT_RUN, PTAUDIT_PMD));
	plant(variant->fault, &self->tables, &self->orphans);
	live_quiet(variant->fault != NONE);
	failures = live_compare_walks(&self->tables, &self->orphans, &outside);
	EXPECT_EQ(variant->fault != NONE, failures > 0);
}

TEST_HARNESS_MAIN
