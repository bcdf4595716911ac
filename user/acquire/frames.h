/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Read page frames by number from the module's kpagemap, kpageflags and kpagecount. */
#ifndef PTU_ACQUIRE_FRAMES_H
#define PTU_ACQUIRE_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "acquire/words.h"
#include "base/err.h"
#include "model/kernel_frames.h"

/* Frames read at once. It bounds the memory use. */
#define PTU_FRAMES_CHUNK 8192u

/**
 * struct ptu_frames - the open files
 * @nr_frames: entries of kpagemap at the time of opening
 * @nr_flags: entries of kpageflags, possibly more than @nr_frames
 */
struct ptu_frames {
	int kpagemap;
	struct ptu_words flags;
	struct ptu_words counts;
	uint64_t nr_frames;
	uint64_t nr_flags;
	uint64_t *buffer;
};

/**
 * ptu_frames_open() - Open the files and check the header of kpagemap.
 * @ret: (out) close with ptu_frames_close(); untouched on failure
 *
 * Return: 0; -EPERM not root; -ENOENT no module, or no kpageflags; -EPROTO the
 * layout differs; -errno.
 */
ptu_must_check int ptu_frames_open(uint64_t page_bytes, struct ptu_frames *ret,
				   struct ptu_err *err);

/**
 * ptu_frames_names() - Get the kernel's names of page flags.
 */
ptu_must_check int ptu_frames_names(struct ptu_kpagemap_names *ret,
				    struct ptu_err *err);

/**
 * ptu_frames_read() - Read frames from @pfn on.
 * @frames: (out) [@nr_frames]
 * @nr_frames: (in) at most PTU_FRAMES_CHUNK
 * @ret: (out) number of frames read; fewer only at the end of kpagemap
 *
 * Return: 0; -EIO kpageflags or kpagecount ends before kpagemap; -errno.
 */
ptu_must_check int ptu_frames_read(const struct ptu_frames *files, uint64_t pfn,
				   struct ptu_frame *frames, size_t nr_frames,
				   size_t *ret, struct ptu_err *err);

/**
 * ptu_frames_module() - Read one frame from kpagemap only.
 * @ret: (in, out) only .flags and .count are updated
 */
ptu_must_check int ptu_frames_module(const struct ptu_frames *files,
				     uint64_t pfn, struct ptu_frame *ret,
				     struct ptu_err *err);

/**
 * ptu_frames_proc() - Read one frame from kpageflags and kpagecount.
 * @ret: (in, out) only .kpf and .mapcount are updated
 */
ptu_must_check int ptu_frames_proc(const struct ptu_frames *files, uint64_t pfn,
				   struct ptu_frame *ret, struct ptu_err *err);

void ptu_frames_close(struct ptu_frames *files);

#endif
