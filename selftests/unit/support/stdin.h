/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For code that runs without standard input, as in `ptaudit PID <&-`: the next file that is opened
 * gets the descriptor 0, which is valid like any other.
 */
#ifndef STDIN_H
#define STDIN_H

#include <fcntl.h>
#include <unistd.h>

/* Return: a copy of standard input for stdin_restore(). */
static inline int stdin_close(void)
{
	const int copy = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);

	close(STDIN_FILENO);
	return copy;
}

/* @copy: -1 if the caller of the test has closed standard input */
static inline void stdin_restore(int copy)
{
	if (copy >= 0) {
		dup2(copy, STDIN_FILENO);
		close(copy);
	}
}

#endif
