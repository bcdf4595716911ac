// SPDX-License-Identifier: GPL-2.0-only
/*
 * A process is frozen when all of its threads have stopped.  Its main thread stops at once;
 * another one populates memory nearly all the time, which SIGSTOP does not interrupt.
 */
#define _GNU_SOURCE
#include <stdint.h>

#include "acquire/file.h"

/* If not NULL, the system call that each thread is in. */
static const char *in_syscall;

static int fake_read(int dirfd, const char *name, size_t most, char **ret);

#define ptu_file_read fake_read
#include "acquire/freeze.c"
#undef ptu_file_read

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "support/child.h"
#include "support/unit.h"

#define BYTES (256ul << 20)
#define ROUNDS 5

/* Since 5.14; before, mmap() with MAP_POPULATE is not interrupted either. */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static int fake_read(int dirfd, const char *name, size_t most, char **ret)
{
	if (!in_syscall || strcmp(name, "syscall") != 0)
		return ptu_file_read(dirfd, name, most, ret);
	*ret = strdup(in_syscall);
	return *ret ? 0 : -ENOMEM;
}

static volatile unsigned long *rounds;

static void *populate(void *arg)
{
	char *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		_exit(1);
	madvise(memory, BYTES, MADV_NOHUGEPAGE);
	for (;;) {
		if (madvise(memory, BYTES, MADV_POPULATE_WRITE))
			_exit(1);
		madvise(memory, BYTES, MADV_DONTNEED);
		++*rounds;
	}
	return NULL;
}

static pid_t start(bool main_thread_exits)
{
	pthread_t thread;
	pid_t pid = child_fork();

	if (pid)
		return pid;
	if (pthread_create(&thread, NULL, populate, NULL))
		_exit(1);
	if (main_thread_exits)
		syscall(SYS_exit, 0);
	for (;;)
		pause();
}

static void wait_for_progress(void)
{
	unsigned long before = *rounds;

	while (*rounds == before)
		usleep(1000);
}

static bool is_stopped(pid_t pid)
{
	struct ptu_err err = { "" };
	struct ptu_proc thread;

	return find_thread(pid, is_not_stopped, &thread, &err) == -ESRCH;
}

/* Stop it as somebody else; the main thread stops earlier than the other one. */
static void stop_main_thread(pid_t pid)
{
	struct ptu_proc proc;

	kill(pid, SIGSTOP);
	do {
		CHECK_EQ(ptu_proc_open(pid, &proc, NULL), 0);
		ptu_proc_close(&proc);
	} while (proc.state != 'T');
}

/*
 * Freeze and continue a process several times.
 * @main_thread_exits: before the process is frozen
 * @is_stopped_before: somebody else stops the process before, so it must stay stopped
 */
static void freeze_and_continue(bool main_thread_exits, bool is_stopped_before)
{
	struct ptu_err err = { "" };
	struct ptu_proc proc;
	struct ptu_freeze freeze = { 0 };
	unsigned int round;
	pid_t pid;

	rounds = mmap(NULL, sizeof(*rounds), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid = start(main_thread_exits);
	for (round = 0; round < ROUNDS; round++) {
		wait_for_progress();
		if (is_stopped_before)
			stop_main_thread(pid);
		CHECK_EQ(ptu_proc_open(pid, &proc, &err), 0);
		proc.opened_ns = 0;
		CHECK_EQ(ptu_freeze(&proc, &freeze, &err), 0);
		CHECK(proc.opened_ns != 0);
		CHECK_EQ(freeze.nr, !is_stopped_before);
		CHECK(is_stopped(pid));
		ptu_thaw(&freeze);
		if (is_stopped_before) {
			CHECK(is_stopped(pid));
			kill(pid, SIGCONT);
		}
		ptu_proc_close(&proc);
	}
	wait_for_progress();
	child_end(pid);
	munmap((void *)rounds, sizeof(*rounds));
}

UNIT_TEST(all_threads_have_stopped)
{
	freeze_and_continue(false, false);
}

UNIT_TEST(all_threads_have_stopped_although_the_main_thread_has_exited)
{
	freeze_and_continue(true, false);
}

UNIT_TEST(a_process_that_somebody_else_stops_is_waited_for_and_not_continued)
{
	freeze_and_continue(false, true);
}

/* The parent is in the state D, and never in the state T. */
UNIT_TEST(a_vfork_child_is_stopped_with_the_parent_that_waits_for_it)
{
	struct ptu_err err = { "" };
	struct ptu_freeze freeze = { 0 };
	struct ptu_proc proc;
	pid_t *child, pid;

	child = mmap(NULL, sizeof(*child), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid = child_fork();
	if (!pid) {
		/* not vfork(), after which a child may only call exec() or _exit() */
		syscall(SYS_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, 0, 0, 0,
			0);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		*(volatile pid_t *)child = getpid();
		for (;;)
			pause();
	}
	while (!*(volatile pid_t *)child)
		usleep(1000);
	CHECK_EQ(ptu_proc_open(*child, &proc, &err), 0);
	CHECK_EQ(ptu_freeze(&proc, &freeze, &err), 0);
	CHECK_EQ(freeze.nr, 2);
	CHECK_EQ(freeze.pids[0], *child);
	CHECK_EQ(freeze.pids[1], pid);
	CHECK(is_stopped(*child));
	ptu_thaw(&freeze);
	ptu_proc_close(&proc);
	kill(*child, SIGKILL);
	child_end(pid);
	munmap(child, sizeof(*child));
}

static bool waits(char state, long number)
{
	const struct ptu_proc thread = { .dirfd = -1, .state = state };
	char text[64];
	bool ret;

	snprintf(text, sizeof(text), "%ld 0x4111 0x0 0x7ffe", number);
	in_syscall = text;
	ret = awaits_vfork(&thread);
	in_syscall = NULL;
	return ret;
}

/* The sharer would go on while the other process is measured. */
UNIT_TEST(a_sharer_that_cannot_be_opened_is_an_error)
{
	struct rlimit limit, few;
	const int next = dup(STDIN_FILENO);
	pid_t *pids = NULL;
	size_t nr = 0;
	int error;
	pid_t pid;

	pid = clone(child_pause, (char[16384]){ 0 } + 16384, CLONE_VM | SIGCHLD,
		    NULL);
	close(next);
	getrlimit(RLIMIT_NOFILE, &limit);
	/* for the directory and the stat of one process, or for two directories */
	few = (struct rlimit){ (rlim_t)next + 2, limit.rlim_max };
	setrlimit(RLIMIT_NOFILE, &few);
	error = ptu_sharers(pid, &pids, &nr, NULL);
	setrlimit(RLIMIT_NOFILE, &limit);
	child_end(pid);
	free(pids);
	CHECK_EQ(error, -EMFILE);
}

UNIT_TEST(a_thread_awaits_vfork_in_the_calls_that_fork)
{
	const struct ptu_proc thread = { .dirfd = -1, .state = 'D' };

	CHECK(waits('D', SYS_clone));
	CHECK(!waits('S', SYS_clone));
	CHECK(!waits('D', SYS_read));
	CHECK(!waits('D', SYS_exit));
#ifdef SYS_vfork
	CHECK(waits('D', SYS_vfork));
#endif
#ifdef SYS_clone3
	CHECK(waits('D', SYS_clone3));
#endif
	/* the thread is in user mode, or the kernel shows no system call */
	in_syscall = "running";
	CHECK(!awaits_vfork(&thread));
	in_syscall = NULL;
	CHECK(!awaits_vfork(&thread));
}

UNIT_MAIN
