// SPDX-License-Identifier: GPL-2.0-only
/* The status of a process whose main thread exits after the process was opened. */
#include "acquire/procfs.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support/child.h"
#include "support/unit.h"

static void *wait_for_end(void *arg)
{
	(void)arg;
	for (;;)
		pause();
	return NULL;
}

/* The main thread exits when it has read a byte; another thread lives on. */
static pid_t start(int to_child[2])
{
	pthread_t thread;
	pid_t pid;
	char byte;

	if (pipe(to_child))
		abort();
	pid = child_fork();
	if (pid)
		return pid;
	if (pthread_create(&thread, NULL, wait_for_end, NULL) ||
	    read(to_child[0], &byte, 1) != 1)
		abort();
	syscall(SYS_exit, 0);
	abort();
}

static char state_of(pid_t pid)
{
	char path[64], state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, pid);
	file = fopen(path, "re");
	if (!file || fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		abort();
	fclose(file);
	return state;
}

UNIT_TEST(status_is_that_of_a_living_thread_without_a_message)
{
	struct ptu_proc_status status;
	struct ptu_err err = { "" };
	struct ptu_proc proc;
	int to_child[2];
	pid_t pid = start(to_child);

	CHECK_EQ(ptu_proc_open(pid, &proc, &err), 0);
	CHECK_EQ(proc.tid, pid);
	CHECK_EQ(write(to_child[1], "", 1), 1);
	while (state_of(pid) != 'Z')
		usleep(1000);
	CHECK_EQ(ptu_proc_status_of_living(&proc, &status, &err), 0);
	CHECK(proc.tid != pid);
	CHECK(status.has_mm);
	CHECK_STR(err.text, "");
	ptu_proc_close(&proc);
	child_end(pid);
	close(to_child[0]);
	close(to_child[1]);
}

UNIT_MAIN
