/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Read kernel memory through /proc/kcore; symbols come from /proc/kallsyms. */
#ifndef PTU_ACQUIRE_KCORE_H
#define PTU_ACQUIRE_KCORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/**
 * struct ptu_kcore_segment - addresses that are contiguous in the file
 * @offset: file offset of @start
 * @phys: physical address of @start; UINT64_MAX: unknown
 */
struct ptu_kcore_segment {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint64_t phys;
};

/**
 * struct ptu_kcore - the open file
 * @init_pgd: address of the kernel's own PGD
 * @pgd_list: address of the head of the list of PGDs; 0: unknown
 * @text_poke_mm: address of the pointer to the mm for text patching; 0: unknown
 * @vmemmap_base: address of the pointer to the first struct page; 0: unknown
 */
struct ptu_kcore {
	int fd;
	struct ptu_kcore_segment *segments;
	size_t nr_segments;
	uint64_t init_pgd;
	uint64_t pgd_list;
	uint64_t text_poke_mm;
	uint64_t vmemmap_base;
};

/**
 * ptu_kcore_open() - Open the file and find the symbols.
 * @ret: (out) close with ptu_kcore_close(); untouched on failure
 *
 * Return: 0; -EPERM not root, or the kernel is locked down; -ENOENT the kernel has no
 * kcore, or hides its addresses; -EBADMSG; -errno. Each error has a sentence.
 */
ptu_must_check int ptu_kcore_open(struct ptu_kcore *ret, struct ptu_err *err);

void ptu_kcore_close(struct ptu_kcore *kcore);

/**
 * ptu_kcore_read() - Read bytes at a kernel address.
 *
 * Return: 0; -EFAULT nothing is mapped there; -errno.
 */
ptu_must_check int ptu_kcore_read(const struct ptu_kcore *kcore, uint64_t addr,
				  void *buffer, size_t bytes);

/**
 * ptu_kcore_read_phys() - Read bytes at a physical address, which must be RAM.
 *
 * Return: 0; -EFAULT it is not RAM; -errno.
 */
ptu_must_check int ptu_kcore_read_phys(const struct ptu_kcore *kcore,
				       uint64_t phys, void *buffer,
				       size_t bytes);

#endif
