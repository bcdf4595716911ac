/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes that share memory at the same address and do one thing at a time, as a
 * test tells them.
 */
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

/* A process that does one thing at a time. */
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
	STOP
};

/* What member and test both know of, at START in each. */
#define START FAR
#define EMPTY_START (FAR + GIB)
#define EMPTY_SLOTS 100
#define AGAIN (FAR + 2 * GIB)

#define POOL "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"

extern struct member members[NR];
extern int shared_fd, hugetlb_fd;
extern uint64_t stride; /* a page each so many bytes is written */

/* What the first word of a page is. */
uint64_t member_pattern(uint64_t page, uint64_t generation);

int member_start(struct member *m);
void member_order(const struct member *m, enum order what);
uint64_t member_answer(const struct member *m);

/* Both. */
uint64_t member_tell(const struct member *m, enum order what);

/* VmPTE of the first @nr. */
uint64_t member_vmpte(size_t nr);

/*
 * The module's word for it, where it is loaded: every process has @expected PTE
 * tables of the shared memory.
 */
bool member_have_tables(size_t nr, size_t expected);

/* A page each @each bytes, in @nr processes. */
int member_share(size_t nr, uint64_t each);

void member_stop(size_t nr);

#endif
