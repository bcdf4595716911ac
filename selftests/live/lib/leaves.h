/* SPDX-License-Identifier: GPL-2.0-only */
/* VM_PFNMAP mappings: huge leaves from a device of hold/, and the memory of a PCI device. */
#ifndef LIVE_LEAVES_H
#define LIVE_LEAVES_H

#include <stdint.h>

/* For builders.  These mappings hold only leaves: a fault makes one, or it fails. */
void live_map_pfn_pmds(uint64_t start, uint64_t bytes);
void live_map_pfn_puds(uint64_t start, uint64_t bytes);
/* NULL if this kernel makes PUD leaves for the device, otherwise what is missing. */
const char *live_pfn_puds_missing(void);

/* Open the large memory BAR of QEMU's pci-testdev; -1 if there is none. */
#define BAR_BYTES (16 * MIB)
int live_open_bar(void);

#endif
