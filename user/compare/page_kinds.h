/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Count the pages of a process by kind, from /proc alone.  Pure: words in, totals
 * out.
 */
#ifndef PTU_COMPARE_PAGE_KINDS_H
#define PTU_COMPARE_PAGE_KINDS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/kernel_pages.h"
#include "model/page.h"
#include "model/vma.h"

/**
 * struct ptu_seen - /proc's view of a mapping
 * @nr: [PTU_TOTAL_*] base pages
 * @large: part of anon, file and shmem in large folios
 * @once_large: part of mapped_once in large folios
 * @anon_once_large: part of anon_once in large folios
 * @cow_copied_large: part of cow_copied in large folios, without hugetlb
 * @anon_large: part of anon in large folios
 * @whole: completely mapped anonymous large folios of the size of a PMD leaf
 * @whole_exclusive: of these, folios whose first page has the exclusive flag
 * @ksm_is_anon: set by the reader: kpageflags shows KSM for a page that is not
 *	merged
 * @leaves_known: smaps shows that each of @whole is mapped by a leaf
 * The other fields are state between two calls of ptu_seen_add().
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
 * ptu_seen_begin() - Start a mapping.
 * @vma: (in) with the fields of smaps
 * @path: (in) its name
 * @leaf_pages: (in) base pages that a PMD leaf maps
 * @has_scan: (in) ptu_page.zero is valid
 */
void ptu_seen_begin(struct ptu_seen *seen, const struct ptu_vma *vma,
		    const char *path, uint64_t page_bytes, uint64_t leaf_pages,
		    bool has_scan);

/**
 * ptu_seen_add() - Add a page.
 * @addr: (in) ascending from call to call
 * @page: (in) from pagemap, kpageflags and kpagecount
 * @head_flags: (in) flags of the first page of its large folio; its own flags if it
 *	is not in one
 */
void ptu_seen_add(struct ptu_seen *seen, uint64_t addr,
		  const struct ptu_page *page, uint64_t head_flags);

/**
 * ptu_seen_end() - All pages were added: add the figures of smaps.
 */
void ptu_seen_end(struct ptu_seen *seen, const struct ptu_vma *vma);

#endif
