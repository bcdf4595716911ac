/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Query mappings in binary form, without text; for procfs_evidence.c only. */
#ifndef PTU_ACQUIRE_MAPS_QUERY_H
#define PTU_ACQUIRE_MAPS_QUERY_H

#include "base/err.h"
#include "model/vma.h"

/**
 * ptu_maps_query() - Read all mappings, without their names.
 * @maps_fd: (in) the process's maps
 * @ret: (out) the mappings in maps, without names and without [vsyscall]
 *
 * Return: 0; -ENOTTY not supported by this kernel (before 6.11); -errno.
 */
ptu_must_check int ptu_maps_query(int maps_fd, struct ptu_vmas *ret);

/**
 * ptu_maps_query_same() - Are the mappings unchanged?
 * @maps_fd: (in) the process's maps, opened after @vmas were read
 * @vmas: (in) all mappings as read before
 *
 * Compares as ptu_vma_same(): without the names, because they take the kernel the most
 * time to write.
 *
 * Return: 1 unchanged; 0 changed; -ENOTTY not supported by this kernel (before
 * 6.11); -errno.
 */
ptu_must_check int ptu_maps_query_same(int maps_fd,
				       const struct ptu_vmas *vmas);

#endif
