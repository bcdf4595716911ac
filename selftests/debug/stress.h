/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the processes of stress_test.c: their PIDs and counters of their work. */
#ifndef DEBUG_STRESS_H
#define DEBUG_STRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Slots for targets: each mutator, and the child that it may have. */
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
	bool pause; /* readers close their files */
	pid_t targets[NR_SLOTS];
	uint64_t rounds[NR_SLOTS / 2]; /* rounds of each mutator */
	uint64_t populated[NR_SLOTS / 2]; /* ranges populated by each mutator */
	uint64_t answers[NR_ASKED];
	uint64_t gone; /* the target had ended or executed another program */
	uint64_t absent; /* the module was not loaded */
	uint64_t wrong;
	/* files that mutators share */
	int hugetlb_fd, shmem_fd;
};

/* A process that runs rounds until it is told to stop. */
struct mutator {
	const char *name;
	/* Called once before the rounds; may be NULL. */
	void (*begin)(struct stress *stress);
	void (*round)(struct stress *stress, unsigned int slot);
};

extern const struct mutator mutators[];
extern const unsigned int nr_mutators;

/* Called in the process that will run the rounds of mutator number @nr. */
void mutator_begin(const struct mutator *mutator, struct stress *stress,
		   unsigned int nr);

/* Set up swap, huge pages and files for the mutators. */
int mutators_prepare(struct stress *stress);
void mutators_undo(void);

uint32_t stress_random(void);

#endif
