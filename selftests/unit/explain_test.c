// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each cause once where its evidence is there, and once for each piece of the
 * evidence that is taken away: then no cause may be found.
 */
#include "explain.h"

#include "build.h"
#include "pipeline.h"
#include "unit.h"

#define A UINT64_C(0x7f0000000000)
#define B (A + 16 * GIB) /* away from all that is claimed at A */
#define C (A - TIB)	 /* ... under a PUD table of its own */
#define PTE PTAUDIT_PTE
#define PMD PTAUDIT_PMD
#define PUD PTAUDIT_PUD
#define MARKERS (1u << PTAUDIT_K_UFFD_WP | 1u << PTAUDIT_K_GUARD)

struct scene {
	struct build b; /* the later walk */
	struct build before;
	bool has_before; /* else both walks are alike */
	struct ptu_tables claims;
	unsigned int blind;
};

/* At A + 1 GiB - 2 MiB there is a table that both sides know. */
static void scene_init(struct scene *s, unsigned int nr_levels)
{
	memset(s, 0, sizeof(*s));
	build_init(&s->b, nr_levels, true);
	build_pte(&s->b, A + GIB - 2 * MIB, 1);
	build_init(&s->before, nr_levels, true);
	build_pte(&s->before, A + GIB - 2 * MIB, 1);
	build_claim(&s->claims, &s->b.geo, PTE, A + GIB - 2 * MIB, PTU_CERTAIN);
}

/* The cause of a difference; UNSET if there is no such difference. */
static enum ptu_why why_of(struct scene *s, unsigned int level, uint64_t addr,
			   bool leaf)
{
	enum ptu_why why = PTU_WHY_UNSET;
	struct ptu_diff *diff;
	struct pipeline p;

	pipeline_explain(&p, s->has_before ? &s->before : &s->b, &s->b,
			 &s->claims, s->blind);
	diff = ptu_diffs_find(&p.diffs, addr, level, leaf);
	if (diff)
		why = diff->why;
	pipeline_deinit(&p);
	ptu_tables_deinit(&s->claims);
	build_deinit(&s->b);
	build_deinit(&s->before);
	return why;
}

static void claim(struct scene *s, unsigned int level, uint64_t addr,
		  enum ptu_claim what)
{
	build_claim(&s->claims, &s->b.geo, level, addr, what);
}

static void unclaim(struct scene *s, unsigned int level, uint64_t start)
{
	size_t i = 0;

	while (s->claims.tables[i].level != level ||
	       s->claims.tables[i].start != start)
		i++;
	memmove(&s->claims.tables[i], &s->claims.tables[i + 1],
		(--s->claims.nr_tables - i) * sizeof(s->claims.tables[0]));
}

/* A test: with @put in the scene the table (the leaf) there has this cause. */
#define WHY(name, level, addr, leaf, expected, ...)     \
	UNIT_TEST(name)                                 \
	{                                               \
		struct scene s;                         \
		enum ptu_why got;                       \
                                                        \
		scene_init(&s, 4);                      \
		__VA_ARGS__;                            \
		got = why_of(&s, level, addr, leaf);    \
		CHECK_STR(ptu_why_name(got), expected); \
	}

#define TABLE(name, level, addr, expected, ...) \
	WHY(name, level, addr, false, expected, __VA_ARGS__)
#define LEAF(name, level, addr, expected, ...) \
	WHY(name, level, addr, true, expected, __VA_ARGS__)

/* empty */
TABLE(a_pte_table_without_entries_is_empty, PTE, A, "empty",
      build_pte(&s.b, A, 0))
TABLE(with_one_present_entry_it_is_not_empty, PTE, A, "unexplained",
      build_pte(&s.b, A, 1))
TABLE(with_one_swap_entry_it_is_not_empty, PTE, A, "unexplained",
      build_pte(&s.b, A, 0)->swap = 1)
TABLE(with_one_migration_entry_it_is_not_empty, PTE, A, "unexplained",
      build_pte(&s.b, A, 0)->migration = 1)
TABLE(with_one_other_entry_it_is_not_empty, PTE, A, "unexplained",
      build_pte(&s.b, A, 0)->other = 1)
TABLE(one_that_emptied_between_the_walks_is_unexplained, PTE, A, "unexplained",
      s.has_before = true;
      build_pte(&s.before, A, 1); build_pte(&s.b, A, 0))
TABLE(one_that_moved_is_unexplained, PTE, A, "unexplained",
      build_pte(&s.b, A, 0)->flags = PTAUDIT_T_MOVED)
TABLE(an_invented_table_is_not_empty, PTE, A, "unexplained",
      claim(&s, PTE, A, PTU_CERTAIN))

/* hollow */
#define HOLLOW_B build_pte(&s.b, B, 0), build_pte(&s.b, B + 4 * MIB, 0)
TABLE(a_pmd_table_over_empty_ones_is_hollow, PMD, B, "hollow", HOLLOW_B)
TABLE(a_pmd_table_without_entries_is_hollow, PMD, B, "hollow",
      build_table(&s.b, PMD, B))
TABLE(a_pud_table_over_hollow_ones_is_hollow, PUD, C, "hollow",
      build_pte(&s.b, C, 0);
      build_table(&s.b, PMD, C + GIB))
TABLE(with_one_child_that_is_not_empty_it_is_not_hollow, PMD, B, "unexplained",
      HOLLOW_B;
      build_pte(&s.b, B + 6 * MIB, 1))
TABLE(with_one_leaf_it_is_not_hollow, PMD, B, "unexplained", HOLLOW_B;
      build_entries(&s.b, PMD, B + 8 * MIB, 1, PTAUDIT_K_LEAF, 0))
TABLE(with_one_swap_entry_it_is_not_hollow, PMD, B, "unexplained", HOLLOW_B;
      build_entries(&s.b, PMD, B + 8 * MIB, 1, PTAUDIT_K_SWAP, 0))
TABLE(with_one_migration_entry_it_is_not_hollow, PMD, B, "unexplained",
      HOLLOW_B;
      build_entries(&s.b, PMD, B + 8 * MIB, 1, PTAUDIT_K_MIGRATION, 0))
TABLE(with_a_child_that_is_not_hollow_a_pud_is_not, PUD, C, "unexplained",
      build_pte(&s.b, C, 0);
      build_pte(&s.b, C + GIB, 1))
TABLE(over_a_child_that_emptied_just_now_it_is_not_hollow, PMD, B,
      "unexplained", s.has_before = true;
      build_pte(&s.before, B, 1); build_pte(&s.b, B, 0))

/* as a program on trial might claim it */
TABLE(over_a_child_that_the_estimator_has_it_is_not_hollow, PMD, B,
      "unexplained", HOLLOW_B;
      claim(&s, PTE, B, PTU_CERTAIN); unclaim(&s, PMD, B))

/* marker-only */
TABLE(entries_that_are_not_shown_are_markers, PTE, A, "marker-only",
      s.blind = MARKERS;
      build_pte(&s.b, A, 0)->guard = 2; build_pte(&s.b, A, 0)->uffd_wp = 3)
TABLE(an_estimator_that_shows_them_has_no_such_excuse, PTE, A, "unexplained",
      build_pte(&s.b, A, 0)->guard = 2)
TABLE(guards_do_not_excuse_one_that_is_blind_to_wp, PTE, A, "unexplained",
      s.blind = 1u << PTAUDIT_K_UFFD_WP;
      build_pte(&s.b, A, 0)->guard = 2)
TABLE(markers_beside_a_page_are_not_markers_only, PTE, A, "unexplained",
      s.blind = MARKERS;
      build_pte(&s.b, A, 1)->guard = 2)
TABLE(markers_beside_swap_are_not_markers_only, PTE, A, "unexplained",
      s.blind = MARKERS;
      build_pte(&s.b, A, 0)->guard = 2; build_pte(&s.b, A, 0)->swap = 1)
TABLE(a_pmd_table_over_markers_is_marker_only, PMD, B, "marker-only",
      s.blind = MARKERS;
      HOLLOW_B; build_pte(&s.b, B + 6 * MIB, 0)->guard = 1)
TABLE(a_pmd_table_of_markers_is_marker_only, PMD, B, "marker-only",
      s.blind = MARKERS;
      build_entries(&s.b, PMD, B, 4, PTAUDIT_K_UFFD_WP, 0))
TABLE(a_pmd_table_of_markers_that_are_shown_is_not, PMD, B, "unexplained",
      build_entries(&s.b, PMD, B, 4, PTAUDIT_K_UFFD_WP, 0))
TABLE(a_migrating_hugetlb_page_is_not_shown, PMD, B, "marker-only",
      build_entries(&s.b, PMD, B, 2, PTAUDIT_K_MIGRATION, 0)->flags =
	      PTAUDIT_T_HUGETLB)
TABLE(it_is_not_counted_twice_as_unseen, PMD, B, "unexplained",
      s.blind = 1u << PTAUDIT_K_MIGRATION;
      build_entries(&s.b, PMD, B, 2, PTAUDIT_K_MIGRATION, 0)->flags =
	      PTAUDIT_T_HUGETLB;
      build_entries(&s.b, PMD, B + 8 * MIB, 2, PTAUDIT_K_LEAF, 0))
TABLE(a_migrating_huge_page_that_is_shown_is_no_excuse, PMD, B, "unexplained",
      build_entries(&s.b, PMD, B, 2, PTAUDIT_K_MIGRATION, 0))
TABLE(one_beside_a_leaf_is_no_excuse, PMD, B, "unexplained",
      build_entries(&s.b, PMD, B, 2, PTAUDIT_K_MIGRATION, 0)->flags =
	      PTAUDIT_T_HUGETLB;
      build_entries(&s.b, PMD, B + 8 * MIB, 1, PTAUDIT_K_LEAF, 0))

/* pfnmap */
#define PFNMAP_B(nr) (build_pte(&s.b, B, 4)->pfnmap = (nr))
TABLE(a_pte_table_of_pfn_mappings_only_is_pfnmap, PTE, B, "pfnmap", PFNMAP_B(4))
TABLE(one_page_of_another_mapping_is_not_pfnmap, PTE, B, "unexplained",
      PFNMAP_B(3))
TABLE(a_swap_entry_beside_is_not_pfnmap, PTE, B, "unexplained", PFNMAP_B(4);
      build_pte(&s.b, B, 4)->swap = 1)
TABLE(an_unseen_marker_beside_is_pfnmap_still, PTE, B, "pfnmap",
      s.blind = MARKERS;
      PFNMAP_B(4); build_pte(&s.b, B, 4)->guard = 1)
TABLE(a_pmd_table_over_pfn_mappings_is_pfnmap, PMD, B, "pfnmap", PFNMAP_B(4);
      build_pte(&s.b, B + 2 * MIB, 0))
TABLE(a_sibling_with_a_page_makes_the_pmd_table_unexplained, PMD, B,
      "unexplained", PFNMAP_B(4);
      build_pte(&s.b, B + 2 * MIB, 1))
LEAF(a_leaf_in_a_pfn_mapping_is_pfnmap, PMD, B + 2 * MIB, "pfnmap",
     build_entries(&s.b, PMD, B, 2, PTAUDIT_K_LEAF, PTAUDIT_T_PFNMAP))
LEAF(a_leaf_beside_it_is_not, PMD, B + 4 * MIB, "unexplained",
     build_entries(&s.b, PMD, B, 2, PTAUDIT_K_LEAF, PTAUDIT_T_PFNMAP);
     build_entries(&s.b, PMD, B + 4 * MIB, 1, PTAUDIT_K_LEAF, 0))
LEAF(a_leaf_that_came_just_now_is_not, PMD, B, "unexplained",
     s.has_before = true;
     build_entries(&s.b, PMD, B, 2, PTAUDIT_K_LEAF, PTAUDIT_T_PFNMAP))
TABLE(a_pmd_table_of_such_leaves_is_pfnmap, PMD, B, "pfnmap",
      build_entries(&s.b, PMD, B, 2, PTAUDIT_K_LEAF, PTAUDIT_T_PFNMAP))
TABLE(with_one_other_leaf_it_is_not, PMD, B, "unexplained",
      build_entries(&s.b, PMD, B, 2, PTAUDIT_K_LEAF, PTAUDIT_T_PFNMAP);
      build_entries(&s.b, PMD, B + 4 * MIB, 1, PTAUDIT_K_LEAF, 0))

/* outside-vma */
#define UNWALKED_B build_entries(&s.b, PMD, B, 3, PTAUDIT_K_UNWALKED, 0)
TABLE(entries_without_a_mapping_are_outside_vma, PMD, B, "outside-vma",
      UNWALKED_B;
      build_pte(&s.b, B + 8 * MIB, 0))
TABLE(with_a_leaf_it_is_not_outside_vma, PMD, B, "unexplained", UNWALKED_B;
      build_entries(&s.b, PMD, B + 8 * MIB, 1, PTAUDIT_K_LEAF, 0))
TABLE(with_a_populated_child_it_is_not_outside_vma, PMD, B, "unexplained",
      UNWALKED_B;
      build_pte(&s.b, B + 8 * MIB, 1))

/* ldt */
TABLE(the_ldts_pte_table_is_ldt, PTE, LDT_4, "ldt", build_pte(&s.b, LDT_4, 16))
TABLE(the_ldts_pud_table_is_ldt, PUD, LDT_4, "ldt", build_pte(&s.b, LDT_4, 16))
TABLE(the_same_in_the_user_half_is_not, PTE, B, "unexplained",
      build_pte(&s.b, B, 16))
TABLE(an_ldt_that_changed_between_the_walks_is_unexplained, PTE, LDT_4,
      "unexplained", s.has_before = true;
      build_pte(&s.before, LDT_4, 15); build_pte(&s.b, LDT_4, 16))

/* huge-leaf */
#define LEAF_AT(level, addr) \
	build_entries(&s.b, level, addr, 1, PTAUDIT_K_LEAF, 0)
#define BLIND_TO_LEAVES s.blind = 1u << PTAUDIT_K_LEAF
TABLE(a_table_drawn_under_a_leaf_is_huge_leaf, PTE, A, "huge-leaf",
      BLIND_TO_LEAVES;
      LEAF_AT(PMD, A); claim(&s, PTE, A, PTU_CERTAIN))
TABLE(who_can_see_leaves_has_no_such_excuse, PTE, A, "unexplained",
      LEAF_AT(PMD, A);
      claim(&s, PTE, A, PTU_CERTAIN))
TABLE(a_possible_one_under_a_leaf_is_too, PTE, A, "huge-leaf", LEAF_AT(PMD, A);
      claim(&s, PTE, A, PTU_POSSIBLE))
TABLE(one_under_a_migrating_leaf_is_too, PTE, A, "huge-leaf", BLIND_TO_LEAVES;
      build_entries(&s.b, PMD, A, 1, PTAUDIT_K_MIGRATION, 0);
      claim(&s, PTE, A, PTU_CERTAIN))
TABLE(a_leaf_one_slot_up_does_not_explain_it, PTE, A, "unexplained",
      BLIND_TO_LEAVES;
      LEAF_AT(PMD, A + 2 * MIB); claim(&s, PTE, A, PTU_CERTAIN))
TABLE(a_leaf_one_slot_down_does_not_explain_it, PTE, A + 2 * MIB, "unexplained",
      BLIND_TO_LEAVES;
      LEAF_AT(PMD, A); claim(&s, PTE, A + 2 * MIB, PTU_CERTAIN))
TABLE(a_swapped_out_leaf_does_not_explain_it, PTE, A, "unexplained",
      BLIND_TO_LEAVES;
      build_entries(&s.b, PMD, A, 1, PTAUDIT_K_SWAP, 0);
      claim(&s, PTE, A, PTU_CERTAIN))
TABLE(a_pte_table_drawn_under_1_gib_is_huge_leaf, PTE, B + 6 * MIB, "huge-leaf",
      BLIND_TO_LEAVES;
      LEAF_AT(PUD, B); claim(&s, PTE, B + 6 * MIB, PTU_CERTAIN))
TABLE(a_pmd_table_drawn_under_1_gib_is_huge_leaf, PMD, B, "huge-leaf",
      BLIND_TO_LEAVES;
      LEAF_AT(PUD, B); claim(&s, PTE, B + 6 * MIB, PTU_CERTAIN))
TABLE(the_1_gib_beside_does_not_explain_it, PMD, B + GIB, "unexplained",
      BLIND_TO_LEAVES;
      LEAF_AT(PUD, B); claim(&s, PTE, B + GIB, PTU_CERTAIN))
TABLE(a_table_that_turned_into_a_leaf_is_unexplained, PTE, A, "unexplained",
      s.has_before = true;
      build_pte(&s.before, A, 512); LEAF_AT(PMD, A);
      claim(&s, PTE, A, PTU_CERTAIN))

/* settled, undecided */
TABLE(a_possible_table_that_is_full_is_settled, PTE, A, "settled",
      build_pte(&s.b, A, 512);
      claim(&s, PTE, A, PTU_POSSIBLE))
TABLE(a_possible_table_with_a_gap_is_not, PTE, A, "unexplained",
      build_pte(&s.b, A, 511);
      claim(&s, PTE, A, PTU_POSSIBLE))
TABLE(a_possible_table_that_came_just_now_is_not, PTE, A, "unexplained",
      s.has_before = true;
      build_pte(&s.b, A, 512); claim(&s, PTE, A, PTU_POSSIBLE))
TABLE(a_possible_table_where_nothing_is_is_undecided, PTE, A, "undecided",
      claim(&s, PTE, A, PTU_POSSIBLE))
TABLE(a_possible_table_beside_a_leaf_is_undecided, PTE, A, "undecided",
      LEAF_AT(PMD, A + 2 * MIB);
      claim(&s, PTE, A, PTU_POSSIBLE))
TABLE(a_possible_table_that_went_is_undecided, PTE, A, "undecided",
      s.has_before = true;
      build_pte(&s.before, A, 512); claim(&s, PTE, A, PTU_POSSIBLE))
TABLE(a_maybe_with_a_table_is_settled, PTE, A, "settled", build_pte(&s.b, A, 0);
      claim(&s, PTE, A, PTU_MAYBE))
TABLE(a_maybe_with_nothing_is_settled, PTE, A, "settled",
      claim(&s, PTE, A, PTU_MAYBE))
TABLE(a_maybe_with_nothing_above_either_is_settled, PTE, C, "settled",
      claim(&s, PTE, C, PTU_MAYBE))
TABLE(a_maybe_over_a_swap_entry_is_undecided, PTE, A, "undecided",
      build_entries(&s.b, PMD, A, 1, PTAUDIT_K_SWAP, 0);
      claim(&s, PTE, A, PTU_MAYBE))
TABLE(a_maybe_below_an_entry_not_walked_is_undecided, PTE, B, "undecided",
      build_entries(&s.b, PUD, B, 1, PTAUDIT_K_UNWALKED, 0);
      claim(&s, PTE, B, PTU_MAYBE))
TABLE(a_maybe_that_went_is_undecided, PTE, A, "undecided", s.has_before = true;
      build_pte(&s.before, A, 0); claim(&s, PTE, A, PTU_MAYBE))
LEAF(a_leaf_drawn_where_one_migrates_is_settled, PMD, A, "settled",
     build_entries(&s.b, PMD, A, 1, PTAUDIT_K_MIGRATION, 0);
     claim(&s, PMD, A, PTU_LEAF))
LEAF(a_leaf_drawn_where_one_migrates_next_door_is_not, PMD, A, "unexplained",
     build_entries(&s.b, PMD, A + 2 * MIB, 1, PTAUDIT_K_MIGRATION, 0);
     claim(&s, PMD, A, PTU_LEAF))
LEAF(a_leaf_drawn_over_a_table_is_unexplained, PMD, A, "unexplained",
     build_pte(&s.b, A, 512);
     claim(&s, PMD, A, PTU_LEAF))
TABLE(the_table_under_a_drawn_leaf_is_unexplained, PTE, A, "unexplained",
      build_pte(&s.b, A, 512);
      claim(&s, PMD, A, PTU_LEAF))
LEAF(a_leaf_that_was_not_drawn_is_unexplained, PMD, A, "unexplained",
     LEAF_AT(PMD, A))

UNIT_TEST(with_5_levels_a_p4d_table_is_hollow_or_not)
{
	const uint64_t far = UINT64_C(1) << 50;
	struct scene s;

	scene_init(&s, 5);
	build_pte(&s.b, far, 0);
	CHECK_EQ(why_of(&s, PTAUDIT_P4D, far, false), PTU_WHY_HOLLOW);
	scene_init(&s, 5);
	build_pte(&s.b, far, 0);
	build_pte(&s.b, far + 600 * GIB, 1);
	CHECK_EQ(why_of(&s, PTAUDIT_P4D, far, false), PTU_WHY_UNEXPLAINED);
}

UNIT_MAIN
