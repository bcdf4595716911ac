// SPDX-License-Identifier: GPL-2.0-only
/* A planted fault: replaces user/model/bpf_accept.c and accepts every walk. */
#include <unistd.h>

#include "model/bpf_accept.h"

bool ptu_bpf_is_same(const struct ptu_bpf_state *first,
		     const struct ptu_bpf_state *last)
{
	return true;
}

bool ptu_bpf_is_live(const struct ptu_bpf_state *first,
		     const struct ptu_bpf_state *last)
{
	return true;
}

bool ptu_bpf_is_complete(const struct ptu_bpf_state *last, uint64_t tree_bytes)
{
	return true;
}

bool ptu_bpf_leads_to(const struct ptu_bpf_reader *reader, unsigned int level,
		      const uint8_t *bytes, const struct ptu_bpf_place *place)
{
	/* some kernels delay the reuse of a table by RCU; let the reuse happen between two copies */
	usleep(2000);
	return true;
}
