// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which processes are stopped, waited for and continued, and what happens if the guard or a
 * process cannot be reached.  The test is the kernel; freeze_test and freeze_guard_test have
 * real processes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "acquire/file.h"

#define close fake_close
#define fork fake_fork
#define getpid fake_getpid
#define kill fake_kill
#define nanosleep fake_nanosleep
#define recv fake_recv
#define send fake_send
#define socketpair fake_socketpair
#define syscall fake_syscall
#define waitpid fake_waitpid

int fake_close(int fd);
pid_t fake_fork(void);
pid_t fake_getpid(void);
int fake_kill(pid_t pid, int signal);
int fake_nanosleep(const struct timespec *pause, struct timespec *left);
ssize_t fake_recv(int fd, void *buffer, size_t bytes, int flags);
ssize_t fake_send(int fd, const void *buffer, size_t bytes, int flags);
int fake_socketpair(int domain, int type, int protocol, int fds[2]);
long fake_syscall(long nr, ...);
pid_t fake_waitpid(pid_t pid, int *status, int options);

#include "acquire/freeze.c"

#include "support/unit.h"

#define SELF 50
#define GUARD 60
#define GUARD_END 8
#define OUR_END 9
#define MOST 8

/* The processes with the PIDs from 1 on, and what they do when they are stopped. */
struct fake_process {
	/* state of its only thread; 0: there is no such process */
	char state;
	/* how often its threads are looked at before it has stopped */
	unsigned int slow;
	int proc_error, open_error, threads_error, kill_error;
};

static struct {
	struct fake_process processes[MOST];
	/* the result of each search for sharers */
	struct {
		pid_t pids[3];
		size_t nr;
		int error;
	} sharers[4];
	unsigned int nr_searches;
	int socket_error, fork_error, send_error;
	/* calls that a signal interrupts */
	unsigned int interrupts;
	ssize_t received;
	int guard_status;
	uint64_t now_ns;
	int nr_procs, nr_fds;
	/* the signal mask: 0, or all signals */
	uint64_t mask;
	char text[1024];
} fake;

static struct ptu_freeze freeze;
static struct ptu_err err;

#define NOTE(...)                               \
	snprintf(fake.text + strlen(fake.text), \
		 sizeof(fake.text) - strlen(fake.text), __VA_ARGS__)

static void set_up(void)
{
	memset(&fake, 0, sizeof(fake));
	memset(&freeze, 0, sizeof(freeze));
	fake.received = 1;
	fake.processes[3].state = fake.processes[4].state =
		fake.processes[5].state = 'S';
	err.text[0] = '\0';
}

static void tear_down(void)
{
	if (fake.nr_procs || fake.nr_fds || fake.mask)
		UNIT_FAIL("%d processes and %d descriptors are open, or signals are blocked",
			  fake.nr_procs, fake.nr_fds);
}

int fake_close(int fd)
{
	if (fd != GUARD_END && fd != OUR_END)
		UNIT_FAIL("descriptor %d is closed", fd);
	fake.nr_fds--;
	NOTE("close %s; ", fd == OUR_END ? "our end" : "its end");
	return 0;
}

pid_t fake_fork(void)
{
	if (fake.mask != UINT64_MAX)
		UNIT_FAIL("a signal can hit the guard");
	NOTE("fork; ");
	errno = fake.fork_error;
	return fake.fork_error ? -1 : GUARD;
}

pid_t fake_getpid(void)
{
	return SELF;
}

int fake_kill(pid_t pid, int signal)
{
	struct fake_process *process = &fake.processes[pid];

	NOTE("%s %d; ",
	     signal == SIGSTOP ? "stop" :
	     signal == SIGCONT ? "continue" :
				 "?",
	     (int)pid);
	errno = process->kill_error;
	if (errno)
		return -1;
	if (signal == SIGCONT)
		process->state = 'S';
	else if (!process->slow)
		process->state = 'T';
	return 0;
}

int fake_nanosleep(const struct timespec *pause, struct timespec *left)
{
	NOTE("wait %ld ms; ", pause->tv_sec * 1000 + pause->tv_nsec / 1000000);
	fake.now_ns += 5000000;
	return 0;
}

static bool is_interrupted(void)
{
	if (!fake.interrupts)
		return false;
	fake.interrupts--;
	errno = EINTR;
	return true;
}

ssize_t fake_recv(int fd, void *buffer, size_t bytes, int flags)
{
	if (fd != OUR_END || bytes != 1 || flags)
		UNIT_FAIL("ptaudit waits for something else than the guard");
	if (is_interrupted())
		return -1;
	*(char *)buffer = '\0';
	/* an earlier call was interrupted, this one was not */
	errno = EINTR;
	return fake.received;
}

ssize_t fake_send(int fd, const void *buffer, size_t bytes, int flags)
{
	pid_t pid;

	if (fd != OUR_END || bytes != sizeof(pid) || flags != MSG_NOSIGNAL)
		UNIT_FAIL("the guard is told something else than a PID");
	memcpy(&pid, buffer, sizeof(pid));
	NOTE("tell %d; ", (int)pid);
	errno = fake.send_error;
	return errno ? -1 : (ssize_t)bytes;
}

int fake_socketpair(int domain, int type, int protocol, int fds[2])
{
	if (domain != AF_UNIX || type != (SOCK_SEQPACKET | SOCK_CLOEXEC) ||
	    protocol)
		UNIT_FAIL("messages to the guard may be cut or inherited");
	errno = fake.socket_error;
	if (errno)
		return -1;
	fds[0] = GUARD_END;
	fds[1] = OUR_END;
	fake.nr_fds += 2;
	return 0;
}

long fake_syscall(long nr, ...)
{
	const uint64_t *new;
	uint64_t *before;
	va_list args;
	int how;

	va_start(args, nr);
	how = va_arg(args, int);
	new = va_arg(args, const uint64_t *);
	before = va_arg(args, uint64_t *);
	if (nr != SYS_rt_sigprocmask || how != SIG_SETMASK ||
	    va_arg(args, size_t) != 8)
		UNIT_FAIL("system call %ld is unexpected", nr);
	va_end(args);
	if (before)
		*before = fake.mask;
	fake.mask = *new;
	return 0;
}

pid_t fake_waitpid(pid_t pid, int *status, int options)
{
	if (pid != GUARD || options)
		UNIT_FAIL("ptaudit waits for another process");
	if (is_interrupted())
		return -1;
	NOTE("guard ended; ");
	*status = fake.guard_status;
	return pid;
}

int ptu_file_open(int dirfd, const char *name, int flags)
{
	const struct fake_process *process = &fake.processes[atoi(name)];

	if (dirfd != PTU_PROC_ROOT || flags != O_DIRECTORY)
		UNIT_FAIL("%s is opened in the wrong way", name);
	if (process->open_error)
		return process->open_error;
	if (!process->state)
		return -ENOENT;
	fake.nr_procs++;
	/* 0 for the process 3, as if standard input was closed */
	return atoi(name) - 3;
}

uint64_t ptu_now_ns(void)
{
	return fake.now_ns;
}

void ptu_proc_close(struct ptu_proc *proc)
{
	if (proc->dirfd < 0)
		UNIT_FAIL("a process is closed twice");
	proc->dirfd = -1;
	fake.nr_procs--;
}

int ptu_proc_open(pid_t pid, struct ptu_proc *ret, struct ptu_err *ret_err)
{
	const struct fake_process *process = &fake.processes[pid];
	const int error = process->proc_error ? process->proc_error :
			  process->state      ? 0 :
						-ESRCH;

	if (error)
		return ptu_err_set(ret_err, error, "no process %d", (int)pid);
	*ret = (struct ptu_proc){ .pid = pid, .state = process->state };
	fake.nr_procs++;
	return 0;
}

int ptu_sharers(pid_t pid, pid_t **ret, size_t *ret_nr, struct ptu_err *ret_err)
{
	const unsigned int i = fake.nr_searches++;
	const size_t bytes = sizeof(fake.sharers[i].pids);

	if (pid != 3)
		UNIT_FAIL("sharers of process %d are searched", (int)pid);
	NOTE("search; ");
	if (fake.sharers[i].error)
		return ptu_err_set(ret_err, fake.sharers[i].error, "no search");
	*ret = malloc(bytes);
	memcpy(*ret, fake.sharers[i].pids, bytes);
	*ret_nr = fake.sharers[i].nr;
	return 0;
}

int ptu_task_find_thread(const struct ptu_proc *proc,
			 bool (*is_wanted)(const struct ptu_proc *thread),
			 struct ptu_proc *ret)
{
	struct fake_process *process = &fake.processes[proc->pid];
	struct ptu_proc thread = *proc;

	if (proc->dirfd != proc->pid - 3)
		UNIT_FAIL("threads of another process are searched");
	if (process->threads_error)
		return process->threads_error;
	if (process->slow && strstr(fake.text, "stop") && !--process->slow)
		process->state = 'T';
	thread.state = process->state;
	if (!is_wanted(&thread))
		return -ESRCH;
	*ret = thread;
	ret->tid = proc->pid + 100;
	fake.nr_procs++;
	return 0;
}

static int freeze_it(void)
{
	struct ptu_proc proc = { .pid = 3 };

	return ptu_freeze(&proc, &freeze, &err);
}

#define GUARDED "fork; close its end; "

UNIT_TEST(the_guard_is_told_before_the_process_is_stopped)
{
	struct ptu_proc proc = { .pid = 3 };

	fake.now_ns = 77;
	CHECK_EQ(ptu_freeze(&proc, &freeze, &err), 0);
	CHECK_STR(fake.text, GUARDED "tell 3; stop 3; search; ");
	CHECK_EQ(proc.opened_ns, 77);
	CHECK_EQ(freeze.nr, 1);
	CHECK_EQ(freeze.pids[0], 3);
	CHECK_EQ(freeze.guard, GUARD);
	CHECK_EQ(freeze.fd, OUR_END);
	fake.text[0] = '\0';
	ptu_thaw(&freeze);
	/* the guard has continued it */
	CHECK_STR(fake.text, "close our end; guard ended; ");
	CHECK_EQ(freeze.guard, 0);
	CHECK_EQ(freeze.nr, 0);
	fake.text[0] = '\0';
	ptu_thaw(&freeze);
	CHECK_STR(fake.text, "");
}

UNIT_TEST(processes_are_continued_if_the_guard_was_killed)
{
	static const int statuses[] = { SIGKILL, 3 << 8 };

	for (size_t i = 0; i < 2; i++) {
		set_up();
		fake.sharers[0].pids[0] = 4;
		fake.sharers[0].nr = 1;
		CHECK_EQ(freeze_it(), 0);
		fake.guard_status = statuses[i];
		fake.text[0] = '\0';
		ptu_thaw(&freeze);
		CHECK_STR(fake.text,
			  "close our end; guard ended; continue 3; continue 4; ");
	}
}

UNIT_TEST(interrupted_calls_are_repeated)
{
	fake.interrupts = 2;
	CHECK_EQ(freeze_it(), 0);
	CHECK_EQ(fake.interrupts, 0);
	fake.interrupts = 2;
	ptu_thaw(&freeze);
	CHECK_EQ(fake.interrupts, 0);
}

UNIT_TEST(ptaudit_does_not_stop_itself)
{
	struct ptu_proc proc = { .pid = SELF };

	CHECK_EQ(ptu_freeze(&proc, &freeze, &err), 0);
	CHECK_STR(fake.text, "");
	CHECK_EQ(freeze.guard, 0);
}

/* The kernel ignores its SIGSTOP. */
UNIT_TEST(process_1_keeps_running)
{
	struct ptu_proc proc = { .pid = 1 };

	fake.processes[1] = (struct fake_process){ .state = 'S', .slow = ~0u };
	CHECK_EQ(ptu_freeze(&proc, &freeze, &err), 0);
	CHECK_STR(fake.text, "");
	CHECK_EQ(freeze.guard, 0);
	/* process 3 is a vfork() child of process 1: only the child is stopped */
	fake.sharers[0].pids[0] = 1;
	fake.sharers[0].nr = 1;
	CHECK_EQ(freeze_it(), 0);
	CHECK_STR(fake.text, GUARDED "tell 3; stop 3; search; ");
	CHECK_EQ(freeze.nr, 1);
	ptu_thaw(&freeze);
}

/* Each one may create another one before it is stopped. */
UNIT_TEST(sharers_are_searched_until_no_new_one_is_found)
{
	fake.sharers[0].pids[0] = 4;
	fake.sharers[0].nr = 1;
	fake.sharers[1].pids[0] = 4;
	fake.sharers[1].pids[1] = 5;
	fake.sharers[1].nr = 2;
	fake.sharers[2] = fake.sharers[3] = fake.sharers[1];
	CHECK_EQ(freeze_it(), 0);
	CHECK_STR(fake.text,
		  GUARDED "tell 3; stop 3; search; tell 4; stop 4; search; "
			  "tell 5; stop 5; search; ");
	CHECK_EQ(freeze.nr, 3);
	CHECK_EQ(freeze.pids[2], 5);
	ptu_thaw(&freeze);
}

UNIT_TEST(a_sharer_that_has_ended_is_no_error)
{
	fake.sharers[0].pids[0] = 6;
	fake.sharers[0].pids[1] = 4;
	fake.sharers[0].nr = 2;
	CHECK_EQ(freeze_it(), 0);
	CHECK_STR(err.text, "");
	CHECK_STR(fake.text,
		  GUARDED "tell 3; stop 3; search; tell 4; stop 4; search; ");
	ptu_thaw(&freeze);
}

#define THAWED "close our end; guard ended; "

UNIT_TEST(everything_is_continued_after_an_error)
{
	fake.sharers[0].error = -ENOMEM;
	CHECK_EQ(freeze_it(), -ENOMEM);
	CHECK_STR(err.text, "no search");
	CHECK_STR(fake.text, GUARDED "tell 3; stop 3; search; " THAWED);
	CHECK_EQ(freeze.guard, 0);
	set_up();
	/* the second sharer is not reached */
	fake.sharers[0].pids[0] = 4;
	fake.sharers[0].pids[1] = 5;
	fake.sharers[0].nr = 2;
	fake.processes[4].kill_error = EPERM;
	CHECK_EQ(freeze_it(), -EPERM);
	CHECK_STR(err.text, "cannot stop process 4: Operation not permitted");
	CHECK_STR(fake.text,
		  GUARDED "tell 3; stop 3; search; tell 4; stop 4; " THAWED);
}

UNIT_TEST(a_process_that_cannot_be_examined_is_not_stopped)
{
	fake.processes[3].proc_error = -EACCES;
	CHECK_EQ(freeze_it(), -EACCES);
	CHECK_STR(err.text, "no process 3");
	CHECK_STR(fake.text, "");
	set_up();
	fake.processes[3].threads_error = -EMFILE;
	CHECK_EQ(freeze_it(), -EMFILE);
	CHECK_STR(err.text,
		  "process 3: cannot list its threads: Too many open files");
	CHECK_STR(fake.text, "");
	set_up();
	fake.processes[3].open_error = -EMFILE;
	CHECK_EQ(freeze_it(), -EMFILE);
	CHECK_STR(err.text,
		  "process 3: cannot list its threads: Too many open files");
	CHECK_STR(fake.text, "");
}

UNIT_TEST(a_process_without_threads_that_run_is_not_stopped)
{
	static const char states[] = "TtZ";

	for (size_t i = 0; i < 3; i++) {
		set_up();
		fake.processes[3].state = states[i];
		CHECK_EQ(freeze_it(), 0);
		CHECK_STR(fake.text, "search; ");
		CHECK_EQ(freeze.nr, 0);
	}
	/* it ended between two looks */
	fake.processes[3].state = 'S';
	fake.processes[3].open_error = -ENOENT;
	fake.nr_searches = 0;
	CHECK_EQ(freeze_it(), 0);
	CHECK_EQ(freeze.nr, 0);
	CHECK_STR(err.text, "");
}

UNIT_TEST(threads_are_waited_for)
{
	/* it still runs at the first two looks after SIGSTOP */
	fake.processes[3].slow = 3;
	CHECK_EQ(freeze_it(), 0);
	CHECK_STR(fake.text, GUARDED "tell 3; stop 3; wait 5 ms; wait 5 ms; "
				     "search; ");
	ptu_thaw(&freeze);
}

UNIT_TEST(a_thread_that_waits_gets_ten_seconds)
{
	fake.processes[3].slow = 100000;
	CHECK_EQ(wait_until_stopped(3, &err), -EBUSY);
	CHECK_STR(err.text,
		  "process 3: thread 103 did not stop within 10 seconds; its state is S (without --freeze, a process of a frozen cgroup can be measured)");
	/* each wait takes 5 ms */
	CHECK_EQ(fake.now_ns, 10 * UINT64_C(1000000000));
	CHECK_EQ(fake.nr_procs, 0);
}

UNIT_TEST(a_thread_that_can_run_gets_a_minute)
{
	fake.processes[3].state = 'R';
	fake.now_ns = 3 * UINT64_C(1000000000);
	CHECK_EQ(wait_until_stopped(3, &err), -EBUSY);
	CHECK_STR(err.text,
		  "process 3: thread 103 did not stop within 60 seconds; its state is R");
	CHECK_EQ(fake.now_ns, 63 * UINT64_C(1000000000));
}

UNIT_TEST(threads_that_cannot_be_listed_are_not_waited_for)
{
	fake.processes[3].threads_error = -EMFILE;
	CHECK_EQ(wait_until_stopped(3, &err), -EMFILE);
	CHECK_STR(fake.text, "");
}

UNIT_TEST(nothing_is_stopped_without_a_guard)
{
	fake.socket_error = EMFILE;
	CHECK_EQ(freeze_it(), -EMFILE);
	CHECK_STR(err.text, "cannot create a socket pair: Too many open files");
	CHECK_STR(fake.text, "");
	set_up();
	fake.fork_error = EAGAIN;
	CHECK_EQ(freeze_it(), -EAGAIN);
	CHECK_STR(err.text, "cannot fork: Resource temporarily unavailable");
	CHECK_STR(fake.text, "fork; close its end; close our end; ");
	CHECK_EQ(fake.mask, 0);
	set_up();
	fake.received = 0;
	CHECK_EQ(freeze_it(), -ECHILD);
	CHECK_STR(err.text,
		  "the helper process that would continue process 3 was killed");
	CHECK_STR(fake.text, GUARDED THAWED);
	set_up();
	fake.send_error = EPIPE;
	CHECK_EQ(freeze_it(), -EPIPE);
	CHECK_STR(err.text,
		  "the helper process that would continue process 3 was killed");
	CHECK_STR(fake.text, GUARDED "tell 3; " THAWED);
}

UNIT_TEST(a_process_is_enlisted_once)
{
	struct ptu_freeze all = { .guard = GUARD, .fd = OUR_END };

	CHECK_EQ(enlist(&all, 3, &err), 0);
	CHECK_EQ(enlist(&all, 4, &err), 0);
	CHECK_EQ(enlist(&all, 3, &err), 0);
	CHECK_EQ(all.nr, 2);
	CHECK_STR(fake.text, "tell 3; tell 4; ");
}

UNIT_TEST(the_number_of_processes_has_a_limit)
{
	struct ptu_freeze all = { .guard = GUARD, .fd = OUR_END };

	for (all.nr = 0; all.nr < 1023; all.nr++)
		all.pids[all.nr] = 1000 + (pid_t)all.nr;
	CHECK_EQ(enlist(&all, 3, &err), 0);
	CHECK_EQ(all.nr, 1024);
	CHECK_EQ(all.pids[1023], 3);
	CHECK_EQ(enlist(&all, 4, &err), -E2BIG);
	CHECK_STR(err.text,
		  "more than 1024 processes share the mm of process 1000");
	CHECK_EQ(all.nr, 1024);
	CHECK_STR(fake.text, "tell 3; ");
}

UNIT_MAIN_WITH(set_up, tear_down)
