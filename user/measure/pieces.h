/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Read a process with very many tables in pieces, to limit the memory use. */
#ifndef PTU_MEASURE_PIECES_H
#define PTU_MEASURE_PIECES_H

#include <stdbool.h>

#include "model/geometry.h"
#include "model/table_set.h"
#include "model/vma.h"

/* PTE tables of a piece.  In a piece of this size, an estimate finds every empty table. */
#define PTU_PIECE_TABLES 32768u

/**
 * struct ptu_pieces - the last table of each level that was counted
 * @any: bit per level: @last is set
 * @last: [level] start of that table
 */
struct ptu_pieces {
	unsigned int any;
	uint64_t last[PTAUDIT_NR_LEVELS];
};

/**
 * ptu_is_large() - Is a process with this VmPTE read in pieces?
 */
bool ptu_is_large(const struct ptu_geometry *geo, uint64_t vmpte_bytes);

/**
 * ptu_pieces_each() - Call a function for each piece of the mapped ranges, in
 *	ascending order.
 * @fn: if it does not return 0, no further piece is passed
 *
 * Return: the return value of the last call of @fn; 0 if nothing is mapped.
 */
int ptu_pieces_each(const struct ptu_vmas *vmas, const struct ptu_geometry *geo,
		    int (*fn)(void *arg, uint64_t start, uint64_t end),
		    void *arg);

/**
 * ptu_pieces_is_new() - Is the table counted for the first time?
 *
 * The range of a PUD table, or of a table above it, can be divided between several
 * pieces; each of them reports the table.  The caller passes the tables in ascending
 * order.
 */
bool ptu_pieces_is_new(struct ptu_pieces *pieces, unsigned int level,
		       uint64_t start);

#endif
