/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compare the module's kpagemap with kpageflags and kpagecount, frame by frame, and
 * classify each difference.  Pure.
 */
#ifndef PTU_COMPARE_FRAMES_H
#define PTU_COMPARE_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/kernel_frames.h"
#include "report/frames.h"

/**
 * ptu_kpagemap_init() - Begin a comparison.
 * @names: (in) flag names of the running kernel
 */
void ptu_kpagemap_init(struct ptu_kpagemap *kpm,
		       const struct ptu_kpagemap_names *names);

/* Is the frame a tail page, or the head, of a compound page?  Only kpageflags tells. */
bool ptu_kpagemap_is_tail(const struct ptu_frame *page);
bool ptu_kpagemap_is_head(const struct ptu_frame *page);

/**
 * ptu_kpagemap_head_candidate() - Where can the head of a tail page be?
 * @nr: (in) 0 for the nearest candidate
 * @ret: (out) a PFN below @pfn. The first candidate that is not a tail page is the
 *	head, because compound pages are aligned to their size.
 *
 * Return: false if there are no more candidates.
 */
bool ptu_kpagemap_head_candidate(uint64_t pfn, unsigned int nr, uint64_t *ret);

/**
 * ptu_kpagemap_judge() - Compare the sides for one frame.
 * @head: (in) frame of its compound page's head; @page if it has none
 */
void ptu_kpagemap_judge(const struct ptu_kpagemap *kpm,
			const struct ptu_frame *page,
			const struct ptu_frame *head,
			struct ptu_kpagemap_verdict *ret);

bool ptu_kpagemap_agrees(const struct ptu_kpagemap_verdict *verdict);

/**
 * ptu_kpagemap_take() - Count a frame if both sides agree.
 * @ret: (out) result of the comparison
 *
 * Return: true if it was counted; false if they differ: read the frame again.
 */
ptu_must_check bool ptu_kpagemap_take(struct ptu_kpagemap *kpm,
				      const struct ptu_frame *page,
				      const struct ptu_frame *head,
				      struct ptu_kpagemap_verdict *ret);

/**
 * ptu_kpagemap_learn() - Find out whose flags kpageflags shows for a tail page.
 *
 * Call this only for frames that were stable while they were read.  The first
 * result is kept: a kernel has one rule for all frames.
 */
void ptu_kpagemap_learn(struct ptu_kpagemap *kpm, const struct ptu_frame *page,
			const struct ptu_frame *head);

/**
 * struct ptu_kpagemap_bracket - a frame that is read repeatedly
 * @last: result of the last stable reading
 * @same: number of consecutive stable readings with the same result
 * @looks: number of readings
 */
struct ptu_kpagemap_bracket {
	struct ptu_kpagemap_verdict last;
	unsigned int same;
	unsigned int looks;
};

/* Readings with the same result that prove a lasting difference. */
#define PTU_KPAGEMAP_SAME 8
/* Maximum number of readings of one frame. */
#define PTU_KPAGEMAP_LOOKS 64

/**
 * ptu_kpagemap_look() - Process one more reading.
 * @held: (in) `kpagemap` was the same before and after reading kpageflags and
 *	kpagecount
 * @verdict: (in) result of this reading
 * @ret: (out) the final result, if there is one
 *
 * Return: true if there is a final result.
 */
ptu_must_check bool
ptu_kpagemap_look(struct ptu_kpagemap_bracket *bracket, bool held,
		  const struct ptu_kpagemap_verdict *verdict,
		  enum ptu_kpagemap_end *ret);

/**
 * ptu_kpagemap_settle() - Count a frame that ptu_kpagemap_take() did not count.
 * @page: (in) its last reading
 * @first: (in) result of ptu_kpagemap_take()
 * @last: (in) result of the last stable reading; @first if there was none
 * @end: (in) not PTU_KPAGEMAP_AGREED
 */
void ptu_kpagemap_settle(struct ptu_kpagemap *kpm, const struct ptu_frame *page,
			 const struct ptu_kpagemap_verdict *first,
			 const struct ptu_kpagemap_verdict *last,
			 enum ptu_kpagemap_end end);

/**
 * ptu_kpagemap_finish() - Complete the result after the last frame.
 *
 * If kpageflags marks some holes, unmarked holes become unexplained.
 */
void ptu_kpagemap_finish(struct ptu_kpagemap *kpm);

/* Were too many frames in flux (more than 5 % and more than 8)? */
bool ptu_kpagemap_would_not_hold(const struct ptu_kpagemap *kpm);

#endif
