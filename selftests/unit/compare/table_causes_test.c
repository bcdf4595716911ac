// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests each cause with its evidence, and once more for each part of the evidence that
 * is removed from the record or the mappings: then no cause may be found.
 */
#include "support/scene.h"

/* the cause `empty` */
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
TABLE(who_sees_empty_tables_has_no_such_excuse, PTE, A, "unexplained",
      SEES_EMPTY;
      build_pte(&s.b, A, 0))
TABLE(but_where_all_is_pfn_mapped_nobody_can_look, PTE, A, "empty", SEES_EMPTY;
      build_map(&s.b, A, A + 2 * MIB, PTU_VM_PFNMAP); build_pte(&s.b, A, 0))
TABLE(one_page_of_another_mapping_lets_it_look, PTE, A, "unexplained",
      SEES_EMPTY;
      build_map(&s.b, A, A + 2 * MIB - 4 * KIB, PTU_VM_PFNMAP);
      build_pte(&s.b, A, 0))
TABLE(without_smaps_nobody_knows_of_pfn_mappings, PTE, A, "unexplained",
      SEES_EMPTY;
      build_map(&s.b, A, A + 2 * MIB, PTU_VM_PFNMAP); build_forget_flags(&s.b);
      build_pte(&s.b, A, 0))
TABLE(without_a_mapping_no_table_is_empty, PTE, A, "unexplained",
      build_unmap(&s.b, A, A + 2 * MIB);
      build_pte(&s.b, A, 0))
TABLE(nor_by_the_mappings_beside_it, PTE, A + 4 * MIB, "unexplained",
      build_unmap(&s.b, A + 4 * MIB, A + 6 * MIB);
      build_pte(&s.b, A + 4 * MIB, 0))
TABLE(one_page_of_a_mapping_keeps_it, PTE, A, "empty",
      build_unmap(&s.b, A, A + 2 * MIB);
      build_map(&s.b, A + 2 * MIB - 4 * KIB, A + 2 * MIB, 0);
      build_pte(&s.b, A, 0))

/* the cause `hollow` */
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

TABLE(without_a_mapping_no_pmd_table_is_hollow, PMD, B, "unexplained",
      build_unmap(&s.b, B, B + GIB);
      build_table(&s.b, PMD, B))
TABLE(one_page_anywhere_in_its_reach_keeps_it, PMD, B, "hollow",
      build_unmap(&s.b, B, B + GIB);
      build_map(&s.b, B + 600 * MIB, B + 600 * MIB + 4 * KIB, 0);
      build_table(&s.b, PMD, B))
TABLE(without_a_mapping_no_pud_table_is_hollow, PUD, C, "unexplained",
      build_unmap(&s.b, C, C + 8 * GIB);
      build_table(&s.b, PUD, C))
TABLE(a_child_without_a_mapping_makes_it_unexplained, PMD, B, "unexplained",
      HOLLOW_B;
      build_unmap(&s.b, B + 4 * MIB, B + 6 * MIB))
TABLE(who_sees_empty_tables_has_no_hollow_ones_over_them, PMD, B, "unexplained",
      SEES_EMPTY;
      HOLLOW_B)
TABLE(but_one_without_entries_is_seen_by_nobody, PMD, B, "hollow", SEES_EMPTY;
      build_table(&s.b, PMD, B))
TABLE(a_hollow_hugetlb_table_lies_in_a_hugetlb_mapping, PMD, B, "hollow",
      build_map(&s.b, B, B + 2 * MIB, PTU_VM_HUGETLB);
      build_table(&s.b, PMD, B)->flags = PTAUDIT_T_HUGETLB)
TABLE(elsewhere_it_is_unexplained, PMD, B, "unexplained",
      build_table(&s.b, PMD, B)->flags = PTAUDIT_T_HUGETLB)

/* of a process without pages, which an external estimator might not claim at all */
TABLE(a_pgd_over_a_hollow_table_is_hollow, PTAUDIT_PGD, 0, "hollow",
      build_forget(&s.b, PTE, A + GIB - 2 * MIB);
      build_forget(&s.b, PMD, A); ptu_tables_deinit(&s.claims))
TABLE(or_outside_vma_by_its_own_entries, PTAUDIT_PGD, 0, "outside-vma",
      build_entries(&s.b, PTAUDIT_PGD, 0, 1, PTAUDIT_K_UNWALKED, 0);
      build_forget(&s.b, PTE, A + GIB - 2 * MIB); build_forget(&s.b, PMD, A);
      ptu_tables_deinit(&s.claims))

/* an external estimator might claim this */
TABLE(over_a_child_that_the_estimator_has_it_is_not_hollow, PMD, B,
      "unexplained", HOLLOW_B;
      claim(&s, PTE, B, PTU_CERTAIN); unclaim(&s, PMD, B))

/* the cause `marker-only` */
#define ALL_OTHERS                                          \
	(1u << PTAUDIT_K_SWAP | 1u << PTAUDIT_K_MIGRATION | \
	 1u << PTAUDIT_K_OTHER)

static struct ptaudit_table with_each_kind(struct ptaudit_table r)
{
	r.swap = 1;
	r.migration = 2;
	r.uffd_wp = 3;
	r.guard = 4;
	r.other = 5;
	return r;
}

TABLE(entries_that_are_not_shown_are_markers, PTE, A, "marker-only",
      s.blind |= MARKERS;
      build_pte(&s.b, A, 0)->guard = 2; build_pte(&s.b, A, 0)->uffd_wp = 3)
TABLE(an_estimator_that_shows_them_has_no_such_excuse, PTE, A, "unexplained",
      build_pte(&s.b, A, 0)->guard = 2)
TABLE(guards_do_not_excuse_one_that_is_blind_to_wp, PTE, A, "unexplained",
      s.blind |= 1u << PTAUDIT_K_UFFD_WP;
      build_pte(&s.b, A, 0)->guard = 2)
TABLE(markers_beside_a_page_are_not_markers_only, PTE, A, "unexplained",
      s.blind |= MARKERS;
      build_pte(&s.b, A, 1)->guard = 2)
TABLE(markers_beside_swap_are_not_markers_only, PTE, A, "unexplained",
      s.blind |= MARKERS;
      build_pte(&s.b, A, 0)->guard = 2; build_pte(&s.b, A, 0)->swap = 1)
TABLE(any_kind_may_be_one_that_is_not_shown, PTE, A, "marker-only",
      s.blind |= MARKERS | ALL_OTHERS;
      *build_pte(&s.b, A, 0) = with_each_kind(*build_pte(&s.b, A, 0)))
TABLE(migration_entries_that_are_not_shown, PTE, A, "marker-only",
      s.blind |= 1u << PTAUDIT_K_MIGRATION;
      build_pte(&s.b, A, 0)->migration = 1)
TABLE(other_entries_that_are_not_shown, PTE, A, "marker-only",
      s.blind |= 1u << PTAUDIT_K_OTHER;
      build_pte(&s.b, A, 0)->other = 1)
TABLE(a_pmd_table_over_markers_is_marker_only, PMD, B, "marker-only",
      s.blind |= MARKERS;
      HOLLOW_B; build_pte(&s.b, B + 6 * MIB, 0)->guard = 1)
TABLE(a_pmd_table_of_markers_is_marker_only, PMD, B, "marker-only",
      s.blind |= MARKERS;
      build_entries(&s.b, PMD, B, 4, PTAUDIT_K_UFFD_WP, 0))
TABLE(markers_in_several_places_are_markers_only, PMD, B, "marker-only",
      s.blind |= MARKERS;
      build_entries(&s.b, PMD, B, 4, PTAUDIT_K_UFFD_WP, 0);
      build_entries(&s.b, PMD, B + 20 * MIB, 2, PTAUDIT_K_UFFD_WP, 0))
TABLE(a_pmd_table_of_markers_that_are_shown_is_not, PMD, B, "unexplained",
      build_entries(&s.b, PMD, B, 4, PTAUDIT_K_UFFD_WP, 0))
#define HUGETLB_B build_map(&s.b, B, B + GIB, PTU_VM_HUGETLB)
TABLE(a_migrating_hugetlb_page_is_not_shown, PMD, B, "marker-only", HUGETLB_B;
      build_entries(&s.b, PMD, B, 2, PTAUDIT_K_MIGRATION, 0)->flags =
	      PTAUDIT_T_HUGETLB)
TABLE(nor_in_a_table_that_other_mappings_reach_too, PMD, B, "marker-only",
      HUGETLB_B;
      build_map(&s.b, B + GIB / 2, B + GIB, 0);
      build_entries(&s.b, PMD, B, 2, PTAUDIT_K_MIGRATION, 0))
TABLE(not_called_hugetlb_it_reaches_others_too, PMD, B, "unexplained",
      HUGETLB_B;
      build_entries(&s.b, PMD, B, 2, PTAUDIT_K_MIGRATION, 0))
TABLE(in_another_mapping_it_would_be, PMD, B, "unexplained",
      build_entries(&s.b, PMD, B, 2, PTAUDIT_K_MIGRATION, 0)->flags =
	      PTAUDIT_T_HUGETLB)
TABLE(one_of_two_in_another_mapping_would_be, PMD, B, "unexplained", HUGETLB_B;
      build_map(&s.b, B + 2 * MIB, B + 4 * MIB, 0);
      build_entries(&s.b, PMD, B, 2, PTAUDIT_K_MIGRATION, 0)->flags =
	      PTAUDIT_T_HUGETLB)
TABLE(without_smaps_nobody_knows_of_hugetlb, PMD, B, "unexplained", HUGETLB_B;
      build_forget_flags(&s.b);
      build_entries(&s.b, PMD, B, 2, PTAUDIT_K_MIGRATION, 0)->flags =
	      PTAUDIT_T_HUGETLB)
TABLE(markers_without_a_mapping_are_unexplained, PTE, A, "unexplained",
      s.blind |= MARKERS;
      build_unmap(&s.b, A, A + 2 * MIB); build_pte(&s.b, A, 0)->guard = 2)
TABLE(more_markers_than_mapped_pages_are_too, PTE, A, "unexplained",
      s.blind |= MARKERS;
      build_unmap(&s.b, A, A + 2 * MIB); build_map(&s.b, A, A + 4 * KIB, 0);
      build_pte(&s.b, A, 0)->guard = 2)
TABLE(as_many_are_not, PTE, A, "marker-only", s.blind |= MARKERS;
      build_unmap(&s.b, A, A + 2 * MIB); build_map(&s.b, A, A + 8 * KIB, 0);
      build_pte(&s.b, A, 0)->guard = 2)
TABLE(who_sees_empty_tables_has_seen_those_of_markers, PTE, A, "unexplained",
      s.blind |= MARKERS;
      SEES_EMPTY; build_pte(&s.b, A, 0)->guard = 2)
TABLE(a_pmd_table_of_markers_beyond_the_mapping_is_not, PMD, B, "unexplained",
      s.blind |= MARKERS;
      build_unmap(&s.b, B + 6 * MIB, B + GIB);
      build_entries(&s.b, PMD, B, 4, PTAUDIT_K_UFFD_WP, 0))
TABLE(it_is_not_counted_twice_as_unseen, PMD, B, "unexplained", HUGETLB_B;
      s.blind |= 1u << PTAUDIT_K_MIGRATION;
      build_entries(&s.b, PMD, B, 2, PTAUDIT_K_MIGRATION, 0)->flags =
	      PTAUDIT_T_HUGETLB;
      build_entries(&s.b, PMD, B + 8 * MIB, 2, PTAUDIT_K_LEAF, 0))
TABLE(a_migrating_huge_page_that_is_shown_is_no_excuse, PMD, B, "unexplained",
      build_entries(&s.b, PMD, B, 2, PTAUDIT_K_MIGRATION, 0))
TABLE(one_beside_a_leaf_is_no_excuse, PMD, B, "unexplained", HUGETLB_B;
      build_entries(&s.b, PMD, B, 2, PTAUDIT_K_MIGRATION, 0)->flags =
	      PTAUDIT_T_HUGETLB;
      build_entries(&s.b, PMD, B + 8 * MIB, 1, PTAUDIT_K_LEAF, 0))

/* the cause `pfnmap` */
#define PF_B build_map(&s.b, B, B + 4 * MIB, PTU_VM_PFNMAP)
#define PFNMAP_B(nr) (PF_B, build_pte(&s.b, B, 4)->pfnmap = (nr))
TABLE(a_pte_table_of_pfn_mappings_only_is_pfnmap, PTE, B, "pfnmap", PFNMAP_B(4))
TABLE(one_page_of_another_mapping_is_not_pfnmap, PTE, B, "unexplained",
      PFNMAP_B(3))
TABLE(a_swap_entry_beside_is_not_pfnmap, PTE, B, "unexplained", PFNMAP_B(4);
      build_pte(&s.b, B, 4)->swap = 1)
TABLE(an_unseen_marker_beside_is_pfnmap_still, PTE, B, "pfnmap",
      s.blind |= MARKERS;
      PFNMAP_B(4); build_map(&s.b, B, B + MIB, 0);
      build_pte(&s.b, B, 4)->guard = 1)
TABLE(a_pmd_table_over_pfn_mappings_is_pfnmap, PMD, B, "pfnmap", PFNMAP_B(4);
      build_pte(&s.b, B + 2 * MIB, 0))
TABLE(a_sibling_with_a_page_makes_the_pmd_table_unexplained, PMD, B,
      "unexplained", PFNMAP_B(4);
      build_pte(&s.b, B + 2 * MIB, 1))
TABLE(a_marker_has_no_room_in_it, PTE, B, "unexplained", s.blind |= MARKERS;
      PFNMAP_B(4); build_pte(&s.b, B, 4)->guard = 1)
TABLE(called_so_on_ordinary_pages_it_is_unexplained, PTE, B, "unexplained",
      build_pte(&s.b, B, 4)->pfnmap = 4)
TABLE(without_smaps_it_is_too, PTE, B, "unexplained", PFNMAP_B(4);
      build_forget_flags(&s.b))
TABLE(with_fewer_pages_of_such_mappings_it_is_too, PTE, B, "unexplained",
      PFNMAP_B(4);
      build_map(&s.b, B + 12 * KIB, B + 4 * MIB, 0))
TABLE(with_as_many_it_is_pfnmap, PTE, B, "pfnmap", PFNMAP_B(4);
      build_map(&s.b, B + 16 * KIB, B + 4 * MIB, 0))
TABLE(who_sees_empty_tables_has_seen_the_table_by_the_others, PTE, B,
      "unexplained", SEES_EMPTY;
      PFNMAP_B(4); build_map(&s.b, B + 16 * KIB, B + 4 * MIB, 0))
TABLE(but_not_where_there_are_no_others, PTE, B, "pfnmap", SEES_EMPTY;
      PFNMAP_B(4))
LEAF(a_leaf_in_a_pfn_mapping_is_pfnmap, PMD, B + 2 * MIB, "pfnmap", PF_B;
     build_entries(&s.b, PMD, B, 2, PTAUDIT_K_LEAF, PTAUDIT_T_PFNMAP))
LEAF(called_so_in_another_mapping_it_is_not, PMD, B + 2 * MIB, "unexplained",
     build_entries(&s.b, PMD, B, 2, PTAUDIT_K_LEAF, PTAUDIT_T_PFNMAP))
LEAF(one_that_sticks_out_of_its_mapping_is_not, PMD, B + 2 * MIB, "unexplained",
     build_map(&s.b, B, B + 4 * MIB - 4 * KIB, PTU_VM_PFNMAP);
     build_entries(&s.b, PMD, B, 2, PTAUDIT_K_LEAF, PTAUDIT_T_PFNMAP))
LEAF(a_leaf_beside_it_is_not, PMD, B + 4 * MIB, "unexplained", PF_B;
     build_entries(&s.b, PMD, B, 2, PTAUDIT_K_LEAF, PTAUDIT_T_PFNMAP);
     build_entries(&s.b, PMD, B + 4 * MIB, 1, PTAUDIT_K_LEAF, 0))
LEAF(a_leaf_that_came_just_now_is_not, PMD, B, "unexplained", PF_B;
     s.has_before = true;
     build_entries(&s.b, PMD, B, 2, PTAUDIT_K_LEAF, PTAUDIT_T_PFNMAP))
TABLE(a_pmd_table_of_leaves_called_so_is_not, PMD, B, "unexplained",
      build_entries(&s.b, PMD, B, 2, PTAUDIT_K_LEAF, PTAUDIT_T_PFNMAP))
TABLE(leaves_not_called_so_are_not_either, PMD, B, "unexplained", PF_B;
      build_entries(&s.b, PMD, B, 2, PTAUDIT_K_LEAF, 0))
LEAF(nor_is_such_a_leaf, PMD, B, "unexplained", PF_B;
     build_entries(&s.b, PMD, B, 2, PTAUDIT_K_LEAF, 0))
TABLE(a_pmd_table_of_such_leaves_is_pfnmap, PMD, B, "pfnmap", PF_B;
      build_entries(&s.b, PMD, B, 2, PTAUDIT_K_LEAF, PTAUDIT_T_PFNMAP))
TABLE(with_one_other_leaf_it_is_not, PMD, B, "unexplained", PF_B;
      build_entries(&s.b, PMD, B, 2, PTAUDIT_K_LEAF, PTAUDIT_T_PFNMAP);
      build_entries(&s.b, PMD, B + 4 * MIB, 1, PTAUDIT_K_LEAF, 0))

/* the cause `outside-vma` */
#define UNWALKED_B                         \
	build_unmap(&s.b, B, B + 6 * MIB); \
	build_entries(&s.b, PMD, B, 3, PTAUDIT_K_UNWALKED, 0)
TABLE(entries_without_a_mapping_are_outside_vma, PMD, B, "outside-vma",
      UNWALKED_B;
      build_pte(&s.b, B + 8 * MIB, 0))
TABLE(a_pud_table_over_them_is_unexplained, PUD, C, "unexplained",
      build_unmap(&s.b, C, C + 6 * MIB);
      build_entries(&s.b, PMD, C, 3, PTAUDIT_K_UNWALKED, 0))
TABLE(in_a_mapping_they_are_not, PMD, B, "unexplained",
      build_entries(&s.b, PMD, B, 3, PTAUDIT_K_UNWALKED, 0);
      build_pte(&s.b, B + 8 * MIB, 0))
TABLE(nor_where_one_page_of_a_mapping_is, PMD, B, "unexplained", UNWALKED_B;
      build_map(&s.b, B + 5 * MIB, B + 5 * MIB + 4 * KIB, 0);
      build_pte(&s.b, B + 8 * MIB, 0))
TABLE(nor_is_a_table_that_no_mapping_reaches_at_all, PMD, B, "unexplained",
      UNWALKED_B;
      build_unmap(&s.b, B, B + GIB))
TABLE(with_a_leaf_it_is_not_outside_vma, PMD, B, "unexplained", UNWALKED_B;
      build_entries(&s.b, PMD, B + 8 * MIB, 1, PTAUDIT_K_LEAF, 0))
TABLE(with_a_populated_child_it_is_not_outside_vma, PMD, B, "unexplained",
      UNWALKED_B;
      build_pte(&s.b, B + 8 * MIB, 1))

/* the cause `ldt` */
TABLE(the_ldts_pte_table_is_ldt, PTE, LDT_4, "ldt", build_pte(&s.b, LDT_4, 16))
TABLE(the_ldts_pud_table_is_ldt, PUD, LDT_4, "ldt", build_pte(&s.b, LDT_4, 16))
TABLE(without_pti_there_is_no_ldt, PTE, LDT_4, "unexplained",
      build_pte(&s.b, LDT_4, 16);
      s.b.geo.pti = false)
TABLE(above_a_false_ldt_nothing_is, PMD, LDT_4, "unexplained",
      build_pte(&s.b, LDT_4, 16);
      build_pte(&s.b, LDT_4 + 2 * MIB, 1))
TABLE(above_an_ldt_and_a_leaf_nothing_is, PMD, LDT_4, "unexplained",
      build_pte(&s.b, LDT_4, 16);
      build_entries(&s.b, PMD, LDT_4 + 2 * MIB, 1, PTAUDIT_K_LEAF, 0))
TABLE(two_ldts_are_mapped_at_most, PTE, LDT_4, "unexplained",
      build_pte(&s.b, LDT_4, 33))
TABLE(and_both_may_be, PTE, LDT_4, "ldt", build_pte(&s.b, LDT_4, 32))
TABLE(an_ldt_that_is_not_mapped_has_no_table, PTE, LDT_4, "unexplained",
      build_pte(&s.b, LDT_4, 0))
TABLE(nor_is_an_ldt_swapped_out, PTE, LDT_4, "unexplained",
      build_pte(&s.b, LDT_4, 16)->swap = 1)
TABLE(a_table_after_the_ldt_is_not_its, PTE, LDT_4 + 2 * MIB, "unexplained",
      build_pte(&s.b, LDT_4 + 2 * MIB, 16))
TABLE(one_pgd_entry_further_there_is_no_ldt, PTE, LDT_4 + 512 * GIB,
      "unexplained", build_pte(&s.b, LDT_4 + 512 * GIB, 16))
TABLE(the_same_in_the_user_half_is_not, PTE, B, "unexplained",
      build_pte(&s.b, B, 16))
TABLE(an_ldt_that_changed_between_the_walks_is_unexplained, PTE, LDT_4,
      "unexplained", s.has_before = true;
      build_pte(&s.before, LDT_4, 15); build_pte(&s.b, LDT_4, 16))

UNIT_TEST(with_5_levels_a_p4d_table_is_hollow_or_not)
{
	const uint64_t far = UINT64_C(1) << 50;
	struct scene s;

	scene_init(&s, 5);
	build_map(&s.b, far, far + 4 * KIB, 0);
	build_pte(&s.b, far, 0);
	CHECK_EQ(why_of(&s, PTAUDIT_P4D, far, false), PTU_WHY_HOLLOW);
	scene_init(&s, 5);
	build_pte(&s.b, far, 0);
	build_pte(&s.b, far + 600 * GIB, 1);
	CHECK_EQ(why_of(&s, PTAUDIT_P4D, far, false), PTU_WHY_UNEXPLAINED);
	/* no mapping */
	scene_init(&s, 5);
	build_table(&s.b, PTAUDIT_P4D, far);
	CHECK_EQ(why_of(&s, PTAUDIT_P4D, far, false), PTU_WHY_UNEXPLAINED);
}

UNIT_TEST(with_5_levels_the_ldt_is_elsewhere)
{
	struct scene s;

	scene_init(&s, 5);
	build_pte(&s.b, LDT_5, 16);
	CHECK_EQ(why_of(&s, PTAUDIT_P4D, LDT_5, false), PTU_WHY_LDT);
	scene_init(&s, 5);
	build_pte(&s.b, LDT_5 + 256 * TIB, 16);
	CHECK_EQ(why_of(&s, PTE, LDT_5 + 256 * TIB, false),
		 PTU_WHY_UNEXPLAINED);
}

/* Does the cause need smaps, which has not been read? */
static bool wants(struct scene *s, bool has_flags)
{
	bool wanted;

	if (!has_flags)
		build_forget_flags(&s->b);
	scene_explain(s, PTE, C, false, &wanted);
	return wanted;
}

UNIT_TEST(smaps_is_read_only_where_a_proof_rests_on_it)
{
	static const unsigned int none = 1u << PTAUDIT_K_NONE;
	struct scene s;

	scene_init(&s, 4);
	build_pte(&s.b, B, 0);
	build_pte(&s.b, LDT_4, 16);
	CHECK(!wants(&s, false));
	s.blind &= ~none;
	CHECK(wants(&s, false));
	CHECK(!why_of(&s, PTE, C, false));

	scene_init(&s, 4);
	build_pte(&s.b, B, 4)->pfnmap = 4;
	CHECK(wants(&s, false));
	CHECK(!why_of(&s, PTE, C, false));

	/* one migrating page, mapped by a PMD entry */
	scene_init(&s, 4);
	build_entries(&s.b, PMD, B, 1, PTAUDIT_K_MIGRATION, 0);
	CHECK(wants(&s, false));
	CHECK(!why_of(&s, PTE, C, false));

	/* the flags of one mapping are unknown, the first one or the last one */
	scene_init(&s, 4);
	build_pte(&s.b, B, 4)->pfnmap = 4;
	s.b.vmas.vmas[0].has_flags = false;
	CHECK(wants(&s, true));
	s.b.vmas.vmas[0].has_flags = true;
	s.b.vmas.vmas[s.b.vmas.nr_vmas - 1].has_flags = false;
	CHECK(wants(&s, true));
	CHECK(!why_of(&s, PTE, C, false));

	scene_init(&s, 4);
	build_pte(&s.b, B, 4)->pfnmap = 4;
	CHECK(!wants(&s, true));
	CHECK(!why_of(&s, PTE, C, false));
}

UNIT_MAIN
