// SPDX-License-Identifier: GPL-2.0-only
/* Claims of `scan` and `written` from the results of PAGEMAP_SCAN. */
#include "estimate/estimator.h"

#include <errno.h>

#include "support/build.h"
#include "support/levels.h"
#include "support/unit.h"

#define A UINT64_C(0x7f0000000000)

/* A process with one or two mappings, and the scan results. */
struct scene {
	struct build b;
	struct ptu_evidence e;
	struct ptu_vma vmas[2];
	struct ptu_scan_slot slots[4];
	struct ptu_tables claims;
	struct ptu_err err;
};

static void scene_init(struct scene *s)
{
	memset(s, 0, sizeof(*s));
	build_init(&s->b, 4, false);
	s->vmas[0] = (struct ptu_vma){ .start = A,
				       .end = A + 4 * GIB,
				       .perms = "rw-p",
				       .has_smaps = true,
				       .kernel_page_bytes = 4096 };
	s->e.geo = &s->b.geo;
	s->e.vmas.vmas = s->vmas;
	s->e.vmas.nr_vmas = 1;
	s->e.end = UINT64_MAX;
	s->e.scan.is_there = true;
	s->e.scan.caps.hole_is_silent = true;
	s->e.scan.caps.empty_is_seen = true;
	s->e.scan.slots = s->slots;
}

static void shows(struct scene *s, uint64_t first, bool populated, bool huge)
{
	s->slots[s->e.scan.nr_slots++] = (struct ptu_scan_slot){
		.start = first & ~(2 * MIB - 1),
		.first = first,
		.populated = populated,
		.huge = huge,
	};
}

static void hugetlb(struct scene *s, uint64_t page_bytes)
{
	s->vmas[0].flags = PTU_VM_HUGETLB;
	s->vmas[0].kernel_page_bytes = page_bytes;
	s->vmas[0].inode = 99;
}

static int run(struct scene *s, const struct ptu_estimator *estimator)
{
	ptu_tables_deinit(&s->claims);
	ptu_tables_init(&s->claims, &s->b.geo);
	s->err.text[0] = '\0';
	return estimator->estimate(&s->e, &s->claims, &s->err);
}

/* The claim at this place; 0: none. */
static unsigned int claimed(const struct scene *s, unsigned int level,
			    uint64_t start, bool leaf)
{
	for (size_t i = 0; i < s->claims.nr_tables; i++)
		if (s->claims.tables[i].level == level &&
		    s->claims.tables[i].start == start &&
		    (s->claims.tables[i].claim == PTU_LEAF) == leaf)
			return s->claims.tables[i].claim;
	return 0;
}

static void scene_deinit(struct scene *s)
{
	ptu_tables_deinit(&s->claims);
	build_deinit(&s->b);
}

/* A test: @put prepares the scan results, then come the estimator and the checks. */
#define SCENE(name, put, ...)     \
	UNIT_TEST(name)           \
	{                         \
		struct scene s;   \
                                  \
		scene_init(&s);   \
		put;              \
		__VA_ARGS__       \
		scene_deinit(&s); \
	}

#define RUN(estimator, error) \
	CHECK_EQ(run(&s, &ptu_estimator_##estimator), error)
#define TABLE(level, start, claim) \
	CHECK_EQ(claimed(&s, level, start, false), claim)
#define LEAF(level, start) CHECK_EQ(claimed(&s, level, start, true), PTU_LEAF)
#define CLAIMS(nr) CHECK_EQ(s.claims.nr_tables, nr)

SCENE(a_populated_slot_has_a_table, shows(&s, A + 5 * 4096, true, false),
      RUN(scan, 0);
      TABLE(PTE, A, PTU_CERTAIN); TABLE(PMD, A, PTU_CERTAIN); CLAIMS(4);
      RUN(written, 0); TABLE(PTE, A, PTU_CERTAIN); CLAIMS(4);)

SCENE(no_results_lead_to_no_claims, , RUN(scan, 0); CLAIMS(0); RUN(written, 0);
      CLAIMS(0);)

SCENE(an_empty_table_is_claimed_by_written_alone, shows(&s, A, true, false);
      shows(&s, A + 2 * MIB, false, false), RUN(scan, 0);
      TABLE(PTE, A + 2 * MIB, 0); CLAIMS(4); RUN(written, 0);
      TABLE(PTE, A + 2 * MIB, PTU_CERTAIN); CLAIMS(5);)

SCENE(written_wants_empty_tables_to_be_seen,
      s.e.scan.caps.empty_is_seen = false;
      shows(&s, A, false, false), RUN(written, -EOPNOTSUPP);
      CHECK(strstr(s.err.text, "--estimator scan")); CLAIMS(0); RUN(scan, 0);)

SCENE(written_wants_holes_to_be_silent, s.e.scan.caps.hole_is_silent = false;
      shows(&s, A, false, false), RUN(written, -EOPNOTSUPP); CLAIMS(0);)

SCENE(a_kernel_without_the_ioctl_is_no_process_without_tables,
      s.e.scan.is_there = false, RUN(scan, -EOPNOTSUPP);
      CHECK(strstr(s.err.text, "PAGEMAP_SCAN")); RUN(written, -EOPNOTSUPP);)

SCENE(a_huge_page_is_a_leaf, shows(&s, A + 2 * MIB, true, true), RUN(scan, 0);
      LEAF(PMD, A + 2 * MIB); TABLE(PMD, A, PTU_CERTAIN);
      TABLE(PTE, A + 2 * MIB, 0); CLAIMS(4);)

SCENE(a_hugetlb_page_of_2_mib_is_a_leaf, hugetlb(&s, 2 * MIB);
      shows(&s, A + 2 * MIB, true, true), RUN(scan, 0); LEAF(PMD, A + 2 * MIB);
      CLAIMS(4);)

SCENE(a_hugetlb_entry_that_is_none_is_a_table_without_a_leaf,
      hugetlb(&s, 2 * MIB);
      shows(&s, A + 2 * MIB, false, true), RUN(scan, 0);
      CHECK_EQ(claimed(&s, PMD, A + 2 * MIB, true), 0);
      TABLE(PMD, A, PTU_CERTAIN); TABLE(PTE, A + 2 * MIB, 0); CLAIMS(3);)

/* PGD, PUD table and PMD table, which has both slots */
SCENE(a_hugetlb_entry_that_is_absent_is_in_its_table, hugetlb(&s, 2 * MIB);
      shows(&s, A + 2 * MIB, false, true); shows(&s, A + 4 * MIB, false, true);
      s.slots[1].absent = true, RUN(scan, 0); CLAIMS(3);
      CHECK_EQ(s.claims.tables[2].entries, 1);
      CHECK_EQ(s.claims.tables[1].entries, 0);)

/* The table in front of the hugetlb mapping may have entries. */
SCENE(a_hugetlb_entry_that_is_none_does_not_count_for_a_pte_table,
      hugetlb(&s, 2 * MIB);
      s.vmas[1] = s.vmas[0]; s.vmas[1].start = A + 2 * MIB;
      s.vmas[0].end = A + 2 * MIB; s.vmas[0].flags = 0; s.e.vmas.nr_vmas = 2;
      shows(&s, A, true, false);
      shows(&s, A + 2 * MIB, false, true), RUN(scan, 0); CLAIMS(4);
      TABLE(PTE, A, PTU_CERTAIN); CHECK(!s.claims.tables[3].counted);)

SCENE(a_hugetlb_page_of_1_gib_is_one_leaf_for_all_its_slots, hugetlb(&s, GIB);
      shows(&s, A + GIB, true, true);
      shows(&s, A + GIB + 2 * MIB, true, true), RUN(scan, 0);
      LEAF(PUD, A + GIB); TABLE(PMD, A + GIB, 0); CLAIMS(3);)

SCENE(a_1_gib_entry_that_is_none_has_its_pud_table, hugetlb(&s, GIB);
      shows(&s, A + GIB, false, true), RUN(scan, 0); TABLE(PUD, A, PTU_CERTAIN);
      CLAIMS(2);)

SCENE(a_hugetlb_page_of_an_unknown_size_is_a_contradiction,
      hugetlb(&s, 32 * MIB);
      shows(&s, A, true, true), RUN(scan, -EINVAL);)

SCENE(contiguous_entries_of_arm64_are_in_pte_and_pmd_tables,
      CHECK_EQ(ptu_geometry_init(4096, "aarch64", "va48", &s.b.geo, NULL), 0);
      hugetlb(&s, 64 << 10); shows(&s, A, true, true), RUN(scan, 0);
      TABLE(PTE, A, PTU_CERTAIN); CLAIMS(4); hugetlb(&s, 32 * MIB);
      RUN(scan, 0); LEAF(PMD, A); TABLE(PTE, A, 0); CLAIMS(4);)

SCENE(a_huge_page_without_a_mapping_is_a_contradiction,
      shows(&s, A + 4 * GIB, true, true), RUN(scan, -EINVAL);
      CHECK(strstr(s.err.text, "contradict"));)

SCENE(a_huge_page_in_front_of_its_mapping_is_a_contradiction,
      shows(&s, A - 2 * MIB, true, true), RUN(scan, -EINVAL);)

SCENE(a_huge_page_of_a_file_without_smaps_is_not_guessed,
      s.vmas[0].has_smaps = false;
      s.vmas[0].inode = 99; shows(&s, A, true, true), RUN(scan, -EINVAL);
      /* System V shared memory with the ID 0 */
      s.vmas[0].inode = 0;
      s.vmas[0].device = 1; RUN(scan, -EINVAL);)

SCENE(a_huge_page_of_anonymous_memory_needs_no_smaps,
      s.vmas[0].has_smaps = false;
      shows(&s, A, true, true), RUN(scan, 0); LEAF(PMD, A);)

SCENE(slots_out_of_order_are_a_contradiction,
      shows(&s, A + 2 * MIB, true, false);
      shows(&s, A, true, false), RUN(scan, -EINVAL);)

/*
 * userfaultfd: some kernels show a protected hole like an empty table, so they show a
 * protected mapping completely.  The mapping ends at @end_bytes.
 */
#define WP_SEEN_TO(end_bytes)                 \
	s.e.scan.caps.wp_hole_is_seen = true; \
	s.vmas[0].end = A + (end_bytes)
#define WP_SEEN WP_SEEN_TO(2 * MIB)

SCENE(a_protected_hole_may_be_a_table, WP_SEEN;
      s.vmas[0].flags = PTU_VM_UFFD_WP;
      shows(&s, A, false, false), RUN(written, 0); TABLE(PTE, A, PTU_MAYBE);
      TABLE(PMD, A, PTU_MAYBE); TABLE(PUD, A, PTU_MAYBE); CLAIMS(4);)

SCENE(a_populated_slot_under_protection_is_certain, WP_SEEN;
      s.vmas[0].flags = PTU_VM_UFFD_WP;
      shows(&s, A, true, false), RUN(written, 0); TABLE(PTE, A, PTU_CERTAIN);)

SCENE(a_hole_without_protection_is_certain, WP_SEEN;
      shows(&s, A, false, false), RUN(written, 0); TABLE(PTE, A, PTU_CERTAIN);)

SCENE(hole_is_certain_if_protected_holes_are_silent,
      s.vmas[0].flags = PTU_VM_UFFD_WP;
      s.vmas[0].end = A + 2 * MIB; shows(&s, A, false, false), RUN(written, 0);
      TABLE(PTE, A, PTU_CERTAIN);)

SCENE(without_smaps_protection_is_unknown, WP_SEEN; s.vmas[0].has_smaps = false;
      shows(&s, A, false, false), RUN(written, 0); TABLE(PTE, A, PTU_MAYBE);)

SCENE(protection_of_a_neighbour_in_the_slot_counts, WP_SEEN;
      s.vmas[0].end = A + MIB; s.vmas[1] = s.vmas[0]; s.vmas[1].start = A + MIB;
      s.vmas[1].end = A + 8 * MIB; s.vmas[1].flags = PTU_VM_UFFD_WP;
      s.e.vmas.nr_vmas = 2; shows(&s, A, false, false), RUN(written, 0);
      TABLE(PTE, A, PTU_MAYBE);)

SCENE(protection_in_the_next_slot_does_not_count, WP_SEEN;
      s.vmas[0].end = A + 2 * MIB; s.vmas[1] = s.vmas[0];
      s.vmas[1].start = A + 2 * MIB; s.vmas[1].end = A + 8 * MIB;
      s.vmas[1].flags = PTU_VM_UFFD_WP; s.e.vmas.nr_vmas = 2;
      shows(&s, A, false, false), RUN(written, 0); TABLE(PTE, A, PTU_CERTAIN);)

SCENE(mapping_with_a_silent_slot_is_not_protected, WP_SEEN_TO(6 * MIB);
      s.vmas[0].has_smaps = false; shows(&s, A, false, false);
      shows(&s, A + 4 * MIB, true, false), RUN(written, 0);
      TABLE(PTE, A, PTU_CERTAIN);)

/* The mapping of the page is gone; the next one, in the same slot, has a silent slot. */
SCENE(silent_slot_of_the_next_mapping_proves_nothing, WP_SEEN_TO(6 * MIB);
      s.vmas[0].start = A + MIB; s.vmas[0].has_smaps = false;
      shows(&s, A, false, false), RUN(written, 0); TABLE(PTE, A, PTU_MAYBE);)

SCENE(completely_shown_mapping_may_be_protected, WP_SEEN_TO(6 * MIB);
      s.vmas[0].has_smaps = false; shows(&s, A, false, false);
      shows(&s, A + 2 * MIB, true, false);
      shows(&s, A + 4 * MIB, true, false), RUN(written, 0);
      TABLE(PTE, A, PTU_MAYBE);)

/* The first slot has only its first page, the last slot only its last one. */
SCENE(the_slots_at_both_ends_of_a_mapping_count, WP_SEEN_TO(2 * MIB + 4096);
      s.vmas[0].start = A + 2 * MIB - 4096; s.vmas[0].has_smaps = false;
      shows(&s, A + 2 * MIB - 4096, false, false), RUN(written, 0);
      TABLE(PTE, A, PTU_CERTAIN); shows(&s, A + 2 * MIB, true, false);
      RUN(written, 0); TABLE(PTE, A, PTU_MAYBE);)

SCENE(a_silent_slot_that_was_not_asked_about_proves_nothing,
      WP_SEEN_TO(6 * MIB);
      s.e.start = A; s.e.end = A + 2 * MIB; s.vmas[0].has_smaps = false;
      shows(&s, A, false, false), RUN(written, 0); TABLE(PTE, A, PTU_MAYBE);)

SCENE(a_silent_slot_of_another_mapping_proves_nothing, WP_SEEN;
      s.vmas[1] = s.vmas[0]; s.vmas[1].start = A + 2 * MIB;
      s.vmas[1].end = A + 8 * MIB; s.vmas[0].has_smaps = false;
      s.e.vmas.nr_vmas = 2; shows(&s, A, false, false), RUN(written, 0);
      TABLE(PTE, A, PTU_MAYBE);)

SCENE(what_is_certain_overrules_a_maybe_above_it, WP_SEEN_TO(4 * MIB);
      s.vmas[0].flags = PTU_VM_UFFD_WP; shows(&s, A, false, false);
      shows(&s, A + 2 * MIB, true, false), RUN(written, 0);
      TABLE(PTE, A, PTU_MAYBE); TABLE(PTE, A + 2 * MIB, PTU_CERTAIN);
      TABLE(PMD, A, PTU_CERTAIN); TABLE(PUD, A, PTU_CERTAIN); CLAIMS(5);)

/* The claim of the PTE table at A. */
static const struct ptu_table *table_at_a(const struct scene *s)
{
	for (size_t i = 0; i < s->claims.nr_tables; i++)
		if (s->claims.tables[i].level == PTE &&
		    s->claims.tables[i].start == A)
			return &s->claims.tables[i];
	return NULL;
}

UNIT_TEST(counted_tables_are_claimed)
{
	static const struct ptu_estimator *const both[] = {
		&ptu_estimator_scan, &ptu_estimator_written
	};

	for (size_t i = 0; i < 2; i++) {
		const struct ptu_table *table;
		struct scene s;

		scene_init(&s);
		shows(&s, A + 4096, true, false);
		s.slots[0].counted = true;
		s.slots[0].entries = 7;
		s.slots[0].markers = 4;
		s.slots[0].zeros = 2;
		CHECK_EQ(run(&s, both[i]), 0);
		table = table_at_a(&s);
		CHECK(table && table->counted);
		CHECK_EQ(table->entries, 7);
		CHECK_EQ(table->markers, 4);
		CHECK_EQ(table->zeros, 2);
		s.slots[0].counted = false;
		CHECK_EQ(run(&s, both[i]), 0);
		table = table_at_a(&s);
		CHECK(table && !table->counted);
		ptu_tables_deinit(&s.claims);
		build_deinit(&s.b);
	}
}

/* A slot that is not shown as populated must hold nothing. */
UNIT_TEST(an_empty_table_has_the_count_0)
{
	const struct ptu_table *table;
	struct scene s;

	scene_init(&s);
	shows(&s, A, false, false);
	s.slots[0].counted = true;
	CHECK_EQ(run(&s, &ptu_estimator_written), 0);
	table = table_at_a(&s);
	CHECK(table && table->counted);
	CHECK_EQ(table->entries, 0);
	ptu_tables_deinit(&s.claims);
	build_deinit(&s.b);
}

/* The entries must not be counted for the table before the leaf. */
UNIT_TEST(a_leaf_is_not_counted)
{
	const struct ptu_table *table;
	struct scene s;

	scene_init(&s);
	shows(&s, A, true, false);
	shows(&s, A + 2 * MIB, true, true);
	s.slots[0].counted = true;
	s.slots[0].entries = 7;
	CHECK_EQ(run(&s, &ptu_estimator_written), 0);
	table = table_at_a(&s);
	CHECK(table && table->entries == 7);
	ptu_tables_deinit(&s.claims);
	build_deinit(&s.b);
}

UNIT_MAIN
