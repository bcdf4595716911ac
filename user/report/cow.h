/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The result of `ptaudit cow`, the only input of its renderers. */
#ifndef PTU_REPORT_COW_H
#define PTU_REPORT_COW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/page.h"
#include "report/head.h"

/* Each page of a private mapping has one kind. */
enum ptu_cow_kind {
	PTU_COW_UNTOUCHED, /* nothing is mapped: no entry, or only a marker */
	PTU_COW_ORIGINAL,  /* the file's page, or the zero page */
	PTU_COW_COPIED,	   /* a copy that is mapped only here */
	PTU_COW_SHARED,	 /* a copy that others map too: after fork(), KSM */
	PTU_COW_SWAPPED, /* a copy that is swapped out */
	PTU_NR_COW_KINDS
};

/**
 * struct ptu_cow_known - what the interfaces show about this process
 * @pfnzero: ptu_page.zero is valid
 * @types: pagemap shows PFNs and the types of swap entries
 * @flags: ptu_page.flags and .count were read
 * @special: the mapping maps the kernel's own pages (vvar), which are not copies
 */
struct ptu_cow_known {
	bool pfnzero;
	bool types;
	bool flags;
	bool special;
};

/**
 * struct ptu_cow_count - the pages of a mapping by kind
 * @pages: all pages; the sum of @kinds
 * @maybe_zero: pages in kinds[PTU_COW_SHARED] that may be the zero page
 * @maybe_markers: pages in kinds[PTU_COW_SWAPPED] that may be markers
 * @markers: pages in kinds[PTU_COW_UNTOUCHED] with a marker
 * @disagree: pages for which pagemap and kpageflags lead to different kinds
 */
struct ptu_cow_count {
	uint64_t pages;
	uint64_t kinds[PTU_NR_COW_KINDS];
	uint64_t maybe_zero;
	uint64_t maybe_markers;
	uint64_t markers;
	uint64_t disagree;
};

/* Maximum number of listed pages for which pagemap and kpageflags lead to different kinds. */
#define PTU_COW_SAMPLES 16

struct ptu_cow_row {
	uint64_t start;
	uint64_t end;
	char perms[5];
	const char *path; /* as the kernel shows it; "" if there is none */
	struct ptu_cow_count count;
};

/* A page for which pagemap and kpageflags differ repeatedly. */
struct ptu_cow_sample {
	uint64_t addr;
	enum ptu_cow_kind kind;
	enum ptu_cow_kind by_flags;
	struct ptu_page page;
};

/**
 * struct ptu_cow_report - a process's private mappings
 * @known: what the interfaces show
 * @rows: [nr_rows] ascending
 * @names: storage for the rows' paths
 * @samples: [nr_samples] the first differing pages
 */
struct ptu_cow_report {
	struct ptu_mapped_head head;
	struct ptu_cow_known known;
	struct ptu_cow_row *rows;
	size_t nr_rows;
	char *names;
	struct ptu_cow_count total;
	struct ptu_cow_sample samples[PTU_COW_SAMPLES];
	size_t nr_samples;
};

/**
 * ptu_cow_kind_name() - Name in JSON: "copied_shared".
 */
const char *ptu_cow_kind_name(enum ptu_cow_kind kind);

void ptu_cow_report_deinit(struct ptu_cow_report *report);

#endif
