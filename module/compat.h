/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All code for differences between kernels is here.  Fallbacks use the names
 * and types of the newest kernel; module/compat.kbuild has the probes.
 *
 * A fallback needs proof that the kernel has the old form: code that only
 * compiles with that form, or a probe of something that was removed when the
 * new form was added.  Without proof the build stops. Otherwise a renamed
 * symbol would select the fallback, and the answer would be wrong.
 */
#ifndef PTA_COMPAT_H
#define PTA_COMPAT_H

#include <linux/hugetlb.h>
#include <linux/io.h>
#include <linux/mm.h>
#include <linux/pfn.h>
#include <linux/pgtable.h>
#include <linux/rbtree.h>
#include <linux/swap.h>
#include <linux/swapops.h>
#include <linux/time_namespace.h>
#ifdef PTA_HAVE_SOFTLEAF
#include <linux/leafops.h>
#endif

#include "ptaudit_abi.h"

#ifdef VM_MSHARE
#error "ptaudit does not know mshare, whose page tables belong to another mm"
#endif

/**
 * pta_pte_kind() - Classify an entry that is neither none nor present.
 * @pte: the entry; may also be the value of a PMD or PUD entry, which x86-64
 *	encodes in the same way (arch/x86/include/asm/pgtable.h,
 *	__pmd_to_swp_entry())
 */
#ifdef PTA_HAVE_SOFTLEAF
static inline enum ptaudit_kind pta_pte_kind(pte_t pte)
{
	softleaf_t entry = softleaf_from_pte(pte);

	if (softleaf_is_swap(entry))
		return PTAUDIT_K_SWAP;
	if (softleaf_is_migration(entry))
		return PTAUDIT_K_MIGRATION;
	if (softleaf_is_uffd_wp_marker(entry))
		return PTAUDIT_K_UFFD_WP;
	if (softleaf_is_guard_marker(entry))
		return PTAUDIT_K_GUARD;
	return PTAUDIT_K_OTHER;
}
#else
/* The tests below must cover every type of entry that is not swap. */
#ifndef PTA_HAVE_PTE_MARKER
static_assert((1 << MAX_SWAPFILES_SHIFT) - MAX_SWAPFILES ==
		      SWP_DEVICE_NUM + SWP_MIGRATION_NUM + SWP_HWPOISON_NUM,
	      "types of entries that ptaudit does not know");
#elif !defined(PTA_HAVE_MARKER_GUARD)
static_assert(!(PTE_MARKER_MASK & ~3UL), "markers that ptaudit does not know");
#endif
#ifndef PTA_HAVE_DEVICE_EXCLUSIVE
static_assert(SWP_DEVICE_NUM <= 2, "device entries that ptaudit does not know");
#endif

static inline enum ptaudit_kind pta_pte_kind(pte_t pte)
{
	swp_entry_t entry = pte_to_swp_entry(pte);

	if (!non_swap_entry(entry))
		return PTAUDIT_K_SWAP;
	if (is_migration_entry(entry))
		return PTAUDIT_K_MIGRATION;
#ifdef PTA_HAVE_PTE_MARKER
	if (is_pte_marker_entry(entry)) {
		pte_marker marker = pte_marker_get(entry);

#ifdef PTA_HAVE_MARKER_GUARD
		if (marker & PTE_MARKER_GUARD)
			return PTAUDIT_K_GUARD;
#endif
		if (marker & PTE_MARKER_UFFD_WP)
			return PTAUDIT_K_UFFD_WP;
	}
#endif
	return PTAUDIT_K_OTHER;
}
#endif

/**
 * pta_pte_other() - Classify an entry of kind PTAUDIT_K_OTHER.
 * @pte: as in pta_pte_kind()
 *
 * Return: PTAUDIT_P_DEVICE, _HWPOISON, _POISON or _OTHER.
 */
#ifdef PTA_HAVE_SOFTLEAF
static inline enum ptaudit_pages_key pta_pte_other(pte_t pte)
{
	softleaf_t entry = softleaf_from_pte(pte);

	if (softleaf_is_device_private(entry) ||
	    softleaf_is_device_exclusive(entry))
		return PTAUDIT_P_DEVICE;
	if (softleaf_is_hwpoison(entry))
		return PTAUDIT_P_HWPOISON;
	return softleaf_is_marker(entry) ? PTAUDIT_P_POISON : PTAUDIT_P_OTHER;
}
#else
static inline enum ptaudit_pages_key pta_pte_other(pte_t pte)
{
	swp_entry_t entry = pte_to_swp_entry(pte);

	if (is_device_private_entry(entry))
		return PTAUDIT_P_DEVICE;
#ifdef PTA_HAVE_DEVICE_EXCLUSIVE
	if (is_device_exclusive_entry(entry))
		return PTAUDIT_P_DEVICE;
#endif
	if (is_hwpoison_entry(entry))
		return PTAUDIT_P_HWPOISON;
#ifdef PTA_HAVE_PTE_MARKER
	if (is_pte_marker_entry(entry))
		return PTAUDIT_P_POISON;
#endif
	return PTAUDIT_P_OTHER;
}
#endif

/*
 * Read the fields of struct page directly.  No reference is held, and the
 * kernel's helpers assert conditions that may have changed.  See LOCKING.md.
 * The flags word became a struct (memdesc_flags_t, 6.18).
 */
#ifdef PTA_HAVE_MEMDESC_FLAGS
#define pta_flag_bits(page) (&(page)->flags.f)
#else
#define pta_flag_bits(page) (&(page)->flags)
#endif

/* Renamed when the flags were moved to the folio. */
#ifndef FOLIO_MAPPING_ANON
#define FOLIO_MAPPING_ANON PAGE_MAPPING_ANON
#define FOLIO_MAPPING_KSM PAGE_MAPPING_KSM
#define FOLIO_MAPPING_FLAGS PAGE_MAPPING_FLAGS
#endif

#ifdef PTA_HAVE_ANON_EXCLUSIVE
#define PTA_HAS_EXCLUSIVE true
static inline bool pta_anon_exclusive(struct page *page)
{
	return test_bit(PG_anon_exclusive, pta_flag_bits(page));
}
#elif !defined(PTA_HAVE_ANON_RMAP_BOOL)
#error "ptaudit does not know how this kernel marks exclusive pages"
#else
#define PTA_HAS_EXCLUSIVE false
static inline bool pta_anon_exclusive(struct page *page)
{
	return false;
}
#endif

/* Does the kernel count the mappings of each page of a large folio? */
#ifdef CONFIG_NO_PAGE_MAPCOUNT
#define PTA_MAPCOUNT_IS_EXACT false
#elif defined(CONFIG_PAGE_MAPCOUNT) || defined(PTA_HAVE_MAPCOUNT_OF_EACH)
#define PTA_MAPCOUNT_IS_EXACT true
#else
#error "ptaudit does not know how this kernel counts mappings of a page"
#endif

/**
 * pta_page_mapcount() - Number of page-table entries that map a page.
 * @page: a page
 * @head: head of its compound page, or @page
 * @is_hugetlb: it is a hugetlb page
 *
 * Source: mm/util.c, __page_mapcount() (5.10, 6.1); fs/proc/internal.h,
 * folio_precise_page_mapcount() (6.12, 7.2).
 *
 * Return: the number; 0 if the field holds a page type instead of a count.
 */
static inline int pta_page_mapcount(struct page *page, struct page *head,
				    bool is_hugetlb)
{
	int nr = max(atomic_read(&page->_mapcount) + 1, 0);

	/*
	 * Do not use PageCompound(): it is true if @page has become a tail, and
	 * there may be no struct page after a tail.  After a head there is one.
	 */
	if (head == page && !test_bit(PG_head, pta_flag_bits(page)))
		return nr;
#ifdef PTA_HAVE_ENTIRE_MAPCOUNT
	nr += atomic_read(&((struct folio *)head)->_entire_mapcount) + 1;
#else
	/* for a file, the count of each page includes that of the whole */
	if (!is_hugetlb && !((unsigned long)head->mapping & FOLIO_MAPPING_ANON))
		return nr;
	nr += atomic_read(compound_mapcount_ptr(head)) + 1;
	if (test_bit(PG_double_map, pta_flag_bits(head + 1)))
		nr--;
#endif
	return nr;
}

/* Kernels without huge PFN mappings have no such bit. */
#ifdef PTA_HAVE_PMD_SPECIAL
#define pta_pmd_special pmd_special
#elif !defined(PTA_HAVE_FOLLOW_PTE)
#error "ptaudit does not know how this kernel marks special PMD leaves"
#else
static inline bool pta_pmd_special(pmd_t pmd)
{
	return false;
}
#endif

/*
 * From 5.11 on, /proc/PID/stat shows start times in the reader's time namespace.
 * Source: fs/proc/array.c, do_task_stat() (5.10, 6.1); until then timens_on_fork()
 * returned an int.
 */
static inline u64 pta_boottime_ns(u64 ns)
{
#ifdef PTA_HAVE_START_OF_HOST
	return ns;
#else
	return timens_add_boottime_ns(ns);
#endif
}

/*
 * smaps reads PMD leaves by follow_trans_huge_pmd(). On some kernels (6.1) this function
 * does not follow a PROT_NONE leaf without FOLL_FORCE.
 */
#ifdef PTA_HAVE_PROTNONE_NEEDS_FORCE
#define PTA_SMAPS_SKIPS_PROTNONE true
#else
#define PTA_SMAPS_SKIPS_PROTNONE false
#endif

/* Deposited PTE tables are listed in the PMD table's page, or in the mm. */
#ifdef PTA_HAVE_MM_PMD_HUGE_PTE
#define PTA_DEPOSITS_PER_TABLE 0
#elif defined(CONFIG_SPLIT_PMD_PTLOCKS) || \
	(defined(USE_SPLIT_PMD_PTLOCKS) && USE_SPLIT_PMD_PTLOCKS)
#define PTA_DEPOSITS_PER_TABLE 1
#elif !defined(CONFIG_TRANSPARENT_HUGEPAGE)
#define PTA_DEPOSITS_PER_TABLE 0
#else
#error "ptaudit does not know where this kernel deposits PTE tables"
#endif

/**
 * pta_pmd_sharers() - Count other PUD entries that point to a hugetlb PMD
 *	table.
 * @page: the table
 */
static inline unsigned int pta_pmd_sharers(struct page *page)
{
#if defined(PTA_HAVE_PTDESC_SHARE_COUNT)
	return ptdesc_pmd_pts_count(page_ptdesc(page));
#elif defined(PTA_HAVE_PAGE_SHARE_COUNT)
	return atomic_read(&page->pt_share_count);
#elif defined(PTA_HAVE_PAGE_COUNT_OF_SHARERS)
	/* each sharer holds a reference */
	return max(page_count(page), 1) - 1;
#elif !defined(CONFIG_HUGETLB_PAGE) || !PTA_DEPOSITS_PER_TABLE
	/* no tables are shared: mm/Kconfig, HUGETLB_PMD_PAGE_TABLE_SHARING (6.12) */
	return 0;
#else
#error "ptaudit does not know how this kernel counts sharers of a PMD table"
#endif
}

/**
 * pta_holder_is_contended() - Does a task wait for an mmap_lock that is held for writing?
 * @mm: the mm; the caller holds the lock
 *
 * With PREEMPT_RT, mmap_lock_is_contended() is always true while a writer holds the lock.  The
 * rt_mutex of the lock has all waiters in its queue.  Source: include/linux/rwbase_rt.h,
 * rw_base_is_contended(); kernel/locking/rwbase_rt.c (6.1 to 7.3); include/linux/rwsem-rt.h (5.10).
 */
static inline bool pta_holder_is_contended(struct mm_struct *mm)
{
#ifdef PTA_HAVE_RWSEM_RTMUTEX
	return !RB_EMPTY_ROOT(&mm->mmap_lock.rtmutex.waiters.rb_root);
#elif defined(CONFIG_PREEMPT_RT)
	return !RB_EMPTY_ROOT(&mm->mmap_lock.rwbase.rtmutex.waiters.rb_root);
#else
	return mmap_lock_is_contended(mm);
#endif
}

#endif /* PTA_COMPAT_H */
