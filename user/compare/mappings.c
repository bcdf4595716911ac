// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Assign each claim of an estimate to one mapping.  Pure: must not decide which
 * tables exist, nor count a claim twice.
 */
#include "compare/mappings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compare/table_fill.h"
#include "compare/table_rows.h"

static uint64_t claim_reach(const struct ptu_geometry *geo,
			    const struct ptu_table *claim)
{
	if (claim->claim == PTU_LEAF)
		return UINT64_C(1) << geo->shift[claim->level];
	return ptu_geometry_reach(geo, claim->level);
}

size_t ptu_mappings_first(const struct ptu_vmas *vmas,
			  const struct ptu_geometry *geo,
			  const struct ptu_table *claim)
{
	size_t i = ptu_vmas_find(vmas, claim->start);

	if (i < vmas->nr_vmas && vmas->vmas[i].start > claim->start &&
	    vmas->vmas[i].start - claim->start >= claim_reach(geo, claim))
		return vmas->nr_vmas;
	return i;
}

/* Make an empty row for each mapping and one more. */
static struct ptu_mapping_row *new_rows(const struct ptu_vmas *vmas)
{
	size_t nr_rows = vmas->nr_vmas + 1;
	size_t rows_bytes = nr_rows * sizeof(struct ptu_mapping_row);
	struct ptu_mapping_row *rows;
	char *names;
	size_t i;

	rows = calloc(1, rows_bytes + vmas->names_bytes + 1);
	if (!rows)
		return NULL;
	names = (char *)rows + rows_bytes;
	if (vmas->names_bytes)
		memcpy(names, vmas->names, vmas->names_bytes);
	for (i = 0; i < vmas->nr_vmas; i++) {
		const struct ptu_vma *vma = &vmas->vmas[i];

		rows[i].start = vma->start;
		rows[i].end = vma->end;
		memcpy(rows[i].perms, vma->perms, sizeof(rows[i].perms));
		rows[i].path = names + vma->path;
	}
	rows[i].path = names + vmas->names_bytes;
	return rows;
}

static void count(struct ptu_mapping_row *row, const struct ptu_table *claim,
		  const struct ptu_geometry *geo)
{
	if (claim->claim == PTU_LEAF) {
		row->leaves++;
		return;
	}
	row->low[claim->level] += claim->claim == PTU_CERTAIN;
	row->high[claim->level]++;
	ptu_fill_claim(&row->fill, claim, geo);
}

/* Extend the row without a mapping to cover the claim. */
static void widen(struct ptu_mapping_row *row, bool is_first,
		  const struct ptu_geometry *geo, const struct ptu_table *claim)
{
	uint64_t end = claim->start + claim_reach(geo, claim);

	/* claims ascend; an end of 2^64 is represented by 0 */
	if (is_first)
		row->start = claim->start;
	if (is_first || end - row->start > row->end - row->start)
		row->end = end;
}

uint64_t ptu_mapping_bytes(const struct ptu_mapping_row *row,
			   const struct ptu_geometry *geo)
{
	uint64_t bytes = 0;
	unsigned int level;

	for (level = 0; level < PTAUDIT_NR_LEVELS; level++)
		bytes += row->low[level] * ptu_geometry_table_bytes(geo, level);
	return bytes;
}

/* Context for counting upper tables that point only to empty tables. */
struct hollow {
	const struct ptu_vmas *vmas;
	const struct ptu_geometry *geo;
	struct ptu_mapping_row *rows;
};

static void count_hollow(void *arg, const struct ptu_table *claim)
{
	const struct hollow *h = arg;

	if (claim->level > PTAUDIT_PTE)
		h->rows[ptu_mappings_first(h->vmas, h->geo, claim)]
			.fill.hollow++;
}

int ptu_tally_mappings(const struct ptu_tables *claims,
		       const struct ptu_vmas *vmas,
		       const struct ptu_geometry *geo,
		       struct ptu_mapping_row **ret, size_t *ret_nr)
{
	struct ptu_mapping_row *rows = new_rows(vmas);
	bool any_nowhere = false;
	size_t i;

	if (!rows)
		return -ENOMEM;
	for (i = 0; i < claims->nr_tables; i++) {
		const struct ptu_table *claim = &claims->tables[i];
		size_t row;

		if (claim->level == PTAUDIT_PGD)
			continue;
		row = ptu_mappings_first(vmas, geo, claim);
		if (row == vmas->nr_vmas) {
			widen(&rows[row], !any_nowhere, geo, claim);
			any_nowhere = true;
		}
		count(&rows[row], claim, geo);
	}
	ptu_each_empty(claims, geo, count_hollow,
		       &(struct hollow){ vmas, geo, rows });
	*ret = rows;
	*ret_nr = vmas->nr_vmas + any_nowhere;
	return 0;
}

uint64_t ptu_mappings_estimate_deposited(const struct ptu_vmas *vmas,
					 const struct ptu_geometry *geo,
					 struct ptu_mapping_row *rows)
{
	uint64_t deposited = 0;
	size_t i;

	for (i = 0; i < vmas->nr_vmas; i++) {
		rows[i].deposited = ptu_estimate_deposited(&vmas->vmas[i],
							   rows[i].leaves, geo);
		deposited += rows[i].deposited;
	}
	return deposited;
}

/* May PTE tables be deposited for these entries?  A huge page keeps its table while it migrates. */
static bool may_have_deposit(const struct ptaudit_table *run)
{
	return run->type == PTAUDIT_RUN && run->kind != PTAUDIT_K_CHILD &&
	       run->kind != PTAUDIT_K_UNWALKED;
}

/*
 * List the entries of a PMD table for which a PTE table may be deposited.
 * @table: (in) index of the record of the PMD table
 * @ret: (out) [entries of a PMD table] for each of them, the row of its mapping
 *
 * Return: their number.
 */
static size_t find_holders(const struct ptu_snapshot *kernel, size_t table,
			   const struct ptu_vmas *vmas,
			   const struct ptu_geometry *geo, size_t *ret)
{
	const uint64_t first = kernel->records[table].start;
	const uint64_t reach = ptu_geometry_reach(geo, PTAUDIT_PMD);
	struct ptu_table leaf = { .level = PTAUDIT_PMD, .claim = PTU_LEAF };
	size_t i, nr = 0;
	unsigned int k;

	for (i = table;
	     i < kernel->nr_records && kernel->records[i].start - first < reach;
	     i++) {
		const struct ptaudit_table *run = &kernel->records[i];

		for (k = 0; may_have_deposit(run) && k < run->used; k++) {
			leaf.start = run->start +
				     ((uint64_t)k << geo->shift[PTAUDIT_PMD]);
			ret[nr++] = ptu_mappings_first(vmas, geo, &leaf);
		}
	}
	return nr;
}

static bool is_file(const struct ptu_vmas *vmas, size_t row)
{
	return row == vmas->nr_vmas || ptu_vma_has_file(&vmas->vmas[row]);
}

/*
 * Add the deposits of one PMD table to the rows of its entries: one for each anonymous huge
 * page, and the rest for huge pages of files.
 * @holders: (in) [nr_holders] from find_holders()
 */
static void share_out(uint64_t deposited, const size_t *holders,
		      size_t nr_holders, const struct ptu_vmas *vmas,
		      struct ptu_mapping_row *rows)
{
	uint64_t nr_files = 0, for_files;
	size_t i;

	for (i = 0; i < nr_holders; i++)
		nr_files += is_file(vmas, holders[i]);
	/* larger than nr_files if the mappings changed: then nothing is certain */
	for_files = deposited - (nr_holders - nr_files);
	for (i = 0; i < nr_holders; i++) {
		struct ptu_mapping_row *row = &rows[holders[i]];
		const bool file = is_file(vmas, holders[i]);

		row->deposited += !file || for_files;
		row->deposited_unsure |= file ? for_files &&
							 for_files != nr_files :
						for_files > nr_files;
	}
}

int ptu_mappings_deposited(const struct ptu_snapshot *kernel,
			   const struct ptu_vmas *vmas,
			   const struct ptu_geometry *geo,
			   struct ptu_mapping_row *rows)
{
	size_t *holders = calloc(geo->nr_entries[PTAUDIT_PMD],
				 sizeof(*holders));
	size_t i;

	if (!holders)
		return -ENOMEM;
	for (i = 0; i < kernel->nr_records; i++) {
		const struct ptaudit_table *table = &kernel->records[i];

		if (table->deposited)
			share_out(table->deposited, holders,
				  find_holders(kernel, i, vmas, geo, holders),
				  vmas, rows);
	}
	free(holders);
	return 0;
}

int ptu_tally_kernel(const struct ptu_snapshot *kernel,
		     const struct ptu_vmas *vmas,
		     const struct ptu_geometry *geo, struct ptu_process *ret)
{
	struct ptu_tables tables;
	int error = ptu_fill_of_kernel(kernel, geo, &tables);

	if (error)
		return error;
	ptu_tally_empty(&tables, geo, true, ret);
	error = ptu_tally_mappings(&tables, vmas, geo, &ret->mappings,
				   &ret->nr_mappings);
	ptu_tables_deinit(&tables);
	return error;
}
