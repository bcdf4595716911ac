// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Tables that pagemap and smaps prove, on every kernel.  Pure: calls a table
 * certain only if they prove it; must not use VmPTE.
 *
 * A slot is the reach of one PTE table. A slot with a populated entry has a PTE
 * table, unless a single PMD entry maps all of it. pagemap shows such a leaf as 512
 * entries of one VMA with consecutive PFNs that start at an aligned one. A slot
 * that shows anything else has a table.
 * Source: fs/proc/task_mmu.c, pagemap_pmd_range() (5.10, 6.1, 6.12),
 * pagemap_pmd_range_thp() (7.2).
 */
#include "estimate/estimator.h"

#include <errno.h>

/* What pagemap alone says about a slot. The first two need more evidence. */
enum verdict {
	MAY_BE_LEAF,	  /* all entries are present, as in a leaf */
	MAY_BE_MIGRATING, /* all are non-present, as in a migrating leaf */
	IS_ZERO_LEAF,
	IS_TABLE
};

/**
 * struct tally - sums over the slots of one VMA
 * @end: index behind its last slot
 * @present: entries with bit 63, without those of zero leaves
 * @nonpresent: entries with bit 62
 * @may_be_leaf: slots with verdict MAY_BE_LEAF
 * @may_be_migrating: slots with verdict MAY_BE_MIGRATING
 */
struct tally {
	size_t end;
	uint64_t present;
	uint64_t nonpresent;
	uint64_t may_be_leaf;
	uint64_t may_be_migrating;
};

/**
 * struct proof - what smaps proves about the slots of one VMA
 * @all_leaves: all slots that may be leaves are leaves
 * @no_leaves: there is no leaf of a kind that smaps counts
 * @no_dax: there is no DAX leaf, which smaps does not count
 * @none_migrating: no slot is a migrating leaf
 */
struct proof {
	bool all_leaves;
	bool no_leaves;
	bool no_dax;
	bool none_migrating;
};

static enum verdict judge(const struct ptu_evidence *evidence,
			  const struct ptu_slot *slot)
{
	const unsigned int all = evidence->geo->nr_entries[PTAUDIT_PTE];
	const struct ptu_vma *vma = &evidence->vmas.vmas[slot->vma];

	if (slot->nonpresent == all && (slot->flags & PTU_SLOT_SWAP_RUN))
		return MAY_BE_MIGRATING;
	if (slot->present != all ||
	    !(slot->flags & (PTU_SLOT_PFN_RUN | PTU_SLOT_PFN_HIDDEN)))
		return IS_TABLE;
	/*
	 * A leaf maps a large folio.  Source: fs/proc/page.c,
	 * stable_page_flags(): KPF_COMPOUND_*, KPF_THP (5.10 to 7.3).
	 */
	if (slot->flags & PTU_SLOT_NOT_THP)
		return IS_TABLE;
	/*
	 * Consecutive pages are never 4 KiB zero pages. Source: fs/proc/page.c,
	 * stable_page_flags(): is_huge_zero_page() (5.10, 6.1).
	 */
	if (slot->flags & PTU_SLOT_ZERO)
		return IS_ZERO_LEAF;
	/*
	 * In a mapping without a file, only the huge zero page has bit 61 set; the
	 * 4 KiB zero page has it clear. 5.10 never sets bit 61 on leaves, and 7.3
	 * not on this one, so this case does not occur there. Source: fs/proc/
	 * task_mmu.c, pagemap_pmd_range(), pte_to_pagemap_entry() (6.1),
	 * pagemap_pmd_range_thp() (7.3).
	 */
	if ((slot->flags & PTU_SLOT_FILE) && !(slot->flags & PTU_SLOT_THP) &&
	    !ptu_vma_has_file(vma) && !(vma->flags & PTU_VM_MIXEDMAP))
		return IS_ZERO_LEAF;
	return MAY_BE_LEAF;
}

/* Sum up the slots of the VMA that contains the slot at @first. */
static int tally_vma(const struct ptu_evidence *evidence, size_t first,
		     struct tally *ret)
{
	const struct ptu_slots *slots = &evidence->slots;
	const uint64_t reach = ptu_geometry_reach(evidence->geo, PTAUDIT_PTE);
	const uint32_t index = slots->slots[first].vma;
	const struct ptu_vma *vma;
	struct tally tally = { .end = first };

	if (index >= evidence->vmas.nr_vmas)
		return -EINVAL;
	vma = &evidence->vmas.vmas[index];
	while (tally.end < slots->nr_slots &&
	       slots->slots[tally.end].vma == index) {
		const struct ptu_slot *slot = &slots->slots[tally.end++];
		enum verdict verdict = judge(evidence, slot);

		if (slot->start >= vma->end ||
		    (slot->start < vma->start &&
		     vma->start - slot->start >= reach))
			return -EINVAL;
		if (verdict != IS_ZERO_LEAF)
			tally.present += slot->present;
		tally.nonpresent += slot->nonpresent;
		tally.may_be_leaf += verdict == MAY_BE_LEAF;
		tally.may_be_migrating += verdict == MAY_BE_MIGRATING;
	}
	*ret = tally;
	return 0;
}

/*
 * Compare the sums of a VMA with smaps.
 *
 * AnonHugePages, ShmemPmdMapped and FilePmdMapped count present and migrating PMD
 * leaves, never PTEs.  Source: fs/proc/task_mmu.c, smaps_pmd_entry() (5.10 to 7.3).
 *  They do not count:
 * - the huge zero page, and on some 6.1 to 6.4 kernels PROT_NONE leaves. Both are
 * missing in Rss too: each such leaf lowers it by 512 pages.
 * - DAX leaves. File systems and drivers that use them set hg or mm on their
 * mappings (madvise() may have changed hg to nh).
 *
 * Swap counts real swap entries, but no migration entries and no markers. Source:
 * smaps_pte_entry() (5.10 to 7.3).  For shmem mappings it also counts holes
 * (smap_gather_stats()), so it proves nothing for mappings with a file.
 */
static struct proof prove(const struct ptu_evidence *evidence,
			  const struct ptu_vma *vma, const struct tally *tally)
{
	const struct ptu_geometry *geo = evidence->geo;
	const uint64_t leaf_bytes = ptu_geometry_reach(geo, PTAUDIT_PTE);
	const uint64_t present_bytes = tally->present * geo->page_bytes;
	/* smaps covers the whole mapping: sums of a part cannot be compared */
	const bool is_whole = evidence->start <= vma->start &&
			      vma->end <= evidence->end;
	struct proof proof = { 0 };
	bool all_swapped;
	bool all_in_rss;

	if (!vma->has_smaps)
		return proof;
	all_swapped = is_whole && !ptu_vma_has_file(vma) &&
		      tally->nonpresent * geo->page_bytes == vma->swap_bytes;
	/* Rss includes migration entries, which are not present: exclude them first */
	all_in_rss = is_whole && (all_swapped || !tally->nonpresent) &&
		     vma->rss_bytes <= present_bytes &&
		     present_bytes - vma->rss_bytes < leaf_bytes;
	proof.none_migrating = all_swapped || !vma->huge_bytes;
	proof.no_leaves = all_in_rss && !vma->huge_bytes;
	proof.no_dax = !(vma->flags & PTU_VM_MIXEDMAP) &&
		       (!ptu_vma_has_file(vma) ||
			!(vma->flags & (PTU_VM_HUGE | PTU_VM_NOHUGE)));
	proof.all_leaves = is_whole && vma->huge_bytes &&
			   vma->huge_bytes ==
				   leaf_bytes *
					   (tally->may_be_leaf +
					    (proof.none_migrating ?
						     0 :
						     tally->may_be_migrating));
	return proof;
}

/*
 * Source: mm/hugetlb.c, huge_pte_alloc() (5.10 to 7.3): 2 MiB entries are in PMD
 * tables, 1 GiB entries in PUD tables.  An entry that is not present (a marker)
 * also needs its table.
 */
static int claim_hugetlb(const struct ptu_geometry *geo,
			 const struct ptu_vma *vma, const struct ptu_slot *slot,
			 struct ptu_tables *ret, struct ptu_err *err)
{
	unsigned int level = ptu_geometry_leaf_level(geo,
						     vma->kernel_page_bytes);
	int error;

	if (level == PTAUDIT_NR_LEVELS)
		return ptu_err_set(err, -EINVAL,
				   "no level maps huge pages of %llu bytes",
				   (unsigned long long)vma->kernel_page_bytes);
	error = ptu_tables_add(ret, level, slot->start,
			       slot->present && level != PTAUDIT_PTE ?
				       PTU_LEAF :
				       PTU_CERTAIN);
	if (!error && !slot->present)
		ptu_tables_count_absent(ret, level, slot->start);
	return error;
}

static int claim_slot(const struct ptu_evidence *evidence,
		      const struct proof *proof, const struct ptu_slot *slot,
		      struct ptu_tables *ret, struct ptu_err *err)
{
	const struct ptu_vma *vma = &evidence->vmas.vmas[slot->vma];
	bool is_certain = false;
	int error;

	if (vma->flags & PTU_VM_HUGETLB)
		return claim_hugetlb(evidence->geo, vma, slot, ret, err);
	switch (judge(evidence, slot)) {
	case IS_ZERO_LEAF:
		return ptu_tables_add(ret, PTAUDIT_PMD, slot->start, PTU_LEAF);
	case MAY_BE_LEAF:
		if (proof->all_leaves)
			return ptu_tables_add(ret, PTAUDIT_PMD, slot->start,
					      PTU_LEAF);
		/* a page that kpageflags marks as part of a large folio is not DAX */
		is_certain = proof->no_leaves &&
			     (proof->no_dax || (slot->flags & PTU_SLOT_THP));
		break;
	case MAY_BE_MIGRATING:
		is_certain = proof->none_migrating;
		break;
	case IS_TABLE:
		is_certain = true;
		break;
	}
	error = ptu_tables_add(ret, PTAUDIT_PTE, slot->start,
			       is_certain ? PTU_CERTAIN : PTU_POSSIBLE);
	if (!error)
		ptu_tables_count_entries(ret, 0u + slot->present +
						      slot->nonpresent +
						      slot->markers);
	if (!error)
		ptu_tables_count_markers(ret, 0u + slot->markers +
						      slot->shown_markers);
	return error;
}

static int estimate(const struct ptu_evidence *evidence, struct ptu_tables *ret,
		    struct ptu_err *err)
{
	const struct ptu_slots *slots = &evidence->slots;
	int error = ptu_tables_add_pgd(ret);
	size_t i = 0;

	while (!error && i < slots->nr_slots) {
		struct tally tally;
		struct proof proof;

		error = tally_vma(evidence, i, &tally);
		if (error)
			break;
		proof = prove(evidence,
			      &evidence->vmas.vmas[slots->slots[i].vma],
			      &tally);
		for (; !error && i < tally.end; i++)
			error = claim_slot(evidence, &proof, &slots->slots[i],
					   ret, err);
	}
	if (error == -EINVAL)
		ptu_err_set(err, error,
			    "pagemap and mappings contradict each other");
	return error;
}

/*
 * pagemap shows every entry of a PTE table that is not none, although not always
 * with its real kind.
 */
const struct ptu_estimator ptu_estimator_pagemap = {
	.name = "pagemap",
	.summary = "populated ranges from pagemap, huge pages from smaps",
	.needs = PTU_NEEDS_PAGEMAP | PTU_NEEDS_LEAVES,
	.blind = 1u << PTAUDIT_K_NONE,
	.estimate = estimate,
};
