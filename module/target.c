// SPDX-License-Identifier: GPL-2.0-only
/* From a PID to an mm, with the rules of its lifetime; never looks at tables. */
#include "target.h"

#include <linux/lockdep.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/param.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "arch/arch.h"
#include "compat.h"
#include "debug.h"

/*
 * Pins the mm that the task has now, as pta_pin() does.  NULL: it has none.
 *
 * Context: an RCU read-side section, which keeps the task and, if it has an mm,
 * its leader: see pta_target_grab().
 */
static struct mm_struct *pin_task_mm(struct task_struct *task)
{
	struct mm_struct *mm;

	RCU_LOCKDEP_WARN(!rcu_read_lock_held(), "the leader may go");
	mm = get_task_mm(task);
	if (mm)
		pta_note_pin();
	return mm;
}

/*
 * Pins the mm of the task's thread group: a task that exited has none, but it
 * lives on in the other threads.  *@used is the one that it was found through.
 *
 * The list hangs off the signal_struct, which each task keeps until it is freed.
 */
static struct mm_struct *pin_group_mm(struct task_struct *task,
				      struct task_struct **used)
{
	struct mm_struct *mm = pin_task_mm(task);
	struct task_struct *thread;

	*used = task;
	if (mm)
		return mm;
	list_for_each_entry_rcu(thread, &task->signal->thread_head,
				thread_node) {
		mm = pin_task_mm(thread);
		if (mm) {
			*used = thread;
			return mm;
		}
	}
	return NULL;
}

/* The mm may be freed once mm_users drops to zero: take it while it is pinned. */
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

/* As field 22 of /proc/PID/stat has it for the same reader. */
static u64 start_ticks(const struct task_struct *task)
{
	u64 start_ns = READ_ONCE(task->start_boottime);

	return div_u64(pta_boottime_ns(start_ns), NSEC_PER_SEC / USER_HZ);
}

/**
 * pta_target_find() - Hold the struct pid of a process.
 * @nr: number in the PID namespace of the caller
 * @ret: (out) drop with put_pid()
 *
 * Return: 0; -ESRCH no such process; -EINVAL no thread of it has an mm (a kernel
 * thread, a zombie).
 */
int pta_target_find(pid_t nr, struct pid **ret)
{
	struct pid *pid = find_get_pid(nr);
	struct task_struct *task = get_pid_task(pid, PIDTYPE_PID);
	struct task_struct *used;
	struct mm_struct *mm;

	if (!task) {
		put_pid(pid);
		return -ESRCH;
	}
	rcu_read_lock();
	mm = pin_group_mm(task, &used);
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

/* Says who the answer is about.  Context: as pin_task_mm() for @used. */
static void fill_header(struct ptaudit_header *header, struct pid *pid,
			struct task_struct *task, struct task_struct *used,
			const struct mm_struct *mm)
{
	header->pid = pid_nr(pid);
	header->tgid = task_tgid_nr(used);
	header->tid = task_pid_nr(used);
	header->ns_pid = pid_vnr(pid);
	header->ns_tgid = task_tgid_vnr(used);
	header->ns_tid = task_pid_vnr(used);
	header->start_boottime_ns = leader_start(used);
	header->start_ticks = start_ticks(task);
	header->mm = pta_mm_identity(mm);
	get_task_comm(header->comm, task);
}

/**
 * pta_target_grab() - Hold the mm that the process has now.
 * @target: .pid is set; .mm is set on success, to be dropped with
 *	pta_target_drop()
 * @header: (out) what says who the process is, and the identity of the mm
 *
 * Context: may sleep (mmput() runs exit_mmap() if the process ends just now).
 *
 * Return: 0; -ESRCH it ended.
 */
int pta_target_grab(struct pta_target *target, struct ptaudit_header *header)
{
	struct task_struct *task = get_pid_task(target->pid, PIDTYPE_PID);
	struct task_struct *used;
	struct mm_struct *mm;

	if (!task)
		return -ESRCH;
	/*
	 * A leader that was replaced by execve() is freed by RCU, while threads
	 * that exited keep their pointer to it.  A thread that is found to have
	 * an mm inside the section was not released before the section began:
	 * its leader stays until the section ends.
	 */
	rcu_read_lock();
	mm = pin_group_mm(task, &used);
	if (mm) {
		hold_mm(mm);
		fill_header(header, target->pid, task, used, mm);
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

static int check_task(struct task_struct *task, const struct mm_struct *mm)
{
	int err;

	task_lock(task);
	err = compare_mm(task, mm);
	task_unlock(task);
	return err;
}

/**
 * pta_target_check() - Does the process still have the mm that was grabbed?
 * @target: as pta_target_grab() left it
 *
 * Any thread that has an mm tells: all of a group have the same.
 *
 * Return: 0; -ESRCH it ended; -ESTALE it has another one (execve).
 */
int pta_target_check(const struct pta_target *target)
{
	struct task_struct *task = get_pid_task(target->pid, PIDTYPE_PID);
	struct task_struct *thread;
	int err;

	if (!task)
		return -ESRCH;
	err = check_task(task, target->mm);
	rcu_read_lock();
	list_for_each_entry_rcu(thread, &task->signal->thread_head,
				thread_node) {
		if (err != -ESRCH)
			break;
		err = check_task(thread, target->mm);
	}
	rcu_read_unlock();
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
	pta_note_pin();
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
	pta_note_unpin();
	might_lock(&mm->mmap_lock);
	mmput(mm);
}
