/* SPDX-License-Identifier: GPL-2.0-only */
/* Processes that do as they are told with one hugetlb file. */
#ifndef LIVE_ACTOR_H
#define LIVE_ACTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define NR_ACTORS 3
#define NR_PLACES 3

enum op { MAP, TOUCH, READ, UNMAP, PROTECT, MOVE };

/* What a process has of a GiB: a PMD table, or its PUD table alone. */
struct place {
	uint64_t addr; /* of the first page; 0 ends the places */
	unsigned int pages;
	unsigned int sharers;
	bool gone;    /* no PMD table any more */
	uint64_t pfn; /* as the module says */
};

struct actor {
	pid_t pid;
	int fd;
	struct place places[NR_PLACES + 1];
};

/* @file: what it maps.  Returns 0 or -errno. */
int actor_start(struct actor *actor, int file);
/* Its tables are freed when this returns. */
void actor_stop(struct actor *actor);
/*
 * Returns 0, or -errno of what it did; -EFAULT for SIGBUS.  @extra: MAP: file
 * offset; PROTECT: protection; MOVE: where to.
 */
int actor_do(struct actor *actor, enum op op, uint64_t addr, uint64_t bytes,
	     uint64_t extra);

#endif
