// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Run a command freely, or under ptrace up to the exit stop of its last thread, when its
 * page tables still exist.  Must not measure or print.
 *
 * A thread that exits is not always the last one: other threads may go on, or one
 * of them may be calling exec(), which ends all others, including the main thread.
 * So all threads are traced, and each one except the last is continued at its exit
 * stop.
 *
 * Source: kernel/exit.c, do_exit(): ptrace_event(PTRACE_EVENT_EXIT) precedes
 * exit_mm() (6.1); fs/exec.c, de_thread().
 */
#define _GNU_SOURCE
#include "acquire/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "acquire/procfs.h"
#include "base/array.h"
#include "base/clock.h"

#define NS_PER_SEC 1000000000LL

/* Traced threads of the command that have not reached their exit stop. */
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
	if (ptu_array_grow(&threads->tids, threads->nr, &threads->capacity,
			   sizeof(*threads->tids)))
		return -ENOMEM;
	threads->tids[threads->nr++] = tid;
	return 0;
}

/* Return: whether the thread was in the list. */
static bool remove_thread(struct threads *threads, pid_t tid)
{
	size_t i = find_thread(threads, tid);

	if (i == threads->nr)
		return false;
	threads->tids[i] = threads->tids[--threads->nr];
	return true;
}

/* clone(CLONE_VM) without CLONE_THREAD creates another process, not a thread. */
static bool is_thread_of(pid_t pid, pid_t tid)
{
	return !syscall(SYS_tgkill, pid, tid, 0) || errno != ESRCH;
}

/* As in system(3): ignore terminal signals, block SIGCHLD to wait for it. */
static void signals_hold(struct ptu_run_signals *saved)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	sigset_t child;

	sigaction(SIGINT, &ignore, &saved->interrupt);
	sigaction(SIGQUIT, &ignore, &saved->quit);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, &saved->mask);
}

static void signals_restore(const struct ptu_run_signals *saved)
{
	sigaction(SIGINT, &saved->interrupt, NULL);
	sigaction(SIGQUIT, &saved->quit, NULL);
	sigprocmask(SIG_SETMASK, &saved->mask, NULL);
}

/* In the child: wait for the tracer, then become the command. */
static void __attribute__((noreturn))
become(char *const argv[], const struct ptu_run_signals *saved, int go_fd,
       int error_fd)
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
		/* never short: the pipe is empty, or its reader has gone */
		if (write(error_fd, &error, sizeof(error)) < 0)
			_exit(126);
	}
	_exit(127);
}

/* waitpid() with a deadline; returns 0 after the deadline. */
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
		/* on a signal or at the deadline: check again */
		sigtimedwait(&child, NULL, &left);
	}
}

/*
 * Continue a stopped tracee.  Errors are ignored: it may have been killed, which
 * the next wait reports.
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
 * Update the list of threads at a stop.
 *
 * Return: 0; 1 if @tid is another process, which was detached; -ENOMEM.
 */
static int note_stop(pid_t pid, pid_t tid, int status, struct threads *threads)
{
	unsigned long message = 0;

	switch (status >> 16) {
	case PTRACE_EVENT_EXEC: /* the thread has the PID now; all others have ended */
		threads->nr = 0;
		return add_thread(threads, pid);
	case PTRACE_EVENT_CLONE:
		/* fails if the new thread was killed: then there is nothing to add */
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
 * Run the command up to the exit stop of its last thread, or to @deadline_ns if it
 * is not 0.
 *
 * Return: 0, with @ret_tid; 1 at the deadline; -ESRCH if it ended without an exit
 * stop, with its @status; -errno.
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
 * Stop tracing a running command. A tracee must be stopped to be detached.
 *
 * Return: 0; 1, with @ret_tid, if its last thread reached its exit stop first;
 * -ESRCH if it ended; -errno.
 */
static int let_go(pid_t pid, struct threads *threads, pid_t *ret_tid,
		  int *status)
{
	bool any_gone_on = false;
	size_t i;

	/* fails for a thread that is stopped or ends: the wait below detects it */
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
		/* deliver a signal that has just arrived */
		if (ptrace(PTRACE_DETACH, got, NULL,
			   (void *)(event ? 0L : (long)WSTOPSIG(*status))) &&
		    errno != ESRCH)
			return -errno;
	}
	return 0;
}

/*
 * Why exec() of the command failed: its errno; 0 if it succeeded; -1 if it was not
 * reached. A successful exec() closes the pipe.
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

/* Report why the command cannot be measured. */
static int ended_early(const char *name, int exec_errno, int status,
		       struct ptu_err *err)
{
	if (exec_errno > 0)
		return ptu_err_set(err, -exec_errno, "cannot run %s: %s", name,
				   strerror(exec_errno));
	if (exec_errno < 0)
		return ptu_err_set(err, -ESRCH,
				   "cannot measure %s: it had not started yet",
				   name);
	if (WIFSIGNALED(status))
		return ptu_err_set(err, -ESRCH,
				   "%s was killed by signal %d before it could be measured",
				   name, WTERMSIG(status));
	return ptu_err_set(err, -ESRCH, "%s ended before it could be measured",
			   name);
}

/*
 * The parent's part of the start: trace the child, let it call exec(), run it. Sets
 * run->pid to 0 when the child has been reaped.
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

/* Without ptrace: let the child call exec(), and wait for its result. */
static int let_run(char *const argv[], int go_fd, int error_fd,
		   struct ptu_run *run, struct ptu_err *err)
{
	struct pollfd poll_fd = { .fd = error_fd, .events = POLLIN };
	int exec_errno;

	run->is_free = true;
	if (write(go_fd, "", 1) != 1)
		return ptu_err_set(err, -errno, "cannot start %s: %m", argv[0]);
	while (poll(&poll_fd, 1, -1) < 0 && errno == EINTR)
		;
	exec_errno = exec_error(error_fd);
	return exec_errno ? ended_early(argv[0], exec_errno, 0, err) : 0;
}

/*
 * SIGKILL does not wake a tracee at its exit stop, because it is already exiting:
 * continue it.
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
	struct ptu_run run = { .name = argv[0] };
	struct ptu_run_signals saved;
	int error_pipe[2];
	int go_pipe[2];
	int error = ptu_proc_own_namespace(err);

	/* in another PID namespace, /proc has another process under the child's PID */
	if (error)
		return error;
	if (pipe2(go_pipe, O_CLOEXEC))
		return ptu_err_set(err, -errno, "cannot create a pipe: %m");
	if (pipe2(error_pipe, O_CLOEXEC | O_NONBLOCK)) {
		error = ptu_err_set(err, -errno, "cannot create a pipe: %m");
		goto close_go;
	}
	signals_hold(&saved);
	run.pid = fork();
	if (run.pid < 0) {
		error = ptu_err_set(err, -errno, "cannot fork to run %s: %m",
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
	error = after_ns == PTU_RUN_FREELY ?
			let_run(argv, go_pipe[1], error_pipe[0], &run, err) :
			trace(argv, after_ns, go_pipe[1], error_pipe[0], &run,
			      err);
	run.signals = saved;
	if (!error)
		*ret = run;
	else if (run.pid)
		end_by_force(&run);
restore:
	if (error || !run.is_free)
		signals_restore(&saved);
	close(error_pipe[0]);
	if (error_pipe[1] >= 0)
		close(error_pipe[1]);
close_go:
	close(go_pipe[0]);
	close(go_pipe[1]);
	return error;
}

int ptu_run_adopt(struct ptu_err *err)
{
	if (!prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
		return 0;
	return ptu_err_set(err, -errno, "cannot adopt processes: %m");
}

bool ptu_run_reap(const struct ptu_run *run)
{
	siginfo_t info;

	do {
		info.si_pid = 0;
		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) ||
		    info.si_pid == run->pid)
			return false;
	} while (info.si_pid &&
		 !waitid(P_PID, (id_t)info.si_pid, &info, WEXITED | WNOHANG));
	return true;
}

bool ptu_run_end(struct ptu_run *run, struct ptu_err *ret)
{
	struct ptu_run_signals saved;
	int status = 0;
	pid_t got;

	if (run->tid)
		ptrace(PTRACE_DETACH, run->tid, NULL, NULL);
	run->tid = 0;
	if (run->is_free)
		saved = run->signals;
	else
		signals_hold(&saved);
	/* reap its other threads first: this process traces them */
	do
		got = waitpid(-1, &status, __WALL);
	while ((got < 0 && errno == EINTR) || (got > 0 && got != run->pid));
	signals_restore(&saved);
	if (got < 0 || !status)
		return false;
	if (WIFSIGNALED(status))
		ptu_err_set(ret, 0, "%s was killed by signal %d (%s)",
			    run->name, WTERMSIG(status),
			    strsignal(WTERMSIG(status)));
	else
		ptu_err_set(ret, 0, "%s ended with status %d", run->name,
			    WEXITSTATUS(status));
	return true;
}
