// SPDX-License-Identifier: LGPL-2.1-or-later
/* Decide from the mm's own state whether a walk is valid; must not see the tables. */
#include "model/bpf_accept.h"

bool ptu_bpf_is_same(const struct ptu_bpf_state *first,
		     const struct ptu_bpf_state *last)
{
	return !first->error && !last->error && first->ctx_id == last->ctx_id &&
	       first->tlb_gen == last->tlb_gen && !first->tlb_flush_pending &&
	       !last->tlb_flush_pending && !first->mmap_lock_written &&
	       !last->mmap_lock_written &&
	       first->pgtables_bytes == last->pgtables_bytes;
}

bool ptu_bpf_is_complete(const struct ptu_bpf_state *last, uint64_t tree_bytes)
{
	return last->pgtables_bytes == tree_bytes;
}
