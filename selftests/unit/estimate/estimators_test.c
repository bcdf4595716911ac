// SPDX-License-Identifier: GPL-2.0-only
/*
 * Claims of estimators from evidence made by the test.  Each rule has near-misses:
 * evidence that is short by one page must not lead to a certain claim.
 */
#include "estimate/estimator.h"

#include <errno.h>

#include "support/claims.h"
#include "support/unit.h"

/*
 * The layout of most tests: one anonymous mapping of 8 slots from 1 GiB on, of which the
 * first @nr_slots have pages.  Tests modify it.
 */
#define BASE UINT64_C(0x40000000)
#define SLOT UINT64_C(0x200000)
#define NR_SLOTS 8

static struct ptu_vma vmas[3];
static struct ptu_slot slots[NR_SLOTS];
static struct ptu_evidence evidence;

/* @nr_slots slots that look like leaves, all counted in Rss. */
static void set_up(size_t nr_slots, unsigned int flags)
{
	memset(vmas, 0, sizeof(vmas));
	memset(slots, 0, sizeof(slots));
	vmas[0] = (struct ptu_vma){
		.start = BASE,
		.end = BASE + NR_SLOTS * SLOT,
		.perms = "rw-p",
		.has_smaps = true,
		.kernel_page_bytes = 4096,
		.rss_bytes = nr_slots * SLOT,
	};
	for (size_t i = 0; i < nr_slots; i++) {
		slots[i].start = BASE + i * SLOT;
		slots[i].present = 512;
		slots[i].flags = (uint16_t)flags;
	}
	evidence = (struct ptu_evidence){
		.geo = &four_levels,
		.vmas = { .vmas = vmas, .nr_vmas = 1 },
		.slots = { .slots = slots, .nr_slots = nr_slots },
		.end = UINT64_MAX,
	};
}

/* Turn slots [from, to) into 512 swap entries each. */
static void swap_out(size_t from, size_t to, unsigned int flags)
{
	for (; from < to; from++) {
		slots[from].present = 0;
		slots[from].nonpresent = 512;
		slots[from].flags = (uint16_t)flags;
	}
}

#define HIDDEN PTU_SLOT_PFN_HIDDEN
#define RUN PTU_SLOT_PFN_RUN

/*
 * One letter for the claim at each slot: T a certain PTE table, p a possible one, L a
 * leaf in the PMD table, - nothing.
 */
static const char *claims_of(const struct ptu_estimator *estimator)
{
	static char letters[NR_SLOTS + 1];
	struct ptu_tables set;

	memset(letters, '-', NR_SLOTS);
	ptu_tables_init(&set, &four_levels);
	if (estimator->estimate(&evidence, &set, NULL))
		UNIT_FAIL("the estimate failed");
	for (size_t i = 0; i < set.nr_tables; i++) {
		const struct ptu_table *t = &set.tables[i];
		char letter;

		if (t->claim != PTU_LEAF && t->level != PTAUDIT_PTE)
			continue;
		letter = t->claim == PTU_LEAF	  ? 'L' :
			 t->claim == PTU_POSSIBLE ? 'p' :
						    'T';
		if (t->start < BASE || t->start >= BASE + NR_SLOTS * SLOT ||
		    letters[(t->start - BASE) / SLOT] != '-' ||
		    (letter == 'L' && t->level != PTAUDIT_PMD))
			UNIT_FAIL("an unexpected claim at 0x%llx",
				  (unsigned long long)t->start);
		else
			letters[(t->start - BASE) / SLOT] = letter;
	}
	ptu_tables_deinit(&set);
	return letters;
}

/* The complete claims from the evidence. */
#define CHECK_ESTIMATE(estimator, ...)                                      \
	do {                                                                \
		struct ptu_tables set_;                                     \
                                                                            \
		ptu_tables_init(&set_, &four_levels);                       \
		CHECK_EQ((estimator)->estimate(&evidence, &set_, NULL), 0); \
		CHECK_CLAIMS(set_, __VA_ARGS__);                            \
		ptu_tables_deinit(&set_);                                   \
	} while (0)

#define CLAIMS(expected) CHECK_STR(claims_of(&ptu_estimator_pagemap), expected)

UNIT_TEST(estimators_are_found_by_name)
{
	CHECK(ptu_estimator_find("naive") == &ptu_estimator_naive);
	CHECK(ptu_estimator_find("pagemap") == &ptu_estimator_pagemap);
	CHECK(!ptu_estimator_find("page"));
	CHECK(!ptu_estimator_find("pagemaps"));
	CHECK(!ptu_estimator_find(""));
}

UNIT_TEST(an_mm_without_pages_has_its_pgd)
{
	static const struct ptu_estimator *const by_page[] = {
		&ptu_estimator_naive, &ptu_estimator_pagemap
	};

	set_up(0, 0);
	for (size_t i = 0; i < 2; i++)
		CHECK_ESTIMATE(by_page[i], { 0, PGD, PTU_CERTAIN });
}

UNIT_TEST(naive_draws_a_table_for_whatever_is_mapped)
{
	set_up(5, RUN | PTU_SLOT_ZERO);
	vmas[0].huge_bytes = 2 * SLOT;
	slots[1].present = 1;
	swap_out(2, 3, PTU_SLOT_SWAP_RUN);
	slots[3].present = 0;
	slots[3].markers = 512;
	CHECK_STR(claims_of(&ptu_estimator_naive), "TTT-T---");
	/* the same in a hugetlb mapping */
	vmas[0].flags = PTU_VM_HUGETLB;
	CHECK_STR(claims_of(&ptu_estimator_naive), "TTT-T---");
}

UNIT_TEST(entries_of_every_kind_are_counted)
{
	struct ptu_tables set;
	size_t i, nr = 0;

	set_up(1, 0);
	slots[0].present = 3;
	slots[0].nonpresent = 20;
	slots[0].markers = 100;
	slots[0].shown_markers = 15;
	ptu_tables_init(&set, &four_levels);
	CHECK_EQ(ptu_estimator_pagemap.estimate(&evidence, &set, NULL), 0);
	for (i = 0; i < set.nr_tables; i++) {
		if (set.tables[i].level != PTAUDIT_PTE)
			continue;
		nr++;
		CHECK(set.tables[i].counted);
		CHECK_EQ(set.tables[i].entries, 123);
		CHECK_EQ(set.tables[i].markers, 115);
	}
	CHECK_EQ(nr, 1);
	ptu_tables_deinit(&set);
}

UNIT_TEST(slot_that_no_leaf_can_have_is_a_table)
{
	/* smaps does not matter: it even counts all slots as leaves */
	set_up(6, RUN);
	vmas[0].huge_bytes = 6 * SLOT;
	slots[0].present = 511;
	slots[1].flags = 0;
	slots[2].present = 0;
	slots[2].nonpresent = 1;
	slots[3].present = 0;
	slots[3].markers = 1;
	swap_out(4, 5, 0);
	slots[5].present = 511;
	slots[5].nonpresent = 1;
	CLAIMS("TTTTTT--");
	vmas[0].has_smaps = false;
	CLAIMS("TTTTTT--");
}

UNIT_TEST(only_kpageflags_can_rule_out_a_run)
{
	set_up(2, RUN | PTU_SLOT_NOT_THP);
	vmas[0].huge_bytes = SLOT;
	CLAIMS("TT------");
	slots[0].flags = RUN;
	slots[1].flags = RUN | PTU_SLOT_THP;
	CLAIMS("pp------");
}

UNIT_TEST(no_huge_pages_in_smaps_make_tables)
{
	set_up(4, RUN);
	CLAIMS("TTTT----");
	set_up(4, HIDDEN);
	CLAIMS("TTTT----");
	vmas[0].huge_bytes = SLOT;
	CLAIMS("pppp----");
}

UNIT_TEST(as_many_huge_pages_as_runs_make_leaves)
{
	set_up(4, RUN);
	vmas[0].huge_bytes = 4 * SLOT;
	CLAIMS("LLLL----");
	set_up(4, HIDDEN);
	vmas[0].huge_bytes = 4 * SLOT;
	CLAIMS("LLLL----");
	/* only slots that can be leaves count */
	slots[1].flags = 0;
	vmas[0].huge_bytes = 3 * SLOT;
	CLAIMS("LTLL----");
	slots[1].flags = RUN | PTU_SLOT_NOT_THP;
	CLAIMS("LTLL----");
}

UNIT_TEST(other_number_of_huge_pages_leaves_runs_open)
{
	set_up(4, RUN);
	vmas[0].huge_bytes = 3 * SLOT;
	CLAIMS("pppp----");
	vmas[0].huge_bytes = 5 * SLOT;
	CLAIMS("pppp----");
	vmas[0].huge_bytes = 4 * SLOT - 4096;
	CLAIMS("pppp----");
	vmas[0].huge_bytes = 4 * SLOT + 1024;
	CLAIMS("pppp----");
}

UNIT_TEST(without_smaps_runs_stay_open)
{
	set_up(4, RUN);
	vmas[0].has_smaps = false;
	CLAIMS("pppp----");
	vmas[0].huge_bytes = 4 * SLOT;
	CLAIMS("pppp----");
	swap_out(2, 4, PTU_SLOT_SWAP_RUN);
	vmas[0].swap_bytes = 2 * SLOT;
	CLAIMS("pppp----");
}

UNIT_TEST(kpageflags_shows_the_huge_zero_page)
{
	set_up(3, RUN | PTU_SLOT_THP);
	slots[1].flags = RUN | PTU_SLOT_ZERO;
	/* the huge zero page is in neither Rss nor AnonHugePages */
	vmas[0].rss_bytes = 2 * SLOT;
	CLAIMS("TLT-----");
	vmas[0].huge_bytes = 2 * SLOT;
	CLAIMS("LLL-----");
}

UNIT_TEST(bit_61_shows_the_huge_zero_page)
{
	set_up(2, HIDDEN | PTU_SLOT_FILE);
	vmas[0].rss_bytes = 0;
	CLAIMS("LL------");
	vmas[0].has_smaps = false;
	CLAIMS("LL------");
	/* what fails the conditions narrowly: a mapping of a file, */
	vmas[0].inode = 5;
	CLAIMS("pp------");
	/* or of System V shared memory with the ID 0, */
	vmas[0].inode = 0;
	vmas[0].device = 5;
	CLAIMS("pp------");
	/* a VM_MIXEDMAP mapping, and pages of which kpageflags shows more */
	set_up(2, HIDDEN | PTU_SLOT_FILE);
	vmas[0].flags = PTU_VM_MIXEDMAP;
	CLAIMS("pp------");
	set_up(2, RUN | PTU_SLOT_FILE | PTU_SLOT_NOT_THP);
	CLAIMS("TT------");
	set_up(2, RUN | PTU_SLOT_FILE | PTU_SLOT_THP);
	CLAIMS("TT------");
}

UNIT_TEST(pages_that_rss_does_not_count_may_be_a_huge_zero_page)
{
	/* 5.10: pagemap does not show the zero page, even with visible frame numbers */
	set_up(4, HIDDEN);
	vmas[0].rss_bytes = 3 * SLOT;
	CLAIMS("pppp----");
	/* one page less than a leaf: 511 zero pages of 4 KiB */
	vmas[0].rss_bytes = 3 * SLOT + 4096;
	CLAIMS("TTTT----");
	/* as root: some 6.1 kernels do not count a leaf with PROT_NONE in Rss */
	set_up(4, RUN | PTU_SLOT_THP);
	vmas[0].rss_bytes = 3 * SLOT;
	CLAIMS("pppp----");
	/* Rss exceeds what pagemap shows: they were read at different moments */
	vmas[0].rss_bytes = 4 * SLOT + 4096;
	CLAIMS("pppp----");
}

UNIT_TEST(migration_entries_may_fill_up_rss)
{
	/*
	 * Rss lacks a leaf of the zero page, but 512 migration entries could make up for it
	 */
	set_up(4, HIDDEN);
	swap_out(3, 4, 0);
	vmas[0].rss_bytes = 3 * SLOT;
	CLAIMS("pppT----");
	/* the same with real swap: then Rss counts only present pages */
	vmas[0].swap_bytes = SLOT;
	CLAIMS("TTTT----");
	vmas[0].swap_bytes = SLOT - 4096;
	CLAIMS("pppT----");
}

UNIT_TEST(dax_leaves_are_in_no_count)
{
	static const unsigned int flags[] = { PTU_VM_HUGE, PTU_VM_NOHUGE,
					      PTU_VM_MIXEDMAP };

	for (size_t i = 0; i < 3; i++) {
		set_up(2, RUN);
		vmas[0].inode = 5;
		CLAIMS("TT------");
		vmas[0].flags = flags[i];
		CLAIMS("pp------");
		/* a page that kpageflags shows is not memory of a device */
		slots[0].flags |= PTU_SLOT_THP;
		CLAIMS("Tp------");
		/* anonymous memory is not DAX, whatever the advice */
		vmas[0].inode = 0;
		CLAIMS(flags[i] == PTU_VM_MIXEDMAP ? "Tp------" : "TT------");
	}
}

UNIT_TEST(swap_runs_may_be_migrating_leaves)
{
	/* nothing excludes swap or migration */
	set_up(4, RUN);
	swap_out(2, 4, PTU_SLOT_SWAP_RUN);
	vmas[0].huge_bytes = SLOT;
	CLAIMS("pppp----");
	/* Swap counts them all: they are real swap entries */
	vmas[0].swap_bytes = 2 * SLOT;
	CLAIMS("ppTT----");
	vmas[0].swap_bytes = 2 * SLOT - 4096;
	CLAIMS("pppp----");
	vmas[0].swap_bytes = 2 * SLOT + 4096;
	CLAIMS("pppp----");
	/* for a file mapping, Swap may count holes */
	vmas[0].swap_bytes = 2 * SLOT;
	vmas[0].device = 5;
	CLAIMS("pppp----");
}

UNIT_TEST(migrating_leaves_are_in_the_count_of_huge_pages)
{
	/* two huge pages: the two runs, or one run and one migrating leaf */
	set_up(3, RUN);
	swap_out(2, 3, PTU_SLOT_SWAP_RUN);
	vmas[0].rss_bytes = 3 * SLOT;
	vmas[0].huge_bytes = 2 * SLOT;
	CLAIMS("ppp-----");
	vmas[0].huge_bytes = 3 * SLOT;
	CLAIMS("LLp-----");
	/* a real swap entry cannot be one of the two */
	vmas[0].huge_bytes = 2 * SLOT;
	vmas[0].rss_bytes = 2 * SLOT;
	vmas[0].swap_bytes = SLOT;
	CLAIMS("LLT-----");
	/*
	 * no huge pages: nothing migrates, and the runs stay open because Rss does not match
	 */
	vmas[0].huge_bytes = 0;
	vmas[0].rss_bytes = 3 * SLOT;
	vmas[0].swap_bytes = 0;
	CLAIMS("ppT-----");
	/* four huge pages, two of which migrate */
	set_up(4, RUN);
	swap_out(2, 4, PTU_SLOT_SWAP_RUN);
	vmas[0].rss_bytes = vmas[0].huge_bytes = 4 * SLOT;
	CLAIMS("LLpp----");
}

UNIT_TEST(a_part_of_a_mapping_is_not_compared_with_smaps)
{
	set_up(4, RUN);
	vmas[0].huge_bytes = 4 * SLOT;
	evidence.start = BASE;
	evidence.end = BASE + NR_SLOTS * SLOT;
	CLAIMS("LLLL----");
	evidence.end -= SLOT;
	CLAIMS("pppp----");
	evidence.end += SLOT;
	evidence.start += SLOT;
	CLAIMS("pppp----");
	vmas[0].huge_bytes = 0;
	CLAIMS("pppp----");
	evidence.start = 0;
	CLAIMS("TTTT----");
	set_up(2, RUN);
	swap_out(0, 2, PTU_SLOT_SWAP_RUN);
	vmas[0].huge_bytes = SLOT;
	vmas[0].swap_bytes = 2 * SLOT;
	CLAIMS("TT------");
	evidence.start = BASE + SLOT;
	CLAIMS("pp------");
}

UNIT_TEST(a_slot_of_two_mappings_is_a_table)
{
	set_up(2, 0);
	vmas[0].end = BASE + SLOT / 2;
	vmas[1] = vmas[0];
	vmas[1].start = BASE + SLOT / 2;
	vmas[1].end = BASE + NR_SLOTS * SLOT;
	evidence.vmas.nr_vmas = 2;
	slots[0].present = 256;
	slots[1] = slots[0];
	slots[1].vma = 1;
	vmas[0].huge_bytes = SLOT;
	vmas[1].huge_bytes = SLOT;
	CLAIMS("T-------");
}

UNIT_TEST(each_mapping_is_compared_with_its_own_smaps)
{
	set_up(4, RUN);
	vmas[0].end = BASE + 2 * SLOT;
	vmas[0].rss_bytes = 2 * SLOT;
	vmas[1] = vmas[0];
	vmas[1].start = BASE + 2 * SLOT;
	vmas[1].end = BASE + 4 * SLOT;
	evidence.vmas.nr_vmas = 2;
	slots[2].vma = 1;
	slots[3].vma = 1;
	vmas[0].huge_bytes = 2 * SLOT;
	CLAIMS("LLTT----");
	vmas[0].huge_bytes = 0;
	vmas[1].huge_bytes = 2 * SLOT;
	CLAIMS("TTLL----");
}

UNIT_TEST(hugetlb_2m_is_a_leaf_in_a_pmd_table)
{
	set_up(3, HIDDEN);
	vmas[0].flags = PTU_VM_HUGETLB;
	vmas[0].kernel_page_bytes = 0x200000;
	vmas[0].inode = 9;
	vmas[0].rss_bytes = 0;
	CLAIMS("LLL-----");
	/* a marker is not a leaf, but it proves its PMD table */
	slots[1].present = 0;
	slots[1].markers = 512;
	CLAIMS("L-L-----");
}

UNIT_TEST(hugetlb_marker_alone_has_its_pmd_table)
{
	set_up(1, 0);
	vmas[0].flags = PTU_VM_HUGETLB;
	vmas[0].kernel_page_bytes = 0x200000;
	slots[0].present = 0;
	slots[0].markers = 512;
	CHECK_ESTIMATE(&ptu_estimator_pagemap, { 0, PGD, PTU_CERTAIN },
		       { 0, PUD, PTU_CERTAIN },
		       { 0x40000000, PMD, PTU_CERTAIN });
}

/* Entries of upper tables that are not present: of each claim, in ascending order. */
static void absent_entries(const unsigned int *expected, size_t nr)
{
	struct ptu_tables set;

	ptu_tables_init(&set, &four_levels);
	CHECK(!ptu_estimator_pagemap.estimate(&evidence, &set, NULL));
	CHECK_EQ(set.nr_tables, nr);
	for (size_t i = 0; i < nr; i++)
		CHECK_EQ(set.tables[i].entries, expected[i]);
	ptu_tables_deinit(&set);
}

UNIT_TEST(hugetlb_markers_are_entries_of_their_table)
{
	set_up(3, 0);
	vmas[0].flags = PTU_VM_HUGETLB;
	vmas[0].kernel_page_bytes = 0x200000;
	slots[0].present = slots[2].present = 0;
	slots[0].markers = 512;
	slots[2].nonpresent = 512;
	/* PGD, PUD table, PMD table, and the leaf of the present page */
	absent_entries((const unsigned int[]){ 0, 0, 2, 0 }, 4);
	/* three slots of one entry of 1 GiB */
	vmas[0].kernel_page_bytes = GIB;
	slots[1].present = 0;
	slots[1].markers = 512;
	absent_entries((const unsigned int[]){ 0, 1 }, 2);
}

UNIT_TEST(hugetlb_1g_is_one_leaf_in_the_pud_table)
{
	set_up(8, RUN);
	vmas[0].flags = PTU_VM_HUGETLB;
	vmas[0].kernel_page_bytes = 0x40000000;
	vmas[0].end = 0xc0000000;
	slots[7].start = 0x80000000;
	CHECK_ESTIMATE(&ptu_estimator_pagemap, { 0, PGD, PTU_CERTAIN },
		       { 0, PUD, PTU_CERTAIN }, { 0x40000000, PUD, PTU_LEAF },
		       { 0x80000000, PUD, PTU_LEAF });
}

UNIT_TEST(contiguous_entries_of_arm64_are_in_pte_and_pmd_tables)
{
	struct ptu_geometry arm64;

	CHECK_EQ(ptu_geometry_init(4096, "aarch64", "va48", &arm64, NULL), 0);
	set_up(2, HIDDEN);
	evidence.geo = &arm64;
	vmas[0].flags = PTU_VM_HUGETLB;
	vmas[0].inode = 9;
	vmas[0].kernel_page_bytes = 0x10000;
	CLAIMS("TT------");
	vmas[0].kernel_page_bytes = 0x2000000;
	CLAIMS("LL------");
}

static void contradicts(const struct ptu_estimator *estimator, int at)
{
	struct ptu_err err = { 0 };
	struct ptu_tables set;
	int error;

	ptu_tables_init(&set, &four_levels);
	error = estimator->estimate(&evidence, &set, &err);
	if (error != -EINVAL || !err.text[0])
		UNIT_FAIL("case in line %d: not refused with a sentence, returned %d",
			  at, error);
	ptu_tables_deinit(&set);
}

UNIT_TEST(evidence_that_contradicts_itself_is_refused)
{
	set_up(2, RUN);
	slots[1].vma = 3;
	contradicts(&ptu_estimator_pagemap, __LINE__);
	set_up(2, RUN);
	slots[0].start = BASE - SLOT;
	contradicts(&ptu_estimator_pagemap, __LINE__);
	set_up(2, RUN);
	slots[1].start = BASE + NR_SLOTS * SLOT;
	contradicts(&ptu_estimator_pagemap, __LINE__);
	set_up(2, RUN);
	slots[0].start = BASE + 2 * SLOT;
	contradicts(&ptu_estimator_pagemap, __LINE__);
	contradicts(&ptu_estimator_naive, __LINE__);
	set_up(2, RUN);
	vmas[0].flags = PTU_VM_HUGETLB;
	vmas[0].kernel_page_bytes = 0x10000;
	contradicts(&ptu_estimator_pagemap, __LINE__);
}

UNIT_TEST(the_first_and_the_last_page_have_their_tables)
{
	set_up(2, 0);
	vmas[0].start = 0;
	vmas[0].end = 0x1000;
	vmas[1] = vmas[0];
	vmas[1].start = 0x7fffffffe000;
	vmas[1].end = 0x7ffffffff000;
	evidence.vmas.nr_vmas = 2;
	slots[0].start = 0;
	slots[0].present = 1;
	slots[1].start = 0x7fffffe00000;
	slots[1].present = 1;
	slots[1].vma = 1;
	CHECK_ESTIMATE(&ptu_estimator_pagemap, { 0, PGD, PTU_CERTAIN },
		       { 0, PUD, PTU_CERTAIN }, { 0, PMD, PTU_CERTAIN },
		       { 0, PTE, PTU_CERTAIN },
		       { 0x7f8000000000, PUD, PTU_CERTAIN },
		       { 0x7fffc0000000, PMD, PTU_CERTAIN },
		       { 0x7fffffe00000, PTE, PTU_CERTAIN });
}

UNIT_MAIN
