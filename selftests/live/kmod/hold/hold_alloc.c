// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes two threads allocate the same page table.  Each thread waits for the other one at the
 * start of the kernel's allocating function.  Never load this outside of a VM.
 *
 * Parameters: "alloc_tgid": the process whose threads wait for each other; 0: none.
 * "allocs_met": the number of tables that both threads allocated since alloc_tgid was set.
 *
 * Each probed function allocates a table.  Then it installs the table, or frees it if another
 * thread has installed one.  The caller holds mmap_lock or the VMA's lock for reading.  Source:
 * mm/memory.c (5.10 to 7.3).  hold_migration.c explains how the probes redirect a task.
 */
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/wait.h>

#include "hold.h"

#define HOLD_SECONDS 600

static int alloc_tgid;
/* The tasks in meet(): they wait for each other, or allocate after they have met. */
static struct task_struct *tasks[2];
static atomic_t nr_arrived = ATOMIC_INIT(0);
static atomic_t nr_left = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(changed);

static int set_tgid(const char *text, const struct kernel_param *kp)
{
	int err = param_set_int(text, kp);

	if (!err && alloc_tgid) {
		atomic_set(&nr_arrived, 0);
		atomic_set(&nr_left, 0);
	}
	wake_up_all(&changed);
	return err;
}

static const struct kernel_param_ops tgid_ops = {
	.set = set_tgid,
	.get = param_get_int,
};
module_param_cb(alloc_tgid, &tgid_ops, &alloc_tgid, 0600);
MODULE_PARM_DESC(alloc_tgid, "process whose threads allocate tables in pairs");

static int get_met(char *buffer, const struct kernel_param *kp)
{
	return sprintf(buffer, "%d\n", atomic_read(&nr_left) / 2);
}

static const struct kernel_param_ops met_ops = { .get = get_met };
module_param_cb(allocs_met, &met_ops, NULL, 0400);
MODULE_PARM_DESC(allocs_met, "number of tables that two threads allocated");

static int place_of(const struct task_struct *task)
{
	return READ_ONCE(tasks[0]) == task ? 0 :
	       READ_ONCE(tasks[1]) == task ? 1 :
					     -1;
}

static bool is_to_wait(void)
{
	return READ_ONCE(alloc_tgid) == task_tgid_nr(current);
}

typedef int alloc_function(struct mm_struct *mm, void *above,
			   unsigned long address);

/* @next() hits its probe again.  The probe does not redirect a task that is in tasks[]. */
static int meet(alloc_function *next, struct mm_struct *mm, void *above,
		unsigned long address)
{
	int place, even, ret;

	do
		place = place_of(NULL);
	while (place >= 0 && cmpxchg(&tasks[place], NULL, current));
	if (place < 0)
		return next(mm, above, address);
	even = (atomic_inc_return(&nr_arrived) + 1) / 2 * 2;
	wake_up_all(&changed);
	wait_event_killable_timeout(changed,
				    atomic_read(&nr_arrived) >= even ||
					    !is_to_wait(),
				    HOLD_SECONDS * HZ);
	if (atomic_read(&nr_arrived) >= even)
		atomic_inc(&nr_left);
	ret = next(mm, above, address);
	WRITE_ONCE(tasks[place], NULL);
	return ret;
}

/*
 * Defines the probe of an allocating function, and meet_*(), to which the probe redirects a task.
 * __pte_alloc() has no third argument.
 */
#define PROBE(function)                                                        \
	static struct kprobe probe_##function;                                 \
	static noinline int meet_##function(struct mm_struct *mm, void *above, \
					    unsigned long address)             \
	{                                                                      \
		return meet((alloc_function *)probe_##function.addr, mm,       \
			    above, address);                                   \
	}                                                                      \
	static int divert_##function(struct kprobe *probe,                     \
				     struct pt_regs *regs)                     \
	{                                                                      \
		if (!is_to_wait() || place_of(current) >= 0 ||                 \
		    place_of(NULL) < 0)                                        \
			return 0;                                              \
		instruction_pointer_set(regs, (unsigned long)meet_##function); \
		return 1;                                                      \
	}                                                                      \
	static struct kprobe probe_##function = {                              \
		.symbol_name = #function,                                      \
		.pre_handler = divert_##function,                              \
		.post_handler = hold_unused,                                   \
	}

PROBE(__pte_alloc);
PROBE(__pmd_alloc);
PROBE(__pud_alloc);

static struct kprobe *probes[] = { &probe___pte_alloc, &probe___pmd_alloc,
				   &probe___pud_alloc };

int hold_alloc_init(void)
{
	return register_kprobes(probes, ARRAY_SIZE(probes));
}

void hold_alloc_exit(void)
{
	unregister_kprobes(probes, ARRAY_SIZE(probes));
}
