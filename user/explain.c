// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * One rule a cause.  Each looks at the record of the table in question (and,
 * for upper tables, at what became of the tables below it); none subtracts
 * sums.
 */
#include "explain.h"

/* Entries of a table that the estimator's interface does not show. */
static unsigned int unseen_entries(const struct ptaudit_table *r,
				   unsigned int blind)
{
	unsigned int nr = 0;

	if (blind & 1u << PTAUDIT_K_SWAP)
		nr += r->swap;
	if (blind & 1u << PTAUDIT_K_MIGRATION)
		nr += r->migration;
	if (blind & 1u << PTAUDIT_K_UFFD_WP)
		nr += r->uffd_wp;
	if (blind & 1u << PTAUDIT_K_GUARD)
		nr += r->guard;
	if (blind & 1u << PTAUDIT_K_OTHER)
		nr += r->other;
	return nr;
}

/*
 * A PTE table that the estimator does not have.
 *
 * Source: fs/proc/task_mmu.c: pagemap calls VM_PFNMAP ranges holes
 * (mm/pagewalk.c, walk_page_test()), and shows nothing of an entry that is
 * none.
 */
static enum ptu_why why_pte_table(const struct ptaudit_table *r,
				  unsigned int blind)
{
	unsigned int unseen = unseen_entries(r, blind);

	if (!r->used)
		return PTU_WHY_EMPTY;
	if (r->used == unseen)
		return PTU_WHY_MARKER_ONLY;
	if (r->pfnmap && r->used == r->pfnmap + unseen)
		return PTU_WHY_PFNMAP;
	return PTU_WHY_UNEXPLAINED;
}

/* What stands below an upper table that the estimator does not have. */
struct below {
	unsigned int children;		/* tables of the next level */
	unsigned int empty;		/* of these, empty or hollow */
	unsigned int pfnmap;		/* ... only in PFN mappings */
	unsigned int markers;		/* ... only with entries not shown */
};

static void look_below(const struct ptu_diffs *diffs,
		       const struct ptu_snapshot *kernel,
		       const struct ptu_geometry *geo,
		       const struct ptaudit_table *r, struct below *below)
{
	uint64_t reach = ptu_geometry_reach(geo, r->level);
	size_t low = 0, high = kernel->nr_records;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ptu_record_before(&kernel->records[middle], r))
			low = middle + 1;
		else
			high = middle;
	}
	for (low++; low < kernel->nr_records; low++) {
		const struct ptaudit_table *child = &kernel->records[low];
		const struct ptu_diff *diff;

		if (child->start - r->start >= reach ||
		    (child->type == PTAUDIT_TABLE && child->level >= r->level))
			break;
		if (child->type != PTAUDIT_TABLE ||
		    ptu_geometry_above(geo, child->level) != r->level)
			continue;
		below->children++;
		diff = ptu_diffs_find(diffs, child->start, child->level, false);
		if (!diff || !diff->kernel)
			continue;
		if (diff->why == PTU_WHY_EMPTY || diff->why == PTU_WHY_HOLLOW)
			below->empty++;
		else if (diff->why == PTU_WHY_PFNMAP)
			below->pfnmap++;
		else if (diff->why == PTU_WHY_MARKER_ONLY)
			below->markers++;
	}
}

/*
 * An upper table that the estimator does not have: nothing in it may be
 * visible, neither entries of its own nor tables below.
 */
static enum ptu_why why_upper_table(const struct ptu_diffs *diffs,
				    const struct ptu_snapshot *kernel,
				    const struct ptu_geometry *geo,
				    const struct ptaudit_table *r,
				    unsigned int blind)
{
	struct below below = { 0 };
	unsigned int unseen;

	/*
	 * pagemap shows nothing of a hugetlb migration entry.  Source:
	 * fs/proc/task_mmu.c, pagemap_hugetlb_range(), 5.10 to 7.2.
	 */
	if (r->flags & PTAUDIT_T_HUGETLB)
		blind |= 1u << PTAUDIT_K_MIGRATION;
	unseen = unseen_entries(r, blind);
	look_below(diffs, kernel, geo, r, &below);
	if (below.children != r->children ||
	    below.children != below.empty + below.pfnmap + below.markers ||
	    r->used != r->children + r->pfnmap + unseen + r->unwalked)
		return PTU_WHY_UNEXPLAINED;
	if (r->unwalked)
		return PTU_WHY_OUTSIDE_VMA;
	if (r->pfnmap || below.pfnmap)
		return PTU_WHY_PFNMAP;
	if (unseen || below.markers)
		return PTU_WHY_MARKER_ONLY;
	return PTU_WHY_HOLLOW;
}

/* Does the lowest table that maps it say that there is nothing? */
static bool nothing_there(const struct ptu_snapshot *kernel,
			  const struct ptu_geometry *geo,
			  const struct ptu_diff *diff)
{
	unsigned int level = diff->level;
	enum ptaudit_kind kind = PTAUDIT_K_NONE;

	while (level != PTAUDIT_PGD && kind == PTAUDIT_K_NONE) {
		level = ptu_geometry_above(geo, level);
		ptu_snapshot_find(kernel, geo, level, diff->start, &kind);
	}
	return kind == PTAUDIT_K_NONE || kind == PTAUDIT_K_CHILD;
}

/* Is there a leaf, or one under migration, where the estimator has a table? */
static bool leaf_above(const struct ptu_snapshot *kernel,
		       const struct ptu_geometry *geo, unsigned int level,
		       uint64_t addr)
{
	enum ptaudit_kind kind;

	for (level = ptu_geometry_above(geo, level); level < PTAUDIT_PGD;
	     level = ptu_geometry_above(geo, level)) {
		ptu_snapshot_find(kernel, geo, level, addr, &kind);
		if (kind == PTAUDIT_K_LEAF || kind == PTAUDIT_K_MIGRATION)
			return true;
	}
	return false;
}

static enum ptu_why why_leaf(const struct ptu_snapshot *kernel,
			     const struct ptu_geometry *geo,
			     const struct ptu_diff *diff)
{
	enum ptaudit_kind kind;

	if (diff->kernel)
		return diff->record.flags & PTAUDIT_T_PFNMAP ?
			       PTU_WHY_PFNMAP :
			       PTU_WHY_UNEXPLAINED;
	ptu_snapshot_find(kernel, geo, diff->level, diff->start, &kind);
	return kind == PTAUDIT_K_MIGRATION ? PTU_WHY_SETTLED :
					     PTU_WHY_UNEXPLAINED;
}

static enum ptu_why why(const struct ptu_diffs *diffs,
			const struct ptu_snapshot *kernel,
			const struct ptu_geometry *geo,
			const struct ptu_diff *diff, unsigned int blind)
{
	const struct ptaudit_table *r = &diff->record;

	if (!diff->stable)
		return ptu_diff_differs(diff) ? PTU_WHY_UNEXPLAINED :
						PTU_WHY_UNDECIDED;
	if (diff->contents)
		return PTU_WHY_UNEXPLAINED;
	if (diff->leaf)
		return why_leaf(kernel, geo, diff);
	if (!diff->kernel) {
		/* certain under a leaf: only for who cannot see leaves */
		if ((diff->claim != PTU_CERTAIN ||
		     blind & 1u << PTAUDIT_K_LEAF) &&
		    leaf_above(kernel, geo, diff->level, diff->start))
			return PTU_WHY_HUGE_LEAF;
		if (diff->claim == PTU_CERTAIN)
			return PTU_WHY_UNEXPLAINED;
		if (diff->claim == PTU_MAYBE &&
		    nothing_there(kernel, geo, diff))
			return PTU_WHY_SETTLED;
		return PTU_WHY_UNDECIDED;
	}
	if (r->flags & PTAUDIT_T_LDT)
		return PTU_WHY_LDT;
	if (diff->claim == PTU_MAYBE)
		return PTU_WHY_SETTLED;
	/* possible is what might be a leaf: as a table it has no gap */
	if (diff->claim == PTU_POSSIBLE)
		return r->used == geo->nr_entries[r->level] ?
			       PTU_WHY_SETTLED :
			       PTU_WHY_UNEXPLAINED;
	if (r->level == PTAUDIT_PTE)
		return why_pte_table(r, blind);
	return why_upper_table(diffs, kernel, geo, r, blind);
}

void ptu_explain(struct ptu_diffs *diffs, const struct ptu_snapshot *kernel,
		 const struct ptu_geometry *geo, unsigned int blind)
{
	unsigned int level;
	size_t i;

	/* upwards: an upper table's cause rests on those below it */
	for (level = PTAUDIT_PTE; level < PTAUDIT_NR_LEVELS; level++)
		for (i = 0; i < diffs->nr_diffs; i++)
			if (diffs->diffs[i].level == level)
				diffs->diffs[i].why = why(diffs, kernel, geo,
							  &diffs->diffs[i],
							  blind);
}
