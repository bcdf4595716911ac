/* SPDX-License-Identifier: GPL-2.0-only */
/* Assertions that need lockdep.  Compiled only with CONFIG_LOCKDEP. */
#ifndef PTA_DEBUG_H
#define PTA_DEBUG_H

#include <linux/types.h>

struct pta_entry;
struct pta_walk_state;

#ifdef CONFIG_LOCKDEP
/**
 * struct pta_section - the sections in which an entry was read
 * @irq: lockdep's number of the section with interrupts off; 0: none
 * @is_rcu: an RCU read-side section
 */
struct pta_section {
	unsigned int irq;
	bool is_rcu;
};

struct pta_section pta_section_now(void);
void pta_assert_same_section(const struct pta_entry *pmd);
void pta_assert_read_in_rcu(const struct pta_entry *entry);
void pta_assert_reached(const struct pta_walk_state *walk, unsigned int level);
void pta_assert_pinned(void);
void pta_assert_not_pinned(void);
void pta_note_pin(void);
void pta_note_unpin(void);
void pta_note_no_allocation(void);
void pta_note_allocation(void);
#else
struct pta_section {
};

#define pta_section_now() ((struct pta_section){})
#define pta_assert_same_section(pmd) ((void)(pmd))
#define pta_assert_read_in_rcu(entry) ((void)(entry))
#define pta_assert_reached(walk, level) ((void)(walk), (void)(level))
#define pta_assert_pinned() ((void)0)
#define pta_assert_not_pinned() ((void)0)
#define pta_note_pin() ((void)0)
#define pta_note_unpin() ((void)0)
#define pta_note_no_allocation() ((void)0)
#define pta_note_allocation() ((void)0)
#endif

#endif
