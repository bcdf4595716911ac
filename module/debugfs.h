/* SPDX-License-Identifier: GPL-2.0-only */
/* The files in /sys/kernel/debug/ptaudit; kpagemap.c has those about page frames. */
#ifndef PTA_DEBUGFS_H
#define PTA_DEBUGFS_H

#include <linux/fs.h>

extern const struct file_operations pta_kpagemap_fops;
extern const struct file_operations pta_kpagemap_flags_fops;

int pta_check_privilege(const struct file *file);
int pta_debugfs_init(void);
void pta_debugfs_exit(void);
int pta_kpagemap_init(void);
void pta_kpagemap_exit(void);

#endif
