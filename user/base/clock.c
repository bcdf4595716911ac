// SPDX-License-Identifier: LGPL-2.1-or-later
/* Read CLOCK_MONOTONIC. */
#include "base/clock.h"

#include <time.h>

uint64_t ptu_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * PTU_NS_PER_SEC + (uint64_t)now.tv_nsec;
}
