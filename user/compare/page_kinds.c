// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Add up pages by kind from /proc's data.  Must not know how pages are read, nor
 * use the module's totals.
 */
#include "compare/page_kinds.h"

#include <string.h>

#include "compare/cow.h"
#include "compare/page_flags.h"
#include "model/absent.h"
#include "model/page_flags.h"
#include "model/pagemap.h"

static void count(struct ptu_seen *seen, enum ptu_total total)
{
	seen->nr[total]++;
}

void ptu_seen_begin(struct ptu_seen *seen, const struct ptu_vma *vma,
		    const char *path, uint64_t page_bytes, uint64_t leaf_pages,
		    bool has_scan)
{
	memset(seen, 0, sizeof(*seen));
	seen->page_bytes = page_bytes;
	seen->leaf_pages = leaf_pages;
	seen->hugetlb_bytes = vma->kernel_page_bytes;
	seen->is_hugetlb = vma->flags & PTU_VM_HUGETLB;
	seen->is_private = vma->perms[3] == 'p';
	/* only the kernel can give this name: other names are paths or [anon:...] */
	seen->is_kernels = !strncmp(path, "[vvar", 5);
	seen->has_scan = has_scan;
}

static bool is_large(const struct ptu_page *page)
{
	return page->flags & (PTU_KPF_COMPOUND_HEAD | PTU_KPF_COMPOUND_TAIL);
}

static void add_hugetlb(struct ptu_seen *seen, const struct ptu_page *page)
{
	bool anon = page->flags & PTU_KPF_ANON;

	/* the first page is added first, and only it has the flag */
	if (page->flags & PTU_KPF_COMPOUND_HEAD)
		seen->hugetlb_exclusive = page->flags & PTU_KPF_ANON_EXCLUSIVE;
	count(seen, PTU_TOTAL_HUGETLB);
	count(seen, seen->hugetlb_bytes == seen->leaf_pages * seen->page_bytes ?
			    PTU_TOTAL_HUGETLB_PMD :
			    PTU_TOTAL_HUGETLB_PUD);
	if (anon)
		count(seen, PTU_TOTAL_HUGETLB_ANON);
	if (page->count == 1)
		count(seen, PTU_TOTAL_HUGETLB_ONCE);
	if (anon && page->count == 1)
		count(seen, PTU_TOTAL_HUGETLB_ANON_ONCE);
	if (anon && seen->hugetlb_exclusive)
		count(seen, PTU_TOTAL_HUGETLB_EXCLUSIVE);
}

/*
 * Count completely mapped anonymous large folios that could be mapped by a PMD
 * leaf.
 */
static void follow_run(struct ptu_seen *seen, uint64_t addr,
		       const struct ptu_page *page)
{
	uint64_t pfn = page->word & PTU_PM_PFN_MASK;
	uint64_t leaf_bytes = seen->leaf_pages * seen->page_bytes;
	bool anon = page->flags & PTU_KPF_ANON;

	if (anon && page->flags & PTU_KPF_COMPOUND_HEAD &&
	    addr % leaf_bytes == 0 && pfn % seen->leaf_pages == 0) {
		seen->run = 1;
		seen->run_exclusive = page->flags & PTU_KPF_ANON_EXCLUSIVE;
	} else if (seen->run && anon && page->flags & PTU_KPF_COMPOUND_TAIL &&
		   addr == seen->run_addr + seen->page_bytes &&
		   pfn == seen->run_pfn + 1) {
		seen->run++;
	} else {
		seen->run = 0;
	}
	seen->run_addr = addr;
	seen->run_pfn = pfn;
	if (seen->run != seen->leaf_pages)
		return;
	seen->run = 0;
	seen->whole++;
	seen->whole_exclusive += seen->run_exclusive;
}

/* Add a page that is counted as mapped. */
static void add_page(struct ptu_seen *seen, uint64_t addr,
		     const struct ptu_page *page, uint64_t head_flags)
{
	bool anon = page->flags & PTU_KPF_ANON;
	bool large = is_large(page);
	bool once = page->count == 1;

	if (anon)
		count(seen, PTU_TOTAL_ANON);
	else if (head_flags & PTU_KPF_SWAPBACKED)
		count(seen, PTU_TOTAL_SHMEM);
	else
		count(seen, PTU_TOTAL_FILE);
	if (page->flags & PTU_KPF_KSM)
		count(seen, PTU_TOTAL_KSM);
	if (once)
		count(seen, PTU_TOTAL_MAPPED_ONCE);
	if (once && anon)
		count(seen, PTU_TOTAL_ANON_ONCE);
	seen->large += large;
	seen->once_large += large && once;
	seen->anon_once_large += large && once && anon;
	seen->anon_large += large && anon;
	/* for large folios it depends on the mapping: see ptu_seen_end() */
	if (anon && !large && page->flags & PTU_KPF_ANON_EXCLUSIVE)
		count(seen, PTU_TOTAL_EXCLUSIVE);
	follow_run(seen, addr, page);
}

/* Classify it as the command cow does. */
static void add_cow(struct ptu_seen *seen, const struct ptu_page *page)
{
	const struct ptu_cow_known known = {
		.pfnzero = seen->has_scan,
		.types = true,
		.flags = true,
		.special = seen->is_kernels,
	};

	switch (ptu_cow_judge(page, &known).kind) {
	case PTU_COW_ORIGINAL:
		count(seen, PTU_TOTAL_COW_ORIGINAL);
		break;
	case PTU_COW_COPIED:
		count(seen, PTU_TOTAL_COW_COPIED);
		seen->cow_copied_large += is_large(page) &&
					  !(page->flags & PTU_KPF_HUGE);
		break;
	case PTU_COW_SHARED:
		count(seen, PTU_TOTAL_COW_SHARED);
		break;
	case PTU_COW_SWAPPED:
	case PTU_COW_UNTOUCHED:
	case PTU_NR_COW_KINDS:
		break;
	}
}

static void add_present(struct ptu_seen *seen, uint64_t addr,
			const struct ptu_page *page, uint64_t head_flags)
{
	if (seen->is_private)
		add_cow(seen, page);
	if (page->flags & PTU_KPF_HUGE) {
		add_hugetlb(seen, page);
		return;
	}
	count(seen, PTU_TOTAL_PRESENT);
	if (page->flags & PTU_KPF_ZERO_PAGE) {
		count(seen, PTU_TOTAL_ZERO);
		seen->zero_leaves += !!(page->flags & PTU_KPF_THP);
	} else if (page->flags & PTU_KPF_NOPAGE || !page->count) {
		count(seen, PTU_TOTAL_SPECIAL);
	} else {
		add_page(seen, addr, page, head_flags);
	}
}

static void add_absent(struct ptu_seen *seen, uint64_t word)
{
	if (seen->is_hugetlb) {
		if (word & PTU_PM_UFFD_WP)
			count(seen, PTU_TOTAL_HUGETLB_UFFD_WP);
		return;
	}
	if (!(word & PTU_PM_SWAP))
		return;
	switch (ptu_absent_kind(word)) {
	case PTU_ABSENT_SWAP:
		count(seen, PTU_TOTAL_SWAP);
		if (seen->is_private)
			count(seen, PTU_TOTAL_COW_SWAPPED);
		break;
	case PTU_ABSENT_MOVING:
		count(seen, PTU_TOTAL_MOVING);
		break;
	case PTU_ABSENT_GUARD:
		count(seen, PTU_TOTAL_GUARD);
		break;
	case PTU_ABSENT_UFFD_WP:
		count(seen, PTU_TOTAL_UFFD_WP);
		break;
	case PTU_ABSENT_POISON:
		count(seen, PTU_TOTAL_POISON);
		break;
	}
}

void ptu_seen_add(struct ptu_seen *seen, uint64_t addr,
		  const struct ptu_page *page, uint64_t head_flags)
{
	if (page->word & PTU_PM_PRESENT)
		add_present(seen, addr, page, head_flags);
	else
		add_absent(seen, page->word);
}

/*
 * kpagecount counts a page in a PMD table that several processes share as mapped
 * once.  smaps knows that it is shared; pagemap does only from 6.12 on.
 */
static void limit_hugetlb_once(struct ptu_seen *seen, const struct ptu_vma *vma)
{
	uint64_t pages = vma->private_hugetlb_bytes / seen->page_bytes;

	if (vma->flags & PTU_VM_MAYSHARE &&
	    seen->nr[PTU_TOTAL_HUGETLB_ONCE] > pages)
		seen->nr[PTU_TOTAL_HUGETLB_ONCE] = pages;
}

void ptu_seen_end(struct ptu_seen *seen, const struct ptu_vma *vma)
{
	uint64_t leaf_pages = vma->huge_bytes / seen->page_bytes +
			      seen->zero_leaves;

	limit_hugetlb_once(seen, vma);

	seen->nr[PTU_TOTAL_RSS] = vma->rss_bytes / seen->page_bytes;
	seen->nr[PTU_TOTAL_PMD_PAGES] = leaf_pages;
	if (seen->nr[PTU_TOTAL_PRESENT] > leaf_pages)
		seen->nr[PTU_TOTAL_PTE_PAGES] = seen->nr[PTU_TOTAL_PRESENT] -
						leaf_pages;
	seen->leaves_known = seen->whole * seen->leaf_pages *
				     seen->page_bytes ==
			     vma->anon_huge_bytes;
	if (seen->leaves_known)
		seen->nr[PTU_TOTAL_EXCLUSIVE] += seen->whole_exclusive *
						 seen->leaf_pages;
}
