// SPDX-License-Identifier: GPL-2.0-only
/*
 * Holds a lock of a process's address space for writing, for tests of tasks that wait for
 * it.  Never load this outside of a VM.
 *
 * Parameters: "mmap_locked": the process whose mmap_lock is held; 0 releases it.
 * "ldt_locked": the same for the lock that modify_ldt() takes.  "file_locked": the same
 * for the i_mmap_rwsem of the first hugetlb file that the process maps.  A write returns
 * when the lock is held or released.
 *
 * A kernel thread takes the lock, because a task must not return to user space with a lock
 * held.  The address space is pinned meanwhile.
 */
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/hugetlb.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>

#include "hold.h"

#define HOLD_SECONDS 600

struct hold {
	void (*lock)(struct mm_struct *mm);
	void (*unlock)(struct mm_struct *mm);
	struct completion taken;
	struct task_struct *holder;
	struct mm_struct *mm;
	int locked;
};

struct mm_struct *hold_find_mm(int nr)
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

/* Release the lock on request or after a time limit, then wait to be stopped. */
static int keep(void *data)
{
	const unsigned long end = jiffies + HOLD_SECONDS * HZ;
	struct hold *hold = data;

	hold->lock(hold->mm);
	complete(&hold->taken);
	while (!kthread_should_stop() && time_before(jiffies, end))
		schedule_timeout_interruptible(HZ / 10);
	WRITE_ONCE(hold->locked, 0);
	hold->unlock(hold->mm);
	mmput(hold->mm);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ / 10);
	return 0;
}

/* Called one at a time, under the lock of the module's parameters. */
static int set_locked(const char *text, const struct kernel_param *kp)
{
	struct hold *hold = kp->arg;
	int nr, err = kstrtoint(text, 0, &nr);

	if (err)
		return err;
	if (hold->holder) {
		kthread_stop(hold->holder);
		hold->holder = NULL;
	}
	if (!nr)
		return 0;
	hold->mm = hold_find_mm(nr);
	if (!hold->mm)
		return -ESRCH;
	reinit_completion(&hold->taken);
	hold->holder = kthread_run(keep, hold, "hold_%s", kp->name);
	if (IS_ERR(hold->holder)) {
		err = PTR_ERR(hold->holder);
		hold->holder = NULL;
		mmput(hold->mm);
		return err;
	}
	wait_for_completion(&hold->taken);
	WRITE_ONCE(hold->locked, nr);
	return 0;
}

static int get_locked(char *buffer, const struct kernel_param *kp)
{
	const struct hold *hold = kp->arg;

	return sprintf(buffer, "%d\n", READ_ONCE(hold->locked));
}

static const struct kernel_param_ops locked_ops = {
	.set = set_locked,
	.get = get_locked,
};

static void lock_mmap(struct mm_struct *mm)
{
	mmap_write_lock(mm);
}

static void unlock_mmap(struct mm_struct *mm)
{
	mmap_write_unlock(mm);
}

static struct hold mmap_hold = {
	.lock = lock_mmap,
	.unlock = unlock_mmap,
	.taken = COMPLETION_INITIALIZER(mmap_hold.taken),
};
module_param_cb(mmap_locked, &locked_ops, &mmap_hold, 0600);
MODULE_PARM_DESC(mmap_locked, "process whose mmap_lock is held for writing");

static struct file *locked_file;

/* If the process maps no hugetlb file, take no lock: then no task waits. */
static void lock_file(struct mm_struct *mm)
{
	struct vm_area_struct *vma;

	mmap_read_lock(mm);
	vma = find_vma(mm, 0);
	while (vma && !is_vm_hugetlb_page(vma))
		vma = find_vma(mm, vma->vm_end);
	locked_file = vma ? get_file(vma->vm_file) : NULL;
	mmap_read_unlock(mm);
	if (locked_file)
		i_mmap_lock_write(locked_file->f_mapping);
}

static void unlock_file(struct mm_struct *mm)
{
	if (!locked_file)
		return;
	i_mmap_unlock_write(locked_file->f_mapping);
	fput(locked_file);
}

static struct hold file_hold = {
	.lock = lock_file,
	.unlock = unlock_file,
	.taken = COMPLETION_INITIALIZER(file_hold.taken),
};
module_param_cb(file_locked, &locked_ops, &file_hold, 0600);
MODULE_PARM_DESC(file_locked, "process whose hugetlb file's lock is held");

/* Source: arch/x86/include/asm/mmu.h, mm_context_t (5.10 to 7.2) */
#if defined(CONFIG_X86_64) && defined(CONFIG_MODIFY_LDT_SYSCALL)
static void lock_ldt(struct mm_struct *mm)
{
	down_write(&mm->context.ldt_usr_sem);
}

static void unlock_ldt(struct mm_struct *mm)
{
	up_write(&mm->context.ldt_usr_sem);
}

static struct hold ldt_hold = {
	.lock = lock_ldt,
	.unlock = unlock_ldt,
	.taken = COMPLETION_INITIALIZER(ldt_hold.taken),
};
module_param_cb(ldt_locked, &locked_ops, &ldt_hold, 0600);
MODULE_PARM_DESC(ldt_locked, "process whose ldt_usr_sem is held for writing");
#endif
