/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Recorded walks of the kernel's side: by the module, by BPF, or both. */
#ifndef PTU_ACQUIRE_WALK_RECORDED_H
#define PTU_ACQUIRE_WALK_RECORDED_H

#include <sys/types.h>

#include "acquire/module.h"
#include "base/err.h"
#include "model/geometry.h"
#include "model/kernel_tables.h"

enum ptu_walker { PTU_BY_MODULE, PTU_BY_BPF, PTU_NR_WALKERS };

/**
 * ptu_walk_geometry_file() - Name of the file with the geometry of a walker's walks.
 *
 * The file is at the top of the recording. It exists if the recording has such walks.
 */
const char *ptu_walk_geometry_file(enum ptu_walker walker);

/**
 * ptu_walk_file() - Name of the file with one walk of a process.
 */
const char *ptu_walk_file(enum ptu_walker walker, enum ptu_walk walk);

/**
 * ptu_walk_recorded_ready() - Does the recording have walks by @walker, with the same
 *	geometry?
 *
 * Return: 0; -ENOENT there are none; -EPROTO the geometry differs; -errno.
 */
ptu_must_check int ptu_walk_recorded_ready(enum ptu_walker walker,
					   const struct ptu_geometry *geo,
					   struct ptu_err *err);

/**
 * ptu_walk_recorded_read() - Read one of the walks.
 *
 * Return: 0; -EBADMSG it is by another walker than its name says; the errors of
 * ptu_snapshot_parse(); -errno.
 */
ptu_must_check int ptu_walk_recorded_read(pid_t pid, enum ptu_walker walker,
					  enum ptu_walk walk,
					  const struct ptu_geometry *geo,
					  struct ptu_snapshot *ret,
					  struct ptu_err *err);

#endif
