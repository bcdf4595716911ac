// SPDX-License-Identifier: GPL-2.0-only
/*
 * Huge leaves in VM_PFNMAP mappings, as vfio makes them for a device's memory.  pagemap
 * does not show them, and they have no deposited PTE table.
 */
#define _GNU_SOURCE
#include <jansson.h>
#include <string.h>
#include <sys/mman.h>

#include "fixtures/layout.h"

static pid_t build_leaves(const struct shape *s)
{
	live_map_pfn_pmds(s->start, s->bytes);
	return 0;
}

static void expect_leaves_alone(struct expect *e, const struct shape *s)
{
	uint64_t last = s->start + s->bytes - 1;

	expect_pfn_leaves(e, PTAUDIT_PMD, s->start, s->start + s->bytes);
	e->pfnmap_only[PTAUDIT_PMD] = last / GIB - s->start / GIB + 1;
	e->pfnmap_only[PTAUDIT_PUD] = last / (512 * GIB) -
				      s->start / (512 * GIB) + 1;
}

LAYOUT(pfn_leaf, build_leaves, expect_leaves_alone,
       SHAPE(.start = FAR + GIB + 77 * HUGE, .bytes = HUGE));

LAYOUT(pfn_leaves_whole_table, build_leaves, expect_leaves_alone,
       SHAPE(.start = FAR + 2 * GIB, .bytes = GIB));

LAYOUT(pfn_leaves_across_512g_edge, build_leaves, expect_leaves_alone,
       SHAPE(.start = FAR + 512 * GIB - 2 * HUGE, .bytes = 5 * HUGE));

/* One PMD table also has an anonymous leaf below, another one above, and a PTE table. */
static pid_t build_among_others(const struct shape *s)
{
	uint64_t end = s->start + s->bytes;

	live_must(live_set(THP "enabled", "madvise"));
	live_must(madvise(live_map(s->start - HUGE, HUGE, 0), HUGE,
			  MADV_HUGEPAGE));
	live_touch(s->start - HUGE, s->start);
	live_must(madvise(live_map(end, HUGE, 0), HUGE, MADV_HUGEPAGE));
	live_touch(end, end + HUGE);
	live_map_small(end + HUGE, PAGE);
	live_touch(end + HUGE, end + HUGE + PAGE);
	live_map_pfn_pmds(s->start, s->bytes);
	return 0;
}

static void expect_among_others(struct expect *e, const struct shape *s)
{
	uint64_t end = s->start + s->bytes;

	expect_leaves(e, s->start - HUGE, s->start, true);
	expect_pfn_leaves(e, PTAUDIT_PMD, s->start, end);
	expect_leaves(e, end, end + HUGE, true);
	expect_pages(e, end + HUGE, end + HUGE + PAGE);
}

LAYOUT(pfn_leaves_among_others, build_among_others, expect_among_others,
       SHAPE(.start = FAR + 20 * HUGE, .bytes = 3 * HUGE));

static pid_t build_two(const struct shape *s)
{
	live_map_pfn_pmds(s->start, s->bytes);
	live_map_pfn_pmds(s->start + s->stride, s->bytes);
	return 0;
}

static void expect_two(struct expect *e, const struct shape *s)
{
	uint64_t second = s->start + s->stride;

	expect_pfn_leaves(e, PTAUDIT_PMD, s->start, s->start + s->bytes);
	expect_pfn_leaves(e, PTAUDIT_PMD, second, second + s->bytes);
	e->pfnmap_only[PTAUDIT_PMD] = 1;
	e->pfnmap_only[PTAUDIT_PUD] = 1;
}

LAYOUT(pfn_leaves_of_two_vmas, build_two, expect_two,
       SHAPE(.start = FAR, .bytes = 2 * HUGE, .stride = 2 * HUGE));

LAYOUT(pfn_leaves_with_a_gap, build_two, expect_two,
       SHAPE(.start = FAR, .bytes = 2 * HUGE, .stride = 9 * HUGE));

/*
 * A partial munmap() removes the complete leaf, and no table replaces it.  Source:
 * mm/huge_memory.c, __split_huge_pmd_locked() (5.10, 7.2).
 */
static pid_t build_part_unmapped(const struct shape *s)
{
	build_leaves(s);
	live_must(munmap((void *)(s->start + s->stride), MIB));
	return 0;
}

static void expect_part_unmapped(struct expect *e, const struct shape *s)
{
	uint64_t hole = s->start + s->stride;

	expect_pfn_leaves(e, PTAUDIT_PMD, s->start, hole);
	expect_pfn_leaves(e, PTAUDIT_PMD, hole + HUGE, s->start + s->bytes);
	e->pfnmap_only[PTAUDIT_PMD] = 1;
	e->pfnmap_only[PTAUDIT_PUD] = 1;
}

LAYOUT(pfn_leaf_unmapped_in_part, build_part_unmapped, expect_part_unmapped,
       SHAPE(.start = FAR + 5 * HUGE, .bytes = 6 * HUGE, .stride = 2 * HUGE));

static pid_t build_prot_none(const struct shape *s)
{
	build_leaves(s);
	live_must(mprotect((void *)s->start, s->bytes, PROT_NONE));
	return 0;
}

LAYOUT(pfn_leaves_prot_none, build_prot_none, expect_leaves_alone,
       SHAPE(.start = FAR + GIB - HUGE, .bytes = 3 * HUGE));

static pid_t build_moved(const struct shape *s)
{
	uint64_t from = s->start + s->stride;

	live_map_pfn_pmds(from, s->bytes);
	live_must_be(mremap((void *)from, s->bytes, s->bytes,
			    MREMAP_MAYMOVE | MREMAP_FIXED,
			    s->start) == (void *)s->start,
		     "mremap");
	return 0;
}

LAYOUT(pfn_leaves_moved, build_moved, expect_leaves_alone,
       SHAPE(.start = FAR + GIB - HUGE, .bytes = 3 * HUGE, .stride = 20 * GIB));

static pid_t build_forked(const struct shape *s)
{
	build_leaves(s);
	return live_fork(0, 0);
}

/*
 * On kernels without pmd_special() fork() copies the tables, but not the leaf, which the
 * next fault makes again.  Source: mm/huge_memory.c, copy_huge_pmd() (5.10, 6.1).
 */
static void expect_forked(struct expect *e, const struct shape *s)
{
	if (live_system()->version >= 6012) {
		expect_leaves_alone(e, s);
	} else {
		expect_table(e, PTAUDIT_PMD, s->start);
		expect_all_hollow(e);
	}
}

LAYOUT(pfn_leaves_of_a_forked_child, build_forked, expect_forked,
       SHAPE(.start = FAR + 3 * HUGE, .bytes = 3 * HUGE));

static const char *missing_gib(const struct shape *s)
{
	return live_pfn_puds_missing();
}

static pid_t build_gibs(const struct shape *s)
{
	live_map_pfn_puds(s->start, s->bytes);
	return 0;
}

/* Number of leaves of a level in the tool's output; -1 if it has none. */
static long tool_leaves(const json_t *root, const char *level)
{
	const json_t *process = json_array_get(json_object_get(root,
							       "processes"),
					       0);
	json_t *rows = json_object_get(process, "leaves"), *row;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		const char *name = json_string_value(
			json_object_get(row, "level"));

		if (name && !strcmp(name, level))
			return (long)json_integer_value(
				json_object_get(row, "entries"));
	}
	return -1;
}

/*
 * The tool reads smaps after its walk, and reading smaps removes such leaves.  The next
 * fault makes them again.  Source: mm/pagewalk.c, walk_page_vma(), which does not call
 * walk_page_test() there, and walk_pud_range() (6.12, 7.2).
 */
static int check_tool_gibs(pid_t pid, const struct expect *expect)
{
	uint64_t puds = 0;
	struct counts counts;
	struct tool_run run;
	char text[16];
	json_t *root;
	int failures;

	if (live_system()->version < 6012)
		return live_check_tool(pid, expect, true);
	for (size_t i = 0; i < expect->nr_pfn_leaves; i++)
		puds += (expect->pfn_leaves[i].end -
			 expect->pfn_leaves[i].start) /
			GIB;
	snprintf(text, sizeof(text), "%d", pid);
	if (LIVE_RUN(&run, "check", "--json", text))
		return 1;
	root = json_loads(run.out, 0, NULL);
	failures = run.status != 0;
	failures += tool_leaves(root, "pud") != (long)puds;
	failures += !json_is_integer(json_object_get(root, "unexplained")) ||
		    json_integer_value(json_object_get(root, "unexplained"));
	failures += live_counts(pid, &counts) || counts.leaves[PTAUDIT_PUD];
	if (failures)
		live_note("exit status %d; the module counts %lu PUD leaves; %s%s",
			  run.status, counts.leaves[PTAUDIT_PUD], run.err,
			  run.out);
	json_decref(root);
	live_run_deinit(&run);
	return failures;
}

static void expect_gibs(struct expect *e, const struct shape *s)
{
	expect_pfn_leaves(e, PTAUDIT_PUD, s->start, s->start + s->bytes);
	e->pfnmap_only[PTAUDIT_PUD] = 1;
}

LAYOUT(pfn_leaves_of_1g, build_gibs, expect_gibs,
       SHAPE(.start = FAR + 3 * GIB, .bytes = 2 * GIB), .missing = missing_gib,
       .check_tool = check_tool_gibs);

/* Leaves of 2 MiB lie below the leaves of 1 GiB, and an ordinary page lies above them. */
static pid_t build_gibs_among_others(const struct shape *s)
{
	uint64_t end = s->start + s->bytes;

	live_map_pfn_pmds(s->start - 2 * HUGE, 2 * HUGE);
	live_map_pfn_puds(s->start, s->bytes);
	live_map_small(end, PAGE);
	live_touch(end, end + PAGE);
	return 0;
}

static void expect_gibs_among_others(struct expect *e, const struct shape *s)
{
	uint64_t end = s->start + s->bytes;

	expect_pfn_leaves(e, PTAUDIT_PMD, s->start - 2 * HUGE, s->start);
	expect_pfn_leaves(e, PTAUDIT_PUD, s->start, end);
	expect_pages(e, end, end + PAGE);
	e->pfnmap_only[PTAUDIT_PMD] = 1;
}

LAYOUT(pfn_leaves_of_1g_among_others, build_gibs_among_others,
       expect_gibs_among_others, SHAPE(.start = FAR + 9 * GIB, .bytes = GIB),
       .missing = missing_gib, .check_tool = check_tool_gibs);

TEST_HARNESS_MAIN
