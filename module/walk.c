// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walk the page tables of an mm, VMA by VMA, and count.  Must not write to
 * tables, cause page faults, or allocate under a lock.  LOCKING.md describes
 * the locking.
 *
 * A cursor ascends through the addresses that VMAs cover.  Each entry of each
 * table is counted once, as one reading of it shows it, in the order of
 * addresses.  Entries at the cursor are also followed; entries outside all VMAs
 * are only counted ("unwalked").  A table is open from its first entry to its
 * last; the lock may be dropped in between.
 */
#include "walk.h"

#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "arch/arch.h"
#include "compat.h"
#include "debug.h"
#include "entry.h"
#include "level.h"
#include "target.h"
#include "walk_state.h"
#include "vma.h"

/* Budget of one hold of mmap_lock in entries, excluding its last step. */
#define HOLD_ENTRIES 65536U

/*
 * Records that one step of the cursor may need: in each upper table one run for
 * every second entry, before and after the cursor.
 */
#define STEP_RECORDS (2 * (PTAUDIT_NR_LEVELS - 1) * (PTRS_PER_PTE / 2 + 2))
#define HOLD_RECORDS (STEP_RECORDS + 512)

/*
 * Is the budget used up, or is the lock or this CPU wanted by others?  A hold
 * makes at least one step: otherwise a reader might never make progress.
 */
static bool is_spent(const struct pta_walk_state *walk)
{
	if (walk->looked_at >= HOLD_ENTRIES)
		return true;
	if (walk->store && walk->store->nr_free < STEP_RECORDS)
		return true;
	return walk->looked_at &&
	       (mmap_lock_is_contended(walk->mm) || need_resched());
}

/* Is the PTE table's reach in one VMA that is not a PFN mapping?  Most are. */
static bool is_plain(const struct vm_area_struct *vma, unsigned long start)
{
	return !(vma->vm_flags & VM_PFNMAP) && vma->vm_start <= start &&
	       vma->vm_end >= start + PMD_SIZE;
}

/*
 * Read the PMD entry at the cursor, and count the pages that it maps.  The
 * struct pages are read with interrupts on, because 512 of them cause as many
 * cache misses.
 */
static struct pta_entry read_pmd_pages(struct pta_walk_state *walk,
				       struct vm_area_struct *vma,
				       unsigned int index)
{
	struct pta_open_table *open = &walk->open[PTAUDIT_PMD];
	unsigned long start = walk->cursor & PMD_MASK;
	struct pta_pages *pages = walk->request->pages;
	DECLARE_BITMAP(covered, PTRS_PER_PTE);
	struct pta_entry entry;
	unsigned long flags;
	unsigned int nr;

	bitmap_zero(covered, PTRS_PER_PTE);
	nr = pta_mark_pages(walk->mm, start, 0, covered);

	/* protects the struct pages: see LOCKING.md, "Pages" */
	rcu_read_lock();
	/* protects the PTE table, as in read_pmd() */
	local_irq_save(flags);
	entry = pta_read_entry(PTAUDIT_PMD, open->entries, index);
	if (entry.kind == PTAUDIT_K_CHILD)
		pta_pages_copy(pages, &entry);
	local_irq_restore(flags);
	if (entry.kind == PTAUDIT_K_CHILD) {
		nr += pta_pages_ptes(pages, start, &entry, covered);
		walk->looked_at += PTRS_PER_PTE;
	} else {
		nr += pta_pages_upper(pages, vma, PTAUDIT_PMD, start, &entry,
				      open->entries);
	}
	rcu_read_unlock();
	walk->looked_at += nr * PTA_MISS_ENTRIES;
	return entry;
}

/*
 * Read the PMD entry at the cursor and, if records are kept, the PTE table that it may
 * point to: fill in its record.
 */
static struct pta_entry read_pmd(struct pta_walk_state *walk,
				 struct vm_area_struct *vma, unsigned int index,
				 struct ptaudit_table *ptes)
{
	struct pta_open_table *open = &walk->open[PTAUDIT_PMD];
	const unsigned long *pfnmap = NULL;
	DECLARE_BITMAP(marked, PTRS_PER_PTE);
	struct pta_entry entry;
	unsigned long flags;

	if (walk->store && vma && !is_plain(vma, ptes->start)) {
		bitmap_zero(marked, PTRS_PER_PTE);
		walk->looked_at += PTA_MISS_ENTRIES *
				   pta_mark_pages(walk->mm, ptes->start,
						  VM_PFNMAP, marked);
		pfnmap = marked;
	}

	/*
	 * The table must not be freed between reading the PMD entry and the
	 * last PTE; this covers the cases that mmap_lock does not.
	 */
	local_irq_save(flags);
	entry = pta_read_entry(PTAUDIT_PMD, open->entries, index);
	if (walk->store && entry.kind == PTAUDIT_K_CHILD) {
		pta_count_ptes(ptes, &entry, pfnmap);
		ptes->pfn = entry.pfn;
		ptes->node = page_to_nid(pfn_to_page(entry.pfn));
		walk->looked_at += PTRS_PER_PTE;
	}
	local_irq_restore(flags);
	return entry;
}

/*
 * Visit the PMD entry at the cursor.  Re-read it: pta_none_behind() found it
 * populated, but read it with interrupts on.
 */
static int visit_pmd(struct pta_walk_state *walk, struct vm_area_struct *vma)
{
	unsigned int index = pta_entry_index(PTAUDIT_PMD, walk->cursor);
	struct ptaudit_table ptes = { .type = PTAUDIT_TABLE,
				      .start = walk->cursor & PMD_MASK,
				      .flags = walk->extra_flags,
				      .pages = 1 };
	struct ptaudit_table *table;
	struct pta_entry entry;
	int err;

	pta_assert_open_held(walk, PTAUDIT_PMD);
	entry = walk->counts_pages ? read_pmd_pages(walk, vma, index) :
				     read_pmd(walk, vma, index, &ptes);
	walk->looked_at++;
	err = pta_visit_entry(walk, PTAUDIT_PMD, index, entry.kind, vma);
	if (err || entry.kind != PTAUDIT_K_CHILD)
		return err;
	walk->counts->tables[PTAUDIT_PTE]++;
	if (!walk->store)
		return 0;
	table = pta_store_add(walk->store);
	if (!table)
		return -ENOSPC;
	*table = ptes;
	return 0;
}

static void walk_advance(struct pta_walk_state *walk, unsigned int level)
{
	walk->cursor = (walk->cursor | (pta_entry_reach(level) - 1)) + 1;
}

/* Does the cursor's table have more entries, and may this hold go on? */
static bool goes_on(const struct pta_walk_state *walk, unsigned int level,
		    unsigned long step_end)
{
	return walk->cursor < step_end &&
	       pta_entry_index(level, walk->cursor) && !is_spent(walk);
}

/* Visit the entries of a PMD table from the cursor on. */
static int visit_pmds(struct pta_walk_state *walk, struct vm_area_struct *vma,
		      unsigned long step_end)
{
	int err = 0;

	do {
		if (pta_visit_none(walk, PTAUDIT_PMD, step_end))
			continue;
		err = visit_pmd(walk, vma);
		walk_advance(walk, PTAUDIT_PMD);
	} while (!err && goes_on(walk, PTAUDIT_PMD, step_end));
	return err;
}

/*
 * One step: descend from the PGD to the lowest entry at the cursor, and
 * continue with its neighbours in the same PMD table and VMA.
 *
 * Context: mmap_lock held for reading and @vma covers the cursor (or the LDT's
 * lock held, and @vma is NULL); i_mmap_rwsem of the file held if @vma may share
 * hugetlb PMD tables.
 */
static int walk_step(struct pta_walk_state *walk, struct vm_area_struct *vma,
		     unsigned long step_end)
{
	void *entries = walk->mm->pgd;
	unsigned long pfn = PHYS_PFN(__pa(entries));
	unsigned int level = PTAUDIT_PGD;
	int err;

	pta_assert_pinned();
	if (vma) {
		lockdep_assert_held(&walk->mm->mmap_lock);
		pta_assert_mapping_held(pta_shareable_mapping(vma));
	} else {
		pta_ldt_assert_held(walk->mm);
	}
	for (;; level = pta_level_below(level)) {
		struct pta_open_table *open = &walk->open[level];
		unsigned int index = pta_entry_index(level, walk->cursor);
		unsigned long reach = pta_entry_reach(level);
		struct pta_entry entry;

		if (!open->table) {
			err = pta_open_table(walk, level, entries, pfn, vma);
			if (err)
				return err;
		} else if (open->table->pfn != pfn) {
			open->table->flags |= PTAUDIT_T_MOVED;
		}
		open->entries = entries;
		open->hold = walk->hold;
		open->mapping = level == PTAUDIT_PMD ?
					pta_shareable_mapping(vma) :
					NULL;
		if (index < pta_user_entries(level))
			err = pta_visit_uncovered(walk, level, index);
		else
			err = 0;
		if (err)
			return err;
		if (level == PTAUDIT_PMD)
			break;

		/* a table below an entry that was visited may still be open */
		if (open->next <= index &&
		    pta_visit_none(walk, level, step_end)) {
			if (!goes_on(walk, level, step_end))
				return 0;
			index = pta_entry_index(level, walk->cursor);
		}
		/* protects the leaf's struct pages: LOCKING.md, "Pages" */
		rcu_read_lock();
		entry = pta_read_entry(level, entries, index);
		if (open->next <= index && walk->counts_pages)
			pta_pages_upper(walk->request->pages, vma, level,
					walk->cursor & ~(reach - 1), &entry,
					entries);
		rcu_read_unlock();
		walk->looked_at++;
		if (open->next <= index) {
			err = pta_visit_entry(walk, level, index, entry.kind,
					      vma);
			if (err)
				return err;
		} else if (entry.kind != PTAUDIT_K_CHILD) {
			/* in an earlier hold it pointed to a table */
			open->table->flags |= PTAUDIT_T_MOVED;
		}
		if (entry.kind != PTAUDIT_K_CHILD) {
			walk_advance(walk, level);
			return 0;
		}
		entries = entry.entries;
		pfn = entry.pfn;
	}

	return visit_pmds(walk, vma, step_end);
}

/*
 * Hugetlb PMD tables can be unshared under i_mmap_rwsem alone.  It is held for
 * one step, until the tables that the cursor has left were closed: see
 * leave_mapping().  If it is contended, make no step and end the hold: see
 * pta_mapping_wait().
 */
static int step_vma(struct pta_walk_state *walk, struct vm_area_struct *vma)
{
	struct address_space *mapping = pta_shareable_mapping(vma);

	if (!pta_mapping_trylock(mapping)) {
		walk->busy = get_file(vma->vm_file);
		return 0;
	}
	walk->mapping = mapping;
	walk->looked_at += PTA_MISS_ENTRIES; /* for the look-up of @vma */
	return walk_step(walk, vma, min(vma->vm_end, walk->end));
}

static void leave_mapping(struct pta_walk_state *walk)
{
	/*
	 * In 5.10 a PMD table may cover two VMAs of one file.  Its entries may
	 * be read again only after the next step has found it by its PUD entry.
	 */
	if (walk->mapping)
		walk->open[PTAUDIT_PMD].hold = 0;
	pta_mapping_unlock(walk->mapping);
	walk->mapping = NULL;
}

/*
 * Walk until the budget of this hold is used up.
 *
 * Context: mmap_lock held for reading.
 *
 * Return: 1 the walk is complete; 0 it continues in another hold; -errno.
 */
static int walk_hold(struct pta_walk_state *walk)
{
	struct vm_area_struct *vma = NULL;
	int err = 0;

	lockdep_assert_held(&walk->mm->mmap_lock);
	/* Every mm has a PGD, even if it maps nothing. */
	if (!walk->open[PTAUDIT_PGD].table) {
		err = pta_open_table(walk, PTAUDIT_PGD, walk->mm->pgd,
				     PHYS_PFN(__pa(walk->mm->pgd)), NULL);
		if (err)
			return err;
	}
	walk->open[PTAUDIT_PGD].hold = walk->hold;
	for (;;) {
		if (!vma || walk->cursor >= vma->vm_end)
			vma = walk->cursor < walk->end ?
				      find_vma(walk->mm, walk->cursor) :
				      NULL;
		if (!vma || walk->cursor >= walk->end ||
		    vma->vm_start >= walk->end)
			break;
		walk->cursor = max(walk->cursor, vma->vm_start);
		err = pta_close_tables(walk, false);
		leave_mapping(walk);
		if (err)
			return err;
		if (is_spent(walk))
			return 0;
		err = step_vma(walk, vma);
		if (walk->busy)
			return 0;
		if (err)
			break;
	}
	if (!err)
		err = pta_close_tables(walk, true);
	leave_mapping(walk);
	return err ? err : 1;
}

/* One hold of mmap_lock; allocates before it what it may need. */
static int walk_once(struct pta_walk_state *walk, struct ptaudit_header *header)
{
	u64 before;
	int ret;

	/* mmap_read_lock_killable() checks for signals only when it has to wait */
	if (fatal_signal_pending(current))
		return -EINTR;
	if (walk->store) {
		ret = pta_store_reserve(walk->store, HOLD_RECORDS);
		if (ret)
			return ret;
	}
	ret = pta_pin(walk->mm);
	if (ret)
		return ret;
	ret = mmap_read_lock_killable(walk->mm);
	if (!ret) {
		before = ktime_get_ns();
		walk->hold++;
		walk->looked_at = 0;
		ret = walk_hold(walk);
		mmap_read_unlock(walk->mm);
		header->hold_ns_max = max(header->hold_ns_max,
					  ktime_get_ns() - before);
		header->lock_windows++;
	}
	pta_unpin(walk->mm);
	if (walk->busy) {
		ret = pta_mapping_wait(walk->busy);
		walk->busy = NULL;
	}
	cond_resched();
	return ret;
}

/**
 * pta_walk_ldt() - Count the tables that map the LDT.
 * @mm: as in pta_walk()
 * @request: as in pta_walk(); must reach the end of the user half to include
 *	them
 * @counts: (in, out) the tables are added
 * @store: (in, out) their records are added behind those of the user half; or
 *	NULL
 * @pgd: (in, out) record of the PGD, if records are kept
 *
 * They are in the PGD's kernel half, but belong to the mm and to its counter.
 * modify_ldt() creates them, and they are freed with the mm.
 *
 * Context: may sleep; takes no mmap_lock.
 *
 * Return: 0; -ESRCH the address space is gone; -errno as in ptaudit_abi.h.
 */
int pta_walk_ldt(struct mm_struct *mm, const struct pta_request *request,
		 struct pta_counts *counts, struct pta_store *store,
		 struct ptaudit_table *pgd)
{
	struct pta_open_table *open;
	struct pta_walk_state *walk;
	int err;

	if (!pta_pti() || !PTA_LDT_BASE || request->end != pta_user_end())
		return 0;
	walk = kzalloc(sizeof(*walk), GFP_KERNEL);
	if (!walk)
		return -ENOMEM;
	walk->mm = mm;
	walk->request = request;
	walk->counts = counts;
	walk->store = store;
	/* the pages that they map are not counted: no VMA covers them */
	walk->counts_pages = false;
	walk->cursor = PTA_LDT_BASE;
	walk->end = PTA_LDT_BASE + PGDIR_SIZE;
	walk->extra_flags = PTAUDIT_T_LDT;
	/* the user half of the PGD was visited, and nothing above it */
	open = &walk->open[PTAUDIT_PGD];
	open->table = store ? pgd : &open->scratch;
	open->table->pfn = PHYS_PFN(__pa(mm->pgd));
	open->next = pta_user_entries(PTAUDIT_PGD);
	walk->hold = 1;

	err = store ? pta_store_reserve(store, HOLD_RECORDS) : 0;
	if (!err)
		err = pta_pin(mm);
	if (err)
		goto out;
	err = pta_ldt_lock(mm);
	if (!err) {
		err = walk_step(walk, NULL, PTA_LDT_BASE + PMD_SIZE);
		if (!err)
			err = pta_close_tables(walk, true);
		pta_ldt_unlock(mm);
	}
	pta_unpin(mm);
out:
	kfree(walk);
	return err;
}

/**
 * pta_walk() - Count the tables of an mm.
 * @mm: held by mmgrab(); its address space is pinned only while mmap_lock is
 *	held, so that the target can exit in between
 * @request: what to walk
 * @header: (in, out) updates the number and the duration of holds
 * @counts: (out) zeroed by the caller
 * @store: (out) records in the order defined in ptaudit_abi.h; NULL if no
 *	records are kept, see pta_keeps_records()
 *
 * Context: may sleep; takes mmap_lock for reading, for at most HOLD_ENTRIES
 * entries and one step at a time (LOCKING.md, "How long a hold is").  The
 * target may run: each record is valid at some moment of the walk; all records
 * together are consistent only if nothing changed.
 *
 * Return: 0; -ESRCH the address space is gone; -errno as in ptaudit_abi.h.
 */
int pta_walk(struct mm_struct *mm, const struct pta_request *request,
	     struct ptaudit_header *header, struct pta_counts *counts,
	     struct pta_store *store)
{
	struct pta_walk_state *walk = kzalloc(sizeof(*walk), GFP_KERNEL);
	int ret;

	if (!walk)
		return -ENOMEM;
	walk->mm = mm;
	walk->request = request;
	walk->counts = counts;
	walk->store = store;
	walk->counts_pages = request->answer == PTA_PAGES;
	walk->cursor = request->start;
	walk->end = request->end;

	do
		ret = walk_once(walk, header);
	while (!ret);
	if (ret > 0)
		ret = pta_walk_ldt(mm, request, counts, store,
				   walk->open[PTAUDIT_PGD].table);
	kfree(walk);
	return ret;
}
