/* SPDX-License-Identifier: GPL-2.0-only */
/* A process whose tables are known by arithmetic; target.c is it. */
#ifndef SELFTESTS_LIB_LAYOUT_H
#define SELFTESTS_LIB_LAYOUT_H

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define BASE (32ul << 39) /* of a PGD slot that nothing else is in */
#define SLOT (2ul << 20)  /* what a PTE table maps */
#define SLOTS 1100ul /* 1100 PTE tables, of 3 PMD tables, of one PUD table */
#define EMPTY 300ul  /* of these without any entry; the others have one */

#define DATA "../data/6.12/" /* recordings of selftests/replay/shapes.c */
#define SHAPE (1ul << 40)    /* where each shape lies */

/* Return: its PID; -1. */
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
