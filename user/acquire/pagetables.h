/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel's counters of page-table memory: total, by node, by cgroup. */
#ifndef PTU_ACQUIRE_PAGETABLES_H
#define PTU_ACQUIRE_PAGETABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/meminfo.h"

/**
 * ptu_pagetables_refresh() - Make the kernel fold the per-CPU counters into the total.
 *
 * Done by reading /proc/sys/vm/stat_refresh; needs root.
 * Source: mm/vmstat.c, vmstat_refresh() (6.1 to 7.3)
 *
 * Return: whether it succeeded.
 */
bool ptu_pagetables_refresh(void);

/* Names of /proc/meminfo; a recording has it of two moments. */
#define PTU_MEMINFO "meminfo"
#define PTU_MEMINFO_AFTER "meminfo-after"

/**
 * ptu_pagetables_read() - Read PageTables of /proc/meminfo.
 * @is_after: (in) of a recording: as of the end of record
 *
 * Return: 0; -ENOENT also if the recording has no meminfo; -EBADMSG; -errno.
 */
ptu_must_check int ptu_pagetables_read(bool is_after, uint64_t *ret,
				       struct ptu_err *err);

/**
 * struct ptu_pagetables_node - PageTables of a NUMA node
 */
struct ptu_pagetables_node {
	unsigned int node;
	uint64_t bytes;
};

/**
 * ptu_pagetables_nodes() - Read PageTables of all nodes, ascending.
 * @ret: (out) [*nr] free() it; empty if the kernel has no nodes
 */
ptu_must_check int ptu_pagetables_nodes(struct ptu_pagetables_node **ret,
					size_t *nr, struct ptu_err *err);

/**
 * ptu_pagetables_spans() - Find the page frames of each node.
 * @ret: (out) [*nr] free() it
 */
ptu_must_check int ptu_pagetables_spans(struct ptu_node_span **ret, size_t *nr,
					struct ptu_err *err);

/**
 * struct ptu_pagetables_cgroup - value of `pagetables` in a cgroup's memory.stat
 * @path: relative to the mount point; "/" for the root
 */
struct ptu_pagetables_cgroup {
	char *path;
	unsigned int depth;
	uint64_t bytes;
};

/**
 * ptu_pagetables_cgroups() - List all cgroups with memory.stat, parents first.
 * @ret: (out) [*nr] free() it and each path; empty without cgroup2
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_pagetables_cgroups(struct ptu_pagetables_cgroup **ret,
					  size_t *nr);

/**
 * ptu_pagetables_flags() - Read the flags of all page frames, from PFN 0 on.
 * @take: gets consecutive frames; reading stops unless it returns 0
 *
 * Return: 0; what @take returned; -EPERM, -ENOENT, -errno with a sentence.
 */
ptu_must_check int ptu_pagetables_flags(int (*take)(void *arg, uint64_t pfn,
						    const uint64_t *words,
						    size_t nr),
					void *arg, struct ptu_err *err);

#endif
