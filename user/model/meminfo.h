/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parse the kernel's counter files.  Pure. */
#ifndef PTU_MODEL_MEMINFO_H
#define PTU_MODEL_MEMINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/**
 * ptu_meminfo_bytes() - Read a line of /proc/meminfo, or of a node's meminfo.
 * @key: (in) such as "PageTables"; lines of a node begin with "Node N "
 * @ret: (out) untouched if there is no such line
 *
 * Return: whether there is such a line, in kB.
 */
bool ptu_meminfo_bytes(const char *text, const char *key, uint64_t *ret);

/**
 * ptu_memory_stat_bytes() - Read the line "@key NUMBER" of memory.stat.
 * @ret: (out) untouched if there is no such line
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
 * ptu_node_spans() - Find the page frames of each NUMA node in /proc/zoneinfo.
 * @ret: (out) [*nr] free() it; zones without pages are left out
 *
 * Return: 0; -EBADMSG if there is no zone; -ENOMEM.
 */
ptu_must_check int ptu_node_spans(const char *text, struct ptu_node_span **ret,
				  size_t *nr);

#endif
