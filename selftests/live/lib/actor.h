/* SPDX-License-Identifier: GPL-2.0-only */
/* Child processes that execute orders on one hugetlb file. */
#ifndef LIVE_ACTOR_H
#define LIVE_ACTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define NR_ACTORS 3
#define NR_PLACES 3

enum op { MAP, TOUCH, READ, UNMAP, PROTECT, MOVE };

/* The hugetlb pages that a process maps in one GiB, and the PMD table expected there. */
struct place {
	uint64_t addr; /* address of the first page; 0 ends the array */
	unsigned int pages;
	unsigned int sharers;
	bool gone;    /* the PMD table was freed, the PUD table remains */
	uint64_t pfn; /* the PMD table's frame, as the module reports it */
};

struct actor {
	pid_t pid;
	int fd;
	struct place places[NR_PLACES + 1];
};

/* Start a process that maps @file.  Return: 0 or -errno. */
int actor_start(struct actor *actor, int file);
/* Kill the process and wait for it.  Its tables are freed when this returns. */
void actor_stop(struct actor *actor);
/*
 * Have the process execute one order.  @extra: for MAP the file offset, for PROTECT the
 * protection, for MOVE the new address.  Return: 0, -errno of the order, or -EFAULT if the
 * access raised SIGBUS.
 */
int actor_do(struct actor *actor, enum op op, uint64_t addr, uint64_t bytes,
	     uint64_t extra);

#endif
