// SPDX-License-Identifier: LGPL-2.1-or-later
/* Join mappings and choose the worst; must not know where they were read. */
#include "compare/top_why.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "compare/mappings.h"

#define ENTRY_BYTES 8	 /* size of a PTE table's entry */
#define MANY_REGIONS 16	 /* program, heap, libraries, stacks and a few more */
#define MANY_MAPPINGS 16 /* a library has five; each thread's stack has two */

/* Does the mapping continue the row? */
static bool continues(const struct ptu_top_row *last, const char *last_path,
		      const struct ptu_mapping_row *row, uint64_t near_bytes)
{
	return row->perms[0] && row->start - last->end < near_bytes &&
	       !strcmp(last_path, row->path);
}

/* For tables that no mapping reaches: the addresses that they map. */
static uint64_t size_of(const struct ptu_mapping_row *row)
{
	return row->end - row->start;
}

int ptu_top_join(const struct ptu_mapping_row *rows, size_t nr_rows,
		 const struct ptu_geometry *geo, bool sees_empty,
		 struct ptu_top_row **ret, size_t *ret_nr)
{
	const uint64_t near_bytes = ptu_geometry_reach(geo, PTAUDIT_PMD);
	struct ptu_top_row *joined = calloc(nr_rows + 1, sizeof(*joined));
	const char *path = NULL;
	size_t i, nr = 0;

	if (!joined)
		return -ENOMEM;
	for (i = 0; i < nr_rows; i++) {
		struct ptu_top_row *last = nr ? &joined[nr - 1] : NULL;

		if (!ptu_mapping_has_any(&rows[i])) {
			/* guard pages etc. do not separate neighbours */
			if (last && path &&
			    continues(last, path, &rows[i], near_bytes)) {
				last->end = rows[i].end;
				last->nr_mappings++;
				last->mapped_bytes += size_of(&rows[i]);
			}
			continue;
		}
		if (!last || !path ||
		    !continues(last, path, &rows[i], near_bytes)) {
			last = &joined[nr++];
			last->start = rows[i].start;
			last->has_empty = sees_empty;
			last->has_deposited = true;
			last->is_shared = rows[i].perms[0] &&
					  rows[i].perms[3] == 's';
			ptu_name_fit(ptu_mapping_name(&rows[i]), last->name,
				     sizeof(last->name));
		}
		path = rows[i].perms[0] ? rows[i].path : NULL;
		last->end = rows[i].end;
		last->nr_mappings += path != NULL;
		last->mapped_bytes += size_of(&rows[i]);
		last->total_bytes += ptu_mapping_bytes(&rows[i], geo);
		last->leaves += rows[i].leaves;
		last->has_deposited &= !rows[i].deposited_unsure;
		last->deposited_tables += rows[i].deposited;
		last->empty_tables += rows[i].fill.in_class[PTU_FILL_EMPTY] +
				      rows[i].fill.hollow;
		ptu_fill_merge(&last->fill, &rows[i].fill);
	}
	*ret = joined;
	*ret_nr = nr;
	return 0;
}

/* Unused entries of the row's PTE tables, and all entries of upper tables that hold nothing. */
static uint64_t unused(const struct ptu_top_row *row, uint64_t page_bytes)
{
	return row->fill.room - row->fill.entries +
	       row->fill.hollow * (page_bytes / ENTRY_BYTES);
}

/* Tables in the tree and deposited ones, as in the TOTAL of a process. */
static uint64_t all_bytes(const struct ptu_top_row *row, uint64_t page_bytes)
{
	return row->total_bytes +
	       (row->has_deposited ? row->deposited_tables * page_bytes : 0);
}

static void size_words(uint64_t bytes, char ret[32])
{
	static const char units[] = "BKMGTPE";
	unsigned int unit = 0;

	while (bytes >= 10240 || (bytes >= 1024 && !(bytes & 1023))) {
		bytes >>= 10;
		unit++;
	}
	snprintf(ret, 32, "%" PRIu64 "%c", bytes, units[unit]);
}

/* Describe a row of mappings: name, address, size, and number if there are many. */
static void say_mappings(const struct ptu_top_row *row, char *ret,
			 size_t ret_bytes)
{
	char name[201], size[32], many[48] = "";

	ptu_name_fit(row->name, name, sizeof(name));
	size_words(row->mapped_bytes, size);
	if (row->nr_mappings > MANY_MAPPINGS)
		snprintf(many, sizeof(many), " in %" PRIu64 " mappings",
			 row->nr_mappings);
	snprintf(ret, ret_bytes, "%s 0x%" PRIx64 ", %s%s%s", name, row->start,
		 size, row->is_shared ? " shared" : "", many);
}

/* Describe used entries.  Those that are markers map no page. */
static const char *full_words(const struct ptu_fill *fill, char ret[64])
{
	const unsigned int permille = ptu_fill_permille(fill);
	const char *of = fill->markers * 2 < fill->entries ? "" :
			 fill->markers < fill->entries ? ", mostly of markers" :
							 " of markers";

	snprintf(ret, 64, "%u.%u %% full%s", permille / 10, permille % 10,
		 fill->markers ? of : "");
	return ret;
}

/* Summary of the rows of mappings. */
struct joined_rows {
	const struct ptu_top_row *most_unused; /* among rows with PTE tables */
	const struct ptu_top_row *largest;
	const struct ptu_top_row *most_deposited; /* NULL if there are none */
	const struct ptu_top_row *largest_far;	  /* NULL if there are none */
	size_t nr_far;
	uint64_t far_bytes;
	uint64_t total_bytes;
	uint64_t used;
	uint64_t unused;
};

/*
 * Is the row so far from all others that it has at least as many tables above PTE tables
 * as PTE tables?
 */
static bool is_far(const struct ptu_top_row *row, uint64_t page_bytes)
{
	return row->fill.tables &&
	       row->total_bytes / page_bytes >=
		       2 * row->fill.tables + row->fill.hollow;
}

static struct joined_rows look_through(const struct ptu_top_row *joined,
				       size_t nr_joined, uint64_t page_bytes)
{
	struct joined_rows ret = { 0 };
	size_t i;

	for (i = 0; i < nr_joined; i++) {
		const struct ptu_top_row *row = &joined[i];

		ret.total_bytes += all_bytes(row, page_bytes);
		ret.used += row->fill.entries;
		ret.unused += unused(row, page_bytes);
		if (row->deposited_tables &&
		    (!ret.most_deposited ||
		     row->deposited_tables >
			     ret.most_deposited->deposited_tables))
			ret.most_deposited = row;
		if (is_far(row, page_bytes)) {
			if (!ret.largest_far ||
			    row->total_bytes > ret.largest_far->total_bytes)
				ret.largest_far = row;
			ret.nr_far++;
			ret.far_bytes += all_bytes(row, page_bytes);
		}
		if (!row->fill.counted && !row->fill.hollow)
			continue;
		if (!ret.most_unused ||
		    unused(row, page_bytes) >
			    unused(ret.most_unused, page_bytes))
			ret.most_unused = row;
		if (!ret.largest || all_bytes(row, page_bytes) >
					    all_bytes(ret.largest, page_bytes))
			ret.largest = row;
	}
	return ret;
}

/* At most 100: VmPTE is read first, and the process may grow before its tables are. */
static uint64_t percent(uint64_t bytes, uint64_t of_bytes)
{
	return bytes < of_bytes ? bytes * 100 / of_bytes : 100;
}

/* Begin a sentence with the share of the process's tables. */
static int say_share(const struct joined_rows *rows, uint64_t bytes,
		     const char *part, struct ptu_top_row *row)
{
	return snprintf(row->why, sizeof(row->why),
			"%s%" PRIu64 " %%%s: ", part,
			percent(bytes, row->is_part ? rows->total_bytes :
						      row->total_bytes),
			row->is_part ? "" : " of its tables");
}

/* Most entries are used: describe the largest row. */
static void say_largest(const struct joined_rows *rows, uint64_t page_bytes,
			const char *part, struct ptu_top_row *row)
{
	const struct ptu_top_row *largest = rows->largest;
	const int nr = say_share(rows, all_bytes(largest, page_bytes), part,
				 row);
	char what[288], full[64];

	say_mappings(largest, what, sizeof(what));
	snprintf(row->why + nr, sizeof(row->why) - (size_t)nr, "%s, %s", what,
		 full_words(&largest->fill, full));
}

static void say_far(const struct joined_rows *rows, const char *part,
		    struct ptu_top_row *row)
{
	const int nr = say_share(rows, rows->far_bytes, part, row);
	char what[288];

	say_mappings(rows->largest_far, what, sizeof(what));
	snprintf(row->why + nr, sizeof(row->why) - (size_t)nr,
		 "%zu regions far apart, like %s", rows->nr_far, what);
}

void ptu_top_say_why(const struct ptu_top_row *joined, size_t nr_joined,
		     uint64_t nowhere_bytes, uint64_t page_bytes,
		     struct ptu_top_row *row)
{
	const struct joined_rows rows = look_through(joined, nr_joined,
						     page_bytes);
	const char *part = row->is_part ? "of the part that was read, " : "";
	const struct ptu_top_row *worst = rows.most_unused;
	const uint64_t deposited_bytes = row->deposited_tables * page_bytes;
	uint64_t nr_empty = nowhere_bytes / page_bytes, nr_tables;
	char what[288], full[64];

	if (row->has_empty && nowhere_bytes * 2 > row->vmpte_bytes) {
		snprintf(row->why, sizeof(row->why),
			 "%" PRIu64
			 " %% in upper tables that hold nothing, or tables of PFN mappings, which /proc does not show",
			 percent(nowhere_bytes, row->vmpte_bytes));
		return;
	}
	if (nowhere_bytes * 2 > row->vmpte_bytes) {
		row->has_empty = true;
		row->empty_tables = nr_empty;
		/* FILL of some tables alone would mislead */
		if (row->fill.counted == row->fill.tables) {
			row->fill.room += nr_empty * (page_bytes / ENTRY_BYTES);
			row->fill.counted += nr_empty;
			row->fill.in_class[PTU_FILL_EMPTY] += nr_empty;
		}
		row->fill.tables += nr_empty;
		snprintf(row->why, sizeof(row->why),
			 "%" PRIu64
			 " %% in tables without pages, which the estimate does not see",
			 percent(nowhere_bytes, row->vmpte_bytes));
		return;
	}
	if (rows.most_deposited && deposited_bytes * 2 >= row->total_bytes) {
		say_mappings(rows.most_deposited, what, sizeof(what));
		snprintf(row->why, sizeof(row->why),
			 "%s%" PRIu64 " %% deposited for huge pages: %s", part,
			 percent(deposited_bytes, row->total_bytes), what);
		return;
	}
	if (!worst) {
		snprintf(row->why, sizeof(row->why), "%s",
			 row->fill.tables ?
				 "the estimator does not count used entries" :
				 "no PTE tables: huge pages, or nothing mapped");
		return;
	}
	if (rows.nr_far >= MANY_REGIONS &&
	    rows.far_bytes * 2 >= rows.total_bytes) {
		say_far(&rows, part, row);
		return;
	}
	if (rows.unused * 3 < rows.used) {
		say_largest(&rows, page_bytes, part, row);
		return;
	}
	say_mappings(worst, what, sizeof(what));
	nr_tables = worst->fill.counted + worst->fill.hollow;
	nr_empty = worst->fill.in_class[PTU_FILL_EMPTY] + worst->fill.hollow;
	if (nr_empty * 2 >= nr_tables)
		snprintf(row->why, sizeof(row->why),
			 "%s%" PRIu64 " %% empty: %s", part,
			 nr_empty * 100 / nr_tables, what);
	else
		snprintf(row->why, sizeof(row->why), "%s%s: %s", part,
			 full_words(&worst->fill, full), what);
}
