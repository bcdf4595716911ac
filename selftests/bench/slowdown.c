// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: slowdown faults|maps MIB SECONDS RATE HOW
 *
 * Measures how much reading a process slows it down.  The process holds MIB of memory
 * and, for SECONDS, faults in pages (faults) or makes and removes mappings (maps) as
 * fast as it can. Meanwhile a second process reads it RATE times per second.  HOW: none,
 * counts or tables of the module, smaps or rollup.  Prints `operations N` (per second)
 * and `looks N`, both over the whole time.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096UL
#define CHUNK (2UL << 20)

static char buffer[1 << 16];

static void die(const char *what)
{
	fprintf(stderr, "slowdown: %s: %s\n", what, strerror(errno));
	exit(2);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static char *map(size_t bytes)
{
	char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		die("mmap");
	madvise(at, bytes, MADV_NOHUGEPAGE);
	return at;
}

/* Read the process once, completely. */
static void look(pid_t pid, const char *how)
{
	char path[128];
	ssize_t got;
	int fd;

	if (!strcmp(how, "smaps") || !strcmp(how, "rollup")) {
		snprintf(path, sizeof(path), "/proc/%d/%s", pid,
			 *how == 's' ? "smaps" : "smaps_rollup");
		fd = open(path, O_RDONLY);
	} else {
		snprintf(path, sizeof(path), "/sys/kernel/debug/ptaudit/%s",
			 how);
		fd = open(path, O_RDWR);
		snprintf(buffer, sizeof(buffer), "%d", pid);
		if (fd >= 0 && write(fd, buffer, strlen(buffer)) < 0)
			die(path);
	}
	if (fd < 0)
		die(path);
	while ((got = read(fd, buffer, sizeof(buffer))) > 0)
		;
	if (got < 0)
		die(path);
	close(fd);
}

/* Write one byte to @out for each completed look. */
static void watch(pid_t pid, const char *how, double rate, int out)
{
	double next = now();

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		double wait = next - now();

		if (wait > 0)
			usleep((useconds_t)(wait * 1e6));
		look(pid, how);
		if (write(out, "", 1) != 1)
			_exit(0);
		next += 1 / rate;
	}
}

static unsigned long work(int faults, char *area)
{
	size_t at;

	if (faults) {
		for (at = 0; at < CHUNK; at += PAGE)
			area[at] = 1;
		madvise(area, CHUNK, MADV_DONTNEED);
		return CHUNK / PAGE;
	}
	for (at = 0; at < 64; at++) {
		char *one = map(PAGE);

		*one = 1;
		munmap(one, PAGE);
	}
	return at;
}

int main(int argc, char **argv)
{
	unsigned long operations = 0, looks = 0;
	double begin, seconds, rate, took;
	size_t bytes, at;
	char *held, *area;
	pid_t watcher = 0;
	ssize_t got;
	int done[2];

	if (argc != 6) {
		fprintf(stderr,
			"usage: slowdown faults|maps MIB SECONDS RATE none|counts|tables|smaps|rollup\n");
		return 2;
	}
	bytes = strtoul(argv[2], NULL, 10) << 20;
	seconds = strtod(argv[3], NULL);
	rate = strtod(argv[4], NULL);
	held = map(bytes);
	for (at = 0; at < bytes; at += PAGE)
		held[at] = 1;
	area = map(CHUNK);
	if (pipe2(done, O_NONBLOCK))
		die("pipe");
	if (strcmp(argv[5], "none")) {
		pid_t target = getpid();

		watcher = fork();
		if (watcher < 0)
			die("fork");
		if (!watcher)
			watch(target, argv[5], rate, done[1]);
	}
	begin = now();
	do
		operations += work(argv[1][0] == 'f', area);
	while (now() - begin < seconds);
	took = now() - begin;
	if (watcher)
		kill(watcher, SIGKILL);
	while ((got = read(done[0], buffer, sizeof(buffer))) > 0)
		looks += (unsigned long)got;
	printf("operations %.0f\nlooks %lu\n", (double)operations / took,
	       looks);
	return 0;
}
