// SPDX-License-Identifier: GPL-2.0-only
/* The files of the pages of a process, with few descriptors. */
#define _GNU_SOURCE
#include "acquire/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "support/unit.h"

/* Open the files while @nr_fds descriptors are left.  Return: 0, after which they are closed. */
static int open_with(int nr_fds, struct ptu_pages *files, struct ptu_err *err)
{
	const int free_fd = open("/dev/null", O_RDONLY);
	struct rlimit before, few;
	struct ptu_proc proc;
	int error;

	if (free_fd < 0 || ptu_proc_open(getpid(), &proc, err))
		abort();
	close(free_fd);
	getrlimit(RLIMIT_NOFILE, &before);
	few = before;
	/* the directory of the process has the first one */
	few.rlim_cur = free_fd + 1 + nr_fds;
	setrlimit(RLIMIT_NOFILE, &few);
	error = ptu_pages_open(&proc, getpagesize(), files, err);
	setrlimit(RLIMIT_NOFILE, &before);
	if (!error)
		ptu_pages_close(files);
	ptu_proc_close(&proc);
	return error;
}

UNIT_TEST(page_frames_that_cannot_be_looked_for_are_not_hidden)
{
	struct ptu_err err = { "" };
	struct ptu_pages files;

	/* for the pagemap of the process */
	CHECK_EQ(open_with(1, &files, &err), -EMFILE);
	CHECK(strstr(err.text, "/proc/self/pagemap: Too many open files"));
}

UNIT_TEST(flags_that_cannot_be_opened_are_not_hidden)
{
	struct ptu_err err = { "" };
	struct ptu_pages files;
	int expected;

	CHECK_EQ(open_with(100, &files, &err), 0);
	/* without privileges, neither the flags nor their test needs a descriptor */
	expected = files.has_flags ? -EMFILE : 0;
	/* for the pagemap, and kpageflags */
	CHECK_EQ(open_with(2, &files, &err), expected);
	CHECK(!expected || strstr(err.text, "kpagecount: Too many open files"));
	ptu_err_clear(&err);
	/* also for kpagecount, but not for the test whose page is called KSM */
	CHECK_EQ(open_with(3, &files, &err), expected);
	CHECK(!expected ||
	      strstr(err.text, "/proc/self/pagemap: Too many open files"));
	CHECK_EQ(open_with(4, &files, &err), 0);
}

UNIT_MAIN
