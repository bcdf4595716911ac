/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which mappings a process's table memory is for, and a sentence on it.  Pure. */
#ifndef PTU_COMPARE_TOP_WHY_H
#define PTU_COMPARE_TOP_WHY_H

#include "base/err.h"
#include "model/geometry.h"
#include "report/report.h"
#include "report/top.h"

/**
 * ptu_top_join() - Neighbouring mappings of one kind as one row.
 * @rows: (in) as of ptu_tally_mappings()
 * @sees_empty: (in) tables that hold nothing are among their tables
 * @ret: (out) [*ret_nr] by address; those without tables left out; free() it
 *
 * Of one kind are mappings with the same name, less than a PMD table's reach
 * apart.
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_top_join(const struct ptu_mapping_row *rows,
				size_t nr_rows, const struct ptu_geometry *geo,
				bool sees_empty, struct ptu_top_row **ret,
				size_t *ret_nr);

/**
 * ptu_top_say_why() - Name the mappings that waste most, or that have most.
 * @joined: (in) of ptu_top_join()
 * @row: (in, out) the process: .why, and .empty_tables where these were not seen
 * @nowhere_bytes: (in) what VmPTE has beside the tables and deposits that were
 *	seen, of a source that does not see empty tables
 *
 * Where less than a quarter of the entries is unused, the tables are what the size of
 * the mappings takes: the mappings with most tables are named.
 */
void ptu_top_say_why(const struct ptu_top_row *joined, size_t nr_joined,
		     uint64_t nowhere_bytes, uint64_t page_bytes,
		     struct ptu_top_row *row);

#endif
