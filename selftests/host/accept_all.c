// SPDX-License-Identifier: GPL-2.0-only
/* A planted fault: replaces user/model/bpf_accept.c and accepts every walk. */
#include "model/bpf_accept.h"

bool ptu_bpf_is_same(const struct ptu_bpf_state *first,
		     const struct ptu_bpf_state *last)
{
	(void)first;
	(void)last;
	return true;
}

bool ptu_bpf_is_complete(const struct ptu_bpf_state *last, uint64_t tree_bytes)
{
	(void)last;
	(void)tree_bytes;
	return true;
}
