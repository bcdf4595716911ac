/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A set of tables as an estimator draws it: sorted, each table once.  Pure.
 */
#ifndef PTU_MODEL_TABLE_SET_H
#define PTU_MODEL_TABLE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/geometry.h"
#include "model/vma_changes.h"

enum ptu_claim {
	PTU_CERTAIN = 1,	/* a table is there */
	PTU_POSSIBLE,		/* a table or a leaf is there; the interface cannot tell */
	PTU_LEAF,		/* a leaf is there, in the table at .level */
	PTU_MAYBE		/* a table is there, or nothing; the same of those above */
};

/**
 * struct ptu_table - one claim of an estimator
 * @start: first address that the table maps; for PTU_LEAF: that the leaf maps
 * @level: enum ptaudit_level; for PTU_LEAF: of the table that the leaf lies in
 * @claim: enum ptu_claim
 * @counted: @entries says how many entries of a PTE table are used
 * @unasked: it is not known whether any is
 * @entries: present ones, swap entries, markers: whatever pagemap shows
 */
struct ptu_table {
	uint64_t start;
	uint8_t level;
	uint8_t claim;
	bool counted;
	bool unasked;
	uint16_t entries;
};

/**
 * struct ptu_tables - claims in the order of start, the higher level first,
 * tables before leaves
 */
struct ptu_tables {
	struct ptu_table *tables;
	size_t nr_tables;
	size_t capacity;
	const struct ptu_geometry *geo;
	/* what was claimed last: its address, and at each level its table */
	uint64_t last_addr;
	uint64_t last_start[PTAUDIT_NR_LEVELS];
	unsigned int known;	/* bit per level: last_start holds something */
	unsigned int certain;	/* bit per level: that table is certain */
};

/**
 * struct ptu_stated - how many tables a formula claims, without their places
 * @stated: a bit per level of which it says anything
 * @tables: of these levels
 */
struct ptu_stated {
	unsigned int stated;
	uint64_t tables[PTAUDIT_NR_LEVELS];
};

/**
 * ptu_tables_init() - An empty set; the PGD is added with the first claim or
 * by ptu_tables_add_pgd().
 */
void ptu_tables_init(struct ptu_tables *set, const struct ptu_geometry *geo);

/**
 * ptu_tables_add() - Claim a table or a leaf, and all tables above it.
 * @set: the set
 * @level: (in) of the table, or of the table that the leaf lies in
 * @addr: (in) any address that it maps; ascending from call to call
 * @claim: (in) for this one; the tables above it are certain
 *
 * A claim made twice stands once; PTU_CERTAIN overrules PTU_POSSIBLE.
 *
 * Return: 0; -EINVAL for an address out of order; -ENOMEM.
 */
ptu_must_check int ptu_tables_add(struct ptu_tables *set, unsigned int level,
				  uint64_t addr, enum ptu_claim claim);

/**
 * ptu_tables_append() - Claim just this table; nothing is added above it.
 * @claim: (in) not before the last one; a claim made twice stands once
 *
 * Return: 0; -EINVAL out of order; -ENOMEM.
 */
ptu_must_check int ptu_tables_append(struct ptu_tables *set,
				     const struct ptu_table *claim);

/**
 * ptu_tables_count_entries() - Say how full the PTE table claimed last is.
 * @nr: (in) its entries in one mapping; those of several add up
 */
void ptu_tables_count_entries(struct ptu_tables *set, unsigned int nr);

/**
 * ptu_tables_leave_open() - The PTE table claimed last may be empty or not.
 */
void ptu_tables_leave_open(struct ptu_tables *set);

/**
 * ptu_tables_forget_entries() - No table is counted any more.
 */
void ptu_tables_forget_entries(struct ptu_tables *set);

/**
 * ptu_tables_doubt() - Claim as PTU_MAYBE what lies where mappings changed.
 * @changed: (in) sorted
 *
 * A table above stays certain if one below it does.
 *
 * Return: how many tables were certain or possible before.
 */
size_t ptu_tables_doubt(struct ptu_tables *set,
			const struct ptu_spans *changed);

/**
 * ptu_tables_add_pgd() - Every mm has one.
 */
ptu_must_check int ptu_tables_add_pgd(struct ptu_tables *set);

/**
 * ptu_tables_count() - Claims of one kind at each level.
 * @counts: (out) [PTAUDIT_NR_LEVELS]
 */
void ptu_tables_count(const struct ptu_tables *set, enum ptu_claim claim,
		      uint64_t *counts);

void ptu_tables_deinit(struct ptu_tables *set);

#endif
