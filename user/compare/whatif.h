/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which tables could be given back: from mappings and tables to rows.  Pure; must
 * not ask the kernel what it would do.
 */
#ifndef PTU_COMPARE_WHATIF_H
#define PTU_COMPARE_WHATIF_H

#include "base/err.h"
#include "model/geometry.h"
#include "model/table_set.h"
#include "model/vma.h"
#include "report/whatif.h"

/**
 * struct ptu_whatif_space - what is known of an address space
 * @vmas: its mappings, with flags where they were read
 * @tables: its tables; only what is PTU_CERTAIN is looked at
 * @mm: its index in the report
 */
struct ptu_whatif_space {
	const struct ptu_geometry *geo;
	const struct ptu_vmas *vmas;
	const struct ptu_tables *tables;
	size_t mm;
};

/**
 * ptu_whatif_has_empty() - Is there a PTE table that is known to have no entry?
 */
bool ptu_whatif_has_empty(const struct ptu_tables *tables);

/**
 * ptu_whatif_count() - Count PTE tables: all, and those of anonymous memory.
 */
void ptu_whatif_count(const struct ptu_whatif_space *space,
		      struct ptu_whatif_mm *ret);

/**
 * ptu_whatif_add_empties() - A row for each run of empty tables.
 *
 * A table in whose reach a mapping lies that pagemap is silent about, or one
 * whose flags are not known, is not called empty.
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_whatif_add_empties(const struct ptu_whatif_space *space,
					  struct ptu_whatif_report *report);

/**
 * ptu_whatif_only_file() - Find the file whose mappings alone lie in a table's reach.
 *
 * Return: the first of its mappings there; NULL if another mapping or none lies there.
 */
const struct ptu_vma *ptu_whatif_only_file(const struct ptu_whatif_space *space,
					   const struct ptu_table *table);

/**
 * ptu_whatif_add_unmaps() - Add the tables that unmapping each file would free.
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_whatif_add_unmaps(const struct ptu_whatif_space *space,
					 struct ptu_whatif_report *report);

/**
 * ptu_whatif_sum_unmaps() - All are in: one row for each file, that with most first.
 */
void ptu_whatif_sum_unmaps(struct ptu_whatif_report *report);

/**
 * ptu_whatif_add_doubled() - Mappings whose memory the process has mapped twice.
 *
 * A row stands for a shared mapping of which another one has the same part of the
 * file, with the same permissions, and a table for all that is mapped in this one.
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_whatif_add_doubled(const struct ptu_whatif_space *space,
					  struct ptu_whatif_report *report);

/**
 * ptu_whatif_find_file() - The shared file that a mapping is of.
 *
 * Return: its index; report->nr_files where it is none.
 */
size_t ptu_whatif_find_file(const struct ptu_whatif_report *report,
			    const struct ptu_vma *vma);

/**
 * ptu_whatif_add_places() - A place for each PTE table that maps a shared file.
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_whatif_add_places(const struct ptu_whatif_space *space,
					 struct ptu_whatif_report *report);

/**
 * ptu_whatif_add_windows() - All places are in: the windows that they map.
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_whatif_add_windows(struct ptu_whatif_report *report);

/**
 * ptu_whatif_see_window() - What is in memory of a window.
 * @vec: (in) [slot_bytes / page_bytes] as mincore() fills it
 * @data_pages: (in) that the file has data for
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_whatif_see_window(struct ptu_whatif_report *report,
					 struct ptu_whatif_window *window,
					 const unsigned char *vec,
					 uint64_t data_pages);

/**
 * ptu_whatif_add_up() - Windows were looked at: what goes, and what stays why.
 * @report: (in, out) .reclaim.max_fill_bytes counts where .has_limit
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_whatif_add_up(struct ptu_whatif_report *report);

/**
 * ptu_whatif_is_predicted() - Is the table of the place said to go?
 */
static inline bool ptu_whatif_is_predicted(const struct ptu_whatif_place *place)
{
	return place->block == PTU_BLOCK_NONE;
}

/**
 * ptu_whatif_find_window() - The window that a place is of, or NULL.
 */
struct ptu_whatif_window *
ptu_whatif_find_window(const struct ptu_whatif_report *report, size_t file,
		       uint64_t offset);

#endif
