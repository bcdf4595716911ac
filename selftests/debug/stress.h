/* SPDX-License-Identifier: GPL-2.0-only */
/* What the processes of stress_test.c share: who is there, and what was done. */
#ifndef DEBUG_STRESS_H
#define DEBUG_STRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Targets: a mutator each, and the child that it may have at the moment. */
#define NR_SLOTS 32

enum asked {
	ASKED_GEOMETRY,
	ASKED_COUNTS,
	ASKED_TABLES,
	ASKED_RANGE,
	ASKED_ORPHANS,
	ASKED_PAGES,
	ASKED_FRAMES,
	ASKED_FLAGS,
	NR_ASKED
};

struct stress {
	bool stop;
	bool pause; /* readers close what they have open */
	pid_t targets[NR_SLOTS];
	uint64_t rounds[NR_SLOTS / 2]; /* of each mutator */
	uint64_t populated[NR_SLOTS / 2]; /* ranges that it could write to */
	uint64_t answers[NR_ASKED];
	uint64_t gone; /* the target ended, or executes another program */
	uint64_t absent; /* the module was not there */
	uint64_t wrong;
	/* the files that mutators share */
	int hugetlb_fd, shmem_fd;
};

/* A process of its own that runs rounds until told to stop. */
struct mutator {
	const char *name;
	/* Once, before the rounds; may be NULL. */
	void (*begin)(struct stress *stress);
	void (*round)(struct stress *stress, unsigned int slot);
};

extern const struct mutator mutators[];
extern const unsigned int nr_mutators;

/* In the process that is to run the rounds of mutator number @nr. */
void mutator_begin(const struct mutator *mutator, struct stress *stress,
		   unsigned int nr);

/* Makes what they need of the machine: swap, huge pages, files. */
int mutators_prepare(struct stress *stress);
void mutators_undo(void);

uint32_t stress_random(void);

#endif
