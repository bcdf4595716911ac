/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes that do as they are told with one hugetlb file, and what the tool
 * says of the PMD tables that they share.
 */
#ifndef LIVE_SHARED_H
#define LIVE_SHARED_H

#include "lib.h"

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

/* lib_actor.c */

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

/* lib_set.c */

struct sums {
	uint64_t tables;  /* that are shared */
	uint64_t outside; /* of these, with processes outside too */
	uint64_t again;	  /* further places inside */
};

/*
 * `ptaudit check --json`: what each lists as shared, and all of them as one.
 * The first @nr actors, or --all where @nr is 0.
 */
int check_set(const struct actor *actors, size_t nr, struct sums sums);
/* Has its text, for the first @nr, these words? */
int check_text(const struct actor *actors, size_t nr, const char *words);

#endif
