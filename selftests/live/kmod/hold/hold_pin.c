// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stops a walk of the module ptaudit between two holds of mmap_lock, when nothing keeps the
 * target's address space.  Never load this outside of a VM.
 *
 * Parameters: "pins_pass": the number of pins that are not held.  "pin_tgid": the process
 * whose walk is held; 0: none, and a held one continues; -1: the probe is removed, too.  "pins":
 * the number of pins since pin_tgid was set.  "pins_held": the number of held walks, 0 or 1.
 *
 * The walk calls pta_pin() before each hold.  hold_migration.c explains how a probe redirects
 * a task.
 */
#include <linux/kprobes.h>
#include <linux/mm_types.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/wait.h>

#include "hold.h"

#define HOLD_SECONDS 600

typedef int pin_function(struct mm_struct *mm);

static int pin_tgid;
static pin_function *next_pin;
static DECLARE_WAIT_QUEUE_HEAD(changed);

static int pass;
module_param_named(pins_pass, pass, int, 0600);
MODULE_PARM_DESC(pins_pass, "number of pins before the one that is held");

/* Only one thread of the process walks. */
static int nr_pins;
module_param_named(pins, nr_pins, int, 0400);
MODULE_PARM_DESC(pins, "number of pins of the process");

static int nr_held;
module_param_named(pins_held, nr_held, int, 0400);
MODULE_PARM_DESC(pins_held, "number of walks that are held");

static bool is_to_be_held(void)
{
	return READ_ONCE(pin_tgid) == task_tgid_nr(current);
}

/* Runs instead of pta_pin().  Its own call of pta_pin() may hit the probe, and is not held there. */
static noinline int hold_pin(struct mm_struct *mm)
{
	wait_event_killable_timeout(changed, !is_to_be_held(),
				    HOLD_SECONDS * HZ);
	WRITE_ONCE(nr_held, 0);
	return next_pin(mm);
}

static int divert(struct kprobe *probe, struct pt_regs *regs)
{
	if (!is_to_be_held() || nr_pins++ != READ_ONCE(pass))
		return 0;
	WRITE_ONCE(nr_held, 1);
	instruction_pointer_set(regs, (unsigned long)hold_pin);
	return 1;
}

static struct kprobe probe;

/* Called one at a time, under the lock of the module's parameters. */
static int set_tgid(const char *text, const struct kernel_param *kp)
{
	int nr, err = kstrtoint(text, 0, &nr);

	if (err)
		return err;
	WRITE_ONCE(pin_tgid, 0);
	wake_up_all(&changed);
	/*
	 * Remove a probe only when no walk runs.  An emulated CPU that executed it at that moment
	 * was seen to trap without end.
	 */
	if (!nr)
		return 0;
	if (probe.addr)
		unregister_kprobe(&probe);
	probe = (struct kprobe){
		.symbol_name = "ptaudit:pta_pin",
		.pre_handler = divert,
		.post_handler = hold_unused,
	};
	if (nr < 0)
		return 0;
	/* the module ptaudit may have been loaded again */
	err = register_kprobe(&probe);
	if (err) {
		probe.addr = NULL;
		return err;
	}
	next_pin = (pin_function *)probe.addr;
	nr_pins = 0;
	WRITE_ONCE(pin_tgid, nr);
	return 0;
}

static const struct kernel_param_ops tgid_ops = {
	.set = set_tgid,
	.get = param_get_int,
};
module_param_cb(pin_tgid, &tgid_ops, &pin_tgid, 0600);
MODULE_PARM_DESC(
	pin_tgid,
	"process whose walk is held; 0 releases it; -1 removes the probe");
