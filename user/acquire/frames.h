/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads page frames by number: the module's kpagemap, kpageflags and
 * kpagecount side by side.
 */
#ifndef PTU_ACQUIRE_FRAMES_H
#define PTU_ACQUIRE_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "acquire/words.h"
#include "base/err.h"
#include "model/kernel_frames.h"

/* Frames that are read at once: what memory this takes never grows. */
#define PTU_FRAMES_CHUNK 8192u

/**
 * struct ptu_frames - the open files
 * @nr_frames: entries of kpagemap when it was opened
 * @nr_flags: entries of kpageflags, which may reach further
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
 * ptu_frames_open() - Open them, and check kpagemap's header.
 * @ret: (out) close with ptu_frames_close(); untouched on failure
 *
 * Return: 0; -EPERM not root; -ENOENT no module, or no kpageflags; -EPROTO
 * another layout; -errno.
 */
ptu_must_check int ptu_frames_open(uint64_t page_bytes, struct ptu_frames *ret,
				   struct ptu_err *err);

/**
 * ptu_frames_names() - The kernel's names of the flags.
 */
ptu_must_check int ptu_frames_names(struct ptu_kpagemap_names *ret,
				    struct ptu_err *err);

/**
 * ptu_frames_read() - Frames from @pfn on.
 * @frames: (out) [@nr_frames]
 * @nr_frames: (in) at most PTU_FRAMES_CHUNK
 * @ret: (out) frames read; fewer only where kpagemap ends
 *
 * Return: 0; -EIO kpageflags or kpagecount ends before kpagemap; -errno.
 */
ptu_must_check int ptu_frames_read(const struct ptu_frames *files, uint64_t pfn,
				   struct ptu_frame *frames, size_t nr_frames,
				   size_t *ret, struct ptu_err *err);

/**
 * ptu_frames_module() - One frame of kpagemap alone.
 * @ret: (in, out) only .flags and .count are read anew
 */
ptu_must_check int ptu_frames_module(const struct ptu_frames *files,
				     uint64_t pfn, struct ptu_frame *ret,
				     struct ptu_err *err);

/**
 * ptu_frames_proc() - One frame of kpageflags and kpagecount.
 * @ret: (in, out) only .kpf and .mapcount are read anew
 */
ptu_must_check int ptu_frames_proc(const struct ptu_frames *files, uint64_t pfn,
				   struct ptu_frame *ret, struct ptu_err *err);

void ptu_frames_close(struct ptu_frames *files);

#endif
