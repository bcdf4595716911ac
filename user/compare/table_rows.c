// SPDX-License-Identifier: LGPL-2.1-or-later
/* Add up differences and claims into the rows of a report; must not classify them. */
#include "compare/table_rows.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define FLUX_TABLES 8  /* tables in flux that are tolerated */
#define FLUX_PERCENT 5 /* ... or this part of all tables */

/*
 * VmPTE counts PTE, PMD and PUD tables.  Source: mm/memory.c, __pud_alloc() and
 * similar functions; __p4d_alloc() adds nothing (5.10 to 7.3).
 */
static bool in_vmpte(unsigned int level)
{
	return level <= PTAUDIT_PUD;
}

void ptu_tally_claims(const struct ptu_tables *claims, uint64_t *low,
		      uint64_t *high)
{
	uint64_t maybe[PTAUDIT_NR_LEVELS];
	unsigned int level;

	ptu_tables_count(claims, PTU_CERTAIN, low);
	ptu_tables_count(claims, PTU_POSSIBLE, high);
	ptu_tables_count(claims, PTU_MAYBE, maybe);
	for (level = 0; level < PTAUDIT_NR_LEVELS; level++)
		high[level] += low[level] + maybe[level];
}

static uint64_t distance_to_span(uint64_t value, uint64_t low, uint64_t high)
{
	if (value < low)
		return low - value;
	return value > high ? value - high : 0;
}

static void add_up(const struct ptu_snapshot *kernel,
		   const struct ptu_geometry *geo, uint64_t *tree_bytes,
		   uint64_t *deposited_tables)
{
	size_t i;

	*tree_bytes = *deposited_tables = 0;
	for (i = 0; i < kernel->nr_records; i++) {
		const struct ptaudit_table *r = &kernel->records[i];

		if (r->type != PTAUDIT_TABLE)
			continue;
		if (in_vmpte(r->level))
			*tree_bytes += r->pages * geo->page_bytes;
		*deposited_tables += r->deposited;
	}
}

bool ptu_vmpte_sums_equal(const struct ptu_snapshot *before,
			  const struct ptu_snapshot *after,
			  const struct ptu_geometry *geo)
{
	const struct ptu_snapshot *walks[] = { before, after };
	uint64_t sums[2], deposited_tables;
	size_t i;

	for (i = 0; i < 2; i++) {
		add_up(walks[i], geo, &sums[i], &deposited_tables);
		sums[i] += deposited_tables * geo->page_bytes;
	}
	return sums[0] == sums[1];
}

void ptu_tally_vmpte(const struct ptu_snapshot *before,
		     const struct ptu_snapshot *after, uint64_t vmpte_bytes,
		     const struct ptu_geometry *geo, struct ptu_process *ret)
{
	const uint64_t seen[] = { before->header.pgtables_bytes_after,
				  after->header.pgtables_bytes_before,
				  after->header.pgtables_bytes_after };
	uint64_t low = vmpte_bytes, high = vmpte_bytes;
	uint64_t sum_bytes;
	size_t i;

	ret->has_vmpte = true;
	ret->vmpte_bytes = vmpte_bytes;
	add_up(after, geo, &ret->tree_bytes, &ret->deposited_tables);
	for (i = 0; i < sizeof(seen) / sizeof(seen[0]); i++) {
		low = seen[i] < low ? seen[i] : low;
		high = seen[i] > high ? seen[i] : high;
	}
	sum_bytes = ret->tree_bytes + ret->deposited_tables * geo->page_bytes;
	ret->vmpte_unexplained_bytes = distance_to_span(sum_bytes, low, high);
	ret->vmpte_in_flux_bytes = ret->vmpte_unexplained_bytes ?
					   0 :
					   distance_to_span(sum_bytes,
							    vmpte_bytes,
							    vmpte_bytes);
	ret->vmpte_left_span = false;
}

void ptu_tally_vmpte_moved(struct ptu_process *ret)
{
	ret->vmpte_in_flux_bytes = ret->vmpte_unexplained_bytes;
	ret->vmpte_unexplained_bytes = 0;
	ret->vmpte_left_span = true;
}

static int by_level_and_why(const void *a, const void *b)
{
	const struct ptu_cause_row *x = a, *y = b;

	if (x->level != y->level)
		return x->level < y->level ? 1 : -1;
	return (int)x->why - (int)y->why;
}

/* Add a table to the row of its cause. */
static void add_cause(struct ptu_cause_row *row, const struct ptu_diff *diff,
		      uint64_t end, uint64_t page_bytes)
{
	uint64_t pages = diff->kernel && diff->record.pages ?
				 diff->record.pages :
				 1;

	if (!row->tables || diff->start < row->start)
		row->start = diff->start;
	if (end > row->end)
		row->end = end;
	row->why = diff->why;
	row->level = diff->level;
	row->tables++;
	row->bytes += pages * page_bytes;
}

static void add_unexplained(struct ptu_process *ret,
			    const struct ptu_diff *diff, uint64_t end)
{
	struct ptu_unexplained *u = &ret->unexplained[ret->nr_unexplained++];

	u->level = diff->level;
	u->start = diff->start;
	u->end = end;
	u->side = diff->kernel ? PTU_SIDE_KERNEL : PTU_SIDE_ESTIMATE;
	u->why = diff->why;
	u->leaf = diff->leaf;
	u->contents = diff->contents;
	u->entries_estimated = diff->entries;
	u->entries = diff->record.used;
}

static uint64_t end_of(const struct ptu_geometry *geo,
		       const struct ptu_diff *diff)
{
	uint64_t reach = diff->leaf ? UINT64_C(1) << geo->shift[diff->level] :
				      ptu_geometry_reach(geo, diff->level);

	return reach ? diff->start + reach : ptu_geometry_user_end(geo);
}

/* Enter the final result of one difference into its level's row. */
static void add_to_row(struct ptu_level_row *row, const struct ptu_diff *diff)
{
	bool certain = diff->claim == PTU_CERTAIN;

	row->kernel += diff->kernel;
	row->low += certain;
	row->high += diff->claim != 0;
	row->kernel_only += diff->kernel && !certain;
	row->estimate_only += !diff->kernel && certain;
	if (diff->why == PTU_WHY_UNEXPLAINED ||
	    diff->why == PTU_WHY_UNDECIDED) {
		row->unexplained++;
		row->undecided += diff->why == PTU_WHY_UNDECIDED;
	} else if (diff->kernel != certain) {
		row->in_flux += diff->why == PTU_WHY_IN_FLUX;
		row->explained += diff->why != PTU_WHY_IN_FLUX;
	}
}

uint64_t ptu_tally_flux_limit(uint64_t tables)
{
	uint64_t limit = tables * FLUX_PERCENT / 100;

	return limit < FLUX_TABLES ? FLUX_TABLES : limit;
}

/* @in_flux: leaves, contents and possible tables, which are in no row */
static void check_flux(struct ptu_process *ret, uint64_t page_bytes,
		       uint64_t in_flux)
{
	uint64_t tables = 0;
	unsigned int level;

	for (level = 0; level < PTAUDIT_NR_LEVELS; level++) {
		tables += ret->levels[level].kernel;
		in_flux += ret->levels[level].in_flux;
	}
	if (ret->vmpte_left_span)
		in_flux += ret->vmpte_in_flux_bytes / page_bytes;
	if (in_flux <= ptu_tally_flux_limit(tables))
		return;
	ret->status = PTU_STATUS_UNSTABLE;
	snprintf(ret->error, sizeof(ret->error),
		 "process %d changed while it was measured: %" PRIu64
		 " of %" PRIu64 " tables kept changing",
		 ret->pid, in_flux, tables);
}

/* Most processes have none: then nothing is allocated. */
static int list_shared(const struct ptu_snapshot *kernel,
		       const struct ptu_geometry *geo, struct ptu_process *ret)
{
	size_t i, nr = 0;

	for (i = 0; i < kernel->nr_records; i++)
		nr += kernel->records[i].sharers != 0;
	if (!nr)
		return 0;
	ret->shared = calloc(nr, sizeof(*ret->shared));
	if (!ret->shared)
		return -ENOMEM;
	for (i = 0; i < kernel->nr_records; i++) {
		const struct ptaudit_table *r = &kernel->records[i];

		if (!r->sharers)
			continue;
		ret->shared[ret->nr_shared++] = (struct ptu_shared){
			.start = r->start,
			.end = r->start + ptu_geometry_reach(geo, r->level),
			.pfn = r->pfn,
			.sharers = r->sharers,
			.pages = r->pages,
			.level = r->level,
		};
	}
	return 0;
}

static void add_bytes_and_leaves(const struct ptu_snapshot *kernel,
				 const struct ptu_geometry *geo,
				 struct ptu_process *ret)
{
	size_t i;

	for (i = 0; i < kernel->nr_records; i++) {
		const struct ptaudit_table *r = &kernel->records[i];

		if (r->type == PTAUDIT_TABLE)
			ret->levels[r->level].bytes += r->pages *
						       geo->page_bytes;
		else if (r->kind == PTAUDIT_K_LEAF)
			ret->leaves[r->level] += r->used;
	}
}

int ptu_tally_check(const struct ptu_diffs *diffs,
		    const struct ptu_snapshot *kernel,
		    const struct ptu_geometry *geo, struct ptu_process *ret)
{
	struct ptu_cause_row rows[PTAUDIT_NR_LEVELS][PTU_NR_WHYS] = { 0 };
	unsigned int level, w;
	uint64_t in_flux = 0;
	size_t i;

	ret->causes = calloc(PTAUDIT_NR_LEVELS * PTU_NR_WHYS,
			     sizeof(*ret->causes));
	ret->unexplained = calloc(diffs->nr_diffs + 1,
				  sizeof(*ret->unexplained));
	if (!ret->causes || !ret->unexplained)
		return -ENOMEM;

	for (level = 0; level < PTAUDIT_NR_LEVELS; level++) {
		struct ptu_level_row *row = &ret->levels[level];

		row->kernel = row->low = row->high = diffs->matched[level];
	}
	for (i = 0; i < diffs->nr_diffs; i++) {
		const struct ptu_diff *diff = &diffs->diffs[i];
		bool open = diff->why == PTU_WHY_UNEXPLAINED ||
			    diff->why == PTU_WHY_UNDECIDED;

		if (open)
			add_unexplained(ret, diff, end_of(geo, diff));
		in_flux += diff->why == PTU_WHY_IN_FLUX &&
			   (diff->leaf ||
			    diff->kernel == (diff->claim == PTU_CERTAIN));
		if (diff->leaf)
			continue;
		if (diff->contents) {
			ret->levels[diff->level].kernel++;
			ret->levels[diff->level].low++;
			ret->levels[diff->level].high++;
			continue;
		}
		add_to_row(&ret->levels[diff->level], diff);
		if (!open && diff->kernel != (diff->claim == PTU_CERTAIN))
			add_cause(&rows[diff->level][diff->why], diff,
				  end_of(geo, diff), geo->page_bytes);
	}
	for (level = 0; level < PTAUDIT_NR_LEVELS; level++) {
		ret->levels[level].estimate = ret->levels[level].low;
		for (w = 0; w < PTU_NR_WHYS; w++)
			if (rows[level][w].tables)
				ret->causes[ret->nr_causes++] = rows[level][w];
	}
	qsort(ret->causes, ret->nr_causes, sizeof(*ret->causes),
	      by_level_and_why);

	add_bytes_and_leaves(kernel, geo, ret);
	check_flux(ret, geo->page_bytes, in_flux);
	return list_shared(kernel, geo, ret);
}

int ptu_tally_tables(const struct ptu_snapshot *kernel,
		     const struct ptu_geometry *geo, struct ptu_process *ret)
{
	size_t i;

	for (i = 0; i < kernel->nr_records; i++) {
		const struct ptaudit_table *r = &kernel->records[i];

		if (r->type != PTAUDIT_TABLE)
			continue;
		ret->levels[r->level].kernel++;
		ret->deposited_tables += r->deposited;
	}
	add_bytes_and_leaves(kernel, geo, ret);
	return list_shared(kernel, geo, ret);
}

int ptu_tally_counts(const struct ptu_snapshot *before,
		     const struct ptu_snapshot *after,
		     const struct ptu_stated *counts,
		     const struct ptu_geometry *geo, struct ptu_process *ret)
{
	uint64_t had[PTAUDIT_NR_LEVELS] = { 0 };
	const uint64_t deposited = ret->deposited_tables;
	unsigned int level;
	size_t i;
	int error = ptu_tally_tables(after, geo, ret);

	/* ptu_tally_vmpte() has counted them: do not count them twice */
	ret->deposited_tables = deposited;
	ret->stated = counts->stated;
	for (i = 0; i < before->nr_records; i++)
		had[before->records[i].level] += before->records[i].type ==
						 PTAUDIT_TABLE;
	for (level = 0; level < PTAUDIT_NR_LEVELS; level++) {
		struct ptu_level_row *row = &ret->levels[level];
		uint64_t stated = counts->tables[level], apart;

		if (!(counts->stated & 1u << level))
			continue;
		apart = distance_to_span(stated, row->kernel, row->kernel);
		row->estimate = row->low = row->high = stated;
		row->kernel_only = row->kernel > stated ? apart : 0;
		row->estimate_only = row->kernel < stated ? apart : 0;
		row->unexplained = distance_to_span(stated,
						    had[level] < row->kernel ?
							    had[level] :
							    row->kernel,
						    had[level] > row->kernel ?
							    had[level] :
							    row->kernel);
		row->in_flux = apart - row->unexplained;
	}
	check_flux(ret, geo->page_bytes, 0);
	return error;
}

/* Count the estimator's leaves in PMD tables within one mapping. */
static uint64_t leaves_within(const struct ptu_tables *claims, size_t *at,
			      const struct ptu_vma *vma)
{
	uint64_t leaves = 0;

	for (; *at < claims->nr_tables && claims->tables[*at].start < vma->end;
	     ++*at)
		leaves += claims->tables[*at].claim == PTU_LEAF &&
			  claims->tables[*at].level == PTAUDIT_PMD;
	return leaves;
}

/*
 * Each anonymous PMD leaf has a deposited table. So does the huge zero page, which
 * smaps does not count.  In a mapping with a file, only smaps shows which leaves
 * are anonymous.  Source: mm/huge_memory.c, set_huge_zero_page(),
 * __do_huge_pmd_anonymous_page() (6.1).
 */
uint64_t ptu_estimate_deposited(const struct ptu_vma *vma, uint64_t leaves,
				const struct ptu_geometry *geo)
{
	const uint64_t counted = vma->anon_huge_bytes >>
				 geo->shift[PTAUDIT_PMD];

	if (vma->flags & PTU_VM_HUGETLB)
		return 0;
	return !ptu_vma_has_file(vma) && leaves > counted ? leaves : counted;
}

void ptu_tally_estimate(const struct ptu_tables *claims,
			const struct ptu_vmas *vmas,
			const struct ptu_geometry *geo, uint64_t vmpte_bytes,
			struct ptu_process *ret)
{
	uint64_t low[PTAUDIT_NR_LEVELS] = { 0 };
	uint64_t high[PTAUDIT_NR_LEVELS] = { 0 };
	unsigned int level;
	size_t at = 0, i;

	ptu_tally_claims(claims, low, high);
	for (level = 0; level < PTAUDIT_NR_LEVELS; level++) {
		struct ptu_level_row *row = &ret->levels[level];

		row->estimate = row->low = low[level];
		row->high = high[level];
		row->bytes = low[level] * ptu_geometry_table_bytes(geo, level);
		if (in_vmpte(level))
			ret->tree_bytes += row->bytes;
	}
	for (i = 0; i < vmas->nr_vmas; i++) {
		const struct ptu_vma *vma = &vmas->vmas[i];

		ret->anon_huge_bytes += vma->anon_huge_bytes;
		ret->deposited_tables +=
			ptu_estimate_deposited(vma,
					       leaves_within(claims, &at, vma),
					       geo);
	}
	ret->has_vmpte = true;
	ret->vmpte_bytes = vmpte_bytes;
	ret->residual_bytes = (int64_t)vmpte_bytes - (int64_t)ret->tree_bytes -
			      (int64_t)(ret->deposited_tables *
					geo->page_bytes);
}
