// SPDX-License-Identifier: LGPL-2.1-or-later
/* Stop and continue the target; must not measure. */
#define _GNU_SOURCE /* close_range() */
#include "acquire/freeze.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "acquire/file.h"
#include "acquire/procfs.h"
#include "acquire/procfs_task.h"
#include "acquire/sharers.h"
#include "base/clock.h"

/*
 * SIGSTOP does not interrupt a thread that populates memory.  On a busy machine such a
 * thread waits for a CPU most of the time; its state is R.
 */
#define STOP_SECONDS_R 60 /* time limit for threads in state R */
#define STOP_SECONDS 10	  /* time limit for threads in any other state */
#define STOP_PAUSE_NS 5000000L
#define MOST_FDS 4096

/*
 * The init of our PID namespace.  A SIGSTOP from inside of the namespace is ignored.
 * Source: sig_task_ignored(), kernel/signal.c.
 */
#define INIT 1

/* Is the thread neither stopped (T), stopped by a tracer (t), nor dead? */
static bool is_not_stopped(const struct ptu_proc *thread)
{
	return thread->state != 'T' && thread->state != 't' &&
	       !ptu_task_is_dead(thread->state);
}

/*
 * A parent that waits for its vfork() child runs nothing until the child releases
 * the mm. It does not react to SIGSTOP either.  Source: wait_for_vfork_done(),
 * kernel/fork.c.
 */
static bool awaits_vfork(const struct ptu_proc *thread)
{
	char *text, *end;
	long number;
	bool is_fork;

	if (thread->state != 'D' ||
	    ptu_file_read(thread->dirfd, "syscall", 0, &text))
		return false;
	number = strtol(text, &end, 10);
	is_fork = number == SYS_clone;
#ifdef SYS_vfork
	is_fork |= number == SYS_vfork;
#endif
#ifdef SYS_clone3
	is_fork |= number == SYS_clone3;
#endif
	is_fork &= end != text;
	free(text);
	return is_fork;
}

static bool may_run(const struct ptu_proc *thread)
{
	return is_not_stopped(thread) && !awaits_vfork(thread);
}

/*
 * Find a thread. Not through an open ptu_proc: that may be the directory of a thread.
 *
 * Return: 0 *@ret, closed, is the thread; -ESRCH there is none; -errno.
 */
static int find_thread(pid_t pid, bool (*is_wanted)(const struct ptu_proc *),
		       struct ptu_proc *ret, struct ptu_err *err)
{
	struct ptu_proc proc = { .pid = pid };
	char name[16];
	int error;

	snprintf(name, sizeof(name), "%d", (int)pid);
	proc.dirfd = ptu_file_open(PTU_PROC_ROOT, name, O_DIRECTORY);
	if (proc.dirfd == -ENOENT)
		return -ESRCH;
	error = proc.dirfd;
	if (error >= 0) {
		error = ptu_task_find_thread(&proc, is_wanted, ret);
		ptu_proc_close(&proc);
	}
	if (!error)
		ptu_proc_close(ret);
	if (error && error != -ESRCH)
		return ptu_err_set(err, error,
				   "process %d: cannot list its threads: %s",
				   (int)pid, strerror(-error));
	return error;
}

/*
 * Each thread stops when it returns to user space, the main thread maybe earlier than a
 * thread that is in the kernel.
 */
static int wait_until_stopped(pid_t pid, struct ptu_err *err)
{
	const struct timespec pause = { .tv_nsec = STOP_PAUSE_NS };
	const uint64_t began = ptu_now_ns();
	uint64_t now = began, last_r = began;
	struct ptu_proc thread;
	int error;

	while (!(error = find_thread(pid, may_run, &thread, err)) &&
	       now < began + STOP_SECONDS_R * PTU_NS_PER_SEC &&
	       now < last_r + STOP_SECONDS * PTU_NS_PER_SEC) {
		nanosleep(&pause, NULL);
		now = ptu_now_ns();
		if (thread.state == 'R')
			last_r = now;
	}
	if (!error)
		return ptu_err_set(err, -EBUSY,
				   "process %d: thread %d did not stop within %d seconds; its state is %c%s",
				   (int)pid, (int)thread.tid,
				   (int)((now - began) / PTU_NS_PER_SEC),
				   thread.state,
				   thread.state == 'R' ?
					   "" :
					   " (without --freeze, a process of a frozen cgroup can be measured)");
	return error == -ESRCH ? 0 : error;
}

static void continue_all(const pid_t *pids, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		kill(pids[i], SIGCONT);
}

static ssize_t receive(int fd, void *buffer, size_t bytes)
{
	ssize_t n;

	do
		n = recv(fd, buffer, bytes, 0);
	while (n < 0 && errno == EINTR);
	return n;
}

/*
 * The guard process: it receives each PID before that process is stopped, and
 * continues all of them when the tool closes the socket or dies.  It blocks all
 * signals.
 */
static void guard_child(int fd)
{
	pid_t pids[PTU_FREEZE_MOST + 1];
	size_t nr = 0;

	/* escape signals to the tool's process group, or by name */
	setsid();
	prctl(PR_SET_NAME, "freeze-guard");
	/* close other guards' sockets: they wait for every copy to close */
	dup2(fd, STDIN_FILENO);
	if (close_range(STDIN_FILENO + 1, ~0u, 0)) {
		for (fd = STDIN_FILENO + 1; fd < MOST_FDS; fd++)
			close(fd);
	}
	if (send(STDIN_FILENO, "", 1, MSG_NOSIGNAL) == 1) {
		while (nr <= PTU_FREEZE_MOST &&
		       receive(STDIN_FILENO, &pids[nr], sizeof(pids[nr])) ==
			       sizeof(pids[nr]))
			nr++;
	}
	continue_all(pids, nr);
	_exit(0);
}

/* Returns when the guard is ready. No process may be stopped earlier. */
static int start_guard(struct ptu_freeze *ret, struct ptu_err *err)
{
	/* not sigset_t: the C library excludes its internal signals */
	const uint64_t all = UINT64_MAX;
	uint64_t before;
	int fds[2], error;
	pid_t guard;
	char ready;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		return ptu_err_set(err, -errno,
				   "cannot create a socket pair: %s",
				   strerror(errno));
	/* the guard starts with all signals blocked */
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof(all));
	guard = fork();
	error = guard < 0 ? -errno : 0;
	if (!guard)
		guard_child(fds[0]);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof(before));
	close(fds[0]);
	if (error) {
		close(fds[1]);
		return ptu_err_set(err, error, "cannot fork: %s",
				   strerror(-error));
	}
	ret->guard = guard;
	ret->fd = fds[1];
	if (receive(ret->fd, &ready, sizeof(ready)) != sizeof(ready))
		return ptu_err_set(err, -ECHILD,
				   "the helper process that would continue process %d was killed",
				   (int)ret->pids[0]);
	return 0;
}

/* Add a process to those that the guard will continue. */
static int enlist(struct ptu_freeze *freeze, pid_t pid, struct ptu_err *err)
{
	size_t i;
	int error;

	/* a parent that waits for its vfork() child never reaches the state T */
	for (i = 0; i < freeze->nr; i++) {
		if (freeze->pids[i] == pid)
			return 0;
	}
	if (freeze->nr == PTU_FREEZE_MOST)
		return ptu_err_set(err, -E2BIG,
				   "more than %d processes share the mm of process %d",
				   PTU_FREEZE_MOST, (int)freeze->pids[0]);
	freeze->pids[freeze->nr] = pid;
	if (!freeze->guard) {
		error = start_guard(freeze, err);
		if (error)
			return error;
	}
	if (send(freeze->fd, &pid, sizeof(pid), MSG_NOSIGNAL) != sizeof(pid))
		return ptu_err_set(err, -errno,
				   "the helper process that would continue process %d was killed",
				   (int)pid);
	freeze->nr++;
	return 0;
}

/* Stop one process, unless it was already stopped, or cannot be. */
static int stop(struct ptu_freeze *freeze, pid_t pid, struct ptu_err *err)
{
	struct ptu_proc proc, thread;
	int error;

	if (pid == INIT)
		return 0;
	error = ptu_proc_open(pid, &proc, err);
	if (error)
		return error;
	ptu_proc_close(&proc);
	error = find_thread(pid, is_not_stopped, &thread, err);
	if (error)
		return error == -ESRCH ? 0 : error;
	/* somebody else has just stopped it, and will continue it */
	if (proc.state == 'T')
		return wait_until_stopped(pid, err);
	error = enlist(freeze, pid, err);
	if (error)
		return error;
	if (kill(pid, SIGSTOP))
		return ptu_err_set(err, -errno, "cannot stop process %d: %s",
				   pid, strerror(errno));
	return wait_until_stopped(pid, err);
}

/* Repeat until no running process is left that could create another sharer. */
static int stop_sharers(struct ptu_freeze *freeze, pid_t pid,
			struct ptu_err *err)
{
	bool again = true;
	int error = 0;

	while (!error && again) {
		size_t before = freeze->nr, nr = 0, i;
		pid_t *pids = NULL;

		error = ptu_sharers(pid, &pids, &nr, err);
		for (i = 0; !error && i < nr; i++) {
			error = stop(freeze, pids[i], err);
			if (error == -ESRCH) { /* it has ended */
				error = 0;
				ptu_err_clear(err);
			}
		}
		free(pids);
		again = freeze->nr > before;
	}
	return error;
}

int ptu_freeze(struct ptu_proc *proc, struct ptu_freeze *ret,
	       struct ptu_err *err)
{
	const pid_t pid = proc->pid;
	struct ptu_freeze freeze = { 0 };
	int error;

	if (pid == getpid() || pid == INIT)
		return 0;
	error = stop(&freeze, pid, err);
	if (!error)
		error = stop_sharers(&freeze, pid, err);
	if (error) {
		ptu_thaw(&freeze);
		return error;
	}
	*ret = freeze;
	proc->opened_ns = ptu_now_ns();
	return 0;
}

void ptu_thaw(struct ptu_freeze *freeze)
{
	int status = -1;

	if (!freeze->guard)
		return;
	close(freeze->fd);
	while (waitpid(freeze->guard, &status, 0) < 0 && errno == EINTR)
		;
	/* the guard has continued them, unless it was killed */
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		continue_all(freeze->pids, freeze->nr);
	memset(freeze, 0, sizeof(*freeze));
}
