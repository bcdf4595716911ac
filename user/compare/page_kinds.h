/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How many pages of which kind a process maps: the module's answer read, and
 * the same from /proc alone.  Pure: text and words in, totals out.
 */
#ifndef PTU_TOTALS_H
#define PTU_TOTALS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "model/maps.h"
#include "model/page.h"
#include "module/ptaudit_abi.h"

/* What is compared.  Unit: base pages. */
enum ptu_total {
	PTU_TOTAL_PRESENT,
	PTU_TOTAL_ANON,
	PTU_TOTAL_FILE,
	PTU_TOTAL_SHMEM,
	PTU_TOTAL_ZERO,
	PTU_TOTAL_SPECIAL,
	PTU_TOTAL_KSM,
	PTU_TOTAL_PTE_PAGES,
	PTU_TOTAL_PMD_PAGES,
	PTU_TOTAL_PUD_PAGES,
	PTU_TOTAL_MAPPED_ONCE,
	PTU_TOTAL_ANON_ONCE,
	PTU_TOTAL_EXCLUSIVE,
	PTU_TOTAL_RSS, /* anon, file, shmem, and what is being moved */
	PTU_TOTAL_SWAP,
	PTU_TOTAL_MOVING, /* migration, device memory, hardware poison, other */
	PTU_TOTAL_UFFD_WP, /* markers, as the next two */
	PTU_TOTAL_GUARD,
	PTU_TOTAL_POISON,
	PTU_TOTAL_HUGETLB,
	PTU_TOTAL_HUGETLB_PMD,
	PTU_TOTAL_HUGETLB_PUD,
	PTU_TOTAL_HUGETLB_ANON,
	PTU_TOTAL_HUGETLB_ONCE,
	PTU_TOTAL_HUGETLB_ANON_ONCE,
	PTU_TOTAL_HUGETLB_EXCLUSIVE,
	PTU_TOTAL_HUGETLB_UFFD_WP,
	PTU_TOTAL_HUGETLB_OTHER,
	PTU_TOTAL_COW_ORIGINAL, /* of private mappings, as `cow` calls them */
	PTU_TOTAL_COW_COPIED,
	PTU_TOTAL_COW_SHARED,
	PTU_TOTAL_COW_SWAPPED,
	PTU_NR_TOTALS
};

/**
 * struct ptu_totals - what the module says of a range
 * @pid: the PID asked for, in this process's PID namespace
 * @tgid: its thread group, likewise
 * @tid: the thread through which the mm was found, likewise
 * @start_ticks: start of @pid, as field 22 of its stat
 * @mm: identity of the mm
 * @start: first address
 * @end: end, exclusive
 * @known: [PTAUDIT_P_*] the kernel can tell it
 * @nr: [PTAUDIT_P_*] base pages
 */
struct ptu_totals {
	uint64_t pid;
	uint64_t tgid;
	uint64_t tid;
	uint64_t start_ticks;
	uint64_t mm;
	uint64_t start;
	uint64_t end;
	bool known[PTAUDIT_NR_PAGES_KEYS];
	uint64_t nr[PTAUDIT_NR_PAGES_KEYS];
};

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
 * ptu_total_name() - As JSON has it: "pmd_pages".
 */
const char *ptu_total_name(enum ptu_total total);

/**
 * ptu_totals_key_name() - As the module calls it.
 */
const char *ptu_totals_key_name(enum ptaudit_pages_key key);

/**
 * ptu_totals_parse() - Read the module's answer.
 * @text: (in) of the file `pages`, NUL-terminated
 * @ret: (out) untouched on failure
 *
 * Return: 0; -EPROTO a line that is not understood or comes twice, a key that
 * each kernel tells is missing, or the sums that ptaudit_abi.h promises are not
 * met.
 */
ptu_must_check int ptu_totals_parse(const char *text, struct ptu_totals *ret,
				    struct ptu_err *err);

/**
 * ptu_totals_value() - The module's side of what is compared.
 * @is_private: (in) the mapping is: only then copies are counted
 * @known: (out) false: this kernel cannot tell
 */
uint64_t ptu_totals_value(const struct ptu_totals *totals, bool is_private,
			  enum ptu_total total, bool *known);

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
