/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What `ptaudit cow` found out: all that its renderers see. */
#ifndef PTU_REPORT_COW_H
#define PTU_REPORT_COW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/page.h"
#include "report/head.h"

/* Each page of a private mapping is of one kind. */
enum ptu_cow_kind {
	PTU_COW_UNTOUCHED, /* nothing is mapped: no entry, or but a marker */
	PTU_COW_ORIGINAL,  /* still the file's page, or the zero page */
	PTU_COW_COPIED,	   /* a copy that nobody else maps */
	PTU_COW_SHARED,	 /* a copy that others map too: a fork relative, KSM */
	PTU_COW_SWAPPED, /* a copy that is swapped out */
	PTU_NR_COW_KINDS
};

/**
 * struct ptu_cow_known - what the interfaces tell of this process
 * @pfnzero: ptu_page.zero was asked for
 * @types: pagemap shows PFNs, and of swap entries the type
 * @flags: ptu_page.flags and .count were read
 * @special: a mapping of the kernel's own pages (vvar), which are no copies
 */
struct ptu_cow_known {
	bool pfnzero;
	bool types;
	bool flags;
	bool special;
};

/**
 * struct ptu_cow_count - the pages of a mapping by kind
 * @pages: all; the sum of @kinds
 * @maybe_zero: of kinds[PTU_COW_SHARED]
 * @maybe_markers: of kinds[PTU_COW_SWAPPED]
 * @markers: of kinds[PTU_COW_UNTOUCHED]
 * @disagree: pages on which the two recipes differ
 */
struct ptu_cow_count {
	uint64_t pages;
	uint64_t kinds[PTU_NR_COW_KINDS];
	uint64_t maybe_zero;
	uint64_t maybe_markers;
	uint64_t markers;
	uint64_t disagree;
};

/* Pages that are shown of those on which the recipes differ. */
#define PTU_COW_SAMPLES 16

struct ptu_cow_row {
	uint64_t start;
	uint64_t end;
	char perms[5];
	const char *path; /* as the kernel has it; "" where it has none */
	struct ptu_cow_count count;
};

/* A page on which pagemap and kpageflags keep differing. */
struct ptu_cow_sample {
	uint64_t addr;
	enum ptu_cow_kind kind;
	enum ptu_cow_kind by_flags;
	struct ptu_page page;
};

/**
 * struct ptu_cow_report - a process's private mappings
 * @known: what could be told
 * @flags_error: why kpageflags could not be compared: -errno
 * @rows: [nr_rows] ascending
 * @names: what the rows' paths point into
 * @samples: [nr_samples] the first ones
 */
struct ptu_cow_report {
	struct ptu_mapped_head head;
	struct ptu_cow_known known;
	int flags_error;
	struct ptu_cow_row *rows;
	size_t nr_rows;
	char *names;
	struct ptu_cow_count total;
	struct ptu_cow_sample samples[PTU_COW_SAMPLES];
	size_t nr_samples;
};

/**
 * ptu_cow_kind_name() - As JSON has it: "copied_shared".
 */
const char *ptu_cow_kind_name(enum ptu_cow_kind kind);

void ptu_cow_report_deinit(struct ptu_cow_report *report);

#endif
