/* SPDX-License-Identifier: GPL-2.0-only */
/* The process that is looked at. */
#ifndef LIVE_TARGET_H
#define LIVE_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/memcg.h"

struct shape;

struct target {
	pid_t child;	    /* ours */
	pid_t pid;	    /* the one to look at: child, or one of its own */
	struct memcg memcg; /* where they live */
};

/* Returns the PID to look at (0: the caller's own), or -errno. */
typedef pid_t (*live_build)(const struct shape *shape);

/* 0, or -errno of what could not be built. */
int target_start(struct target *target, live_build build,
		 const struct shape *shape);
void target_stop(struct target *target);

/*
 * For builders; each ends the process with its errno where the kernel does
 * not do as asked.
 */
char *live_map(uint64_t start, uint64_t bytes, int flags);
char *live_map_fd(uint64_t start, uint64_t bytes, int prot, int flags, int fd);
/*
 * Private and anonymous, of small pages: else the machine's setting would
 * decide about the layout.
 */
void live_map_small(uint64_t start, uint64_t bytes);
/* A child that touches the pages, and then holds still. */
pid_t live_fork(uint64_t start, uint64_t end);
void live_touch(uint64_t start, uint64_t end);
/* Writes to a page; false where the kernel answers with SIGBUS. */
bool live_try_touch(uint64_t addr);
/*
 * The memory of these pages fails; nobody may touch them again.  Their page
 * frames are lost until the next boot.
 */
void live_fail_memory(uint64_t start, uint64_t end);
/* A page each so many bytes. */
void live_touch_each(uint64_t start, uint64_t end, uint64_t stride);
/* Leaves that need no memory: the huge page of zeros, each so many bytes. */
void live_map_zeros(uint64_t start, uint64_t end, uint64_t stride);
/* MADV_COLLAPSE, asked again for as long as somebody holds one of the pages. */
void live_collapse(uint64_t start, uint64_t bytes);
void live_must(long ret);
void live_must_be(bool as_expected, const char *what);
/* A command that has to succeed. */
void live_must_run(char *const argv[]);

#endif
