/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages on their way to another NUMA node: the module hold stops their migration half way. */
#ifndef LIVE_MIGRATE_H
#define LIVE_MIGRATE_H

#include <stdbool.h>
#include <stdint.h>

/* Does the machine have a second NUMA node? */
bool live_has_nodes(void);
/* Move a page to the other one of two nodes. Return: whether the page is there afterwards. */
bool live_move_page(void *page);
/* What is missing to hold migrations; NULL: nothing. */
const char *live_migrate_missing(void);
/*
 * For builders: move @nr pages, one per @stride bytes, each by a thread of its own, and wait
 * until all of them are held.
 */
void live_migrate(uint64_t start, uint64_t stride, unsigned int nr);
/* Number of held migrations. */
unsigned int live_nr_migrating(void);
/* Let them go on to the other node. */
void live_migrate_on(void);
/* For builders: wait until these migrations have ended. */
void live_migrate_end(void);

#endif
