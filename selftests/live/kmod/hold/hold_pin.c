// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stops a walk of the module ptaudit between two holds of mmap_lock, when nothing keeps the
 * target's address space.  Never load this outside of a VM.
 *
 * Parameters: "pins_pass": the number of pins that are not held.  "pin_tgid": the process
 * whose walk is held; 0: none, and a held one continues.  "pins": the number of pins since
 * pin_tgid was set.  "pins_held": the number of held walks, 0 or 1.
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
static int pass;
static atomic_t nr_pins = ATOMIC_INIT(0);
static struct task_struct *held;
static pin_function *next_pin;
static DECLARE_WAIT_QUEUE_HEAD(changed);

module_param_named(pins_pass, pass, int, 0600);
MODULE_PARM_DESC(pins_pass, "number of pins before the one that is held");

static bool is_to_be_held(void)
{
	return READ_ONCE(pin_tgid) == task_tgid_nr(current);
}

/* Runs instead of pta_pin(), and then calls it.  This call is no longer probed, or counts as another pin. */
static noinline int hold_pin(struct mm_struct *mm)
{
	wait_event_killable_timeout(changed, !is_to_be_held(),
				    HOLD_SECONDS * HZ);
	WRITE_ONCE(held, NULL);
	return next_pin(mm);
}

static int divert(struct kprobe *probe, struct pt_regs *regs)
{
	if (!is_to_be_held() ||
	    atomic_inc_return(&nr_pins) != READ_ONCE(pass) + 1)
		return 0;
	WRITE_ONCE(held, current);
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
	if (probe.addr)
		unregister_kprobe(&probe);
	probe = (struct kprobe){
		.symbol_name = "ptaudit:pta_pin",
		.pre_handler = divert,
		.post_handler = hold_unused,
	};
	if (!nr)
		return 0;
	/* the module ptaudit may have been loaded again */
	err = register_kprobe(&probe);
	if (err) {
		probe.addr = NULL;
		return err;
	}
	next_pin = (pin_function *)probe.addr;
	atomic_set(&nr_pins, 0);
	WRITE_ONCE(pin_tgid, nr);
	return 0;
}

static const struct kernel_param_ops tgid_ops = {
	.set = set_tgid,
	.get = param_get_int,
};
module_param_cb(pin_tgid, &tgid_ops, &pin_tgid, 0600);
MODULE_PARM_DESC(pin_tgid, "process whose walk is held; 0 releases it");

static int get_pins(char *buffer, const struct kernel_param *kp)
{
	return sprintf(buffer, "%d\n", atomic_read(&nr_pins));
}

static const struct kernel_param_ops pins_ops = { .get = get_pins };
module_param_cb(pins, &pins_ops, NULL, 0400);
MODULE_PARM_DESC(pins, "number of pins of the process");

static int get_held(char *buffer, const struct kernel_param *kp)
{
	return sprintf(buffer, "%d\n", !!READ_ONCE(held));
}

static const struct kernel_param_ops held_ops = { .get = get_held };
module_param_cb(pins_held, &held_ops, NULL, 0400);
MODULE_PARM_DESC(pins_held, "number of walks that are held");
