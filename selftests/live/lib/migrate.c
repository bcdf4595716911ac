// SPDX-License-Identifier: GPL-2.0-only
/* Moves pages to another NUMA node.  The module hold can stop each move half way. */
#define _GNU_SOURCE
#include "lib/lib.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Source: include/uapi/linux/mempolicy.h */
#define MPOL_MF_MOVE 2

/* The module hold stops at most 16 migrations. */
static pthread_t threads[16];
static unsigned int nr_threads;

bool live_has_nodes(void)
{
	return !access("/sys/devices/system/node/node1", F_OK);
}

bool live_move_page(void *page)
{
	int node = -1, status = -1, to;

	/* without target nodes, move_pages() reports the node of the page */
	if (syscall(SYS_move_pages, 0, 1UL, &page, NULL, &node, 0) || node < 0)
		return false;
	to = !node;
	return !syscall(SYS_move_pages, 0, 1UL, &page, &to, &status,
			MPOL_MF_MOVE) &&
	       status == to;
}

const char *live_migrate_missing(void)
{
	const char *missing = live_hold_missing("tgid");

	return missing || live_has_nodes() ? missing : "two NUMA nodes";
}

/* Move one page per call: all kernels migrate it as a single folio. */
static void *move(void *page)
{
	/* EAGAIN, EBUSY: another task held a reference to the page */
	live_must_be(live_until(live_move_page(page)),
		     "the page has moved to the other node");
	return NULL;
}

unsigned int live_nr_migrating(void)
{
	return (unsigned int)live_hold_get("held");
}

void live_migrate(uint64_t start, uint64_t stride, unsigned int nr)
{
	live_must(live_hold_set("tgid", getpid()));
	for (; nr_threads < nr; nr_threads++)
		live_must_be(!pthread_create(&threads[nr_threads], NULL, move,
					     (void *)(start +
						      nr_threads * stride)),
			     "a thread");
	live_must_be(live_until(live_nr_migrating() == nr),
		     "number of held migrations");
}

void live_migrate_on(void)
{
	live_hold_set("tgid", 0);
}

void live_migrate_end(void)
{
	while (nr_threads)
		live_must(-pthread_join(threads[--nr_threads], NULL));
}
