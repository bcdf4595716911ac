// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Runs a command under ptrace up to its exit stop, where its page tables are
 * still whole.  Must not measure or print.
 *
 * Source: kernel/exit.c, do_exit(): ptrace_event(PTRACE_EVENT_EXIT) comes
 * before exit_mm() (6.1).
 */
#define _GNU_SOURCE
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_SEC 1000000000LL

/* Signal state of this process, as it was and as the command shall have it. */
struct signals {
	struct sigaction interrupt;
	struct sigaction quit;
	struct sigaction child;
	sigset_t mask;
};

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_SEC + now.tv_nsec;
}

/* As system(3): the terminal's signals are the command's, SIGCHLD is waited for. */
static void signals_hold(struct signals *saved)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct sigaction standard = { .sa_handler = SIG_DFL };
	sigset_t child;

	sigaction(SIGINT, &ignore, &saved->interrupt);
	sigaction(SIGQUIT, &ignore, &saved->quit);
	sigaction(SIGCHLD, &standard, &saved->child); /* ignored: no wait */
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, &saved->mask);
}

static void signals_restore(const struct signals *saved)
{
	sigaction(SIGINT, &saved->interrupt, NULL);
	sigaction(SIGQUIT, &saved->quit, NULL);
	sigaction(SIGCHLD, &saved->child, NULL);
	sigprocmask(SIG_SETMASK, &saved->mask, NULL);
}

/* In the child: wait for the tracer, then become the command. */
static void __attribute__((noreturn))
become(char *const argv[], const struct signals *saved, int go_fd, int error_fd)
{
	ssize_t done;
	char byte;
	int error;

	do {
		done = read(go_fd, &byte, 1);
	} while (done < 0 && errno == EINTR);
	if (done == 1 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0) {
		signals_restore(saved);
		execvp(argv[0], argv);
		error = errno;
		/* a pipe takes so little at once, or nobody is left to read */
		if (write(error_fd, &error, sizeof(error)) < 0)
			_exit(126);
	}
	_exit(127);
}

/*
 * waitpid() with a deadline: 0 when it has passed.
 */
static pid_t wait_until(pid_t pid, int *status, long long deadline_ns)
{
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	for (;;) {
		pid_t got = waitpid(pid, status,
				    __WALL | (deadline_ns ? WNOHANG : 0));
		struct timespec left;
		long long left_ns;

		if (got > 0)
			return got;
		if (got < 0) {
			if (errno == EINTR)
				continue;
			return got;
		}
		left_ns = deadline_ns - now_ns();
		if (left_ns <= 0)
			return 0;
		left.tv_sec = left_ns / NS_PER_SEC;
		left.tv_nsec = left_ns % NS_PER_SEC;
		/* a signal or the deadline: either way look again */
		sigtimedwait(&child, NULL, &left);
	}
}

/*
 * Let a stopped tracee go on.  It may have been killed meanwhile, which the
 * next wait tells, so that errors are nothing to act on.
 */
static void go_on(pid_t pid, int status)
{
	int signal = WSTOPSIG(status);
	int event = status >> 16;

	if (event == PTRACE_EVENT_STOP && signal != SIGTRAP)
		ptrace(PTRACE_LISTEN, pid, NULL, NULL); /* a group stop */
	else
		ptrace(PTRACE_CONT, pid, NULL,
		       (void *)(event ? 0L : (long)signal));
}

/*
 * Run the tracee up to its exit stop, or to @deadline_ns if that is not 0.
 *
 * Return: 0; 1 past the deadline; -ESRCH ended without a stop, @status has how.
 */
static int run_to_exit(pid_t pid, long long deadline_ns, int *status)
{
	for (;;) {
		pid_t got = wait_until(pid, status, deadline_ns);

		if (got == 0)
			return 1;
		if (got < 0)
			return -errno;
		if (!WIFSTOPPED(*status))
			return -ESRCH;
		if (*status >> 16 == PTRACE_EVENT_EXIT)
			return 0;
		go_on(pid, *status);
	}
}

/*
 * Stop tracing a command that runs: only a stopped tracee can be let go.
 *
 * Return: 0; 1 it came to its exit stop first; -ESRCH it ended.
 */
static int let_go(pid_t pid, int *status)
{
	/* fails on one that is stopped or ends: the wait below tells */
	ptrace(PTRACE_INTERRUPT, pid, NULL, NULL);
	for (;;) {
		pid_t got = wait_until(pid, status, 0);
		int event = *status >> 16;

		if (got < 0)
			return -errno;
		if (!WIFSTOPPED(*status))
			return -ESRCH;
		if (event == PTRACE_EVENT_EXIT)
			return 1;
		/* a signal that came just now goes along */
		if (ptrace(PTRACE_DETACH, pid, NULL,
			   (void *)(event ? 0L : (long)WSTOPSIG(*status))))
			return -errno;
		return 0;
	}
}

/*
 * Why the command did not become itself: errno of its exec, 0 if it did, -1 if
 * it did not come to that.  The pipe is closed by the exec.
 */
static int exec_error(int error_fd)
{
	ssize_t done;
	int error = 0;

	do {
		done = read(error_fd, &error, sizeof(error));
	} while (done < 0 && errno == EINTR);
	if (done == sizeof(error))
		return error;
	return done == 0 ? 0 : -1;
}

/* Say why the command cannot be measured. */
static int ended_early(const char *name, int exec_errno, int status,
		       struct ptu_err *err)
{
	if (exec_errno > 0)
		return ptu_err_set(err, -exec_errno, "cannot run %s: %s", name,
				   strerror(exec_errno));
	if (exec_errno < 0)
		return ptu_err_set(err, -ESRCH,
				   "%s had not started when it was to be measured",
				   name);
	if (WIFSIGNALED(status))
		return ptu_err_set(err, -ESRCH,
				   "%s was killed by signal %d before it could be measured",
				   name, WTERMSIG(status));
	return ptu_err_set(err, -ESRCH, "%s ended before it could be measured",
			   name);
}

/*
 * The parent's part of the start: trace the child, let it exec, run it.
 * run->pid becomes 0 once the child is reaped.
 */
static int trace(char *const argv[], long long after_ns, int go_fd,
		 int error_fd, struct ptu_run *run, struct ptu_err *err)
{
	long options = PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL;
	int exec_errno;
	int status = 0;
	int error;

	if (ptrace(PTRACE_SEIZE, run->pid, NULL, (void *)options))
		return ptu_err_set(err, -errno, "cannot trace %s: %m", argv[0]);
	if (write(go_fd, "", 1) != 1)
		return ptu_err_set(err, -errno, "cannot start %s: %m", argv[0]);
	error = run_to_exit(run->pid, after_ns ? now_ns() + after_ns : 0,
			    &status);
	run->at_exit = error == 0;
	if (error == 1) {
		error = let_go(run->pid, &status);
		run->at_exit = error == 1;
		run->traced = run->at_exit;
		if (run->at_exit)
			error = 0;
	}
	if (error == -ESRCH)
		run->pid = 0;
	else if (error)
		return ptu_err_set(err, error, "cannot trace %s: %s", argv[0],
				   strerror(-error));
	exec_errno = exec_error(error_fd);
	if (error || exec_errno)
		return ended_early(argv[0], exec_errno, status, err);
	return 0;
}

/*
 * SIGKILL does not wake a tracee that stands at its exit stop: it is dying
 * already, and must be let go on.
 */
static void end_by_force(pid_t pid)
{
	int status;
	pid_t got;

	kill(pid, SIGKILL);
	do {
		ptrace(PTRACE_CONT, pid, NULL, NULL);
		got = waitpid(pid, &status, __WALL);
	} while ((got < 0 && errno == EINTR) ||
		 (got == pid && WIFSTOPPED(status)));
}

int ptu_run_start(char *const argv[], long long after_ns, struct ptu_run *ret,
		  struct ptu_err *err)
{
	struct ptu_run run = { .traced = true };
	struct signals saved;
	int error_pipe[2];
	int go_pipe[2];
	int error;

	if (pipe2(go_pipe, O_CLOEXEC))
		return ptu_err_set(err, -errno, "no pipe: %m");
	if (pipe2(error_pipe, O_CLOEXEC | O_NONBLOCK)) {
		error = ptu_err_set(err, -errno, "no pipe: %m");
		goto close_go;
	}
	signals_hold(&saved);
	run.pid = fork();
	if (run.pid < 0) {
		error = ptu_err_set(err, -errno, "no process for %s: %m",
				    argv[0]);
		goto restore;
	}
	if (run.pid == 0) {
		close(go_pipe[1]);
		close(error_pipe[0]);
		become(argv, &saved, go_pipe[0], error_pipe[1]);
	}
	close(error_pipe[1]);
	error_pipe[1] = -1;
	error = trace(argv, after_ns, go_pipe[1], error_pipe[0], &run, err);
	if (!error)
		*ret = run;
	else if (run.pid)
		end_by_force(run.pid);
restore:
	signals_restore(&saved);
	close(error_pipe[0]);
	if (error_pipe[1] >= 0)
		close(error_pipe[1]);
close_go:
	close(go_pipe[0]);
	close(go_pipe[1]);
	return error;
}

void ptu_run_end(struct ptu_run *run)
{
	struct signals saved;
	int status;

	if (run->traced)
		ptrace(PTRACE_DETACH, run->pid, NULL, NULL);
	run->traced = false;
	signals_hold(&saved);
	while (waitpid(run->pid, &status, __WALL) < 0 && errno == EINTR)
		;
	signals_restore(&saved);
}
