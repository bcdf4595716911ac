/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef HOLD_H
#define HOLD_H

/* hold_leaves.c: the device is there until the machine goes; 0 or -errno */
int hold_leaves_init(void);

#endif
