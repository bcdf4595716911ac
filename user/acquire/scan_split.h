/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scans what is mapped, in pieces, by two threads once it has taken a while. */
#ifndef PTU_ACQUIRE_SCAN_SPLIT_H
#define PTU_ACQUIRE_SCAN_SPLIT_H

#include "base/err.h"
#include "model/evidence.h"

/**
 * ptu_scan_split() - ptu_scan_slots() of every mapping in a range.
 * @pagemap_fd: (in) /proc/PID/pagemap
 * @vmas: (in) its mappings; nothing is shown outside of them
 * @start: (in) first address, a multiple of a slot
 * @end: (in) end of the range
 * @ret: (out) empty but for its caps; ascending
 *
 * A second thread helps where there is a second CPU and so much to do that a
 * thread's start is little beside it; without one, one thread does it all.
 *
 * Return: 0; -ENOMEM; -errno of the ioctl.
 */
ptu_must_check int ptu_scan_split(int pagemap_fd,
				  const struct ptu_geometry *geo,
				  const struct ptu_vmas *vmas, uint64_t start,
				  uint64_t end, struct ptu_scan *ret);

#endif
