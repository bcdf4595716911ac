// SPDX-License-Identifier: GPL-2.0-only
/* Assertions that only lockdep can judge; compiled with CONFIG_LOCKDEP alone. */
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

/* Stands for a pinned address space, so that lockdep keeps count of the pins. */
static struct lockdep_map pin_map = STATIC_LOCKDEP_MAP_INIT("pta_pin",
							    &pin_map);

/**
 * pta_section_now() - The sections that the caller is in.
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
 * @pmd: the entry that points to the PTE table that is read now
 *
 * If interrupts were on between the two reads, the kernel may have freed the table:
 * by RCU, or after this CPU answered an interrupt.
 */
void pta_assert_same_section(const struct pta_entry *pmd)
{
	lockdep_assert_irqs_disabled();
	WARN_ON_ONCE(pmd->section.irq != pta_section_now().irq);
}

/**
 * pta_assert_read_in_rcu() - Assert what keeps the struct pages of an entry.
 * @entry: as it was read
 */
void pta_assert_read_in_rcu(const struct pta_entry *entry)
{
	RCU_LOCKDEP_WARN(!entry->section.is_rcu || !rcu_read_lock_held(),
			 "the pages may go");
}

/**
 * pta_assert_reached() - Assert that the entries above still lead to a table.
 * @walk: the walk
 * @level: of the table, which is open
 *
 * A pointer read before the lock was dropped must not be used again.
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
 * pta_note_pin() - To lockdep, a pin is a lock outside of mmap_lock.
 *
 * One that is not given back before the system call ends is reported.
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
 * pta_assert_pinned() - For the readers of tables: between pin and unpin.
 */
void pta_assert_pinned(void)
{
	WARN_ON_ONCE(debug_locks && !lock_is_held(&pin_map));
}

/**
 * pta_assert_not_pinned() - For callers that may wait for memory: not behind a pin.
 *
 * The target's end would wait for reclaim, too.
 */
void pta_assert_not_pinned(void)
{
	/* 1 is held for sure; lockdep has another answer where it cannot tell */
	WARN_ON_ONCE(debug_locks && lock_is_held(&pin_map) == 1);
}

/**
 * pta_note_no_allocation() - Have allocations reported that could wait for memory.
 *
 * To lockdep we are in reclaim until pta_note_allocation().
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
