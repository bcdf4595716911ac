/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the mappings say of an address range: whether a table, a leaf, an entry
 * can be there at all.  Pure; knows no record.
 */
#ifndef PTU_MODEL_PLACE_H
#define PTU_MODEL_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/vma.h"

/**
 * ptu_place_bytes() - How much of a range lies in mappings.
 * @end: (in) exclusive
 * @flag: (in) one of PTU_VM_*: only mappings that are known to have it; 0: all
 */
uint64_t ptu_place_bytes(const struct ptu_vmas *vmas, uint64_t start,
			 uint64_t end, unsigned int flag);

/**
 * ptu_place_one() - Does one mapping cover all of a range?
 * @flag: (in) one of PTU_VM_* that it is known to have; 0: any will do
 */
bool ptu_place_one(const struct ptu_vmas *vmas, uint64_t start, uint64_t end,
		   unsigned int flag);

#endif
