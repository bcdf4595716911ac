// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory use of the tool itself.  For a process with many mappings of files with
 * long paths it may need a few bytes per mapping, and each path once.  When the tool
 * reads itself, its mappings must not change.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

#define PAGE 4096
#define NR_VMAS 40000u
#define DEPTH 15
#define NAME 250

/*
 * Memory for program, libraries and threads, and per mapping.  The text of maps is
 * longer: each line has a path of DEPTH * NAME bytes.
 */
#define TOOL_BYTES ((uint64_t)80 << 20)
#define VMA_BYTES 512u
#define LIMIT_BYTES (TOOL_BYTES + NR_VMAS * VMA_BYTES)
_Static_assert((uint64_t)NR_VMAS *DEPTH *NAME > LIMIT_BYTES + (40 << 20),
	       "the text of maps fits into the memory");

/* Open two files at the end of a long path below @top. */
static int open_files(const char *top, int fds[2])
{
	char name[NAME + 1];

	memset(name, 'd', NAME);
	name[NAME] = '\0';
	if (chdir(top))
		return -1;
	for (int i = 0; i < DEPTH; i++)
		if (mkdir(name, 0700) || chdir(name))
			return -1;
	for (int i = 0; i < 2; i++) {
		fds[i] = open(i ? "a" : "b", O_RDWR | O_CREAT, 0600);
		if (fds[i] < 0 || ftruncate(fds[i], PAGE))
			return -1;
	}
	return 0;
}

/* Alternate between the files, so that the kernel cannot merge the mappings. */
static void be_target(const char *top, int ready)
{
	int fds[2];
	char *base;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	base = mmap(NULL, (size_t)NR_VMAS * PAGE, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (base == MAP_FAILED || open_files(top, fds))
		_exit(1);
	for (unsigned int i = 0; i < NR_VMAS; i++)
		if (mmap(base + (size_t)i * PAGE, PAGE, PROT_READ,
			 MAP_PRIVATE | MAP_FIXED, fds[i % 2], 0) == MAP_FAILED)
			_exit(1);
	if (write(ready, "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

/* Run `estimate --json` with limited memory.  Return: its exit status. */
static int run_tool(pid_t target)
{
	const struct rlimit limit = { LIMIT_BYTES, LIMIT_BYTES };
	char pid[16];
	int status = -1;
	pid_t tool;

	snprintf(pid, sizeof(pid), "%d", target);
	tool = fork();
	if (!tool) {
		if (setrlimit(RLIMIT_AS, &limit) ||
		    !freopen("/dev/null", "w", stdout))
			_exit(126);
		execl(TOOL, TOOL, "estimate", "--json", pid, (char *)NULL);
		_exit(127);
	}
	if (tool < 0 || waitpid(tool, &status, 0) != tool)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

UNIT_TEST(long_paths_of_many_mappings_are_held_once)
{
	char top[] = "/tmp/memory.XXXXXX", command[64], byte;
	int ready[2], status = -1;
	bool is_ready;
	pid_t target;

	CHECK(mkdtemp(top) && !pipe(ready));
	target = fork();
	if (!target)
		be_target(top, ready[1]);
	close(ready[1]);
	is_ready = read(ready[0], &byte, 1) == 1;
	if (is_ready)
		status = run_tool(target);
	if (target > 0)
		kill(target, SIGKILL);
	waitpid(target, NULL, 0);
	close(ready[0]);
	snprintf(command, sizeof(command), "rm -rf %s", top);
	CHECK_EQ(system(command), 0);
	CHECK(is_ready);
	CHECK_EQ(status, 0);
}

/*
 * With this setting malloc() maps and free() unmaps each larger block: without
 * precautions, the tool's mappings change in each attempt to record them.
 */
UNIT_TEST(mappings_of_the_tool_do_not_change_while_it_reads_them)
{
	char top[] = "/tmp/memory.XXXXXX", command[512];
	int status;

	CHECK(mkdtemp(top));
	snprintf(command, sizeof(command),
		 "for i in 1 2 3; do MALLOC_MMAP_THRESHOLD_=1000 " TOOL
		 " record --to %s/$i self || exit 1; done >/dev/null 2>&1",
		 top);
	status = system(command);
	snprintf(command, sizeof(command), "rm -rf %s", top);
	CHECK_EQ(system(command), 0);
	CHECK_EQ(status, 0);
}

UNIT_MAIN
