/* SPDX-License-Identifier: GPL-2.0-only */
/* The file of page flags and reference counts, and the names of the flags. */
#ifndef PTA_KPAGEMAP_H
#define PTA_KPAGEMAP_H

#include <linux/fs.h>

extern const struct file_operations pta_kpagemap_fops;
extern const struct file_operations pta_kpagemap_flags_fops;

int pta_kpagemap_init(void);
void pta_kpagemap_exit(void);

#endif
