/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A recording used in place of /proc. It is checked completely before use. */
#ifndef PTU_ACQUIRE_RECORDING_H
#define PTU_ACQUIRE_RECORDING_H

#include "base/err.h"
#include "model/geometry.h"
#include "model/vma.h"

/**
 * ptu_recording_use() - Let this thread read a recording instead of /proc.
 * @dir: (in) directory made by `ptaudit record --to`
 *
 * Reads all of its files once and compares them with the manifest.
 *
 * Return: 0; -EBADMSG a file is missing, added, modified or not a regular file;
 * -errno.
 */
ptu_must_check int ptu_recording_use(const char *dir, struct ptu_err *err);

/**
 * ptu_recording_leave() - Let this thread read /proc, or another recording, again.
 *
 * No file of the recording may be open.
 */
void ptu_recording_leave(void);

/**
 * ptu_recording_vmas() - Are these mappings of a recorded process plausible?
 *
 * Return: 0; -EBADMSG there are none, or one is beyond the user half.
 */
ptu_must_check int ptu_recording_vmas(const struct ptu_vmas *vmas,
				      const struct ptu_geometry *geo,
				      struct ptu_err *err);

#endif
