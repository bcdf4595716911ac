/* SPDX-License-Identifier: GPL-2.0-only */
/* Processes that wait for a lock, with a time limit. */
#ifndef LIVE_WAIT_H
#define LIVE_WAIT_H

#include <stdbool.h>
#include <sys/types.h>

/* What is missing to hold an mmap_lock; NULL: nothing. */
const char *live_lock_missing(void);
/* Hold the process's mmap_lock for writing; @pid == 0 releases it.  Return: 0 or -errno. */
int live_lock_mm(pid_t pid);
/* The process whose mmap_lock is held; 0: none. */
pid_t live_locked_mm(void);

/* The same three operations for any of the locks below. */
struct live_lock {
	const char *(*missing)(void);
	int (*hold)(pid_t pid);
	pid_t (*held)(void);
};

/*
 * The module takes the LDT's lock only under KPTI.  The file lock is the i_mmap_rwsem of
 * the first hugetlb file that the process maps.
 */
extern const struct live_lock live_mmap_lock, live_ldt_lock, live_file_lock;
/* The state letter of /proc/PID/stat; '?' if the process is gone. */
char live_state_of(pid_t pid);
/* Wait for this state; false after a time limit. */
bool live_comes_to(pid_t pid, char state);
/* The system call in which the process sleeps; -1: it runs, or sleeps in a page fault. */
long live_call_of(pid_t pid);
/* Wait until the process sleeps in this system call; false after a time limit. */
bool live_sleeps_in(pid_t pid, long call);
/* Wait until the child has ended and reap it; false after a time limit. */
bool live_ends(pid_t pid, int *status);

#endif
