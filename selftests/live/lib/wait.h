/* SPDX-License-Identifier: GPL-2.0-only */
/* Processes that wait for a lock; each waits for 20 s at most. */
#ifndef LIVE_WAIT_H
#define LIVE_WAIT_H

#include <stdbool.h>
#include <sys/types.h>

/* What is needed to hold an mmap_lock, or NULL. */
const char *live_lock_missing(void);
/* Holds the process's mmap_lock for writing; 0: gives it back. Or -errno. */
int live_lock_mm(pid_t pid);
/* Whose is held; 0: none. */
pid_t live_locked_mm(void);

/* The same three for one lock or the other. */
struct live_lock {
	const char *(*missing)(void);
	int (*hold)(pid_t pid);
	pid_t (*held)(void);
};

/*
 * The LDT's lock is taken by the module under KPTI alone.  The file's is the
 * i_mmap_rwsem of the first hugetlb file that the process maps.
 */
extern const struct live_lock live_mmap_lock, live_ldt_lock, live_file_lock;
/* Is the process asleep in this system call? */
bool live_sleeps_in(pid_t pid, long call);
/* Does it sleep where no signal wakes it? */
bool live_waits_for_lock(pid_t pid);
/*
 * Kills the process while its mmap_lock is held, and has a child make a call that reads,
 * and waits behind it.  Returns what the call returned, or -1: it was not so.
 */
int live_read_behind_end(pid_t pid, int (*call)(const void *arg),
			 const void *arg);
/* Has the child ended, and is no more? */
bool live_ends(pid_t pid, int *status);

#endif
