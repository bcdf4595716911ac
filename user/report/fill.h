/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How full PTE tables are.  Pure. */
#ifndef PTU_REPORT_FILL_H
#define PTU_REPORT_FILL_H

#include <stdbool.h>
#include <stdint.h>

/* By used entries: 0, 1 to 8, 9 to 64, 65 up to one less than all, all. */
enum ptu_fill_class {
	PTU_FILL_EMPTY,
	PTU_FILL_8,
	PTU_FILL_64,
	PTU_FILL_SOME,
	PTU_FILL_ALL,
	PTU_NR_FILLS
};

/**
 * struct ptu_fill - PTE tables by their used entries
 * @tables: PTE tables
 * @counted: of these, those whose used entries were counted
 * @entries: used entries of these
 * @room: entries that these have
 * @in_class: [PTU_NR_FILLS] the same tables by class
 * @unasked: PTE tables that may be empty: nobody looked
 */
struct ptu_fill {
	uint64_t tables;
	uint64_t counted;
	uint64_t entries;
	uint64_t room;
	uint64_t in_class[PTU_NR_FILLS];
	uint64_t unasked;
};

/**
 * ptu_fill_add() - Enter a table whose used entries were counted.
 * @room: (in) entries that it has
 */
void ptu_fill_add(struct ptu_fill *fill, unsigned int entries,
		  unsigned int room);

/**
 * ptu_fill_merge() - Add the counts of @other to @fill.
 */
void ptu_fill_merge(struct ptu_fill *fill, const struct ptu_fill *other);

/**
 * ptu_fill_is_whole() - Was each table counted, and is there one?
 */
bool ptu_fill_is_whole(const struct ptu_fill *fill);

/**
 * ptu_fill_permille() - Used entries of the counted tables, of 1000.
 *
 * Rounded to nearest, but 0 and 1000 are exact.
 */
unsigned int ptu_fill_permille(const struct ptu_fill *fill);

/**
 * ptu_fill_class_name() - "0", "1-8", "9-64", "65-511", "512".
 * @room: (in) entries of a table
 *
 * Return: @ret.
 */
const char *ptu_fill_class_name(enum ptu_fill_class which, unsigned int room,
				char ret[32]);

#endif
