/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes answers of the module's `tables`, and claims of an estimator, for
 * tests.  All its arithmetic is its own: it calls nothing below user/ that
 * computes an address.
 *
 * Tests put in what a page table holds; the builder adds the tables above,
 * runs, order, sums and sizes.  It aborts where a test asks for the impossible.
 */
#ifndef BUILD_H
#define BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/geometry.h"
#include "model/kernel_tables.h"
#include "model/table_set.h"
#include "model/vma.h"

#define BUILD_ENTRIES 512

#define KIB UINT64_C(1024)
#define MIB (KIB * 1024)
#define GIB (MIB * 1024)
#define TIB (GIB * 1024)

/* Where the kernel maps the LDT under PTI, with 4 and with 5 levels. */
#define LDT_4 UINT64_C(0xffff880000000000)
#define LDT_5 UINT64_C(0xff10000000000000)

/**
 * struct build_table - a table that is going to have a record
 * @record: its record; .used and the counts of an upper table are filled in
 *	by build_image()
 * @kind: what each entry is, in an upper table
 * @flags: PTAUDIT_T_* of each entry, as its run will have them
 */
struct build_table {
	struct ptaudit_table record;
	uint8_t kind[BUILD_ENTRIES];
	uint8_t flags[BUILD_ENTRIES];
};

/**
 * struct build - an answer in the making
 * @geo: filled in by hand for 4 or 5 levels
 * @header: what the answer will have; sums and number of records apart
 * @tables: [nr_tables], in no order
 * @nr_made: tables that ever were, for a page frame of its own for each
 * @vmas: the mappings of the process; no part of the answer
 */
struct build {
	struct ptu_geometry geo;
	struct ptaudit_header header;
	struct build_table **tables;
	size_t nr_tables;
	size_t nr_made;
	struct ptu_vmas vmas;
};

/**
 * build_init() - A process that has nothing but its PGD.
 * @nr_levels: 4 or 5
 */
void build_init(struct build *b, unsigned int nr_levels, bool pti);

/**
 * build_table() - A table that maps @addr, and those above it.
 *
 * Made twice it is there once.  Addresses of the kernel half are the LDT's.
 *
 * Return: its record, to be changed at will; valid until build_deinit().
 */
struct ptaudit_table *build_table(struct build *b, unsigned int level,
				  uint64_t addr);

/**
 * build_pte() - A PTE table with so many present entries.
 */
struct ptaudit_table *build_pte(struct build *b, uint64_t addr,
				unsigned int present);

/**
 * build_entries() - Entries of an upper table that are not pointers to tables.
 * @level: of the table
 * @addr: that the first of them maps
 * @nr: neighbours, all in one table
 * @flags: PTAUDIT_T_PFNMAP or 0
 *
 * Return: the record of the table.
 */
struct ptaudit_table *build_entries(struct build *b, unsigned int level,
				    uint64_t addr, unsigned int nr,
				    enum ptaudit_kind kind, unsigned int flags);

/**
 * build_forget() - Take a table out, its entry above too, but nothing else.
 */
void build_forget(struct build *b, unsigned int level, uint64_t addr);

/**
 * build_map() - A mapping, in place of what was mapped there.
 * @flags: PTU_VM_*; known, as after a look at smaps
 */
void build_map(struct build *b, uint64_t start, uint64_t end,
	       unsigned int flags);

/**
 * build_unmap() - No mapping there; the tables stay as they are.
 */
void build_unmap(struct build *b, uint64_t start, uint64_t end);

/**
 * build_forget_flags() - As if smaps had not been read.
 */
void build_forget_flags(struct build *b);

/**
 * build_range() - The answer to `PID START END`.
 */
void build_range(struct build *b, uint64_t start, uint64_t end);

/**
 * build_image() - The bytes of the answer.
 * @nr_bytes: (out)
 *
 * The mm's counter in the header is what the tables sum up to, unless the test
 * has set it.
 *
 * Return: to be freed.
 */
void *build_image(const struct build *b, size_t *nr_bytes);

/**
 * build_snapshot() - The answer as the tool takes it over.
 *
 * For tests of what comes behind the parser; aborts if it refuses.
 */
struct ptu_snapshot build_snapshot(const struct build *b);

void build_deinit(struct build *b);

/**
 * build_claim() - Put a claim into its place, and those above it.
 * @set: zeroed, or with earlier claims; ptu_tables_deinit() frees it
 */
void build_claim(struct ptu_tables *set, const struct ptu_geometry *geo,
		 unsigned int level, uint64_t addr, enum ptu_claim claim);

#endif
