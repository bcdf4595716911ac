// SPDX-License-Identifier: LGPL-2.1-or-later
/* Count used entries of upper tables; must not know the source of the claims. */
#include "compare/map.h"

#include <errno.h>
#include <stdlib.h>

#include "compare/mappings.h"
#include "compare/table_fill.h"
#include "compare/table_rows.h"
#include "compare/top_why.h"

static struct ptu_map_table make_table(const struct ptu_tables *claims,
				       const struct ptu_vmas *vmas,
				       const struct ptu_table *claim)
{
	struct ptu_map_table ret = {
		.start = claim->start,
		.mapping = PTU_MAP_NOWHERE,
		.entries = claim->entries,
		.level = claim->level,
	};
	size_t mapping = ptu_mappings_first(vmas, claims->geo, claim);

	if (mapping < vmas->nr_vmas)
		ret.mapping = (uint32_t)mapping;
	if (claim->claim == PTU_LEAF)
		ret.flags = PTU_MAP_LEAF;
	else if (claim->claim != PTU_CERTAIN)
		ret.flags = PTU_MAP_POSSIBLE;
	/* entries of upper tables are counted below */
	else if (claim->counted || claim->level != PTAUDIT_PTE)
		ret.flags = PTU_MAP_COUNTED;
	return ret;
}

/*
 * Count the entry that points to a claimed table, or maps a claimed leaf.
 *
 * @has_entries: the claims have the numbers of entries of upper tables, without those
 *	that point to tables
 * @open: the last claimed table of each level
 */
static void count_in_above(const struct ptu_table *claim, bool has_entries,
			   const struct ptu_geometry *geo,
			   struct ptu_map_table *const *open)
{
	unsigned int above = ptu_geometry_above(geo, claim->level);

	if (claim->claim == PTU_LEAF) {
		/* in the kernel's upper tables, leaves are already counted */
		if (!has_entries && open[claim->level])
			open[claim->level]->entries++;
		return;
	}
	if (claim->claim != PTU_MAYBE && above < PTAUDIT_NR_LEVELS &&
	    open[above])
		open[above]->entries++;
}

static void enter_tables(const struct ptu_tables *claims, bool is_kernel,
			 const struct ptu_vmas *vmas,
			 struct ptu_map_report *ret)
{
	struct ptu_map_table *open[PTAUDIT_NR_LEVELS] = { NULL };
	size_t i;

	for (i = 0; i < claims->nr_tables; i++) {
		const struct ptu_table *claim = &claims->tables[i];

		ret->tables[i] = make_table(claims, vmas, claim);
		count_in_above(claim, is_kernel, claims->geo, open);
		if (claim->claim != PTU_LEAF)
			open[claim->level] = &ret->tables[i];
	}
	ret->nr_tables = claims->nr_tables;
}

static void add_up(struct ptu_map_report *ret)
{
	size_t i;

	for (i = 0; i < ret->nr_tables; i++) {
		const struct ptu_map_table *table = &ret->tables[i];

		if (table->flags & PTU_MAP_LEAF)
			ret->leaves[table->level]++;
		else if (table->flags & PTU_MAP_POSSIBLE)
			ret->possible[table->level]++;
		else if (table->flags & PTU_MAP_COUNTED)
			ptu_fill_add(&ret->fills[table->level], table->entries,
				     ret->geo.nr_entries[table->level]);
		else
			ret->fills[table->level].tables++;
	}
}

/* Mark the tables that are in the list of shared tables; both are sorted by address. */
static void mark_shared(struct ptu_map_report *ret)
{
	const struct ptu_process *p = &ret->process;
	size_t i, k = 0;

	for (i = 0; i < ret->nr_tables; i++) {
		struct ptu_map_table *table = &ret->tables[i];

		while (k < p->nr_shared && p->shared[k].end <= table->start)
			k++;
		if (k < p->nr_shared && table->start >= p->shared[k].start &&
		    table->level <= p->shared[k].level)
			table->flags |= PTU_MAP_SHARED;
	}
}

int ptu_map_draw(const struct ptu_tables *claims,
		 const struct ptu_snapshot *kernel, const struct ptu_vmas *vmas,
		 bool sees_empty, struct ptu_map_report *ret)
{
	struct ptu_process *p = &ret->process;
	int error;

	ptu_tally_empty(claims, &ret->geo, sees_empty, p);
	error = ptu_tally_mappings(claims, vmas, &ret->geo, &p->mappings,
				   &p->nr_mappings);
	if (!error && kernel)
		error = ptu_tally_tables(kernel, &ret->geo, p);
	if (!error && kernel)
		error = ptu_mappings_deposited(kernel, vmas, &ret->geo,
					       p->mappings);
	else if (!error)
		ptu_mappings_estimate_deposited(vmas, &ret->geo, p->mappings);
	if (!error)
		error = ptu_top_join(p->mappings, p->nr_mappings, &ret->geo,
				     sees_empty, &ret->rows, &ret->nr_rows);
	if (error)
		return error;
	ret->tables = calloc(claims->nr_tables + 1, sizeof(*ret->tables));
	if (!ret->tables)
		return -ENOMEM;
	enter_tables(claims, kernel != NULL, vmas, ret);
	add_up(ret);
	mark_shared(ret);
	ptu_map_order(ret);
	return 0;
}
