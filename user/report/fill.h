/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fill levels of PTE tables, and tables above them that hold nothing.  Pure. */
#ifndef PTU_REPORT_FILL_H
#define PTU_REPORT_FILL_H

#include <stdbool.h>
#include <stdint.h>

/* Classes of used entries: 0; 1 to 8; 9 to 64; 65 to all but one; all. */
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
 * @tables: number of PTE tables
 * @counted: tables whose used entries were counted
 * @entries: used entries of the counted tables
 * @markers: of @entries, those that are known to be guard regions or markers of userfaultfd,
 *	which map no page
 * @room: all entries of the counted tables
 * @in_class: [PTU_NR_FILLS] counted tables per class
 * @unasked: tables for which it is unknown whether they are empty
 * @hollow: tables above PTE tables that contain only empty ones
 */
struct ptu_fill {
	uint64_t tables;
	uint64_t counted;
	uint64_t entries;
	uint64_t markers;
	uint64_t room;
	uint64_t in_class[PTU_NR_FILLS];
	uint64_t unasked;
	uint64_t hollow;
};

/**
 * ptu_fill_add() - Add a counted table.
 * @room: (in) number of entries of the table
 */
void ptu_fill_add(struct ptu_fill *fill, unsigned int entries,
		  unsigned int room);

/**
 * ptu_fill_merge() - Add the counts of @other to @fill.
 */
void ptu_fill_merge(struct ptu_fill *fill, const struct ptu_fill *other);

/**
 * ptu_fill_is_whole() - Is there a table, and was every table counted?
 */
bool ptu_fill_is_whole(const struct ptu_fill *fill);

/**
 * ptu_fill_permille() - Used entries of the counted tables, in permille.
 *
 * Rounded to nearest; 0 and 1000 are exact.
 */
unsigned int ptu_fill_permille(const struct ptu_fill *fill);

/**
 * ptu_fill_class_name() - "0", "1-8", "9-64", "65-511", "512".
 * @room: (in) number of entries of a table
 *
 * Return: @ret.
 */
const char *ptu_fill_class_name(enum ptu_fill_class which, unsigned int room,
				char ret[32]);

#endif
