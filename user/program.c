// SPDX-License-Identifier: LGPL-2.1-or-later
/* Runs an estimating program and takes what it prints, unread. */
#define _GNU_SOURCE /* pipe2() */
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int read_output(int fd, char **ret)
{
	size_t capacity = 64 << 10, used = 0;
	char *text = malloc(capacity);

	while (text) {
		ssize_t n = read(fd, text + used, capacity - used - 1);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			text[used] = '\0';
			*ret = text;
			return n < 0 ? -errno : 0;
		}
		used += n;
		if (used + 1 == capacity) {
			char *more = realloc(text, capacity *= 2);

			if (!more)
				free(text);
			text = more;
		}
	}
	return -ENOMEM;
}

static void child(const char *path, pid_t pid, int out)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", (int)pid);
	dup2(out, STDOUT_FILENO);
	execl(path, path, number, (char *)NULL);
	_exit(127);
}

int ptu_program_run(const char *path, pid_t pid, char **ret,
		    struct ptu_err *err)
{
	char *text = NULL;
	int fds[2], status, error;
	pid_t program;

	if (access(path, X_OK))
		return ptu_err_set(err, -ECHILD, "%s cannot be run: %s", path,
				   strerror(errno));
	if (pipe2(fds, O_CLOEXEC))
		return ptu_err_set(err, -errno, "no pipe: %s", strerror(errno));
	program = fork();
	if (!program)
		child(path, pid, fds[1]);
	close(fds[1]);
	error = program < 0 ? -errno : read_output(fds[0], &text);
	close(fds[0]);
	while (program > 0 && waitpid(program, &status, 0) < 0 &&
	       errno == EINTR)
		;
	if (error)
		ptu_err_set(err, error, "running %s failed: %s", path,
			    strerror(-error));
	else if (!WIFEXITED(status) || WEXITSTATUS(status))
		error = ptu_err_set(err, -ECHILD,
				    WIFEXITED(status) ?
					    "%s ended with exit status %d" :
					    "%s was killed by signal %d",
				    path,
				    WIFEXITED(status) ? WEXITSTATUS(status) :
							WTERMSIG(status));
	if (error) {
		free(text);
		return error;
	}
	*ret = text;
	return 0;
}
