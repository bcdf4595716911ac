/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The module's array of page frames against kpageflags and kpagecount: which
 * frames agree, and what each disagreement is.  Pure.
 */
#ifndef PTU_KPAGEMAP_H
#define PTU_KPAGEMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/kernel_frames.h"

/* The layout of `kpagemap`: a header, then an entry a page frame. */
#define PTU_KPAGEMAP_HEADER_BYTES 16
#define PTU_KPAGEMAP_ENTRY_BYTES 16
/* Both words of an entry where there is no page. */
#define PTU_KPAGEMAP_HOLE UINT64_MAX

/**
 * struct ptu_frame - what is said of one page frame
 * @flags: flags word, as `kpagemap` has it
 * @count: reference count, as `kpagemap` has it
 * @kpf: as kpageflags has it
 * @mapcount: as kpagecount has it
 */
struct ptu_frame {
	uint64_t flags;
	uint64_t count;
	uint64_t kpf;
	uint64_t mapcount;
};

/* What has to hold of reference counts. */
enum ptu_kpagemap_count {
	PTU_KPAGEMAP_MAPPED, /* a mapped page: at least its mapcount */
	PTU_KPAGEMAP_BUDDY,  /* a page of the free lists: 0 */
	PTU_KPAGEMAP_TAIL,   /* a tail page: its head's */
	PTU_KPAGEMAP_NR_COUNTS
};

/* Whose flags kpageflags shows for a tail page; kernels differ. */
enum ptu_kpagemap_tails {
	PTU_KPAGEMAP_TAILS_UNKNOWN, /* no tail page told yet */
	PTU_KPAGEMAP_TAILS_OWN,
	PTU_KPAGEMAP_TAILS_HEAD,
};

/* What became of a frame on which the sides differed at first. */
enum ptu_kpagemap_end {
	PTU_KPAGEMAP_AGREED,	  /* they never differed */
	PTU_KPAGEMAP_CHANGED,	  /* read again, they agree */
	PTU_KPAGEMAP_IN_FLUX,	  /* never held still */
	PTU_KPAGEMAP_UNEXPLAINED, /* differ in the same way, again and again */
	PTU_KPAGEMAP_NR_ENDS
};

/**
 * struct ptu_kpagemap_verdict - one frame, looked at once
 * @compared: flags of kpageflags that were compared
 * @head: of them, those that are not the page's own but its head's
 * @differ: of them, those that differ
 * @hole: only one side has no page there, or a hole is mapped
 * @is_hole: no side has a page there
 * @applies: rules for the count that concern this page, a bit each
 * @broken: of them, those that do not hold
 */
struct ptu_kpagemap_verdict {
	uint64_t compared;
	uint64_t head;
	uint64_t differ;
	bool hole;
	bool is_hole;
	unsigned int applies;
	unsigned int broken;
};

/* Page frames by what became of them; [PTU_KPAGEMAP_AGREED] has @head in it. */
struct ptu_kpagemap_tally {
	uint64_t set;
	uint64_t head;
	uint64_t ends[PTU_KPAGEMAP_NR_ENDS];
};

/**
 * struct ptu_kpagemap - the comparison
 * @flags: by kpageflags' numbers
 * @tails: learnt on the way
 * @frames: all that were compared
 * @ends: what became of them
 * @holes_marked: of the holes on which all agreed at once, those that
 *	kpageflags marks
 * @holes_silent: those for which it has no flag at all (7.2)
 * @by_flag: by kpageflags' numbers; .set as kpageflags has it
 * @by_count: .set are the frames that the rule applies to
 * @by_hole: .set are the holes of either side
 * @head_frames: tail pages of which kpageflags shows a flag of the head's
 * @unknown: bits of kpageflags that this tool does not know
 */
struct ptu_kpagemap {
	struct ptu_kpagemap_flag flags[PTU_KPAGEMAP_BITS];
	enum ptu_kpagemap_tails tails;
	uint64_t frames;
	uint64_t ends[PTU_KPAGEMAP_NR_ENDS];
	uint64_t holes_marked;
	uint64_t holes_silent;
	struct ptu_kpagemap_tally by_flag[PTU_KPAGEMAP_BITS];
	struct ptu_kpagemap_tally by_count[PTU_KPAGEMAP_NR_COUNTS];
	struct ptu_kpagemap_tally by_hole;
	uint64_t head_frames;
	uint64_t unknown;
	/* internal: */
	uint64_t rules[PTU_KPAGEMAP_NOT_TAIL + 1];
	uint64_t known;
	struct {
		struct ptu_frame page;
		uint64_t head_flags;
		struct ptu_kpagemap_verdict verdict;
		uint64_t nr;
	} run;
};

/**
 * ptu_kpagemap_init() - Begin.
 * @names: (in) of the running kernel
 */
void ptu_kpagemap_init(struct ptu_kpagemap *kpm,
		       const struct ptu_kpagemap_names *names);

/**
 * ptu_kpagemap_check_header() - Is the file of the layout of 2007, and this
 * machine's?
 *
 * Return: 0; -EPROTO with a sentence.
 */
ptu_must_check int
ptu_kpagemap_check_header(const uint8_t bytes[PTU_KPAGEMAP_HEADER_BYTES],
			  uint64_t page_bytes, struct ptu_err *err);

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

/**
 * ptu_kpagemap_count_name() - "mapped", "buddy", "tail".
 */
const char *ptu_kpagemap_count_name(enum ptu_kpagemap_count which);

/**
 * ptu_kpagemap_tails_name() - "own", "head", "unknown".
 */
const char *ptu_kpagemap_tails_name(enum ptu_kpagemap_tails tails);

#endif
