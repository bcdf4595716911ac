/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The page tables of a set of processes, each counted once, and the memory that is
 * mapped through shared tables.  Pure.
 */
#ifndef PTU_COMPARE_FOOTPRINT_TABLES_H
#define PTU_COMPARE_FOOTPRINT_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/geometry.h"
#include "model/vma.h"
#include "report/footprint.h"

struct ptu_footprint_shared;

/**
 * struct ptu_footprint_tables - tables that are mapped at several places
 * @known: the list is complete, because the module was asked
 * @shared: [nr_shared] by page frame
 * @reach_bytes: bytes that a PMD table maps; 0: unknown
 */
struct ptu_footprint_tables {
	bool known;
	struct ptu_footprint_shared *shared;
	size_t nr_shared;
	uint64_t reach_bytes;
};

/**
 * ptu_footprint_tables_above() - Without the module: find the tables missing in
 *	VmPTE.
 * @vmas: (in) mappings, ascending; only needed with five levels
 * @ret: (in, out) sets .levels[].bytes of the PGD, and of one P4D table for each
 *	PGD entry whose range contains a mapping
 */
void ptu_footprint_tables_above(const struct ptu_geometry *geo,
				const struct ptu_vmas *vmas,
				struct ptu_process *ret);

/**
 * ptu_footprint_tables_add_up() - Sum up the tables of the processes.
 * @report: (in, out) in: .base.processes[].levels, .shared and .deposited_tables; if
 *	not .by_module: .vmpte_bytes and .levels[].bytes of the upper levels. out:
 *	.rows[].tables, .tables and .base.set
 * @ret: (out) free with ptu_footprint_tables_deinit(); the caller sets .reach_bytes
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int
ptu_footprint_tables_add_up(struct ptu_footprint_report *report,
			    struct ptu_footprint_tables *ret);

/**
 * ptu_footprint_tables_how() - How is the memory at an address reached?
 * @process: (in) a process of the report
 * @vma: (in) the mapping that contains @addr
 * @ret_end: (out) end of the range with the same answer
 *
 * Return: PTU_FOOTPRINT_*; 0 if no other process can share the table.
 */
unsigned int ptu_footprint_tables_how(const struct ptu_footprint_tables *tables,
				      const struct ptu_process *process,
				      const struct ptu_vma *vma, uint64_t addr,
				      uint64_t *ret_end);

/**
 * ptu_footprint_tables_done() - Mark the tables of a process as visited.
 */
void ptu_footprint_tables_done(struct ptu_footprint_tables *tables,
			       const struct ptu_process *process);

void ptu_footprint_tables_deinit(struct ptu_footprint_tables *tables);

#endif
