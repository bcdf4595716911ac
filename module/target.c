// SPDX-License-Identifier: GPL-2.0-only
/* From a PID to an mm, with the rules of its lifetime; never looks at tables. */
#include "target.h"

#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>

/* Makes an identity of an mm's address without giving the address away. */
static u64 mm_key[2];

/* Stands for a pinned address space, so that lockdep keeps count of the pins. */
#ifdef CONFIG_LOCKDEP
static struct lockdep_map pin_map = STATIC_LOCKDEP_MAP_INIT("pta_pin",
							    &pin_map);
#endif

/**
 * pta_target_init() - Draw the secret behind the identities.
 */
void pta_target_init(void)
{
	get_random_bytes(mm_key, sizeof(mm_key));
}

/* Both steps can be undone, so that two mms never have the same identity. */
static u64 mm_identity(const struct mm_struct *mm)
{
	return ((u64)(unsigned long)mm ^ mm_key[0]) * (mm_key[1] | 1);
}

/*
 * A pin, as that of pta_pin(), of the mm that the task has now, or NULL.
 *
 * Context: an RCU read-side section, in which the leader of a task that has an mm
 * stays: see pta_target_grab().
 */
static struct mm_struct *pin_task_mm(struct task_struct *task)
{
	struct mm_struct *mm;

	RCU_LOCKDEP_WARN(!rcu_read_lock_held(), "the leader may go");
	mm = get_task_mm(task);
	if (mm)
		lock_map_acquire_read(&pin_map);
	return mm;
}

/* Who has no mm_users any more may be freed: only one that is pinned. */
static void hold_mm(struct mm_struct *mm)
{
	pta_assert_pinned();
	mmgrab(mm);
}

static u64 leader_start(const struct task_struct *task)
{
	RCU_LOCKDEP_WARN(!rcu_read_lock_held(), "the leader may go");
	return READ_ONCE(READ_ONCE(task->group_leader)->start_boottime);
}

/**
 * pta_target_find() - Hold the struct pid of a process.
 * @nr: number in the PID namespace of the caller
 * @ret: (out) drop with put_pid()
 *
 * Return: 0; -ESRCH no such process; -EINVAL it has no mm (a kernel thread, a
 * zombie).
 */
int pta_target_find(pid_t nr, struct pid **ret)
{
	struct pid *pid = find_get_pid(nr);
	struct task_struct *task = get_pid_task(pid, PIDTYPE_PID);
	struct mm_struct *mm;

	if (!task) {
		put_pid(pid);
		return -ESRCH;
	}
	rcu_read_lock();
	mm = pin_task_mm(task);
	rcu_read_unlock();
	put_task_struct(task);
	if (!mm) {
		put_pid(pid);
		return -EINVAL;
	}
	pta_unpin(mm);
	*ret = pid;
	return 0;
}

/**
 * pta_target_grab() - Hold the mm that the process has now.
 * @target: .pid is set; .mm is set on success, to be dropped with
 *	pta_target_drop()
 * @header: (out) pid, tgid, comm, start_boottime_ns and mm are filled in
 *
 * Context: may sleep (mmput() runs exit_mmap() if the process ends just now).
 *
 * Return: 0; -ESRCH it ended.
 */
int pta_target_grab(struct pta_target *target, struct ptaudit_header *header)
{
	struct task_struct *task = get_pid_task(target->pid, PIDTYPE_PID);
	struct mm_struct *mm;

	if (!task)
		return -ESRCH;
	/*
	 * A leader that was replaced by execve() is freed by RCU.  The pointer
	 * to it stays in who ended then: the section begins before it is known
	 * that the task still has an mm.
	 */
	rcu_read_lock();
	mm = pin_task_mm(task);
	if (mm) {
		hold_mm(mm);
		header->pid = task_pid_nr(task);
		header->tgid = task_tgid_nr(task);
		header->start_boottime_ns = leader_start(task);
		header->mm = mm_identity(mm);
		get_task_comm(header->comm, task);
	}
	rcu_read_unlock();
	if (mm)
		pta_unpin(mm);
	put_task_struct(task);
	target->mm = mm;
	return mm ? 0 : -ESRCH;
}

static int compare_mm(const struct task_struct *task,
		      const struct mm_struct *mm)
{
	lockdep_assert_held(&task->alloc_lock);
	if (task->mm == mm)
		return 0;
	return task->mm ? -ESTALE : -ESRCH;
}

/**
 * pta_target_check() - Does the process still have the mm that was grabbed?
 * @target: as pta_target_grab() left it
 *
 * Return: 0; -ESRCH it ended; -ESTALE it has another one (execve).
 */
int pta_target_check(const struct pta_target *target)
{
	struct task_struct *task = get_pid_task(target->pid, PIDTYPE_PID);
	int err;

	if (!task)
		return -ESRCH;
	task_lock(task);
	err = compare_mm(task, target->mm);
	task_unlock(task);
	put_task_struct(task);
	return err;
}

/**
 * pta_target_drop() - Give back what pta_target_grab() took.
 * @target: its .mm is NULL afterwards
 */
void pta_target_drop(struct pta_target *target)
{
	mmdrop(target->mm);
	target->mm = NULL;
}

/**
 * pta_pin() - Keep the address space of an mm from being torn down.
 * @mm: held by mmgrab()
 *
 * Context: may sleep.  To lockdep it is a lock, outside of mmap_lock: one that
 * is not given back before the system call ends is reported, and so is a read
 * of a table without it.
 *
 * Return: 0, to be given back by pta_unpin(); -ESRCH it is gone.
 */
int pta_pin(struct mm_struct *mm)
{
	if (!mmget_not_zero(mm))
		return -ESRCH;
	lock_map_acquire_read(&pin_map);
	return 0;
}

/**
 * pta_unpin() - Undo pta_pin().
 * @mm: what was pinned
 *
 * Context: may sleep (mmput() runs exit_mmap() if the process ended meanwhile,
 * which takes mmap_lock: from 6.1 on always).
 */
void pta_unpin(struct mm_struct *mm)
{
	lock_map_release(&pin_map);
	might_lock(&mm->mmap_lock);
	mmput(mm);
}

/**
 * pta_assert_pinned() - For the readers of tables: between pin and unpin.
 */
void pta_assert_pinned(void)
{
#ifdef CONFIG_LOCKDEP
	WARN_ON_ONCE(debug_locks && !lock_is_held(&pin_map));
#endif
}

/**
 * pta_assert_not_pinned() - For who may wait for memory: not behind a pin.
 *
 * The target's end would wait for reclaim with us.
 */
void pta_assert_not_pinned(void)
{
#ifdef CONFIG_LOCKDEP
	/* 1 is held for sure; lockdep has another answer where it cannot tell */
	WARN_ON_ONCE(debug_locks && lock_is_held(&pin_map) == 1);
#endif
}
