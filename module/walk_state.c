// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tables that a walk is in: opens them, notes what their entries are, and
 * closes them.  Knows nothing of holds and takes no lock; looks into no PTE
 * table.
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
 * pta_visit_entry() - Count an entry of an upper table, and note where it is.
 * @walk: the walk
 * @level: of the table, which is open
 * @index: of the entry
 * @kind: what it is
 * @flags: PTAUDIT_T_* of the run that it belongs to
 *
 * Return: 0; -ENOSPC no record is left.
 */
int pta_visit_entry(struct pta_walk_state *walk, unsigned int level,
		    unsigned int index, enum ptaudit_kind kind, u8 flags)
{
	struct pta_open_table *open = &walk->open[level];
	unsigned long start;

	open->next = index + 1;
	if (kind == PTAUDIT_K_NONE) {
		open->run = NULL;
		return 0;
	}
	pta_count_entry(open->table, kind);
	if (flags & PTAUDIT_T_PFNMAP)
		open->table->pfnmap++;
	if (kind == PTAUDIT_K_LEAF)
		walk->counts->leaves[level]++;
	if (!walk->store)
		return 0;
	/* the kernel half's addresses are the sign-extended ones */
	start = open->start + index * pta_entry_reach(level);
	if (index >= pta_user_entries(level))
		start = pta_table_start(pta_level_below(level), walk->cursor);
	return pta_store_run(walk->store, &open->run, open->table, start, kind,
			     flags);
}

/* Notes the entries up to @behind that hold nothing; 0 if the next one does. */
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
 * pta_assert_open_held() - Assert the locks that an open table is read under.
 * @walk: the walk
 * @level: of the table
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
 * pta_visit_uncovered() - Look at the entries that no VMA covers.
 * @walk: the walk
 * @level: of the table, which is open
 * @index: the first one that a VMA covers; they are those before it that were
 *	not visited yet
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
		err = pta_visit_entry(walk, level, open->next, entry.kind, 0);
		walk->looked_at++;
	}
	return err;
}

/**
 * pta_visit_none() - Move the cursor over entries that hold nothing.
 * @walk: the walk; its cursor is at an entry that was not visited yet
 * @level: of the table, which is open
 * @end: end of the VMA
 *
 * At most to the end of the table.  An entry that holds something was only
 * looked at; it is read again, and it is that reading that counts.
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
 * pta_close_tables() - The cursor leaves every table that does not map it.
 * @walk: the walk
 * @all: leave all, the walk is complete
 *
 * The entries behind the last VMA of such a table can be read only in the hold
 * in which that VMA was seen, and are: the lock is never dropped between the
 * last entry of a table and here.
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
 * pta_open_table() - A table is reached for the first time: give it a record.
 * @walk: the walk, with its cursor in the table's reach
 * @level: of the table
 * @entries: the table
 * @pfn: its page frame
 * @vma: through which it was reached; NULL for the PGD and the LDT's tables
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
