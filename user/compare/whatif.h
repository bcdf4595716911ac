/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the tables that could be freed, from mappings and tables.  Pure; must not
 * ask the kernel what it would do.
 */
#ifndef PTU_COMPARE_WHATIF_H
#define PTU_COMPARE_WHATIF_H

#include "base/err.h"
#include "model/geometry.h"
#include "model/table_set.h"
#include "model/vma.h"
#include "report/whatif.h"

/**
 * struct ptu_whatif_space - data of one address space
 * @vmas: its mappings, with flags if they were read
 * @tables: its tables; only PTU_CERTAIN ones are used
 * @mm: its index in the report
 */
struct ptu_whatif_space {
	const struct ptu_geometry *geo;
	const struct ptu_vmas *vmas;
	const struct ptu_tables *tables;
	size_t mm;
};

/**
 * ptu_whatif_count() - Count all PTE tables and those of anonymous memory.
 */
void ptu_whatif_count(const struct ptu_whatif_space *space,
		      struct ptu_whatif_mm *ret);

/**
 * ptu_whatif_add_empties() - Add a row for each run of empty tables.
 *
 * A table is not called empty if its reach contains a mapping that pagemap does not
 * show, or one with unknown flags.
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_whatif_add_empties(const struct ptu_whatif_space *space,
					  struct ptu_whatif_report *report);

/**
 * ptu_whatif_only_file() - Find the only file that is mapped in a table's reach.
 *
 * Return: the first of its mappings there; NULL if there is another mapping or none.
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
 * ptu_whatif_sum_unmaps() - Add up the rows of each file to one row, and sort these
 *	rows by tables, descending.
 */
void ptu_whatif_sum_unmaps(struct ptu_whatif_report *report);

/**
 * ptu_whatif_add_doubled() - Find mappings whose memory the process maps twice.
 *
 * A row is a shared mapping for which another mapping has the same part of the file
 * with the same permissions, and a table for everything that is mapped in the first
 * one.
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_whatif_add_doubled(const struct ptu_whatif_space *space,
					  struct ptu_whatif_report *report);

/**
 * ptu_whatif_find_file() - Find the shared file of a mapping.
 *
 * Return: its index; report->nr_files if there is none.
 */
size_t ptu_whatif_find_file(const struct ptu_whatif_report *report,
			    const struct ptu_vma *vma);

/**
 * ptu_whatif_add_places() - Add a place for each PTE table that maps a shared file.
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_whatif_add_places(const struct ptu_whatif_space *space,
					 struct ptu_whatif_report *report);

/**
 * ptu_whatif_add_windows() - Find the windows of all places.
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_whatif_add_windows(struct ptu_whatif_report *report);

/**
 * ptu_whatif_see_window() - Record which pages of a window are in memory.
 * @vec: (in) [slot_bytes / page_bytes] as in mincore(2)
 * @data_pages: (in) number of pages for which the file has data
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_whatif_see_window(struct ptu_whatif_report *report,
					 struct ptu_whatif_window *window,
					 const unsigned char *vec,
					 uint64_t data_pages);

/**
 * ptu_whatif_add_up() - Decide for all windows which tables can be freed.
 * @report: (in, out) .reclaim.max_fill_bytes is used if .has_limit is set
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_whatif_add_up(struct ptu_whatif_report *report);

/**
 * ptu_whatif_is_predicted() - Is the place's table predicted to be freed?
 */
static inline bool ptu_whatif_is_predicted(const struct ptu_whatif_place *place)
{
	return place->block == PTU_BLOCK_NONE;
}

/**
 * ptu_whatif_find_window() - Find the window of a place; NULL if there is none.
 */
struct ptu_whatif_window *
ptu_whatif_find_window(const struct ptu_whatif_report *report, size_t file,
		       uint64_t offset);

#endif
