/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replaces waitpid(), ptrace() and other system calls of acquire/child.c, and includes that file.
 * A test lists the results of waitpid().  Each request of the tracer is appended to a text, which
 * the test compares.
 */
#ifndef FAKE_TRACEES_H
#define FAKE_TRACEES_H

#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "support/unit.h"

#define NAME "command"
#define PID 10

/* Statuses of waitpid(). */
#define SIGNAL_STOP(signal) ((signal) << 8 | 0x7f)
#define EVENT(event, signal) ((event) << 16 | SIGNAL_STOP(signal))
#define EXIT_STOP EVENT(PTRACE_EVENT_EXIT, SIGTRAP)
#define INTERRUPTED EVENT(PTRACE_EVENT_STOP, SIGTRAP)
#define CLONED EVENT(PTRACE_EVENT_CLONE, SIGTRAP)
#define EXECED EVENT(PTRACE_EVENT_EXEC, SIGTRAP)
#define EXITED(code) ((code) << 8)
#define KILLED(signal) (signal)

/* Values of fake_wait.task that are no PID. */
#define NOTHING_YET 0
#define INTERRUPTED_CALL (-EINTR)

struct fake_wait {
	pid_t task;
	int status;
};

static struct {
	struct fake_wait waits[16];
	unsigned int next;
	/* [TID] errno of tgkill(); 0: it succeeds */
	int is_thread[32];
	/* the new thread of a clone; 0: the event has no message */
	unsigned long cloned;
	/* a request that fails */
	int failing, failing_errno;
	unsigned long long now_ns;
	/* the first sigtimedwait() returns so long before the end of the time */
	unsigned long long early_ns;
	char text[512];
} tracees;

#define SCRIPT(...)                                                        \
	do {                                                               \
		const struct fake_wait script_[] = { __VA_ARGS__ };        \
                                                                           \
		memset(tracees.waits, 0, sizeof(tracees.waits));           \
		memcpy(tracees.waits, script_, sizeof(script_));           \
		tracees.waits[sizeof(script_) / sizeof(script_[0])].task = \
			-ECHILD;                                           \
		tracees.next = 0;                                          \
		tracees.text[0] = '\0';                                    \
	} while (0)

#define NOTE(...)                                     \
	snprintf(tracees.text + strlen(tracees.text), \
		 sizeof(tracees.text) - strlen(tracees.text), __VA_ARGS__)

static pid_t fake_waitpid(pid_t pid, int *status, int options)
{
	const struct fake_wait *wait = &tracees.waits[tracees.next];

	if (pid != -1 || !(options & __WALL) ||
	    (wait->task == NOTHING_YET && !(options & WNOHANG)))
		UNIT_FAIL("waitpid() has the PID %d and the options %x",
			  (int)pid, (unsigned int)options);
	if (wait->task != -ECHILD)
		tracees.next++;
	if (wait->task < 0) {
		errno = -wait->task;
		return -1;
	}
	*status = wait->status;
	return wait->task;
}

static long fake_ptrace(int request, pid_t pid, void *addr, void *data)
{
	static const struct {
		int request;
		const char *name;
	} requests[] = {
		{ PTRACE_SEIZE, "seize" },	   { PTRACE_CONT, "cont" },
		{ PTRACE_LISTEN, "listen" },	   { PTRACE_DETACH, "detach" },
		{ PTRACE_INTERRUPT, "interrupt" }, { 0, "?" },
	};
	unsigned int i = 0;

	errno = tracees.failing_errno;
	if (request == PTRACE_GETEVENTMSG) {
		*(unsigned long *)data = tracees.cloned;
		return tracees.cloned ? 0 : -1;
	}
	while (requests[i].request && requests[i].request != request)
		i++;
	NOTE("%s %d", requests[i].name, (int)pid);
	if (request == PTRACE_SEIZE &&
	    (long)data != (PTRACE_O_TRACEEXIT | PTRACE_O_TRACECLONE |
			   PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL))
		UNIT_FAIL("traced with the options 0x%lx", (long)data);
	if (request != PTRACE_SEIZE && data)
		NOTE(" signal %ld", (long)data);
	NOTE("; ");
	return request == tracees.failing ? -1 : 0;
}

static long fake_syscall(long nr, pid_t pid, pid_t tid, int signal)
{
	if (nr != SYS_tgkill || pid != PID || signal)
		UNIT_FAIL("system call %ld is unexpected", nr);
	errno = tracees.is_thread[tid];
	return errno ? -1 : 0;
}

static int fake_kill(pid_t pid, int signal)
{
	NOTE("kill %d signal %d; ", (int)pid, signal);
	return 0;
}

static int fake_sigtimedwait(const sigset_t *set, siginfo_t *info,
			     const struct timespec *left)
{
	if (!sigismember(set, SIGCHLD))
		UNIT_FAIL("ptaudit waits for another signal");
	NOTE("wait %lld.%09ld; ", (long long)left->tv_sec, left->tv_nsec);
	tracees.now_ns += (unsigned long long)left->tv_sec * 1000000000 +
			  (unsigned long long)left->tv_nsec - tracees.early_ns;
	tracees.early_ns = 0;
	return -1;
}

uint64_t ptu_now_ns(void)
{
	return tracees.now_ns;
}

#define waitpid fake_waitpid
#define ptrace fake_ptrace
#define syscall fake_syscall
#define kill fake_kill
#define sigtimedwait fake_sigtimedwait
#include "acquire/child.c"
#undef kill

int ptu_proc_own_namespace(struct ptu_err *err)
{
	return 0;
}

#endif
