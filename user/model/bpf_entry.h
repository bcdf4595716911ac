/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the entries of x86-64 page tables say, from the bytes of a table.  Pure: bytes
 * in, records out.  Shares nothing with the module but its vocabulary.
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
 * struct ptu_bpf_format - how this kernel and this CPU write entries
 * @address_mask: bits of an entry that are a physical address
 * @first_migration: the first swap type that is a migration entry
 * @nr_migration: how many types are
 * @marker: the swap type that is a PTE marker; 0: there are none
 * @has_markers: the kernel has PTE markers and three kinds of migration entries
 * @has_swapin_error: and, above the markers, a swap type for pages that cannot be
 *	read back
 * @is_known: the swap types for device memory are known
 * @is_asked: (out) an entry was met whose kind rests on them
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
 * ptu_bpf_format_init() - The format, from what is known of kernel and CPU.
 * @encryption_mask: (in) bits of an entry that mark encrypted memory
 * @has_markers: (in) the kernel has PTE markers, and three kinds of migration
 *	entries
 * @has_swapin_error: (in) it is one of those before 6.2, which have a swap type for
 *	pages that cannot be read back
 */
void ptu_bpf_format_init(uint64_t encryption_mask, bool has_markers,
			 bool has_swapin_error, struct ptu_bpf_format *ret);

/**
 * ptu_bpf_format_devices() - Say how many swap types stand for device memory.
 * @nr_device: (in) 0, 3 or 4
 *
 * Source: include/linux/swap.h, MAX_SWAPFILES and below (5.17 to 7.2): from the
 * highest type down they are markers, device memory, migration, a poisoned page;
 * all others are swap files.
 */
void ptu_bpf_format_devices(struct ptu_bpf_format *format,
			    unsigned int nr_device);

/**
 * ptu_bpf_entry_kind() - What an entry is.
 * @level: (in) of the table that it lies in
 *
 * Return: enum ptaudit_kind; PTAUDIT_K_LEAF also for a present entry of a PTE
 * table.
 */
enum ptaudit_kind ptu_bpf_entry_kind(struct ptu_bpf_format *format,
				     unsigned int level, uint64_t entry);

/**
 * struct ptu_bpf_list - what was found at one level, in the order of addresses
 * @records: [nr_records] tables, each with its runs behind it
 * @places: [nr_places] tables of the level below: those that entries point to
 */
struct ptu_bpf_place {
	uint64_t start;
	uint64_t pfn;
};

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
 * struct ptu_bpf_reader - what the reading of a table needs beside its bytes
 * @start: first address of interest
 * @end: end of the addresses of interest
 * @ldt_slot: entry of the PGD that maps the LDT; 0: none is asked for
 * @vmas: [nr_vmas] in the order of addresses
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
 * @level: (in) of the table
 * @place: (in) where it is
 * @bytes: (in) [PTU_BPF_TABLE]; NULL: it is a PTE table, and only that it is there
 *	is asked for
 * @list: (in, out) gets its record, its runs, and its children
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_bpf_read_table(const struct ptu_bpf_reader *reader,
				      unsigned int level,
				      const struct ptu_bpf_place *place,
				      const uint8_t *bytes,
				      struct ptu_bpf_list *list);

/**
 * ptu_bpf_first_vma() - Index of the first VMA that ends behind an address.
 */
size_t ptu_bpf_first_vma(const struct ptu_bpf_reader *reader, uint64_t addr);

#endif
