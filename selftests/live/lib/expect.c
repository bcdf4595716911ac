// SPDX-License-Identifier: GPL-2.0-only
/*
 * Computes by address arithmetic alone which tables a layout needs, and compares them with
 * the module's records.  Must not use ptaudit's output to compute the expectation.
 */
#define _GNU_SOURCE
#include "lib/lib.h"

#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = PTAUDIT_LEVEL_NAMES;

/* Number of address bits that a table of each level maps.  Source: x86-64 manuals. */
static const unsigned int reach_bits[PTAUDIT_NR_LEVELS] = { 21, 30, 39, 48,
							    57 };

uint64_t expect_reach(unsigned int level)
{
	return 1UL << reach_bits[level];
}

static int by_place(const void *a, const void *b)
{
	const struct ptaudit_table *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (int)x->level - (int)y->level;
}

void expect_init(struct expect *expect, uint64_t start, uint64_t end)
{
	memset(expect, 0, sizeof(*expect));
	expect->start = start;
	expect->end = end;
}

void expect_deinit(struct expect *expect)
{
	tdestroy(expect->tables, free);
	expect->tables = NULL;
}

static bool inside(const struct expect *expect, unsigned int level,
		   uint64_t start)
{
	return start >= expect->start && start < expect->end &&
	       expect->end - start >= expect_reach(level);
}

static unsigned int level_above(unsigned int level)
{
	if (level == PTAUDIT_PUD && live_system()->levels == 4)
		return PTAUDIT_PGD;
	return level + 1;
}

struct ptaudit_table *expect_table(struct expect *expect, unsigned int level,
				   uint64_t addr)
{
	struct ptaudit_table key = { .level = (uint8_t)level };
	struct ptaudit_table *table, *above, **found;

	key.start = addr & ~(expect_reach(level) - 1);
	if (level == PTAUDIT_PGD || !inside(expect, level, key.start))
		return NULL;
	found = tfind(&key, &expect->tables, by_place);
	if (found)
		return *found;

	table = calloc(1, sizeof(*table));
	if (!table)
		abort();
	*table = key;
	table->flags = expect->flags;
	if (level != PTAUDIT_PMD)
		table->flags &= (uint8_t)~PTAUDIT_T_HUGETLB;
	tsearch(table, &expect->tables, by_place);
	expect->nr[level]++;
	above = expect_table(expect, level_above(level), addr);
	if (above) {
		above->used++;
		above->children++;
	}
	return table;
}

void expect_pages(struct expect *expect, uint64_t start, uint64_t end)
{
	for (uint64_t addr = start; addr < end; addr += PAGE) {
		struct ptaudit_table *table = expect_table(expect, PTAUDIT_PTE,
							   addr);

		if (table) {
			table->used++;
			table->present++;
		}
	}
}

void expect_empty(struct expect *expect, uint64_t start, uint64_t end)
{
	for (uint64_t addr = start; addr < end; addr += HUGE) {
		expect_table(expect, PTAUDIT_PTE, addr);
		expect->empty[PTAUDIT_PTE]++;
	}
}

void expect_entries(struct expect *expect, uint64_t start, uint64_t end,
		    size_t member)
{
	for (uint64_t addr = start; addr < end; addr += PAGE) {
		struct ptaudit_table *table = expect_table(expect, PTAUDIT_PTE,
							   addr);

		if (!table)
			continue;
		table->used++;
		++*(uint16_t *)((char *)table + member);
	}
}

void expect_pfnmap(struct expect *expect, uint64_t start, uint64_t end)
{
	expect_pages(expect, start, end);
	for (uint64_t addr = start; addr < end; addr += PAGE)
		expect_table(expect, PTAUDIT_PTE, addr)->pfnmap++;
}

void expect_all_hollow(struct expect *expect)
{
	for (unsigned int level = PTAUDIT_PMD; level <= PTAUDIT_PUD; level++)
		expect->empty[level] = expect->nr[level];
}

void expect_leaves(struct expect *expect, uint64_t start, uint64_t end,
		   bool deposited)
{
	for (uint64_t addr = start; addr < end; addr += HUGE) {
		struct ptaudit_table *table = expect_table(expect, PTAUDIT_PMD,
							   addr);

		table->used++;
		table->leaves++;
		table->deposited += deposited;
		expect->deposited += deposited;
		expect->leaf_bytes += HUGE;
	}
}

void expect_pfn_leaves(struct expect *expect, unsigned int level,
		       uint64_t start, uint64_t end)
{
	const uint64_t step = expect_reach(level - 1);

	if (expect->nr_pfn_leaves ==
	    sizeof(expect->pfn_leaves) / sizeof(expect->pfn_leaves[0]))
		abort();
	expect->pfn_leaves[expect->nr_pfn_leaves].start = start;
	expect->pfn_leaves[expect->nr_pfn_leaves++].end = end;
	for (uint64_t addr = start; addr < end; addr += step) {
		struct ptaudit_table *table = expect_table(expect, level, addr);

		table->used++;
		table->leaves++;
		table->pfnmap++;
		if (level == PTAUDIT_PMD)
			expect->leaf_bytes += HUGE;
	}
}

/*
 * A run of leaves lies either completely in PFN mappings, and is marked so, or completely
 * outside.
 */
static int check_leaf_run(const struct expect *expect,
			  const struct ptaudit_table *run)
{
	uint64_t end = run->start + run->used * expect_reach(run->level - 1);
	uint64_t inside_bytes = 0;

	for (size_t i = 0; i < expect->nr_pfn_leaves; i++) {
		uint64_t from = expect->pfn_leaves[i].start;
		uint64_t to = expect->pfn_leaves[i].end;

		from = from > run->start ? from : run->start;
		to = to < end ? to : end;
		inside_bytes += from < to ? to - from : 0;
	}
	if (run->flags & PTAUDIT_T_PFNMAP ? inside_bytes == end - run->start :
					    !inside_bytes)
		return 0;
	live_note("a run of %u leaves at 0x%" PRIx64
		  " has the flags 0x%x, but 0x%" PRIx64
		  " bytes of it are in PFN mappings",
		  run->used, (uint64_t)run->start, run->flags, inside_bytes);
	return 1;
}

/* Print each field that differs, with both values. */
static int compare_table(const struct ptaudit_table *e,
			 const struct ptaudit_table *k)
{
	const uint8_t flags = PTAUDIT_T_PARTIAL | PTAUDIT_T_MOVED |
			      PTAUDIT_T_HUGETLB | PTAUDIT_T_LDT;
	const struct {
		const char *name;
		unsigned int expected, got;
	} fields[] = {
		{ "used", e->used, k->used },
		{ "children", e->children, k->children },
		{ "leaves", e->leaves, k->leaves },
		{ "present", e->present, k->present },
		{ "swap", e->swap, k->swap },
		{ "migration", e->migration, k->migration },
		{ "uffd_wp", e->uffd_wp, k->uffd_wp },
		{ "guard", e->guard, k->guard },
		{ "other", e->other, k->other },
		{ "unwalked", e->unwalked, k->unwalked },
		{ "pfnmap", e->pfnmap, k->pfnmap },
		{ "deposited", e->deposited, k->deposited },
		{ "sharers", e->sharers, k->sharers },
		{ "flags", e->flags & flags, k->flags & flags },
		{ "pages", 1, k->pages },
	};
	int failures = 0;

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (fields[i].expected == fields[i].got)
			continue;
		live_note("%s table at 0x%" PRIx64 ": %s is %u, not %u",
			  names[e->level], (uint64_t)e->start, fields[i].name,
			  fields[i].got, fields[i].expected);
		failures++;
	}
	return failures;
}

int expect_compare(const struct expect *expect, const struct answer *answer)
{
	size_t nr[PTAUDIT_NR_LEVELS] = { 0 };
	const struct ptaudit_table *last = NULL;
	uint64_t leaf_bytes = 0;
	int failures = 0;

	for (size_t i = 0; i < answer->nr_records; i++) {
		const struct ptaudit_table *k = &answer->records[i];
		struct ptaudit_table **found;

		if (k->type == PTAUDIT_RUN && k->kind == PTAUDIT_K_LEAF &&
		    k->start >= expect->start && k->start < expect->end) {
			if (k->level == PTAUDIT_PMD)
				leaf_bytes += k->used * HUGE;
			failures += check_leaf_run(expect, k);
		}
		if (k->type != PTAUDIT_TABLE || k->level >= PTAUDIT_PGD ||
		    !inside(expect, k->level, k->start))
			continue;
		if (last && !by_place(last, k)) {
			live_note("%s table at 0x%" PRIx64 " has two records",
				  names[k->level], (uint64_t)k->start);
			failures++;
		}
		last = k;
		nr[k->level]++;
		found = tfind(k, &expect->tables, by_place);
		if (!found) {
			live_note("%s table at 0x%" PRIx64 " is not expected",
				  names[k->level], (uint64_t)k->start);
			failures++;
			continue;
		}
		failures += compare_table(*found, k);
	}
	for (unsigned int level = 0; level < PTAUDIT_PGD; level++) {
		if (nr[level] == expect->nr[level])
			continue;
		live_note("the layout has %zu %s tables, not %zu", nr[level],
			  names[level], expect->nr[level]);
		failures++;
	}
	if (leaf_bytes != expect->leaf_bytes) {
		live_note("leaves map %" PRIu64 " bytes, not %" PRIu64,
			  leaf_bytes, expect->leaf_bytes);
		failures++;
	}
	return failures;
}
