/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The only home of differences between kernels and architectures.  Fallbacks
 * take the newest kernel's name and shape; module/compat.kbuild probes.
 */
#ifndef PTA_COMPAT_H
#define PTA_COMPAT_H

#include <linux/hugetlb.h>
#include <linux/io.h>
#include <linux/mm.h>
#include <linux/pfn.h>
#include <linux/pgtable.h>
#include <linux/swap.h>
#include <linux/swapops.h>
#ifdef PTA_HAVE_SOFTLEAF
#include <linux/leafops.h>
#endif
#ifdef CONFIG_X86
#include <asm/cpufeature.h>
#endif

#include "ptaudit_abi.h"

#if defined(CONFIG_HIGHPTE) || !defined(CONFIG_64BIT)
#error "ptaudit reads PTE tables through the linear map: 64-bit kernels only"
#endif

/* 6.1 has only ptep_get(); 6.12 has the whole family. */
#ifndef PTA_HAVE_PGDP_GET
static inline pgd_t pgdp_get(pgd_t *pgdp)
{
	return READ_ONCE(*pgdp);
}
static inline p4d_t p4dp_get(p4d_t *p4dp)
{
	return READ_ONCE(*p4dp);
}
static inline pud_t pudp_get(pud_t *pudp)
{
	return READ_ONCE(*pudp);
}
#endif
#ifndef PTA_HAVE_PMDP_GET_LOCKLESS
static inline pmd_t pmdp_get_lockless(pmd_t *pmdp)
{
	return READ_ONCE(*pmdp);
}
#endif

/**
 * pta_pte_kind() - What an entry is that is neither none nor present.
 * @pte: the entry; a PMD or PUD entry's value serves too, x86-64 encodes
 *	them alike (arch/x86/include/asm/pgtable.h, __pmd_to_swp_entry())
 *
 * Return: one of PTAUDIT_K_SWAP, _MIGRATION, _UFFD_WP, _GUARD, _OTHER.
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

/*
 * pud_leaf() of x86 looks at the PRESENT bit, which a PROT_NONE leaf lacks:
 * ask the bits themselves, as pmd_present() and pmd_leaf() do.
 */
static inline bool pta_pud_leaf(pud_t pud)
{
#ifdef CONFIG_X86
	return (pud_val(pud) & _PAGE_PSE) &&
	       (pud_val(pud) & (_PAGE_PRESENT | _PAGE_PROTNONE));
#else
	return pud_leaf(pud);
#endif
}

/**
 * pta_pmd_sharers() - Other PUD entries, of any mm, that point to a hugetlb
 * PMD table.
 * @page: the table
 */
static inline unsigned int pta_pmd_sharers(struct page *page)
{
#if defined(PTA_HAVE_PTDESC_SHARE_COUNT)
	return ptdesc_pmd_pts_count(page_ptdesc(page));
#elif defined(PTA_HAVE_PAGE_SHARE_COUNT)
	return atomic_read(&page->pt_share_count);
#else
	/* each sharer holds a reference */
	return max(page_count(page), 1) - 1;
#endif
}

/* Deposited PTE tables hang off the PMD table's page, or off the mm. */
#if defined(CONFIG_SPLIT_PMD_PTLOCKS) || \
	(defined(USE_SPLIT_PMD_PTLOCKS) && USE_SPLIT_PMD_PTLOCKS)
#define PTA_DEPOSITS_PER_TABLE true
#else
#define PTA_DEPOSITS_PER_TABLE false
#endif

/* Kernel page-table isolation: is a PGD two pages here, at this boot? */
static inline bool pta_pti(void)
{
#ifdef CONFIG_X86
	return boot_cpu_has(X86_FEATURE_PTI);
#else
	return false;
#endif
}

/* The flags word became a struct of its own (memdesc_flags_t, 6.18). */
static inline unsigned long pta_page_flags(const struct page *page)
{
#ifdef PTA_HAVE_MEMDESC_FLAGS
	return READ_ONCE(page->flags.f);
#else
	return READ_ONCE(page->flags);
#endif
}

/*
 * max_pfn is not exported.  On 64 bit high_memory lies at the end of the same
 * memory and moves with it.
 * Source: arch/x86/kernel/setup.c, setup_arch(); arch/x86/mm/init_64.c,
 * update_end_of_memory_vars() (5.10 to 7.2); mm/mm_init.c (7.2)
 */
static inline unsigned long pta_max_pfn(void)
{
	return PHYS_PFN(virt_to_phys((char *)READ_ONCE(high_memory) - 1)) + 1;
}

/* Under PTI the LDT is mapped by tables of its own, in the kernel half. */
#if defined(CONFIG_X86_64) && defined(CONFIG_MODIFY_LDT_SYSCALL)
#define PTA_LDT_BASE LDT_BASE_ADDR
static inline int pta_ldt_lock(struct mm_struct *mm)
{
	return down_read_killable(&mm->context.ldt_usr_sem);
}

static inline void pta_ldt_unlock(struct mm_struct *mm)
{
	up_read(&mm->context.ldt_usr_sem);
}
#else
#define PTA_LDT_BASE 0UL
static inline int pta_ldt_lock(struct mm_struct *mm)
{
	return 0;
}
static inline void pta_ldt_unlock(struct mm_struct *mm)
{
}
#endif

#endif /* PTA_COMPAT_H */
