/* SPDX-License-Identifier: GPL-2.0-only */
/* Huge leaves in VM_PFNMAP mappings, from a device of hold/. */
#ifndef LIVE_LEAVES_H
#define LIVE_LEAVES_H

#include <stdint.h>

/* For builders.  These mappings hold only leaves: a fault makes one, or it fails. */
void live_map_pfn_pmds(uint64_t start, uint64_t bytes);
void live_map_pfn_puds(uint64_t start, uint64_t bytes);
/* NULL if this kernel makes PUD leaves for the device, otherwise what is missing. */
const char *live_pfn_puds_missing(void);

#endif
