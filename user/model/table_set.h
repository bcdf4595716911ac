/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The set of tables that an estimator claims, sorted, without duplicates.  Pure. */
#ifndef PTU_MODEL_TABLE_SET_H
#define PTU_MODEL_TABLE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/geometry.h"
#include "model/vma_changes.h"

enum ptu_claim {
	PTU_CERTAIN = 1,	/* there is a table */
	PTU_POSSIBLE,		/* there is a table or a leaf */
	PTU_LEAF,		/* there is a leaf in the table at .level */
	PTU_MAYBE		/* there may be a table, or nothing */
};

/**
 * struct ptu_table - one claim of an estimator
 * @start: first address that the table maps; for PTU_LEAF: that the leaf maps
 * @level: enum ptaudit_level; for PTU_LEAF: level of the table that holds the leaf
 * @claim: enum ptu_claim
 * @counted: @entries holds the number of used entries; for an upper table only in a set
 *	made from the kernel's walk. In other sets @entries of an upper table are those that
 *	are not present: markers of hugetlb, and huge pages that are being migrated
 * @unasked: it is unknown whether the table is empty
 * @entries: present entries, swap entries and markers, as pagemap shows them
 * @markers: entries of a PTE table that are known to be markers: guard regions, and
 *	absent pages that userfaultfd write-protects
 * @zeros: entries of a PTE table that are known to map the zero page; 0 if not counted
 */
struct ptu_table {
	uint64_t start;
	uint8_t level;
	uint8_t claim;
	bool counted;
	bool unasked;
	uint16_t entries;
	uint16_t markers;
	uint16_t zeros;
};

/**
 * struct ptu_tables - claims sorted by start, then higher level, then table before
 *	leaf
 */
struct ptu_tables {
	struct ptu_table *tables;
	size_t nr_tables;
	size_t capacity;
	const struct ptu_geometry *geo;
	/* address of the last claim, and its table at each level */
	uint64_t last_addr;
	uint64_t last_start[PTAUDIT_NR_LEVELS];
	unsigned int known;	/* bit per level: last_start holds something */
	unsigned int certain;	/* bit per level: that table is certain */
};

/**
 * struct ptu_stated - numbers of tables that a program states, without addresses
 * @stated: bit per level: the program states this level
 * @tables: [level] number of tables
 */
struct ptu_stated {
	unsigned int stated;
	uint64_t tables[PTAUDIT_NR_LEVELS];
};

/**
 * ptu_tables_init() - Set up an empty set; the first claim or ptu_tables_add_pgd()
 *	adds the PGD.
 */
void ptu_tables_init(struct ptu_tables *set, const struct ptu_geometry *geo);

/**
 * ptu_tables_add() - Claim a table or a leaf, and all tables above it.
 * @set: the set
 * @level: (in) level of the table, or of the table that holds the leaf
 * @addr: (in) any address that it maps; ascending from call to call
 * @claim: (in) kind of this claim; the tables above it are certain
 *
 * Repeated claims are stored once; PTU_CERTAIN overrules PTU_POSSIBLE.
 *
 * Return: 0; -EINVAL for an address out of order; -ENOMEM.
 */
ptu_must_check int ptu_tables_add(struct ptu_tables *set, unsigned int level,
				  uint64_t addr, enum ptu_claim claim);

/**
 * ptu_tables_append() - Claim only this table, without the tables above it.
 * @claim: (in) not before the last one; repeated claims are stored once
 *
 * Return: 0; -EINVAL out of order; -ENOMEM.
 */
ptu_must_check int ptu_tables_append(struct ptu_tables *set,
				     const struct ptu_table *claim);

/**
 * ptu_tables_count_entries() - Add used entries to the last claimed PTE table.
 * @nr: (in) used entries in one mapping; several calls add up
 */
void ptu_tables_count_entries(struct ptu_tables *set, unsigned int nr);

/**
 * ptu_tables_count_markers() - Of the entries that were added to the last claimed PTE table,
 *	@nr more are markers.
 */
void ptu_tables_count_markers(struct ptu_tables *set, unsigned int nr);

/**
 * ptu_tables_count_zeros() - The same for @nr entries that map the zero page.
 */
void ptu_tables_count_zeros(struct ptu_tables *set, unsigned int nr);

/**
 * ptu_tables_count_absent() - Add an entry that is not present to the last claimed table of
 *	a level.
 * @addr: (in) address of a slot of the entry.  An entry of several slots counts at its first
 *	slot.  An entry of a PTE table does not count
 */
void ptu_tables_count_absent(struct ptu_tables *set, unsigned int level,
			     uint64_t addr);

/**
 * ptu_tables_leave_open() - Mark the last claimed PTE table as possibly empty.
 */
void ptu_tables_leave_open(struct ptu_tables *set);

/**
 * ptu_tables_forget_entries() - Drop the entry counts of all tables.
 */
void ptu_tables_forget_entries(struct ptu_tables *set);

/**
 * ptu_tables_doubt() - Downgrade claims in changed ranges to PTU_MAYBE.
 * @changed: (in) sorted
 *
 * A table stays certain if a table below it stays certain.
 *
 * Return: number of tables that were downgraded.
 */
size_t ptu_tables_doubt(struct ptu_tables *set,
			const struct ptu_spans *changed);

/**
 * ptu_tables_add_pgd() - Claim the PGD, which every mm has.
 */
ptu_must_check int ptu_tables_add_pgd(struct ptu_tables *set);

/**
 * ptu_tables_find() - Find the first claim at or above an address.
 *
 * Return: its index; .nr_tables if there is none.
 */
size_t ptu_tables_find(const struct ptu_tables *set, uint64_t start);

/**
 * ptu_tables_count() - Count the claims of one kind at each level.
 * @counts: (out) [PTAUDIT_NR_LEVELS]
 */
void ptu_tables_count(const struct ptu_tables *set, enum ptu_claim claim,
		      uint64_t *counts);

void ptu_tables_deinit(struct ptu_tables *set);

#endif
