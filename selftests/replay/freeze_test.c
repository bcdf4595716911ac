// SPDX-License-Identifier: GPL-2.0-only
/*
 * A process that --freeze has stopped runs again, wherever the tool is interrupted.
 * Each run is interrupted before another system call of the tool, from the start of its
 * guard to the end.  Between two system calls the tool changes nothing outside itself,
 * so these are all cases.  The guard runs as early as possible, or as late as possible.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

#define MOST_CALLS 20000

/* How a run is interrupted: the signal, and the processes that get it. */
enum blow { KILL_TOOL, INT_GROUP, TERM_BOTH, KILL_GUARD };

/**
 * struct scene - one run of the tool
 * @held: the guard is still stopped where it was forked
 * @call: the system call that the tool is in
 * @was_stopped: the target was stopped when the test interrupted the tool
 * @others: number of successive other processes that the tool has inspected
 */
struct scene {
	pid_t target, tool, guard;
	bool held;
	unsigned int others;
	long long call;
	bool was_stopped;
	int status;
};

static char state_of(pid_t pid)
{
	char path[32], text[512] = "";
	const char *end;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return '-';
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	fclose(file);
	end = strrchr(text, ')');
	return end ? end[2] : '?';
}

/* Never call kill() with a PID of -1. */
static pid_t fork_or_abort(void)
{
	pid_t pid = fork();

	if (pid < 0)
		abort();
	return pid;
}

static void start_target(struct scene *s)
{
	s->target = fork_or_abort();
	if (s->target)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		pause();
}

static void start_tool(struct scene *s)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", s->target);
	s->tool = fork_or_abort();
	if (s->tool)
		return;
	setpgid(0, 0);
	if (!freopen("/dev/null", "w", stdout) ||
	    !freopen("/dev/null", "w", stderr))
		_exit(126);
	ptrace(PTRACE_TRACEME, 0, 0, 0);
	execl(TOOL, TOOL, "estimate", "--freeze", "--estimator", "naive", pid,
	      (char *)NULL);
	_exit(127);
}

static void release_guard(struct scene *s)
{
	if (s->held)
		ptrace(PTRACE_DETACH, s->guard, 0, 0);
	s->held = false;
}

/* Does the tool wait for the guard? */
static bool waits_for_guard(const struct scene *s)
{
	return (s->call == SYS_recvfrom || s->call == SYS_read ||
		s->call == SYS_wait4) &&
	       state_of(s->tool) == 'S';
}

/*
 * Wait until the tool stops again.  If the tool waits for the held guard, release the
 * guard.
 */
static void wait_for_tool(struct scene *s)
{
	while (s->held && !waitpid(s->tool, &s->status, WNOHANG | __WALL)) {
		if (waits_for_guard(s))
			release_guard(s);
		usleep(100);
	}
	if (!s->held)
		waitpid(s->tool, &s->status, __WALL);
}

static void take_guard(struct scene *s, bool late)
{
	unsigned long pid;

	ptrace(PTRACE_GETEVENTMSG, s->tool, 0, &pid);
	s->guard = (pid_t)pid;
	waitpid(s->guard, NULL, __WALL);
	s->held = true;
	if (late)
		return;
	release_guard(s);
	while (state_of(s->guard) != 'S')
		usleep(100);
}

static void strike(struct scene *s, enum blow blow)
{
	s->was_stopped = state_of(s->target) == 'T';
	if (blow == KILL_TOOL)
		kill(s->tool, SIGKILL);
	if (blow == INT_GROUP)
		kill(-s->tool, SIGINT);
	if (blow == TERM_BOTH)
		kill(s->tool, SIGTERM);
	if (blow == TERM_BOTH)
		kill(s->guard, SIGTERM);
	if (blow == KILL_GUARD) {
		kill(s->guard, SIGKILL);
		/* the tracer gets the exit status first, then the parent */
		if (s->held)
			waitpid(s->guard, NULL, __WALL);
		s->held = false;
	}
	ptrace(PTRACE_DETACH, s->tool, 0, 0);
	release_guard(s);
}

/*
 * Is the tool interrupted in the same state as before?  A call that reads changes nothing
 * outside the tool, so a series of them has one state.  The tool reads one mapping after
 * the other.  It inspects each process of the machine by the same calls, of which the
 * first is getpid(); only the first processes are tested.
 */
static bool is_repeated(struct scene *s, long long last)
{
	switch (s->call) {
	case SYS_ioctl:
	case SYS_pread64:
		s->others = 0;
		return last == s->call;
	case SYS_getpid:
		s->others++;
		return true;
	case SYS_kcmp:
		return true;
	case SYS_openat:
	case SYS_read:
	case SYS_close:
		return s->others > 2;
	}
	s->others = 0;
	return false;
}

/*
 * Run the tool, and interrupt it before its system call number @when after the guard's
 * fork; repeated calls are not counted.
 *
 * Return: whether the tool reached that call.
 */
static bool run(struct scene *s, enum blow blow, bool late, unsigned int when)
{
	unsigned int calls = 0;
	bool struck = false;
	long long last;
	int signal = 0;

	s->call = -1;
	s->guard = 0;
	s->others = 0;
	s->held = s->was_stopped = false;
	start_tool(s);
	waitpid(s->tool, &s->status, __WALL);
	ptrace(PTRACE_SETOPTIONS, s->tool, 0,
	       PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_EXITKILL);
	while (!struck) {
		struct __ptrace_syscall_info info;

		ptrace(s->guard ? PTRACE_SYSCALL : PTRACE_CONT, s->tool, 0,
		       signal);
		wait_for_tool(s);
		if (!WIFSTOPPED(s->status))
			break;
		signal = 0;
		if (s->status >> 16 == PTRACE_EVENT_FORK) {
			take_guard(s, late);
		} else if (WSTOPSIG(s->status) == (SIGTRAP | 0x80)) {
			ptrace(PTRACE_GET_SYSCALL_INFO, s->tool, sizeof(info),
			       &info);
			if (info.op != PTRACE_SYSCALL_INFO_ENTRY)
				continue;
			last = s->call;
			s->call = (long long)info.entry.nr;
			if (is_repeated(s, last) || calls++ != when)
				continue;
			strike(s, blow);
			struck = true;
		} else {
			signal = WSTOPSIG(s->status);
		}
	}
	if (struck)
		waitpid(s->tool, &s->status, __WALL);
	/* the guard is now our child, unless the tool has reaped it */
	if (s->guard)
		waitpid(s->guard, NULL, __WALL);
	return struck;
}

/* A process that was just continued runs before it sleeps again. */
static char settled_state_of(pid_t pid)
{
	char state;

	while ((state = state_of(pid)) == 'R')
		usleep(100);
	return state;
}

static void target_runs_after(enum blow blow, bool late)
{
	struct scene s;
	unsigned int when, nr_stopped = 0;
	char state = '?';

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	start_target(&s);
	for (when = 0; when < MOST_CALLS; when++) {
		bool struck = run(&s, blow, late, when);

		state = settled_state_of(s.target);
		if (!struck || state == 'T')
			break;
		nr_stopped += s.was_stopped;
	}
	kill(s.target, SIGKILL);
	waitpid(s.target, NULL, 0);
	if (state != 'S')
		UNIT_FAIL("the target is in state %c after a signal before call %u (system call %lld)",
			  state, when, s.call);
	/* the last run is not interrupted: it succeeds; in earlier runs the target was stopped */
	CHECK_EQ(s.status, 0);
	CHECK(nr_stopped > 0 && nr_stopped < when);
}

UNIT_TEST(target_runs_after_sigkill_of_tool_with_late_guard)
{
	target_runs_after(KILL_TOOL, true);
}

UNIT_TEST(target_runs_after_sigint_of_group_with_late_guard)
{
	target_runs_after(INT_GROUP, true);
}

UNIT_TEST(target_runs_after_sigterm_of_tool_and_guard_with_early_guard)
{
	target_runs_after(TERM_BOTH, false);
}

UNIT_TEST(target_runs_after_sigterm_of_tool_and_guard_with_late_guard)
{
	target_runs_after(TERM_BOTH, true);
}

UNIT_TEST(target_runs_after_sigkill_of_early_guard)
{
	target_runs_after(KILL_GUARD, false);
}

UNIT_MAIN
