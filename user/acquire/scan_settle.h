/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scan slots again if their first reported page is not conclusive. */
#ifndef PTU_ACQUIRE_SCAN_SETTLE_H
#define PTU_ACQUIRE_SCAN_SETTLE_H

#include "base/err.h"
#include "model/evidence.h"

/* Slots that are scanned again for a summary; takes about 0.1 s. */
#define PTU_SETTLE_MOST 32768

/* Which slots are scanned again for populated pages. */
enum ptu_settle {
	PTU_SETTLE_ALL,
	PTU_SETTLE_TO_OPEN, /* slots that may be a hole, up to the first without a page */
	PTU_SETTLE_FEW,	      /* the first PTU_SETTLE_MOST slots */
	PTU_SETTLE_PROTECTED, /* slots in a mapping that smaps shows as uw */
};

/**
 * ptu_scan_settle() - In slots whose first page is unpopulated, look for others.
 * @pagemap_fd: (in) /proc/PID/pagemap
 * @which: (in) which slots
 * @evidence: (in, out) its scan
 *
 * Unlike the scan, this reads each entry of a slot.  For a slot that could be a
 * hole under uffd-wp, the other mappings in its reach are tried first: a page
 * reported in a mapping that reports no holes proves a table and becomes the first
 * page.  If one slot remains open, smaps is read, which decides all of them.
 *
 * Return: 0; -errno of the ioctl.
 */
ptu_must_check int ptu_scan_settle(int pagemap_fd, enum ptu_settle which,
				   struct ptu_evidence *evidence);

#endif
