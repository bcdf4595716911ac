/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the kernel's files of counters say, read from their text.  Pure. */
#ifndef PTU_MODEL_MEMINFO_H
#define PTU_MODEL_MEMINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/**
 * ptu_meminfo_bytes() - A line of /proc/meminfo, or of a node's meminfo.
 * @key: (in) such as "PageTables"; a node's line has "Node N " in front
 * @ret: (out) untouched where there is no such line
 *
 * Return: is it there, in kB?
 */
bool ptu_meminfo_bytes(const char *text, const char *key, uint64_t *ret);

/**
 * ptu_memory_stat_bytes() - A line "@key NUMBER" of memory.stat.
 * @ret: (out) untouched where there is no such line
 */
bool ptu_memory_stat_bytes(const char *text, const char *key, uint64_t *ret);

/**
 * struct ptu_node_span - page frames of one zone
 */
struct ptu_node_span {
	uint64_t start;
	uint64_t end;
	unsigned int node;
};

/**
 * ptu_node_spans() - Which page frames belong to which NUMA node, by /proc/zoneinfo.
 * @ret: (out) [*nr] free() it; zones without a page are left out
 *
 * Return: 0; -EBADMSG no zone is in it; -ENOMEM.
 */
ptu_must_check int ptu_node_spans(const char *text, struct ptu_node_span **ret,
				  size_t *nr);

#endif
