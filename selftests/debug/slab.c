// SPDX-License-Identifier: GPL-2.0-only
/* Counts the mms, tasks and pids of the machine, whichever process holds them. */
#include "slab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/lib.h"

static const char *const caches[NR_SLABS] = {
	[SLAB_MM] = "mm_struct",
	[SLAB_TASK] = "task_struct",
	[SLAB_PID] = "pid",
};

static long objects(const char *cache)
{
	char path[96], line[256], name[64];
	long active, found = -1;
	FILE *file;

	/* Shrink the cache: free objects on per-CPU slabs would count as used. */
	snprintf(path, sizeof(path), "/sys/kernel/slab/%s/shrink", cache);
	live_set(path, "1");
	file = fopen("/proc/slabinfo", "r");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "%63s %ld", name, &active) == 2 &&
		    !strcmp(name, cache))
			found = active;
	if (file)
		fclose(file);
	return found;
}

/* Source: loadavg_proc_show(), fs/proc/loadavg.c: the number after the slash. */
static long living_threads(void)
{
	char text[64];
	const char *slash = strchr(live_file("/proc/loadavg", text,
					     sizeof(text)),
				   '/');

	return slash ? atol(slash + 1) : 0;
}

struct slabs slab_count(void)
{
	struct slabs ret = { .threads = living_threads() };

	for (unsigned int i = 0; i < NR_SLABS; i++)
		ret.objects[i] = objects(caches[i]);
	return ret;
}

static bool is_more(const struct slabs *before, const struct slabs *after,
		    unsigned int i, long slack)
{
	/* a new thread has a task and a pid, which are no leak */
	if (i != SLAB_MM && after->threads > before->threads)
		slack += after->threads - before->threads;
	return after->objects[i] > before->objects[i] + slack;
}

struct slabs slab_settle(const struct slabs *before, long slack)
{
	struct slabs ret = slab_count();
	bool more = true;

	for (unsigned int try = 0; more && try < 30; try++) {
		more = false;
		for (unsigned int i = 0; i < NR_SLABS; i++)
			more |= is_more(before, &ret, i, slack);
		if (more) {
			sleep(1);
			ret = slab_count();
		}
	}
	return ret;
}

unsigned int slab_compare(const struct slabs *before, const struct slabs *after,
			  long slack)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < NR_SLABS; i++) {
		bool more = is_more(before, after, i, slack);

		live_note("%s: %ld objects before, %ld after%s", caches[i],
			  before->objects[i], after->objects[i],
			  more ? ": left behind" : "");
		nr += more;
	}
	/* Some kernels merge the cache of pid with others.  The other caches must exist. */
	for (unsigned int i = 0; i < NR_SLABS; i++)
		if (i != SLAB_PID && before->objects[i] <= 0) {
			live_note("the objects of %s cannot be counted",
				  caches[i]);
			nr++;
		}
	return nr;
}
