// SPDX-License-Identifier: GPL-2.0-only
/*
 * Causes of tables and leaves that the estimator does not claim.  Each cause is
 * found with its complete evidence.  If any part of the evidence is missing in
 * the record or in the mappings, the table is unexplained.
 */
#include "support/scene.h"

/* the cause `empty` */
TABLE(a_pte_table_without_entries_is_empty, PTE, A, "empty",
      build_pte(&s.b, A, 0))
TABLE(a_pte_table_with_a_present_entry_is_not_empty, PTE, A, "unexplained",
      build_pte(&s.b, A, 1))
TABLE(a_pte_table_with_a_swap_entry_is_not_empty, PTE, A, "unexplained",
      build_pte(&s.b, A, 0)->swap = 1)
TABLE(a_pte_table_with_a_migration_entry_is_not_empty, PTE, A, "unexplained",
      build_pte(&s.b, A, 0)->migration = 1)
TABLE(a_pte_table_with_an_entry_of_another_kind_is_not_empty, PTE, A,
      "unexplained", build_pte(&s.b, A, 0)->other = 1)
TABLE(a_table_emptied_between_the_walks_is_unexplained, PTE, A, "unexplained",
      s.has_before = true;
      build_pte(&s.before, A, 1); build_pte(&s.b, A, 0))
TABLE(an_empty_table_that_moved_is_unexplained, PTE, A, "unexplained",
      build_pte(&s.b, A, 0)->flags = PTAUDIT_T_MOVED)
TABLE(a_claimed_table_that_does_not_exist_is_unexplained, PTE, A, "unexplained",
      claim(&s, PTE, A, PTU_CERTAIN))
TABLE(an_empty_table_that_the_estimator_can_see_is_unexplained, PTE, A,
      "unexplained", SEES_EMPTY;
      build_pte(&s.b, A, 0))
TABLE(no_estimator_sees_an_empty_table_of_pfn_mappings_alone, PTE, A, "empty",
      SEES_EMPTY;
      build_map(&s.b, A, A + 2 * MIB, PTU_VM_PFNMAP); build_pte(&s.b, A, 0))
TABLE(one_page_outside_pfn_mappings_shows_an_empty_table, PTE, A, "unexplained",
      SEES_EMPTY;
      build_map(&s.b, A, A + 2 * MIB - 4 * KIB, PTU_VM_PFNMAP);
      build_pte(&s.b, A, 0))
TABLE(pfn_mappings_are_not_known_without_smaps, PTE, A, "unexplained",
      SEES_EMPTY;
      build_map(&s.b, A, A + 2 * MIB, PTU_VM_PFNMAP); build_forget_flags(&s.b);
      build_pte(&s.b, A, 0))
TABLE(an_empty_table_without_a_mapping_is_unexplained, PTE, A, "unexplained",
      build_unmap(&s.b, A, A + 2 * MIB);
      build_pte(&s.b, A, 0))
TABLE(mappings_beside_an_empty_table_do_not_explain_it, PTE, A + 4 * MIB,
      "unexplained", build_unmap(&s.b, A + 4 * MIB, A + 6 * MIB);
      build_pte(&s.b, A + 4 * MIB, 0))
TABLE(one_mapped_page_suffices_for_an_empty_table, PTE, A, "empty",
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
TABLE(a_pmd_table_over_a_used_pte_table_is_not_hollow, PMD, B, "unexplained",
      HOLLOW_B;
      build_pte(&s.b, B + 6 * MIB, 1))
TABLE(a_pmd_table_with_a_leaf_is_not_hollow, PMD, B, "unexplained", HOLLOW_B;
      build_entries(&s.b, PMD, B + 8 * MIB, 1, PTAUDIT_K_LEAF, 0))
TABLE(a_pmd_table_with_a_swap_entry_is_not_hollow, PMD, B, "unexplained",
      HOLLOW_B;
      build_entries(&s.b, PMD, B + 8 * MIB, 1, PTAUDIT_K_SWAP, 0))
TABLE(a_pmd_table_with_a_migration_entry_is_not_hollow, PMD, B, "unexplained",
      HOLLOW_B;
      build_entries(&s.b, PMD, B + 8 * MIB, 1, PTAUDIT_K_MIGRATION, 0))
TABLE(a_pud_table_over_a_used_pmd_table_is_not_hollow, PUD, C, "unexplained",
      build_pte(&s.b, C, 0);
      build_pte(&s.b, C + GIB, 1))
TABLE(a_pmd_table_over_a_pte_table_just_emptied_is_not_hollow, PMD, B,
      "unexplained", s.has_before = true;
      build_pte(&s.before, B, 1); build_pte(&s.b, B, 0))

TABLE(a_pmd_table_without_a_mapping_is_not_hollow, PMD, B, "unexplained",
      build_unmap(&s.b, B, B + GIB);
      build_table(&s.b, PMD, B))
TABLE(one_mapped_page_suffices_for_a_hollow_pmd_table, PMD, B, "hollow",
      build_unmap(&s.b, B, B + GIB);
      build_map(&s.b, B + 600 * MIB, B + 600 * MIB + 4 * KIB, 0);
      build_table(&s.b, PMD, B))
TABLE(a_pud_table_without_a_mapping_is_not_hollow, PUD, C, "unexplained",
      build_unmap(&s.b, C, C + 8 * GIB);
      build_table(&s.b, PUD, C))
TABLE(a_pmd_table_over_a_pte_table_without_a_mapping_is_unexplained, PMD, B,
      "unexplained", HOLLOW_B;
      build_unmap(&s.b, B + 4 * MIB, B + 6 * MIB))
TABLE(a_pmd_table_over_empty_tables_that_are_seen_is_unexplained, PMD, B,
      "unexplained", SEES_EMPTY;
      HOLLOW_B)
TABLE(no_estimator_sees_a_pmd_table_without_entries, PMD, B, "hollow",
      SEES_EMPTY;
      build_table(&s.b, PMD, B))
TABLE(a_hollow_hugetlb_table_lies_in_a_hugetlb_mapping, PMD, B, "hollow",
      build_map(&s.b, B, B + 2 * MIB, PTU_VM_HUGETLB);
      build_table(&s.b, PMD, B)->flags = PTAUDIT_T_HUGETLB)
TABLE(a_hugetlb_table_outside_hugetlb_mappings_is_unexplained, PMD, B,
      "unexplained", build_table(&s.b, PMD, B)->flags = PTAUDIT_T_HUGETLB)

/* An external estimator may not claim the PGD of a process without pages. */
TABLE(a_pgd_over_a_hollow_table_is_hollow, PTAUDIT_PGD, 0, "hollow",
      build_forget(&s.b, PTE, A + GIB - 2 * MIB);
      build_forget(&s.b, PMD, A); ptu_tables_deinit(&s.claims))
TABLE(a_pgd_with_entries_outside_all_mappings_is_outside_vma, PTAUDIT_PGD, 0,
      "outside-vma",
      build_entries(&s.b, PTAUDIT_PGD, 0, 1, PTAUDIT_K_UNWALKED, 0);
      build_forget(&s.b, PTE, A + GIB - 2 * MIB); build_forget(&s.b, PMD, A);
      ptu_tables_deinit(&s.claims))

/* An external estimator may claim a PTE table, but not the table above it. */
TABLE(a_pmd_table_over_a_claimed_pte_table_is_not_hollow, PMD, B, "unexplained",
      HOLLOW_B;
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

TABLE(a_table_of_markers_that_are_not_shown_is_marker_only, PTE, A,
      "marker-only", s.blind |= MARKERS;
      build_pte(&s.b, A, 0)->guard = 2; build_pte(&s.b, A, 0)->uffd_wp = 3)
TABLE(a_table_of_markers_that_are_shown_is_unexplained, PTE, A, "unexplained",
      build_pte(&s.b, A, 0)->guard = 2)
TABLE(guards_are_shown_if_only_uffd_wp_markers_are_not, PTE, A, "unexplained",
      s.blind |= 1u << PTAUDIT_K_UFFD_WP;
      build_pte(&s.b, A, 0)->guard = 2)
TABLE(a_table_of_markers_and_a_page_is_not_marker_only, PTE, A, "unexplained",
      s.blind |= MARKERS;
      build_pte(&s.b, A, 1)->guard = 2)
TABLE(a_table_of_markers_and_a_swap_entry_is_not_marker_only, PTE, A,
      "unexplained", s.blind |= MARKERS;
      build_pte(&s.b, A, 0)->guard = 2; build_pte(&s.b, A, 0)->swap = 1)
TABLE(entries_of_any_kind_that_is_not_shown_are_marker_only, PTE, A,
      "marker-only", s.blind |= MARKERS | ALL_OTHERS;
      *build_pte(&s.b, A, 0) = with_each_kind(*build_pte(&s.b, A, 0)))
TABLE(migration_entries_that_are_not_shown_are_marker_only, PTE, A,
      "marker-only", s.blind |= 1u << PTAUDIT_K_MIGRATION;
      build_pte(&s.b, A, 0)->migration = 1)
TABLE(other_entries_that_are_not_shown_are_marker_only, PTE, A, "marker-only",
      s.blind |= 1u << PTAUDIT_K_OTHER;
      build_pte(&s.b, A, 0)->other = 1)
TABLE(a_pmd_table_over_markers_is_marker_only, PMD, B, "marker-only",
      s.blind |= MARKERS;
      HOLLOW_B; build_pte(&s.b, B + 6 * MIB, 0)->guard = 1)
TABLE(a_pmd_table_of_markers_is_marker_only, PMD, B, "marker-only",
      s.blind |= MARKERS;
      build_entries(&s.b, PMD, B, 4, PTAUDIT_K_UFFD_WP, 0))
TABLE(two_runs_of_markers_in_a_pmd_table_are_marker_only, PMD, B, "marker-only",
      s.blind |= MARKERS;
      build_entries(&s.b, PMD, B, 4, PTAUDIT_K_UFFD_WP, 0);
      build_entries(&s.b, PMD, B + 20 * MIB, 2, PTAUDIT_K_UFFD_WP, 0))
TABLE(a_pmd_table_of_markers_that_are_shown_is_unexplained, PMD, B,
      "unexplained", build_entries(&s.b, PMD, B, 4, PTAUDIT_K_UFFD_WP, 0))
#define HUGETLB_B build_map(&s.b, B, B + GIB, PTU_VM_HUGETLB)
TABLE(a_table_of_migrating_hugetlb_pages_is_marker_only, PMD, B, "marker-only",
      HUGETLB_B;
      build_entries(&s.b, PMD, B, 2, PTAUDIT_K_MIGRATION, 0)->flags =
	      PTAUDIT_T_HUGETLB)
TABLE(migrating_hugetlb_pages_beside_another_mapping_are_marker_only, PMD, B,
      "marker-only", HUGETLB_B;
      build_map(&s.b, B + GIB / 2, B + GIB, 0);
      build_entries(&s.b, PMD, B, 2, PTAUDIT_K_MIGRATION, 0))
TABLE(a_table_of_hugetlb_mappings_alone_needs_the_hugetlb_flag, PMD, B,
      "unexplained", HUGETLB_B;
      build_entries(&s.b, PMD, B, 2, PTAUDIT_K_MIGRATION, 0))
TABLE(migrating_hugetlb_pages_in_other_mappings_are_unexplained, PMD, B,
      "unexplained",
      build_entries(&s.b, PMD, B, 2, PTAUDIT_K_MIGRATION, 0)->flags =
	      PTAUDIT_T_HUGETLB)
TABLE(each_migrating_page_must_be_in_a_hugetlb_mapping, PMD, B, "unexplained",
      HUGETLB_B;
      build_map(&s.b, B + 2 * MIB, B + 4 * MIB, 0);
      build_entries(&s.b, PMD, B, 2, PTAUDIT_K_MIGRATION, 0)->flags =
	      PTAUDIT_T_HUGETLB)
TABLE(hugetlb_mappings_are_not_known_without_smaps, PMD, B, "unexplained",
      HUGETLB_B;
      build_forget_flags(&s.b);
      build_entries(&s.b, PMD, B, 2, PTAUDIT_K_MIGRATION, 0)->flags =
	      PTAUDIT_T_HUGETLB)
TABLE(markers_without_a_mapping_are_unexplained, PTE, A, "unexplained",
      s.blind |= MARKERS;
      build_unmap(&s.b, A, A + 2 * MIB); build_pte(&s.b, A, 0)->guard = 2)
TABLE(more_markers_than_mapped_pages_are_unexplained, PTE, A, "unexplained",
      s.blind |= MARKERS;
      build_unmap(&s.b, A, A + 2 * MIB); build_map(&s.b, A, A + 4 * KIB, 0);
      build_pte(&s.b, A, 0)->guard = 2)
TABLE(as_many_markers_as_mapped_pages_are_marker_only, PTE, A, "marker-only",
      s.blind |= MARKERS;
      build_unmap(&s.b, A, A + 2 * MIB); build_map(&s.b, A, A + 8 * KIB, 0);
      build_pte(&s.b, A, 0)->guard = 2)
TABLE(an_estimator_that_sees_empty_tables_sees_those_of_markers, PTE, A,
      "unexplained", s.blind |= MARKERS;
      SEES_EMPTY; build_pte(&s.b, A, 0)->guard = 2)
TABLE(a_pmd_table_with_markers_beyond_the_mapping_is_unexplained, PMD, B,
      "unexplained", s.blind |= MARKERS;
      build_unmap(&s.b, B + 6 * MIB, B + GIB);
      build_entries(&s.b, PMD, B, 4, PTAUDIT_K_UFFD_WP, 0))
TABLE(migrating_hugetlb_pages_that_are_not_shown_count_once, PMD, B,
      "unexplained", HUGETLB_B;
      s.blind |= 1u << PTAUDIT_K_MIGRATION;
      build_entries(&s.b, PMD, B, 2, PTAUDIT_K_MIGRATION, 0)->flags =
	      PTAUDIT_T_HUGETLB;
      build_entries(&s.b, PMD, B + 8 * MIB, 2, PTAUDIT_K_LEAF, 0))
TABLE(a_table_of_migrating_huge_pages_that_are_shown_is_unexplained, PMD, B,
      "unexplained", build_entries(&s.b, PMD, B, 2, PTAUDIT_K_MIGRATION, 0))
TABLE(a_table_of_migrating_hugetlb_pages_and_a_leaf_is_unexplained, PMD, B,
      "unexplained", HUGETLB_B;
      build_entries(&s.b, PMD, B, 2, PTAUDIT_K_MIGRATION, 0)->flags =
	      PTAUDIT_T_HUGETLB;
      build_entries(&s.b, PMD, B + 8 * MIB, 1, PTAUDIT_K_LEAF, 0))

/* the cause `pfnmap` */
#define PF_B build_map(&s.b, B, B + 4 * MIB, PTU_VM_PFNMAP)
#define PFNMAP_B(nr) (PF_B, build_pte(&s.b, B, 4)->pfnmap = (nr))
TABLE(a_pte_table_of_pfn_mappings_only_is_pfnmap, PTE, B, "pfnmap", PFNMAP_B(4))
TABLE(a_pte_table_with_a_page_of_another_mapping_is_not_pfnmap, PTE, B,
      "unexplained", PFNMAP_B(3))
TABLE(a_pte_table_with_a_swap_entry_is_not_pfnmap, PTE, B, "unexplained",
      PFNMAP_B(4);
      build_pte(&s.b, B, 4)->swap = 1)
TABLE(a_pte_table_with_a_marker_that_is_not_shown_is_pfnmap, PTE, B, "pfnmap",
      s.blind |= MARKERS;
      PFNMAP_B(4); build_map(&s.b, B, B + MIB, 0);
      build_pte(&s.b, B, 4)->guard = 1)
TABLE(a_pmd_table_over_pfn_mappings_is_pfnmap, PMD, B, "pfnmap", PFNMAP_B(4);
      build_pte(&s.b, B + 2 * MIB, 0))
TABLE(a_pmd_table_over_pfn_mappings_and_a_page_is_unexplained, PMD, B,
      "unexplained", PFNMAP_B(4);
      build_pte(&s.b, B + 2 * MIB, 1))
TABLE(a_marker_needs_a_page_outside_pfn_mappings, PTE, B, "unexplained",
      s.blind |= MARKERS;
      PFNMAP_B(4); build_pte(&s.b, B, 4)->guard = 1)
TABLE(entries_called_pfnmap_in_other_mappings_are_unexplained, PTE, B,
      "unexplained", build_pte(&s.b, B, 4)->pfnmap = 4)
TABLE(entries_called_pfnmap_are_unexplained_without_smaps, PTE, B,
      "unexplained", PFNMAP_B(4);
      build_forget_flags(&s.b))
TABLE(more_pfnmap_entries_than_pages_of_pfn_mappings_are_unexplained, PTE, B,
      "unexplained", PFNMAP_B(4);
      build_map(&s.b, B + 12 * KIB, B + 4 * MIB, 0))
TABLE(as_many_pfnmap_entries_as_pages_of_pfn_mappings_are_pfnmap, PTE, B,
      "pfnmap", PFNMAP_B(4);
      build_map(&s.b, B + 16 * KIB, B + 4 * MIB, 0))
TABLE(none_entries_outside_pfn_mappings_show_the_table, PTE, B, "unexplained",
      SEES_EMPTY;
      PFNMAP_B(4); build_map(&s.b, B + 16 * KIB, B + 4 * MIB, 0))
TABLE(no_estimator_sees_a_table_of_pfn_mappings_alone, PTE, B, "pfnmap",
      SEES_EMPTY;
      PFNMAP_B(4))
LEAF(a_leaf_in_a_pfn_mapping_is_pfnmap, PMD, B + 2 * MIB, "pfnmap", PF_B;
     build_entries(&s.b, PMD, B, 2, PTAUDIT_K_LEAF, PTAUDIT_T_PFNMAP))
LEAF(a_leaf_called_pfnmap_in_another_mapping_is_unexplained, PMD, B + 2 * MIB,
     "unexplained",
     build_entries(&s.b, PMD, B, 2, PTAUDIT_K_LEAF, PTAUDIT_T_PFNMAP))
LEAF(a_leaf_that_reaches_beyond_its_pfn_mapping_is_unexplained, PMD,
     B + 2 * MIB, "unexplained",
     build_map(&s.b, B, B + 4 * MIB - 4 * KIB, PTU_VM_PFNMAP);
     build_entries(&s.b, PMD, B, 2, PTAUDIT_K_LEAF, PTAUDIT_T_PFNMAP))
LEAF(a_leaf_beside_a_pfn_mapping_is_unexplained, PMD, B + 4 * MIB,
     "unexplained", PF_B;
     build_entries(&s.b, PMD, B, 2, PTAUDIT_K_LEAF, PTAUDIT_T_PFNMAP);
     build_entries(&s.b, PMD, B + 4 * MIB, 1, PTAUDIT_K_LEAF, 0))
LEAF(a_pfnmap_leaf_that_came_between_the_walks_is_unexplained, PMD, B,
     "unexplained", PF_B;
     s.has_before = true;
     build_entries(&s.b, PMD, B, 2, PTAUDIT_K_LEAF, PTAUDIT_T_PFNMAP))
TABLE(a_pmd_table_of_leaves_called_pfnmap_needs_a_pfn_mapping, PMD, B,
      "unexplained",
      build_entries(&s.b, PMD, B, 2, PTAUDIT_K_LEAF, PTAUDIT_T_PFNMAP))
TABLE(a_pmd_table_of_leaves_not_called_pfnmap_is_unexplained, PMD, B,
      "unexplained", PF_B;
      build_entries(&s.b, PMD, B, 2, PTAUDIT_K_LEAF, 0))
LEAF(a_leaf_not_called_pfnmap_is_unexplained, PMD, B, "unexplained", PF_B;
     build_entries(&s.b, PMD, B, 2, PTAUDIT_K_LEAF, 0))
TABLE(a_pmd_table_of_leaves_in_a_pfn_mapping_is_pfnmap, PMD, B, "pfnmap", PF_B;
      build_entries(&s.b, PMD, B, 2, PTAUDIT_K_LEAF, PTAUDIT_T_PFNMAP))
TABLE(a_pmd_table_with_one_other_leaf_is_not_pfnmap, PMD, B, "unexplained",
      PF_B;
      build_entries(&s.b, PMD, B, 2, PTAUDIT_K_LEAF, PTAUDIT_T_PFNMAP);
      build_entries(&s.b, PMD, B + 4 * MIB, 1, PTAUDIT_K_LEAF, 0))

/* the cause `outside-vma` */
#define UNWALKED_B                         \
	build_unmap(&s.b, B, B + 6 * MIB); \
	build_entries(&s.b, PMD, B, 3, PTAUDIT_K_UNWALKED, 0)
TABLE(entries_without_a_mapping_are_outside_vma, PMD, B, "outside-vma",
      UNWALKED_B;
      build_pte(&s.b, B + 8 * MIB, 0))
TABLE(a_pud_table_over_entries_without_a_mapping_is_unexplained, PUD, C,
      "unexplained", build_unmap(&s.b, C, C + 6 * MIB);
      build_entries(&s.b, PMD, C, 3, PTAUDIT_K_UNWALKED, 0))
TABLE(unwalked_entries_in_a_mapping_are_unexplained, PMD, B, "unexplained",
      build_entries(&s.b, PMD, B, 3, PTAUDIT_K_UNWALKED, 0);
      build_pte(&s.b, B + 8 * MIB, 0))
TABLE(unwalked_entries_with_one_mapped_page_are_unexplained, PMD, B,
      "unexplained", UNWALKED_B;
      build_map(&s.b, B + 5 * MIB, B + 5 * MIB + 4 * KIB, 0);
      build_pte(&s.b, B + 8 * MIB, 0))
TABLE(a_table_that_no_mapping_reaches_is_not_outside_vma, PMD, B, "unexplained",
      UNWALKED_B;
      build_unmap(&s.b, B, B + GIB))
TABLE(a_pmd_table_with_a_leaf_is_not_outside_vma, PMD, B, "unexplained",
      UNWALKED_B;
      build_entries(&s.b, PMD, B + 8 * MIB, 1, PTAUDIT_K_LEAF, 0))
TABLE(a_pmd_table_over_a_used_pte_table_is_not_outside_vma, PMD, B,
      "unexplained", UNWALKED_B;
      build_pte(&s.b, B + 8 * MIB, 1))

/* the cause `ldt` */
TABLE(the_ldts_pte_table_is_ldt, PTE, LDT_4, "ldt", build_pte(&s.b, LDT_4, 16))
TABLE(the_ldts_pud_table_is_ldt, PUD, LDT_4, "ldt", build_pte(&s.b, LDT_4, 16))
TABLE(without_pti_the_ldt_has_no_tables, PTE, LDT_4, "unexplained",
      build_pte(&s.b, LDT_4, 16);
      s.b.geo.pti = false)
TABLE(a_pmd_table_over_the_ldt_and_another_table_is_unexplained, PMD, LDT_4,
      "unexplained", build_pte(&s.b, LDT_4, 16);
      build_pte(&s.b, LDT_4 + 2 * MIB, 1))
TABLE(a_pmd_table_over_the_ldt_and_a_leaf_is_unexplained, PMD, LDT_4,
      "unexplained", build_pte(&s.b, LDT_4, 16);
      build_entries(&s.b, PMD, LDT_4 + 2 * MIB, 1, PTAUDIT_K_LEAF, 0))
TABLE(more_pages_than_two_ldts_have_are_unexplained, PTE, LDT_4, "unexplained",
      build_pte(&s.b, LDT_4, 33))
TABLE(a_pte_table_with_all_pages_of_two_ldts_is_ldt, PTE, LDT_4, "ldt",
      build_pte(&s.b, LDT_4, 32))
TABLE(an_ldt_table_without_entries_is_unexplained, PTE, LDT_4, "unexplained",
      build_pte(&s.b, LDT_4, 0))
TABLE(an_ldt_table_with_a_swap_entry_is_unexplained, PTE, LDT_4, "unexplained",
      build_pte(&s.b, LDT_4, 16)->swap = 1)
TABLE(a_pte_table_behind_that_of_the_ldt_is_unexplained, PTE, LDT_4 + 2 * MIB,
      "unexplained", build_pte(&s.b, LDT_4 + 2 * MIB, 16))
TABLE(a_table_one_pgd_entry_behind_the_ldt_is_unexplained, PTE,
      LDT_4 + 512 * GIB, "unexplained", build_pte(&s.b, LDT_4 + 512 * GIB, 16))
TABLE(a_table_like_that_of_the_ldt_in_the_user_half_is_unexplained, PTE, B,
      "unexplained", build_pte(&s.b, B, 16))
TABLE(an_ldt_that_changed_between_the_walks_is_unexplained, PTE, LDT_4,
      "unexplained", s.has_before = true;
      build_pte(&s.before, LDT_4, 15); build_pte(&s.b, LDT_4, 16))

UNIT_TEST(a_p4d_table_over_empty_tables_in_a_mapping_is_hollow)
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
	/* in no mapping */
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

	/* the table came between the walks: nothing can be proven */
	scene_init(&s, 4);
	build_pte(&s.b, B, 4)->pfnmap = 4;
	s.has_before = true;
	CHECK(!wants(&s, false));
	CHECK(!why_of(&s, PTE, C, false));

	scene_init(&s, 4);
	build_pte(&s.b, B, 4)->pfnmap = 4;
	CHECK(!wants(&s, true));
	CHECK(!why_of(&s, PTE, C, false));
}

UNIT_MAIN
