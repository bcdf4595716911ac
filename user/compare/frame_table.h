/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is known of each page frame (or swap slot) that processes of a set map.
 * Pure.
 *
 * Memory: 16 bytes for each frame of a chunk of 64 in which any is mapped, and
 * 1 byte for the way to it; so at most 17 bytes for each page of RAM, however
 * often it is mapped: 272 MiB for 64 GiB.
 */
#ifndef PTU_COMPARE_FRAME_TABLE_H
#define PTU_COMPARE_FRAME_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define PTU_FRAME_USES_CHUNK 64

/* The highest number that a process can have here; PIDs go to 2^22. */
#define PTU_FRAME_USES_PROCESSES 0xffffffu

/**
 * struct ptu_frame_use - one of them
 * @in_set: mappings that were seen in the set; 0: not one
 * @in_process: of these, in the process with the number @process
 * @count: mappings that the kernel counted when it was last asked
 * @process: the last process in which one was seen, by a number above 0
 * @flags: whatever the caller keeps here
 */
struct ptu_frame_use {
	uint32_t in_set;
	uint32_t in_process;
	uint32_t count;
	uint32_t process : 24;
	uint32_t flags : 8;
};

struct ptu_frame_uses_slot;

/**
 * struct ptu_frame_uses - all of them; zeroed: none
 * @slots: [nr_slots] a hash table of chunks, a power of two
 * @last: the slot that was asked for last
 */
struct ptu_frame_uses {
	struct ptu_frame_uses_slot *slots;
	size_t nr_slots;
	size_t nr_chunks;
	size_t last;
};

/**
 * ptu_frame_uses_get() - The frame with a number; a zeroed one if it is new.
 *
 * Return: valid until ptu_frame_uses_deinit(); NULL if there is no memory.
 */
struct ptu_frame_use *ptu_frame_uses_get(struct ptu_frame_uses *frames,
					 uint64_t number);

/**
 * ptu_frame_uses_each() - Hand on all that were asked for, and their neighbours.
 *
 * In no order.  Frames that nobody asked for are zeroed.
 */
void ptu_frame_uses_each(const struct ptu_frame_uses *frames,
			 void (*fn)(void *arg, struct ptu_frame_use *frame),
			 void *arg);

void ptu_frame_uses_deinit(struct ptu_frame_uses *frames);

#endif
