/* SPDX-License-Identifier: GPL-2.0-only */
/* The files in /sys/kernel/debug/ptaudit. */
#ifndef PTA_DEBUGFS_H
#define PTA_DEBUGFS_H

struct file;

int pta_check_privilege(const struct file *file);
int pta_debugfs_init(void);
void pta_debugfs_exit(void);

#endif
