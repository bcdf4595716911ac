/* SPDX-License-Identifier: GPL-2.0-only */
/* Processes that share memory at the same address and execute orders one at a time. */
#ifndef MEMBERS_H
#define MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/lib.h"

#define NR 9
#define BYTES (64 * MIB)
#define SLOTS (BYTES / HUGE)

/* A child process that executes one order at a time. */
struct member {
	pid_t pid;
	int to, from;
};

enum order {
	HASH,
	TOUCH,
	DONTNEED,
	UNMAP,
	CHECK,
	HUGETLB,
	MAP_AGAIN,
	UNMAP_AGAIN,
	UNMAP_SHARED,
	DONTNEED_SHARED,
	STOP
};

/* Shared constants of member and test; each member maps the file at START. */
#define START FAR
#define EMPTY_START (FAR + GIB)
#define EMPTY_SLOTS 100
#define AGAIN (FAR + 2 * GIB)

#define POOL "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"

extern struct member members[NR];
extern int shared_fd, hugetlb_fd;
extern uint64_t stride; /* distance in bytes of the pages that are written */

/* The value of a page's first word. */
uint64_t member_pattern(uint64_t page, uint64_t generation);

int member_start(struct member *m);
void member_order(const struct member *m, enum order what);
uint64_t member_answer(const struct member *m);

/* Give an order and return the answer. */
uint64_t member_tell(const struct member *m, enum order what);

/* Sum of VmPTE over the first @nr members, in bytes. */
uint64_t member_vmpte(size_t nr);

/*
 * Does every process have @expected PTE tables of the shared memory?  Asks the module;
 * true if it is not loaded.
 */
bool member_have_tables(size_t nr, size_t expected);

/* Start @nr processes that map the shared file and touch one page each @each bytes. */
int member_share(size_t nr, uint64_t each);

void member_stop(size_t nr);

#endif
