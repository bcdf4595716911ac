/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How many pages of which kind a process maps: the module's answer read, and
 * the same from /proc alone.  Pure: text and words in, totals out.
 */
#ifndef PTU_COMPARE_PAGE_KINDS_H
#define PTU_COMPARE_PAGE_KINDS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/kernel_pages.h"
#include "model/page.h"
#include "model/vma.h"

/**
 * struct ptu_seen - what /proc says of a mapping
 * @nr: [PTU_TOTAL_*] base pages
 * @large: of anon, file and shmem: in large folios
 * @once_large: of mapped_once: in large folios
 * @anon_once_large: of anon_once: in large folios
 * @cow_copied_large: of cow_copied: in large folios outside of hugetlb
 * @anon_large: of anon: in large folios
 * @whole: anonymous large folios that are mapped whole, one PMD leaf's worth
 * @whole_exclusive: of them: the first page has the exclusive flag
 * @ksm_is_anon: set by the reader: kpageflags says KSM of a page that is not
 *	merged
 * @leaves_known: smaps says that each of @whole is mapped by a leaf
 * The rest is the state between two calls of ptu_seen_add().
 */
struct ptu_seen {
	uint64_t nr[PTU_NR_TOTALS];
	uint64_t large;
	uint64_t once_large;
	uint64_t anon_once_large;
	uint64_t cow_copied_large;
	uint64_t anon_large;
	uint64_t whole;
	uint64_t whole_exclusive;
	bool ksm_is_anon;
	bool leaves_known;

	uint64_t page_bytes;
	uint64_t leaf_pages;
	uint64_t hugetlb_bytes;
	bool is_hugetlb;
	bool is_private;
	bool is_kernels;
	bool has_scan;
	bool hugetlb_exclusive;
	uint64_t zero_leaves;
	uint64_t run;
	uint64_t run_addr;
	uint64_t run_pfn;
	bool run_exclusive;
};

/**
 * ptu_seen_begin() - A mapping of which no page was seen yet.
 * @vma: (in) with what smaps says
 * @path: (in) its name
 * @leaf_pages: (in) base pages that a PMD leaf maps
 * @has_scan: (in) ptu_page.zero was asked for
 */
void ptu_seen_begin(struct ptu_seen *seen, const struct ptu_vma *vma,
		    const char *path, uint64_t page_bytes, uint64_t leaf_pages,
		    bool has_scan);

/**
 * ptu_seen_add() - Take a page in.
 * @addr: (in) ascending from call to call
 * @page: (in) as pagemap, kpageflags and kpagecount have it
 * @head_flags: (in) flags of the first page of the large folio that it is in;
 *	its own where it is in none
 */
void ptu_seen_add(struct ptu_seen *seen, uint64_t addr,
		  const struct ptu_page *page, uint64_t head_flags);

/**
 * ptu_seen_end() - All pages are in: take what smaps says of the mapping.
 */
void ptu_seen_end(struct ptu_seen *seen, const struct ptu_vma *vma);

#endif
