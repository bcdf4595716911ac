// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tables that contain a walk's cursor: open them, record their entries, and
 * close them.  Must not take locks, nor read PTE tables.
 */
#include "walk_state.h"

#include <linux/lockdep.h>
#include <linux/mm.h>

#include "arch/arch.h"
#include "compat.h"
#include "debug.h"
#include "entry.h"
#include "level.h"
#include "vma.h"

/**
 * pta_visit_entry() - Count an entry of an upper table and record its address.
 * @walk: the walk
 * @level: level of the table, which is open
 * @index: index of the entry
 * @kind: kind of the entry
 * @vma: a VMA that the entry maps; NULL if there is none
 *
 * Return: 0; -ENOSPC no record is left.
 */
int pta_visit_entry(struct pta_walk_state *walk, unsigned int level,
		    unsigned int index, enum ptaudit_kind kind,
		    const struct vm_area_struct *vma)
{
	struct pta_open_table *open = &walk->open[level];
	unsigned long start;
	u8 flags = 0;

	open->next = index + 1;
	if (kind == PTAUDIT_K_NONE) {
		open->run = NULL;
		return 0;
	}
	pta_count_entry(open->table, kind);
	if (kind == PTAUDIT_K_LEAF)
		walk->counts->leaves[level]++;
	if (kind == PTAUDIT_K_LEAF && vma && vma->vm_flags & VM_PFNMAP) {
		open->table->pfnmap++;
		flags = PTAUDIT_T_PFNMAP;
	}
	if (!walk->store)
		return 0;
	/* addresses of the kernel half are sign-extended */
	start = open->start + index * pta_entry_reach(level);
	if (index >= pta_user_entries(level))
		start = pta_table_start(pta_level_below(level), walk->cursor);
	return pta_store_run(walk->store, &open->run, open->table, start, kind,
			     flags);
}

/* Record the empty entries up to @behind; return 0 if there is none. */
static unsigned int pass_none(struct pta_walk_state *walk, unsigned int level,
			      unsigned int behind)
{
	struct pta_open_table *open = &walk->open[level];
	unsigned int from = open->next;

	open->next = pta_none_behind(level, open->entries, from, behind);
	if (open->next > from)
		open->run = NULL;
	walk->looked_at += open->next - from;
	return open->next - from;
}

/**
 * pta_assert_open_held() - Assert the locks that protect an open table.
 * @walk: the walk
 * @level: level of the table
 */
void pta_assert_open_held(const struct pta_walk_state *walk, unsigned int level)
{
	pta_assert_pinned();
	if (walk->extra_flags & PTAUDIT_T_LDT)
		pta_ldt_assert_held(walk->mm);
	else
		lockdep_assert_held(&walk->mm->mmap_lock);
	pta_assert_mapping_held(walk->open[level].mapping);
}

/**
 * pta_visit_uncovered() - Count the entries outside all VMAs.
 * @walk: the walk
 * @level: level of the table, which is open
 * @index: the first entry that a VMA covers; visits the unvisited entries
 *	before it
 *
 * Return: 0; -ENOSPC no record is left.
 */
int pta_visit_uncovered(struct pta_walk_state *walk, unsigned int level,
			unsigned int index)
{
	struct pta_open_table *open = &walk->open[level];
	int err = 0;

	if (!walk->store)
		return 0;
	pta_assert_open_held(walk, level);
	pta_assert_reached(walk, level);
	while (open->next < index && !err) {
		struct pta_entry entry;

		if (pass_none(walk, level, index))
			continue;
		entry = pta_read_entry(level, open->entries, open->next);
		if (entry.kind != PTAUDIT_K_NONE)
			entry.kind = PTAUDIT_K_UNWALKED;
		err = pta_visit_entry(walk, level, open->next, entry.kind,
				      NULL);
		walk->looked_at++;
	}
	return err;
}

/**
 * pta_visit_none() - Move the cursor over empty entries.
 * @walk: the walk; its cursor is at an unvisited entry
 * @level: level of the table, which is open
 * @end: end of the VMA
 *
 * Moves at most to the end of the table.  An entry that is not empty was only
 * tested; it is read again, and only that reading counts.
 *
 * Return: whether the cursor has moved.
 */
bool pta_visit_none(struct pta_walk_state *walk, unsigned int level,
		    unsigned long end)
{
	unsigned long reach = pta_entry_reach(level);
	unsigned int behind = pta_entry_behind(level, walk->cursor, end);
	unsigned int nr;

	walk->open[level].next = pta_entry_index(level, walk->cursor);
	nr = pass_none(walk, level, behind);
	if (nr)
		walk->cursor = (walk->cursor & ~(reach - 1)) + nr * reach;
	return nr > 0;
}

/**
 * pta_close_tables() - Close every table that does not map the cursor.
 * @walk: the walk
 * @all: close all tables, because the walk is complete
 *
 * The entries behind the last VMA of a table must be read in the hold in which
 * that VMA was seen. This is ensured: the lock is never dropped between the
 * last entry that a VMA covers and this function.  A table that was not reached
 * in this hold is closed without reading it.
 *
 * Return: 0; -ENOSPC no record is left.
 */
int pta_close_tables(struct pta_walk_state *walk, bool all)
{
	unsigned int level;
	int err = 0;

	for (level = PTAUDIT_PMD; level < PTAUDIT_NR_LEVELS && !err; level++) {
		struct pta_open_table *open = &walk->open[level];
		unsigned int last = pta_user_entries(level);

		if (!open->table)
			continue;
		if (!all && open->start == pta_table_start(level, walk->cursor))
			break;
		if (open->table->flags & PTAUDIT_T_PARTIAL &&
		    walk->end - open->start < last * pta_entry_reach(level))
			last = pta_entry_index(level, walk->end - 1) + 1;
		if (open->hold == walk->hold)
			err = pta_visit_uncovered(walk, level, last);
		if (level != PTAUDIT_PGD)
			open->table = NULL;
	}
	return err;
}

/**
 * pta_open_table() - Create the record of a table that is reached for the first time.
 * @walk: the walk; its cursor is in the table's reach
 * @level: level of the table
 * @entries: the table
 * @pfn: page frame of the table
 * @vma: VMA through which it was reached; NULL for the PGD and the LDT's tables
 *
 * Context: mmap_lock held, interrupts on.
 *
 * Return: 0; -ENOSPC no record is left; -EOVERFLOW as pta_store_deposits().
 */
int pta_open_table(struct pta_walk_state *walk, unsigned int level,
		   void *entries, unsigned long pfn, struct vm_area_struct *vma)
{
	struct pta_open_table *open = &walk->open[level];
	struct ptaudit_table *table = &open->scratch;
	unsigned long start = pta_table_start(level, walk->cursor);
	unsigned long reach = pta_entry_reach(level) * pta_level_entries(level);

	memset(table, 0, sizeof(*table));
	if (walk->store)
		table = pta_store_add(walk->store);
	if (!table)
		return -ENOSPC;

	table->start = start;
	table->pfn = pfn;
	table->level = level;
	table->type = PTAUDIT_TABLE;
	table->flags = walk->extra_flags;
	table->node = page_to_nid(pfn_to_page(pfn));
	table->pages = level == PTAUDIT_PGD && pta_pti() ? 2 : 1;
	if (level == PTAUDIT_PGD)
		reach = pta_user_end();
	if (start < walk->request->start || walk->end - start < reach)
		table->flags |= PTAUDIT_T_PARTIAL;
	if (vma && is_vm_hugetlb_page(vma) && level == PTAUDIT_PMD) {
		table->flags |= PTAUDIT_T_HUGETLB;
		table->sharers = pta_pmd_sharers(pfn_to_page(pfn));
	}
	walk->counts->tables[level]++;

	open->entries = entries;
	open->table = table;
	open->run = NULL;
	open->start = start;
	open->next = 0;
	if (start < walk->request->start)
		open->next = pta_entry_index(level, walk->request->start);
	if (level == (PTA_DEPOSITS_PER_TABLE ? PTAUDIT_PMD : PTAUDIT_PGD)) {
		unsigned int nr = pta_count_deposits(walk->mm, entries);

		walk->counts->deposited += nr;
		walk->looked_at += nr * PTA_MISS_ENTRIES;
		if (walk->store)
			return pta_store_deposits(table, nr);
	}
	return 0;
}
