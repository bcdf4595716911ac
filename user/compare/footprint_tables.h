/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The page tables of a set of processes, each once, and which memory is mapped
 * by tables that several of them share.  Pure.
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
 * struct ptu_footprint_tables - the tables that several places have
 * @known: the module was asked, so that these are all
 * @shared: [nr_shared] by page frame
 * @reach_bytes: what a PMD table maps; 0: not known
 */
struct ptu_footprint_tables {
	bool known;
	struct ptu_footprint_shared *shared;
	size_t nr_shared;
	uint64_t reach_bytes;
};

/**
 * ptu_footprint_tables_above() - Without the module: the tables that VmPTE lacks.
 * @vmas: (in) mappings, ascending; they need be there with five levels only
 * @ret: (in, out) .levels[].bytes of the PGD, and of a P4D table for each part
 *	of its reach in which there is a mapping
 */
void ptu_footprint_tables_above(const struct ptu_geometry *geo,
				const struct ptu_vmas *vmas,
				struct ptu_process *ret);

/**
 * ptu_footprint_tables_add_up() - From the tables of the processes to their sums.
 * @report: (in, out) with .base.processes[].levels, .shared and
 *	.deposited_tables, or, if not .by_module, .vmpte_bytes and
 *	.levels[].bytes above; .rows[].tables and .tables are filled in; .base.set too
 * @ret: (out) deinit with ptu_footprint_tables_deinit(); .reach_bytes is the
 *	caller's
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int
ptu_footprint_tables_add_up(struct ptu_footprint_report *report,
			    struct ptu_footprint_tables *ret);

/**
 * ptu_footprint_tables_how() - How is the memory at an address reached?
 * @process: (in) of the report that was added up
 * @vma: (in) the mapping in which @addr lies
 * @ret_end: (out) up to where the answer holds
 *
 * Return: PTU_FOOTPRINT_*; 0 for what no others can reach in the same way.
 */
unsigned int ptu_footprint_tables_how(const struct ptu_footprint_tables *tables,
				      const struct ptu_process *process,
				      const struct ptu_vma *vma, uint64_t addr,
				      uint64_t *ret_end);

/**
 * ptu_footprint_tables_done() - The pages of a process have been taken in.
 */
void ptu_footprint_tables_done(struct ptu_footprint_tables *tables,
			       const struct ptu_process *process);

void ptu_footprint_tables_deinit(struct ptu_footprint_tables *tables);

#endif
