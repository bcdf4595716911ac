// SPDX-License-Identifier: GPL-2.0-only
/*
 * Causes of tables and leaves that the estimator claims, and that are not among the
 * kernel's tables and leaves.  A cause is found if all of its evidence is present.  It
 * is not found if any part of the evidence is missing.
 */
#include "support/scene.h"

/* the cause `huge-leaf` */
#define LEAF_AT(level, addr) \
	build_entries(&s.b, level, addr, 1, PTAUDIT_K_LEAF, 0)
#define BLIND_TO_LEAVES s.blind |= 1u << PTAUDIT_K_LEAF
TABLE(a_table_claimed_in_place_of_a_leaf_is_huge_leaf, PTE, A, "huge-leaf",
      BLIND_TO_LEAVES;
      LEAF_AT(PMD, A); claim(&s, PTE, A, PTU_CERTAIN))
TABLE(a_table_claimed_in_place_of_a_leaf_that_is_seen_is_unexplained, PTE, A,
      "unexplained", LEAF_AT(PMD, A);
      claim(&s, PTE, A, PTU_CERTAIN))
TABLE(a_possible_table_over_a_leaf_is_huge_leaf, PTE, A, "huge-leaf",
      LEAF_AT(PMD, A);
      claim(&s, PTE, A, PTU_POSSIBLE))
TABLE(a_table_claimed_in_place_of_a_migrating_leaf_is_huge_leaf, PTE, A,
      "huge-leaf", BLIND_TO_LEAVES;
      build_entries(&s.b, PMD, A, 1, PTAUDIT_K_MIGRATION, 0);
      claim(&s, PTE, A, PTU_CERTAIN))
TABLE(a_leaf_in_the_next_slot_does_not_explain_a_claimed_table, PTE, A,
      "unexplained", BLIND_TO_LEAVES;
      LEAF_AT(PMD, A + 2 * MIB); claim(&s, PTE, A, PTU_CERTAIN))
TABLE(a_leaf_in_the_previous_slot_does_not_explain_a_claimed_table, PTE,
      A + 2 * MIB, "unexplained", BLIND_TO_LEAVES;
      LEAF_AT(PMD, A); claim(&s, PTE, A + 2 * MIB, PTU_CERTAIN))
TABLE(a_swapped_out_leaf_does_not_explain_a_claimed_table, PTE, A,
      "unexplained", BLIND_TO_LEAVES;
      build_entries(&s.b, PMD, A, 1, PTAUDIT_K_SWAP, 0);
      claim(&s, PTE, A, PTU_CERTAIN))
TABLE(a_pte_table_claimed_in_the_reach_of_a_1_gib_leaf_is_huge_leaf, PTE,
      B + 6 * MIB, "huge-leaf", BLIND_TO_LEAVES;
      LEAF_AT(PUD, B); claim(&s, PTE, B + 6 * MIB, PTU_CERTAIN))
TABLE(a_mapping_of_1_gib_suffices_for_a_1_gib_leaf, PTE, B + 6 * MIB,
      "huge-leaf", BLIND_TO_LEAVES;
      build_unmap(&s.b, B + GIB, B + 8 * GIB); LEAF_AT(PUD, B);
      claim(&s, PTE, B + 6 * MIB, PTU_CERTAIN))
TABLE(a_pmd_table_claimed_in_place_of_a_1_gib_leaf_is_huge_leaf, PMD, B,
      "huge-leaf", BLIND_TO_LEAVES;
      LEAF_AT(PUD, B); claim(&s, PTE, B + 6 * MIB, PTU_CERTAIN))
TABLE(a_1_gib_leaf_does_not_explain_the_pmd_table_beside_it, PMD, B + GIB,
      "unexplained", BLIND_TO_LEAVES;
      LEAF_AT(PUD, B); claim(&s, PTE, B + GIB, PTU_CERTAIN))
TABLE(a_leaf_that_reaches_beyond_its_mapping_explains_no_table, PTE, A,
      "unexplained", BLIND_TO_LEAVES;
      build_unmap(&s.b, A + 2 * MIB - 4 * KIB, A + 2 * MIB); LEAF_AT(PMD, A);
      claim(&s, PTE, A, PTU_CERTAIN))
TABLE(a_leaf_across_two_mappings_explains_no_table, PTE, A, "unexplained",
      BLIND_TO_LEAVES;
      build_map(&s.b, A, A + MIB, 0); LEAF_AT(PMD, A);
      claim(&s, PTE, A, PTU_CERTAIN))
TABLE(a_1_gib_leaf_over_a_gap_explains_no_table, PMD, B, "unexplained",
      BLIND_TO_LEAVES;
      build_unmap(&s.b, B + GIB / 2, B + GIB / 2 + 4 * KIB); LEAF_AT(PUD, B);
      claim(&s, PTE, B + 6 * MIB, PTU_CERTAIN))
TABLE(a_leaf_that_came_between_the_walks_explains_no_table, PTE, A,
      "unexplained", BLIND_TO_LEAVES;
      s.has_before = true; LEAF_AT(PMD, A); claim(&s, PTE, A, PTU_CERTAIN))
TABLE(a_leaf_whose_migration_ended_between_the_walks_is_huge_leaf, PTE, A,
      "huge-leaf", BLIND_TO_LEAVES;
      s.has_before = true;
      build_entries(&s.before, PMD, A, 1, PTAUDIT_K_MIGRATION, 0);
      LEAF_AT(PMD, A); claim(&s, PTE, A, PTU_CERTAIN))
TABLE(a_possible_table_where_a_leaf_came_is_undecided, PTE, A, "undecided",
      s.has_before = true;
      LEAF_AT(PMD, A); claim(&s, PTE, A, PTU_POSSIBLE))
TABLE(a_possible_table_where_a_leaf_went_is_undecided, PTE, A, "undecided",
      s.has_before = true;
      build_entries(&s.before, PMD, A, 1, PTAUDIT_K_LEAF, 0);
      claim(&s, PTE, A, PTU_POSSIBLE))
TABLE(a_table_that_turned_into_a_leaf_is_unexplained, PTE, A, "unexplained",
      s.has_before = true;
      build_pte(&s.before, A, 512); LEAF_AT(PMD, A);
      claim(&s, PTE, A, PTU_CERTAIN))

/* the cause `settled`, and claims that stay undecided */
TABLE(a_possible_table_that_is_full_is_settled, PTE, A, "settled",
      build_pte(&s.b, A, 512);
      claim(&s, PTE, A, PTU_POSSIBLE))
TABLE(a_possible_table_with_a_gap_is_unexplained, PTE, A, "unexplained",
      build_pte(&s.b, A, 511);
      claim(&s, PTE, A, PTU_POSSIBLE))
TABLE(a_possible_table_of_pfn_mappings_is_unexplained, PTE, A, "unexplained",
      build_pte(&s.b, A, 512)->pfnmap = 512;
      build_map(&s.b, A, A + 2 * MIB, PTU_VM_PFNMAP);
      claim(&s, PTE, A, PTU_POSSIBLE))
TABLE(a_possible_table_that_came_between_the_walks_is_unexplained, PTE, A,
      "unexplained", s.has_before = true;
      build_pte(&s.b, A, 512); claim(&s, PTE, A, PTU_POSSIBLE))
TABLE(a_possible_table_over_a_none_entry_is_undecided, PTE, A, "undecided",
      claim(&s, PTE, A, PTU_POSSIBLE))
TABLE(a_possible_table_beside_a_leaf_is_undecided, PTE, A, "undecided",
      LEAF_AT(PMD, A + 2 * MIB);
      claim(&s, PTE, A, PTU_POSSIBLE))
TABLE(a_possible_table_that_went_between_the_walks_is_undecided, PTE, A,
      "undecided", s.has_before = true;
      build_pte(&s.before, A, 512); claim(&s, PTE, A, PTU_POSSIBLE))
TABLE(a_possible_table_over_an_entry_of_another_kind_is_huge_leaf, PTE, A,
      "huge-leaf", build_entries(&s.b, PMD, A, 1, PTAUDIT_K_OTHER, 0);
      claim(&s, PTE, A, PTU_POSSIBLE))
TABLE(a_possible_table_over_a_swap_entry_is_huge_leaf, PTE, A, "huge-leaf",
      build_entries(&s.b, PMD, A, 1, PTAUDIT_K_SWAP, 0);
      claim(&s, PTE, A, PTU_POSSIBLE))
TABLE(a_possible_table_over_a_uffd_wp_marker_is_undecided, PTE, A, "undecided",
      build_entries(&s.b, PMD, A, 1, PTAUDIT_K_UFFD_WP, 0);
      claim(&s, PTE, A, PTU_POSSIBLE))
TABLE(a_possible_table_without_a_mapping_is_unexplained, PTE, A, "unexplained",
      build_pte(&s.b, A, 512);
      build_unmap(&s.b, A, A + 2 * MIB); claim(&s, PTE, A, PTU_POSSIBLE))
TABLE(a_maybe_with_a_page_in_it_is_unexplained, PTE, A, "unexplained",
      build_pte(&s.b, A, 1);
      claim(&s, PTE, A, PTU_MAYBE))
TABLE(a_maybe_with_entries_that_are_not_shown_is_settled, PTE, A, "settled",
      s.blind |= MARKERS;
      build_pte(&s.b, A, 0)->guard = 2; claim(&s, PTE, A, PTU_MAYBE))
TABLE(a_maybe_with_entries_that_are_shown_is_unexplained, PTE, A, "unexplained",
      build_pte(&s.b, A, 0)->guard = 2;
      claim(&s, PTE, A, PTU_MAYBE))
TABLE(a_maybe_of_a_pmd_table_of_unseen_markers_is_settled, PMD, C, "settled",
      s.blind |= MARKERS;
      build_entries(&s.b, PMD, C, 2, PTAUDIT_K_UFFD_WP, 0);
      claim(&s, PTE, C + 8 * MIB, PTU_MAYBE))
TABLE(a_maybe_over_a_leaf_is_undecided, PTE, A, "undecided", LEAF_AT(PMD, A);
      claim(&s, PTE, A, PTU_MAYBE))
TABLE(a_maybe_of_a_pmd_table_with_a_leaf_is_unexplained, PMD, C, "unexplained",
      build_entries(&s.b, PMD, C, 1, PTAUDIT_K_LEAF, 0);
      claim(&s, PTE, C + 2 * MIB, PTU_MAYBE))
TABLE(a_maybe_of_a_pmd_table_over_an_empty_table_is_settled, PMD, C, "settled",
      build_pte(&s.b, C, 0);
      claim(&s, PTE, C, PTU_MAYBE))
TABLE(a_maybe_without_a_mapping_is_unexplained, PTE, A, "unexplained",
      build_pte(&s.b, A, 0);
      build_unmap(&s.b, A, A + 2 * MIB); claim(&s, PTE, A, PTU_MAYBE))
TABLE(a_maybe_where_a_leaf_went_is_undecided, PTE, A, "undecided",
      s.has_before = true;
      build_entries(&s.before, PMD, A, 1, PTAUDIT_K_LEAF, 0);
      claim(&s, PTE, A, PTU_MAYBE))
TABLE(a_maybe_with_an_empty_table_is_settled, PTE, A, "settled",
      build_pte(&s.b, A, 0);
      claim(&s, PTE, A, PTU_MAYBE))
TABLE(a_maybe_over_a_none_entry_is_settled, PTE, A, "settled",
      claim(&s, PTE, A, PTU_MAYBE))
TABLE(a_maybe_below_a_none_entry_of_the_pgd_is_settled, PTE, C, "settled",
      claim(&s, PTE, C, PTU_MAYBE))
TABLE(a_maybe_over_a_swap_entry_is_undecided, PTE, A, "undecided",
      build_entries(&s.b, PMD, A, 1, PTAUDIT_K_SWAP, 0);
      claim(&s, PTE, A, PTU_MAYBE))
TABLE(a_maybe_below_an_entry_not_walked_is_undecided, PTE, B, "undecided",
      build_entries(&s.b, PUD, B, 1, PTAUDIT_K_UNWALKED, 0);
      claim(&s, PTE, B, PTU_MAYBE))
TABLE(a_maybe_whose_table_went_is_undecided, PTE, A, "undecided",
      s.has_before = true;
      build_pte(&s.before, A, 0); claim(&s, PTE, A, PTU_MAYBE))
LEAF(a_leaf_claimed_where_one_migrates_is_settled, PMD, A, "settled",
     build_entries(&s.b, PMD, A, 1, PTAUDIT_K_MIGRATION, 0);
     claim(&s, PMD, A, PTU_LEAF))
LEAF(a_leaf_claimed_where_a_migration_entry_came_is_unexplained, PMD, A,
     "unexplained", s.has_before = true;
     build_entries(&s.b, PMD, A, 1, PTAUDIT_K_MIGRATION, 0);
     claim(&s, PMD, A, PTU_LEAF))
LEAF(a_leaf_claimed_without_room_in_its_mapping_is_unexplained, PMD, A,
     "unexplained", build_unmap(&s.b, A, A + 4 * KIB);
     build_entries(&s.b, PMD, A, 1, PTAUDIT_K_MIGRATION, 0);
     claim(&s, PMD, A, PTU_LEAF))
LEAF(a_leaf_claimed_beside_one_that_migrates_is_unexplained, PMD, A,
     "unexplained",
     build_entries(&s.b, PMD, A + 2 * MIB, 1, PTAUDIT_K_MIGRATION, 0);
     claim(&s, PMD, A, PTU_LEAF))
LEAF(a_leaf_claimed_in_place_of_a_table_is_unexplained, PMD, A, "unexplained",
     build_pte(&s.b, A, 512);
     claim(&s, PMD, A, PTU_LEAF))
TABLE(a_table_where_a_leaf_is_claimed_is_unexplained, PTE, A, "unexplained",
      build_pte(&s.b, A, 512);
      claim(&s, PMD, A, PTU_LEAF))
LEAF(a_leaf_that_was_not_claimed_is_unexplained, PMD, A, "unexplained",
     LEAF_AT(PMD, A))

UNIT_MAIN
