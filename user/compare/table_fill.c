// SPDX-License-Identifier: LGPL-2.1-or-later
/* Count the contents of tables; must not know which side they are from. */
#include "compare/table_fill.h"

#include <errno.h>

static int add_leaves(const struct ptaudit_table *run,
		      const struct ptu_geometry *geo, struct ptu_tables *ret)
{
	struct ptu_table leaf = { .level = run->level, .claim = PTU_LEAF };
	unsigned int i;
	int error = 0;

	for (i = 0; !error && i < run->used; i++) {
		leaf.start = run->start +
			     ((uint64_t)i << geo->shift[run->level]);
		error = ptu_tables_append(ret, &leaf);
	}
	return error;
}

int ptu_fill_of_kernel(const struct ptu_snapshot *kernel,
		       const struct ptu_geometry *geo, struct ptu_tables *ret)
{
	struct ptu_tables set;
	int error = 0;
	size_t i;

	ptu_tables_init(&set, geo);
	for (i = 0; !error && i < kernel->nr_records; i++) {
		const struct ptaudit_table *r = &kernel->records[i];
		const struct ptu_table table = {
			.start = r->start,
			.level = r->level,
			.claim = PTU_CERTAIN,
			.counted = true,
			.entries = (uint16_t)(r->used - r->children),
			.markers = (uint16_t)(r->uffd_wp + r->guard),
		};

		if (r->type == PTAUDIT_TABLE)
			error = ptu_tables_append(&set, &table);
		else if (r->kind == PTAUDIT_K_LEAF)
			error = add_leaves(r, geo, &set);
	}
	if (error)
		ptu_tables_deinit(&set);
	else
		*ret = set;
	return error;
}

void ptu_fill_claim(struct ptu_fill *fill, const struct ptu_table *claim,
		    const struct ptu_geometry *geo)
{
	if (claim->level != PTAUDIT_PTE || claim->claim != PTU_CERTAIN)
		return;
	if (claim->counted) {
		ptu_fill_add(fill, claim->entries,
			     geo->nr_entries[PTAUDIT_PTE]);
		fill->markers += claim->markers;
		return;
	}
	fill->tables++;
	fill->unasked += claim->unasked;
}

/**
 * struct open - the current table of each level
 * @tables: the claims, or NULL
 * @holds: bit per level: it is not empty
 */
struct open {
	const struct ptu_table *tables[PTAUDIT_NR_LEVELS];
	unsigned int holds;
};

/* Close the tables up to level @top: there are no more claims in them. */
static void close_tables(struct open *open, const struct ptu_geometry *geo,
			 unsigned int top, ptu_empty_fn *fn, void *arg)
{
	unsigned int level;

	for (level = PTAUDIT_PTE; level <= top; level++) {
		unsigned int above = ptu_geometry_above(geo, level);

		if (!open->tables[level])
			continue;
		if (open->holds & 1u << level)
			open->holds |= above < PTAUDIT_NR_LEVELS ? 1u << above :
								   0;
		else
			fn(arg, open->tables[level]);
		open->tables[level] = NULL;
		open->holds &= ~(1u << level);
	}
}

/* A table claimed as possible may have contents. */
static bool holds(const struct ptu_table *claim)
{
	if (claim->claim == PTU_POSSIBLE || claim->claim == PTU_MAYBE)
		return true;
	return claim->entries ||
	       (claim->level == PTAUDIT_PTE && !claim->counted);
}

void ptu_each_empty(const struct ptu_tables *claims,
		    const struct ptu_geometry *geo, ptu_empty_fn *fn, void *arg)
{
	struct open open = { 0 };
	size_t i;

	for (i = 0; i < claims->nr_tables; i++) {
		const struct ptu_table *claim = &claims->tables[i];
		const unsigned int bit = 1u << claim->level;

		if (claim->claim == PTU_LEAF) {
			open.holds |= bit;
			continue;
		}
		close_tables(&open, geo, claim->level, fn, arg);
		open.tables[claim->level] = claim;
		if (holds(claim))
			open.holds |= bit;
	}
	close_tables(&open, geo, PTAUDIT_P4D, fn, arg);
}

static void count_empty(void *arg, const struct ptu_table *claim)
{
	struct ptu_process *process = arg;

	process->empty[claim->level]++;
	process->fill.hollow += claim->level > PTAUDIT_PTE;
}

void ptu_tally_empty(const struct ptu_tables *claims,
		     const struct ptu_geometry *geo, bool sees_empty,
		     struct ptu_process *ret)
{
	size_t i;

	ret->sees_empty = sees_empty;
	for (i = 0; i < claims->nr_tables; i++)
		ptu_fill_claim(&ret->fill, &claims->tables[i], geo);
	ptu_each_empty(claims, geo, count_empty, ret);
}
