/* SPDX-License-Identifier: GPL-2.0-only */
/* The process that a test measures. */
#ifndef LIVE_TARGET_H
#define LIVE_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/memcg.h"

struct shape;

struct target {
	pid_t child;	    /* the child of the test */
	pid_t pid;	    /* the process to measure: child, or a child of it */
	struct memcg memcg; /* the cgroup of both */
};

/* Return: the PID to measure (0: the caller's own), or -errno. */
typedef pid_t (*live_build)(const struct shape *shape);

/* Return: 0, or -errno if the layout could not be built. */
int target_start(struct target *target, live_build build,
		 const struct shape *shape);
void target_stop(struct target *target);

/* For builders.  Each ends the process with errno if the kernel refuses the call. */
char *live_map(uint64_t start, uint64_t bytes, int flags);
char *live_map_fd(uint64_t start, uint64_t bytes, int prot, int flags, int fd);
/* Map a new file in memory, readable and writable.  Return: its descriptor. */
int live_map_memfd(uint64_t start, uint64_t bytes, int flags);
/* The same with base pages only. */
int live_map_small_memfd(uint64_t start, uint64_t bytes, int flags);
/* Map private anonymous memory with base pages only, whatever the machine's THP setting. */
void live_map_small(uint64_t start, uint64_t bytes);
/* Advise against huge pages; a kernel without them has no such advice. */
void live_no_huge(void *start, uint64_t bytes);
/* Fork a child that touches the pages and then sleeps. */
pid_t live_fork(uint64_t start, uint64_t end);
void live_touch(uint64_t start, uint64_t end);
/* Write to a page; false if that raises SIGBUS. */
bool live_try_touch(uint64_t addr);
/* The same with a read. */
bool live_try_read(uint64_t addr);
/*
 * Poison these pages.  No process may touch them afterwards, and their page frames are
 * lost until the next boot.
 */
void live_fail_memory(uint64_t start, uint64_t end);
/* Touch one page per @stride bytes. */
void live_touch_each(uint64_t start, uint64_t end, uint64_t stride);
/* Map leaves that need no memory: the huge zero page, once per @stride bytes. */
void live_map_zeros(uint64_t start, uint64_t end, uint64_t stride);
/* MADV_COLLAPSE, repeated while another task holds a reference to one of the pages. */
void live_collapse(uint64_t start, uint64_t bytes);
void live_must(long ret);
void live_must_be(bool as_expected, const char *what);
/* Run a command that must succeed. */
void live_must_run(char *const argv[]);

/* NULL if the kernel has guard pages, otherwise what is missing. */
const char *live_guard_missing(void);

/* Give up all capabilities, but not the UID; descriptors stay open. */
void live_drop_capabilities(void);

/* The errno of a call by a process that first does @drop to lose its privileges; 0: none. */
#define ERRNO_OF(drop, call)                           \
	({                                             \
		int _status;                           \
		pid_t _pid = fork();                   \
                                                       \
		if (!_pid) {                           \
			drop;                          \
			_exit((call) < 0 ? errno : 0); \
		}                                      \
		waitpid(_pid, &_status, 0);            \
		WEXITSTATUS(_status);                  \
	})

#endif
