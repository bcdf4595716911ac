/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's counters of page tables, beside the tree. */
#ifndef LIVE_COUNTERS_H
#define LIVE_COUNTERS_H

#include <stdint.h>
#include <sys/types.h>

#define NR_COUNTED 3 /* pte, pmd, pud */

/* All counts are numbers of tables. */
struct counters {
	int64_t tree[NR_COUNTED];
	int64_t deposited; /* PTE tables deposited for huge pages */
	int64_t vmpte;
	int64_t pagetables; /* of the whole machine */
};

int64_t live_pagetables(void);
/* Return: 0, or -errno if the module did not answer. */
int live_counters(pid_t pid, struct counters *ret);
struct counters live_counters_between(const struct counters *from,
				      const struct counters *to);

#endif
