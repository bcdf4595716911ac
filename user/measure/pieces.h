/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Read a process with very many tables in pieces, to limit the memory use. */
#ifndef PTU_MEASURE_PIECES_H
#define PTU_MEASURE_PIECES_H

#include <stdbool.h>

#include "model/geometry.h"
#include "model/table_set.h"
#include "model/vma.h"

/* Largest number of PTE tables that are read at once; all empty ones are found. */
#define PTU_PIECE_TABLES 32768u

/**
 * struct ptu_pieces - tables that were counted in earlier pieces
 * @any: bit per level: @last is set
 * @last: [level] start of the last table that was counted
 */
struct ptu_pieces {
	unsigned int any;
	uint64_t last[PTAUDIT_NR_LEVELS];
};

/**
 * ptu_is_large() - Does a process with this VmPTE have to be read in pieces?
 */
bool ptu_is_large(const struct ptu_geometry *geo, uint64_t vmpte_bytes);

/**
 * ptu_pieces_each() - Call a function for each piece of the mapped ranges, in
 *	ascending order.
 * @fn: a return value other than 0 ends it
 *
 * Return: the last return value of @fn; 0 without a mapping.
 */
int ptu_pieces_each(const struct ptu_vmas *vmas, const struct ptu_geometry *geo,
		    int (*fn)(void *arg, uint64_t start, uint64_t end),
		    void *arg);

/**
 * ptu_pieces_is_new() - Was the table not in an earlier piece?
 *
 * PUD and higher tables can be in several pieces.  Tables have to be passed in
 * ascending order.
 */
bool ptu_pieces_is_new(struct ptu_pieces *pieces, unsigned int level,
		       uint64_t start);

#endif
