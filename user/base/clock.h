/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A clock for deadlines and durations. */
#ifndef PTU_BASE_CLOCK_H
#define PTU_BASE_CLOCK_H

#include <stdint.h>

#define PTU_NS_PER_SEC UINT64_C(1000000000)

/**
 * ptu_now_ns() - CLOCK_MONOTONIC: setting the system time does not affect it.
 */
uint64_t ptu_now_ns(void);

/**
 * ptu_cpu_ns() - CPU time of this process: other processes do not affect it.
 */
uint64_t ptu_cpu_ns(void);

#endif
