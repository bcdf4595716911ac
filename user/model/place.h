/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Test which parts of an address range are mapped.  Pure; knows no records. */
#ifndef PTU_MODEL_PLACE_H
#define PTU_MODEL_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/vma.h"

/**
 * ptu_place_bytes() - Number of mapped bytes in a range.
 * @end: (in) exclusive
 * @flags: (in) PTU_VM_*: count only mappings known to have all of them; 0: count all
 */
uint64_t ptu_place_bytes(const struct ptu_vmas *vmas, uint64_t start,
			 uint64_t end, unsigned int flags);

/**
 * ptu_place_one() - Does a single mapping cover the range?
 * @flags: (in) PTU_VM_* that the mapping must be known to have, all of them; 0: any mapping
 */
bool ptu_place_one(const struct ptu_vmas *vmas, uint64_t start, uint64_t end,
		   unsigned int flags);

#endif
