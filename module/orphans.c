// SPDX-License-Identifier: GPL-2.0-only
/*
 * Follow every entry of the user half of an mm's PGD, whether a VMA covers it
 * or not. This finds tables that the walk by VMAs cannot reach, and tables that
 * it skips by mistake.  So this walk has its own code for moving from entry to
 * entry, except for the LDT's tables.  Both walks read and record single entries
 * by the same functions.  VMAs are only used to find the lock for a PMD table
 * and the flags of records.  Must not write to tables, cause page faults, or
 * allocate under a lock.  LOCKING.md describes the locking.
 */
#include "walk.h"

#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "arch/arch.h"
#include "compat.h"
#include "debug.h"
#include "entry.h"
#include "level.h"
#include "target.h"
#include "vma.h"

/*
 * Budget of one hold in entries, excluding its last PTE table.  Smaller than
 * for the shared lock, because page faults wait for this one.
 */
#define HOLD_ENTRIES 16384U

/*
 * Records that one hold may need.  On average, each of them costs the look-up of a
 * VMA or more.  The last step may add a table of each level, and a run in it.
 */
#define HOLD_RECORDS (HOLD_ENTRIES / PTA_MISS_ENTRIES + 2 * PTAUDIT_NR_LEVELS)

/**
 * struct level - the table of a level that contains the cursor
 * @record: record of the table, NULL before the first one
 * @run: record of the run that contains the entry before @next, or NULL
 * @next: first entry that was not recorded yet
 */
struct level {
	struct ptaudit_table *record;
	struct ptaudit_table *run;
	unsigned int next;
};

struct orphans {
	struct mm_struct *mm;
	const struct pta_request *request;
	struct pta_store *store;
	struct level levels[PTAUDIT_NR_LEVELS];
	unsigned long cursor;
	struct file *busy; /* file whose i_mmap_rwsem was contended */
	unsigned int looked_at; /* cost of this hold so far, in entries */
};

/* Return the first VMA in the requested part of a table's reach. */
static struct vm_area_struct *vma_of(struct orphans *walk, unsigned long start,
				     unsigned long reach)
{
	unsigned long first = max(start, walk->request->start);
	unsigned long behind = walk->request->end;

	walk->looked_at += PTA_MISS_ENTRIES;
	if (behind - start > reach)
		behind = start + reach;
	return pta_first_vma(walk->mm, first, behind);
}

/* Is the budget used up, or is the lock or this CPU wanted by others? */
static bool orphans_spent(const struct orphans *walk)
{
	return walk->looked_at >= HOLD_ENTRIES ||
	       pta_holder_is_contended(walk->mm) || need_resched();
}

static void leave_entry(struct orphans *walk, unsigned int level)
{
	walk->cursor = (walk->cursor | (pta_entry_reach(level) - 1)) + 1;
}

/* Record the cursor's table. If it is recorded, note a change of its PFN. */
static int enter_table(struct orphans *walk, unsigned int level, void *entries,
		       unsigned long pfn)
{
	unsigned long start = pta_table_start(level, walk->cursor);
	unsigned long reach = level == PTAUDIT_PGD ?
				      pta_user_end() :
				      pta_entry_reach(level) *
					      pta_level_entries(level);
	struct level *in = &walk->levels[level];
	struct ptaudit_table *record = in->record;
	struct vm_area_struct *vma;

	if (record && record->start == start) {
		if (record->pfn != pfn)
			record->flags |= PTAUDIT_T_MOVED;
		return 0;
	}
	record = pta_store_add(walk->store);
	if (!record)
		return -ENOSPC;
	in->record = record;
	in->run = NULL;
	in->next = 0;
	record->start = start;
	record->pfn = pfn;
	record->level = level;
	record->type = PTAUDIT_TABLE;
	record->node = page_to_nid(pfn_to_page(pfn));
	record->pages = level == PTAUDIT_PGD && pta_pti() ? 2 : 1;
	if (start < walk->request->start || walk->request->end - start < reach)
		record->flags |= PTAUDIT_T_PARTIAL;
	vma = vma_of(walk, start, reach);
	if (!vma && level != PTAUDIT_PGD)
		record->flags |= PTAUDIT_T_OUTSIDE;
	if (vma && level == PTAUDIT_PMD && is_vm_hugetlb_page(vma)) {
		record->flags |= PTAUDIT_T_HUGETLB;
		record->sharers = pta_pmd_sharers(pfn_to_page(pfn));
	}
	if (level == (PTA_DEPOSITS_PER_TABLE ? PTAUDIT_PMD : PTAUDIT_PGD)) {
		unsigned int nr = pta_count_deposits(walk->mm, entries);

		walk->looked_at += nr * PTA_MISS_ENTRIES;
		return pta_store_deposits(record, nr);
	}
	return 0;
}

/* Count the cursor's entry of an upper table, and record its address. */
static int note_entry(struct orphans *walk, unsigned int level,
		      enum ptaudit_kind kind)
{
	unsigned long start = walk->cursor & ~(pta_entry_reach(level) - 1);
	struct level *in = &walk->levels[level];
	u8 flags = 0;

	in->next = pta_entry_index(level, start) + 1;
	if (kind == PTAUDIT_K_NONE) {
		in->run = NULL;
		return 0;
	}
	if (kind == PTAUDIT_K_LEAF) {
		struct vm_area_struct *vma = vma_of(walk, start,
						    pta_entry_reach(level));

		if (vma && vma->vm_flags & VM_PFNMAP)
			flags = PTAUDIT_T_PFNMAP;
	}
	pta_count_entry(in->record, kind);
	if (flags)
		in->record->pfnmap++;
	return pta_store_run(walk->store, &in->run, in->record, start, kind,
			     flags);
}

/* Read the cursor's PMD entry and the PTE table that it may point to. */
static int orphans_pmd(struct orphans *walk, const void *entries,
		       struct address_space *mapping)
{
	DECLARE_BITMAP(pfnmap, PTRS_PER_PTE);
	struct ptaudit_table ptes = { .type = PTAUDIT_TABLE, .pages = 1 };
	struct ptaudit_table *record;
	struct pta_entry entry;
	unsigned long flags;
	int err;

	pta_assert_mapping_held(mapping);
	ptes.start = walk->cursor & PMD_MASK;
	bitmap_zero(pfnmap, PTRS_PER_PTE);
	walk->looked_at += PTA_MISS_ENTRIES * pta_mark_pages(walk->mm,
							     ptes.start,
							     VM_PFNMAP, pfnmap);
	if (!vma_of(walk, ptes.start, PMD_SIZE))
		ptes.flags = PTAUDIT_T_OUTSIDE;

	/*
	 * The table must not be freed between reading the PMD entry and the
	 * last PTE; this covers the cases that mmap_lock does not.
	 */
	local_irq_save(flags);
	entry = pta_read_entry(PTAUDIT_PMD, entries,
			       pta_entry_index(PTAUDIT_PMD, walk->cursor));
	if (entry.kind == PTAUDIT_K_CHILD) {
		pta_count_ptes(&ptes, &entry, pfnmap);
		ptes.pfn = entry.pfn;
		ptes.node = page_to_nid(pfn_to_page(entry.pfn));
		walk->looked_at += PTRS_PER_PTE;
	}
	local_irq_restore(flags);

	walk->looked_at++;
	err = note_entry(walk, PTAUDIT_PMD, entry.kind);
	if (err || entry.kind != PTAUDIT_K_CHILD)
		return err;
	record = pta_store_add(walk->store);
	if (!record)
		return -ENOSPC;
	*record = ptes;
	return 0;
}

/*
 * Descend from the PGD to the lowest entry at the cursor, and continue with its
 * neighbours in the same PMD table.
 *
 * Context: mmap_lock held for writing; i_mmap_rwsem of @mapping held, if other
 * mms may share the PMD table.
 */
static int descend(struct orphans *walk, struct address_space *mapping)
{
	void *entries = walk->mm->pgd;
	unsigned long pfn = PHYS_PFN(__pa(entries));
	unsigned int level = PTAUDIT_PGD;
	int err;

	pta_assert_pinned();
	lockdep_assert_held_write(&walk->mm->mmap_lock);
	pta_assert_mapping_held(mapping);
	for (;; level = pta_level_below(level)) {
		unsigned int index = pta_entry_index(level, walk->cursor);
		struct level *in = &walk->levels[level];
		struct pta_entry entry;

		err = enter_table(walk, level, entries, pfn);
		if (err)
			return err;
		if (level == PTAUDIT_PMD)
			break;
		entry = pta_read_entry(level, entries, index);
		walk->looked_at++;
		if (in->next <= index)
			err = note_entry(walk, level, entry.kind);
		else if (entry.kind != PTAUDIT_K_CHILD)
			/* in an earlier hold it pointed to a table */
			in->record->flags |= PTAUDIT_T_MOVED;
		if (err)
			return err;
		if (entry.kind != PTAUDIT_K_CHILD) {
			leave_entry(walk, level);
			return 0;
		}
		entries = entry.entries;
		pfn = entry.pfn;
	}

	do {
		err = orphans_pmd(walk, entries, mapping);
		leave_entry(walk, PTAUDIT_PMD);
	} while (!err && walk->cursor < walk->request->end &&
		 pta_entry_index(PTAUDIT_PMD, walk->cursor) &&
		 !orphans_spent(walk));
	return err;
}

/*
 * A hugetlb PMD table can be unshared under i_mmap_rwsem alone, by another
 * process. It is only shared if one VMA covers its whole reach, so the first
 * VMA there identifies the file.  If the file's lock is contended, make no step
 * and end the hold: see pta_mapping_wait().
 */
static int orphans_step(struct orphans *walk)
{
	unsigned long start = pta_table_start(PTAUDIT_PMD, walk->cursor);
	struct vm_area_struct *vma = pta_first_vma(walk->mm, start,
						   start + PUD_SIZE);
	struct address_space *mapping = pta_shareable_mapping(vma);
	int err;

	if (!pta_mapping_trylock(mapping)) {
		walk->busy = get_file(vma->vm_file);
		return 0;
	}
	walk->looked_at += PTA_MISS_ENTRIES; /* for the look-up of @vma */
	err = descend(walk, mapping);
	pta_mapping_unlock(mapping);
	return err;
}

/* One hold of mmap_lock: 1 the walk is complete; 0 it continues; -errno. */
static int orphans_hold(struct orphans *walk, struct ptaudit_header *header)
{
	u64 before;
	int err;

	/* mmap_write_lock_killable() checks for signals only when it has to wait */
	if (fatal_signal_pending(current))
		return -EINTR;
	err = pta_store_reserve(walk->store, HOLD_RECORDS);
	if (err)
		return err;
	err = pta_pin(walk->mm);
	if (err)
		return err;
	err = mmap_write_lock_killable(walk->mm);
	if (!err) {
		before = ktime_get_ns();
		walk->looked_at = 0;
		do
			err = orphans_step(walk);
		while (!err && !walk->busy &&
		       walk->cursor < walk->request->end &&
		       !orphans_spent(walk));
		mmap_write_unlock(walk->mm);
		header->hold_ns_max = max(header->hold_ns_max,
					  ktime_get_ns() - before);
		header->lock_windows++;
	}
	pta_unpin(walk->mm);
	if (walk->busy) {
		err = pta_mapping_wait(walk->busy);
		walk->busy = NULL;
	}
	cond_resched();
	if (err)
		return err;
	return walk->cursor >= walk->request->end;
}

/**
 * pta_orphans() - Count all tables of the user half of an mm.
 * @mm: as in pta_walk()
 * @request: what to walk
 * @header: (in, out) as in pta_walk()
 * @counts: (out) only the LDT's tables are added
 * @store: (out) records in the order defined in ptaudit_abi.h
 *
 * Context: may sleep; takes mmap_lock for writing, for at most HOLD_ENTRIES
 * entries and one PTE table at a time (LOCKING.md, "How long a hold is").  The
 * target may run: each record is valid at some moment of the walk.
 *
 * Return: 0; -ESRCH the address space is gone; -errno as in ptaudit_abi.h.
 */
int pta_orphans(struct mm_struct *mm, const struct pta_request *request,
		struct ptaudit_header *header, struct pta_counts *counts,
		struct pta_store *store)
{
	struct orphans *walk = kzalloc(sizeof(*walk), GFP_KERNEL);
	int ret;

	if (!walk)
		return -ENOMEM;
	walk->mm = mm;
	walk->request = request;
	walk->store = store;
	walk->cursor = request->start;

	do
		ret = orphans_hold(walk, header);
	while (!ret);
	if (ret > 0)
		ret = pta_walk_ldt(mm, request, counts, store,
				   walk->levels[PTAUDIT_PGD].record);
	kfree(walk);
	return ret;
}
