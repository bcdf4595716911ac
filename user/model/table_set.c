// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The set of an estimator's claims.  Pure: must not know where a claim comes from,
 * nor count tables that were not claimed.
 */
#include "model/table_set.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/array.h"

void ptu_tables_init(struct ptu_tables *set, const struct ptu_geometry *geo)
{
	*set = (struct ptu_tables){ .geo = geo };
}

void ptu_tables_deinit(struct ptu_tables *set)
{
	free(set->tables);
	ptu_tables_init(set, set->geo);
}

static bool is_before(const struct ptu_table *a, const struct ptu_table *b)
{
	if (a->start != b->start)
		return a->start < b->start;
	if (a->level != b->level)
		return a->level > b->level;
	return a->claim != PTU_LEAF && b->claim == PTU_LEAF;
}

/*
 * Append a claim and move it to its sorted position.  Addresses ascend, so it moves
 * at most a few places: only a table that begins at the start of a leaf in it
 * moves.
 */
static int insert(struct ptu_tables *set, const struct ptu_table *claim)
{
	size_t place = set->nr_tables;

	if (ptu_array_grow(&set->tables, place, &set->capacity,
			   sizeof(*set->tables)))
		return -ENOMEM;
	for (; place && is_before(claim, &set->tables[place - 1]); place--)
		set->tables[place] = set->tables[place - 1];
	set->tables[place] = *claim;
	set->nr_tables++;
	return 0;
}

/* Return the last table claimed at @level. It is near the end: addresses ascend. */
static struct ptu_table *last_table(struct ptu_tables *set, unsigned int level)
{
	size_t i = set->nr_tables;

	while (i--) {
		if (set->tables[i].level == level &&
		    set->tables[i].claim != PTU_LEAF)
			return &set->tables[i];
	}
	return NULL;
}

static int add_table(struct ptu_tables *set, unsigned int level, uint64_t addr,
		     enum ptu_claim claim)
{
	const unsigned int bit = 1u << level;
	struct ptu_table table = {
		.start = ptu_geometry_base(set->geo, level, addr),
		.level = (uint8_t)level,
		.claim = (uint8_t)claim,
	};
	int error;

	if ((set->known & bit) && set->last_start[level] == table.start) {
		if (claim == PTU_CERTAIN && !(set->certain & bit)) {
			last_table(set, level)->claim = PTU_CERTAIN;
			set->certain |= bit;
		}
		return 0;
	}
	error = insert(set, &table);
	if (error)
		return error;
	set->last_start[level] = table.start;
	set->known |= bit;
	if (claim == PTU_CERTAIN)
		set->certain |= bit;
	else
		set->certain &= ~bit;
	return 0;
}

static int add_leaf(struct ptu_tables *set, unsigned int level, uint64_t addr)
{
	struct ptu_table leaf = {
		.start = addr >> set->geo->shift[level]
					 << set->geo->shift[level],
		.level = (uint8_t)level,
		.claim = PTU_LEAF,
	};
	size_t i = set->nr_tables;

	/* claims within the leaf's reach are at the end */
	while (i && set->tables[i - 1].start >= leaf.start) {
		i--;
		if (set->tables[i].start == leaf.start &&
		    set->tables[i].level == level &&
		    set->tables[i].claim == PTU_LEAF)
			return 0;
	}
	return insert(set, &leaf);
}

/*
 * Are the tables above the same as for the previous claim, and certain? It is
 * enough to test the next level: the levels above were claimed with it.
 */
static bool is_below_last(const struct ptu_tables *set, unsigned int level,
			  uint64_t addr)
{
	unsigned int above = ptu_geometry_above(set->geo, level);

	return above < PTAUDIT_NR_LEVELS && (set->certain & 1u << above) &&
	       set->last_start[above] ==
		       ptu_geometry_base(set->geo, above, addr);
}

int ptu_tables_add(struct ptu_tables *set, unsigned int level, uint64_t addr,
		   enum ptu_claim claim)
{
	unsigned int above;
	int error;

	if (level >= PTAUDIT_NR_LEVELS || !set->geo->unfolded[level] ||
	    addr < set->last_addr)
		return -EINVAL;
	above = is_below_last(set, level, addr) ? level : PTAUDIT_PGD;
	for (; above > level; above--) {
		if (!set->geo->unfolded[above])
			continue;
		error = add_table(set, above, addr,
				  claim == PTU_MAYBE ? PTU_MAYBE : PTU_CERTAIN);
		if (error)
			return error;
	}
	if (claim == PTU_LEAF) {
		error = add_table(set, level, addr, PTU_CERTAIN);
		if (!error)
			error = add_leaf(set, level, addr);
	} else {
		error = add_table(set, level, addr, claim);
	}
	if (!error)
		set->last_addr = addr;
	return error;
}

int ptu_tables_append(struct ptu_tables *set, const struct ptu_table *claim)
{
	const struct ptu_table *last;

	if (!set->nr_tables)
		return insert(set, claim);
	last = &set->tables[set->nr_tables - 1];
	if (is_before(claim, last))
		return -EINVAL;
	return is_before(last, claim) ? insert(set, claim) : 0;
}

void ptu_tables_count_entries(struct ptu_tables *set, unsigned int nr)
{
	struct ptu_table *table = last_table(set, PTAUDIT_PTE);

	if (!table)
		return;
	table->counted = true;
	table->entries = (uint16_t)(table->entries + nr);
}

void ptu_tables_count_markers(struct ptu_tables *set, unsigned int nr)
{
	struct ptu_table *table = last_table(set, PTAUDIT_PTE);

	if (table)
		table->markers = (uint16_t)(table->markers + nr);
}

void ptu_tables_count_zeros(struct ptu_tables *set, unsigned int nr)
{
	struct ptu_table *table = last_table(set, PTAUDIT_PTE);

	if (table)
		table->zeros = (uint16_t)(table->zeros + nr);
}

void ptu_tables_count_absent(struct ptu_tables *set, unsigned int level,
			     uint64_t addr)
{
	struct ptu_table *table = last_table(set, level);

	if (table && level != PTAUDIT_PTE &&
	    !(addr & ((UINT64_C(1) << set->geo->shift[level]) - 1)))
		table->entries++;
}

void ptu_tables_leave_open(struct ptu_tables *set)
{
	struct ptu_table *table = last_table(set, PTAUDIT_PTE);

	if (table)
		table->unasked = true;
}

void ptu_tables_forget_entries(struct ptu_tables *set)
{
	size_t i;

	for (i = 0; i < set->nr_tables; i++)
		set->tables[i].counted = false;
}

size_t ptu_tables_doubt(struct ptu_tables *set, const struct ptu_spans *changed)
{
	/* bit per level: the next table found at the level has a certain table below it */
	unsigned int is_held = 0;
	size_t i, nr = 0;

	if (!changed->nr_spans)
		return 0;
	for (i = set->nr_tables; i-- > 0;) {
		struct ptu_table *table = &set->tables[i];
		const bool is_leaf = table->claim == PTU_LEAF;
		const uint64_t bytes =
			is_leaf ? UINT64_C(1) << set->geo->shift[table->level] :
				  ptu_geometry_reach(set->geo, table->level);
		const unsigned int level = 1u << table->level;
		const unsigned int above = ~(2 * level - 1);
		bool doubted = bytes && table->level != PTAUDIT_PGD &&
			       ptu_spans_touch(changed, table->start,
					       table->start + bytes);

		if (!is_leaf) {
			doubted &= !(is_held & level);
			is_held &= above;
		}
		if (!doubted)
			is_held |= is_leaf ? above | level : above;
		else if (!is_leaf && table->claim != PTU_MAYBE) {
			table->claim = PTU_MAYBE;
			nr++;
		}
	}
	return nr;
}

int ptu_tables_add_pgd(struct ptu_tables *set)
{
	return add_table(set, PTAUDIT_PGD, 0, PTU_CERTAIN);
}

size_t ptu_tables_find(const struct ptu_tables *set, uint64_t start)
{
	size_t low = 0, high = set->nr_tables;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (set->tables[middle].start < start)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void ptu_tables_count(const struct ptu_tables *set, enum ptu_claim claim,
		      uint64_t *counts)
{
	unsigned int level;
	size_t i;

	for (level = 0; level < PTAUDIT_NR_LEVELS; level++)
		counts[level] = 0;
	for (i = 0; i < set->nr_tables; i++) {
		if (set->tables[i].claim == claim)
			counts[set->tables[i].level]++;
	}
}
