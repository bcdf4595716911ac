/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The page frames of a recording: the words of kpageflags that estimators need, or
 * with --pages the words of kpageflags and kpagecount of every present page.
 */
#ifndef PTU_ACQUIRE_RECORD_FRAMES_H
#define PTU_ACQUIRE_RECORD_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acquire/pages.h"
#include "acquire/record_dir.h"
#include "acquire/redact.h"
#include "base/err.h"
#include "model/frame_set.h"
#include "model/pagemap.h"

struct ptu_record_frame {
	uint64_t pfn;
	uint64_t flags;
	uint64_t count;
};

/**
 * struct ptu_record_frames - page frames that a recording gets
 * @all: every present page is recorded, with its count
 * @files: only its kpageflags and kpagecount are used, and only if @all
 * @frames: [nr] each page frame once, with its number in the recording, and its words when
 *	it was first read
 * @known: the numbers in @frames
 * @last_pfn: the page frame that was read last of a large folio of a file or of shmem
 */
struct ptu_record_frames {
	bool all;
	struct ptu_pages files;
	struct ptu_record_frame *frames;
	size_t nr;
	size_t capacity;
	struct ptu_frame_set known;
	uint64_t last_pfn;
};

/**
 * ptu_record_frames_begin() - Open the files.
 * @all: (in) record every present page
 * @ret: (out) end with ptu_record_frames_deinit()
 *
 * Return: 0; -EPERM the reader may not see page frame numbers; -errno.
 */
ptu_must_check int ptu_record_frames_begin(bool all, uint64_t page_bytes,
					   struct ptu_record_frames *ret,
					   struct ptu_err *err);

/**
 * ptu_record_frames_take() - Add the page frames that words of pagemap name.
 * @redact: (in, out) gives the numbers, or NULL
 * @words: (in) [nr_words] words of pagemap, not redacted
 *
 * Return: 0; -errno.
 */
ptu_must_check int ptu_record_frames_take(struct ptu_record_frames *frames,
					  struct ptu_redact *redact,
					  const uint64_t *words,
					  size_t nr_words, struct ptu_err *err);

/**
 * ptu_record_frames_slots() - Add the page frames that estimators need.
 *
 * Only root can read them; a recording without them is valid.
 *
 * Return: 0; -errno.
 */
ptu_must_check int ptu_record_frames_slots(struct ptu_record_frames *frames,
					   struct ptu_redact *redact,
					   const struct ptu_slots *slots,
					   struct ptu_err *err);

/**
 * ptu_record_frames_cut() - Forget all page frames after the first @nr.
 */
void ptu_record_frames_cut(struct ptu_record_frames *frames, size_t nr);

/**
 * ptu_record_frames_write() - Write the files, after the last process.
 *
 * Return: 0; -EFBIG too many page frames for a recording; -errno.
 */
ptu_must_check int ptu_record_frames_write(struct ptu_record_frames *frames,
					   struct ptu_record_dir *dir,
					   struct ptu_err *err);

void ptu_record_frames_deinit(struct ptu_record_frames *frames);

#endif
