/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The recording that takes the place of /proc: whole, or not used at all. */
#ifndef PTU_ACQUIRE_RECORDING_H
#define PTU_ACQUIRE_RECORDING_H

#include "base/err.h"
#include "model/geometry.h"
#include "model/vma.h"

/**
 * ptu_recording_use() - From now on, this thread reads a recording instead of /proc.
 * @dir: (in) as `ptaudit record --to` made it
 *
 * All of its files are read once, and compared with the manifest.
 *
 * Return: 0; -EBADMSG a file is missing, added, altered or no regular file;
 * -errno.
 */
ptu_must_check int ptu_recording_use(const char *dir, struct ptu_err *err);

/**
 * ptu_recording_leave() - From now on, read /proc again, or another recording.
 *
 * Nothing of the one in use may be open any more.
 */
void ptu_recording_leave(void);

/**
 * ptu_recording_vmas() - Could a process that was recorded have these mappings?
 *
 * Return: 0; -EBADMSG there are none, or one is beyond the user half.
 */
ptu_must_check int ptu_recording_vmas(const struct ptu_vmas *vmas,
				      const struct ptu_geometry *geo,
				      struct ptu_err *err);

#endif
