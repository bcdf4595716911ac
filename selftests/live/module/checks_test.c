// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the checks themselves.  A fault is planted into the answer of the module or
 * of the tool about a known layout, and the checks must report it.  Without a fault they
 * must report nothing.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "lib/lib.h"

struct shape {
	uint64_t start;
};

/* Below two PMD tables: leaves, and full, partly filled and empty PTE tables. */
static pid_t build_mixed(const struct shape *s)
{
	live_must(live_set("/sys/kernel/mm/transparent_hugepage/enabled",
			   "madvise"));
	live_must(madvise(live_map(s->start, 2 * HUGE, 0), 2 * HUGE,
			  MADV_HUGEPAGE));
	live_touch(s->start, s->start + 2 * HUGE);
	live_no_huge(live_map(s->start + GIB - HUGE, 2 * HUGE, 0), 2 * HUGE);
	live_touch(s->start + GIB - HUGE, s->start + GIB);
	live_touch(s->start + GIB, s->start + GIB + PAGE);
	live_must(madvise((void *)(s->start + GIB), PAGE, MADV_DONTNEED));
	return 0;
}

static void expect_mixed(struct expect *e, const struct shape *s)
{
	expect_leaves(e, s->start, s->start + 2 * HUGE, true);
	expect_pages(e, s->start + GIB - HUGE, s->start + GIB);
	expect_empty(e, s->start + GIB, s->start + GIB + HUGE);
	e->empty[PTAUDIT_PMD] = 1;
}

static const struct shape shape = { FAR };

FIXTURE(records)
{
	struct target target;
	struct expect expect;
	struct answer answer;
};

enum fault {
	NONE,
	DROP,	/* the record is missing */
	DOUBLE, /* the record occurs twice */
	LEVEL_UP,
	SHIFT_TABLE, /* by the reach of the table */
	ONE_MORE,    /* one more entry, in the sum and in one kind */
	ONE_LESS,
	USED_ONLY, /* one more entry in the sum only */
	OTHER_KIND, /* present pages become swap entries, children become leaves */
	DEPOSIT_MORE,
	SHARER_MORE,
	MOVED,
	PFNMAP_MORE,
	PFNMAP_RUN, /* on the first run of leaves in the table */
};

FIXTURE_VARIANT(records)
{
	enum fault fault;
	unsigned int level;
};

FIXTURE_SETUP(records)
{
	expect_init(&self->expect, FAR, FAR + TIB);
	expect_mixed(&self->expect, &shape);
	ASSERT_EQ(0, live_check_environment());
	ASSERT_EQ(0, target_start(&self->target, build_mixed, &shape));
	ASSERT_EQ(0, live_tables(self->target.pid, &self->answer));
}

FIXTURE_TEARDOWN(records)
{
	live_quiet(false);
	live_answer_deinit(&self->answer);
	target_stop(&self->target);
	expect_deinit(&self->expect);
}

#define VARIANT(name, ...)                 \
	FIXTURE_VARIANT_ADD(records, name) \
	{                                  \
		__VA_ARGS__                \
	}

VARIANT(no_fault, NONE, PTAUDIT_PTE);
VARIANT(pte_dropped, DROP, PTAUDIT_PTE);
VARIANT(pmd_dropped, DROP, PTAUDIT_PMD);
VARIANT(pud_dropped, DROP, PTAUDIT_PUD);
VARIANT(pte_doubled, DOUBLE, PTAUDIT_PTE);
VARIANT(pud_doubled, DOUBLE, PTAUDIT_PUD);
VARIANT(pte_a_level_up, LEVEL_UP, PTAUDIT_PTE);
VARIANT(pmd_a_level_up, LEVEL_UP, PTAUDIT_PMD);
VARIANT(pte_shifted, SHIFT_TABLE, PTAUDIT_PTE);
VARIANT(pmd_shifted, SHIFT_TABLE, PTAUDIT_PMD);
VARIANT(pud_shifted, SHIFT_TABLE, PTAUDIT_PUD);
VARIANT(pte_entry_more, ONE_MORE, PTAUDIT_PTE);
VARIANT(pmd_entry_more, ONE_MORE, PTAUDIT_PMD);
VARIANT(pte_entry_less, ONE_LESS, PTAUDIT_PTE);
VARIANT(pud_entry_less, ONE_LESS, PTAUDIT_PUD);
VARIANT(pte_sum_wrong, USED_ONLY, PTAUDIT_PTE);
VARIANT(pmd_sum_wrong, USED_ONLY, PTAUDIT_PMD);
VARIANT(pte_kind_wrong, OTHER_KIND, PTAUDIT_PTE);
VARIANT(pmd_kind_wrong, OTHER_KIND, PTAUDIT_PMD);
VARIANT(pmd_deposit_more, DEPOSIT_MORE, PTAUDIT_PMD);
VARIANT(pmd_sharer_more, SHARER_MORE, PTAUDIT_PMD);
VARIANT(pte_moved, MOVED, PTAUDIT_PTE);
VARIANT(pmd_pfnmap_more, PFNMAP_MORE, PTAUDIT_PMD);
VARIANT(pmd_pfnmap_run, PFNMAP_RUN, PTAUDIT_PMD);

static void plant(struct answer *answer, struct ptaudit_table *r,
		  enum fault fault)
{
	size_t behind = (size_t)(answer->records + answer->nr_records - r - 1);

	switch (fault) {
	case NONE:
		break;
	case DROP:
		memmove(r, r + 1, behind * sizeof(*r));
		answer->nr_records--;
		break;
	case DOUBLE:
		/* Overwrite the neighbour: there is no room for another record. */
		memmove(r + 1, r, (behind ? 1 : 0) * sizeof(*r));
		break;
	case LEVEL_UP:
		r->level++;
		break;
	case SHIFT_TABLE:
		r->start += expect_reach(r->level);
		break;
	case ONE_MORE:
		r->used++;
		r->present += r->level == PTAUDIT_PTE;
		r->children += r->level != PTAUDIT_PTE;
		break;
	case ONE_LESS:
		r->used--;
		r->present -= r->level == PTAUDIT_PTE;
		r->children -= r->level != PTAUDIT_PTE;
		break;
	case USED_ONLY:
		r->used++;
		break;
	case OTHER_KIND:
		r->swap += r->present;
		r->present = 0;
		r->leaves += r->children;
		r->children = 0;
		break;
	case DEPOSIT_MORE:
		r->deposited++;
		break;
	case SHARER_MORE:
		r->sharers++;
		break;
	case MOVED:
		r->flags |= PTAUDIT_T_MOVED;
		break;
	case PFNMAP_MORE:
		r->pfnmap++;
		break;
	case PFNMAP_RUN:
		r[1].flags |= PTAUDIT_T_PFNMAP;
		break;
	}
}

/* The first table of the level in the layout that has entries. */
static struct ptaudit_table *victim(const struct answer *answer,
				    unsigned int level)
{
	for (size_t i = 0; i < answer->nr_records; i++) {
		struct ptaudit_table *r = &answer->records[i];

		if (r->type == PTAUDIT_TABLE && r->level == level &&
		    r->start >= FAR && r->start < FAR + TIB && r->used)
			return r;
	}
	return NULL;
}

TEST_F(records, fault_is_seen)
{
	struct ptaudit_table *r = victim(&self->answer, variant->level);
	int failures;

	ASSERT_NE(NULL, r);
	plant(&self->answer, r, variant->fault);
	live_quiet(variant->fault != NONE);
	failures = expect_compare(&self->expect, &self->answer);
	EXPECT_EQ(variant->fault != NONE, failures > 0);
}

/* The other checks, each with a fault that only this check can detect. */
FIXTURE(witnesses)
{
	struct target target;
	struct answer answer;
};

FIXTURE_SETUP(witnesses)
{
	ASSERT_EQ(0, live_check_environment());
	ASSERT_EQ(0, target_start(&self->target, build_mixed, &shape));
	ASSERT_EQ(0, live_tables(self->target.pid, &self->answer));
}

FIXTURE_TEARDOWN(witnesses)
{
	live_quiet(false);
	live_answer_deinit(&self->answer);
	target_stop(&self->target);
}

TEST_F(witnesses, each_check_sees_its_fault)
{
	struct answer *answer = &self->answer;
	struct ptaudit_table *r = victim(answer, PTAUDIT_PTE);
	struct ptaudit_table good;

	ASSERT_NE(NULL, r);
	EXPECT_EQ(0, live_check_records(answer));
	EXPECT_EQ(0, live_check_vmpte(self->target.pid, answer));
	EXPECT_EQ(0, live_check_pages_of_tables(answer));
	EXPECT_EQ(0, live_check_counts(self->target.pid, answer));

	live_quiet(true);
	good = *r;
	r->used++;
	EXPECT_EQ(1, live_check_records(answer));
	*r = good;
	r->start = 0;
	EXPECT_NE(0, live_check_records(answer));
	*r = good;
	r->type = PTAUDIT_RUN;
	EXPECT_NE(0, live_check_vmpte(self->target.pid, answer));
	EXPECT_NE(0, live_check_counts(self->target.pid, answer));
	*r = good;
	r->deposited = 1;
	EXPECT_NE(0, live_check_vmpte(self->target.pid, answer));
	EXPECT_NE(0, live_check_counts(self->target.pid, answer));
	*r = good;
	r->pfn = r->node = 0;
	EXPECT_EQ(1, live_check_pages_of_tables(answer));
	*r = good;
	r->node = !r->node;
	EXPECT_EQ(!access("/sys/devices/system/memory", F_OK),
		  live_check_pages_of_tables(answer));
	*r = good;
	r = victim(answer, PTAUDIT_PMD);
	good = *r;
	r->start += expect_reach(PTAUDIT_PMD);
	EXPECT_NE(0, live_check_records(answer));
	*r = good;
	r->pfnmap++;
	EXPECT_EQ(1, live_check_records(answer));
	*r = good;
	answer->header.mm++;
	EXPECT_NE(0, live_check_counts(self->target.pid, answer));
	answer->header.mm--;
	answer->header.flags ^= PTAUDIT_H_PTI;
	EXPECT_NE(0, live_check_records(answer));
}

/* Each table must be among the cgroup's frames, and no frame may be left over. */
TEST_F(witnesses, memcg_check_sees_its_faults)
{
	struct answer *answer = &self->answer, own;
	struct ptaudit_table *r = victim(answer, PTAUDIT_PTE);
	struct ptaudit_table good;
	uint64_t foreign = 0;

	if (!memcg_is_there())
		SKIP(return, "needs /proc/kpagecgroup");
	ASSERT_NE(NULL, r);
	ASSERT_EQ(0, live_tables(getpid(), &own));
	for (size_t i = 0; i < own.nr_records; i++)
		if (own.records[i].type == PTAUDIT_TABLE &&
		    own.records[i].level == PTAUDIT_PTE)
			foreign = own.records[i].pfn;
	live_answer_deinit(&own);
	ASSERT_NE(0, foreign);
	EXPECT_EQ(0, live_check_memcg(&self->target.memcg, self->target.pid,
				      answer));

	live_quiet(true);
	good = *r;
	r->type = PTAUDIT_RUN; /* one table record less */
	EXPECT_NE(0, live_check_memcg(&self->target.memcg, self->target.pid,
				      answer));
	*r = good;
	r->pfn = foreign; /* a table that is charged to another cgroup */
	EXPECT_NE(0, live_check_memcg(&self->target.memcg, self->target.pid,
				      answer));
	*r = good;
	r->pfn = 0; /* not a page table */
	EXPECT_NE(0, live_check_memcg(&self->target.memcg, self->target.pid,
				      answer));
	*r = good;
	r = victim(answer, PTAUDIT_PMD);
	good = *r;
	r->deposited++;
	EXPECT_NE(0, live_check_memcg(&self->target.memcg, self->target.pid,
				      answer));
	*r = good;
	r->deposited--;
	EXPECT_NE(0, live_check_memcg(&self->target.memcg, self->target.pid,
				      answer));
	*r = good;
	/* the process is not in the cgroup */
	EXPECT_NE(0, live_check_memcg(&self->target.memcg, getpid(), answer));
	live_quiet(false);
	EXPECT_EQ(0, live_check_memcg(&self->target.memcg, self->target.pid,
				      answer));
}

/* The tool's output passes through sed, which plants the fault. */
FIXTURE(tool)
{
	struct target target;
	struct expect expect;
	char path[32];
};

FIXTURE_VARIANT(tool)
{
	const char *sed;
	int status; /* added to the tool's exit status */
};

FIXTURE_SETUP(tool)
{
	char script[512];
	int fd;

	expect_init(&self->expect, FAR, FAR + TIB);
	expect_mixed(&self->expect, &shape);
	ASSERT_EQ(0, target_start(&self->target, build_mixed, &shape));
	snprintf(self->path, sizeof(self->path), "/tmp/tool-XXXXXX");
	fd = mkstemp(self->path);
	ASSERT_LE(0, fd);
	snprintf(script, sizeof(script),
		 "#!/bin/sh\n'%s' \"$@\" >%s.out; status=$?\n"
		 "sed '%s' %s.out; exit $((status + %d))\n",
		 live_tool(), self->path, variant->sed, self->path,
		 variant->status);
	ASSERT_EQ((ssize_t)strlen(script), write(fd, script, strlen(script)));
	ASSERT_EQ(0, fchmod(fd, 0755));
	close(fd);
	ASSERT_EQ(0, setenv("PTAUDIT_TOOL", self->path, 1));
}

FIXTURE_TEARDOWN(tool)
{
	live_quiet(false);
	unlink(self->path);
	target_stop(&self->target);
	expect_deinit(&self->expect);
}

#define TOOL_VARIANT(name, ...)         \
	FIXTURE_VARIANT_ADD(tool, name) \
	{                               \
		__VA_ARGS__             \
	}

TOOL_VARIANT(nothing_changed, "", 0);
TOOL_VARIANT(exit_status_1, "", 1);
TOOL_VARIANT(exit_status_2, "", 2);
TOOL_VARIANT(no_output, "d", 0);
TOOL_VARIANT(cut_off, "20q", 0);
TOOL_VARIANT(one_unexplained, "s/\"unexplained\": 0/\"unexplained\": 1/", 0);
TOOL_VARIANT(unexplained_missing, "/\"unexplained\"/d", 0);
TOOL_VARIANT(in_flux, "s/\"in_flux\": 0/\"in_flux\": 1/", 0);
TOOL_VARIANT(kernel_count, "s/\"kernel\": \\([1-9]\\)/\"kernel\": 1\\1/", 0);
TOOL_VARIANT(kernel_only, "s/\"kernel_only\": 0/\"kernel_only\": 1/", 0);
TOOL_VARIANT(cause_renamed, "s/\"empty\"/\"hollow\"/", 0);
TOOL_VARIANT(cause_off_by_one, "s/\"tables\": 1/\"tables\": 2/", 0);
TOOL_VARIANT(leaves, "s/\"entries\": 2/\"entries\": 3/", 0);
TOOL_VARIANT(deposits, "s/\"deposited_tables\": 2/\"deposited_tables\": 1/", 0);
TOOL_VARIANT(vmpte, "s/\"unexplained_bytes\": 0/\"unexplained_bytes\": 4096/",
	     0);

TEST_F(tool, fault_is_seen)
{
	bool fault = *variant->sed || variant->status;
	int failures;

	live_quiet(fault);
	failures = live_check_tool(self->target.pid, &self->expect, true);
	EXPECT_EQ(fault, failures > 0);
}

TEST_HARNESS_MAIN
