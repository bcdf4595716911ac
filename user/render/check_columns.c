// SPDX-License-Identifier: LGPL-2.1-or-later
/* The columns of single tables and of causes.  Must not know how they are drawn. */
#include "render/check_columns.h"

#include <inttypes.h>
#include <stdio.h>

#include "model/geometry.h"

static void cause_name(struct ptu_grid_cell *cell, const void *row)
{
	ptu_grid_words(cell,
		       ptu_why_name(((const struct ptu_cause_row *)row)->why));
}

static void cause_meaning(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_cause_row *cause = row;

	ptu_grid_words(cell, ptu_why_sentence(cause->why));
}

#define CAUSE(member) offsetof(struct ptu_cause_row, member)

const struct ptu_grid_column ptu_cause_columns[] = {
	{ "TABLES", "", PTU_RIGHT, ptu_fill_number, "tables", CAUSE(tables) },
	{ "LEVEL", "", 0, ptu_fill_level, "level", CAUSE(level) },
	{ "CAUSE", "", 0, cause_name, "cause", 0 },
	{ "SIZE", "", PTU_RIGHT, ptu_fill_size, "bytes", CAUSE(bytes) },
	{ "FROM", "", PTU_RIGHT, ptu_fill_address, "start", CAUSE(start) },
	{ "TO", "", PTU_RIGHT, ptu_fill_end, "end", CAUSE(end) },
	{ "MEANING", "", 0, cause_meaning, NULL, 0 },
	{ 0 },
};

static void unexplained_why(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_unexplained *table = row;

	ptu_grid_words(cell, ptu_why_name(table->why));
}

static void unexplained_kind(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_unexplained *table = row;

	ptu_grid_words(cell, table->leaf     ? "leaf" :
			     table->contents ? "entries" :
					       "table");
}

static void unexplained_side(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_unexplained *table = row;

	ptu_grid_words(cell, ptu_seen_by(table->side));
}

/* In text, leave out the 0 of a table that only the estimate has. */
static void unexplained_entries(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_unexplained *table = row;

	if (cell->json || table->side != PTU_SIDE_ESTIMATE)
		ptu_grid_number(cell, table->entries);
	else
		ptu_grid_unknown(cell);
}

static void unexplained_estimated(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_unexplained *table = row;

	if (table->contents && table->side == PTU_SIDE_KERNEL)
		ptu_grid_number(cell, table->entries_estimated);
	else
		ptu_grid_none(cell);
}

#define UNEXPLAINED(member) offsetof(struct ptu_unexplained, member)

const struct ptu_grid_column ptu_unexplained_columns[] = {
	{ "WITHOUT CAUSE", "", 0, unexplained_why, "why", 0 },
	{ "LEVEL", "", 0, ptu_fill_level, "level", UNEXPLAINED(level) },
	{ "KIND", "", 0, unexplained_kind, NULL, 0 },
	{ "SEEN BY", "", 0, unexplained_side, "side", 0 },
	{ "FROM", "", PTU_RIGHT, ptu_fill_address, "start",
	  UNEXPLAINED(start) },
	{ "TO", "", PTU_RIGHT, ptu_fill_end, "end", UNEXPLAINED(end) },
	{ "ENTRIES", "", PTU_RIGHT, unexplained_entries, "entries", 0 },
	{ "LEAF", NULL, 0, ptu_fill_bool, "leaf", UNEXPLAINED(leaf) },
	{ "ESTIMATED", NULL, PTU_RIGHT, unexplained_estimated,
	  "entries_estimate", 0 },
	{ 0 },
};

static void orphan_walk(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_orphan_row *table = row;

	ptu_grid_words(cell, !table->in_orphans ? "mappings" :
			     !table->in_tables	? "all entries" :
						  "both");
}

static void orphan_note(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_orphan_row *table = row;

	if (table->outside)
		ptu_grid_words(cell, "outside all mappings");
	else if (table->in_tables && table->in_orphans)
		ptu_grid_words(cell, "in two page frames");
}

#define ORPHAN(member) offsetof(struct ptu_orphan_row, member)

const struct ptu_grid_column ptu_orphan_columns[] = {
	{ "SEEN BY WALK OF", "", 0, orphan_walk, NULL, 0 },
	{ "LEVEL", "", 0, ptu_fill_level, "level", ORPHAN(level) },
	{ "FROM", "", PTU_RIGHT, ptu_fill_address, "start", ORPHAN(start) },
	{ "TO", "", PTU_RIGHT, ptu_fill_end, "end", ORPHAN(end) },
	{ "ENTRIES", "", PTU_RIGHT, ptu_fill_number, "entries",
	  ORPHAN(entries) },
	{ "NOTE", "", 0, orphan_note, NULL, 0 },
	{ "IN-TABLES", NULL, 0, ptu_fill_bool, "in_tables", ORPHAN(in_tables) },
	{ "IN-ORPHANS", NULL, 0, ptu_fill_bool, "in_orphans",
	  ORPHAN(in_orphans) },
	{ "OUTSIDE", NULL, 0, ptu_fill_bool, "outside", ORPHAN(outside) },
	{ 0 },
};

static void shared_level(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_shared *table = row;

	ptu_grid_words(cell, ptu_level_name(table->level));
}

/* JSON shows it as a number. */
static void shared_pfn(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_shared *table = row;

	ptu_grid_number(cell, table->pfn);
	snprintf(cell->text, sizeof(cell->text), "0x%" PRIx64, table->pfn);
}

#define SHARED(member) offsetof(struct ptu_shared, member)

const struct ptu_grid_column ptu_shared_columns[] = {
	{ "SHARED", "", 0, shared_level, "level", 0 },
	{ "BY", "", PTU_RIGHT, ptu_fill_id, "sharers", SHARED(sharers) },
	{ "FROM", "", PTU_RIGHT, ptu_fill_address, "start", SHARED(start) },
	{ "TO", "", PTU_RIGHT, ptu_fill_end, "end", SHARED(end) },
	{ "PFN", "", PTU_RIGHT, shared_pfn, "pfn", 0 },
	{ 0 },
};
