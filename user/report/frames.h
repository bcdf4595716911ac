/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What `ptaudit kpagemap` found out: all that its renderers see. */
#ifndef PTU_REPORT_FRAMES_H
#define PTU_REPORT_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "model/host.h"
#include "model/kernel_frames.h"

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

/* Frames that are shown of those that are unexplained. */
#define PTU_KPAGEMAP_SAMPLES 16

struct ptu_kpagemap_sample {
	uint64_t pfn;
	struct ptu_frame frame;
	struct ptu_kpagemap_verdict verdict;
};

/**
 * struct ptu_kpagemap_report - the array against kpageflags and kpagecount
 * @names: of the kernel's own bits
 * @nr_flags: frames that kpageflags has; those behind kpagemap's last one were
 *	not compared
 * @samples: [nr_samples] the first unexplained ones
 * @duration_ns: of the whole comparison
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
