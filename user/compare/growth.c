// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Merge two sorted sets of tables, and assign each table that is in only one of them to
 * a mapping.  Must not know when or where they were read.
 */
#include "compare/growth.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "compare/mappings.h"

/* Sort order of a set: by address, the higher level first. */
static int compare_tables(const struct ptu_table *a, const struct ptu_table *b)
{
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (b->level > a->level) - (b->level < a->level);
}

/*
 * Fill @went and @came with the tables that are in only one set.  Leaves do not count: they
 * are never certain.  A leaf has the same level and start as at most the table that contains
 * it, and is sorted behind that table.
 */
static int part(const struct ptu_tables *before, const struct ptu_tables *after,
		struct ptu_tables *went, struct ptu_tables *came,
		struct ptu_growth *growth)
{
	size_t i = 0, k = 0;
	int error = 0;

	while (!error && (i < before->nr_tables || k < after->nr_tables)) {
		const struct ptu_table *a = &before->tables[i];
		const struct ptu_table *b = &after->tables[k];
		const int order = i == before->nr_tables ? 1 :
				  k == after->nr_tables	 ? -1 :
							   compare_tables(a, b);
		const unsigned int level = order <= 0 ? a->level : b->level;

		if ((order <= 0 && a->claim == PTU_CERTAIN) ||
		    (order >= 0 && b->claim == PTU_CERTAIN)) {
			growth->before[level] += order <= 0;
			growth->after[level] += order >= 0;
			growth->went[level] += order < 0;
			growth->came[level] += order > 0;
			if (order < 0)
				error = ptu_tables_append(went, a);
			else if (order > 0)
				error = ptu_tables_append(came, b);
		}
		i += order <= 0;
		k += order >= 0;
	}
	return error;
}

/*
 * Add the rows that have tables; @is_came: they were added, else freed.  A row extends to the
 * next one of its name if only neighbours of this name, without tables, are between them.
 */
static void enter(struct ptu_growth *growth, const struct ptu_mapping_row *rows,
		  size_t nr_rows, const struct ptu_geometry *geo, bool is_came)
{
	const uint64_t near_bytes = ptu_geometry_reach(geo, PTAUDIT_PMD);
	struct ptu_growth_row *last = NULL;
	uint64_t end = 0; /* of the last neighbour */
	size_t i;

	for (i = 0; i < nr_rows; i++) {
		struct ptu_growth_row *row = &growth->rows[growth->nr_rows];
		const int64_t bytes = (int64_t)ptu_mapping_bytes(&rows[i], geo);
		char name[sizeof(row->name)];
		bool continues;

		ptu_name_fit(ptu_mapping_name(&rows[i]), name, sizeof(name));
		continues = last && rows[i].start - end < near_bytes &&
			    !strcmp(last->name, name);
		if (!ptu_mapping_has_any(&rows[i])) {
			if (continues)
				end = rows[i].end;
			continue;
		}
		if (continues)
			last->end = rows[i].start;
		strcpy(row->name, name);
		row->start = rows[i].start;
		row->end = end = rows[i].end;
		memcpy(is_came ? row->came : row->went, rows[i].low,
		       sizeof(row->came));
		row->bytes = is_came ? bytes : -bytes;
		last = row;
		growth->nr_rows++;
	}
}

static int by_address(const void *a, const void *b)
{
	const struct ptu_growth_row *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int by_bytes(const void *a, const void *b)
{
	const struct ptu_growth_row *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return by_address(a, b);
}

/* Join rows with the same name that overlap or are close together. */
static void join(struct ptu_growth *growth, uint64_t near_bytes)
{
	struct ptu_growth_row *rows = growth->rows;
	unsigned int level;
	size_t i, nr = 0;

	qsort(rows, growth->nr_rows, sizeof(*rows), by_address);
	for (i = 0; i < growth->nr_rows; i++) {
		struct ptu_growth_row *last = nr ? &rows[nr - 1] : NULL;

		if (!last || strcmp(last->name, rows[i].name) != 0 ||
		    (rows[i].start > last->end &&
		     rows[i].start - last->end >= near_bytes)) {
			rows[nr++] = rows[i];
			continue;
		}
		if (rows[i].end > last->end)
			last->end = rows[i].end;
		last->bytes += rows[i].bytes;
		for (level = 0; level < PTAUDIT_NR_LEVELS; level++) {
			last->came[level] += rows[i].came[level];
			last->went[level] += rows[i].went[level];
		}
	}
	growth->nr_rows = nr;
	qsort(rows, nr, sizeof(*rows), by_bytes);
}

static int make_rows(const struct ptu_tables *went,
		     const struct ptu_vmas *vmas_before,
		     const struct ptu_tables *came,
		     const struct ptu_vmas *vmas_after,
		     const struct ptu_geometry *geo, struct ptu_growth *growth)
{
	struct ptu_mapping_row *of_went = NULL, *of_came = NULL;
	size_t nr_went = 0, nr_came = 0;
	int error = ptu_tally_mappings(went, vmas_before, geo, &of_went,
				       &nr_went);

	if (!error)
		error = ptu_tally_mappings(came, vmas_after, geo, &of_came,
					   &nr_came);
	if (!error) {
		growth->rows = calloc(nr_went + nr_came + 1,
				      sizeof(*growth->rows));
		error = growth->rows ? 0 : -ENOMEM;
	}
	if (!error) {
		enter(growth, of_went, nr_went, geo, false);
		enter(growth, of_came, nr_came, geo, true);
		join(growth, ptu_geometry_reach(geo, PTAUDIT_PMD));
	}
	free(of_went);
	free(of_came);
	return error;
}

int ptu_growth_between(const struct ptu_growth_side *before,
		       const struct ptu_growth_side *after,
		       const struct ptu_geometry *geo, struct ptu_growth *ret)
{
	struct ptu_growth growth = { .nr_rows = 0 };
	struct ptu_tables went, came;
	int error;

	ptu_tables_init(&went, geo);
	ptu_tables_init(&came, geo);
	error = part(before->tables, after->tables, &went, &came, &growth);
	if (!error)
		error = make_rows(&went, before->vmas, &came, after->vmas, geo,
				  &growth);
	ptu_tables_deinit(&went);
	ptu_tables_deinit(&came);
	if (error)
		ptu_growth_deinit(&growth);
	else
		*ret = growth;
	return error;
}
