// SPDX-License-Identifier: GPL-2.0-only
/*
 * Causes of tables that the estimator claims and the kernel does not have, or has as
 * something else: with the complete evidence, and without each part of it.
 */
#include "support/scene.h"

/* the cause `huge-leaf` */
#define LEAF_AT(level, addr) \
	build_entries(&s.b, level, addr, 1, PTAUDIT_K_LEAF, 0)
#define BLIND_TO_LEAVES s.blind |= 1u << PTAUDIT_K_LEAF
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
TABLE(a_mapping_of_no_more_than_that_is_enough, PTE, B + 6 * MIB, "huge-leaf",
      BLIND_TO_LEAVES;
      build_unmap(&s.b, B + GIB, B + 8 * GIB); LEAF_AT(PUD, B);
      claim(&s, PTE, B + 6 * MIB, PTU_CERTAIN))
TABLE(a_pmd_table_drawn_under_1_gib_is_huge_leaf, PMD, B, "huge-leaf",
      BLIND_TO_LEAVES;
      LEAF_AT(PUD, B); claim(&s, PTE, B + 6 * MIB, PTU_CERTAIN))
TABLE(the_1_gib_beside_does_not_explain_it, PMD, B + GIB, "unexplained",
      BLIND_TO_LEAVES;
      LEAF_AT(PUD, B); claim(&s, PTE, B + GIB, PTU_CERTAIN))
TABLE(a_leaf_that_sticks_out_of_its_mapping_does_not, PTE, A, "unexplained",
      BLIND_TO_LEAVES;
      build_unmap(&s.b, A + 2 * MIB - 4 * KIB, A + 2 * MIB); LEAF_AT(PMD, A);
      claim(&s, PTE, A, PTU_CERTAIN))
TABLE(nor_one_across_two_mappings, PTE, A, "unexplained", BLIND_TO_LEAVES;
      build_map(&s.b, A, A + MIB, 0); LEAF_AT(PMD, A);
      claim(&s, PTE, A, PTU_CERTAIN))
TABLE(nor_1_gib_with_a_gap, PMD, B, "unexplained", BLIND_TO_LEAVES;
      build_unmap(&s.b, B + GIB / 2, B + GIB / 2 + 4 * KIB); LEAF_AT(PUD, B);
      claim(&s, PTE, B + 6 * MIB, PTU_CERTAIN))
TABLE(a_leaf_that_came_between_the_walks_does_not, PTE, A, "unexplained",
      BLIND_TO_LEAVES;
      s.has_before = true; LEAF_AT(PMD, A); claim(&s, PTE, A, PTU_CERTAIN))
TABLE(one_that_began_to_migrate_meanwhile_does, PTE, A, "huge-leaf",
      BLIND_TO_LEAVES;
      s.has_before = true;
      build_entries(&s.before, PMD, A, 1, PTAUDIT_K_MIGRATION, 0);
      LEAF_AT(PMD, A); claim(&s, PTE, A, PTU_CERTAIN))
TABLE(a_possible_table_under_a_leaf_that_came_is_undecided, PTE, A, "undecided",
      s.has_before = true;
      LEAF_AT(PMD, A); claim(&s, PTE, A, PTU_POSSIBLE))
TABLE(under_one_that_went_too, PTE, A, "undecided", s.has_before = true;
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
TABLE(a_possible_table_with_a_gap_is_not, PTE, A, "unexplained",
      build_pte(&s.b, A, 511);
      claim(&s, PTE, A, PTU_POSSIBLE))
TABLE(a_possible_table_of_pfn_mappings_is_not, PTE, A, "unexplained",
      build_pte(&s.b, A, 512)->pfnmap = 512;
      build_map(&s.b, A, A + 2 * MIB, PTU_VM_PFNMAP);
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
TABLE(a_possible_table_may_be_one_entry_of_another_kind, PTE, A, "huge-leaf",
      build_entries(&s.b, PMD, A, 1, PTAUDIT_K_OTHER, 0);
      claim(&s, PTE, A, PTU_POSSIBLE))
TABLE(a_possible_table_may_be_one_swap_entry, PTE, A, "huge-leaf",
      build_entries(&s.b, PMD, A, 1, PTAUDIT_K_SWAP, 0);
      claim(&s, PTE, A, PTU_POSSIBLE))
TABLE(but_no_marker, PTE, A, "undecided",
      build_entries(&s.b, PMD, A, 1, PTAUDIT_K_UFFD_WP, 0);
      claim(&s, PTE, A, PTU_POSSIBLE))
TABLE(a_possible_table_without_a_mapping_is_not, PTE, A, "unexplained",
      build_pte(&s.b, A, 512);
      build_unmap(&s.b, A, A + 2 * MIB); claim(&s, PTE, A, PTU_POSSIBLE))
TABLE(a_maybe_with_a_page_in_it_is_unexplained, PTE, A, "unexplained",
      build_pte(&s.b, A, 1);
      claim(&s, PTE, A, PTU_MAYBE))
TABLE(a_maybe_with_entries_that_are_not_shown_is_settled, PTE, A, "settled",
      s.blind |= MARKERS;
      build_pte(&s.b, A, 0)->guard = 2; claim(&s, PTE, A, PTU_MAYBE))
TABLE(a_maybe_with_entries_that_are_shown_is_not, PTE, A, "unexplained",
      build_pte(&s.b, A, 0)->guard = 2;
      claim(&s, PTE, A, PTU_MAYBE))
TABLE(a_maybe_of_a_pmd_table_of_such_entries_is_settled, PMD, C, "settled",
      s.blind |= MARKERS;
      build_entries(&s.b, PMD, C, 2, PTAUDIT_K_UFFD_WP, 0);
      claim(&s, PTE, C + 8 * MIB, PTU_MAYBE))
TABLE(a_maybe_over_a_leaf_is_undecided, PTE, A, "undecided", LEAF_AT(PMD, A);
      claim(&s, PTE, A, PTU_MAYBE))
TABLE(a_maybe_of_a_pmd_table_with_a_leaf_is_unexplained, PMD, C, "unexplained",
      build_entries(&s.b, PMD, C, 1, PTAUDIT_K_LEAF, 0);
      claim(&s, PTE, C + 2 * MIB, PTU_MAYBE))
TABLE(a_maybe_of_a_pmd_table_is_settled, PMD, C, "settled",
      build_pte(&s.b, C, 0);
      claim(&s, PTE, C, PTU_MAYBE))
TABLE(a_maybe_without_a_mapping_is_not, PTE, A, "unexplained",
      build_pte(&s.b, A, 0);
      build_unmap(&s.b, A, A + 2 * MIB); claim(&s, PTE, A, PTU_MAYBE))
TABLE(a_maybe_with_nothing_but_just_now_a_leaf_is_undecided, PTE, A,
      "undecided", s.has_before = true;
      build_entries(&s.before, PMD, A, 1, PTAUDIT_K_LEAF, 0);
      claim(&s, PTE, A, PTU_MAYBE))
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
LEAF(a_leaf_drawn_where_one_began_to_migrate_is_not, PMD, A, "unexplained",
     s.has_before = true;
     build_entries(&s.b, PMD, A, 1, PTAUDIT_K_MIGRATION, 0);
     claim(&s, PMD, A, PTU_LEAF))
LEAF(a_leaf_drawn_without_room_for_it_is_not, PMD, A, "unexplained",
     build_unmap(&s.b, A, A + 4 * KIB);
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

UNIT_MAIN
