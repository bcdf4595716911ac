// SPDX-License-Identifier: GPL-2.0-only
/* Reads VmPTE and PageTables, and counts the tree by the module.  Must not compare them. */
#define _GNU_SOURCE
#include "lib/lib.h"

#include <stdlib.h>
#include <string.h>

int64_t live_pagetables(void)
{
	char text[32768];
	const char *line;

	/* the kernel may count freed tables until a grace period has passed */
	live_grace_period();
	/* without stat_refresh each CPU keeps a remainder */
	if (live_set("/proc/sys/vm/stat_refresh", "1"))
		return -1;
	line = strstr(live_file("/proc/vmstat", text, sizeof(text)),
		      "nr_page_table_pages ");
	return line ? strtoll(line + 20, NULL, 10) : -1;
}

int live_counters(pid_t pid, struct counters *ret)
{
	struct counts counts;
	int err = live_counts(pid, &counts);

	for (unsigned int level = 0; level < NR_COUNTED; level++)
		ret->tree[level] = (int64_t)counts.tables[level];
	ret->deposited = (int64_t)counts.deposited;
	ret->vmpte = (int64_t)(live_vmpte_bytes(pid) / PAGE);
	ret->pagetables = live_pagetables();
	return err;
}

struct counters live_counters_between(const struct counters *from,
				      const struct counters *to)
{
	struct counters ret;

	for (unsigned int level = 0; level < NR_COUNTED; level++)
		ret.tree[level] = to->tree[level] - from->tree[level];
	ret.deposited = to->deposited - from->deposited;
	ret.vmpte = to->vmpte - from->vmpte;
	ret.pagetables = to->pagetables - from->pagetables;
	return ret;
}
