/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Asks about slots again, where the first page that is shown leaves it open. */
#ifndef PTU_SCAN_SETTLE_H
#define PTU_SCAN_SETTLE_H

#include <stdbool.h>

#include "err.h"
#include "estimator.h"

/**
 * ptu_scan_settle() - Whether slots that show no page first hold one further on.
 * @pagemap_fd: (in) /proc/PID/pagemap
 * @all: (in) of all slots; else only of those that may be a hole under uffd-wp
 * @evidence: (in, out) its scan
 *
 * That costs a look at each of a slot's entries, unlike the scan.  So a slot
 * that could be a hole is first looked at in the other mappings of its reach:
 * where one is shown that holes are not shown of, it becomes the first page.
 *
 * Return: 0; -errno of the ioctl.
 */
ptu_must_check int ptu_scan_settle(int pagemap_fd, bool all,
				   struct ptu_evidence *evidence,
				   struct ptu_err *err);

#endif
