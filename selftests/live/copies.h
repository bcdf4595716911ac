/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tests of cow and flags share: private memory of a process that
 * belongs to nobody, and the tool as root and as nobody.  Included once by each
 * program.
 */
#ifndef LIVE_COPIES_H
#define LIVE_COPIES_H

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "lib.h"

#define NOBODY 65534

struct shape {
	uint64_t start;
};

static const struct shape shape = { FAR + GIB - 2 * HUGE };

static inline void read_page(uint64_t addr)
{
	(void)*(volatile char *)addr;
}

static inline void map_small(uint64_t start, uint64_t pages)
{
	live_must(madvise(live_map(start, pages * PAGE, 0), pages * PAGE,
			  MADV_NOHUGEPAGE));
}

/* The process becomes an unprivileged user's, who may still look at it. */
static inline pid_t become_nobody(void)
{
	live_must(setuid(NOBODY));
	live_must(prctl(PR_SET_DUMPABLE, 1));
	return 0;
}

static inline void map_huge(uint64_t start, uint64_t slots)
{
	live_must(live_set(THP "enabled", "madvise"));
	live_must(live_set(THP "use_zero_page", "1"));
	live_must(madvise(live_map(start, slots * HUGE, 0), slots * HUGE,
			  MADV_HUGEPAGE));
}

static inline void must_be_huge(uint64_t start, uint64_t slots)
{
	live_must_be(live_smaps_kib(getpid(), "AnonHugePages", start,
				    start + 64 * HUGE) == slots * (HUGE / KIB),
		     "AnonHugePages");
}

/* The tool, as root or as the owner of the process; then root again. */
static inline int run_tool(bool as_root, const char *command,
			   const char *option, pid_t pid, const char *range,
			   struct tool_run *run)
{
	char number[16];
	int ret;

	snprintf(number, sizeof(number), "%d", pid);
	/* of three IDs only the saved one is kept through, and exec drops it */
	if (!as_root && setresuid(NOBODY, NOBODY, 0))
		return -errno;
	ret = live_run((char *[]){ (char *)live_tool(), (char *)command,
				   (char *)option, number, (char *)range,
				   NULL },
		       run);
	if (!as_root && setresuid(0, 0, 0))
		return -errno;
	return ret;
}

static uint64_t number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_integer(value) ? (uint64_t)json_integer_value(value) :
					UINT64_MAX;
}

static int differs(const char *where, const char *key, uint64_t is,
		   uint64_t expected)
{
	if (is == expected)
		return 0;
	live_note("%s: %s is %lld, not %lld", where, key, (long long)is,
		  (long long)expected);
	return 1;
}

#endif
