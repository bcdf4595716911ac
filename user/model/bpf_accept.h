/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether what a walk without locks has read is what there was.  Pure. */
#ifndef PTU_MODEL_BPF_ACCEPT_H
#define PTU_MODEL_BPF_ACCEPT_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/shared.h"

/**
 * ptu_bpf_is_same() - Were all tables that were read in between live ones?
 * @first: (in) the mm before the first of them was read
 * @last: (in) the mm after the last of them was read
 *
 * True only if no table was freed in between, nor taken out of the tree to be
 * freed, and none was added: the mm is the same (ctx_id is never given out
 * again), no unmapping has ended (tlb_gen), none is under way
 * (tlb_flush_pending), nothing is being moved (mmap_lock), and the mm's own
 * counter stands still.
 *
 * Source: arch/x86/mm/tlb.c, flush_tlb_mm_range() raises tlb_gen, and
 * mm/mmu_gather.c flushes before it frees a table, between
 * inc_tlb_flush_pending() and dec_tlb_flush_pending() (5.17 to 7.2);
 * mm/khugepaged.c flushes by pmdp_collapse_flush() before it frees one.
 */
bool ptu_bpf_is_same(const struct ptu_bpf_state *first,
		     const struct ptu_bpf_state *last);

/**
 * ptu_bpf_is_complete() - Is the number of tables the mm's own?
 * @tree_bytes: (in) of all PTE, PMD and PUD tables and of all deposits
 *
 * What was moved while it was read, or was being collapsed, was seen twice or
 * not at all.
 */
bool ptu_bpf_is_complete(const struct ptu_bpf_state *last, uint64_t tree_bytes);

#endif
