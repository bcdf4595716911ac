/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Asks the kernel about mappings without having it write them as text; for
 * procfs_evidence.c only.
 */
#ifndef PTU_ACQUIRE_MAPS_QUERY_H
#define PTU_ACQUIRE_MAPS_QUERY_H

#include "base/err.h"
#include "model/vma.h"

/**
 * ptu_maps_query() - All mappings, without their names.
 * @maps_fd: (in) the process's maps
 * @ret: (out) as of maps, but without [vsyscall], which is the kernel's; no
 *	mapping has a name
 *
 * Return: 0; -ENOTTY this kernel cannot tell (before 6.11); -errno.
 */
ptu_must_check int ptu_maps_query(int maps_fd, struct ptu_vmas *ret);

/**
 * ptu_maps_query_same() - Are the mappings still the ones that were read?
 * @maps_fd: (in) the process's maps, opened after they were read
 * @vmas: (in) all that were read
 *
 * Compared are the ends, the permissions and the inode, not the name, which is
 * what takes the kernel the most time to write.
 *
 * Return: 1 they are; 0 they are not; -ENOTTY this kernel cannot tell (before
 * 6.11); -errno.
 */
ptu_must_check int ptu_maps_query_same(int maps_fd,
				       const struct ptu_vmas *vmas);

#endif
