/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef HOLD_H
#define HOLD_H

struct mm_struct;

/* hold_locks.c: pinned, to be given back by mmput(); NULL: it has none */
struct mm_struct *hold_find_mm(int nr);

/* hold_leaves.c: the device is there until the machine goes; 0 or -errno */
int hold_leaves_init(void);

#endif
