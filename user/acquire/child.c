// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Runs a command under ptrace up to the exit stop of its last thread, where its
 * page tables are still whole.  Must not measure or print.
 *
 * A thread that exits may not be the last one: the others live on, or one of
 * them is about to exec and ends the rest, the main thread too.  So all threads
 * are traced, and each but the last goes on from its exit stop.
 *
 * Source: kernel/exit.c, do_exit(): ptrace_event(PTRACE_EVENT_EXIT) comes
 * before exit_mm() (6.1); fs/exec.c, de_thread().
 */
#define _GNU_SOURCE
#include "acquire/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "acquire/procfs.h"
#include "base/clock.h"

#define NS_PER_SEC 1000000000LL

/* Signal state of this process, as it was and as the command shall have it. */
struct signals {
	struct sigaction interrupt;
	struct sigaction quit;
	struct sigaction child;
	sigset_t mask;
};

/* Threads of the command that are traced and have not come to their exit stop. */
struct threads {
	pid_t *tids;
	size_t nr;
	size_t capacity;
};

static size_t find_thread(const struct threads *threads, pid_t tid)
{
	size_t i;

	for (i = 0; i < threads->nr && threads->tids[i] != tid; i++)
		;
	return i;
}

static int add_thread(struct threads *threads, pid_t tid)
{
	if (find_thread(threads, tid) < threads->nr)
		return 0;
	if (threads->nr == threads->capacity) {
		size_t capacity = 2 * threads->capacity + 8;
		pid_t *more = reallocarray(threads->tids, capacity,
					   sizeof(*more));

		if (!more)
			return -ENOMEM;
		threads->tids = more;
		threads->capacity = capacity;
	}
	threads->tids[threads->nr++] = tid;
	return 0;
}

/* Return: whether it was one of them. */
static bool remove_thread(struct threads *threads, pid_t tid)
{
	size_t i = find_thread(threads, tid);

	if (i == threads->nr)
		return false;
	threads->tids[i] = threads->tids[--threads->nr];
	return true;
}

/* clone(CLONE_VM) without CLONE_THREAD makes a process of its own. */
static bool is_thread_of(pid_t pid, pid_t tid)
{
	return !syscall(SYS_tgkill, pid, tid, 0) || errno != ESRCH;
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
		left_ns = deadline_ns - (long long)ptu_now_ns();
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
 * Note what a stop says of the threads that there are.
 *
 * Return: 0; 1 a process of its own, which was let go; -ENOMEM.
 */
static int note_stop(pid_t pid, pid_t tid, int status, struct threads *threads)
{
	unsigned long message = 0;

	switch (status >> 16) {
	case PTRACE_EVENT_EXEC: /* it has the PID, and the others have ended */
		threads->nr = 0;
		return add_thread(threads, pid);
	case PTRACE_EVENT_CLONE:
		/* fails on one that was killed: there is nobody to be noted */
		if (!ptrace(PTRACE_GETEVENTMSG, tid, NULL, &message) &&
		    is_thread_of(pid, (pid_t)message))
			return add_thread(threads, (pid_t)message);
		return 0;
	case PTRACE_EVENT_EXIT:
		return 0;
	}
	if (find_thread(threads, tid) < threads->nr)
		return 0;
	if (is_thread_of(pid, tid))
		return add_thread(threads, tid);
	ptrace(PTRACE_DETACH, tid, NULL, NULL);
	return 1;
}

/*
 * Run the command up to the exit stop of its last thread, or to @deadline_ns if
 * that is not 0.
 *
 * Return: 0, with @ret_tid; 1 past the deadline; -ESRCH ended without a stop,
 * @status has how; -errno.
 */
static int run_to_exit(pid_t pid, long long deadline_ns,
		       struct threads *threads, pid_t *ret_tid, int *status)
{
	for (;;) {
		pid_t got = wait_until(-1, status, deadline_ns);
		int noted;

		if (got == 0)
			return 1;
		if (got < 0)
			return -errno;
		if (!WIFSTOPPED(*status)) {
			remove_thread(threads, got);
			if (got == pid)
				return -ESRCH;
			continue;
		}
		noted = note_stop(pid, got, *status, threads);
		if (noted < 0)
			return noted;
		if (noted)
			continue;
		if (*status >> 16 == PTRACE_EVENT_EXIT &&
		    remove_thread(threads, got) && !threads->nr) {
			*ret_tid = got;
			return 0;
		}
		go_on(got, *status);
	}
}

/*
 * Stop tracing a command that runs: only a stopped tracee can be let go.
 *
 * Return: 0; 1 its last thread came to its exit stop first, with @ret_tid;
 * -ESRCH it ended; -errno.
 */
static int let_go(pid_t pid, struct threads *threads, pid_t *ret_tid,
		  int *status)
{
	bool any_gone_on = false;
	size_t i;

	/* fails on one that is stopped or ends: the wait below tells */
	for (i = 0; i < threads->nr; i++)
		ptrace(PTRACE_INTERRUPT, threads->tids[i], NULL, NULL);
	while (threads->nr) {
		pid_t got = wait_until(-1, status, 0);
		int event = *status >> 16, noted;

		if (got < 0)
			return -errno;
		if (!WIFSTOPPED(*status)) {
			remove_thread(threads, got);
			if (got == pid)
				return -ESRCH;
			continue;
		}
		noted = note_stop(pid, got, *status, threads);
		if (noted < 0)
			return noted;
		if (noted || !remove_thread(threads, got))
			continue;
		if (event == PTRACE_EVENT_EXIT && !threads->nr &&
		    !any_gone_on) {
			*ret_tid = got;
			return 1;
		}
		any_gone_on |= event != PTRACE_EVENT_EXIT;
		/* a signal that came just now goes along */
		if (ptrace(PTRACE_DETACH, got, NULL,
			   (void *)(event ? 0L : (long)WSTOPSIG(*status))) &&
		    errno != ESRCH)
			return -errno;
	}
	return 0;
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
	long options = PTRACE_O_TRACEEXIT | PTRACE_O_TRACECLONE |
		       PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
	struct threads threads = { 0 };
	int exec_errno;
	int status = 0;
	int error;

	if (ptrace(PTRACE_SEIZE, run->pid, NULL, (void *)options))
		return ptu_err_set(err, -errno, "cannot trace %s: %m", argv[0]);
	if (write(go_fd, "", 1) != 1)
		return ptu_err_set(err, -errno, "cannot start %s: %m", argv[0]);
	error = add_thread(&threads, run->pid);
	if (!error)
		error = run_to_exit(run->pid,
				    after_ns ?
					    (long long)ptu_now_ns() + after_ns :
					    0,
				    &threads, &run->tid, &status);
	if (error == 1) {
		error = let_go(run->pid, &threads, &run->tid, &status);
		if (error == 1)
			error = 0;
	}
	free(threads.tids);
	run->at_exit = run->tid != 0;
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
static void end_by_force(const struct ptu_run *run)
{
	int status;
	pid_t got;

	kill(run->pid, SIGKILL);
	ptrace(PTRACE_CONT, run->pid, NULL, NULL);
	if (run->tid)
		ptrace(PTRACE_CONT, run->tid, NULL, NULL);
	do {
		got = waitpid(-1, &status, __WALL);
		if (got > 0 && WIFSTOPPED(status))
			ptrace(PTRACE_CONT, got, NULL, NULL);
	} while ((got < 0 && errno == EINTR) ||
		 (got > 0 && (got != run->pid || WIFSTOPPED(status))));
}

int ptu_run_start(char *const argv[], long long after_ns, struct ptu_run *ret,
		  struct ptu_err *err)
{
	struct ptu_run run = { 0 };
	struct signals saved;
	int error_pipe[2];
	int go_pipe[2];
	int error = ptu_proc_own_namespace(err);

	if (error) /* its PID would be another process's in /proc */
		return error;
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
		end_by_force(&run);
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
	pid_t got;

	if (run->tid)
		ptrace(PTRACE_DETACH, run->tid, NULL, NULL);
	run->tid = 0;
	signals_hold(&saved);
	/* its other threads first: they are ours to wait for, too */
	do
		got = waitpid(-1, &status, __WALL);
	while ((got < 0 && errno == EINTR) || (got > 0 && got != run->pid));
	signals_restore(&saved);
}
