/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the kernel says how much memory page tables take: by node, by cgroup, in all. */
#ifndef PTU_ACQUIRE_PAGETABLES_H
#define PTU_ACQUIRE_PAGETABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/meminfo.h"

/**
 * ptu_pagetables_refresh() - Make the kernel add the counters of each CPU to the total.
 *
 * Reading /proc/sys/vm/stat_refresh does it; only root may.
 * Source: mm/vmstat.c, vmstat_refresh() (6.1 to 7.2)
 *
 * Return: was it done?
 */
bool ptu_pagetables_refresh(void);

/**
 * ptu_pagetables_read() - PageTables of /proc/meminfo.
 */
ptu_must_check int ptu_pagetables_read(uint64_t *ret, struct ptu_err *err);

/**
 * struct ptu_pagetables_node - PageTables of a NUMA node
 */
struct ptu_pagetables_node {
	unsigned int node;
	uint64_t bytes;
};

/**
 * ptu_pagetables_nodes() - By node, ascending.
 * @ret: (out) [*nr] free() it; none where the kernel has no nodes
 */
ptu_must_check int ptu_pagetables_nodes(struct ptu_pagetables_node **ret,
					size_t *nr, struct ptu_err *err);

/**
 * ptu_pagetables_spans() - Which page frames belong to which node.
 * @ret: (out) [*nr] free() it
 */
ptu_must_check int ptu_pagetables_spans(struct ptu_node_span **ret, size_t *nr,
					struct ptu_err *err);

/**
 * struct ptu_pagetables_cgroup - `pagetables` of memory.stat of a cgroup
 * @path: below the mount point; "/" for the root
 */
struct ptu_pagetables_cgroup {
	char *path;
	unsigned int depth;
	uint64_t bytes;
};

/**
 * ptu_pagetables_cgroups() - All cgroups with memory.stat, each before those below it.
 * @ret: (out) [*nr] free() it and each path; none without cgroup2
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_pagetables_cgroups(struct ptu_pagetables_cgroup **ret,
					  size_t *nr);

/**
 * ptu_pagetables_flags() - The flags of all page frames, from 0 on.
 * @take: takes those that follow the ones before; ends the reading unless it
 *	returns 0
 *
 * Return: 0; what @take returned; -EPERM, -ENOENT, -errno with a sentence.
 */
ptu_must_check int ptu_pagetables_flags(int (*take)(void *arg, uint64_t pfn,
						    const uint64_t *words,
						    size_t nr),
					void *arg, struct ptu_err *err);

#endif
