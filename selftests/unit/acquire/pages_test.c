// SPDX-License-Identifier: GPL-2.0-only
/* The files of the pages of a process, with few descriptors. */
#define _GNU_SOURCE
#include "acquire/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "support/unit.h"

UNIT_TEST(page_frames_that_cannot_be_looked_for_are_not_hidden)
{
	struct ptu_err err = { "" };
	struct ptu_pages files;
	struct ptu_proc proc;
	struct rlimit before, few;
	int error, free_fd;

	CHECK_EQ(ptu_proc_open(getpid(), &proc, &err), 0);
	free_fd = open("/dev/null", O_RDONLY);
	CHECK(free_fd >= 0);
	close(free_fd);
	getrlimit(RLIMIT_NOFILE, &before);
	/* One descriptor is left, for the pagemap of the process. */
	few = before;
	few.rlim_cur = free_fd + 1;
	setrlimit(RLIMIT_NOFILE, &few);
	error = ptu_pages_open(&proc, getpagesize(), &files, &err);
	setrlimit(RLIMIT_NOFILE, &before);
	CHECK_EQ(error, -EMFILE);
	CHECK(strstr(err.text, "/proc/self/pagemap: Too many open files"));
	ptu_proc_close(&proc);
}

UNIT_MAIN
