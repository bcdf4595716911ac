// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Classify differences between the module's totals and /proc's.  A cause must
 * account for the whole difference; otherwise it is unexplained.
 */
#include "compare/page_causes.h"

#include <string.h>

static bool saw_nothing(const struct ptu_seen *seen)
{
	unsigned int total;

	for (total = 0; total < PTU_NR_TOTALS; total++)
		if (seen->nr[total])
			return false;
	return true;
}

/* These entries of hugetlb are not present: pagemap does not show them. */
static bool is_hugetlb_absent(const struct ptu_seen *seen,
			      const struct ptu_vma *vma, enum ptu_total total)
{
	return total == PTU_TOTAL_HUGETLB_OTHER &&
	       vma->flags & PTU_VM_HUGETLB && !seen->nr[total];
}

/*
 * kpageflags does not show the flag ANON_EXCLUSIVE for some pages of large folios. The
 * module's count of these pages must be the difference, and no larger than the number
 * of pages in large folios.
 */
static bool is_large_folio(const struct ptu_totals *kernel,
			   const struct ptu_seen *seen)
{
	uint64_t hidden = kernel->nr[PTAUDIT_P_EXCLUSIVE_LARGE];
	uint64_t pages = seen->anon_large;

	if (seen->leaves_known)
		pages -= seen->whole * seen->leaf_pages;
	else
		hidden += kernel->nr[PTAUDIT_P_EXCLUSIVE_PMD];
	return hidden && hidden <= pages &&
	       kernel->nr[PTAUDIT_P_EXCLUSIVE] - hidden ==
		       seen->nr[PTU_TOTAL_EXCLUSIVE];
}

/* Are the sides equal without the pages that the module counts as inexact? */
static bool is_average(const struct ptu_totals *kernel, uint64_t kernel_value,
		       const struct ptu_seen *seen, enum ptu_total total)
{
	uint64_t nr = seen->nr[total];

	if (!kernel->nr[PTAUDIT_P_INEXACT] ||
	    kernel->nr[PTAUDIT_P_INEXACT] != seen->large)
		return false;
	switch (total) {
	case PTU_TOTAL_MAPPED_ONCE:
		return kernel_value == nr - seen->once_large;
	case PTU_TOTAL_ANON_ONCE:
		return kernel_value == nr - seen->anon_once_large;
	case PTU_TOTAL_COW_COPIED:
		return kernel_value == nr - seen->cow_copied_large;
	case PTU_TOTAL_COW_SHARED:
		return kernel_value == nr + seen->cow_copied_large;
	default:
		return false;
	}
}

/* Do leaves of device memory, which /proc shows as small pages, make the difference? */
static bool is_device_leaf(const struct ptu_totals *kernel,
			   uint64_t kernel_value, uint64_t seen_value,
			   enum ptu_total total)
{
	uint64_t by_pmd = kernel->nr[PTAUDIT_P_SPECIAL_PMD];
	uint64_t by_pud = kernel->nr[PTAUDIT_P_PUD_PAGES];

	switch (total) {
	case PTU_TOTAL_PTE_PAGES:
		return kernel_value + by_pmd + by_pud == seen_value;
	case PTU_TOTAL_PMD_PAGES:
		return kernel_value == seen_value + by_pmd;
	case PTU_TOTAL_PUD_PAGES:
		return by_pud <= kernel->nr[PTAUDIT_P_SPECIAL] && !seen_value;
	default:
		return false;
	}
}

/* smaps of some kernels leaves out huge leaves that PROT_NONE or NUMA balancing protects. */
static bool is_protnone_leaf(const struct ptu_totals *kernel,
			     uint64_t kernel_value, uint64_t seen_value,
			     enum ptu_total total)
{
	uint64_t hidden = kernel->nr[PTAUDIT_P_PROTNONE_PMD];

	switch (total) {
	case PTU_TOTAL_PTE_PAGES:
		return kernel_value + hidden == seen_value;
	case PTU_TOTAL_PMD_PAGES:
	case PTU_TOTAL_RSS:
		return kernel_value == seen_value + hidden;
	default:
		return false;
	}
}

/* Both sides have the same number of special pages, but only Rss of smaps includes them. */
static bool is_device_rss(const struct ptu_totals *kernel,
			  uint64_t kernel_value, const struct ptu_seen *seen)
{
	uint64_t special = kernel->nr[PTAUDIT_P_SPECIAL];

	return special == seen->nr[PTU_TOTAL_SPECIAL] &&
	       kernel_value + special == seen->nr[PTU_TOTAL_RSS];
}

/* An unmerged page of our own has the flag KSM, and so do all anonymous pages. */
static bool is_ksm_flag(const struct ptu_totals *kernel,
			const struct ptu_seen *seen)
{
	return seen->ksm_is_anon &&
	       seen->nr[PTU_TOTAL_KSM] == seen->nr[PTU_TOTAL_ANON] &&
	       seen->nr[PTU_TOTAL_KSM] == kernel->nr[PTAUDIT_P_ANON];
}

/* The additional leaves in smaps are non-present entries of PMD tables. */
static bool is_moving_leaf(const struct ptu_totals *kernel,
			   const struct ptu_seen *seen, enum ptu_total total)
{
	uint64_t moving = kernel->nr[PTAUDIT_P_ABSENT_PMD];
	uint64_t leaves = kernel->nr[PTAUDIT_P_PMD_PAGES];

	if (!moving || seen->nr[PTU_TOTAL_PMD_PAGES] != leaves + moving)
		return false;
	return total == PTU_TOTAL_PMD_PAGES ||
	       (total == PTU_TOTAL_PTE_PAGES &&
		seen->nr[PTU_TOTAL_PRESENT] ==
			leaves + kernel->nr[PTAUDIT_P_PTE_PAGES]);
}

static enum ptu_totals_why judge(const struct ptu_totals *kernel,
				 const struct ptu_seen *seen,
				 const struct ptu_vma *vma,
				 enum ptu_total total)
{
	uint64_t nr = seen->nr[total];
	bool known;
	uint64_t value = ptu_totals_value(kernel, vma->perms[3] == 'p', total,
					  &known);

	if (!known)
		return PTU_TOTALS_UNKNOWN;
	if (value == nr)
		return PTU_TOTALS_AGREE;
	if (vma->flags & PTU_VM_PFNMAP && saw_nothing(seen))
		return PTU_TOTALS_PFNMAP;
	if (is_hugetlb_absent(seen, vma, total))
		return PTU_TOTALS_HUGETLB_ABSENT;
	if (total == PTU_TOTAL_EXCLUSIVE && is_large_folio(kernel, seen))
		return PTU_TOTALS_LARGE_FOLIO;
	if (is_average(kernel, value, seen, total))
		return PTU_TOTALS_AVERAGE;
	if (is_device_leaf(kernel, value, nr, total))
		return PTU_TOTALS_DEVICE_LEAF;
	if (is_protnone_leaf(kernel, value, nr, total))
		return PTU_TOTALS_PROTNONE_LEAF;
	if (total == PTU_TOTAL_RSS && is_device_rss(kernel, value, seen))
		return PTU_TOTALS_DEVICE_RSS;
	if (total == PTU_TOTAL_KSM && is_ksm_flag(kernel, seen))
		return PTU_TOTALS_KSM_FLAG;
	if (is_moving_leaf(kernel, seen, total))
		return PTU_TOTALS_MOVING_LEAF;
	if (total == PTU_TOTAL_RSS && kernel->nr[PTAUDIT_P_HWPOISON] &&
	    nr == value + kernel->nr[PTAUDIT_P_HWPOISON])
		return PTU_TOTALS_HWPOISON;
	return PTU_TOTALS_UNEXPLAINED;
}

void ptu_totals_judge(const struct ptu_totals *kernel,
		      const struct ptu_seen *seen, const struct ptu_vma *vma,
		      enum ptu_totals_why ret[PTU_NR_TOTALS])
{
	unsigned int total;

	for (total = 0; total < PTU_NR_TOTALS; total++)
		ret[total] = judge(kernel, seen, vma, total);
}
