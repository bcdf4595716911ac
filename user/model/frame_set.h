/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A set of page frames, a bit each.  Pure. */
#ifndef PTU_MODEL_FRAME_SET_H
#define PTU_MODEL_FRAME_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/**
 * struct ptu_frame_set - page frames
 * @words: [capacity / 64] a bit for each page frame
 * @capacity: page frames that there is room for
 * @nr: page frames in the set
 */
struct ptu_frame_set {
	uint64_t *words;
	uint64_t capacity;
	uint64_t nr;
};

/**
 * ptu_frame_set_has() - Is the page frame in the set?
 */
bool ptu_frame_set_has(const struct ptu_frame_set *set, uint64_t pfn);

/**
 * ptu_frame_set_add() - Put a page frame in.
 *
 * Return: 0; 1 it is in already; -ERANGE no memory has such a number; -ENOMEM.
 */
ptu_must_check int ptu_frame_set_add(struct ptu_frame_set *set, uint64_t pfn);

/**
 * ptu_frame_set_clear() - Take all out; the room stays.
 */
void ptu_frame_set_clear(struct ptu_frame_set *set);

void ptu_frame_set_deinit(struct ptu_frame_set *set);

#endif
