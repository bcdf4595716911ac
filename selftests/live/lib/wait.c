// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes that wait for a lock, and the lock's holder.  Must not ask the module ptaudit:
 * the tests check how it waits.
 */
#define _GNU_SOURCE
#include "lib/lib.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MMAP_LOCKED "mmap_locked"
#define LDT_LOCKED "ldt_locked"
#define FILE_LOCKED "file_locked"

const char *live_lock_missing(void)
{
	return live_hold_missing(MMAP_LOCKED);
}

int live_lock_mm(pid_t pid)
{
	return live_hold_set(MMAP_LOCKED, pid);
}

pid_t live_locked_mm(void)
{
	return live_hold_get(MMAP_LOCKED);
}

const struct live_lock live_mmap_lock = {
	.missing = live_lock_missing,
	.hold = live_lock_mm,
	.held = live_locked_mm,
};

static const char *ldt_missing(void)
{
	return live_system()->pti ? live_hold_missing(LDT_LOCKED) : "KPTI";
}

static int ldt_hold(pid_t pid)
{
	return live_hold_set(LDT_LOCKED, pid);
}

static pid_t ldt_held(void)
{
	return live_hold_get(LDT_LOCKED);
}

const struct live_lock live_ldt_lock = {
	.missing = ldt_missing,
	.hold = ldt_hold,
	.held = ldt_held,
};

static const char *file_missing(void)
{
	return live_hold_missing(FILE_LOCKED);
}

static int file_hold(pid_t pid)
{
	return live_hold_set(FILE_LOCKED, pid);
}

static pid_t file_held(void)
{
	return live_hold_get(FILE_LOCKED);
}

const struct live_lock live_file_lock = {
	.missing = file_missing,
	.hold = file_hold,
	.held = file_held,
};

/*
 * The file has "running", or a number: that of the system call, or -1 in a page fault.
 * Source: proc_pid_syscall(), fs/proc/base.c.
 */
long live_call_of(pid_t pid)
{
	char path[64], text[256], *end;
	long number;

	snprintf(path, sizeof(path), "/proc/%d/syscall", pid);
	number = strtol(live_file(path, text, sizeof(text)), &end, 10);
	return end == text ? -1 : number;
}

bool live_sleeps_in(pid_t pid, long call)
{
	bool sleeps = live_until(live_call_of(pid) == call);

	if (!sleeps)
		live_note("process %d does not sleep in call %ld: %ld", pid,
			  call, live_call_of(pid));
	return sleeps;
}

/* Source: do_task_stat(), fs/proc/array.c: the task's name in brackets, then its state. */
char live_state_of(pid_t pid)
{
	char path[64], text[1024];
	const char *end;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	end = strrchr(live_file(path, text, sizeof(text)), ')');
	return end && strlen(end) > 2 ? end[2] : '?';
}

bool live_comes_to(pid_t pid, char state)
{
	bool is = live_until(live_state_of(pid) == state);

	if (!is)
		live_note("process %d has the state %c instead of %c", pid,
			  live_state_of(pid), state);
	return is;
}

bool live_ends(pid_t pid, int *status)
{
	bool ends = live_until(waitpid(pid, status, WNOHANG) == pid);

	if (!ends)
		live_note("process %d does not end", pid);
	return ends;
}
