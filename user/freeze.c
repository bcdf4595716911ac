// SPDX-License-Identifier: LGPL-2.1-or-later
/* Stops and continues the target; measures nothing. */
#define _GNU_SOURCE /* pipe2() */
#include "freeze.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "procfs.h"

#define STOP_TRIES	200
#define STOP_PAUSE_NS	5000000L

static bool is_stopped(char state)
{
	return state == 'T' || state == 't';
}

/* 'T' of the process means that each of its threads has stopped. */
static int wait_until_stopped(pid_t pid, struct ptu_err *err)
{
	const struct timespec pause = { .tv_nsec = STOP_PAUSE_NS };
	unsigned int try;

	for (try = 0; try < STOP_TRIES; try++) {
		struct ptu_proc proc;
		int error = ptu_proc_open(pid, &proc, err);

		if (error)
			return error;
		ptu_proc_close(&proc);
		if (is_stopped(proc.state))
			return 0;
		nanosleep(&pause, NULL);
	}
	return ptu_err_set(err, -EBUSY,
			   "process %d did not stop within a second", pid);
}

static void guard_child(int fd, pid_t pid)
{
	char byte;
	ssize_t n;

	/* a signal to our group must not keep the target stopped */
	setpgid(0, 0);
	do
		n = read(fd, &byte, 1);
	while (n < 0 && errno == EINTR);
	kill(pid, SIGCONT);
	_exit(0);
}

int ptu_freeze(pid_t pid, struct ptu_freeze *ret, struct ptu_err *err)
{
	struct ptu_freeze freeze;
	struct ptu_proc proc;
	int fds[2], error;

	if (pid == getpid())
		return 0;
	error = ptu_proc_open(pid, &proc, err);
	if (error)
		return error;
	ptu_proc_close(&proc);
	if (is_stopped(proc.state))
		return 0;
	if (pipe2(fds, O_CLOEXEC))
		return ptu_err_set(err, -errno, "no pipe: %s", strerror(errno));
	freeze.guard = fork();
	if (freeze.guard < 0) {
		error = -errno;
		close(fds[0]);
		close(fds[1]);
		return ptu_err_set(err, error, "cannot fork: %s",
				   strerror(-error));
	}
	if (!freeze.guard) {
		close(fds[1]);
		guard_child(fds[0], pid);
	}
	close(fds[0]);
	freeze.fd = fds[1];
	if (kill(pid, SIGSTOP))
		error = ptu_err_set(err, -errno, "cannot stop process %d: %s",
				    pid, strerror(errno));
	if (!error)
		error = wait_until_stopped(pid, err);
	if (error) {
		ptu_thaw(&freeze);
		return error;
	}
	*ret = freeze;
	return 0;
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
