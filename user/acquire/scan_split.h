/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scan all mappings in pieces; a second thread helps if it takes long. */
#ifndef PTU_ACQUIRE_SCAN_SPLIT_H
#define PTU_ACQUIRE_SCAN_SPLIT_H

#include "base/err.h"
#include "model/evidence.h"

/**
 * ptu_scan_split() - Call ptu_scan_slots() for all mappings in a range.
 * @pagemap_fd: (in) /proc/PID/pagemap
 * @vmas: (in) its mappings; nothing outside of them is reported
 * @start: (in) start of the range, a multiple of a slot
 * @end: (in) end of the range
 * @ret: (out) only its caps are set before; slots ascending
 *
 * A second thread helps if there is a second CPU and so much to do that starting a
 * thread is cheap in comparison.
 *
 * Return: 0; -ENOMEM; -errno of the ioctl.
 */
ptu_must_check int ptu_scan_split(int pagemap_fd,
				  const struct ptu_geometry *geo,
				  const struct ptu_vmas *vmas, uint64_t start,
				  uint64_t end, struct ptu_scan *ret);

#endif
