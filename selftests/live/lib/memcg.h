/* SPDX-License-Identifier: GPL-2.0-only */
/* The memory cgroup that tables are charged to. */
#ifndef LIVE_MEMCG_H
#define LIVE_MEMCG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/module.h"

struct memcg {
	uint64_t number; /* in its name; 0: there is none */
	uint64_t inode;
	uint64_t at_hand; /* tables that faults hold, which are in no tree */
};

bool memcg_is_there(void);
/* As fork(), or -errno: the child is all that is in a new cgroup. */
pid_t memcg_fork(struct memcg *memcg);
void memcg_remove(struct memcg *memcg);
/* Charged to it: up to 64 pages more than are in use for each CPU (MEMCG_CHARGE_BATCH). */
uint64_t memcg_bytes(const struct memcg *memcg);
int live_check_memcg(const struct memcg *memcg, pid_t pid,
		     const struct answer *answer);

#endif
