/* SPDX-License-Identifier: GPL-2.0-only */
/* Builds memory that KSM has merged. */
#ifndef LIVE_KSM_H
#define LIVE_KSM_H

#include <stdint.h>

/* For builders: wait until @nr pages of the process are merged. */
void live_merge(uint64_t start, uint64_t end, uint64_t nr);
void live_ksm_off(void);

#endif
