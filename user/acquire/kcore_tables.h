/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Page tables that no process shows: those of the kernel's half, and of mms that
 * no process has.  Read from the kernel's memory as it is, without a lock.
 */
#ifndef PTU_ACQUIRE_KCORE_TABLES_H
#define PTU_ACQUIRE_KCORE_TABLES_H

#include <stddef.h>
#include <stdint.h>

#include "acquire/kcore.h"
#include "base/err.h"
#include "model/geometry.h"

/**
 * ptu_kcore_table_fn - takes a table
 *
 * Return: 0: go on with what is in it; 1: leave that out; -errno.
 */
typedef int (*ptu_kcore_table_fn)(void *arg, unsigned int level, uint64_t pfn);

/**
 * ptu_kcore_kernel_half() - All tables below the kernel's half of its PGD.
 *
 * Return: 0; what @fn returned below 0; -EFAULT, -errno: kcore cannot be read.
 */
ptu_must_check int ptu_kcore_kernel_half(const struct ptu_kcore *kcore,
					 const struct ptu_geometry *geo,
					 ptu_kcore_table_fn fn, void *arg);

/**
 * ptu_kcore_user_half() - All tables below the user half of a PGD.
 * @pfn: (in) of the PGD, which @fn is not told about
 */
ptu_must_check int ptu_kcore_user_half(const struct ptu_kcore *kcore,
				       const struct ptu_geometry *geo,
				       uint64_t pfn, ptu_kcore_table_fn fn,
				       void *arg);

/**
 * struct ptu_kcore_pgd - a PGD of an mm
 * @pfn: its (first) page frame
 * @mm: address of the mm
 */
struct ptu_kcore_pgd {
	uint64_t pfn;
	uint64_t mm;
};

/**
 * ptu_kcore_pgds() - All PGDs but the kernel's own.
 * @ret: (out) [*nr] free() it
 * @ret_text_poke: (out) the mm by which the kernel patches itself; 0: not known
 *
 * Return: 0; -ENOENT the kernel does not say where they are; -EAGAIN the list
 * changed meanwhile; -ENOMEM; -errno.
 */
ptu_must_check int ptu_kcore_pgds(const struct ptu_kcore *kcore,
				  struct ptu_kcore_pgd **ret, size_t *nr,
				  uint64_t *ret_text_poke);

#endif
