/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel's walks as a recording has them: the module's, those by BPF, or both. */
#ifndef PTU_ACQUIRE_WALK_RECORDED_H
#define PTU_ACQUIRE_WALK_RECORDED_H

#include <sys/types.h>

#include "acquire/module.h"
#include "base/err.h"
#include "model/geometry.h"
#include "model/kernel_tables.h"

enum ptu_walker { PTU_BY_MODULE, PTU_BY_BPF, PTU_NR_WALKERS };

/**
 * ptu_walk_geometry_file() - The file that says that such walks are there.
 *
 * At the top of the recording: the geometry that they obey.
 */
const char *ptu_walk_geometry_file(enum ptu_walker walker);

/**
 * ptu_walk_file() - The file of a process with such a walk.
 */
const char *ptu_walk_file(enum ptu_walker walker, enum ptu_walk walk);

/**
 * ptu_walk_recorded_ready() - Are such walks there, of the same geometry?
 *
 * Return: 0; -ENOENT they are not; -EPROTO another geometry; -errno.
 */
ptu_must_check int ptu_walk_recorded_ready(enum ptu_walker walker,
					   const struct ptu_geometry *geo,
					   struct ptu_err *err);

/**
 * ptu_walk_recorded_read() - One of them.
 *
 * Return: 0; -EBADMSG it is by another walker than its name says; what
 * ptu_snapshot_parse() returns; -errno.
 */
ptu_must_check int ptu_walk_recorded_read(pid_t pid, enum ptu_walker walker,
					  enum ptu_walk walk,
					  const struct ptu_geometry *geo,
					  struct ptu_snapshot *ret,
					  struct ptu_err *err);

#endif
