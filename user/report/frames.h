/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The result of `ptaudit kpagemap`, the only input of its renderers. */
#ifndef PTU_REPORT_FRAMES_H
#define PTU_REPORT_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "model/host.h"
#include "model/kernel_frames.h"

/* Rules for reference counts. */
enum ptu_kpagemap_count {
	PTU_KPAGEMAP_MAPPED, /* a mapped page: count >= mapcount */
	PTU_KPAGEMAP_BUDDY,  /* a page in the free lists: count == 0 */
	PTU_KPAGEMAP_TAIL,   /* a tail page: count == that of its head */
	PTU_KPAGEMAP_NR_COUNTS
};

/* The page whose flags kpageflags shows for a tail page; it depends on the kernel. */
enum ptu_kpagemap_tails {
	PTU_KPAGEMAP_TAILS_UNKNOWN, /* no tail page has decided it yet */
	PTU_KPAGEMAP_TAILS_OWN,
	PTU_KPAGEMAP_TAILS_HEAD,
};

/* Result for a frame. */
enum ptu_kpagemap_end {
	PTU_KPAGEMAP_AGREED,	  /* the sides agreed at once */
	PTU_KPAGEMAP_CHANGED,	  /* they agreed when read again */
	PTU_KPAGEMAP_IN_FLUX,	  /* kept changing */
	PTU_KPAGEMAP_UNEXPLAINED, /* differed repeatedly in the same way */
	PTU_KPAGEMAP_NR_ENDS
};

/**
 * struct ptu_kpagemap_verdict - one frame, read once
 * @compared: compared flags of kpageflags
 * @head: part of @compared that is taken from the head page
 * @differ: part of @compared that differs
 * @hole: only one side has no page there, or a hole is mapped
 * @is_hole: neither side has a page there
 * @applies: count rules that apply to this page, a bit each
 * @broken: part of @applies that is violated
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

/* Page frames by result; [PTU_KPAGEMAP_AGREED] includes @head. */
struct ptu_kpagemap_tally {
	uint64_t set;
	uint64_t head;
	uint64_t ends[PTU_KPAGEMAP_NR_ENDS];
};

/**
 * struct ptu_kpagemap - the comparison
 * @flags: by bit number in kpageflags
 * @tails: found out during the comparison
 * @frames: number of compared frames
 * @ends: their results
 * @holes_marked: holes on which both sides agreed and that kpageflags marks
 * @holes_silent: holes for which kpageflags has no flag (7.2)
 * @by_flag: by bit number in kpageflags; .set counts frames with the flag
 * @by_count: .set counts frames to which the rule applies
 * @by_hole: .set counts holes of either side
 * @head_frames: tail pages for which kpageflags shows a flag of the head
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
	/* used only by compare/frames.c: */
	uint64_t rules[PTU_KPAGEMAP_NOT_TAIL + 1];
	uint64_t known;
	struct {
		struct ptu_frame page;
		uint64_t head_flags;
		struct ptu_kpagemap_verdict verdict;
		uint64_t nr;
	} run;
};

/* Maximum number of unexplained frames that are listed. */
#define PTU_KPAGEMAP_SAMPLES 16

struct ptu_kpagemap_sample {
	uint64_t pfn;
	struct ptu_frame frame;
	struct ptu_kpagemap_verdict verdict;
};

/**
 * struct ptu_kpagemap_report - kpagemap compared with kpageflags and kpagecount
 * @names: the kernel's names of page flags
 * @nr_flags: number of frames in kpageflags; those beyond the end of kpagemap were
 *	not compared
 * @samples: [nr_samples] the first unexplained frames
 * @duration_ns: duration of the whole comparison
 */
struct ptu_kpagemap_report {
	struct ptu_host host;
	char boot_id[64];
	struct ptu_kpagemap_names names;
	struct ptu_kpagemap compared;
	uint64_t nr_flags;
	struct ptu_kpagemap_sample samples[PTU_KPAGEMAP_SAMPLES];
	size_t nr_samples;
	uint64_t duration_ns;
};

/**
 * ptu_kpagemap_count_name() - "mapped", "buddy", "tail".
 */
const char *ptu_kpagemap_count_name(enum ptu_kpagemap_count which);

/**
 * ptu_kpagemap_tails_name() - "own", "head", "unknown".
 */
const char *ptu_kpagemap_tails_name(enum ptu_kpagemap_tails tails);

#endif
