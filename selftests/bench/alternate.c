// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: alternate ROUNDS DIR -- COMMAND [ARG...] [-- COMMAND [ARG...]]...
 *
 * Runs the commands in turn, ROUNDS times, so that other load of the machine affects all
 * of them alike.  Prints a line per run: index of the command, time from fork to exit in
 * ns, CPU time in us, maximum resident set in KiB, exit status.  DIR/N gets the output
 * of the last run of command N.  The program does not know what is measured.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_COMMANDS 32
#define NS_PER_SEC 1000000000LL

extern char **environ;

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_SEC + now.tv_nsec;
}

static long long us_of(const struct timeval *t)
{
	return t->tv_sec * 1000000LL + t->tv_usec;
}

/* The output goes to a file: with a pipe the speed of its reader would count. */
static int run(unsigned int index, char **argv, const char *dir)
{
	posix_spawn_file_actions_t actions;
	char out[PATH_MAX];
	struct rusage usage;
	long long begin, end;
	int status, error;
	pid_t pid;

	snprintf(out, sizeof(out), "%s/%u", dir, index);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out,
					 O_WRONLY | O_CREAT | O_TRUNC, 0644);
	begin = now_ns();
	error = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	if (error) {
		fprintf(stderr, "alternate: %s: %s\n", argv[0],
			strerror(error));
		return -1;
	}
	while (wait4(pid, &status, 0, &usage) < 0)
		if (errno != EINTR)
			return -1;
	end = now_ns();
	posix_spawn_file_actions_destroy(&actions);
	printf("%u %lld %lld %ld %d\n", index, end - begin,
	       us_of(&usage.ru_utime) + us_of(&usage.ru_stime), usage.ru_maxrss,
	       WIFEXITED(status) ? WEXITSTATUS(status) :
				   128 + WTERMSIG(status));
	return 0;
}

int main(int argc, char **argv)
{
	char **commands[MAX_COMMANDS];
	unsigned int nr = 0, i;
	long rounds, round;
	int at;

	if (argc < 5 || strcmp(argv[3], "--")) {
		fprintf(stderr,
			"usage: alternate ROUNDS DIR -- COMMAND [ARG...] [-- ...]\n");
		return 2;
	}
	rounds = strtol(argv[1], NULL, 10);
	for (at = 3; at < argc; at++) {
		if (strcmp(argv[at], "--"))
			continue;
		argv[at] = NULL;
		if (nr == MAX_COMMANDS || at + 1 == argc) {
			fprintf(stderr,
				"alternate: too many commands, or an empty one\n");
			return 2;
		}
		commands[nr++] = &argv[at + 1];
	}
	for (round = 0; round < rounds; round++)
		for (i = 0; i < nr; i++)
			if (run(i, commands[i], argv[2]))
				return 2;
	return 0;
}
