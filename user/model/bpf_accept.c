// SPDX-License-Identifier: LGPL-2.1-or-later
/* Decide whether what was read is valid; must not read. */
#include "model/bpf_accept.h"

#include <string.h>

bool ptu_bpf_is_live(const struct ptu_bpf_state *first,
		     const struct ptu_bpf_state *last)
{
	return !first->error && !last->error && first->ctx_id == last->ctx_id &&
	       first->tlb_gen == last->tlb_gen;
}

bool ptu_bpf_is_same(const struct ptu_bpf_state *first,
		     const struct ptu_bpf_state *last)
{
	return ptu_bpf_is_live(first, last) && !first->tlb_flush_pending &&
	       !last->tlb_flush_pending && !first->mmap_lock_written &&
	       !last->mmap_lock_written &&
	       first->pgtables_bytes == last->pgtables_bytes;
}

bool ptu_bpf_is_complete(const struct ptu_bpf_state *last, uint64_t tree_bytes)
{
	return last->pgtables_bytes == tree_bytes;
}

bool ptu_bpf_leads_to(const struct ptu_bpf_reader *reader, unsigned int level,
		      const uint8_t *bytes, const struct ptu_bpf_place *place)
{
	const struct ptu_geometry *geo = reader->geo;
	uint64_t entry;

	memcpy(&entry,
	       bytes + sizeof(entry) *
			       ptu_geometry_index(geo, level, place->start),
	       sizeof(entry));
	return ptu_bpf_entry_kind(reader->format, level, entry) ==
		       PTAUDIT_K_CHILD &&
	       (entry & reader->format->address_mask) >>
			       geo->shift[PTAUDIT_PTE] ==
		       place->pfn;
}
