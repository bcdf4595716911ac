/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Query mappings in binary form, without text; for procfs_maps.c only. */
#ifndef PTU_ACQUIRE_MAPS_QUERY_H
#define PTU_ACQUIRE_MAPS_QUERY_H

#include "base/err.h"
#include "model/vma.h"

/**
 * ptu_maps_query() - Read all mappings, and store them only if they have changed.
 * @maps_fd: (in) the process's maps, opened after @known were read
 * @known: (in) all mappings as read before; none: all are stored
 * @ret: (out) the mappings in maps, without names and without [vsyscall]; empty if they
 *	have not changed
 *
 * ptu_vma_same() compares them.  Names are not read, because they take the kernel the
 * most time to write.
 *
 * Return: 1 changed; 0 unchanged; -ENOTTY not supported by this kernel (before 6.11);
 * -ENOMEM; -errno.
 */
ptu_must_check int ptu_maps_query(int maps_fd, const struct ptu_vmas *known,
				  struct ptu_vmas *ret);

#endif
