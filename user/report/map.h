/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The locations of the tables in one address space, as data. */
#ifndef PTU_REPORT_MAP_H
#define PTU_REPORT_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/geometry.h"
#include "model/host.h"
#include "report/report.h"
#include "report/top.h"

/* ptu_map_table.mapping of a table whose reach contains no mapping */
#define PTU_MAP_NOWHERE UINT32_MAX

/* ptu_map_table.flags */
#define PTU_MAP_LEAF \
	0x1u /* a huge page, mapped by an entry of a table of .level */
#define PTU_MAP_SHARED \
	0x2u /* mapped at other places too, or a leaf in such a table */
#define PTU_MAP_POSSIBLE \
	0x4u		     /* the estimator cannot decide whether it exists */
#define PTU_MAP_COUNTED 0x8u /* .entries is known */

/**
 * struct ptu_map_table - a table, or a huge page
 * @start: first address that it maps
 * @mapping: index in the process's mappings, or PTU_MAP_NOWHERE
 * @entries: used entries
 * @level: enum ptaudit_level
 * @flags: PTU_MAP_*
 */
struct ptu_map_table {
	uint64_t start;
	uint32_t mapping;
	uint16_t entries;
	uint8_t level;
	uint8_t flags;
};

/**
 * struct ptu_map_report - map of an address space
 * @process: the process; .mappings, .empty, .shared, .deposited_tables and
 *	.vmpte_bytes are set; for an estimate also .residual_bytes
 * @source: source of the tables
 * @estimator: name of the estimator, or NULL: the tables are the kernel's
 * @tables: [nr_tables] by address, the higher level first
 * @fills: [level] fill of the certain tables
 * @leaves: [level] huge pages
 * @possible: [level] possible tables
 * @rows: [nr_rows] adjacent mappings of one kind, in descending order of waste
 */
struct ptu_map_report {
	struct ptu_host host;
	char boot_id[64];
	struct ptu_geometry geo;
	struct ptu_process process;
	enum ptu_top_source source;
	const char *estimator;
	struct ptu_map_table *tables;
	size_t nr_tables;
	struct ptu_fill fills[PTAUDIT_NR_LEVELS];
	uint64_t leaves[PTAUDIT_NR_LEVELS];
	uint64_t possible[PTAUDIT_NR_LEVELS];
	struct ptu_top_row *rows;
	size_t nr_rows;
};

void ptu_map_report_deinit(struct ptu_map_report *report);

/**
 * ptu_map_waste_bytes() - Memory of unused entries of PTE tables, and of tables above
 *	them that hold nothing.
 * @fill: (in) counted PTE tables
 */
uint64_t ptu_map_waste_bytes(const struct ptu_map_report *report,
			     const struct ptu_fill *fill);

/**
 * ptu_map_total_bytes() - Memory of the tables of all levels, including deposited
 *	ones.
 */
uint64_t ptu_map_total_bytes(const struct ptu_map_report *report);

/**
 * ptu_map_unseen_bytes() - Part of VmPTE that is not explained by the drawn tables.
 *
 * Return: bytes; 0 for the kernel's tables.
 */
uint64_t ptu_map_unseen_bytes(const struct ptu_map_report *report);

/**
 * ptu_map_name() - Name of a table's mapping, as in the rows.
 *
 * Return: a path, or a word in brackets; "-" for the PGD.
 */
const char *ptu_map_name(const struct ptu_map_report *report,
			 const struct ptu_map_table *table);

/**
 * ptu_map_order() - Sort the rows by waste, then memory, then address.
 */
void ptu_map_order(struct ptu_map_report *report);

#endif
