// SPDX-License-Identifier: LGPL-2.1-or-later
/* Stops and continues the target; measures nothing. */
#define _GNU_SOURCE /* pipe2(), close_range() */
#include "freeze.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "procfs.h"
#include "procfs_file.h"
#include "sharers.h"

#define STOP_TRIES 200
#define STOP_PAUSE_NS 5000000L
#define MOST_SHARERS 1024
#define MOST_FDS	4096

static bool is_stopped(char state)
{
	return state == 'T' || state == 't';
}

/*
 * Who waits for a vfork child does nothing until it lets go of the mm, and heeds
 * no SIGSTOP either.  Source: wait_for_vfork_done(), kernel/fork.c.
 */
static bool awaits_vfork(const struct ptu_proc *proc)
{
	char *text, *end;
	long number;
	bool is_fork;

	if (proc->state != 'D' ||
	    ptu_file_read(proc->dirfd, "syscall", 0, &text))
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

/* 'T' of the process means that each of its threads has stopped. */
static int wait_until_stopped(pid_t pid, struct ptu_err *err)
{
	const struct timespec pause = { .tv_nsec = STOP_PAUSE_NS };
	unsigned int try;

	for (try = 0; try < STOP_TRIES; try++) {
		struct ptu_proc proc;
		int error = ptu_proc_open(pid, &proc, err);
		bool is_still;

		if (error)
			return error;
		is_still = is_stopped(proc.state) || proc.state == 'Z' ||
			   awaits_vfork(&proc);
		ptu_proc_close(&proc);
		if (is_still)
			return 0;
		nanosleep(&pause, NULL);
	}
	return ptu_err_set(err, -EBUSY,
			   "process %d did not stop within a second", pid);
}

/* Told through the pipe who is about to be stopped; at its end all go on. */
static void guard_child(int fd)
{
	pid_t pids[MOST_SHARERS];
	size_t nr = 0, i;
	ssize_t n;

	/* a signal to our group must not keep the target stopped */
	setpgid(0, 0);
	/* nor may the pipe of another thread's guard, which would wait for us */
	dup2(fd, STDIN_FILENO);
	if (close_range(STDIN_FILENO + 1, ~0u, 0)) {
		for (fd = STDIN_FILENO + 1; fd < MOST_FDS; fd++)
			close(fd);
	}
	while (nr < MOST_SHARERS) {
		n = read(STDIN_FILENO, &pids[nr], sizeof(pids[nr]));
		if (n < 0 && errno == EINTR)
			continue;
		if (n != sizeof(pids[nr]))
			break;
		nr++;
	}
	for (i = 0; i < nr; i++)
		kill(pids[i], SIGCONT);
	_exit(0);
}

static int start_guard(struct ptu_freeze *ret, struct ptu_err *err)
{
	int fds[2], error;

	if (pipe2(fds, O_CLOEXEC))
		return ptu_err_set(err, -errno, "no pipe: %s", strerror(errno));
	ret->guard = fork();
	if (ret->guard < 0) {
		error = -errno;
		ret->guard = 0;
		close(fds[0]);
		close(fds[1]);
		return ptu_err_set(err, error, "cannot fork: %s",
				   strerror(-error));
	}
	if (!ret->guard)
		guard_child(fds[0]);
	close(fds[0]);
	ret->fd = fds[1];
	return 0;
}

/* One more process stands still, unless it did before. */
static int stop(struct ptu_freeze *freeze, pid_t pid, struct ptu_err *err)
{
	struct ptu_proc proc;
	int error = ptu_proc_open(pid, &proc, err);

	if (error)
		return error;
	ptu_proc_close(&proc);
	if (is_stopped(proc.state))
		return 0;
	/* the guard reads one less than it has room for, then waits for the end */
	if (freeze->nr == MOST_SHARERS - 1)
		return ptu_err_set(err, -E2BIG,
				   "more than %d processes share the mm of process %d",
				   MOST_SHARERS, pid);
	if (!freeze->guard) {
		error = start_guard(freeze, err);
		if (error)
			return error;
	}
	if (write(freeze->fd, &pid, sizeof(pid)) != sizeof(pid))
		return ptu_err_set(err, -errno, "no guard: %s",
				   strerror(errno));
	freeze->nr++;
	if (kill(pid, SIGSTOP))
		return ptu_err_set(err, -errno, "cannot stop process %d: %s",
				   pid, strerror(errno));
	return wait_until_stopped(pid, err);
}

/* Asked again until nobody is left who could make one more. */
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
			if (error == -ESRCH) { /* it has ended meanwhile */
				error = 0;
				err->text[0] = '\0';
			}
		}
		free(pids);
		again = freeze->nr > before;
	}
	return error;
}

int ptu_freeze(pid_t pid, struct ptu_freeze *ret, struct ptu_err *err)
{
	struct ptu_freeze freeze = { 0 };
	int error;

	if (pid == getpid())
		return 0;
	error = stop(&freeze, pid, err);
	if (!error)
		error = stop_sharers(&freeze, pid, err);
	if (error)
		ptu_thaw(&freeze);
	else
		*ret = freeze;
	return error;
}

void ptu_thaw(struct ptu_freeze *freeze)
{
	if (!freeze->guard)
		return;
	close(freeze->fd);
	while (waitpid(freeze->guard, NULL, 0) < 0 && errno == EINTR)
		;
	memset(freeze, 0, sizeof(*freeze));
}
