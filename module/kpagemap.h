/* SPDX-License-Identifier: GPL-2.0-only */
/* The array of page flags and reference counts, and the flags' names. */
#ifndef PTA_KPAGEMAP_H
#define PTA_KPAGEMAP_H

#include <linux/fs.h>

extern const struct file_operations pta_kpagemap_fops;
extern const struct file_operations pta_kpagemap_flags_fops;

int pta_kpagemap_init(void);
void pta_kpagemap_exit(void);

#endif
