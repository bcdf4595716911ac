/* SPDX-License-Identifier: GPL-2.0-only */
/* Child processes of a test. */
#ifndef CHILD_H
#define CHILD_H

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* The caller may ignore SIGCHLD. Then waitpid() cannot find a child that has ended. */
static void __attribute__((constructor)) child_init(void)
{
	signal(SIGCHLD, SIG_DFL);
}

/**
 * child_fork() - fork() for a child that ends with the test program.
 *
 * Return: as fork(), but a failure aborts: kill() must never get a PID of -1.
 */
static inline pid_t child_fork(void)
{
	pid_t pid = fork();

	if (pid < 0)
		abort();
	if (!pid)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

/**
 * child_pause() - Wait until the child is killed.  For clone().
 */
static inline int child_pause(void *unused)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		pause();
	return 0;
}

/**
 * child_end() - Kill a child and wait for its end.
 */
static inline void child_end(pid_t pid)
{
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

#endif
