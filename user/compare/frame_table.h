/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A table with an entry for each page frame (or swap slot) that processes of a set
 * map. Pure.
 *
 * Memory: frames are stored in chunks of 64, with 16 bytes per frame and 1 byte per
 * frame for the hash table. At most 17 bytes are used per page of RAM, independent
 * of the number of mappings: 272 MiB for 64 GiB.
 */
#ifndef PTU_COMPARE_FRAME_TABLE_H
#define PTU_COMPARE_FRAME_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define PTU_FRAME_USES_CHUNK 64

/* The highest process number; PIDs go up to 2^22. */
#define PTU_FRAME_USES_PROCESSES 0x7fffffu

/**
 * struct ptu_frame_use - one frame
 * @in_set: mappings seen in the set; 0: none
 * @in_process: of these, mappings in the process with number @process
 * @count: the kernel's count of mappings, when last read
 * @process: number of the last process that maps it, above 0
 * @flags: for the caller's use
 */
struct ptu_frame_use {
	uint32_t in_set;
	uint32_t in_process;
	uint32_t count;
	uint32_t process : 23;
	uint32_t flags : 9;
};

struct ptu_frame_uses_slot;

/**
 * struct ptu_frame_uses - all frames; initialize with zeros
 * @slots: [nr_slots] hash table of chunks; the size is a power of two
 * @last: slot of the last look-up
 */
struct ptu_frame_uses {
	struct ptu_frame_uses_slot *slots;
	size_t nr_slots;
	size_t nr_chunks;
	size_t last;
};

/**
 * ptu_frame_uses_get() - Find the entry of a frame; a new entry is zeroed.
 *
 * Return: valid until ptu_frame_uses_deinit(); NULL if out of memory.
 */
struct ptu_frame_use *ptu_frame_uses_get(struct ptu_frame_uses *frames,
					 uint64_t number);

/**
 * ptu_frame_uses_find() - Look up the entry of a frame without creating it.
 *
 * Return: as ptu_frame_uses_get(); NULL if no frame of its chunk was looked up.
 */
struct ptu_frame_use *ptu_frame_uses_find(struct ptu_frame_uses *frames,
					  uint64_t number);

/**
 * ptu_frame_uses_chunk() - Return the next chunk, in arbitrary order.
 * @at: (in, out) where to continue; 0: at the beginning
 * @ret_number: (out) number of the first frame
 *
 * Return: [PTU_FRAME_USES_CHUNK]; NULL if there are no more.
 */
struct ptu_frame_use *ptu_frame_uses_chunk(const struct ptu_frame_uses *frames,
					   size_t *at, uint64_t *ret_number);

/**
 * ptu_frame_uses_each() - Call @fn for all frames of the existing chunks.
 *
 * The order is arbitrary.  Frames that were never looked up are zeroed.
 */
void ptu_frame_uses_each(const struct ptu_frame_uses *frames,
			 void (*fn)(void *arg, struct ptu_frame_use *frame),
			 void *arg);

void ptu_frame_uses_deinit(struct ptu_frame_uses *frames);

#endif
