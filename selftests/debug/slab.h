/* SPDX-License-Identifier: GPL-2.0-only */
/* What a leaked reference keeps: objects in the kernel's caches. */
#ifndef DEBUG_SLAB_H
#define DEBUG_SLAB_H

#include <stdbool.h>

enum { SLAB_MM, SLAB_TASK, SLAB_PID, NR_SLABS };

/* Objects in use, or -1 where the cache has been merged with another. */
struct slabs {
	long objects[NR_SLABS];
	long threads; /* alive: kernel threads come and stay for minutes */
};

struct slabs slab_count(void);
/* Counts until there are no more than before and some, or half a minute long. */
struct slabs slab_settle(const struct slabs *before, long slack);
/* Prints each cache that has more than before and some; how many. */
unsigned int slab_compare(const struct slabs *before, const struct slabs *after,
			  long slack);

#endif
