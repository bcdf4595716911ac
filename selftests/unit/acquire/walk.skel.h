/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replaces the header that bpftool generates from user/bpf/walk.bpf.c, so that the tests
 * need neither clang nor bpftool.  The members have the names and types of its variables.
 */
#ifndef WALK_SKEL_H
#define WALK_SKEL_H

#include <stddef.h>

#include "bpf/shared.h"

struct ptu_bpf_walk__bss {
	int wanted_pid;
	__u64 listed_to;
	__u64 wanted_mm;
	__u32 nr_wanted;
	__u64 addresses[PTU_BPF_CHUNK];
	__u32 limits[PTU_BPF_CHUNK];
	struct ptu_bpf_kernel kernel;
	struct ptu_bpf_task task;
	struct ptu_bpf_state before;
	struct ptu_bpf_state after;
	__u32 nr_faults;
	__u32 deposits[PTU_BPF_CHUNK];
	__u32 sharers[PTU_BPF_CHUNK];
	__u8 tables[PTU_BPF_CHUNK][PTU_BPF_TABLE];
};

#define WALK_ELF "the programs"

static inline const void *ptu_bpf_walk__elf_bytes(size_t *nr_bytes)
{
	*nr_bytes = sizeof(WALK_ELF);
	return WALK_ELF;
}

#endif
