/* SPDX-License-Identifier: GPL-2.0-only */
/* Random operations that change the page tables of the calling process. */
#ifndef LIVE_MUTATORS_H
#define LIVE_MUTATORS_H

#include <stdint.h>
#include <sys/types.h>

struct mutation {
	int hugetlb_fd, shmem_fd; /* processes may share them */
	pid_t child;		  /* the last child that a round started */
	uint64_t populated;	  /* number of ranges that were populated */
};

struct mutator {
	const char *name;
	void (*round)(struct mutation *m);
};

/* Two of the hugetlb ones share a PMD table, and two of the shmem ones a file. */
extern const struct mutator live_mutators[];
extern const unsigned int live_nr_mutators;

/* Open the files.  Return: 0, or -errno. */
int live_mutation_open(struct mutation *m);
/* Populate a range.  A second thread can call this: a hole does not kill it. */
void live_populate_area(struct mutation *m);

/* Each thread has its own numbers.  Without a seed they depend on the PID. */
void live_seed(uint32_t seed);
uint32_t live_random(void);

#endif
