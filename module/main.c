// SPDX-License-Identifier: GPL-2.0-only
/* Load and unload the module. */
#include <linux/init.h>
#include <linux/module.h>

#include "debugfs.h"

static int __init pta_init(void)
{
	int err = pta_kpagemap_init();

	if (err)
		return err;
	err = pta_debugfs_init();
	if (err)
		pta_kpagemap_exit();
	return err;
}

static void __exit pta_exit(void)
{
	pta_debugfs_exit();
	pta_kpagemap_exit();
}

module_init(pta_init);
module_exit(pta_exit);

MODULE_DESCRIPTION("Counts the page tables of a process, level by level");
MODULE_LICENSE("GPL");
