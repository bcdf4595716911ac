// SPDX-License-Identifier: LGPL-2.1-or-later
/* Merge maps by address; must not know their source or appearance. */
#include "report/map_sheet.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A row of one map, used while rows are joined. */
struct part {
	const struct ptu_top_row *row;
	unsigned int side;
	size_t head; /* index of the first part of the same sheet row */
	unsigned int
		sides; /* only in the first part: sides of the row, a bit each */
};

static unsigned int item_level(unsigned int level, bool leaf)
{
	return leaf ? PTAUDIT_PTE : level;
}

/* Compare the sort order of items. */
static int compare_places(uint64_t start, unsigned int level,
			  uint64_t other_start, unsigned int other_level)
{
	if (start != other_start)
		return start < other_start ? -1 : 1;
	return (other_level > level) - (other_level < level);
}

static int compare_to_item(const struct ptu_map_table *table,
			   const struct ptu_sheet_item *item)
{
	return compare_places(table->start,
			      item_level(table->level,
					 table->flags & PTU_MAP_LEAF),
			      item->start, item->level);
}

/* Fill in the next place that any map has; return false if there is none. */
static bool next_item(const struct ptu_map_sheet *sheet, size_t *at,
		      struct ptu_sheet_item *ret)
{
	const struct ptu_map_table *first = NULL;
	unsigned int side;

	*ret = (struct ptu_sheet_item){ .row = PTU_MAP_NOWHERE };
	for (side = 0; side < sheet->nr_sides; side++) {
		const struct ptu_map_report *map = sheet->maps[side];
		const struct ptu_map_table *table = &map->tables[at[side]];

		if (at[side] == map->nr_tables ||
		    (first && compare_to_item(table, ret) >= 0))
			continue;
		first = table;
		ret->start = table->start;
		ret->level = (uint8_t)item_level(table->level,
						 table->flags & PTU_MAP_LEAF);
	}
	for (side = 0; first && side < sheet->nr_sides; side++) {
		const struct ptu_map_report *map = sheet->maps[side];

		if (at[side] < map->nr_tables &&
		    !compare_to_item(&map->tables[at[side]], ret))
			ret->of[side] = &map->tables[at[side]++];
	}
	return first != NULL;
}

static int make_items(struct ptu_map_sheet *sheet)
{
	size_t at[PTU_SHEET_SIDES] = { 0 };
	size_t side, most = 1;

	for (side = 0; side < sheet->nr_sides; side++)
		most += sheet->maps[side]->nr_tables;
	sheet->items = calloc(most, sizeof(*sheet->items));
	if (!sheet->items)
		return -ENOMEM;
	while (next_item(sheet, at, &sheet->items[sheet->nr_items]))
		sheet->nr_items++;
	return 0;
}

static int by_address(const void *a, const void *b)
{
	const struct part *left = a, *right = b;

	if (left->row->start != right->row->start)
		return left->row->start < right->row->start ? -1 : 1;
	return (left->side > right->side) - (left->side < right->side);
}

/*
 * Find the part with which a part is joined. The rows of one map do not overlap, so only
 * the last row of each map before this part can overlap it.
 * @last: (in) [PTU_SHEET_SIDES] the last part of each map before this one, or NULL
 *
 * Return: the index of the first part of its sheet row, @at if it is joined with none.
 */
static size_t head_of(const struct part *parts, size_t at,
		      const struct part *const *last)
{
	const struct part *part = &parts[at], *nearest = NULL;
	unsigned int side;

	for (side = 0; side < PTU_SHEET_SIDES; side++) {
		const struct part *other = last[side];

		if (other && other->row->end > part->row->start &&
		    !(parts[other->head].sides & 1u << part->side) &&
		    !strcmp(other->row->name, part->row->name) &&
		    (!nearest || other > nearest))
			nearest = other;
	}
	return nearest ? nearest->head : at;
}

/* List the rows of all maps by address; rows to be joined have the same .head. */
static struct part *join_rows(const struct ptu_map_sheet *sheet, size_t *ret_nr)
{
	const struct part *last[PTU_SHEET_SIDES] = { NULL };
	size_t side, i, nr = 0;
	struct part *parts;

	for (side = 0; side < sheet->nr_sides; side++)
		nr += sheet->maps[side]->nr_rows;
	parts = calloc(nr + 1, sizeof(*parts));
	if (!parts)
		return NULL;
	for (side = 0, nr = 0; side < sheet->nr_sides; side++)
		for (i = 0; i < sheet->maps[side]->nr_rows; i++)
			parts[nr++] = (struct part){
				.row = &sheet->maps[side]->rows[i],
				.side = (unsigned int)side
			};
	qsort(parts, nr, sizeof(*parts), by_address);
	for (i = 0; i < nr; i++) {
		struct part *part = &parts[i];

		part->head = head_of(parts, i, last);
		parts[part->head].sides |= 1u << part->side;
		last[part->side] = part;
	}
	*ret_nr = nr;
	return parts;
}

/* Sort the rows in the order of the last map, then of the maps before it. */
static int make_rows(struct ptu_map_sheet *sheet)
{
	size_t nr = 0, i, side = sheet->nr_sides;
	struct part *parts = join_rows(sheet, &nr);
	size_t *moved = calloc(nr + 1, sizeof(*moved));

	sheet->rows = calloc(nr + 1, sizeof(*sheet->rows));
	if (!parts || !moved || !sheet->rows) {
		free(parts);
		free(moved);
		return -ENOMEM;
	}
	while (side-- > 0) {
		const struct ptu_map_report *map = sheet->maps[side];
		size_t *at = calloc(map->nr_rows + 1, sizeof(*at));

		if (!at) {
			free(parts);
			free(moved);
			return -ENOMEM;
		}
		for (i = 0; i < nr; i++)
			if (parts[i].side == side)
				at[parts[i].row - map->rows] = parts[i].head;
		for (i = 0; i < map->nr_rows; i++) {
			size_t *place = &moved[at[i]];

			if (!*place)
				*place = ++sheet->nr_rows;
			sheet->rows[*place - 1].of[side] = &map->rows[i];
		}
		free(at);
	}
	free(parts);
	free(moved);
	return 0;
}

/* Row of one map, and its index on the sheet. */
struct span {
	uint64_t start;
	uint64_t end;
	uint32_t row;
};

static int compare_spans(const void *a, const void *b)
{
	const struct span *left = a, *right = b;

	return (left->start > right->start) - (left->start < right->start);
}

static uint32_t row_at(const struct span *spans, size_t nr, uint64_t addr)
{
	size_t low = 0, high = nr;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (spans[middle].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low && addr < spans[low - 1].end ? spans[low - 1].row :
						  PTU_MAP_NOWHERE;
}

/*
 * Set .row of each item: the row with the mapping of its table. Maps can disagree on
 * the mapping; the first map that has the table and its mapping decides.
 */
static int place_items(struct ptu_map_sheet *sheet)
{
	struct span *spans = calloc(sheet->nr_rows + 1, sizeof(*spans));
	unsigned int side;
	size_t i;

	if (!spans)
		return -ENOMEM;
	for (side = 0; side < sheet->nr_sides; side++) {
		const struct ptu_process *p = &sheet->maps[side]->process;
		size_t nr = 0;

		for (i = 0; i < sheet->nr_rows; i++) {
			const struct ptu_top_row *row = sheet->rows[i].of[side];

			if (row)
				spans[nr++] = (struct span){ row->start,
							     row->end,
							     (uint32_t)i };
		}
		qsort(spans, nr, sizeof(*spans), compare_spans);
		for (i = 0; i < sheet->nr_items; i++) {
			struct ptu_sheet_item *item = &sheet->items[i];
			const struct ptu_map_table *table = item->of[side];

			if (table && item->row == PTU_MAP_NOWHERE &&
			    table->mapping != PTU_MAP_NOWHERE)
				item->row = row_at(spans, nr,
						   p->mappings[table->mapping]
							   .start);
		}
	}
	free(spans);
	return 0;
}

static void mark(struct ptu_map_sheet *sheet, struct ptu_sheet_item *item,
		 unsigned int mark)
{
	sheet->marked[mark]++;
	if (!item)
		return;
	if (item->row != PTU_MAP_NOWHERE)
		sheet->rows[item->row].marked[mark]++;
	if (mark > item->mark)
		item->mark = (uint8_t)mark;
}

static bool may_be_table(const struct ptu_map_table *table)
{
	return table && !(table->flags & PTU_MAP_LEAF);
}

static bool is_table(const struct ptu_map_table *table)
{
	return may_be_table(table) && !(table->flags & PTU_MAP_POSSIBLE);
}

static void mark_change(struct ptu_map_sheet *sheet)
{
	size_t i;

	for (i = 0; i < sheet->nr_items; i++) {
		struct ptu_sheet_item *item = &sheet->items[i];

		if (is_table(item->of[0]) && !may_be_table(item->of[1]))
			mark(sheet, item, PTU_MARK_WENT);
		if (is_table(item->of[1]) && !may_be_table(item->of[0]))
			mark(sheet, item, PTU_MARK_CAME);
	}
}

int ptu_sheet_make(struct ptu_map_sheet *sheet)
{
	int error = make_items(sheet);

	if (!error)
		error = make_rows(sheet);
	if (!error)
		error = place_items(sheet);
	if (!error && sheet->kind == PTU_SHEET_CHANGE)
		mark_change(sheet);
	return error;
}

void ptu_sheet_mark(struct ptu_map_sheet *sheet, uint64_t start,
		    unsigned int level, bool leaf, unsigned int why)
{
	size_t low = 0, high = sheet->nr_items;

	level = item_level(level, leaf);
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		struct ptu_sheet_item *item = &sheet->items[middle];
		const int order = compare_places(start, level, item->start,
						 item->level);

		if (!order) {
			mark(sheet, item, why);
			return;
		}
		if (order > 0)
			low = middle + 1;
		else
			high = middle;
	}
	mark(sheet, NULL, why);
}

bool ptu_sheet_is_drawn(const struct ptu_sheet_item *item)
{
	return item->level == PTAUDIT_PTE || item->mark;
}

const struct ptu_top_row *ptu_sheet_row_first(const struct ptu_sheet_row *row)
{
	size_t side = 0;

	while (!row->of[side])
		side++;
	return row->of[side];
}

const char *ptu_mark_name(unsigned int mark)
{
	return mark == PTU_MARK_CAME ? "came" :
	       mark == PTU_MARK_WENT ? "went" :
				       ptu_why_name(mark);
}

const char *ptu_mark_sentence(unsigned int mark)
{
	return mark == PTU_MARK_CAME ?
		       "a table that exists only on the second side" :
	       mark == PTU_MARK_WENT ?
		       "a table that exists only on the first side" :
		       ptu_why_sentence(mark);
}

void ptu_sheet_deinit(struct ptu_map_sheet *sheet)
{
	free(sheet->items);
	free(sheet->rows);
	sheet->items = NULL;
	sheet->rows = NULL;
}
