/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Assign a process's table memory to mappings, and describe it in a sentence.  Pure. */
#ifndef PTU_COMPARE_TOP_WHY_H
#define PTU_COMPARE_TOP_WHY_H

#include "base/err.h"
#include "model/geometry.h"
#include "report/report.h"
#include "report/top.h"

/**
 * ptu_top_join() - Join adjacent mappings of one kind to a row.
 * @rows: (in) from ptu_tally_mappings()
 * @sees_empty: (in) their tables include empty ones
 * @ret: (out) [*ret_nr] by address, without rows that have no tables; free() it
 *
 * Mappings are of one kind if they have the same name and are less than a PMD
 * table's reach apart.
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_top_join(const struct ptu_mapping_row *rows,
				size_t nr_rows, const struct ptu_geometry *geo,
				bool sees_empty, struct ptu_top_row **ret,
				size_t *ret_nr);

/**
 * ptu_top_say_why() - Name the mappings that waste most memory, or have most tables.
 * @page_bytes: (in) size of a PTE table
 * @joined: (in) from ptu_top_join()
 * @row: (in, out) the process: sets .why, and .empty_tables if the source does not show
 *	empty tables
 * @nowhere_bytes: (in) VmPTE without the tables and deposits that the estimator sees;
 *	0 for the kernel's tables
 *
 * If at least half of .total_bytes is deposited, the mappings with most deposits are
 * named.  If at least half of the tables belong to 16 or more rows with at least as many
 * tables above PTE tables as PTE tables, the number of these rows is named.  If less
 * than a quarter of the entries are unused, the size of the mappings explains the
 * tables: then the mappings with most tables are named.  Markers count
 * as used entries.  If at least half of the used entries of the named mappings are markers,
 * the sentence says so.
 */
void ptu_top_say_why(const struct ptu_top_row *joined, size_t nr_joined,
		     uint64_t nowhere_bytes, uint64_t page_bytes,
		     struct ptu_top_row *row);

#endif
