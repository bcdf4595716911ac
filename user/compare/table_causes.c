// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * One rule per cause.  Each rule examines the record of the table, the mappings in
 * its reach and, for upper tables, the results for the tables below it. No rule
 * subtracts sums.
 */
#include "compare/table_causes.h"

#include "model/place.h"

/*
 * The PGD entry through which page-table isolation maps the LDT, counted from the end
 * of the address space.
 * Source: arch/x86/include/asm/pgtable_64_types.h, LDT_PGD_ENTRY,
 * LDT_BASE_ADDR (5.10 to 7.3).
 */
#define LDT_PGD_ENTRY (-UINT64_C(240))

/*
 * Two LDTs of 8192 entries of 8 bytes: both are mapped while one replaces the
 * other.
 * Source: arch/x86/include/uapi/asm/ldt.h, LDT_ENTRIES, LDT_ENTRY_SIZE;
 * arch/x86/kernel/ldt.c, map_ldt_struct() (5.10 to 7.3).
 */
#define LDT_MAX_PAGES 32u

static uint64_t end_of(const struct ptu_proof *proof,
		       const struct ptaudit_table *r)
{
	return r->start + ptu_geometry_reach(proof->geo, r->level);
}

static bool is_blind(const struct ptu_proof *proof, unsigned int kind)
{
	return proof->blind & 1u << kind;
}

/* Count the entries of a PTE table that the estimator's interface does not show. */
static unsigned int unseen_entries(const struct ptu_proof *proof,
				   const struct ptaudit_table *r)
{
	unsigned int nr = 0;

	if (is_blind(proof, PTAUDIT_K_SWAP))
		nr += r->swap;
	if (is_blind(proof, PTAUDIT_K_MIGRATION))
		nr += r->migration;
	if (is_blind(proof, PTAUDIT_K_UFFD_WP))
		nr += r->uffd_wp;
	if (is_blind(proof, PTAUDIT_K_GUARD))
		nr += r->guard;
	if (is_blind(proof, PTAUDIT_K_OTHER))
		nr += r->other;
	return nr;
}

/*
 * Do the mappings have room for the entries of a PTE table?  Entries in PFN
 * mappings need room in PFN mappings, the other entries need room in other
 * mappings.
 */
static bool has_room(const struct ptu_proof *proof,
		     const struct ptaudit_table *r, uint64_t all,
		     uint64_t pfnmap)
{
	const uint64_t page = proof->geo->page_bytes;

	return r->pfnmap * page <= pfnmap &&
	       (uint64_t)(r->used - r->pfnmap) * page <= all - pfnmap;
}

/*
 * Cause for a PTE table that the estimator does not have.
 *
 * Source: fs/proc/task_mmu.c: pagemap treats VM_PFNMAP ranges as holes
 * (mm/pagewalk.c, walk_page_test()), and shows nothing for none entries.
 * PAGEMAP_SCAN skips only VM_PFNMAP mappings (pagemap_scan_test_walk()): an
 * estimator that sees none entries must have seen the table, unless there are only
 * such mappings.
 */
static enum ptu_why why_pte_table(const struct ptu_proof *proof,
				  const struct ptaudit_table *r)
{
	const uint64_t all = ptu_place_bytes(proof->vmas, r->start,
					     end_of(proof, r), 0);
	const uint64_t pfnmap = ptu_place_bytes(proof->vmas, r->start,
						end_of(proof, r),
						PTU_VM_PFNMAP);
	const unsigned int unseen = unseen_entries(proof, r);

	if (!is_blind(proof, PTAUDIT_K_NONE) && pfnmap != all)
		return PTU_WHY_UNEXPLAINED;
	if (!r->used)
		return PTU_WHY_EMPTY;
	if (!has_room(proof, r, all, pfnmap))
		return PTU_WHY_UNEXPLAINED;
	if (r->used == unseen)
		return PTU_WHY_MARKER_ONLY;
	if (r->pfnmap && r->used == r->pfnmap + unseen)
		return PTU_WHY_PFNMAP;
	return PTU_WHY_UNEXPLAINED;
}

/* Does one mapping with the flag cover each entry of a run? flag 0: any mapping. */
static bool run_within(const struct ptu_proof *proof,
		       const struct ptaudit_table *run, unsigned int flag)
{
	const uint64_t bytes = UINT64_C(1) << proof->geo->shift[run->level];
	unsigned int i;

	for (i = 0; i < run->used; i++)
		if (!ptu_place_one(proof->vmas, run->start + i * bytes,
				   run->start + (i + 1) * bytes, flag))
			return false;
	return true;
}

/*
 * Which cause does a table with the cause @child allow for the tables above it?  The
 * switch has no default: the compiler warns about a cause that it lacks.
 */
static enum ptu_why why_above(enum ptu_why child)
{
	switch (child) {
	case PTU_WHY_EMPTY:
	case PTU_WHY_HOLLOW:
		return PTU_WHY_HOLLOW;
	case PTU_WHY_MARKER_ONLY:
	case PTU_WHY_PFNMAP:
		return child;
	case PTU_WHY_UNSET:
	case PTU_WHY_HUGE_LEAF:
	case PTU_WHY_SETTLED:
	case PTU_WHY_OUTSIDE_VMA:
	case PTU_WHY_LDT:
	case PTU_WHY_IN_FLUX:
	case PTU_WHY_UNDECIDED:
	case PTU_WHY_UNEXPLAINED:
	case PTU_NR_WHYS:
		break;
	}
	return PTU_WHY_UNEXPLAINED;
}

/*
 * Contents of an upper table, and results for the tables below it.  Entries are
 * counted here only if the mappings allow them at their address.
 */
struct below {
	unsigned int children;		    /* tables of the next level */
	unsigned int by_cause[PTU_NR_WHYS]; /* children by why_above() */
	unsigned int leaves;   /* entries: leaves in PFN mappings */
	unsigned int unseen;   /* entries that are not shown */
	unsigned int unwalked; /* entries outside all mappings */
};

static void look_at_run(const struct ptu_proof *proof,
			const struct ptaudit_table *run, struct below *below)
{
	const uint64_t bytes = (uint64_t)run->used
			       << proof->geo->shift[run->level];

	switch (run->kind) {
	case PTAUDIT_K_CHILD:
		return;
	case PTAUDIT_K_UNWALKED:
		if (!ptu_place_bytes(proof->vmas, run->start,
				     run->start + bytes, 0))
			below->unwalked += run->used;
		return;
	case PTAUDIT_K_LEAF:
		if (run->flags & PTAUDIT_T_PFNMAP &&
		    run_within(proof, run, PTU_VM_PFNMAP))
			below->leaves += run->used;
		return;
	default:
		break;
	}
	/*
	 * pagemap does not show hugetlb migration entries.  Source:
	 * fs/proc/task_mmu.c, pagemap_hugetlb_range(), 5.10 to 7.3.
	 */
	if (is_blind(proof, run->kind) ?
		    run_within(proof, run, 0) :
		    run->kind == PTAUDIT_K_MIGRATION &&
			    run_within(proof, run, PTU_VM_HUGETLB))
		below->unseen += run->used;
}

static void look_at_child(const struct ptu_diffs *diffs,
			  const struct ptaudit_table *child,
			  struct below *below)
{
	const struct ptu_diff *diff = ptu_diffs_find(diffs, child->start,
						     child->level, false);

	below->children++;
	below->by_cause[diff && diff->kernel ? why_above(diff->why) :
					       PTU_WHY_UNEXPLAINED]++;
}

static void look_below(const struct ptu_diffs *diffs,
		       const struct ptu_proof *proof,
		       const struct ptaudit_table *r, struct below *below)
{
	const struct ptu_snapshot *kernel = proof->after;
	uint64_t reach = ptu_geometry_reach(proof->geo, r->level);
	size_t low = 0, high = kernel->nr_records;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ptu_record_before(&kernel->records[middle], r))
			low = middle + 1;
		else
			high = middle;
	}
	for (low++; low < kernel->nr_records; low++) {
		const struct ptaudit_table *at = &kernel->records[low];

		if (at->start - r->start >= reach ||
		    (at->type == PTAUDIT_TABLE && at->level >= r->level))
			break;
		if (at->type == PTAUDIT_RUN && at->level == r->level)
			look_at_run(proof, at, below);
		else if (at->type == PTAUDIT_TABLE &&
			 ptu_geometry_above(proof->geo, at->level) == r->level)
			look_at_child(diffs, at, below);
	}
}

/* Are all of the table's own entries invisible to the estimator? */
static bool is_unseen(const struct ptaudit_table *r, const struct below *below)
{
	return r->used ==
	       r->children + below->leaves + below->unseen + below->unwalked;
}

/*
 * A table marked as hugetlb must have a hugetlb mapping in its reach, an unmarked PMD
 * table a mapping of another kind.
 */
static bool hugetlb_fits(const struct ptu_proof *proof,
			 const struct ptaudit_table *r)
{
	const uint64_t end = end_of(proof, r);
	const uint64_t hugetlb = ptu_place_bytes(proof->vmas, r->start, end,
						 PTU_VM_HUGETLB);

	if (r->flags & PTAUDIT_T_HUGETLB)
		return hugetlb;
	return r->level != PTAUDIT_PMD ||
	       hugetlb != ptu_place_bytes(proof->vmas, r->start, end, 0);
}

/*
 * Cause for an upper table that the estimator does not have: neither its entries
 * nor the tables below it may be visible.
 */
static enum ptu_why why_upper_table(const struct ptu_diffs *diffs,
				    const struct ptu_proof *proof,
				    const struct ptaudit_table *r)
{
	struct below below = { 0 };
	const unsigned int *nr = below.by_cause;

	look_below(diffs, proof, r, &below);
	if (below.children != r->children || nr[PTU_WHY_UNEXPLAINED] ||
	    !is_unseen(r, &below))
		return PTU_WHY_UNEXPLAINED;
	if (!hugetlb_fits(proof, r))
		return PTU_WHY_UNEXPLAINED;
	if (below.unwalked)
		return PTU_WHY_OUTSIDE_VMA;
	if (below.leaves || nr[PTU_WHY_PFNMAP])
		return PTU_WHY_PFNMAP;
	if (below.unseen || nr[PTU_WHY_MARKER_ONLY])
		return PTU_WHY_MARKER_ONLY;
	return PTU_WHY_HOLLOW;
}

/*
 * Cause for a table that may or may not exist.  Nothing in it was shown, otherwise
 * the claim would be certain.
 */
static enum ptu_why why_maybe(const struct ptu_diffs *diffs,
			      const struct ptu_proof *proof,
			      const struct ptaudit_table *r)
{
	struct below below = { 0 };

	if (r->level == PTAUDIT_PTE)
		return r->used == r->pfnmap + unseen_entries(proof, r) ?
			       PTU_WHY_SETTLED :
			       PTU_WHY_UNEXPLAINED;
	look_below(diffs, proof, r, &below);
	return is_unseen(r, &below) && hugetlb_fits(proof, r) ?
		       PTU_WHY_SETTLED :
		       PTU_WHY_UNEXPLAINED;
}

/* Is the entry for the address none, in the lowest existing table that maps it? */
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

/*
 * Can a single upper entry explain a table that the estimator claims?  This holds
 * for a leaf and a migration entry.  A claim that is only possible means "512
 * entries, or one entry for all of them": any entry fits that is neither none nor a
 * marker.
 */
static bool stands_for_all(enum ptaudit_kind kind, unsigned int claim)
{
	switch (kind) {
	case PTAUDIT_K_LEAF:
	case PTAUDIT_K_MIGRATION:
		return true;
	case PTAUDIT_K_SWAP:
	case PTAUDIT_K_OTHER:
		return claim == PTU_POSSIBLE;
	default:
		return false;
	}
}

/*
 * Do both walks have an entry above the claimed table that stands for all of its
 * entries, and does one mapping cover the range of that entry?
 */
static bool leaf_above(const struct ptu_proof *proof,
		       const struct ptu_diff *diff)
{
	const struct ptu_geometry *geo = proof->geo;
	unsigned int level;

	for (level = ptu_geometry_above(geo, diff->level); level < PTAUDIT_PGD;
	     level = ptu_geometry_above(geo, level)) {
		const uint64_t bytes = UINT64_C(1) << geo->shift[level];
		const uint64_t start = diff->start - diff->start % bytes;
		enum ptaudit_kind was, is;

		ptu_snapshot_find(proof->before, geo, level, start, &was);
		ptu_snapshot_find(proof->after, geo, level, start, &is);
		if (stands_for_all(was, diff->claim) &&
		    stands_for_all(is, diff->claim))
			return ptu_place_one(proof->vmas, start, start + bytes,
					     0);
	}
	return false;
}

static enum ptu_why why_leaf(const struct ptu_proof *proof,
			     const struct ptu_diff *diff)
{
	const struct ptu_geometry *geo = proof->geo;
	const uint64_t end = diff->start +
			     (UINT64_C(1) << geo->shift[diff->level]);
	enum ptaudit_kind was, is;

	if (diff->kernel)
		return diff->record.flags & PTAUDIT_T_PFNMAP &&
				       ptu_place_one(proof->vmas, diff->start,
						     end, PTU_VM_PFNMAP) ?
			       PTU_WHY_PFNMAP :
			       PTU_WHY_UNEXPLAINED;
	ptu_snapshot_find(proof->before, geo, diff->level, diff->start, &was);
	ptu_snapshot_find(proof->after, geo, diff->level, diff->start, &is);
	return was == PTAUDIT_K_MIGRATION && is == PTAUDIT_K_MIGRATION &&
			       ptu_place_one(proof->vmas, diff->start, end, 0) ?
		       PTU_WHY_SETTLED :
		       PTU_WHY_UNEXPLAINED;
}

static enum ptu_why why_ldt(const struct ptu_proof *proof,
			    const struct ptaudit_table *r)
{
	const struct ptu_geometry *geo = proof->geo;
	const uint64_t base = LDT_PGD_ENTRY << geo->shift[PTAUDIT_PGD];
	bool is_ldt = geo->pti && r->start == base &&
		      r->flags == PTAUDIT_T_LDT && !r->pfnmap;

	if (r->level == PTAUDIT_PTE)
		is_ldt &= r->used && r->used == r->present &&
			  r->used <= LDT_MAX_PAGES;
	else
		is_ldt &= r->used == 1 && r->children == 1;
	return is_ldt ? PTU_WHY_LDT : PTU_WHY_UNEXPLAINED;
}

/* Cause for a table of the kernel that the estimator does not claim as certain. */
static enum ptu_why why_table(const struct ptu_diffs *diffs,
			      const struct ptu_proof *proof,
			      const struct ptu_diff *diff)
{
	const struct ptaudit_table *r = &diff->record;

	if (r->flags & PTAUDIT_T_LDT)
		return why_ldt(proof, r);
	/*
	 * A table exists only while a mapping overlaps its reach. Source:
	 * mm/memory.c, free_pgd_range() and below (5.10 to 7.3).
	 */
	if (!ptu_place_bytes(proof->vmas, r->start, end_of(proof, r), 0))
		return PTU_WHY_UNEXPLAINED;
	if (diff->claim == PTU_MAYBE)
		return why_maybe(diffs, proof, r);
	/* a possible claim has no gap: pagemap has shown each entry */
	if (diff->claim == PTU_POSSIBLE)
		return r->used == proof->geo->nr_entries[r->level] &&
				       !r->pfnmap ?
			       PTU_WHY_SETTLED :
			       PTU_WHY_UNEXPLAINED;
	if (r->level == PTAUDIT_PTE)
		return why_pte_table(proof, r);
	return why_upper_table(diffs, proof, r);
}

/* Cause for a table that the estimator claims and the kernel does not have. */
static enum ptu_why why_no_table(const struct ptu_proof *proof,
				 const struct ptu_diff *diff)
{
	switch (diff->claim) {
	case PTU_CERTAIN:
		/* only for estimators that cannot see leaves */
		return is_blind(proof, PTAUDIT_K_LEAF) &&
				       leaf_above(proof, diff) ?
			       PTU_WHY_HUGE_LEAF :
			       PTU_WHY_UNEXPLAINED;
	case PTU_POSSIBLE:
		return leaf_above(proof, diff) ? PTU_WHY_HUGE_LEAF :
						 PTU_WHY_UNDECIDED;
	default:
		return nothing_there(proof->before, proof->geo, diff) &&
				       nothing_there(proof->after, proof->geo,
						     diff) ?
			       PTU_WHY_SETTLED :
			       PTU_WHY_UNDECIDED;
	}
}

static enum ptu_why why(const struct ptu_diffs *diffs,
			const struct ptu_proof *proof,
			const struct ptu_diff *diff)
{
	if (!diff->stable)
		return ptu_diff_differs(diff) ? PTU_WHY_UNEXPLAINED :
						PTU_WHY_UNDECIDED;
	if (diff->contents)
		return PTU_WHY_UNEXPLAINED;
	if (diff->leaf)
		return why_leaf(proof, diff);
	return diff->kernel ? why_table(diffs, proof, diff) :
			      why_no_table(proof, diff);
}

void ptu_explain(struct ptu_diffs *diffs, const struct ptu_proof *proof)
{
	unsigned int level;
	size_t i;

	/* bottom up: the cause of an upper table depends on the tables below it */
	for (level = PTAUDIT_PTE; level < PTAUDIT_NR_LEVELS; level++)
		for (i = 0; i < diffs->nr_diffs; i++)
			if (diffs->diffs[i].level == level)
				diffs->diffs[i].why = why(diffs, proof,
							  &diffs->diffs[i]);
}

/* Does the proof depend on the flags of mappings? */
static bool rests_on_flags(const struct ptu_proof *proof,
			   const struct ptu_diff *diff)
{
	const struct ptaudit_table *r = &diff->record;

	if (!diff->kernel || r->flags & PTAUDIT_T_LDT)
		return false;
	if (r->pfnmap || r->flags & (PTAUDIT_T_PFNMAP | PTAUDIT_T_HUGETLB))
		return true;
	return r->level == PTAUDIT_PTE ? !is_blind(proof, PTAUDIT_K_NONE) :
					 r->migration != 0;
}

bool ptu_explain_wants_flags(const struct ptu_diffs *diffs,
			     const struct ptu_proof *proof)
{
	const struct ptu_vmas *vmas = proof->vmas;
	bool all_known = true;
	size_t i;

	for (i = 0; i < vmas->nr_vmas; i++)
		all_known &= vmas->vmas[i].has_flags;
	for (i = 0; !all_known && i < diffs->nr_diffs; i++)
		if (diffs->diffs[i].stable &&
		    rests_on_flags(proof, &diffs->diffs[i]))
			return true;
	return false;
}
