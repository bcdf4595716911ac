/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The module's array of page frames against kpageflags and kpagecount: which
 * frames agree, and what each disagreement is.  Pure.
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
 * ptu_kpagemap_init() - Begin.
 * @names: (in) of the running kernel
 */
void ptu_kpagemap_init(struct ptu_kpagemap *kpm,
		       const struct ptu_kpagemap_names *names);

/* By kpageflags; nothing else tells. */
bool ptu_kpagemap_is_tail(const struct ptu_frame *page);
bool ptu_kpagemap_is_head(const struct ptu_frame *page);

/**
 * ptu_kpagemap_head_candidate() - Where the head of a tail page may be.
 * @nr: (in) 0 for the nearest
 * @ret: (out) a page frame below @pfn; the first one that is no tail page is
 *	the head: compound pages are aligned to their size
 *
 * Return: false: there are no more.
 */
bool ptu_kpagemap_head_candidate(uint64_t pfn, unsigned int nr, uint64_t *ret);

/**
 * ptu_kpagemap_judge() - Look at a frame.
 * @head: (in) the frame of its compound page's head; @page where it has none
 */
void ptu_kpagemap_judge(const struct ptu_kpagemap *kpm,
			const struct ptu_frame *page,
			const struct ptu_frame *head,
			struct ptu_kpagemap_verdict *ret);

bool ptu_kpagemap_agrees(const struct ptu_kpagemap_verdict *verdict);

/**
 * ptu_kpagemap_take() - Count a frame if all agree on it.
 * @ret: (out) how it was judged
 *
 * Return: false: they do not, and it was not counted: it is to be read again.
 */
ptu_must_check bool ptu_kpagemap_take(struct ptu_kpagemap *kpm,
				      const struct ptu_frame *page,
				      const struct ptu_frame *head,
				      struct ptu_kpagemap_verdict *ret);

/**
 * ptu_kpagemap_learn() - See whose flags kpageflags shows for a tail page.
 *
 * Only from frames that held still while they were read.  What was learnt
 * stays: a kernel has one rule for all.
 */
void ptu_kpagemap_learn(struct ptu_kpagemap *kpm, const struct ptu_frame *page,
			const struct ptu_frame *head);

/**
 * struct ptu_kpagemap_bracket - a frame that is read again and again
 * @last: how it was judged when it last held still
 * @same: how often in a row so
 * @looks: how often it was read
 */
struct ptu_kpagemap_bracket {
	struct ptu_kpagemap_verdict last;
	unsigned int same;
	unsigned int looks;
};

/* In the same way so often: no coincidence. */
#define PTU_KPAGEMAP_SAME 8
/* No more looks than this. */
#define PTU_KPAGEMAP_LOOKS 64

/**
 * ptu_kpagemap_look() - Take one more reading into account.
 * @held: (in) `kpagemap` said the same before and after kpageflags and
 *	kpagecount were read
 * @verdict: (in) of that reading
 * @ret: (out) what became of the frame, if it is decided
 *
 * Return: decided.
 */
ptu_must_check bool
ptu_kpagemap_look(struct ptu_kpagemap_bracket *bracket, bool held,
		  const struct ptu_kpagemap_verdict *verdict,
		  enum ptu_kpagemap_end *ret);

/**
 * ptu_kpagemap_settle() - Count a frame that was not taken.
 * @page: (in) as it was read last
 * @first: (in) what ptu_kpagemap_take() said
 * @last: (in) how it was judged in the end; @first where it never held still
 * @end: (in) not PTU_KPAGEMAP_AGREED
 */
void ptu_kpagemap_settle(struct ptu_kpagemap *kpm, const struct ptu_frame *page,
			 const struct ptu_kpagemap_verdict *first,
			 const struct ptu_kpagemap_verdict *last,
			 enum ptu_kpagemap_end end);

/**
 * ptu_kpagemap_finish() - No more frames.
 *
 * Holes that kpageflags does not mark are unexplained where it marks others.
 */
void ptu_kpagemap_finish(struct ptu_kpagemap *kpm);

/* Too many in flux to say that the rest agrees: 5 %, or 8 frames. */
bool ptu_kpagemap_would_not_hold(const struct ptu_kpagemap *kpm);

#endif
