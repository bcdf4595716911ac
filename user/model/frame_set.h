/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A set of page frames, one bit per frame.  Pure. */
#ifndef PTU_MODEL_FRAME_SET_H
#define PTU_MODEL_FRAME_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/**
 * struct ptu_frame_set - page frames
 * @blocks: bitmaps of equal numbers of page frames; NULL: no frame of the block is in the
 *	set.  Memory of devices is far above RAM, so there are long gaps
 * @end: number of blocks up to the last one that is not NULL
 * @nr: number of page frames in the set
 */
struct ptu_frame_set {
	uint64_t **blocks;
	size_t end;
	uint64_t nr;
};

/**
 * ptu_frame_set_has() - Is the page frame in the set?
 */
bool ptu_frame_set_has(const struct ptu_frame_set *set, uint64_t pfn);

/**
 * ptu_frame_set_end() - An upper limit: the PFNs of all frames in the set are below it.
 */
uint64_t ptu_frame_set_end(const struct ptu_frame_set *set);

/**
 * ptu_frame_set_add() - Add a page frame.
 *
 * Return: 0; 1 if it is already in the set; -ERANGE if the PFN is too large;
 * -ENOMEM.
 */
ptu_must_check int ptu_frame_set_add(struct ptu_frame_set *set, uint64_t pfn);

/**
 * ptu_frame_set_remove() - Remove a page frame that is in the set.
 */
void ptu_frame_set_remove(struct ptu_frame_set *set, uint64_t pfn);

/**
 * ptu_frame_set_clear() - Remove all frames and keep the allocation.
 */
void ptu_frame_set_clear(struct ptu_frame_set *set);

void ptu_frame_set_deinit(struct ptu_frame_set *set);

#endif
