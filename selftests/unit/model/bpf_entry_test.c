// SPDX-License-Identifier: GPL-2.0-only
/* Decoding of x86-64 page-table entries, and the conditions to accept a walk. */
#include "model/bpf_entry.h"

#include <stdlib.h>

#include "model/bpf_accept.h"
#include "support/unit.h"

/* values of arch/x86/include/asm/pgtable_types.h and pgtable_64.h */
#define PRESENT UINT64_C(0x001)
#define USED UINT64_C(0x060) /* accessed, dirty */
#define HUGE UINT64_C(0x080)
#define NONE UINT64_C(0x100) /* PROT_NONE, if the entry is not present */
#define NX UINT64_C(0x8000000000000000)

#define A UINT64_C(0x100000000000)
#define MIB (UINT64_C(1) << 20)

/* A swap entry: 5 bits of type, 50 bits of inverted offset, 9 bits of flags. */
static uint64_t swapped(uint64_t type, uint64_t offset)
{
	return type << 59 | (~offset << 14) >> 5;
}

static enum ptaudit_kind kind(unsigned int level, uint64_t entry)
{
	struct ptu_bpf_format format;

	ptu_bpf_format_init(0, true, false, &format);
	ptu_bpf_format_devices(&format, 4);
	return ptu_bpf_entry_kind(&format, level, entry);
}

UNIT_TEST(entries_of_pte_tables_have_their_kind)
{
	CHECK_EQ(kind(PTAUDIT_PTE, 0), PTAUDIT_K_NONE);
	CHECK_EQ(kind(PTAUDIT_PTE, USED), PTAUDIT_K_NONE);
	CHECK_EQ(kind(PTAUDIT_PTE, 0x5000 | PRESENT), PTAUDIT_K_LEAF);
	CHECK_EQ(kind(PTAUDIT_PTE, 0x5000 | NONE | NX), PTAUDIT_K_LEAF);
	CHECK_EQ(kind(PTAUDIT_PTE, swapped(0, 5)), PTAUDIT_K_SWAP);
	CHECK_EQ(kind(PTAUDIT_PTE, swapped(3, 0)), PTAUDIT_K_SWAP);
	CHECK_EQ(kind(PTAUDIT_PTE, swapped(31, 1)), PTAUDIT_K_UFFD_WP);
	CHECK_EQ(kind(PTAUDIT_PTE, swapped(31, 2)), PTAUDIT_K_OTHER);
	CHECK_EQ(kind(PTAUDIT_PTE, swapped(31, 4)), PTAUDIT_K_GUARD);
}

/* The kind of a swap entry in a PTE table. */
static enum ptaudit_kind swap_kind(struct ptu_bpf_format *format, uint64_t type,
				   uint64_t offset)
{
	return ptu_bpf_entry_kind(format, PTAUDIT_PTE, swapped(type, offset));
}

UNIT_TEST(swap_types_below_the_marker_follow_the_kernel)
{
	struct ptu_bpf_format f;

	/* type 31 is a marker, 27 to 30 device, 24 to 26 migration, 23 poison */
	CHECK_EQ(kind(PTAUDIT_PTE, swapped(30, 9)), PTAUDIT_K_OTHER);
	CHECK_EQ(kind(PTAUDIT_PTE, swapped(27, 9)), PTAUDIT_K_OTHER);
	CHECK_EQ(kind(PTAUDIT_PTE, swapped(26, 9)), PTAUDIT_K_MIGRATION);
	CHECK_EQ(kind(PTAUDIT_PTE, swapped(24, 9)), PTAUDIT_K_MIGRATION);
	CHECK_EQ(kind(PTAUDIT_PTE, swapped(23, 9)), PTAUDIT_K_OTHER);
	CHECK_EQ(kind(PTAUDIT_PTE, swapped(22, 9)), PTAUDIT_K_SWAP);
	/* three device types from 6.15 on; none without device memory */
	ptu_bpf_format_init(0, true, false, &f);
	ptu_bpf_format_devices(&f, 3);
	CHECK_EQ(ptu_bpf_entry_kind(&f, PTAUDIT_PMD, swapped(27, 9)),
		 PTAUDIT_K_MIGRATION);
	ptu_bpf_format_devices(&f, 0);
	CHECK_EQ(swap_kind(&f, 30, 9), PTAUDIT_K_MIGRATION);
	CHECK_EQ(swap_kind(&f, 31, 9), PTAUDIT_K_UFFD_WP);
}

/* Until 6.1 the highest type is that of swap-in errors. */
UNIT_TEST(markers_lie_below_the_type_of_swapin_errors)
{
	struct ptu_bpf_format f;

	ptu_bpf_format_init(0, true, true, &f);
	ptu_bpf_format_devices(&f, 4);
	CHECK_EQ(swap_kind(&f, 31, 1), PTAUDIT_K_OTHER);
	CHECK_EQ(swap_kind(&f, 30, 1), PTAUDIT_K_UFFD_WP);
	/* four device types, three migration types, then poison and swap */
	CHECK_EQ(swap_kind(&f, 29, 1), PTAUDIT_K_OTHER);
	CHECK_EQ(swap_kind(&f, 25, 1), PTAUDIT_K_MIGRATION);
	CHECK_EQ(swap_kind(&f, 23, 1), PTAUDIT_K_MIGRATION);
	CHECK_EQ(swap_kind(&f, 22, 1), PTAUDIT_K_OTHER);
	CHECK_EQ(swap_kind(&f, 21, 1), PTAUDIT_K_SWAP);
}

UNIT_TEST(an_ambiguous_swap_type_asks_for_the_device_types)
{
	struct ptu_bpf_format f;

	ptu_bpf_format_init(0, true, false, &f);
	swap_kind(&f, 0, 1);
	swap_kind(&f, 31, 1);
	/* with four device types, types of swap files end at 22 */
	swap_kind(&f, 22, 1);
	CHECK(!f.is_asked);
	swap_kind(&f, 23, 1);
	CHECK(f.is_asked);
	f.is_asked = false;
	swap_kind(&f, 30, 1);
	CHECK(f.is_asked && !f.is_known);
	ptu_bpf_format_devices(&f, 3);
	CHECK(f.is_known);
}

UNIT_TEST(entries_of_upper_tables_have_their_kind)
{
	CHECK_EQ(kind(PTAUDIT_PMD, 0x5000 | PRESENT), PTAUDIT_K_CHILD);
	CHECK_EQ(kind(PTAUDIT_PMD, 0x200000 | PRESENT | HUGE), PTAUDIT_K_LEAF);
	/* a leaf being split, and one with PROT_NONE */
	CHECK_EQ(kind(PTAUDIT_PMD, 0x200000 | HUGE), PTAUDIT_K_LEAF);
	CHECK_EQ(kind(PTAUDIT_PUD, 0x40000000 | HUGE | NONE), PTAUDIT_K_LEAF);
	CHECK_EQ(kind(PTAUDIT_PMD, swapped(25, 7)), PTAUDIT_K_MIGRATION);
	CHECK_EQ(kind(PTAUDIT_PUD, USED), PTAUDIT_K_NONE);
	CHECK_EQ(kind(PTAUDIT_PGD, 0x5000 | PRESENT | NX), PTAUDIT_K_CHILD);
	CHECK_EQ(kind(PTAUDIT_P4D, 0x5000), PTAUDIT_K_OTHER);
}

/* Slot of the LDT: arch/x86/include/asm/pgtable_64_types.h, LDT_PGD_ENTRY */
#define LDT_SLOT (512 - 240)
#define LDT_START UINT64_C(0xffff880000000000)

/* The entries of the table that a test reads, and what it finds there. */
static uint64_t entries[512];
static struct ptu_bpf_list list;

/* Empty the list; then it can be used again. */
static void begin(void)
{
	ptu_bpf_list_deinit(&list);
}

static void set_up(void)
{
	memset(entries, 0, sizeof(entries));
	begin();
}

/* Read the table; the test provides the VMAs. */
static int read_table(unsigned int level, uint64_t start,
		      const struct ptu_bpf_vma *vmas, size_t nr_vmas,
		      uint64_t mask)
{
	const struct ptu_bpf_place place = { start, 0x77 };
	struct ptu_bpf_format format;
	struct ptu_geometry geo;
	struct ptu_bpf_reader reader = { .geo = &geo,
					 .format = &format,
					 .end = UINT64_C(1) << 47,
					 .vmas = vmas,
					 .nr_vmas = nr_vmas,
					 .ldt_slot = LDT_SLOT };
	int error = ptu_geometry_init(4096, "x86_64", "", &geo, NULL);

	if (error)
		return error;
	ptu_bpf_format_init(mask, true, false, &format);
	return ptu_bpf_read_table(&reader, level, &place,
				  (const uint8_t *)entries, &list);
}

static int read_pmd(const struct ptu_bpf_vma *vmas, size_t nr_vmas,
		    uint64_t mask)
{
	return read_table(PTAUDIT_PMD, A, vmas, nr_vmas, mask);
}

UNIT_TEST(a_pmd_table_has_a_record_its_runs_and_its_children)
{
	const struct ptu_bpf_vma vmas[] = {
		{ A, A + 8 * MIB, 0 }, { A + 8 * MIB, A + 12 * MIB, 0x400 }
	};
	const struct ptaudit_table *r;

	entries[0] = UINT64_C(0x8000000000000) | 0x5000 | PRESENT;
	entries[1] = UINT64_C(0x8000000000000) | 0x9000 | PRESENT;
	entries[3] = 0x600000 | PRESENT | HUGE;
	entries[4] = 0x800000 | PRESENT | HUGE;
	CHECK_EQ(read_pmd(vmas, 2, UINT64_C(1) << 51), 0);
	r = list.records;
	CHECK_EQ(list.nr_records, 4);
	CHECK_EQ(r[0].type, PTAUDIT_TABLE);
	CHECK_EQ(r[0].used, 4);
	CHECK_EQ(r[0].children, 2);
	CHECK_EQ(r[0].leaves, 2);
	CHECK_EQ(r[0].pfnmap, 1);
	CHECK_EQ(r[0].flags, 0);
	CHECK_EQ(r[1].kind, PTAUDIT_K_CHILD);
	CHECK_EQ(r[1].used, 2);
	CHECK_EQ(r[1].start, A);
	CHECK_EQ(r[2].kind, PTAUDIT_K_LEAF);
	CHECK_EQ(r[2].flags, 0);
	CHECK_EQ(r[3].flags, PTAUDIT_T_PFNMAP);
	CHECK_EQ(r[3].start, A + 8 * MIB);
	/* the encryption bit is not part of the address */
	CHECK_EQ(list.nr_places, 2);
	CHECK_EQ(list.places[0].pfn, 5);
	CHECK_EQ(list.places[1].pfn, 9);
	CHECK_EQ(list.places[1].start, A + 2 * MIB);
}

/* Each kind has another number of entries: 1 present one to 6 others. */
UNIT_TEST(a_pte_table_counts_its_entries_by_kind)
{
	const uint64_t kinds[] = { 0x5000 | PRESENT, swapped(0, 5),
				   swapped(24, 9),   swapped(31, 1),
				   swapped(31, 4),   swapped(31, 2) };
	const struct ptaudit_table *r;
	unsigned int i, nr, at = 7;

	for (i = 0; i < 6; i++)
		for (nr = 0; nr <= i; nr++, at += 24)
			entries[at] = kinds[i];
	CHECK_EQ(read_table(PTAUDIT_PTE, A, NULL, 0, 0), 0);
	r = list.records;
	CHECK_EQ(list.nr_records, 1);
	CHECK_EQ(r->used, 1 + 2 + 3 + 4 + 5 + 6);
	CHECK_EQ(r->present, 1);
	CHECK_EQ(r->swap, 2);
	CHECK_EQ(r->migration, 3);
	CHECK_EQ(r->uffd_wp, 4);
	CHECK_EQ(r->guard, 5);
	CHECK_EQ(r->other, 6);
	CHECK_EQ(r->leaves, 0);
	CHECK_EQ(r->children, 0);
}

/*
 * Pages 0 to 9, 100 to 109 and 511 are present.  PFN mappings cover the pages 5 to 102 and
 * 511; the first one begins in the table before, or not.
 */
UNIT_TEST(a_pte_table_counts_its_entries_of_pfn_mappings)
{
	struct ptu_bpf_vma vmas[] = {
		{ A, A + 5 * 4096, 0 },
		{ A + 5 * 4096, A + 103 * 4096, 0x400 },
		{ A + 103 * 4096, A + 511 * 4096, 0 },
		{ A + 511 * 4096, A + 513 * 4096, 0x400 },
		{ A + 2 * MIB + 4096, A + 4 * MIB, 0x400 },
	};

	for (unsigned int i = 0; i < 10; i++)
		entries[i] = entries[100 + i] = 0x5000 | PRESENT;
	entries[511] = 0x5000 | PRESENT;
	/* it is not present, so it does not count */
	entries[50] = swapped(0, 5);
	CHECK_EQ(read_table(PTAUDIT_PTE, A, vmas, 5, 0), 0);
	CHECK_EQ(list.records[0].present, 21);
	CHECK_EQ(list.records[0].pfnmap, 5 + 3 + 1);
	vmas[1].start = vmas[0].start = A - 4096;
	CHECK_EQ(read_table(PTAUDIT_PTE, A, vmas + 1, 4, 0), 0);
	CHECK_EQ(list.records[1].pfnmap, 10 + 3 + 1);
}

/* Some CPUs set the accessed and the dirty bit in an entry that maps nothing. */
UNIT_TEST(an_entry_of_no_kind_ends_a_run)
{
	entries[0] = entries[2] = 0x5000 | PRESENT;
	entries[1] = USED;
	CHECK_EQ(read_pmd(NULL, 0, 0), 0);
	CHECK_EQ(list.nr_records, 3);
	CHECK_EQ(list.records[0].used, 2);
	CHECK_EQ(list.records[1].used, 1);
	CHECK_EQ(list.records[2].used, 1);
	CHECK_EQ(list.records[2].start, A + 4 * MIB);
}

/* Read the table in the range [@start, @end), under page-table isolation. */
static int read_range(unsigned int level, uint64_t table, uint64_t start,
		      uint64_t end)
{
	const struct ptu_bpf_place place = { table, 0x77 };
	struct ptu_bpf_format format;
	struct ptu_geometry geo;
	const struct ptu_bpf_reader reader = {
		.geo = &geo, .format = &format, .start = start, .end = end
	};
	int error = ptu_geometry_init(4096, "x86_64", "", &geo, NULL);

	if (error)
		return error;
	geo.pti = true;
	ptu_bpf_format_init(0, true, false, &format);
	begin();
	return ptu_bpf_read_table(&reader, level, &place,
				  (const uint8_t *)entries, &list);
}

UNIT_TEST(entries_outside_the_range_do_not_count)
{
	for (unsigned int i = 1; i < 6; i++)
		entries[i] = 0x5000 | PRESENT;
	/* slots 2 and 3 */
	CHECK_EQ(read_range(PTAUDIT_PMD, A, A + 4 * MIB, A + 8 * MIB), 0);
	CHECK_EQ(list.records[0].used, 2);
	CHECK_EQ(list.records[0].flags, PTAUDIT_T_PARTIAL);
	CHECK_EQ(list.nr_places, 2);
	CHECK_EQ(list.places[0].start, A + 4 * MIB);
	CHECK_EQ(list.places[1].start, A + 6 * MIB);
}

UNIT_TEST(a_table_that_reaches_beyond_the_range_is_partial)
{
	const uint64_t reach = 1024 * MIB;

	CHECK_EQ(read_range(PTAUDIT_PMD, A, A, A + reach), 0);
	CHECK_EQ(list.records[0].flags, 0);
	CHECK_EQ(list.records[0].pages, 1);
	CHECK_EQ(read_range(PTAUDIT_PMD, A, A - reach, A + 2 * reach), 0);
	CHECK_EQ(list.records[0].flags, 0);
	CHECK_EQ(read_range(PTAUDIT_PMD, A, A + 2 * MIB, A + reach), 0);
	CHECK_EQ(list.records[0].flags, PTAUDIT_T_PARTIAL);
	CHECK_EQ(read_range(PTAUDIT_PMD, A, A, A + reach - 2 * MIB), 0);
	CHECK_EQ(list.records[0].flags, PTAUDIT_T_PARTIAL);
}

UNIT_TEST(a_pgd_reaches_to_the_end_of_user_space)
{
	const uint64_t end = UINT64_C(1) << 47;

	CHECK_EQ(read_range(PTAUDIT_PGD, 0, 0, end), 0);
	CHECK_EQ(list.records[0].flags, 0);
	CHECK_EQ(list.records[0].pages, 2);
	CHECK_EQ(read_range(PTAUDIT_PGD, 0, 0, end - 2 * MIB), 0);
	CHECK_EQ(list.records[0].flags, PTAUDIT_T_PARTIAL);
}

UNIT_TEST(each_pair_of_entries_of_a_sparse_pmd_table_is_found)
{
	static const unsigned int distances[] = { 1, 2, 63, 64, 65, 128, 200 };
	unsigned int i, d;

	for (i = 0; i < 512; i++)
		for (d = 0; d < 7 && i + distances[d] < 512; d++) {
			const unsigned int other = i + distances[d];

			set_up();
			entries[i] = 0x5000 | PRESENT;
			entries[other] = 0x9000 | PRESENT;
			CHECK_EQ(read_pmd(NULL, 0, 0), 0);
			/* neighbours are one run */
			CHECK_EQ(list.nr_records, other == i + 1 ? 2 : 3);
			CHECK_EQ(list.nr_places, 2);
			CHECK_EQ(list.places[0].start, A + i * 2 * MIB);
			CHECK_EQ(list.places[0].pfn, 5);
			CHECK_EQ(list.places[1].start, A + other * 2 * MIB);
			CHECK_EQ(list.places[1].pfn, 9);
		}
}

UNIT_TEST(a_table_without_a_vma_is_outside_and_its_first_vma_says_hugetlb)
{
	const struct ptu_bpf_vma vmas[] = { { A, A + 2 * MIB, 0x400000 },
					    { A + 8 * MIB, A + 9 * MIB, 0 } };
	/* starts where the reach of the table ends */
	const struct ptu_bpf_vma next = { A + 1024 * MIB, A + 1025 * MIB, 0 };

	CHECK_EQ(read_pmd(vmas, 2, 0), 0);
	CHECK_EQ(read_pmd(vmas + 1, 1, 0), 0);
	CHECK_EQ(read_pmd(&next, 1, 0), 0);
	/* the VMAs are not known */
	CHECK_EQ(read_pmd(NULL, 0, 0), 0);
	CHECK_EQ(list.records[0].flags, PTAUDIT_T_HUGETLB);
	CHECK_EQ(list.records[1].flags, 0);
	CHECK_EQ(list.records[2].flags, PTAUDIT_T_OUTSIDE);
	CHECK_EQ(list.records[3].flags, 0);
	begin();
	/* only PMD tables can be shared, so only they have the flag */
	CHECK_EQ(read_table(PTAUDIT_PUD, A, vmas, 2, 0), 0);
	CHECK_EQ(list.records[0].flags, 0);
}

UNIT_TEST(only_the_ldt_counts_in_the_kernel_half)
{
	entries[LDT_SLOT - 1] = 0x5000 | PRESENT;
	entries[LDT_SLOT] = 0x9000 | PRESENT;
	entries[LDT_SLOT + 1] = 0xd000 | PRESENT;
	CHECK_EQ(read_table(PTAUDIT_PGD, 0, NULL, 0, 0), 0);
	CHECK_EQ(list.nr_records, 2);
	CHECK_EQ(list.records[1].start, LDT_START);
	CHECK_EQ(list.records[1].used, 1);
	CHECK_EQ(list.nr_places, 1);
	CHECK_EQ(list.places[0].start, LDT_START);
	CHECK_EQ(list.places[0].pfn, 9);
	begin();
	/* the tables below the LDT's entry are marked, too */
	entries[LDT_SLOT] = 0;
	CHECK_EQ(read_table(PTAUDIT_PMD, LDT_START, NULL, 0, 0), 0);
	CHECK_EQ(list.records[0].flags, PTAUDIT_T_LDT);
	CHECK_EQ(list.nr_places, 2);
	CHECK_EQ(list.places[0].start,
		 LDT_START + (LDT_SLOT - 1) * UINT64_C(2) * MIB);
}

UNIT_TEST(each_pte_table_that_is_not_read_has_a_record)
{
	const struct ptu_bpf_place places[] = { { A, 70 },
						{ A + 2 * MIB, 71 },
						{ LDT_START, 72 } };

	CHECK_EQ(ptu_bpf_enter_ptes(places, 3, &list), 0);
	CHECK_EQ(list.nr_records, 3);
	CHECK_EQ(list.nr_places, 0);
	for (size_t i = 0; i < 3; i++) {
		CHECK_EQ(list.records[i].type, PTAUDIT_TABLE);
		CHECK_EQ(list.records[i].level, PTAUDIT_PTE);
		CHECK_EQ(list.records[i].start, places[i].start);
		CHECK_EQ(list.records[i].pfn, 70 + i);
		CHECK_EQ(list.records[i].flags, i == 2 ? PTAUDIT_T_LDT : 0);
		CHECK_EQ(list.records[i].pages, 1);
		CHECK_EQ(list.records[i].used, 0);
	}
}

static const struct ptu_bpf_state still = { .ctx_id = 7,
					    .tlb_gen = 100,
					    .pgtables_bytes = 40960 };

UNIT_TEST(a_walk_is_valid_if_the_mm_did_not_change)
{
	CHECK(ptu_bpf_is_same(&still, &still));
	CHECK(ptu_bpf_is_complete(&still, 40960));
	CHECK(!ptu_bpf_is_complete(&still, 36864));
}

UNIT_TEST(each_sign_of_a_change_makes_a_walk_invalid)
{
	struct ptu_bpf_state s;

#define REFUSED(field, value)                        \
	do {                                         \
		s = still;                           \
		s.field = (value);                   \
		CHECK(!ptu_bpf_is_same(&still, &s)); \
	} while (0)
	REFUSED(error, 1);
	REFUSED(tlb_flush_pending, 1);
	REFUSED(mmap_lock_written, 1);
	REFUSED(ctx_id, 8);
	REFUSED(tlb_gen, 101);
	REFUSED(pgtables_bytes, 45056);
#undef REFUSED
	/* a flush was pending when the walk started, although it is over now */
	s = still;
	s.tlb_flush_pending = 1;
	CHECK(!ptu_bpf_is_same(&s, &still));
	s = still;
	s.mmap_lock_written = 1;
	CHECK(!ptu_bpf_is_same(&s, &still));
}

/* The page frame is in bits 12 to 51, without the bit of memory encryption. */
UNIT_TEST(an_entry_leads_to_its_page_frame)
{
	const struct ptu_bpf_place place = { .start = A, .pfn = 5 };
	const uint64_t encrypted = UINT64_C(1) << 47;
	uint64_t table[512] = { [0] = NX | encrypted | 5 << 12 | USED |
				      PRESENT };
	const uint8_t *bytes = (const uint8_t *)table;
	struct ptu_bpf_format format;
	struct ptu_geometry geo;
	const struct ptu_bpf_reader reader = { .geo = &geo, .format = &format };

	CHECK_EQ(ptu_geometry_init(4096, "x86_64", "", &geo, NULL), 0);
	ptu_bpf_format_init(encrypted, true, false, &format);
	CHECK(ptu_bpf_leads_to(&reader, PTAUDIT_PMD, bytes, &place));
	table[0] ^= 1 << 12;
	CHECK(!ptu_bpf_leads_to(&reader, PTAUDIT_PMD, bytes, &place));
	table[0] ^= 1 << 12 | HUGE;
	CHECK(!ptu_bpf_leads_to(&reader, PTAUDIT_PMD, bytes, &place));
}

UNIT_MAIN_WITH(set_up, begin)
