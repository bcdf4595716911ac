/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Interpret the entries of x86-64 page tables. Pure: bytes in, records out. Shares only
 * the vocabulary with the module.
 */
#ifndef PTU_MODEL_BPF_ENTRY_H
#define PTU_MODEL_BPF_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "bpf/shared.h"
#include "model/geometry.h"

/**
 * struct ptu_bpf_format - entry format of this kernel and CPU
 * @address_mask: bits of an entry that hold the physical address
 * @first_migration: the first swap type of migration entries
 * @nr_migration: number of swap types of migration entries
 * @marker: swap type of PTE markers; 0: none
 * @has_markers: the kernel has PTE markers and three kinds of migration entries
 * @has_swapin_error: there is also a swap type, above the markers, for pages that
 *	cannot be read back
 * @is_known: the swap types of device memory are known
 * @is_asked: (out) an entry was found whose kind depends on the types of device memory
 */
struct ptu_bpf_format {
	uint64_t address_mask;
	unsigned int first_migration;
	unsigned int nr_migration;
	unsigned int marker;
	bool has_markers;
	bool has_swapin_error;
	bool is_known;
	bool is_asked;
};

/**
 * ptu_bpf_format_init() - Set up the format from properties of kernel and CPU.
 * @encryption_mask: (in) bits of an entry that mark encrypted memory
 * @has_markers: (in) as in struct ptu_bpf_format
 * @has_swapin_error: (in) as in struct ptu_bpf_format; kernels before 6.2
 */
void ptu_bpf_format_init(uint64_t encryption_mask, bool has_markers,
			 bool has_swapin_error, struct ptu_bpf_format *ret);

/**
 * ptu_bpf_format_devices() - Set the number of swap types for device memory.
 * @nr_device: (in) 0, 3 or 4
 *
 * Source: include/linux/swap.h, MAX_SWAPFILES and below (5.17 to 7.3): from the
 * highest type down come markers, device memory, migration, poisoned pages; all
 * other types are swap files.
 */
void ptu_bpf_format_devices(struct ptu_bpf_format *format,
			    unsigned int nr_device);

/**
 * ptu_bpf_entry_kind() - Classify an entry.
 * @level: (in) level of the table that holds it
 *
 * Return: enum ptaudit_kind; PTAUDIT_K_LEAF also for a present entry of a PTE
 * table.
 */
enum ptaudit_kind ptu_bpf_entry_kind(struct ptu_bpf_format *format,
				     unsigned int level, uint64_t entry);

/* A table: the first address that it maps, and its page frame. */
struct ptu_bpf_place {
	uint64_t start;
	uint64_t pfn;
};

/**
 * struct ptu_bpf_list - tables found at one level, in the order of addresses
 * @records: [nr_records] tables, each followed by its runs
 * @places: [nr_places] tables of the level below that entries point to
 */
struct ptu_bpf_list {
	struct ptaudit_table *records;
	size_t nr_records;
	size_t records_capacity;
	struct ptu_bpf_place *places;
	size_t nr_places;
	size_t places_capacity;
};

void ptu_bpf_list_deinit(struct ptu_bpf_list *list);

/**
 * struct ptu_bpf_reader - context for reading tables
 * @start: start of the requested range
 * @end: end of the requested range
 * @ldt_slot: PGD entry that maps the LDT; 0: none
 * @vmas: [nr_vmas] in the order of addresses; NULL: unknown
 */
struct ptu_bpf_reader {
	const struct ptu_geometry *geo;
	struct ptu_bpf_format *format;
	uint64_t start;
	uint64_t end;
	unsigned int ldt_slot;
	const struct ptu_bpf_vma *vmas;
	size_t nr_vmas;
};

/**
 * ptu_bpf_read_table() - Count the entries of a table.
 * @level: (in) level of the table
 * @place: (in) location of the table
 * @bytes: (in) [PTU_BPF_TABLE]
 * @list: (in, out) the table's record, runs and children are added
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_bpf_read_table(const struct ptu_bpf_reader *reader,
				      unsigned int level,
				      const struct ptu_bpf_place *place,
				      const uint8_t *bytes,
				      struct ptu_bpf_list *list);

/**
 * ptu_bpf_enter_ptes() - Add a record for each PTE table without reading the table.
 * @places: (in) [nr_places]
 * @list: (in, out) one record for each table is added, without numbers of entries
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_bpf_enter_ptes(const struct ptu_bpf_place *places,
				      size_t nr_places,
				      struct ptu_bpf_list *list);

/**
 * ptu_bpf_first_vma() - Index of the first VMA that ends above an address.
 */
size_t ptu_bpf_first_vma(const struct ptu_bpf_reader *reader, uint64_t addr);

#endif
