// SPDX-License-Identifier: GPL-2.0-only
/*
 * The guard continues the stopped processes whatever happens to ptaudit, and nothing ends the
 * guard before.  The processes are children of the test, which sleep.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

/* Is the kernel older than 5.9, which has no close_range()? */
static int is_old;

static int fake_close_range(unsigned int first, unsigned int last, int flags)
{
	if (first != 1 || last != ~0u || flags)
		_exit(9);
	errno = ENOSYS;
	return is_old ? -1 : close_range(first, last, flags);
}

/* The number of signals that the guard has sent, in memory that it shares with the test. */
static volatile unsigned int *nr_kills;

static int fake_kill(pid_t pid, int signal)
{
	++*nr_kills;
	return kill(pid, signal);
}

#define close_range fake_close_range
#define kill fake_kill
#include "acquire/freeze.c"
#undef close_range
#undef kill

#include <dirent.h>

#include "support/child.h"
#include "support/unit.h"

static struct ptu_freeze freeze;
static struct ptu_err err;
static pid_t sleepers[2];

static void set_up(void)
{
	/* SIGALRM ends a test that waits for ever */
	alarm(300);
	is_old = 0;
	nr_kills = mmap(NULL, sizeof(*nr_kills), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (nr_kills == MAP_FAILED)
		abort();
	memset(&freeze, 0, sizeof(freeze));
	err.text[0] = '\0';
	for (size_t i = 0; i < 2; i++) {
		sleepers[i] = child_fork();
		if (!sleepers[i])
			child_pause(NULL);
	}
}

static void tear_down(void)
{
	ptu_thaw(&freeze);
	child_end(sleepers[0]);
	child_end(sleepers[1]);
	munmap((void *)nr_kills, sizeof(*nr_kills));
	alarm(0);
}

/* Wait for a change of the child's state: WUNTRACED or WCONTINUED. */
static bool has(pid_t pid, int change)
{
	int status;

	return waitpid(pid, &status, change) == pid &&
	       (change == WCONTINUED ? WIFCONTINUED(status) :
				       WIFSTOPPED(status));
}

static int freeze_both(void)
{
	int error = stop(&freeze, sleepers[0], &err);

	return error ? error : stop(&freeze, sleepers[1], &err);
}

UNIT_TEST(all_processes_are_continued)
{
	CHECK_EQ(freeze_both(), 0);
	CHECK_EQ(freeze.nr, 2);
	CHECK(has(sleepers[0], WUNTRACED));
	CHECK(has(sleepers[1], WUNTRACED));
	ptu_thaw(&freeze);
	CHECK(has(sleepers[0], WCONTINUED));
	CHECK(has(sleepers[1], WCONTINUED));
}

UNIT_TEST(all_processes_are_continued_although_the_guard_was_killed)
{
	CHECK_EQ(freeze_both(), 0);
	kill(freeze.guard, SIGKILL);
	ptu_thaw(&freeze);
	CHECK(has(sleepers[0], WCONTINUED));
	CHECK(has(sleepers[1], WCONTINUED));
}

UNIT_TEST(all_processes_are_continued_although_ptaudit_was_killed)
{
	int ready[2];
	char byte;
	pid_t tool;

	CHECK(!pipe2(ready, O_CLOEXEC));
	tool = child_fork();
	if (!tool) {
		if (!freeze_both() && write(ready[1], "", 1) == 1)
			child_pause(NULL);
		_exit(1);
	}
	close(ready[1]);
	CHECK_EQ(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	CHECK(has(sleepers[0], WUNTRACED));
	CHECK(has(sleepers[1], WUNTRACED));
	child_end(tool);
	CHECK(has(sleepers[0], WCONTINUED));
	CHECK(has(sleepers[1], WCONTINUED));
}

/* Send @nr PIDs to the guard, and close its socket. It sends one signal for each PID. */
static void continues(unsigned int nr)
{
	int status = -1;

	*nr_kills = 0;
	CHECK_EQ(start_guard(&freeze, &err), 0);
	for (unsigned int i = 0; i < nr; i++)
		if (send(freeze.fd, &sleepers[0], sizeof(pid_t), MSG_NOSIGNAL) <
		    0)
			break;
	close(freeze.fd);
	CHECK_EQ(waitpid(freeze.guard, &status, 0), freeze.guard);
	freeze.guard = 0;
	CHECK_EQ(status, 0);
	CHECK_EQ(*nr_kills, nr);
}

/* The tool sends at most PTU_FREEZE_MOST (1024) PIDs. The guard has room for one more. */
UNIT_TEST(the_guard_continues_the_process_of_each_pid)
{
	continues(0);
	continues(1);
	continues(1025);
}

/* The value of a line of /proc/GUARD/status. */
static const char *status_of_guard(const char *key)
{
	static char value[64];
	char name[32], line[256];
	FILE *in;

	snprintf(name, sizeof(name), "/proc/%d/status", (int)freeze.guard);
	in = fopen(name, "r");
	value[0] = '\0';
	while (in && fgets(line, sizeof(line), in))
		if (!strncmp(line, key, strlen(key)))
			sscanf(line + strlen(key), ": %63s", value);
	if (in)
		fclose(in);
	return value;
}

/* All signals but SIGKILL (9) and SIGSTOP (19), whose bits cannot be set. */
UNIT_TEST(no_signal_reaches_the_guard)
{
	/* the kernel's signal mask, without the C library */
	uint64_t before = 1, after = 2;

	syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &before, sizeof(before));
	CHECK_EQ(start_guard(&freeze, &err), 0);
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &after, sizeof(after));
	CHECK_STR(status_of_guard("SigBlk"), "fffffffffffbfeff");
	/* a terminal sends signals to a session, and pkill(1) to a name */
	CHECK_EQ(getsid(freeze.guard), freeze.guard);
	CHECK_STR(status_of_guard("Name"), "freeze-guard");
	/* the signals of ptaudit are as they were */
	CHECK_EQ(after, before);
}

/* Return the number of open descriptors of the guard. Its socket has the number 0. */
static unsigned int nr_fds_of_guard(void)
{
	unsigned int nr = 0;
	struct dirent *entry;
	char name[32];
	DIR *dir;

	snprintf(name, sizeof(name), "/proc/%d/fd", (int)freeze.guard);
	dir = opendir(name);
	while (dir && (entry = readdir(dir)))
		nr += entry->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return nr;
}

/* A guard waits until all copies of its socket are closed, also those in other guards. */
UNIT_TEST(the_guard_keeps_only_its_socket)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int far = fcntl(fd, F_DUPFD_CLOEXEC, 200);

	CHECK(fd >= 0 && far >= 200);
	for (is_old = 0; is_old < 2; is_old++) {
		CHECK_EQ(start_guard(&freeze, &err), 0);
		CHECK_EQ(nr_fds_of_guard(), 1);
		ptu_thaw(&freeze);
	}
	close(fd);
	close(far);
}

UNIT_MAIN_WITH(set_up, tear_down)
