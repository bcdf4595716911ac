// SPDX-License-Identifier: GPL-2.0-only
/* Listing the threads of a process. The test defines the directory and the files. */
#include "acquire/procfs_task.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acquire/file.h"
#include "support/unit.h"

#define DIRFD 900
#define NR_THREADS 4

/*
 * The names in the directory, the error behind the last one, and the directory's own.  If
 * @later is not NULL, it is the only name in the second and each further listing.
 */
static const char *const *names;
static const char *later;
static size_t nr_names, next_name;
static int list_error, readdir_error, nr_lists;
/*
 * [thread] descriptor of its directory, and an error: -errno if the directory
 * cannot be opened, errno if its stat cannot be read.
 */
static int thread_fd[NR_THREADS + 1], thread_error[NR_THREADS + 1], nr_opens;
static int nr_listings;
/* A thread that is dead; 0: none. */
static unsigned int dead_thread;

static DIR *const dir = (DIR *)&nr_lists;
static const struct ptu_proc proc = { .pid = 77, .tid = 77, .dirfd = DIRFD };

static void set_up(void)
{
	nr_names = 0;
	list_error = readdir_error = nr_lists = nr_opens = 0;
	later = NULL;
	dead_thread = 0;
	memset(thread_fd, 0, sizeof(thread_fd));
	memset(thread_error, 0, sizeof(thread_error));
}

bool ptu_file_is_recording(void)
{
	return false;
}

bool ptu_proc_shortage(int error)
{
	return error == -EMFILE;
}

int ptu_file_read(int dirfd, const char *name, size_t limit_bytes, char **ret)
{
	unsigned int thread = NR_THREADS;
	char text[128];

	while (thread && (!thread_fd[thread] || thread_fd[thread] != dirfd))
		thread--;
	if (!thread || strcmp(name, "stat") || limit_bytes)
		return -EBADF;
	if (thread_error[thread])
		return -thread_error[thread];
	snprintf(text, sizeof(text),
		 "%u (t%u) %c 5 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n", thread,
		 thread, thread == dead_thread ? 'Z' : 'A' + (int)thread);
	*ret = strdup(text);
	return *ret ? 0 : -ENOMEM;
}

int ptu_file_list(int dirfd, const char *name, DIR **ret)
{
	if (dirfd != DIRFD || strcmp(name, "task"))
		return -EBADF;
	if (list_error)
		return list_error;
	*ret = dir;
	nr_lists++;
	next_name = 0;
	if (nr_listings++ && later) {
		names = &later;
		nr_names = 1;
	}
	return 0;
}

struct dirent *readdir(DIR *list)
{
	static struct dirent entry;

	if (next_name == nr_names) {
		if (readdir_error)
			errno = readdir_error;
		return NULL;
	}
	strcpy(entry.d_name, names[next_name++]);
	return &entry;
}

int closedir(DIR *list)
{
	nr_lists--;
	return 0;
}

int ptu_file_open(int dirfd, const char *name, int flags)
{
	unsigned int thread;

	nr_opens++;
	if (dirfd != DIRFD || flags != O_DIRECTORY ||
	    sscanf(name, "task/%u", &thread) != 1 || thread > NR_THREADS)
		return -EBADF;
	if (thread_error[thread] < 0)
		return thread_error[thread];
	return thread_fd[thread] = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void has_names(const char *const *these, size_t nr)
{
	names = these;
	nr_names = nr;
	next_name = 0;
}

UNIT_TEST(numbers_are_listed_in_order)
{
	static const char *const mixed[] = {
		".",
		"..",
		"100",
		"self",
		"9",
		"1x",
		"2147483647",
		"2147483648",
		"-3",
		"+4",
		"0",
		"18446744073709551617",
		"18446744073709551615",
		"10",
	};
	static char many[300][8];
	static const char *descending[300];
	pid_t *pids = NULL;
	size_t nr = 7, i;

	has_names(mixed, sizeof(mixed) / sizeof(mixed[0]));
	CHECK_EQ(ptu_task_list(dir, &pids, &nr), 0);
	CHECK_EQ(nr, 4);
	CHECK_EQ(pids[0], 9);
	CHECK_EQ(pids[1], 10);
	CHECK_EQ(pids[2], 100);
	CHECK_EQ(pids[3], 2147483647);
	free(pids);
	for (i = 0; i < 300; i++) {
		snprintf(many[i], sizeof(many[i]), "%zu", 300 - i);
		descending[i] = many[i];
	}
	has_names(descending, 300);
	CHECK_EQ(ptu_task_list(dir, &pids, &nr), 0);
	CHECK_EQ(nr, 300);
	for (i = 0; i < 300; i++)
		CHECK_EQ(pids[i], i + 1);
	free(pids);
	has_names(mixed, 2);
	CHECK_EQ(ptu_task_list(dir, &pids, &nr), 0);
	CHECK_EQ(nr, 0);
	free(pids);
}

UNIT_TEST(a_list_that_ends_early_is_an_error)
{
	static const char *const some[] = { "1", "2" };
	pid_t *pids = NULL;
	size_t nr = 7;

	has_names(some, 2);
	readdir_error = EIO;
	CHECK_EQ(ptu_task_list(dir, &pids, &nr), -EIO);
	CHECK(!pids);
	CHECK_EQ(nr, 7);
}

/* A thread has the number of its state: 'B' is that of thread 1. */
static const char *wanted;
static pid_t wanted_pid;

static bool is_wanted(const struct ptu_proc *thread)
{
	if (thread->pid != wanted_pid || thread->ppid != 5)
		UNIT_FAIL("thread %d was not read", (int)thread->tid);
	return strchr(wanted, thread->state) != NULL;
}

static int find_in(const struct ptu_proc *of, const char *const *threads,
		   size_t nr, const char *these, struct ptu_proc *ret)
{
	has_names(threads, nr);
	nr_opens = nr_listings = 0;
	memset(thread_fd, 0, sizeof(thread_fd));
	wanted = these;
	wanted_pid = of->pid;
	memset(ret, 0, sizeof(*ret));
	return ptu_task_find_thread(of, is_wanted, ret);
}

static int find(const char *these, struct ptu_proc *ret)
{
	static const char *const threads[] = { "4", "3", "2", "1" };

	return find_in(&proc, threads, NR_THREADS, these, ret);
}

static bool is_open(unsigned int thread)
{
	return fcntl(thread_fd[thread], F_GETFD) >= 0;
}

UNIT_TEST(first_thread_that_is_wanted_is_found)
{
	struct ptu_proc thread;

	CHECK_EQ(find("DE", &thread), 0);
	CHECK_EQ(thread.pid, 77);
	CHECK_EQ(thread.tid, 3);
	CHECK_STR(thread.comm, "t3");
	CHECK_EQ(thread.dirfd, thread_fd[3]);
	CHECK(is_open(3));
	CHECK_EQ(nr_opens, 3);
	CHECK_EQ(nr_lists, 0);
	/* the descriptors of the others were closed, or the third one would be higher */
	CHECK_EQ(thread_fd[1], thread_fd[2]);
	CHECK_EQ(thread_fd[2], thread_fd[3]);
	close(thread.dirfd);
	CHECK_EQ(find("Z", &thread), -ESRCH);
	CHECK_EQ(nr_opens, 4);
	CHECK(!is_open(4));
	CHECK_EQ(thread.tid, 0);
}

UNIT_TEST(threads_that_end_are_skipped)
{
	struct ptu_proc thread;

	thread_error[1] = -ESRCH;
	thread_error[2] = ESRCH; /* it ends before its stat is read */
	CHECK_EQ(find("BCDE", &thread), 0);
	CHECK_EQ(thread.tid, 3);
	close(thread.dirfd);
	thread_error[3] = -ENOENT;
	thread_error[4] = -ESRCH;
	/* the limit is 20 listings */
	CHECK_EQ(find("BCDE", &thread), -ESRCH);
	CHECK_EQ(nr_listings, 20);
	CHECK_EQ(nr_opens, 20 * 4);
	/* no descriptor is free: it is unknown whether a thread exists */
	thread_error[3] = -EMFILE;
	CHECK_EQ(find("BCDE", &thread), -EMFILE);
	CHECK_EQ(nr_opens, 3);
	/* the same if the last one was for the directory of the thread */
	thread_error[3] = EMFILE;
	CHECK_EQ(find("BCDE", &thread), -EMFILE);
	CHECK_EQ(nr_opens, 3);
	CHECK(!is_open(3));
}

/* Each of the listed threads has created another one, and has ended. */
UNIT_TEST(thread_is_found_that_was_created_after_the_listing)
{
	static const char *const first[] = { "1", "2" };
	struct ptu_proc thread;

	later = "3";
	thread_error[1] = -ENOENT;
	thread_error[2] = ESRCH;
	CHECK_EQ(find_in(&proc, first, 2, "D", &thread), 0);
	CHECK_EQ(thread.tid, 3);
	CHECK_EQ(nr_listings, 2);
	CHECK_EQ(nr_opens, 2 + 1);
	close(thread.dirfd);
	thread_error[2] = 0;
	dead_thread = 2;
	CHECK_EQ(find_in(&proc, first + 1, 1, "D", &thread), 0);
	CHECK_EQ(nr_listings, 2);
	close(thread.dirfd);
	/* if all of them live, they are all that there is */
	thread_error[1] = 0;
	dead_thread = 0;
	CHECK_EQ(find_in(&proc, first, 2, "D", &thread), -ESRCH);
	CHECK_EQ(nr_listings, 1);
}

/* The main thread is listed until the parent has waited for the process. */
UNIT_TEST(zombie_is_listed_once)
{
	const struct ptu_proc zombie = { .pid = 2, .tid = 2, .dirfd = DIRFD };
	static const char *const main_thread[] = { "2" };
	struct ptu_proc thread;

	dead_thread = 2;
	CHECK_EQ(find_in(&zombie, main_thread, 1, "BCDE", &thread), -ESRCH);
	CHECK_EQ(nr_listings, 1);
	CHECK_EQ(nr_opens, 1);
}

UNIT_TEST(threads_that_cannot_be_listed_are_an_error)
{
	struct ptu_proc thread;

	list_error = -ENOENT;
	CHECK_EQ(find("B", &thread), -ESRCH);
	list_error = -EMFILE;
	CHECK_EQ(find("B", &thread), -EMFILE);
	list_error = 0;
	readdir_error = ENOMEM;
	CHECK_EQ(find("B", &thread), -ENOMEM);
	CHECK_EQ(nr_lists, 0);
	CHECK_EQ(nr_opens, 0);
}

UNIT_MAIN_WITH(set_up, NULL)
