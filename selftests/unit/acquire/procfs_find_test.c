// SPDX-License-Identifier: GPL-2.0-only
/* Finds the test's own processes in /proc. */
#define _GNU_SOURCE
#include "acquire/file.c"
#include "acquire/procfs_find.c"
#include "acquire/procfs_task.c"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "support/child.h"
#include "support/tree.h"
#include "support/unit.h"

#define SELF "/proc/self/exe"

/* The main thread exits; @nr_threads stay alive, the first one until it gets an order. */
static int to_first[2], from_threads[2];

static void *first_thread(void *arg)
{
	pid_t tid = (pid_t)syscall(SYS_gettid);
	char byte;

	if (write(from_threads[1], &tid, sizeof(tid)) == sizeof(tid))
		while (read(to_first[0], &byte, 1) < 0)
			;
	return NULL;
}

static void *second_thread(void *arg)
{
	pause();
	return NULL;
}

/* Return: the process; *@ret_tid is its first thread. */
static pid_t start(unsigned int nr_threads, pid_t *ret_tid)
{
	pthread_t thread;
	pid_t pid;

	if (pipe2(to_first, O_CLOEXEC) || pipe2(from_threads, O_CLOEXEC))
		abort();
	pid = child_fork();
	if (!pid) {
		close(to_first[1]);
		if (nr_threads > 0)
			pthread_create(&thread, NULL, first_thread, NULL);
		if (nr_threads > 1)
			pthread_create(&thread, NULL, second_thread, NULL);
		syscall(SYS_exit, 0);
	}
	close(to_first[0]);
	close(from_threads[1]);
	*ret_tid = 0;
	if (nr_threads && read(from_threads[0], ret_tid, sizeof(*ret_tid)) !=
				  sizeof(*ret_tid))
		abort();
	return pid;
}

static void end_first(void)
{
	close(to_first[1]);
	close(from_threads[0]);
}

static char state_of(pid_t pid, pid_t tid)
{
	struct ptu_proc proc = { .pid = pid, .tid = tid };
	char name[64];
	int fd, error;

	snprintf(name, sizeof(name), "%d/task/%d", (int)pid, (int)tid);
	fd = ptu_file_open(PTU_PROC_ROOT, name, O_DIRECTORY);
	if (fd < 0)
		return 0;
	error = ptu_task_stat(fd, &proc, NULL);
	close(fd);
	return error ? 0 : proc.state;
}

/* A thread disappears when it has ended; the main thread does not. */
static void wait_until_ended(pid_t pid, pid_t tid)
{
	char state;

	do {
		state = state_of(pid, tid);
		usleep(1000);
	} while (state && state != 'Z');
}

UNIT_TEST(process_is_read_through_a_living_thread)
{
	struct ptu_proc proc;
	pid_t tid, pid = start(1, &tid);

	wait_until_ended(pid, pid);
	CHECK_EQ(ptu_proc_open(pid, &proc, NULL), 0);
	CHECK_EQ(proc.pid, pid);
	CHECK_EQ(proc.tid, tid);
	CHECK(!ptu_proc_is_zombie(&proc));
	CHECK_EQ(ptu_proc_has_memory(&proc, NULL), 0);
	CHECK_EQ(ptu_proc_same(&proc, NULL), 0);
	end_first();
	CHECK_EQ(ptu_proc_gone(&proc, NULL), -ESRCH);
	CHECK_EQ(ptu_proc_same(&proc, NULL), -ESRCH);
	ptu_proc_close(&proc);
	child_end(pid);
}

UNIT_TEST(end_of_the_thread_is_not_the_end_of_the_process)
{
	struct ptu_err err = { "" };
	struct ptu_proc proc, again;
	pid_t tid, pid = start(2, &tid);

	wait_until_ended(pid, pid);
	CHECK_EQ(ptu_proc_open(pid, &proc, NULL), 0);
	end_first();
	wait_until_ended(pid, proc.tid == tid ? tid : pid);
	if (proc.tid == tid)
		CHECK_EQ(ptu_proc_same(&proc, &err), -ESTALE);
	CHECK_EQ(ptu_proc_open(pid, &again, NULL), 0);
	CHECK(again.tid != tid);
	CHECK_EQ(again.start_time, proc.start_time);
	ptu_proc_close(&proc);
	ptu_proc_close(&again);
	child_end(pid);
}

/* The message of the thread that has ended does not remain. */
UNIT_TEST(status_is_that_of_a_living_thread_without_a_message)
{
	struct ptu_proc_status status;
	struct ptu_err err = { "" };
	struct ptu_proc proc;
	pid_t tid, pid = start(2, &tid);

	wait_until_ended(pid, pid);
	CHECK_EQ(ptu_proc_open(pid, &proc, NULL), 0);
	end_first();
	wait_until_ended(pid, tid);
	CHECK_EQ(ptu_proc_status_of_living(&proc, &status, &err), 0);
	CHECK(proc.tid != tid);
	CHECK(status.has_mm);
	CHECK_STR(err.text, "");
	ptu_proc_close(&proc);
	child_end(pid);
}

UNIT_TEST(process_without_threads_is_a_zombie)
{
	struct ptu_proc proc;
	pid_t tid, pid = start(0, &tid);

	wait_until_ended(pid, pid);
	CHECK_EQ(ptu_proc_open(pid, &proc, NULL), 0);
	CHECK_EQ(proc.tid, pid);
	CHECK(ptu_proc_is_zombie(&proc));
	CHECK_EQ(ptu_proc_has_memory(&proc, NULL), -EINVAL);
	ptu_proc_close(&proc);
	end_first();
	child_end(pid);
}

/* The files of a zombie belong to root, so its owner may not open them. */
UNIT_TEST(process_that_ended_is_not_called_forbidden)
{
	struct ptu_err err = { "" };
	struct ptu_proc proc;
	pid_t tid, pid = start(0, &tid);

	wait_until_ended(pid, pid);
	CHECK_EQ(ptu_proc_open(pid, &proc, NULL), 0);
	CHECK_EQ(ptu_proc_refuse(&proc, "pagemap", -EACCES, &err), -ESRCH);
	CHECK(!strstr(err.text, "not allowed"));
	ptu_proc_close(&proc);
	end_first();
	child_end(pid);
	CHECK_EQ(ptu_proc_open(getpid(), &proc, NULL), 0);
	err.text[0] = '\0';
	CHECK_EQ(ptu_proc_refuse(&proc, "pagemap", -EPERM, &err), -EACCES);
	CHECK(strstr(err.text,
		     "not allowed to read pagemap: run as its owner, or as root with CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH"));
	ptu_proc_close(&proc);
}

UNIT_TEST(faults_are_the_minor_and_the_major_ones_of_the_process)
{
	struct ptu_proc proc = { .pid = 7 };

	/* minflt 30, cminflt 400, majflt 5, cmajflt 6000 */
	CHECK(parse_stat("7 (a) S 1 7 7 0 -1 0 30 400 5 6000 0 0 0 0 20 0 1 0 99 0\n",
			 &proc));
	CHECK_EQ(proc.faults, 35);
	CHECK_EQ(proc.start_time, 99);
}

static void stop_at(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, WUNTRACED) < 0 && errno == EINTR)
		;
	CHECK(WIFSTOPPED(status));
}

/* The process is stopped each time, so that it has no other faults. */
UNIT_TEST(a_page_fault_since_it_was_opened_is_seen)
{
	struct ptu_proc proc;
	volatile char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pid_t pid = child_fork();

	if (!pid) {
		raise(SIGSTOP);
		*page = 1;
		raise(SIGSTOP);
		_exit(1);
	}
	stop_at(pid);
	CHECK_EQ(ptu_proc_open(pid, &proc, NULL), 0);
	CHECK(!ptu_proc_faulted(&proc));
	kill(pid, SIGCONT);
	stop_at(pid);
	CHECK(ptu_proc_faulted(&proc));
	ptu_proc_close(&proc);
	child_end(pid);
	munmap((void *)page, 4096);
}

UNIT_TEST(a_large_pagemap_is_read_up_to_the_time_limit)
{
	const uint64_t bytes = PTU_READ_UNLIMITED + 4096;
	const uint64_t start = (uintptr_t)mmap(NULL, bytes, PROT_NONE,
					       MAP_PRIVATE | MAP_ANONYMOUS |
						       MAP_NORESERVE,
					       -1, 0);
	struct ptu_evidence evidence;
	struct ptu_err err = { "" };
	struct ptu_geometry geo;
	struct ptu_proc proc;

	CHECK(start != (uintptr_t)MAP_FAILED);
	CHECK_EQ(ptu_geometry_init(4096, "x86_64", "", &geo, &err), 0);
	CHECK_EQ(ptu_proc_open(getpid(), &proc, &err), 0);
	CHECK_EQ(proc.read_ns, PTU_READ_SECONDS * PTU_NS_PER_SEC);
	proc.read_ns = PTU_NS_PER_SEC / 2;
	proc.opened_ns -= PTU_NS_PER_SEC;
	CHECK_EQ(ptu_proc_evidence(&proc, &geo, PTU_NEEDS_PAGEMAP, start,
				   start + bytes, &evidence, &err),
		 -ETIMEDOUT);
	CHECK(strstr(err.text, "reading pagemap took more than 0.5 seconds"));
	/* small ranges have no limit */
	CHECK_EQ(ptu_proc_evidence(&proc, &geo, PTU_NEEDS_PAGEMAP, start,
				   start + (1 << 21), &evidence, &err),
		 0);
	ptu_evidence_deinit(&evidence);
	ptu_proc_close(&proc);
	munmap((void *)start, bytes);
}

/*
 * A process in the middle of its exit: the files of /proc/PID are those of the test, at first
 * only stat.  The reader has opened the process before; @ret_whole is that directory.
 */
static void begin_exit(struct ptu_proc *proc, int *ret_whole)
{
	char *stat;

	tree_make();
	if (ptu_file_read(proc->dirfd, "stat", 0, &stat))
		abort();
	tree_write("stat", stat);
	free(stat);
	*ret_whole = proc->dirfd;
	proc->dirfd = tree_fd;
}

static void end_exit(struct ptu_proc *proc, int whole)
{
	proc->dirfd = whole;
	ptu_proc_close(proc);
	tree_remove();
}

/* The kernel returns -ESRCH for memory that an exit or an exec has removed. */
UNIT_TEST(memory_that_is_gone_ends_the_process_or_is_read_again)
{
	struct ptu_err err = { "" };
	struct ptu_proc proc;
	pid_t tid, pid = start(1, &tid);
	int whole;

	wait_until_ended(pid, pid);
	CHECK_EQ(ptu_proc_open(pid, &proc, &err), 0);
	CHECK_EQ(ptu_proc_refuse(&proc, "pagemap", -ESRCH, &err), -EAGAIN);
	CHECK(strstr(err.text, "it ended or started another program"));

	begin_exit(&proc, &whole);
	end_first();
	child_end(pid);
	err.text[0] = '\0';
	CHECK_EQ(ptu_proc_refuse(&proc, "maps", -ESRCH, &err), -ESRCH);
	CHECK(strstr(err.text, " ended"));
	end_exit(&proc, whole);
}

/* The kernel shows no mappings if the mm that was opened has no users any more. */
UNIT_TEST(mappings_that_an_exec_has_removed_are_read_again)
{
	struct ptu_err err = { "" };
	struct ptu_vmas vmas;
	struct ptu_proc proc;
	pid_t tid, pid = start(1, &tid);
	int whole;

	wait_until_ended(pid, pid);
	CHECK_EQ(ptu_proc_open(pid, &proc, &err), 0);
	begin_exit(&proc, &whole);
	tree_write("smaps", "");
	tree_write("status",
		   "Uid:\t0\t0\t0\t0\nVmRSS:\t 4 kB\nVmPTE:\t 8 kB\n");
	CHECK_EQ(ptu_proc_smaps(&proc, &vmas, &err), -EAGAIN);
	CHECK(strstr(err.text, "it ended or started another program"));

	/* an exit: the status has no memory either */
	end_first();
	child_end(pid);
	tree_write("status", "Uid:\t0\t0\t0\t0\n");
	CHECK_EQ(ptu_proc_smaps(&proc, &vmas, &err), -ESRCH);
	CHECK(strstr(err.text, " ended"));
	end_exit(&proc, whole);
}

/* Runs before main(), in a newly started process. */
static void __attribute__((constructor)) foreign(int argc, char *argv[])
{
	struct ptu_proc proc;
	size_t nr_pids;
	pid_t *pids;

	if (argc < 2 || strcmp(argv[1], "foreign"))
		return;
	if (getpid() != 1)
		_exit(2);
	_exit(ptu_proc_open(1, &proc, NULL) != -EXDEV ||
	      ptu_proc_list(&pids, &nr_pids, NULL) != -EXDEV);
}

/* In a PID namespace with the /proc of the parent namespace. */
UNIT_TEST(process_of_another_pid_namespace_is_refused)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		if (unshare(CLONE_NEWPID) &&
		    unshare(CLONE_NEWUSER | CLONE_NEWPID))
			_exit(3);
		pid = fork();
		if (!pid) {
			execl(SELF, "procfs_find_test", "foreign", NULL);
			_exit(4);
		}
		waitpid(pid, &status, 0);
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 5);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status));
	CHECK_EQ(WEXITSTATUS(status), 0);
	CHECK_EQ(ptu_proc_own_namespace(NULL), 0);
}

UNIT_MAIN
