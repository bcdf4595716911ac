// SPDX-License-Identifier: GPL-2.0-only
/*
 * Count the pages that entries map.  Takes no page references and no locks: a
 * page that is freed meanwhile is only miscounted (LOCKING.md, "Pages").  Must
 * not know how the entries were found.
 */
#include "pages.h"

#include <linux/hugetlb.h>
#include <linux/memremap.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/page-flags.h>

#include "compat.h"
#include "level.h"

/* The level of the entry that maps a page. */
enum mapped_by { BY_PTE, BY_PMD };

static void count(struct pta_pages *pages, enum ptaudit_pages_key key,
		  unsigned long nr)
{
	pages->nr[key] += nr;
}

/* Count a page of regular memory. */
static void count_page(struct pta_pages *pages, struct page *page,
		       struct page *first, enum mapped_by by)
{
	struct page *head = compound_head(page);
	unsigned long mapping = (unsigned long)READ_ONCE(head->mapping);
	bool large = PageCompound(page);
	bool anon = mapping & FOLIO_MAPPING_ANON;

	if (anon)
		count(pages, PTAUDIT_P_ANON, 1);
	else if (test_bit(PG_swapbacked, pta_flag_bits(head)))
		count(pages, PTAUDIT_P_SHMEM, 1);
	else
		count(pages, PTAUDIT_P_FILE, 1);
	if ((mapping & FOLIO_MAPPING_FLAGS) == FOLIO_MAPPING_KSM)
		count(pages, PTAUDIT_P_KSM, 1);
	if (large && !PTA_MAPCOUNT_IS_EXACT) {
		count(pages, PTAUDIT_P_INEXACT, 1);
	} else if (pta_page_mapcount(page, head, false) == 1) {
		count(pages, PTAUDIT_P_MAPPED_ONCE, 1);
		if (anon)
			count(pages, PTAUDIT_P_ANON_ONCE, 1);
	}
	/* the first page of a PMD leaf has the flag for all pages of the leaf */
	if (anon && pta_anon_exclusive(first)) {
		count(pages, PTAUDIT_P_EXCLUSIVE, 1);
		if (by == BY_PMD)
			count(pages, PTAUDIT_P_EXCLUSIVE_PMD, 1);
		else if (large)
			count(pages, PTAUDIT_P_EXCLUSIVE_LARGE, 1);
	}
}

/*
 * A page in a PMD table that several mms share has one entry for all of them,
 * so its map count is too low.  The kernel's smaps uses hugetlb_pmd_shared()
 * for the same reason.  Source: fs/proc/task_mmu.c, smaps_hugetlb_range() (6.1,
 * 6.12, 7.2), pagemap_hugetlb_range() (6.12, 7.2).
 */
static void count_hugetlb(struct pta_pages *pages, unsigned int level,
			  unsigned long pfn, unsigned long nr,
			  const void *table)
{
	bool shared = level == PTAUDIT_PMD &&
		      pta_pmd_sharers(virt_to_page(table));
	struct page *page = pfn_to_page(pfn);
	struct page *head = compound_head(page);
	bool anon = (unsigned long)READ_ONCE(head->mapping) &
		    FOLIO_MAPPING_ANON;

	count(pages, PTAUDIT_P_HUGETLB, nr);
	count(pages,
	      level == PTAUDIT_PMD ? PTAUDIT_P_HUGETLB_PMD :
				     PTAUDIT_P_HUGETLB_PUD,
	      nr);
	if (anon)
		count(pages, PTAUDIT_P_HUGETLB_ANON, nr);
	if (!shared && pta_page_mapcount(page, head, true) == 1) {
		count(pages, PTAUDIT_P_HUGETLB_ONCE, nr);
		if (anon)
			count(pages, PTAUDIT_P_HUGETLB_ANON_ONCE, nr);
	}
	if (anon && pta_anon_exclusive(head))
		count(pages, PTAUDIT_P_HUGETLB_EXCLUSIVE, nr);
}

/* Count entries that are neither none nor present. */
static void count_absent(struct pta_pages *pages, enum ptaudit_kind kind,
			 pte_t pte, unsigned long nr)
{
	switch (kind) {
	case PTAUDIT_K_SWAP:
		count(pages, PTAUDIT_P_SWAP, nr);
		break;
	case PTAUDIT_K_MIGRATION:
		count(pages, PTAUDIT_P_MIGRATION, nr);
		break;
	case PTAUDIT_K_UFFD_WP:
		count(pages, PTAUDIT_P_UFFD_WP, nr);
		break;
	case PTAUDIT_K_GUARD:
		count(pages, PTAUDIT_P_GUARD, nr);
		break;
	default:
		count(pages, pta_pte_other(pte), nr);
	}
}

/*
 * No symbol of the huge zero page is available to modules.  It is a compound
 * page without a file and with map count 0; no other page mapped by a PMD leaf
 * is. Source: mm/huge_memory.c, get_huge_zero_page(), set_huge_zero_page()
 * (5.10); the corresponding folio functions (6.12, 7.2).
 */
static bool is_huge_zero(struct page *page)
{
	return PageCompound(page) && !READ_ONCE(page->mapping) &&
	       compound_head(page) == page &&
	       pta_page_mapcount(page, page, false) == 0;
}

/*
 * Count the base pages [from, to) of a leaf outside hugetlb.  Return the number
 * of struct pages that were read.
 */
static unsigned int count_leaf(struct pta_pages *pages,
			       struct vm_area_struct *vma, unsigned int level,
			       const struct pta_entry *entry,
			       unsigned long from, unsigned long to)
{
	unsigned long nr = to - from, i;
	struct page *page;

	count(pages, PTAUDIT_P_PRESENT, nr);
	count(pages,
	      level == PTAUDIT_PMD ? PTAUDIT_P_PMD_PAGES : PTAUDIT_P_PUD_PAGES,
	      nr);
	/* other PUD leaves are device memory or PFN mappings */
	if (level != PTAUDIT_PMD || vma->vm_flags & VM_PFNMAP ||
	    !pfn_valid(entry->pfn))
		goto special;
	page = pfn_to_page(entry->pfn);
	if (is_zone_device_page(page))
		goto special;
	if (is_huge_zero(page)) {
		count(pages, PTAUDIT_P_ZERO, nr);
		count(pages, PTAUDIT_P_ZERO_PMD, nr);
		return 1;
	}
	if (pta_pmd_special(entry->pmd))
		goto special;
	if (PTA_SMAPS_SKIPS_PROTNONE && pmd_protnone(entry->pmd))
		count(pages, PTAUDIT_P_PROTNONE_PMD, nr);
	for (i = from; i < to; i++)
		count_page(pages, page + i, page, BY_PMD);
	return nr;
special:
	count(pages, PTAUDIT_P_SPECIAL, nr);
	if (level == PTAUDIT_PMD)
		count(pages, PTAUDIT_P_SPECIAL_PMD, nr);
	return 1;
}

/**
 * pta_pages_upper() - Count the pages mapped by an entry of a PMD or PUD table.
 * @pages: (in, out) totals; only pages in its range are counted
 * @vma: covers the entry's reach
 * @level: level of the table
 * @addr: first address of the entry's reach
 * @entry: the entry; one that points to a table is ignored
 * @table: the table that it was read from
 *
 * Context: mmap_lock held; i_mmap_rwsem as for the walk; an RCU read-side
 * section since before the entry was read, for the struct pages.
 *
 * Return: number of struct pages that were read.
 */
unsigned int pta_pages_upper(struct pta_pages *pages,
			     struct vm_area_struct *vma, unsigned int level,
			     unsigned long addr, const struct pta_entry *entry,
			     const void *table)
{
	unsigned long end = addr + pta_entry_reach(level);
	unsigned long from, to;

	pta_assert_read_in_rcu(entry);
	if (entry->kind == PTAUDIT_K_NONE || entry->kind == PTAUDIT_K_CHILD ||
	    level > PTAUDIT_PUD || end <= pages->start || addr >= pages->end)
		return 0;
	from = (max(addr, pages->start) - addr) >> PAGE_SHIFT;
	to = (min(end, pages->end) - addr) >> PAGE_SHIFT;
	if (!is_vm_hugetlb_page(vma)) {
		if (entry->kind == PTAUDIT_K_LEAF)
			return count_leaf(pages, vma, level, entry, from, to);
		count(pages, PTAUDIT_P_ABSENT_PMD, to - from);
		count_absent(pages, entry->kind, __pte(pmd_val(entry->pmd)),
			     to - from);
	} else if (entry->kind == PTAUDIT_K_LEAF) {
		count_hugetlb(pages, level, entry->pfn, to - from, table);
		return 1;
	} else {
		count(pages,
		      entry->kind == PTAUDIT_K_UFFD_WP ?
			      PTAUDIT_P_HUGETLB_UFFD_WP :
			      PTAUDIT_P_HUGETLB_OTHER,
		      to - from);
	}
	return 0;
}

/* Return the number of struct pages that were read. */
static unsigned int count_pte(struct pta_pages *pages, pte_t pte)
{
	unsigned long pfn = pte_pfn(pte);
	struct page *page;

	count(pages, PTAUDIT_P_PRESENT, 1);
	count(pages, PTAUDIT_P_PTE_PAGES, 1);
	if (is_zero_pfn(pfn)) {
		count(pages, PTAUDIT_P_ZERO, 1);
		return 0;
	}
	/* the same test as in vm_normal_page() if PTEs have the special bit */
	if (!pte_special(pte) && pfn_valid(pfn)) {
		page = pfn_to_page(pfn);
		if (!is_zone_device_page(page)) {
			count_page(pages, page, page, BY_PTE);
			return 1;
		}
	}
	count(pages, PTAUDIT_P_SPECIAL, 1);
	return 1;
}

/**
 * pta_pages_copy() - Copy a PTE table for pta_pages_ptes().
 * @pages: (in, out) holds the copy
 * @pmd: the entry that points to the table
 *
 * Context: interrupts off since before the PMD entry was read.
 */
void pta_pages_copy(struct pta_pages *pages, const struct pta_entry *pmd)
{
	pte_t *ptes = pmd->entries;
	unsigned int i;

	pta_assert_same_section(pmd);
	for (i = 0; i < PTRS_PER_PTE; i++)
		pages->ptes[i] = ptep_get(ptes + i);
}

/**
 * pta_pages_ptes() - Count the pages mapped by a copied PTE table.
 * @pages: (in, out) totals, and the copy
 * @addr: first address that the table maps
 * @pmd: the entry that points to the table
 * @covered: [PTRS_PER_PTE] bits of the pages in VMAs
 *
 * Context: an RCU read-side section since before the PMD entry was read, for
 * the struct pages.
 *
 * Return: number of struct pages that were read.
 */
unsigned int pta_pages_ptes(struct pta_pages *pages, unsigned long addr,
			    const struct pta_entry *pmd,
			    const unsigned long *covered)
{
	unsigned int i, nr = 0;

	pta_assert_read_in_rcu(pmd);
	for_each_set_bit(i, covered, PTRS_PER_PTE) {
		unsigned long at = addr + i * PAGE_SIZE;
		pte_t pte = pages->ptes[i];

		if (at < pages->start || at >= pages->end || pte_none(pte))
			continue;
		if (pte_present(pte))
			nr += count_pte(pages, pte);
		else
			count_absent(pages, pta_pte_kind(pte), pte, 1);
	}
	return nr;
}

/**
 * pta_pages_key_known() - Does this kernel provide the key?
 * @key: a key
 */
bool pta_pages_key_known(enum ptaudit_pages_key key)
{
	switch (key) {
	case PTAUDIT_P_EXCLUSIVE:
	case PTAUDIT_P_EXCLUSIVE_PMD:
	case PTAUDIT_P_EXCLUSIVE_LARGE:
	case PTAUDIT_P_HUGETLB_EXCLUSIVE:
		return PTA_HAS_EXCLUSIVE;
	case PTAUDIT_P_PROTNONE_PMD:
		return PTA_SMAPS_SKIPS_PROTNONE;
	default:
		return true;
	}
}
