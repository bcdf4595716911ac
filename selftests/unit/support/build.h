/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Builds answers of the module's `tables`, and claims of an estimator, for tests.  It
 * computes addresses by itself and calls nothing below user/ that does.
 *
 * Tests put in the content of page tables; the builder adds the tables above, runs,
 * order, sums and sizes.  It aborts if a test asks for something impossible.
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

/* The address at which the kernel maps the LDT under PTI, with 4 and with 5 levels. */
#define LDT_4 UINT64_C(0xffff880000000000)
#define LDT_5 UINT64_C(0xff10000000000000)

/* Written out, so that an error in geometry.c shows. */
extern const struct ptu_geometry four_levels;
extern const struct ptu_geometry five_levels;

/**
 * struct build_table - a table that will have a record
 * @record: its record; build_image() fills in .used and the counts of an upper table
 * @kind: the kind of each entry of an upper table
 * @flags: PTAUDIT_T_* of each entry, for its run
 */
struct build_table {
	struct ptaudit_table record;
	uint8_t kind[BUILD_ENTRIES];
	uint8_t flags[BUILD_ENTRIES];
};

/**
 * struct build - an answer that is being built
 * @geo: four_levels or five_levels; the test may change it
 * @header: the answer's header, without sums and the number of records
 * @tables: [nr_tables], not sorted
 * @nr_made: number of tables ever made; gives each one a page frame of its own
 * @vmas: the mappings of the process; not part of the answer
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
 * build_init() - Start with a process that has only a PGD.
 * @nr_levels: 4 or 5
 */
void build_init(struct build *b, unsigned int nr_levels, bool pti);

/**
 * build_table() - Add a table that maps @addr, and the tables above it.
 *
 * An existing table is not added again.  Addresses of the kernel half belong to the LDT.
 *
 * Return: its record, which the caller may change; valid until build_deinit().
 */
struct ptaudit_table *build_table(struct build *b, unsigned int level,
				  uint64_t addr);

/**
 * build_pte() - Add a PTE table with @present present entries.
 */
struct ptaudit_table *build_pte(struct build *b, uint64_t addr,
				unsigned int present);

/**
 * build_entries() - Add entries of an upper table that do not point to tables.
 * @level: level of the table
 * @addr: address that the first entry maps
 * @nr: number of consecutive entries, all in one table
 * @flags: PTAUDIT_T_PFNMAP or 0
 *
 * Return: the record of the table.
 */
struct ptaudit_table *build_entries(struct build *b, unsigned int level,
				    uint64_t addr, unsigned int nr,
				    enum ptaudit_kind kind, unsigned int flags);

/**
 * build_forget() - Remove a table and the entry that points to it, but nothing else.
 */
void build_forget(struct build *b, unsigned int level, uint64_t addr);

/**
 * build_map() - Add a mapping; it replaces those that were there.
 * @flags: PTU_VM_*, known as after reading smaps
 */
void build_map(struct build *b, uint64_t start, uint64_t end,
	       unsigned int flags);

/**
 * build_unmap() - Remove the mappings of a range; the tables stay.
 */
void build_unmap(struct build *b, uint64_t start, uint64_t end);

/**
 * build_forget_flags() - Make the flags unknown, as if smaps had not been read.
 */
void build_forget_flags(struct build *b);

/**
 * build_range() - Limit the answer to a range, as for the request `PID START END`.
 */
void build_range(struct build *b, uint64_t start, uint64_t end);

/**
 * build_image() - Get the bytes of the answer.
 * @nr_bytes: (out)
 *
 * The mm's counter in the header is the sum of the tables, unless the test has set it.
 *
 * Return: the bytes; the caller frees them.
 */
void *build_image(const struct build *b, size_t *nr_bytes);

/**
 * build_snapshot() - Get the answer as the tool's parser returns it.
 *
 * For tests of code that runs after the parser; aborts if the parser refuses.
 */
struct ptu_snapshot build_snapshot(const struct build *b);

void build_deinit(struct build *b);

/**
 * build_claim() - Insert a claim, and the claims of the tables above, in order.
 * @set: zeroed, or with earlier claims; ptu_tables_deinit() frees it
 */
void build_claim(struct ptu_tables *set, const struct ptu_geometry *geo,
		 unsigned int level, uint64_t addr, enum ptu_claim claim);

#endif
