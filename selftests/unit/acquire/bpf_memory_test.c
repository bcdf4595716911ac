// SPDX-License-Identifier: GPL-2.0-only
/* Finding the direct map, the array of struct page, and the bit that marks encrypted memory. */
#define _GNU_SOURCE
#include "acquire/fake_machine.h"

#define NOT_FOUND                                              \
	"cannot find the kernel's direct map of memory: none " \
	"of the possible addresses maps the pages of this process"
#define NO_STRUCT_PAGES                                         \
	"cannot find the kernel's array of struct page (needs " \
	"CONFIG_VMAP_STACK)"

/* The direct map of the machine is found at the base number @nr_bases. */
static void finds_base(uint64_t nr_bases)
{
	CHECK_EQ(search(), 0);
	CHECK_STR(err.text, "");
	CHECK_EQ(found.direct_map, machine.base);
	CHECK_EQ(found.struct_pages, STRUCT_PAGES);
	CHECK_EQ(found.struct_page_bytes, 64);
	CHECK_EQ(nr_random_pages, 8);
	/* once for each wrong base, for each of 8 pages, and for both pages of the stack */
	CHECK_EQ(machine.nr_pgd_copies, nr_bases - 1 + 8 + 2);
}

static void finds_no_base(uint64_t nr_bases)
{
	CHECK_EQ(search(), -EOPNOTSUPP);
	CHECK_STR(err.text, NOT_FOUND);
	CHECK_EQ(machine.nr_pgd_copies, nr_bases);
}

UNIT_TEST(the_direct_map_starts_at_a_multiple_of_1_gib)
{
	be_machine(&four_levels, LOWEST_4, 0x1000);
	finds_base(1);
	be_machine(&four_levels, LOWEST_4, GIB - 4096);
	finds_base(1);
	be_machine(&four_levels, LOWEST_4, GIB);
	finds_base(2);
	be_machine(&four_levels, RANDOM_BASE, 7 * GIB + 0x3000);
	finds_base(8);
	be_machine(&five_levels, LOWEST_5, 5 * GIB);
	finds_base(6);
	be_machine(&five_levels, LOWEST_5 + 77 * GIB, 5 * GIB);
	finds_base(6);
}

UNIT_TEST(the_direct_map_has_a_lowest_start)
{
	be_machine(&four_levels, LOWEST_4 - GIB, 5 * GIB);
	finds_no_base(5);
	be_machine(&five_levels, LOWEST_5 - GIB, 3 * GIB);
	finds_no_base(3);
}

UNIT_TEST(the_pgd_is_in_the_first_65536_gib)
{
	be_machine(&four_levels, RANDOM_BASE, 65535 * GIB);
	finds_base(65536);
	be_machine(&four_levels, RANDOM_BASE, 65536 * GIB);
	finds_no_base(65536);
}

/* Through a wrong base, tables like those of this process lead to nearly the same pages. */
UNIT_TEST(each_byte_of_each_page_must_agree)
{
	static const unsigned int wrong_bytes[] = { 0, 255, 256, 4095 };
	unsigned int page, i;

	for (page = 0; page < 8; page++)
		for (i = 0; i < 4; i++) {
			be_machine(&four_levels, RANDOM_BASE, 2 * GIB);
			machine.decoy_at = GIB;
			machine.wrong_page = page;
			machine.wrong_byte = wrong_bytes[i];
			CHECK_EQ(search(), 0);
			CHECK_EQ(found.direct_map, RANDOM_BASE);
			/* base 1 fails at once, base 2 at the wrong page */
			CHECK_EQ(machine.nr_pgd_copies, 1 + (page + 1) + 8 + 2);
		}
}

/* If all pages agree, the highest base is taken. */
UNIT_TEST(the_first_base_that_agrees_is_taken)
{
	be_machine(&four_levels, RANDOM_BASE, 2 * GIB);
	machine.decoy_at = GIB;
	machine.wrong_page = 8;
	CHECK_EQ(search(), 0);
	CHECK_EQ(found.direct_map, RANDOM_BASE + GIB);
}

/* The address of the table would wrap around to 0. */
UNIT_TEST(an_entry_beyond_the_direct_map_is_not_followed)
{
	be_machine(&four_levels, LOWEST_4, 0x1000);
	machine.user_entry = -LOWEST_4 | TABLE;
	finds_no_base(1);
	CHECK_EQ(machine.nr_copies, 1);
	be_machine(&four_levels, LOWEST_4, 0x1000);
	machine.user_entry = (-LOWEST_4 - 4096) | TABLE;
	finds_no_base(1);
	CHECK_EQ(machine.nr_copies, 2);
}

UNIT_TEST(an_entry_that_is_not_present_is_not_followed)
{
	be_machine(&four_levels, LOWEST_4, 0x1000);
	/* the entries point to the tables of the stack, but are not present */
	machine.user_entry = (uint64_t)TABLES_PFN << 12 | ENCRYPTED | 0x62;
	finds_no_base(1);
	CHECK_EQ(machine.nr_copies, 1);
}

static void stack_is(unsigned int level, uint64_t entry, uint64_t pfn)
{
	be_machine(&four_levels, RANDOM_BASE, 0x5000);
	map(STACK, level, entry);
	for (unsigned int i = 0; i < 2; i++)
		machine.self.stack_pages[i] = STRUCT_PAGES + (pfn + i) * 64;
	CHECK_EQ(search(), 0);
	CHECK_EQ(found.struct_pages, STRUCT_PAGES);
}

UNIT_TEST(a_stack_can_be_mapped_by_a_huge_page)
{
	const uint64_t in_2_mib = STACK % (2 * MIB) / 4096;
	const uint64_t in_1_gib = STACK % GIB / 4096;

	stack_is(PTAUDIT_PMD, 6 * MIB | HUGE, 6 * MIB / 4096 + in_2_mib);
	stack_is(PTAUDIT_PMD, 6 * MIB | HUGE | LEAF_PAT,
		 6 * MIB / 4096 + in_2_mib);
	stack_is(PTAUDIT_PUD, 3 * GIB | HUGE | LEAF_PAT,
		 3 * GIB / 4096 + in_1_gib);
}

/* struct page has 56 bytes with some configurations. */
UNIT_TEST(the_array_of_struct_pages_follows_from_their_size)
{
	machine.kernel.page_bytes = 56;
	machine.self.stack_pages[0] = STRUCT_PAGES + STACK_PFN * 56;
	machine.self.stack_pages[1] = STRUCT_PAGES + (STACK_PFN + 3) * 56;
	CHECK_EQ(search(), 0);
	CHECK_EQ(found.struct_pages, STRUCT_PAGES);
	CHECK_EQ(found.struct_page_bytes, 56);
}

static void finds_no_struct_pages(void)
{
	CHECK_EQ(search(), -EOPNOTSUPP);
	CHECK_STR(err.text, NO_STRUCT_PAGES);
	CHECK_EQ(found.direct_map, UNTOUCHED);
}

UNIT_TEST(both_pages_of_the_stack_must_name_the_same_array)
{
	machine.self.stack_pages[1] += 64;
	finds_no_struct_pages();
	be_machine(&four_levels, RANDOM_BASE, 0x5000);
	machine.self.stack_pages[0] -= 64;
	finds_no_struct_pages();
	be_machine(&four_levels, RANDOM_BASE, 0x5000);
	map(STACK + 4096, PTAUDIT_PTE, 0);
	finds_no_struct_pages();
}

/* Without the test for 0, both pages of the stack would lead to the same array. */
UNIT_TEST(a_stack_without_struct_pages_names_no_array)
{
	map(STACK + 4096, PTAUDIT_PTE, STACK_PFN << 12 | TABLE);
	machine.self.stack_pages[0] = machine.self.stack_pages[1] = 0;
	finds_no_struct_pages();
}

UNIT_TEST(errors_end_the_search)
{
	be_machine(&four_levels, RANDOM_BASE, 3 * GIB);
	machine.find_error = -ESRCH;
	CHECK_EQ(search(), -ESRCH);
	CHECK_STR(err.text, "not there");
	CHECK_EQ(machine.nr_copies, 0);
	/* 3 bases with a copy of PGD and PUD; four tables and a page through the last one */
	for (unsigned int i = 1; i <= 3 * 2 + 5; i++) {
		be_machine(&four_levels, RANDOM_BASE, 3 * GIB);
		machine.copy_error = -EIO;
		machine.copy_fails = i;
		CHECK_EQ(search(), -EIO);
		CHECK_STR(err.text,
			  "cannot find the kernel's direct map of memory: Input/output error");
		CHECK_EQ(machine.nr_copies, i);
	}
	be_machine(&four_levels, RANDOM_BASE, 3 * GIB);
	machine.copy_error = -EIO;
	/* this copy reads the PGD to translate the address of the first page of the stack */
	machine.copy_fails = 3 * 2 + 8 * 5 + 1;
	finds_no_struct_pages();
	CHECK_EQ(machine.nr_copies, 3 * 2 + 8 * 5 + 1);
}

UNIT_TEST(memory_or_random_bytes_can_be_missing)
{
	memalign_errno = ENOMEM;
	CHECK_EQ(search(), -ENOMEM);
	CHECK_STR(err.text,
		  "cannot find the kernel's direct map of memory: Cannot allocate memory");
	memalign_errno = 0;
	random_errno = EIO;
	CHECK_EQ(search(), -EIO);
	CHECK_STR(err.text,
		  "cannot find the kernel's direct map of memory: Input/output error");
	CHECK_EQ(machine.nr_copies, 0);
}

static uint64_t mask(unsigned int eax, unsigned int ebx)
{
	cpuid_eax = eax;
	cpuid_ebx = ebx;
	return ptu_bpf_encryption_mask();
}

/* CPUID 0x8000001f: EAX has SME in bit 0 and SEV in bit 1; EBX the bit's number in 5:0. */
UNIT_TEST(memory_encryption_has_a_bit_in_entries)
{
	CHECK_EQ(mask(1, 47), UINT64_C(1) << 47);
	CHECK_EQ(mask(2, 51), UINT64_C(1) << 51);
	CHECK_EQ(mask(3, 0xffffff40 | 47), UINT64_C(1) << 47);
	CHECK_EQ(mask(3, 63), UINT64_C(1) << 63);
	CHECK_EQ(mask(4, 47), 0);
	CHECK_EQ(mask(0, 47), 0);
	has_cpuid = false;
	CHECK_EQ(mask(3, 47), 0);
}

UNIT_MAIN_WITH(machine_set_up, NULL)
