/* SPDX-License-Identifier: GPL-2.0-only */
/* The memory of target.c: a process whose tables are known by arithmetic. */
#ifndef SELFTESTS_LIB_LAYOUT_H
#define SELFTESTS_LIB_LAYOUT_H

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define BASE (32ul << 39) /* a PGD slot without other mappings */
#define SLOT (2ul << 20)  /* the reach of a PTE table */
#define SLOTS 1100ul /* 1100 PTE tables below 3 PMD tables and one PUD table */
#define EMPTY 300ul  /* of these have no entry; the others have one */

#define DATA "../data/6.12/" /* recordings of selftests/replay/shapes.c */
#define SHAPE (1ul << 40)    /* the address of each shape */

/* Return: the PID of the process; -1 if it failed. */
static inline pid_t begin(void)
{
	int ready[2];
	pid_t child;
	char byte;

	if (pipe(ready))
		return -1;
	child = fork();
	if (!child) {
		dup2(ready[1], STDOUT_FILENO);
		execl(TARGET, TARGET, (char *)NULL);
		_exit(1);
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		child = -1;
	close(ready[0]);
	return child;
}

static inline void end(pid_t child)
{
	if (child <= 0)
		return;
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

#endif
