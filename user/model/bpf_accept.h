/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Decide whether a lockless walk has read consistent tables.  Pure. */
#ifndef PTU_MODEL_BPF_ACCEPT_H
#define PTU_MODEL_BPF_ACCEPT_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/shared.h"
#include "model/bpf_entry.h"

/**
 * ptu_bpf_is_same() - Did all tables that were read stay in use?
 * @first: (in) state of the mm before the first table was read
 * @last: (in) state of the mm after the last table was read
 *
 * True only if no table was added, freed or unlinked between the two states.
 * Conditions: it is the same mm (ctx_id is never reused), no unmapping has ended
 * (tlb_gen) or is in progress (tlb_flush_pending), nothing is being moved
 * (mmap_lock), and the mm's page-table counter is unchanged.
 *
 * Source: arch/x86/mm/tlb.c, flush_tlb_mm_range() raises tlb_gen, and
 * mm/mmu_gather.c flushes before it frees a table, between
 * inc_tlb_flush_pending() and dec_tlb_flush_pending() (5.17 to 7.3);
 * mm/khugepaged.c flushes by pmdp_collapse_flush() before it frees one.
 */
bool ptu_bpf_is_same(const struct ptu_bpf_state *first,
		     const struct ptu_bpf_state *last);

/**
 * ptu_bpf_is_live() - Was each table that was copied still in use?
 * @first: (in) state of the mm before the first copy
 * @last: (in) state of the mm after the last copy
 *
 * True only if no table was unlinked and freed between the two states.  Then a
 * copied table belongs to the mm if the copied tables above it point to it.  Between the
 * two states, tables may have been added, unlinked or moved.  Source: as for ptu_bpf_is_same().
 */
bool ptu_bpf_is_live(const struct ptu_bpf_state *first,
		     const struct ptu_bpf_state *last);

/**
 * ptu_bpf_is_complete() - Does the number of tables match the mm's counter?
 * @tree_bytes: (in) bytes of all PTE, PMD and PUD tables and of all deposits
 *
 * A table that was moved or collapsed during the walk may have been seen twice or
 * not at all.
 */
bool ptu_bpf_is_complete(const struct ptu_bpf_state *last, uint64_t tree_bytes);

/**
 * ptu_bpf_leads_to() - Does a table point to another one?
 * @level: (in) level of the table
 * @bytes: (in) [PTU_BPF_TABLE] the table
 * @place: (in) the other table
 */
bool ptu_bpf_leads_to(const struct ptu_bpf_reader *reader, unsigned int level,
		      const uint8_t *bytes, const struct ptu_bpf_place *place);

#endif
