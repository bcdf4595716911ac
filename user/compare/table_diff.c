// SPDX-License-Identifier: LGPL-2.1-or-later
/* Find the differences between the sides; must not explain them. */
#include "compare/table_diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* A table or a leaf of one side. */
struct item {
	uint64_t start;
	unsigned int level;
	bool leaf;
};

/* Iterates over the tables and leaves of a walk, with one leaf per entry of a run. */
struct kernel_cursor {
	const struct ptu_snapshot *snapshot;
	const struct ptu_geometry *geo;
	size_t index;
	unsigned int entry;
};

struct claim_cursor {
	const struct ptu_tables *claims;
	size_t index;
};

struct range {
	const struct ptu_geometry *geo;
	uint64_t start;
	uint64_t end;
};

static int item_order(const struct item *a, const struct item *b)
{
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->level != b->level)
		return a->level > b->level ? -1 : 1;
	return (int)a->leaf - (int)b->leaf;
}

static uint64_t item_reach(const struct ptu_geometry *geo,
			   const struct item *item)
{
	if (item->leaf)
		return UINT64_C(1) << geo->shift[item->level];
	return ptu_geometry_reach(geo, item->level);
}

static bool inside(const struct range *range, const struct item *item)
{
	uint64_t reach = item_reach(range->geo, item);

	if (!range->start && range->end == UINT64_MAX)
		return true;
	return reach && item->start >= range->start &&
	       item->start < range->end && range->end - item->start >= reach;
}

static bool kernel_item(const struct kernel_cursor *cursor, struct item *item)
{
	const struct ptaudit_table *r;

	if (cursor->index == cursor->snapshot->nr_records)
		return false;
	r = &cursor->snapshot->records[cursor->index];
	item->level = r->level;
	item->leaf = r->type == PTAUDIT_RUN;
	item->start = r->start;
	if (item->leaf)
		item->start += (uint64_t)cursor->entry
			       << cursor->geo->shift[r->level];
	return true;
}

/* Advance to the next table or leaf; skip other runs. */
static void kernel_settle(struct kernel_cursor *cursor)
{
	const struct ptu_snapshot *s = cursor->snapshot;

	while (cursor->index < s->nr_records &&
	       s->records[cursor->index].type == PTAUDIT_RUN &&
	       s->records[cursor->index].kind != PTAUDIT_K_LEAF)
		cursor->index++;
}

static void kernel_next(struct kernel_cursor *cursor)
{
	const struct ptaudit_table *r =
		&cursor->snapshot->records[cursor->index];

	if (r->type == PTAUDIT_RUN && ++cursor->entry < r->used)
		return;
	cursor->entry = 0;
	cursor->index++;
	kernel_settle(cursor);
}

static bool claim_item(const struct claim_cursor *cursor, struct item *item)
{
	const struct ptu_table *claim;

	if (cursor->index == cursor->claims->nr_tables)
		return false;
	claim = &cursor->claims->tables[cursor->index];
	item->start = claim->start;
	item->level = claim->level;
	item->leaf = claim->claim == PTU_LEAF;
	return true;
}

/* Does the estimator claim anything in the leaf's range? Upper tables come before it. */
static bool claim_within(const struct claim_cursor *cursor,
			 const struct ptu_geometry *geo,
			 const struct item *leaf)
{
	struct item item;

	return claim_item(cursor, &item) &&
	       item.start - leaf->start < item_reach(geo, leaf);
}

/* Do the two walks have the same record of a table? */
static bool same_record(const struct ptaudit_table *a,
			const struct ptaudit_table *b)
{
	struct ptaudit_table x = *a, y = *b;

	/* these can change without a change of the table */
	x.sharers = y.sharers = 0;
	x.deposited = y.deposited = 0;
	return !memcmp(&x, &y, sizeof(x));
}

static int add_diff(struct ptu_diffs *diffs, const struct ptu_diff *diff)
{
	if (ptu_array_grow(&diffs->diffs, diffs->nr_diffs, &diffs->capacity,
			   sizeof(*diffs->diffs)))
		return -ENOMEM;
	diffs->diffs[diffs->nr_diffs++] = *diff;
	return 0;
}

/* Advance a cursor to an item; return whether it is there. */
static bool kernel_upto(struct kernel_cursor *cursor, const struct item *item)
{
	struct item here;

	while (kernel_item(cursor, &here)) {
		int order = item_order(&here, item);

		if (order >= 0)
			return !order;
		kernel_next(cursor);
	}
	return false;
}

/*
 * Does the number of used entries differ in a PTE table that both sides have? The
 * estimator's interface shows every entry except those in PFN mappings.  A table
 * that changed between the walks is not compared.
 */
static bool contents_differ(const struct ptu_diff *diff,
			    const struct ptu_table *claim)
{
	const struct ptaudit_table *r = &diff->record;

	return claim->counted && diff->stable &&
	       r->used - r->pfnmap != claim->entries;
}

int ptu_compare(const struct ptu_snapshot *before,
		const struct ptu_snapshot *after,
		const struct ptu_tables *claims, const struct ptu_geometry *geo,
		uint64_t start, uint64_t end, struct ptu_diffs *ret,
		struct ptu_err *err)
{
	struct kernel_cursor earlier = { .snapshot = before, .geo = geo };
	struct kernel_cursor later = { .snapshot = after, .geo = geo };
	struct claim_cursor claim = { .claims = claims };
	struct range range = { .geo = geo, .start = start, .end = end };
	struct ptu_diffs diffs = { 0 };

	kernel_settle(&earlier);
	kernel_settle(&later);
	for (;;) {
		struct ptu_diff diff = { .why = PTU_WHY_UNSET };
		struct item k, c, item;
		bool has_kernel = kernel_item(&later, &k);
		bool has_claim = claim_item(&claim, &c);
		const struct ptu_table *claimed = NULL;
		bool in_kernel, in_claims, was_there;

		if (!has_kernel && !has_claim)
			break;
		in_kernel = has_kernel &&
			    (!has_claim || item_order(&k, &c) <= 0);
		in_claims = has_claim &&
			    (!has_kernel || item_order(&c, &k) <= 0);
		item = in_kernel ? k : c;
		was_there = kernel_upto(&earlier, &item);

		diff.start = item.start;
		diff.level = item.level;
		diff.leaf = item.leaf;
		diff.kernel = in_kernel;
		diff.stable = was_there == in_kernel;
		if (in_claims) {
			claimed = &claims->tables[claim.index++];
			diff.claim = claimed->claim;
			diff.entries = claimed->entries;
		}
		if (in_kernel) {
			diff.record = after->records[later.index];
			diff.stable =
				was_there &&
				same_record(&before->records[earlier.index],
					    &diff.record) &&
				!(diff.record.flags & PTAUDIT_T_MOVED);
			/* one leaf: the run's length depends on the walked range */
			if (item.leaf)
				diff.record.used = 1;
			kernel_next(&later);
		}
		if (!inside(&range, &item))
			continue;
		if (in_kernel &&
		    diff.claim == (item.leaf ? PTU_LEAF : PTU_CERTAIN)) {
			diff.contents = contents_differ(&diff, claimed);
			if (!item.leaf && !diff.contents)
				diffs.matched[item.level]++;
			if (!diff.contents)
				continue;
		}
		if (in_kernel && item.leaf && claim_within(&claim, geo, &item))
			continue;
		if (add_diff(&diffs, &diff)) {
			ptu_diffs_deinit(&diffs);
			return ptu_err_set(err, -ENOMEM, "out of memory");
		}
	}
	*ret = diffs;
	return 0;
}

bool ptu_diff_differs(const struct ptu_diff *diff)
{
	return diff->leaf || diff->contents ||
	       diff->kernel != (diff->claim == PTU_CERTAIN);
}

struct ptu_diff *ptu_diffs_find(const struct ptu_diffs *diffs, uint64_t start,
				unsigned int level, bool leaf)
{
	struct item wanted = { start, level, leaf };
	size_t low = 0, high = diffs->nr_diffs;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		struct ptu_diff *diff = &diffs->diffs[middle];
		struct item item = { diff->start, diff->level, diff->leaf };
		int order = item_order(&item, &wanted);

		if (!order)
			return diff;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

void ptu_diffs_deinit(struct ptu_diffs *diffs)
{
	free(diffs->diffs);
	memset(diffs, 0, sizeof(*diffs));
}
