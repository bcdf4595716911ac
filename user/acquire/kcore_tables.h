/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Page tables that no process shows: those of the kernel half, and those of mms
 * without a process.  Reads kernel memory without locks.
 */
#ifndef PTU_ACQUIRE_KCORE_TABLES_H
#define PTU_ACQUIRE_KCORE_TABLES_H

#include <stddef.h>
#include <stdint.h>

#include "acquire/kcore.h"
#include "base/err.h"
#include "model/geometry.h"

/**
 * typedef ptu_kcore_table_fn - called for each table
 *
 * Return: 0: continue with the tables below it; 1: skip them; -errno.
 */
typedef int (*ptu_kcore_table_fn)(void *arg, unsigned int level, uint64_t pfn);

/**
 * ptu_kcore_kernel_half() - Visit all tables below the kernel half of the kernel's
 *	PGD.
 *
 * Return: 0; the negative return value of @fn; -EFAULT, -errno: kcore cannot be
 * read.
 */
ptu_must_check int ptu_kcore_kernel_half(const struct ptu_kcore *kcore,
					 const struct ptu_geometry *geo,
					 ptu_kcore_table_fn fn, void *arg);

/**
 * ptu_kcore_user_half() - Visit all tables below the user half of a PGD.
 * @pfn: (in) PFN of the PGD; @fn is not called for the PGD itself
 */
ptu_must_check int ptu_kcore_user_half(const struct ptu_kcore *kcore,
				       const struct ptu_geometry *geo,
				       uint64_t pfn, ptu_kcore_table_fn fn,
				       void *arg);

/**
 * struct ptu_kcore_pgd - the PGD of an mm
 * @pfn: its (first) page frame
 * @mm: address of the mm
 */
struct ptu_kcore_pgd {
	uint64_t pfn;
	uint64_t mm;
};

/**
 * ptu_kcore_pgds() - List all PGDs except the kernel's own.
 * @ret: (out) [*nr] free() it
 * @ret_text_poke: (out) the mm that the kernel uses for text patching; 0: unknown
 *
 * Return: 0; -ENOENT the kernel does not expose the list; -EAGAIN the list changed
 * during the walk; -ENOMEM; -errno.
 */
ptu_must_check int ptu_kcore_pgds(const struct ptu_kcore *kcore,
				  struct ptu_kcore_pgd **ret, size_t *nr,
				  uint64_t *ret_text_poke);

#endif
