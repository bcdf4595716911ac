/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tests of signals share: processes that make one call, and what holds a
 * call up.  Included once by each program.
 */
#ifndef LIVE_SIGNALS_H
#define LIVE_SIGNALS_H

#include <errno.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib.h"

/* What a call gave that its process lived to tell. */
struct reply {
	ssize_t got;
	int err, nr_handled;
	char data[256 * KIB];
};

static volatile sig_atomic_t nr_handled;

static void handle(int signal)
{
	(void)signal;
	nr_handled++;
}

/*
 * A child that makes one call on the file, by SYS_* number, and then ends.  No
 * SA_RESTART: what a signal ends stays ended.
 */
static pid_t start_call(int fd, long call, const char *request,
			struct reply *reply)
{
	const struct sigaction action = { .sa_handler = handle };
	size_t bytes = request ? strlen(request) : sizeof(reply->data);
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigaction(SIGUSR1, &action, NULL);
	reply->got = syscall(call, fd, request ? request : reply->data, bytes,
			     0);
	reply->err = reply->got < 0 ? errno : 0;
	reply->nr_handled = nr_handled;
	_exit(0);
}

/* A page that is not there until somebody gives it. */
static int absent_page(uint64_t addr)
{
	int uffd = live_uffd(0);

	if (uffd >= 0)
		live_uffd_register(uffd, addr, PAGE,
				   UFFDIO_REGISTER_MODE_MISSING);
	return uffd;
}

/*
 * Reads or writes to a page that is not there, by SYS_* number, and meanwhile has the
 * lock of the file's position: who shares the open file waits for it before the call
 * comes to the module, and no signal wakes it.
 */
static pid_t start_blocker(int fd, long call)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	live_map(FAR, PAGE, 0);
	if (absent_page(FAR) < 0)
		_exit(1);
	syscall(call, fd, FAR, 8);
	_exit(0);
}

#endif
