/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef HOLD_H
#define HOLD_H

struct kprobe;
struct mm_struct;
struct pt_regs;

/* hold_migration.c: a post handler, which each probe that redirects a task needs */
void hold_unused(struct kprobe *probe, struct pt_regs *regs,
		 unsigned long flags);

/* hold_alloc.c: returns 0 or -errno */
int hold_alloc_init(void);
void hold_alloc_exit(void);

/* hold_locks.c: takes a reference that mmput() drops; NULL: the process has no mm */
struct mm_struct *hold_find_mm(int nr);

/* hold_leaves.c: the device exists until shutdown; returns 0 or -errno */
#ifdef CONFIG_TRANSPARENT_HUGEPAGE
int hold_leaves_init(void);
#else
static inline int hold_leaves_init(void)
{
	return 0;
}
#endif

#endif
