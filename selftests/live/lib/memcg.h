/* SPDX-License-Identifier: GPL-2.0-only */
/* The memory cgroup to which the target's tables are charged. */
#ifndef LIVE_MEMCG_H
#define LIVE_MEMCG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/module.h"

struct memcg {
	uint64_t number; /* part of its name; 0: no cgroup */
	uint64_t inode;
	uint64_t at_hand; /* tables that waiting faults have allocated; they are in no tree */
};

bool memcg_is_there(void);
/* Like fork(), or -errno.  The child is the only process in a new cgroup. */
pid_t memcg_fork(struct memcg *memcg);
void memcg_remove(struct memcg *memcg);
/*
 * Bytes charged to the cgroup.  The charge exceeds the use by up to 64 pages per CPU
 * (MEMCG_CHARGE_BATCH).
 */
uint64_t memcg_bytes(const struct memcg *memcg);
int live_check_memcg(const struct memcg *memcg, pid_t pid,
		     const struct answer *answer);

#endif
