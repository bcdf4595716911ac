// SPDX-License-Identifier: GPL-2.0-only
/*
 * Does to the kernel what a broken module could do, for the tests of scripts/vm, which
 * must detect each case.  Values of the parameter "now": warn, bug, pin (cannot be
 * unloaded any more), exit (warns when unloaded).  Never load this outside of a VM.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

static bool warn_on_exit;

static int inject_now(const char *val, const struct kernel_param *kp)
{
	if (sysfs_streq(val, "warn"))
		WARN_ON(1);
	else if (sysfs_streq(val, "bug"))
		BUG();
	else if (sysfs_streq(val, "pin"))
		__module_get(THIS_MODULE);
	else if (sysfs_streq(val, "exit"))
		warn_on_exit = true;
	else
		return -EINVAL;
	return 0;
}

static const struct kernel_param_ops inject_ops = { .set = inject_now };
module_param_cb(now, &inject_ops, NULL, 0200);
MODULE_PARM_DESC(now, "what to do: warn, bug, pin, exit");

static int __init inject_init(void)
{
	return 0;
}

static void __exit inject_exit(void)
{
	WARN_ON(warn_on_exit);
}

module_init(inject_init);
module_exit(inject_exit);
MODULE_DESCRIPTION("Faults for the tests of ptaudit's VM runner");
MODULE_LICENSE("GPL");
