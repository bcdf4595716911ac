// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Merges three sorted lists of tables: `tables`, `orphans`, `tables`.  Must not
 * judge, nor read anything.
 */
#include "compare/orphans.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* One of the lists, and how far it was read. */
struct cursor {
	const struct ptu_snapshot *snapshot;
	size_t next;
};

/* The next table, or NULL. */
static const struct ptaudit_table *peek(struct cursor *c)
{
	while (c->next < c->snapshot->nr_records &&
	       c->snapshot->records[c->next].type != PTAUDIT_TABLE)
		c->next++;
	return c->next < c->snapshot->nr_records ?
		       &c->snapshot->records[c->next] :
		       NULL;
}

static bool same_place(const struct ptaudit_table *a,
		       const struct ptaudit_table *b)
{
	return a && b && a->start == b->start && a->level == b->level;
}

/* In the same place: is it the same table, or is there none in both? */
static bool same_table(const struct ptaudit_table *a,
		       const struct ptaudit_table *b)
{
	return a && b ? a->pfn == b->pfn : !a && !b;
}

static int append(struct ptu_orphans *set, const struct ptu_orphan *diff,
		  struct ptu_err *err)
{
	if (set->nr_diffs == set->capacity) {
		size_t capacity = set->capacity ? 2 * set->capacity : 16;
		struct ptu_orphan *diffs = reallocarray(set->diffs, capacity,
							sizeof(*diffs));

		if (!diffs)
			return ptu_err_set(err, -ENOMEM, "out of memory");
		set->diffs = diffs;
		set->capacity = capacity;
	}
	set->diffs[set->nr_diffs++] = *diff;
	return 0;
}

static bool inside(const struct ptu_geometry *geo,
		   const struct ptaudit_table *table, uint64_t start,
		   uint64_t end)
{
	uint64_t reach = ptu_geometry_reach(geo, table->level);

	if (!start && end == UINT64_MAX)
		return true;
	return reach && table->start >= start && table->start < end &&
	       end - table->start >= reach;
}

static int take(struct ptu_orphans *set, const struct ptaudit_table *before,
		const struct ptaudit_table *orphan,
		const struct ptaudit_table *after, struct ptu_err *err)
{
	const struct ptaudit_table *table = orphan ? orphan : after;
	struct ptu_orphan diff = { 0 };

	/* it went before the second walk came to it */
	if (!table)
		return 0;
	if (orphan && after && orphan->pfn == after->pfn) {
		set->matched[orphan->level]++;
		return 0;
	}
	diff.start = table->start;
	diff.level = table->level;
	diff.entries = table->used;
	diff.in_tables = after != NULL;
	diff.in_orphans = orphan != NULL;
	diff.stable = same_table(before, after);
	diff.outside = orphan && orphan->flags & PTAUDIT_T_OUTSIDE;
	return append(set, &diff, err);
}

int ptu_orphans_compare(const struct ptu_snapshot *before,
			const struct ptu_snapshot *orphans,
			const struct ptu_snapshot *after,
			const struct ptu_geometry *geo, uint64_t start,
			uint64_t end, struct ptu_orphans *ret,
			struct ptu_err *err)
{
	struct cursor cursors[] = { { before, 0 },
				    { orphans, 0 },
				    { after, 0 } };
	const size_t nr = sizeof(cursors) / sizeof(cursors[0]);
	struct ptu_orphans set = { 0 };
	int error = 0;

	while (!error) {
		const struct ptaudit_table *heads[3], *first = NULL;
		size_t i;

		for (i = 0; i < nr; i++) {
			heads[i] = peek(&cursors[i]);
			if (heads[i] &&
			    (!first || ptu_record_before(heads[i], first)))
				first = heads[i];
		}
		if (!first)
			break;
		for (i = 0; i < nr; i++) {
			if (same_place(heads[i], first))
				cursors[i].next++;
			else
				heads[i] = NULL;
		}
		if (inside(geo, first, start, end))
			error = take(&set, heads[0], heads[1], heads[2], err);
	}
	if (error) {
		ptu_orphans_deinit(&set);
		return error;
	}
	*ret = set;
	return 0;
}

const struct ptu_orphan *ptu_orphans_find(const struct ptu_orphans *orphans,
					  uint64_t start, unsigned int level)
{
	size_t i;

	for (i = 0; i < orphans->nr_diffs; i++)
		if (orphans->diffs[i].start == start &&
		    orphans->diffs[i].level == level)
			return &orphans->diffs[i];
	return NULL;
}

bool ptu_orphan_same(const struct ptu_orphan *a, const struct ptu_orphan *b)
{
	return a->start == b->start && a->level == b->level &&
	       a->in_tables == b->in_tables && a->in_orphans == b->in_orphans &&
	       a->stable && b->stable;
}

void ptu_orphans_deinit(struct ptu_orphans *orphans)
{
	free(orphans->diffs);
	memset(orphans, 0, sizeof(*orphans));
}
