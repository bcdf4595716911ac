// SPDX-License-Identifier: GPL-2.0-only
/* Comparing address spaces: this process, and a child with the same one. */
#define _GNU_SOURCE
#include "acquire/spaces.h"

#include <sched.h>
#include <sys/resource.h>

#include "acquire/procfs.h"
#include "support/child.h"
#include "support/unit.h"

/* If it were taken for ended, its address space would count once more. */
UNIT_TEST(a_process_that_cannot_be_opened_again_has_not_ended)
{
	struct ptu_spaces spaces = { 0 };
	struct ptu_proc self, child;
	struct rlimit limit, few;
	pid_t pid, first = 0;
	int error, next;

	pid = clone(child_pause, (char[16384]){ 0 } + 16384, CLONE_VM | SIGCHLD,
		    NULL);
	CHECK_EQ(ptu_proc_open(getpid(), &self, NULL), 0);
	CHECK_EQ(ptu_proc_open(pid, &child, NULL), 0);
	CHECK_EQ(ptu_spaces_add(&spaces, &self, &first), 0);
	CHECK_EQ(first, getpid());
	next = dup(STDIN_FILENO);
	close(next);
	getrlimit(RLIMIT_NOFILE, &limit);
	/* for the stat of the child or the directory of this process, not for its stat */
	few = (struct rlimit){ (rlim_t)next + 1, limit.rlim_max };
	setrlimit(RLIMIT_NOFILE, &few);
	error = ptu_spaces_add(&spaces, &child, &first);
	setrlimit(RLIMIT_NOFILE, &limit);
	CHECK_EQ(error, -EMFILE);
	CHECK_EQ(ptu_spaces_add(&spaces, &child, &first), 0);
	CHECK_EQ(first, getpid());
	CHECK_EQ(spaces.nr, 1);
	child_end(pid);
	ptu_proc_close(&self);
	ptu_proc_close(&child);
	ptu_spaces_deinit(&spaces);
}

UNIT_MAIN
