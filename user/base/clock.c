// SPDX-License-Identifier: LGPL-2.1-or-later
/* Read a clock. */
#include "base/clock.h"

#include <time.h>

static uint64_t read_clock(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * PTU_NS_PER_SEC + (uint64_t)now.tv_nsec;
}

uint64_t ptu_now_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

uint64_t ptu_cpu_ns(void)
{
	return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}
