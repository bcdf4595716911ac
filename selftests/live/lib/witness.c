// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks the module's answer against the mm's counter in /proc, against the page flags and
 * the NUMA node of each table, and for contradictions inside each record.
 */
#define _GNU_SOURCE
#include "lib/lib.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Source: include/uapi/linux/kernel-page-flags.h */
#define KPF_PGTABLE 26

static const char *const names[] = PTAUDIT_LEVEL_NAMES;

/* Does kpageflags show a table of this level as a page table?  Depends on the kernel. */
bool live_has_page_type(unsigned int level)
{
	switch (level) {
	case PTAUDIT_PTE:
	case PTAUDIT_PMD:
		return true;
	case PTAUDIT_PUD:
		return live_system()->version >= 6012;
	default:
		return live_system()->version >= 7002;
	}
}

/*
 * The runs of a table must add up to its counts of each kind, and an entry of the table
 * must point to each table below it.
 */
static int check_runs(const struct answer *answer, size_t table_index)
{
	const struct ptaudit_table *table = &answer->records[table_index];
	const struct ptaudit_table *run = NULL;
	uint64_t nr[PTAUDIT_NR_KINDS] = { 0 }, entry_reach = 0, pfnmap = 0;
	int failures = 0;

	for (size_t i = table_index + 1; i < answer->nr_records; i++) {
		const struct ptaudit_table *r = &answer->records[i];

		if (r->type == PTAUDIT_TABLE && r->level >= table->level)
			break;
		if (r->type == PTAUDIT_RUN && r->level == table->level) {
			run = r;
			if (run->pfn != table->pfn || !run->used ||
			    run->kind >= PTAUDIT_NR_KINDS)
				failures++;
			else
				nr[run->kind] += run->used;
			if (run->flags & PTAUDIT_T_PFNMAP)
				pfnmap += run->used;
			continue;
		}
		/* tables on the level of the first table after a run of children are children */
		if (r->type != PTAUDIT_TABLE)
			continue;
		if (!entry_reach)
			entry_reach = expect_reach(r->level);
		if (expect_reach(r->level) != entry_reach)
			continue;
		if (!run || run->kind != PTAUDIT_K_CHILD ||
		    r->start - run->start >= run->used * entry_reach) {
			live_note("no entry points to the %s table at 0x%" PRIx64,
				  names[r->level], (uint64_t)r->start);
			failures++;
		}
	}
	failures += nr[PTAUDIT_K_NONE] != 0;
	failures += nr[PTAUDIT_K_CHILD] != table->children;
	failures += nr[PTAUDIT_K_LEAF] != table->leaves;
	failures += nr[PTAUDIT_K_SWAP] != table->swap;
	failures += nr[PTAUDIT_K_MIGRATION] != table->migration;
	failures += nr[PTAUDIT_K_OTHER] != table->other;
	failures += nr[PTAUDIT_K_UNWALKED] != table->unwalked;
	failures += pfnmap != table->pfnmap;
	if (failures)
		live_note("%s table at 0x%" PRIx64
			  ": the sums of its runs differ from its record",
			  names[table->level], (uint64_t)table->start);
	return failures;
}

int live_check_records(const struct answer *answer)
{
	const struct ptaudit_table *last = NULL;
	int failures = 0;

	if (!!(answer->header.flags & PTAUDIT_H_PTI) != live_system()->pti) {
		live_note("the header's KPTI flag is wrong");
		failures++;
	}
	for (size_t i = 0; i < answer->nr_records; i++) {
		const struct ptaudit_table *r = &answer->records[i];
		unsigned int sum = r->children + r->leaves + r->present +
				   r->swap + r->migration + r->uffd_wp +
				   r->guard + r->other + r->unwalked;

		if (r->level >= PTAUDIT_NR_LEVELS)
			return failures + 1;
		if (last && (r->start < last->start ||
			     (r->start == last->start &&
			      (r->level > last->level ||
			       (r->level == last->level &&
				(r->type != PTAUDIT_RUN ||
				 last->type != PTAUDIT_TABLE)))))) {
			live_note("record %zu, a %s at 0x%" PRIx64
				  ", is out of order",
				  i, names[r->level], (uint64_t)r->start);
			failures++;
		}
		last = r;
		if (r->type != PTAUDIT_TABLE)
			continue;
		if (r->used != sum) {
			live_note("%s table at 0x%" PRIx64
				  ": %u entries are used, but the kinds add up to %u",
				  names[r->level], (uint64_t)r->start, r->used,
				  sum);
			failures++;
		}
		if (r->level != PTAUDIT_PTE)
			failures += check_runs(answer, i);
	}
	return failures;
}

/* Without CONFIG_MEMORY_HOTPLUG, sysfs does not show which blocks of memory a node has. */
static int check_node(const struct ptaudit_table *table)
{
	static unsigned long long block_bytes;
	static bool is_read;
	char path[96];
	FILE *file;

	if (!is_read) {
		file = fopen("/sys/devices/system/memory/block_size_bytes",
			     "re");
		if (file) {
			live_must(fscanf(file, "%llx", &block_bytes) == 1);
			fclose(file);
		}
		is_read = true;
	}
	if (!block_bytes)
		return 0;
	snprintf(path, sizeof(path),
		 "/sys/devices/system/node/node%d/memory%llu", table->node,
		 table->pfn * PAGE / block_bytes);
	if (!access(path, F_OK))
		return 0;
	live_note("there is no %s, but the %s table at 0x%" PRIx64
		  " is on this node",
		  path, names[table->level], (uint64_t)table->start);
	return 1;
}

int live_check_pages_of_tables(const struct answer *answer)
{
	int failures = 0;

	for (size_t i = 0; i < answer->nr_records; i++) {
		const struct ptaudit_table *r = &answer->records[i];
		uint64_t flags;

		if (r->type != PTAUDIT_TABLE)
			continue;
		failures += check_node(r);
		if (!live_has_page_type(r->level))
			continue;
		flags = live_page_flags(r->pfn);
		if (flags & 1UL << KPF_PGTABLE)
			continue;
		live_note("page frame 0x%" PRIx64
			  " of the %s table at 0x%" PRIx64
			  " has flags 0x%" PRIx64 ", without KPF_PGTABLE",
			  (uint64_t)r->pfn, names[r->level], (uint64_t)r->start,
			  flags);
		failures++;
	}
	return failures;
}

int live_check_vmpte(pid_t pid, const struct answer *answer)
{
	uint64_t tree[PTAUDIT_NR_LEVELS] = { 0 }, deposited = 0, bytes;
	uint64_t vmpte_bytes = live_vmpte_bytes(pid);

	for (size_t i = 0; i < answer->nr_records; i++) {
		const struct ptaudit_table *r = &answer->records[i];

		if (r->type != PTAUDIT_TABLE)
			continue;
		tree[r->level]++;
		deposited += r->deposited;
	}
	/* VmPTE does not include PGD and P4D tables */
	bytes = PAGE * (tree[PTAUDIT_PTE] + tree[PTAUDIT_PMD] +
			tree[PTAUDIT_PUD] + deposited);
	if (vmpte_bytes == bytes)
		return 0;
	live_note("process %d (%s): VmPTE is %" PRIu64
		  " bytes, but its tables have %" PRIu64 ": pte %" PRIu64
		  ", pmd %" PRIu64 ", pud %" PRIu64 ", and %" PRIu64
		  " deposited pte tables",
		  pid, program_invocation_short_name, vmpte_bytes, bytes,
		  tree[PTAUDIT_PTE], tree[PTAUDIT_PMD], tree[PTAUDIT_PUD],
		  deposited);
	return 1;
}

int live_check_counts(pid_t pid, const struct answer *answer)
{
	struct counts counts, sum = { 0 };
	unsigned int level;
	int err = live_counts(pid, &counts);
	int failures = 0;

	if (err) {
		live_note("cannot read counts: %s", strerror(-err));
		return 1;
	}
	for (size_t i = 0; i < answer->nr_records; i++) {
		const struct ptaudit_table *r = &answer->records[i];

		if (r->type != PTAUDIT_TABLE)
			continue;
		sum.tables[r->level]++;
		sum.leaves[r->level] += r->leaves;
		sum.deposited += r->deposited;
	}
	for (level = 0; level < PTAUDIT_NR_LEVELS; level++) {
		if (counts.tables[level] == sum.tables[level] &&
		    counts.leaves[level] == sum.leaves[level])
			continue;
		live_note("%s: counts says %" PRIu64 " tables, %" PRIu64
			  " leaves; the records have %" PRIu64 " and %" PRIu64,
			  names[level], counts.tables[level],
			  counts.leaves[level], sum.tables[level],
			  sum.leaves[level]);
		failures++;
	}
	if (counts.deposited != sum.deposited) {
		live_note("counts says %" PRIu64
			  " deposited tables; the records have %" PRIu64,
			  counts.deposited, sum.deposited);
		failures++;
	}
	if (counts.pgtables_bytes != live_vmpte_bytes(pid) ||
	    counts.mm != answer->header.mm || counts.pid != (uint64_t)pid ||
	    answer->header.pid != pid) {
		live_note(
			"counts, the header and /proc do not name the same process, mm and VmPTE");
		failures++;
	}
	return failures;
}

void live_count_empty_outside(const struct answer *answer, uint64_t start,
			      uint64_t end, uint64_t nr[PTAUDIT_NR_LEVELS])
{
	memset(nr, 0, PTAUDIT_NR_LEVELS * sizeof(nr[0]));
	for (size_t i = 0; i < answer->nr_records; i++) {
		const struct ptaudit_table *r = &answer->records[i];
		uint64_t end_of_table = r->start + expect_reach(r->level);
		bool holds = r->present || r->leaves || r->swap || r->unwalked;

		if (r->type != PTAUDIT_TABLE || r->level == PTAUDIT_PGD ||
		    (r->start >= start && end_of_table <= end))
			continue;
		for (size_t j = i + 1; j < answer->nr_records && !holds; j++) {
			const struct ptaudit_table *below = &answer->records[j];

			if (below->start >= end_of_table)
				break;
			holds = below->present || below->leaves || below->swap;
		}
		nr[r->level] += !holds;
	}
}
