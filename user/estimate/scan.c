// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Tables that PAGEMAP_SCAN proves. `scan` uses populated slots and huge pages; `written`
 * also finds PTE tables that hold no page.  Pure: acquire/scan.c reads the answers and
 * tests their meaning on the running kernel.
 *
 * Source: fs/proc/task_mmu.c.  pagemap_scan_pmd_entry() reports a none entry of a
 * PTE table as written (6.12, 7.2); from 7.3 on it does so only in mappings under
 * userfaultfd-wp.  pagemap_scan_pte_hole() reports nothing for a missing table.
 */
#include "estimate/estimator.h"

#include <errno.h>

/* Does a mapping in the slot's reach have the flag? True if it is unknown. */
static bool slot_has_flag(const struct ptu_evidence *evidence,
			  const struct ptu_scan_slot *slot, unsigned int flag)
{
	const struct ptu_vmas *vmas = &evidence->vmas;
	uint64_t end = slot->start +
		       ptu_geometry_reach(evidence->geo, PTAUDIT_PTE);
	size_t i;

	for (i = ptu_vmas_find(vmas, slot->start);
	     i < vmas->nr_vmas && vmas->vmas[i].start < end; i++)
		if (!vmas->vmas[i].has_smaps || vmas->vmas[i].flags & flag)
			return true;
	return false;
}

/*
 * Source: include/uapi/linux/fs.h, PAGE_IS_HUGE. pagemap_hugetlb_category() also
 * reports it for a none entry: then there is a table, but no leaf.
 */
static int claim_huge(const struct ptu_evidence *evidence,
		      const struct ptu_scan_slot *slot, struct ptu_tables *ret)
{
	const struct ptu_vmas *vmas = &evidence->vmas;
	size_t i = ptu_vmas_find(vmas, slot->first);
	const struct ptu_vma *vma = &vmas->vmas[i];
	unsigned int level = PTAUDIT_PMD;
	int error;

	if (i == vmas->nr_vmas || vma->start > slot->first ||
	    (ptu_vma_has_file(vma) && !vma->has_smaps))
		return -EINVAL;
	if (vma->flags & PTU_VM_HUGETLB) {
		level = ptu_geometry_leaf_level(evidence->geo,
						vma->kernel_page_bytes);
		error = ptu_tables_add(ret, level, slot->start,
				       slot->populated && level != PTAUDIT_PTE ?
					       PTU_LEAF :
					       PTU_CERTAIN);
		if (!error && slot->absent)
			ptu_tables_count_absent(ret, level, slot->start);
		return error;
	}
	return ptu_tables_add(ret, level, slot->start, PTU_LEAF);
}

static int claim_empty(const struct ptu_evidence *evidence,
		       const struct ptu_scan_slot *slot, struct ptu_tables *ret)
{
	enum ptu_claim claim = PTU_CERTAIN;

	if (evidence->scan.caps.wp_hole_is_seen &&
	    !ptu_evidence_shows_hole(evidence, slot->first) &&
	    slot_has_flag(evidence, slot, PTU_VM_UFFD_WP))
		claim = PTU_MAYBE;
	return ptu_tables_add(ret, PTAUDIT_PTE, slot->start, claim);
}

static void count_entries(const struct ptu_scan_slot *slot,
			  struct ptu_tables *ret)
{
	ptu_tables_count_entries(ret, slot->entries);
	ptu_tables_count_markers(ret, slot->markers);
	ptu_tables_count_zeros(ret, slot->zeros);
}

static int claim_slots(const struct ptu_evidence *evidence, bool empty_too,
		       struct ptu_tables *ret, struct ptu_err *err)
{
	const struct ptu_scan *scan = &evidence->scan;
	int error = 0;
	size_t i;

	if (!scan->is_there)
		return ptu_err_set(err, -EOPNOTSUPP,
				   "this kernel has no PAGEMAP_SCAN (6.7 and later have it)");
	for (i = 0; !error && i < scan->nr_slots; i++) {
		const struct ptu_scan_slot *slot = &scan->slots[i];

		if (slot->huge)
			error = claim_huge(evidence, slot, ret);
		else if (slot->populated)
			error = ptu_tables_add(ret, PTAUDIT_PTE, slot->start,
					       PTU_CERTAIN);
		else if (empty_too)
			error = claim_empty(evidence, slot, ret);
		else
			continue;
		if (!error && slot->counted)
			count_entries(slot, ret);
		else if (!error && slot->unasked)
			ptu_tables_leave_open(ret);
		else if (!error && !slot->huge && !slot->populated)
			ptu_tables_count_entries(ret, 0);
	}
	if (error == -EINVAL)
		ptu_err_set(err, error,
			    "PAGEMAP_SCAN and mappings contradict each other");
	return error;
}

static int estimate_scan(const struct ptu_evidence *evidence,
			 struct ptu_tables *ret, struct ptu_err *err)
{
	return claim_slots(evidence, false, ret, err);
}

static int estimate_written(const struct ptu_evidence *evidence,
			    struct ptu_tables *ret, struct ptu_err *err)
{
	const struct ptu_scan *scan = &evidence->scan;

	if (scan->is_there &&
	    !(scan->caps.empty_is_seen && scan->caps.hole_is_silent))
		return ptu_err_set(err, -EOPNOTSUPP,
				   "this kernel's PAGEMAP_SCAN does not distinguish an empty table from a missing one: use --estimator scan");
	return claim_slots(evidence, true, ret, err);
}

const struct ptu_estimator ptu_estimator_scan = {
	.name = "scan",
	.summary =
		"populated ranges and huge leaves from PAGEMAP_SCAN (6.7 and later)",
	.needs = PTU_NEEDS_SCAN | PTU_NEEDS_POPULATED,
	.blind = 1u << PTAUDIT_K_NONE,
	.estimate = estimate_scan,
};

const struct ptu_estimator ptu_estimator_written = {
	.name = "written",
	.summary =
		"like scan, and PTE tables without a page if the kernel shows them",
	.needs = PTU_NEEDS_SCAN,
	.estimate = estimate_written,
};
