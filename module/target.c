// SPDX-License-Identifier: GPL-2.0-only
/* Find the mm of a PID and control its lifetime; must not access tables. */
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
 * Pin the task's current mm, like pta_pin().  Return NULL if it has none.
 *
 * Context: an RCU read-side section, which keeps the task and, if it has an mm,
 * its leader: see pta_target_grab().
 */
static struct mm_struct *pin_task_mm(struct task_struct *task)
{
	struct mm_struct *mm;

	RCU_LOCKDEP_WARN(!rcu_read_lock_held(), "the leader may be freed");
	mm = get_task_mm(task);
	if (mm)
		pta_note_pin();
	return mm;
}

/*
 * Pin the mm of the task's thread group: an exited task has no mm, but other
 * threads may still have it.  Set *@used to the thread that has the mm.
 *
 * The list of threads is in the signal_struct, which each task keeps until it
 * is freed.
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

/* The mm may be freed when mm_users is zero: take a reference before. */
static void hold_mm(struct mm_struct *mm)
{
	pta_assert_pinned();
	mmgrab(mm);
}

static u64 leader_start(const struct task_struct *task)
{
	RCU_LOCKDEP_WARN(!rcu_read_lock_held(), "the leader may be freed");
	return READ_ONCE(READ_ONCE(task->group_leader)->start_boottime);
}

/* Start time as in field 22 of /proc/PID/stat for the same reader. */
static u64 start_ticks(const struct task_struct *task)
{
	u64 start_ns = READ_ONCE(task->start_boottime);

	return div_u64(pta_boottime_ns(start_ns), NSEC_PER_SEC / USER_HZ);
}

/**
 * pta_target_find() - Get the struct pid of a process.
 * @nr: PID in the caller's PID namespace
 * @ret: (out) release with put_pid()
 *
 * Return: 0; -ESRCH no such process; -EINVAL none of its threads has an mm (a
 * kernel thread, a zombie).
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

/* Identify the process in the header.  Context: as pin_task_mm() for @used. */
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
 * pta_target_grab() - Get a reference to the process's current mm.
 * @target: .pid is set; sets .mm, to be released with pta_target_drop()
 * @header: (out) identity of the process and of the mm
 *
 * Context: may sleep (mmput() runs exit_mmap() if the process ends meanwhile).
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
	 * A leader that execve() replaced is freed by RCU, while exited threads
	 * keep their pointers to it.  A thread that has an mm inside this
	 * section was not released before the section began, so its leader is
	 * valid until the section ends.
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
 * @target: from pta_target_grab()
 *
 * Any thread with an mm is sufficient: all threads of a group have the same.
 *
 * Return: 0; -ESRCH it ended; -ESTALE it has another mm (execve).
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
 * pta_target_drop() - Release what pta_target_grab() took.
 * @target: its .mm becomes NULL
 */
void pta_target_drop(struct pta_target *target)
{
	mmdrop(target->mm);
	target->mm = NULL;
}

/**
 * pta_pin() - Prevent the teardown of an mm's address space.
 * @mm: held by mmgrab()
 *
 * Context: may sleep.  lockdep treats the pin as a lock outside mmap_lock. It
 * reports a pin that is not released at the end of the system call, and reading
 * a table without a pin.
 *
 * Return: 0, to be released by pta_unpin(); -ESRCH the address space is gone.
 */
int pta_pin(struct mm_struct *mm)
{
	if (!mmget_not_zero(mm))
		return -ESRCH;
	pta_note_pin();
	return 0;
}

/**
 * pta_unpin() - Release a pin.
 * @mm: the pinned mm
 *
 * Context: may sleep (if the process ended meanwhile, mmput() runs exit_mmap(),
 * which takes mmap_lock: always from 6.1 on).
 */
void pta_unpin(struct mm_struct *mm)
{
	pta_note_unpin();
	might_lock(&mm->mmap_lock);
	mmput(mm);
}
