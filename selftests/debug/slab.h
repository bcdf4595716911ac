/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts kernel objects that a leaked reference would keep. */
#ifndef DEBUG_SLAB_H
#define DEBUG_SLAB_H

#include <stdbool.h>

enum { SLAB_MM, SLAB_TASK, SLAB_PID, NR_SLABS };

/* Objects in use; -1 if the cache has been merged with another. */
struct slabs {
	long objects[NR_SLABS];
	long threads; /* number of threads: new kernel threads may stay for minutes */
};

struct slabs slab_count(void);
/* Count until no cache has more than @slack objects above @before, for up to 30 s. */
struct slabs slab_settle(const struct slabs *before, long slack);
/* Print each cache with more than @slack objects above @before.  Return: their number. */
unsigned int slab_compare(const struct slabs *before, const struct slabs *after,
			  long slack);

#endif
