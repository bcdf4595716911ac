/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Addresses of the direct map and of the struct page array. */
#ifndef PTU_ACQUIRE_BPF_MEMORY_H
#define PTU_ACQUIRE_BPF_MEMORY_H

#include <stdint.h>

#include "acquire/bpf_run.h"
#include "base/err.h"
#include "model/bpf_entry.h"
#include "model/geometry.h"

/**
 * struct ptu_bpf_memory - addresses that are valid for this boot
 * @direct_map: address that maps physical address 0
 * @struct_pages: address of the struct page of PFN 0, even if there is none
 * @struct_page_bytes: sizeof(struct page)
 */
struct ptu_bpf_memory {
	uint64_t direct_map;
	uint64_t struct_pages;
	uint64_t struct_page_bytes;
};

/**
 * ptu_bpf_encryption_mask() - Bits of an entry that mark encrypted memory.
 *
 * Source: AMD64 Architecture Programmer's Manual, CPUID function 0x8000001f.
 */
uint64_t ptu_bpf_encryption_mask(void);

/**
 * ptu_bpf_memory_init() - Find the addresses.
 * @ret: (out) untouched on failure
 *
 * To find the direct map, our own pages are filled with random bytes. The base is
 * correct if our own page tables, read through it, lead to these bytes.
 *
 * Return: 0; -EOPNOTSUPP with a sentence if they cannot be found; -errno.
 */
ptu_must_check int ptu_bpf_memory_init(struct ptu_bpf_run *run,
				       const struct ptu_geometry *geo,
				       struct ptu_bpf_format *format,
				       struct ptu_bpf_memory *ret,
				       struct ptu_err *err);

#endif
