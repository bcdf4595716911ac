// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Interprets page tables of x86-64.  Source of the bits:
 * arch/x86/include/asm/pgtable_types.h and pgtable_64.h (5.17 to 7.3).
 */
#include "model/bpf_entry.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define ENTRY_PRESENT (UINT64_C(1) << 0)
#define ENTRY_ACCESSED (UINT64_C(1) << 5)
#define ENTRY_DIRTY (UINT64_C(1) << 6)
#define ENTRY_HUGE (UINT64_C(1) << 7)
#define ENTRY_PROT_NONE (UINT64_C(1) << 8) /* only if not present */
#define ENTRY_ADDRESS UINT64_C(0x000ffffffffff000)

/* A swap entry: the type in the top bits, below it the inverted offset. */
#define SWAP_TYPE_SHIFT 59
#define SWAP_TYPE_BITS 5
#define SWAP_OFFSET_SHIFT 9
#define MAX_DEVICE_TYPES 4

#define NR_SKIPPED \
	64u /* zero entries that are skipped at once; divides a table */

/* include/linux/swapops.h, 6.1 to 6.12; leafops.h, 7.2 */
#define MARKER_UFFD_WP 1u
#define MARKER_GUARD 4u

/* include/linux/mm.h, 5.17 to 7.3 */
#define VM_PFNMAP UINT64_C(0x00000400)
#define VM_HUGETLB UINT64_C(0x00400000)

void ptu_bpf_format_init(uint64_t encryption_mask, bool has_markers,
			 bool has_swapin_error, struct ptu_bpf_format *ret)
{
	*ret = (struct ptu_bpf_format){
		.address_mask = ENTRY_ADDRESS & ~encryption_mask,
		.has_markers = has_markers,
		.has_swapin_error = has_swapin_error,
	};
	ptu_bpf_format_devices(ret, MAX_DEVICE_TYPES);
	ret->is_known = false;
}

void ptu_bpf_format_devices(struct ptu_bpf_format *format,
			    unsigned int nr_device)
{
	unsigned int nr_types = 1u << SWAP_TYPE_BITS;

	/*
	 * Source: include/linux/swap.h, SWP_SWAPIN_ERROR (5.19 to 6.1); a marker in
	 * later kernels
	 */
	nr_types -= format->has_swapin_error;
	if (format->has_markers)
		format->marker = --nr_types;
	format->nr_migration = format->has_markers ? 3 : 2;
	format->first_migration = nr_types - nr_device - format->nr_migration;
	format->is_known = true;
}

static enum ptaudit_kind absent_kind(struct ptu_bpf_format *format,
				     uint64_t entry)
{
	unsigned int type = entry >> SWAP_TYPE_SHIFT;
	uint64_t offset = (~entry << SWAP_TYPE_BITS) >>
			  (SWAP_TYPE_BITS + SWAP_OFFSET_SHIFT);

	if (format->marker && type == format->marker)
		return offset & MARKER_GUARD   ? PTAUDIT_K_GUARD :
		       offset & MARKER_UFFD_WP ? PTAUDIT_K_UFFD_WP :
						 PTAUDIT_K_OTHER;
	/* no system has enough swap files to use types near the special ones */
	if (type >= format->first_migration - 1)
		format->is_asked = true;
	if (type >= format->first_migration + format->nr_migration)
		return PTAUDIT_K_OTHER;
	if (type >= format->first_migration)
		return PTAUDIT_K_MIGRATION;
	/* the type of poisoned pages is just below the migration types */
	return type == format->first_migration - 1 ? PTAUDIT_K_OTHER :
						     PTAUDIT_K_SWAP;
}

enum ptaudit_kind ptu_bpf_entry_kind(struct ptu_bpf_format *format,
				     unsigned int level, uint64_t entry)
{
	/* some CPUs set these two bits in none entries */
	if (!(entry & ~(ENTRY_ACCESSED | ENTRY_DIRTY)))
		return PTAUDIT_K_NONE;
	switch (level) {
	case PTAUDIT_PTE:
		return entry & (ENTRY_PRESENT | ENTRY_PROT_NONE) ?
			       PTAUDIT_K_LEAF :
			       absent_kind(format, entry);
	case PTAUDIT_PMD:
	case PTAUDIT_PUD:
		/* a leaf that is being split has only this bit set */
		if (entry & ENTRY_HUGE)
			return PTAUDIT_K_LEAF;
		return entry & ENTRY_PRESENT ? PTAUDIT_K_CHILD :
					       absent_kind(format, entry);
	default:
		return entry & ENTRY_PRESENT ? PTAUDIT_K_CHILD :
					       PTAUDIT_K_OTHER;
	}
}

void ptu_bpf_list_deinit(struct ptu_bpf_list *list)
{
	free(list->records);
	free(list->places);
	memset(list, 0, sizeof(*list));
}

static int add_record(struct ptu_bpf_list *list,
		      const struct ptaudit_table *record)
{
	int error = ptu_array_grow(&list->records, list->nr_records,
				   &list->records_capacity,
				   sizeof(*list->records));

	if (!error)
		list->records[list->nr_records++] = *record;
	return error;
}

static int add_place(struct ptu_bpf_list *list, uint64_t start, uint64_t pfn)
{
	int error = ptu_array_grow(&list->places, list->nr_places,
				   &list->places_capacity,
				   sizeof(*list->places));

	if (!error)
		list->places[list->nr_places++] = (struct ptu_bpf_place){ start,
									  pfn };
	return error;
}

size_t ptu_bpf_first_vma(const struct ptu_bpf_reader *reader, uint64_t addr)
{
	size_t low = 0, high = reader->nr_vmas;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (reader->vmas[middle].end <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Return the lowest VMA that overlaps the range, or NULL. */
static const struct ptu_bpf_vma *vma_in(const struct ptu_bpf_reader *reader,
					uint64_t start, uint64_t end)
{
	size_t i = ptu_bpf_first_vma(reader, start);

	return i < reader->nr_vmas && reader->vmas[i].start < end ?
		       &reader->vmas[i] :
		       NULL;
}

static uint64_t entry_at(const uint8_t *table, size_t index)
{
	uint64_t entry;

	memcpy(&entry, table + index * sizeof(entry), sizeof(entry));
	return entry;
}

/* Are the NR_SKIPPED entries from @index on zero?  In reserved memory most are. */
static bool are_zero(const uint8_t *table, size_t index)
{
	static const uint64_t zeros[NR_SKIPPED];

	return !memcmp(table + index * sizeof(*zeros), zeros, sizeof(zeros));
}

/* Enter the numbers of entries by kind into the table's record. */
static void enter_counts(const uint16_t nr[PTAUDIT_NR_KINDS],
			 struct ptaudit_table *table)
{
	unsigned int kind;

	if (table->level == PTAUDIT_PTE)
		table->present = nr[PTAUDIT_K_LEAF];
	else
		table->leaves = nr[PTAUDIT_K_LEAF];
	table->children = nr[PTAUDIT_K_CHILD];
	table->swap = nr[PTAUDIT_K_SWAP];
	table->migration = nr[PTAUDIT_K_MIGRATION];
	table->uffd_wp = nr[PTAUDIT_K_UFFD_WP];
	table->guard = nr[PTAUDIT_K_GUARD];
	table->other = nr[PTAUDIT_K_OTHER];
	for (kind = PTAUDIT_K_NONE + 1; kind < PTAUDIT_NR_KINDS; kind++)
		table->used += nr[kind];
}

static unsigned int count_pfnmap(const struct ptu_bpf_reader *reader,
				 const struct ptaudit_table *table,
				 const uint8_t *bytes, uint64_t reach)
{
	const unsigned int shift = reader->geo->shift[PTAUDIT_PTE];
	const uint64_t end = table->start + reach;
	size_t i = ptu_bpf_first_vma(reader, table->start);
	unsigned int nr = 0;

	for (; i < reader->nr_vmas && reader->vmas[i].start < end; i++) {
		const struct ptu_bpf_vma *vma = &reader->vmas[i];
		uint64_t at = vma->start > table->start ? vma->start :
							  table->start;

		if (!(vma->flags & VM_PFNMAP))
			continue;
		for (; at < vma->end && at < end; at += UINT64_C(1) << shift)
			nr += ptu_bpf_entry_kind(reader->format, PTAUDIT_PTE,
						 entry_at(bytes,
							  (at - table->start) >>
								  shift)) ==
			      PTAUDIT_K_LEAF;
	}
	return nr;
}

static int read_ptes(const struct ptu_bpf_reader *reader,
		     struct ptaudit_table *table, const uint8_t *bytes,
		     uint64_t reach, struct ptu_bpf_list *list)
{
	const unsigned int nr_entries = reader->geo->nr_entries[PTAUDIT_PTE];
	uint16_t nr[PTAUDIT_NR_KINDS] = {};
	unsigned int i, nr_present = 0;

	for (i = 0; i < nr_entries; i++) {
		const uint64_t entry = entry_at(bytes, i);
		enum ptaudit_kind kind;

		if (!entry)
			continue;
		kind = ptu_bpf_entry_kind(reader->format, PTAUDIT_PTE, entry);
		/* most entries are leaves: count them in a register */
		if (kind == PTAUDIT_K_LEAF)
			nr_present++;
		else
			nr[kind]++;
	}
	nr[PTAUDIT_K_LEAF] = nr_present;
	enter_counts(nr, table);
	if (table->present)
		table->pfnmap = count_pfnmap(reader, table, bytes, reach);
	return add_record(list, table);
}

/* First address that an entry maps; addresses of the kernel half are sign-extended. */
static uint64_t entry_start(const struct ptu_geometry *geo, unsigned int level,
			    uint64_t table_start, unsigned int index)
{
	const uint64_t user_end = ptu_geometry_user_end(geo);
	uint64_t start = table_start + ((uint64_t)index << geo->shift[level]);

	return level == PTAUDIT_PGD && start >= user_end ? start | -user_end :
							   start;
}

/* Is the entry in the requested range? */
static bool is_wanted(const struct ptu_bpf_reader *reader, unsigned int level,
		      uint64_t start, unsigned int index)
{
	const uint64_t reach = UINT64_C(1) << reader->geo->shift[level];

	if (start >> 63)
		return level != PTAUDIT_PGD || index == reader->ldt_slot;
	return start < reader->end && start + reach > reader->start;
}

/* State of reading an upper table. */
struct upper {
	unsigned int level;
	uint64_t start;
	uint16_t nr[PTAUDIT_NR_KINDS];
	unsigned int nr_pfnmap;
	struct ptaudit_table run;
};

static int read_upper_entry(const struct ptu_bpf_reader *reader,
			    struct upper *upper, unsigned int index,
			    uint64_t entry, struct ptu_bpf_list *list)
{
	const struct ptu_geometry *geo = reader->geo;
	const unsigned int level = upper->level;
	const uint64_t start = entry_start(geo, level, upper->start, index);
	const enum ptaudit_kind kind = ptu_bpf_entry_kind(reader->format, level,
							  entry);
	struct ptaudit_table *run = &upper->run;
	const struct ptu_bpf_vma *vma = NULL;
	unsigned int flags = 0;
	int error = 0;

	if (kind == PTAUDIT_K_NONE || !is_wanted(reader, level, start, index)) {
		run->used = 0;
		return 0;
	}
	if (kind == PTAUDIT_K_LEAF)
		vma = vma_in(reader, start,
			     start + (UINT64_C(1) << geo->shift[level]));
	if (vma && vma->flags & VM_PFNMAP)
		flags = PTAUDIT_T_PFNMAP;
	upper->nr[kind]++;
	upper->nr_pfnmap += !!flags;
	/* no run goes on into the kernel half: the LDT's slot is not the first one there */
	if (run->used && run->kind == kind && run->flags == flags) {
		list->records[list->nr_records - 1].used++;
	} else {
		run->start = start;
		run->kind = kind;
		run->flags = flags;
		run->used = 1;
		error = add_record(list, run);
	}
	if (!error && kind == PTAUDIT_K_CHILD)
		error = add_place(list, start,
				  (entry & reader->format->address_mask) >>
					  geo->shift[PTAUDIT_PTE]);
	return error;
}

static int read_upper(const struct ptu_bpf_reader *reader, unsigned int level,
		      const struct ptaudit_table *table, const uint8_t *bytes,
		      struct ptu_bpf_list *list)
{
	struct upper upper = { .level = level,
			       .start = table->start,
			       .run = { .type = PTAUDIT_RUN,
					.level = level,
					.pfn = table->pfn,
					.node = table->node } };
	const unsigned int nr_entries = reader->geo->nr_entries[level];
	const size_t record = list->nr_records;
	unsigned int i;
	int error = add_record(list, table);

	for (i = 0; i < nr_entries && !error; i++) {
		const uint64_t entry = entry_at(bytes, i);

		if (entry) {
			error = read_upper_entry(reader, &upper, i, entry,
						 list);
			continue;
		}
		upper.run.used = 0;
		if (i % NR_SKIPPED == 0 && are_zero(bytes, i))
			i += NR_SKIPPED - 1;
	}
	if (!error) {
		enter_counts(upper.nr, &list->records[record]);
		list->records[record].pfnmap = upper.nr_pfnmap;
	}
	return error;
}

int ptu_bpf_read_table(const struct ptu_bpf_reader *reader, unsigned int level,
		       const struct ptu_bpf_place *place, const uint8_t *bytes,
		       struct ptu_bpf_list *list)
{
	const struct ptu_geometry *geo = reader->geo;
	const uint64_t user_end = ptu_geometry_user_end(geo);
	uint64_t reach = ptu_geometry_reach(geo, level);
	struct ptaudit_table table = {
		.start = place->start,
		.pfn = place->pfn,
		.level = level,
		.type = PTAUDIT_TABLE,
		.node = -1,
		.pages = level == PTAUDIT_PGD && geo->pti ? 2 : 1,
	};
	const struct ptu_bpf_vma *vma;

	if (level == PTAUDIT_PGD)
		reach = user_end;
	if (place->start >> 63) {
		table.flags = PTAUDIT_T_LDT;
	} else {
		vma = vma_in(reader, place->start, place->start + reach);
		if (place->start < reader->start ||
		    reader->end - place->start < reach)
			table.flags |= PTAUDIT_T_PARTIAL;
		if (!vma && reader->vmas && level != PTAUDIT_PGD)
			table.flags |= PTAUDIT_T_OUTSIDE;
		if (vma && level == PTAUDIT_PMD && vma->flags & VM_HUGETLB)
			table.flags |= PTAUDIT_T_HUGETLB;
	}
	return level == PTAUDIT_PTE ?
		       read_ptes(reader, &table, bytes, reach, list) :
		       read_upper(reader, level, &table, bytes, list);
}

int ptu_bpf_enter_ptes(const struct ptu_bpf_place *places, size_t nr_places,
		       struct ptu_bpf_list *list)
{
	int error = 0;
	size_t i;

	for (i = 0; i < nr_places && !error; i++) {
		const uint64_t start = places[i].start;
		const struct ptaudit_table table = {
			.start = start,
			.pfn = places[i].pfn,
			.level = PTAUDIT_PTE,
			.type = PTAUDIT_TABLE,
			.node = -1,
			.pages = 1,
			.flags = start >> 63 ? PTAUDIT_T_LDT : 0,
		};

		error = add_record(list, &table);
	}
	return error;
}
