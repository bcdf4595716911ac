// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Merge three sorted lists of tables: `tables`, another walk, `tables`.  Must not
 * classify differences, nor read anything.
 */
#include "compare/walks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* One of the lists and the position in it. */
struct cursor {
	const struct ptu_snapshot *snapshot;
	size_t next;
};

/* Return the next table, or NULL. */
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

/* Is it the same table at the same place, or none in both lists? */
static bool same_table(const struct ptaudit_table *a,
		       const struct ptaudit_table *b)
{
	return a && b ? a->pfn == b->pfn : !a && !b;
}

static int append(struct ptu_walk_diffs *set, const struct ptu_walk_diff *diff,
		  struct ptu_err *err)
{
	if (ptu_array_grow(&set->diffs, set->nr_diffs, &set->capacity,
			   sizeof(*set->diffs)))
		return ptu_err_set(err, -ENOMEM, "out of memory");
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

/*
 * Do two records have the same entries, deposits and sharers?  Tables below have their
 * own records.
 */
static bool same_contents(const struct ptaudit_table *a,
			  const struct ptaudit_table *b)
{
	return a->leaves == b->leaves && a->present == b->present &&
	       a->swap == b->swap && a->migration == b->migration &&
	       a->uffd_wp == b->uffd_wp && a->guard == b->guard &&
	       a->other == b->other && a->pfnmap == b->pfnmap &&
	       a->deposited == b->deposited && a->sharers == b->sharers &&
	       a->pages == b->pages;
}

static int take(struct ptu_walk_diffs *set, const struct ptaudit_table *before,
		const struct ptaudit_table *other,
		const struct ptaudit_table *after, bool by_contents,
		struct ptu_err *err)
{
	const struct ptaudit_table *table = after ? after : other;
	struct ptu_walk_diff diff = { 0 };

	/* it was freed before the second walk reached it */
	if (!table)
		return 0;
	diff.stable = same_table(before, after);
	if (other && after && other->pfn == after->pfn) {
		set->matched[other->level]++;
		if (!by_contents || !diff.stable ||
		    !same_contents(before, after) ||
		    same_contents(other, after))
			return 0;
		diff.contents = true;
	}
	diff.start = table->start;
	diff.level = table->level;
	diff.entries = table->used;
	diff.entries_other = other ? other->used : 0;
	diff.in_tables = after != NULL;
	diff.in_other = other != NULL;
	diff.outside = other && other->flags & PTAUDIT_T_OUTSIDE;
	return append(set, &diff, err);
}

int ptu_walks_compare(const struct ptu_snapshot *before,
		      const struct ptu_snapshot *other,
		      const struct ptu_snapshot *after,
		      const struct ptu_geometry *geo, uint64_t start,
		      uint64_t end, struct ptu_walk_diffs *ret,
		      struct ptu_err *err)
{
	struct cursor cursors[] = { { before, 0 }, { other, 0 }, { after, 0 } };
	const size_t nr = sizeof(cursors) / sizeof(cursors[0]);
	const bool by_contents = other->header.flags & PTAUDIT_H_BPF;
	struct ptu_walk_diffs set = { 0 };
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
			error = take(&set, heads[0], heads[1], heads[2],
				     by_contents, err);
	}
	if (error) {
		ptu_walks_deinit(&set);
		return error;
	}
	*ret = set;
	return 0;
}

const struct ptu_walk_diff *ptu_walks_find(const struct ptu_walk_diffs *diffs,
					   uint64_t start, unsigned int level)
{
	size_t low = 0, high = diffs->nr_diffs;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct ptu_walk_diff *diff = &diffs->diffs[middle];

		if (diff->start == start && diff->level == level)
			return diff;
		if (diff->start < start ||
		    (diff->start == start && diff->level > level))
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

bool ptu_walk_diff_same(const struct ptu_walk_diff *a,
			const struct ptu_walk_diff *b)
{
	return a->start == b->start && a->level == b->level &&
	       a->in_tables == b->in_tables && a->in_other == b->in_other &&
	       a->contents == b->contents && a->stable && b->stable &&
	       (!a->contents || (a->entries == b->entries &&
				 a->entries_other == b->entries_other));
}

void ptu_walks_deinit(struct ptu_walk_diffs *diffs)
{
	free(diffs->diffs);
	memset(diffs, 0, sizeof(*diffs));
}
