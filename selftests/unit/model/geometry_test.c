// SPDX-License-Identifier: GPL-2.0-only
/* The geometry of page tables, compared with the manuals' figures for x86-64 and arm64. */
#include "model/geometry.h"

#include <errno.h>

#include "support/unit.h"

static struct ptu_geometry four_levels(void)
{
	struct ptu_geometry geo = { 0 };

	if (ptu_geometry_init(4096, "x86_64", " fpu vme sse2 lm", &geo, NULL))
		UNIT_FAIL("the geometry of four levels is refused");
	return geo;
}

static struct ptu_geometry five_levels(void)
{
	struct ptu_geometry geo = { 0 };

	if (ptu_geometry_init(4096, "x86_64", "fpu la57 rdpid", &geo, NULL))
		UNIT_FAIL("the geometry of five levels is refused");
	return geo;
}

UNIT_TEST(without_la57_there_are_four_levels)
{
	struct ptu_geometry geo = four_levels();

	CHECK_EQ(geo.page_bytes, 4096);
	CHECK(geo.unfolded[PTAUDIT_PTE] && geo.unfolded[PTAUDIT_PMD] &&
	      geo.unfolded[PTAUDIT_PUD] && geo.unfolded[PTAUDIT_PGD]);
	CHECK(!geo.unfolded[PTAUDIT_P4D]);
	CHECK_EQ(geo.shift[PTAUDIT_PTE], 12);
	CHECK_EQ(geo.shift[PTAUDIT_PMD], 21);
	CHECK_EQ(geo.shift[PTAUDIT_PUD], 30);
	CHECK_EQ(geo.shift[PTAUDIT_PGD], 39);
	CHECK_EQ(geo.nr_entries[PTAUDIT_PTE], 512);
	CHECK_EQ(geo.nr_entries[PTAUDIT_PMD], 512);
	CHECK_EQ(geo.nr_entries[PTAUDIT_PUD], 512);
	CHECK_EQ(geo.nr_entries[PTAUDIT_PGD], 512);
}

UNIT_TEST(with_la57_there_are_five_levels)
{
	struct ptu_geometry geo = five_levels();

	CHECK(geo.unfolded[PTAUDIT_P4D]);
	CHECK_EQ(geo.shift[PTAUDIT_PUD], 30);
	CHECK_EQ(geo.shift[PTAUDIT_P4D], 39);
	CHECK_EQ(geo.shift[PTAUDIT_PGD], 48);
	CHECK_EQ(geo.nr_entries[PTAUDIT_P4D], 512);
}

UNIT_TEST(page_table_isolation_is_a_flag_of_the_cpu)
{
	struct ptu_geometry geo = four_levels();

	CHECK(!geo.pti);
	CHECK(!ptu_geometry_init(4096, "x86_64", "fpu pti la57", &geo, NULL));
	CHECK(geo.pti);
	/* only the PGD has a second page, for the user half */
	CHECK_EQ(ptu_geometry_table_bytes(&geo, PTAUDIT_PGD), 8192);
	CHECK_EQ(ptu_geometry_table_bytes(&geo, PTAUDIT_P4D), 4096);
}

UNIT_TEST(la57_counts_as_a_whole_word_only)
{
	static const char *const flags[] = { "",	 "la57x", "xla57",
					     "la5",	 "la_57", "fpu nola57",
					     "la577 fpu" };
	static const char *const la57[] = { "la57", " la57 ", "fpu\tla57\n",
					    "la57 fpu", "la57x la57" };
	struct ptu_geometry geo;

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		CHECK_EQ(ptu_geometry_init(4096, "x86_64", flags[i], &geo,
					   NULL),
			 0);
		CHECK(!geo.unfolded[PTAUDIT_P4D]);
		CHECK_EQ(geo.shift[PTAUDIT_PGD], 39);
	}
	for (size_t i = 0; i < sizeof(la57) / sizeof(la57[0]); i++) {
		CHECK_EQ(ptu_geometry_init(4096, "x86_64", la57[i], &geo, NULL),
			 0);
		CHECK(geo.unfolded[PTAUDIT_P4D]);
	}
}

UNIT_TEST(an_unknown_machine_is_refused_and_nothing_written)
{
	struct ptu_geometry geo = { .page_bytes = 7 };
	struct ptu_err err = { 0 };

	CHECK_EQ(ptu_geometry_init(4096, "pdp11", "", &geo, &err), -EOPNOTSUPP);
	CHECK(strstr(err.text, "pdp11"));
	CHECK_EQ(ptu_geometry_init(4096, "x86_64_v2", "", &geo, NULL),
		 -EOPNOTSUPP);
	CHECK_EQ(ptu_geometry_init(16384, "x86_64", "", &geo, NULL),
		 -EOPNOTSUPP);
	CHECK_EQ(geo.page_bytes, 7);
}

UNIT_TEST(reach_is_what_one_table_maps)
{
	struct ptu_geometry four = four_levels();
	struct ptu_geometry five = five_levels();

	CHECK_EQ(ptu_geometry_reach(&four, PTAUDIT_PTE), 0x200000);
	CHECK_EQ(ptu_geometry_reach(&four, PTAUDIT_PMD), 0x40000000);
	CHECK_EQ(ptu_geometry_reach(&four, PTAUDIT_PUD), 0x8000000000);
	CHECK_EQ(ptu_geometry_reach(&four, PTAUDIT_PGD), 0x1000000000000);
	CHECK_EQ(ptu_geometry_reach(&five, PTAUDIT_PUD), 0x8000000000);
	CHECK_EQ(ptu_geometry_reach(&five, PTAUDIT_P4D), 0x1000000000000);
	CHECK_EQ(ptu_geometry_reach(&five, PTAUDIT_PGD), 0x200000000000000);
}

UNIT_TEST(reach_beyond_64_bits_is_0)
{
	struct ptu_geometry geo = four_levels();

	geo.shift[PTAUDIT_PGD] = 55;
	CHECK_EQ(ptu_geometry_reach(&geo, PTAUDIT_PGD), 0);
	geo.shift[PTAUDIT_PGD] = 54;
	CHECK_EQ(ptu_geometry_reach(&geo, PTAUDIT_PGD), 0x8000000000000000);
	geo.shift[PTAUDIT_PGD] = 64;
	CHECK_EQ(ptu_geometry_reach(&geo, PTAUDIT_PGD), 0);
}

UNIT_TEST(base_is_where_the_table_begins)
{
	struct ptu_geometry geo = four_levels();

	CHECK_EQ(ptu_geometry_base(&geo, PTAUDIT_PTE, 0), 0);
	CHECK_EQ(ptu_geometry_base(&geo, PTAUDIT_PTE, 0x1fffff), 0);
	CHECK_EQ(ptu_geometry_base(&geo, PTAUDIT_PTE, 0x200000), 0x200000);
	CHECK_EQ(ptu_geometry_base(&geo, PTAUDIT_PTE, 0x7fffffffe000),
		 0x7fffffe00000);
	CHECK_EQ(ptu_geometry_base(&geo, PTAUDIT_PMD, 0x7fffffffe000),
		 0x7fffc0000000);
	CHECK_EQ(ptu_geometry_base(&geo, PTAUDIT_PUD, 0x7fffffffe000),
		 0x7f8000000000);
	CHECK_EQ(ptu_geometry_base(&geo, PTAUDIT_PGD, 0x7fffffffe000), 0);
	CHECK_EQ(ptu_geometry_base(&geo, PTAUDIT_PMD, 0x555555555000),
		 0x555540000000);
}

UNIT_TEST(a_base_can_be_above_47_bits_with_five_levels)
{
	struct ptu_geometry geo = five_levels();

	CHECK_EQ(ptu_geometry_base(&geo, PTAUDIT_PTE, 0xffffffffffe000),
		 0xffffffffe00000);
	CHECK_EQ(ptu_geometry_base(&geo, PTAUDIT_PUD, 0xffffffffffe000),
		 0xffff8000000000);
	CHECK_EQ(ptu_geometry_base(&geo, PTAUDIT_P4D, 0xffffffffffe000),
		 0xff000000000000);
	CHECK_EQ(ptu_geometry_base(&geo, PTAUDIT_P4D, 0x800000000000), 0);
	CHECK_EQ(ptu_geometry_base(&geo, PTAUDIT_P4D, 0x1000000000000),
		 0x1000000000000);
	CHECK_EQ(ptu_geometry_base(&geo, PTAUDIT_PGD, 0xffffffffffe000), 0);
}

UNIT_TEST(one_pgd_maps_the_kernel_half_too)
{
	struct ptu_geometry geo = four_levels();

	CHECK_EQ(ptu_geometry_base(&geo, PTAUDIT_PGD, 0xffff880000000000), 0);
	CHECK_EQ(ptu_geometry_base(&geo, PTAUDIT_PTE, 0xffff880000010000),
		 0xffff880000000000);
}

UNIT_TEST(the_level_above_skips_folded_ones)
{
	struct ptu_geometry four = four_levels();
	struct ptu_geometry five = five_levels();

	CHECK_EQ(ptu_geometry_above(&four, PTAUDIT_PTE), PTAUDIT_PMD);
	CHECK_EQ(ptu_geometry_above(&four, PTAUDIT_PMD), PTAUDIT_PUD);
	CHECK_EQ(ptu_geometry_above(&four, PTAUDIT_PUD), PTAUDIT_PGD);
	CHECK_EQ(ptu_geometry_above(&five, PTAUDIT_PUD), PTAUDIT_P4D);
	CHECK_EQ(ptu_geometry_above(&five, PTAUDIT_P4D), PTAUDIT_PGD);
	CHECK_EQ(ptu_geometry_above(&five, PTAUDIT_PGD), PTAUDIT_NR_LEVELS);
}

/* Shapes of arm64 by page size and address bits; 0: the level is folded. */
static const struct shape {
	const char *bits;
	uint64_t page_bytes;
	unsigned int pmd, pud, p4d, pgd, pgd_entries; /* shifts */
	uint64_t pgd_bytes, end;
} shapes[] = {
	{ "va39", 4096, 21, 0, 0, 30, 512, 4096, 0x8000000000 },
	{ "va48", 4096, 21, 30, 0, 39, 512, 4096, 0x1000000000000 },
	{ "va52", 4096, 21, 30, 39, 48, 16, 128, 0x10000000000000 },
	{ "va47", 16384, 25, 0, 0, 36, 2048, 16384, 0x800000000000 },
	{ "va48", 16384, 25, 36, 0, 47, 2, 16, 0x1000000000000 },
	{ "va48", 65536, 29, 0, 0, 42, 64, 512, 0x1000000000000 },
	{ "va52", 65536, 29, 0, 0, 42, 1024, 8192, 0x10000000000000 },
};

UNIT_TEST(arm64_has_three_to_five_levels)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		const struct shape *s = &shapes[i];
		struct ptu_geometry geo = { 0 };

		CHECK_EQ(ptu_geometry_init(s->page_bytes, "aarch64", s->bits,
					   &geo, NULL),
			 0);
		CHECK_EQ(geo.arch, PTU_ARM64);
		CHECK_EQ(geo.page_bytes, s->page_bytes);
		CHECK_EQ(UINT64_C(1) << geo.shift[PTAUDIT_PTE], s->page_bytes);
		CHECK_EQ(geo.shift[PTAUDIT_PMD], s->pmd);
		CHECK_EQ(geo.unfolded[PTAUDIT_PUD], s->pud != 0);
		CHECK_EQ(geo.unfolded[PTAUDIT_P4D], s->p4d != 0);
		CHECK_EQ(geo.shift[PTAUDIT_PUD], s->pud ? s->pud : s->pgd);
		CHECK_EQ(geo.shift[PTAUDIT_P4D], s->p4d ? s->p4d : s->pgd);
		CHECK_EQ(geo.shift[PTAUDIT_PGD], s->pgd);
		CHECK_EQ(geo.nr_entries[PTAUDIT_PTE], s->page_bytes / 8);
		CHECK_EQ(geo.nr_entries[PTAUDIT_PMD], s->page_bytes / 8);
		CHECK_EQ(geo.nr_entries[PTAUDIT_PUD],
			 s->pud ? s->page_bytes / 8 : 1);
		CHECK_EQ(geo.nr_entries[PTAUDIT_PGD], s->pgd_entries);
		CHECK_EQ(ptu_geometry_table_bytes(&geo, PTAUDIT_PGD),
			 s->pgd_bytes);
		CHECK_EQ(ptu_geometry_table_bytes(&geo, PTAUDIT_PMD),
			 s->page_bytes);
		CHECK_EQ(ptu_geometry_user_end(&geo), s->end);
		CHECK_EQ(ptu_geometry_task_end(&geo), s->end);
		CHECK(!geo.pti);
	}
}

UNIT_TEST(arm64_without_known_address_bits_is_refused)
{
	static const char *const bits[] = { "",	    "va",   "48",      "va0",
					    "va53", "va99", "fp asimd" };
	struct ptu_geometry geo = { 0 };
	struct ptu_err err = { 0 };

	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
		CHECK_EQ(ptu_geometry_init(4096, "aarch64", bits[i], &geo,
					   NULL),
			 -EOPNOTSUPP);
	CHECK_EQ(ptu_geometry_init(65537, "aarch64", "va48", &geo, NULL),
		 -EOPNOTSUPP);
	/* two levels: there is no PMD table */
	CHECK_EQ(ptu_geometry_init(65536, "aarch64", "va42", &geo, NULL),
		 -EOPNOTSUPP);
	CHECK_EQ(ptu_geometry_init(8192, "aarch64", "va48", &geo, &err),
		 -EOPNOTSUPP);
	CHECK(strstr(err.text, "8192") && strstr(err.text, "va48"));
}

UNIT_TEST(x86_maps_a_huge_page_by_one_entry)
{
	struct ptu_geometry geo = four_levels();

	CHECK_EQ(ptu_geometry_leaf_level(&geo, 4096), PTAUDIT_PTE);
	CHECK_EQ(ptu_geometry_leaf_level(&geo, 0x200000), PTAUDIT_PMD);
	CHECK_EQ(ptu_geometry_leaf_level(&geo, 0x40000000), PTAUDIT_PUD);
	CHECK_EQ(ptu_geometry_leaf_level(&geo, 0x10000), PTAUDIT_NR_LEVELS);
	CHECK_EQ(ptu_geometry_leaf_level(&geo, 0x2000000), PTAUDIT_NR_LEVELS);
	CHECK_EQ(ptu_geometry_leaf_level(&geo, 0), PTAUDIT_NR_LEVELS);
	CHECK_EQ(ptu_geometry_task_end(&geo), 0x7ffffffff000);
}

UNIT_TEST(arm64_maps_a_huge_page_by_one_entry_or_several)
{
	struct ptu_geometry geo = { 0 };

	CHECK(!ptu_geometry_init(4096, "aarch64", "va48", &geo, NULL));
	CHECK_EQ(ptu_geometry_leaf_level(&geo, 0x10000), PTAUDIT_PTE);
	CHECK_EQ(ptu_geometry_leaf_level(&geo, 0x200000), PTAUDIT_PMD);
	CHECK_EQ(ptu_geometry_leaf_level(&geo, 0x2000000), PTAUDIT_PMD);
	CHECK_EQ(ptu_geometry_leaf_level(&geo, 0x40000000), PTAUDIT_PUD);
	CHECK_EQ(ptu_geometry_leaf_level(&geo, 0x10001), PTAUDIT_NR_LEVELS);
	CHECK_EQ(ptu_geometry_leaf_level(&geo, 0), PTAUDIT_NR_LEVELS);
	/* with three levels, the PGD has the entries of 1 GiB */
	CHECK(!ptu_geometry_init(4096, "aarch64", "va39", &geo, NULL));
	CHECK_EQ(ptu_geometry_leaf_level(&geo, 0x40000000), PTAUDIT_PGD);
}

UNIT_TEST(each_level_has_its_name)
{
	CHECK_STR(ptu_level_name(PTAUDIT_PTE), "pte");
	CHECK_STR(ptu_level_name(PTAUDIT_PMD), "pmd");
	CHECK_STR(ptu_level_name(PTAUDIT_PUD), "pud");
	CHECK_STR(ptu_level_name(PTAUDIT_P4D), "p4d");
	CHECK_STR(ptu_level_name(PTAUDIT_PGD), "pgd");
	CHECK_STR(ptu_level_name(PTAUDIT_NR_LEVELS), "?");
}

UNIT_MAIN
