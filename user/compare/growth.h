/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compare two sets of tables of one process by address.  Pure. */
#ifndef PTU_COMPARE_GROWTH_H
#define PTU_COMPARE_GROWTH_H

#include "base/err.h"
#include "model/table_set.h"
#include "model/vma.h"
#include "report/growth.h"

/**
 * struct ptu_growth_side - tables at one moment
 * @tables: only certain tables count; a table that is certain on one side and possible on
 *	the other one counts on both
 * @vmas: the mappings at that moment
 */
struct ptu_growth_side {
	const struct ptu_tables *tables;
	const struct ptu_vmas *vmas;
};

/**
 * ptu_growth_between() - Find added and freed tables, by level and by mapping.
 * @ret: (out) deinit with ptu_growth_deinit()
 *
 * Added tables are assigned to the later mappings, freed tables to the earlier ones.
 * Then adjacent mappings with the same name, less than a PMD table's reach apart, share
 * a row.
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_growth_between(const struct ptu_growth_side *before,
				      const struct ptu_growth_side *after,
				      const struct ptu_geometry *geo,
				      struct ptu_growth *ret);

#endif
