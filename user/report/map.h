/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the tables of one address space are, as data. */
#ifndef PTU_REPORT_MAP_H
#define PTU_REPORT_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/geometry.h"
#include "model/host.h"
#include "report/report.h"
#include "report/top.h"

/* ptu_map_table.mapping of a table in whose reach no mapping lies */
#define PTU_MAP_NOWHERE UINT32_MAX

/* ptu_map_table.flags */
#define PTU_MAP_LEAF \
	0x1u /* a huge page, mapped by an entry of a table of .level */
#define PTU_MAP_SHARED 0x2u /* other places map it too; a leaf: lies in such */
#define PTU_MAP_POSSIBLE \
	0x4u		     /* the estimator cannot tell whether it is there */
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
 * struct ptu_map_report - the picture of an address space
 * @process: whose; .mappings, .empty, .shared, .deposited_tables and .vmpte_bytes
 *	are filled in; of an estimate also .residual_bytes
 * @source: where the tables were read
 * @estimator: its name, or NULL: the tables are the kernel's
 * @tables: [nr_tables] by address, the higher level first
 * @fills: of the certain tables of each level
 * @leaves: huge pages of each level
 * @possible: tables that may be there, of each level
 * @rows: [nr_rows] neighbouring mappings of one kind, the most waste first
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
 * ptu_map_waste_bytes() - Memory of the entries that are not used.
 * @fill: (in) of PTE tables that were counted
 */
uint64_t ptu_map_waste_bytes(const struct ptu_map_report *report,
			     const struct ptu_fill *fill);

/**
 * ptu_map_total_bytes() - Memory of the tables of all levels, and of deposits.
 */
uint64_t ptu_map_total_bytes(const struct ptu_map_report *report);

/**
 * ptu_map_unseen_bytes() - What VmPTE has beside the tables that are drawn.
 *
 * Return: bytes; 0 unless the source sees no empty tables.
 */
uint64_t ptu_map_unseen_bytes(const struct ptu_map_report *report);

/**
 * ptu_map_name() - What a table is for, as the rows have it.
 *
 * Return: a path, or a word in brackets; "-" for the PGD.
 */
const char *ptu_map_name(const struct ptu_map_report *report,
			 const struct ptu_map_table *table);

/**
 * ptu_map_order() - Sort the rows: most waste, most memory, lowest address.
 */
void ptu_map_order(struct ptu_map_report *report);

#endif
