// SPDX-License-Identifier: LGPL-2.1-or-later
/* Run an estimating program and return its output unparsed. */
#define _GNU_SOURCE /* pipe2() */
#include "acquire/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

struct output {
	int fd;
	char *text;
	size_t used;
	size_t capacity;
	bool ended;
};

/* Read the output that is available now. */
static int take(struct output *out)
{
	while (!out->ended) {
		ssize_t n;

		if (out->used + 1 >= out->capacity) {
			size_t more = out->capacity ? 2 * out->capacity :
						      (size_t)64 << 10;
			char *text;

			if (out->capacity >= PTU_PROGRAM_MOST_BYTES)
				return -EFBIG;
			text = realloc(out->text, more);
			if (!text)
				return -ENOMEM;
			out->text = text;
			out->capacity = more;
		}
		n = read(out->fd, out->text + out->used,
			 out->capacity - out->used - 1);
		if (n < 0 && errno == EAGAIN)
			break;
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			out->used += (size_t)n;
		out->ended = !n;
	}
	return 0;
}

static int64_t now_ms(void)
{
	return (int64_t)(ptu_now_ns() / 1000000);
}

/*
 * Read until the program has ended. Its output is complete then, even if a process
 * that it left behind still holds the pipe open.
 */
static int read_output(struct output *out, int pidfd, unsigned int most_s)
{
	const int64_t deadline = now_ms() + (int64_t)most_s * 1000;
	struct pollfd fds[] = {
		{ .fd = pidfd, .events = POLLIN },
		{ .fd = out->fd, .events = POLLIN },
	};
	int error = 0;

	while (!error && !fds[0].revents) {
		int64_t left = deadline - now_ms();

		if (left <= 0)
			return -ETIME;
		if (out->ended)
			fds[1].fd = -1;
		if (poll(fds, 2, (int)left) < 0) {
			fds[0].revents = 0;
			error = errno == EINTR ? 0 : -errno;
		} else {
			error = take(out);
		}
	}
	return error;
}

/*
 * Start the program.  Its standard input is empty: that of the tool may be the list that a
 * shell loop reads.
 *
 * Return: 0; -errno, also if it cannot be executed.
 */
static int start(const char *path, pid_t pid, int out, pid_t *ret)
{
	char number[16], *own_path = strdup(path);
	char *argv[] = { own_path, number, NULL };
	posix_spawn_file_actions_t actions;
	int error = own_path ? posix_spawn_file_actions_init(&actions) : ENOMEM;

	if (error) {
		free(own_path);
		return -error;
	}
	snprintf(number, sizeof(number), "%d", (int)pid);
	error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO,
						 "/dev/null", O_RDONLY, 0);
	if (!error)
		error = posix_spawn_file_actions_adddup2(&actions, out,
							 STDOUT_FILENO);
	if (!error)
		error = posix_spawn(ret, path, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	free(own_path);
	return -error;
}

/* Read the output of the running program and wait for its end. */
static int attend(const char *path, pid_t program, struct output *out,
		  unsigned int most_s, struct ptu_err *err)
{
	int pidfd = (int)syscall(SYS_pidfd_open, program, 0);
	int error = pidfd < 0 ? -errno : read_output(out, pidfd, most_s);
	int status = 0;
	pid_t got;

	if (pidfd >= 0)
		close(pidfd);
	if (error)
		kill(program, SIGKILL);
	while ((got = waitpid(program, &status, 0)) < 0 && errno == EINTR)
		;
	/* the status is lost if a user of the library ignores SIGCHLD */
	if (got < 0 && !error)
		error = -errno;
	if (error == -ENOMEM)
		return ptu_err_set(err, error, "out of memory");
	if (error == -ETIME)
		return ptu_err_set(err, -ECHILD,
				   "%s was killed: it ran for longer than %u seconds",
				   path, most_s);
	if (error == -EFBIG)
		return ptu_err_set(err, -ECHILD,
				   "%s was killed: it printed more than %zu MiB",
				   path, PTU_PROGRAM_MOST_BYTES >> 20);
	if (error)
		return ptu_err_set(err, -ECHILD, "cannot run %s: %s", path,
				   strerror(-error));
	if (!WIFEXITED(status))
		return ptu_err_set(err, -ECHILD, "%s was killed by signal %d",
				   path, WTERMSIG(status));
	if (WEXITSTATUS(status))
		return ptu_err_set(err, -ECHILD, "%s ended with exit status %d",
				   path, WEXITSTATUS(status));
	out->text[out->used] = '\0';
	if (strlen(out->text) != out->used)
		return ptu_err_set(err, -ECHILD, "%s printed a NUL byte", path);
	return 0;
}

int ptu_program_run(const char *path, pid_t pid, unsigned int most_s,
		    char **ret, struct ptu_err *err)
{
	struct output out = { 0 };
	int fds[2], error;
	pid_t program;

	if (pipe2(fds, O_CLOEXEC))
		return ptu_err_set(err, -ECHILD, "cannot create a pipe: %s",
				   strerror(errno));
	/* only for our end: the program's end is another open file description */
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	error = start(path, pid, fds[1], &program);
	close(fds[1]);
	out.fd = fds[0];
	if (error)
		error = ptu_err_set(err, -ECHILD, "cannot run %s: %s", path,
				    strerror(-error));
	else
		error = attend(path, program, &out, most_s, err);
	close(out.fd);
	if (error) {
		free(out.text);
		return error;
	}
	*ret = out.text;
	return 0;
}
