// SPDX-License-Identifier: GPL-2.0-only
/* Assertions that need lockdep; compiled only with CONFIG_LOCKDEP. */
#include "debug.h"

#include <linux/bug.h>
#include <linux/irqflags.h>
#include <linux/lockdep.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>

#include "entry.h"
#include "level.h"
#include "walk_state.h"

/* Represents a pinned address space, so that lockdep tracks pins like locks. */
static struct lockdep_map pin_map = STATIC_LOCKDEP_MAP_INIT("pta_pin",
							    &pin_map);

/**
 * pta_section_now() - Get the sections that the caller is in.
 */
struct pta_section pta_section_now(void)
{
	struct pta_section section = {
		.is_rcu = rcu_read_lock_held(),
	};

#ifdef CONFIG_TRACE_IRQFLAGS
	if (irqs_disabled())
		section.irq = current->irqtrace.hardirq_disable_event;
#endif
	return section;
}

/**
 * pta_assert_same_section() - Assert that interrupts stayed off.
 * @pmd: the entry that points to the PTE table that is about to be read
 *
 * If interrupts were on in between, the kernel may have freed the table: by RCU, or
 * after this CPU handled an interrupt.
 */
void pta_assert_same_section(const struct pta_entry *pmd)
{
	lockdep_assert_irqs_disabled();
	WARN_ON_ONCE(pmd->section.irq != pta_section_now().irq);
}

/**
 * pta_assert_read_in_rcu() - Assert that an entry's struct pages are protected.
 * @entry: the entry, read in the RCU section
 */
void pta_assert_read_in_rcu(const struct pta_entry *entry)
{
	RCU_LOCKDEP_WARN(!entry->section.is_rcu || !rcu_read_lock_held(),
			 "the struct pages may be removed");
}

/**
 * pta_assert_reached() - Assert that the upper entries still lead to a table.
 * @walk: the walk
 * @level: level of the table, which is open
 *
 * A pointer that was read before the lock was dropped must not be used.
 */
void pta_assert_reached(const struct pta_walk_state *walk, unsigned int level)
{
	const struct pta_open_table *open = &walk->open[level];
	void *entries = walk->mm->pgd;
	unsigned int at = PTAUDIT_PGD;

	for (; at != level && entries; at = pta_level_below(at))
		entries = pta_read_entry(at, entries,
					 pta_entry_index(at, open->start))
				  .entries;
	WARN_ON_ONCE(entries != open->entries);
}

/**
 * pta_note_pin() - Tell lockdep about a pin, as a lock taken outside mmap_lock.
 *
 * lockdep reports a pin that is still held at the end of the system call.
 */
void pta_note_pin(void)
{
	lock_map_acquire_read(&pin_map);
}

/**
 * pta_note_unpin() - Undo pta_note_pin().
 */
void pta_note_unpin(void)
{
	lock_map_release(&pin_map);
}

/**
 * pta_assert_pinned() - Assert that the address space is pinned.
 */
void pta_assert_pinned(void)
{
	WARN_ON_ONCE(debug_locks && !lock_is_held(&pin_map));
}

/**
 * pta_assert_not_pinned() - Assert that nothing is pinned, before an allocation.
 *
 * With a pin, the target's exit would have to wait for reclaim.
 */
void pta_assert_not_pinned(void)
{
	/* only 1 means "held"; lockdep returns -1 if it does not know */
	WARN_ON_ONCE(debug_locks && lock_is_held(&pin_map) == 1);
}

/**
 * pta_note_no_allocation() - Let lockdep report allocations that enter reclaim.
 *
 * Until pta_note_allocation(), lockdep assumes that this task is in reclaim.
 */
void pta_note_no_allocation(void)
{
	fs_reclaim_acquire(GFP_KERNEL);
}

/**
 * pta_note_allocation() - Undo pta_note_no_allocation().
 */
void pta_note_allocation(void)
{
	fs_reclaim_release(GFP_KERNEL);
}
