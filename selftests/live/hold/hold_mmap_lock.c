// SPDX-License-Identifier: GPL-2.0-only
/*
 * Holds a process's mmap_lock for writing, for tests of who waits for it.  Never
 * load this outside of a VM.
 *
 * Parameter: "mmap_locked", the process whose lock is held (0: none, and the one
 * held is given back).  Who writes to it returns when it is so.
 *
 * A thread of the kernel has it: a task must not go back to user space with a
 * lock.  The address space is pinned meanwhile.
 */
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>

#define HOLD_SECONDS 600

static int locked;
static struct task_struct *holder;
static DECLARE_COMPLETION(taken);

static struct mm_struct *find_mm(int nr)
{
	struct pid *pid = find_get_pid(nr);
	struct task_struct *task = get_pid_task(pid, PIDTYPE_PID);
	struct mm_struct *ret = NULL;

	if (task) {
		ret = get_task_mm(task);
		put_task_struct(task);
	}
	put_pid(pid);
	return ret;
}

/* Gives it back after some time by itself, and then waits to be stopped. */
static int keep(void *data)
{
	const unsigned long end = jiffies + HOLD_SECONDS * HZ;
	struct mm_struct *mm = data;

	mmap_write_lock(mm);
	complete(&taken);
	while (!kthread_should_stop() && time_before(jiffies, end))
		schedule_timeout_interruptible(HZ / 10);
	WRITE_ONCE(locked, 0);
	mmap_write_unlock(mm);
	mmput(mm);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ / 10);
	return 0;
}

/* Both are called one at a time, under the lock of the module's parameters. */
static int set_locked(const char *text, const struct kernel_param *kp)
{
	struct mm_struct *mm;
	int nr, err = kstrtoint(text, 0, &nr);

	if (err)
		return err;
	if (holder) {
		kthread_stop(holder);
		holder = NULL;
	}
	if (!nr)
		return 0;
	mm = find_mm(nr);
	if (!mm)
		return -ESRCH;
	reinit_completion(&taken);
	holder = kthread_run(keep, mm, "hold_mmap_lock");
	if (IS_ERR(holder)) {
		err = PTR_ERR(holder);
		holder = NULL;
		mmput(mm);
		return err;
	}
	wait_for_completion(&taken);
	WRITE_ONCE(locked, nr);
	return 0;
}

static const struct kernel_param_ops locked_ops = {
	.set = set_locked,
	.get = param_get_int,
};
module_param_cb(mmap_locked, &locked_ops, &locked, 0600);
MODULE_PARM_DESC(mmap_locked, "process whose mmap_lock is held for writing");
