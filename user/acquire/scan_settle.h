/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Asks about slots again, where the first page that is shown leaves it open. */
#ifndef PTU_ACQUIRE_SCAN_SETTLE_H
#define PTU_ACQUIRE_SCAN_SETTLE_H

#include "base/err.h"
#include "model/evidence.h"

/* Slots that are asked about for the sake of a summary: some 0.1 s. */
#define PTU_SETTLE_MOST 32768

/* Of which slots it is asked whether they hold a page further on. */
enum ptu_settle {
	PTU_SETTLE_ALL,
	PTU_SETTLE_TO_OPEN, /* of those that may be a hole, up to one that holds none */
	PTU_SETTLE_FEW,	      /* of the first PTU_SETTLE_MOST */
	PTU_SETTLE_PROTECTED, /* of those in a mapping that smaps says is uw */
};

/**
 * ptu_scan_settle() - Whether slots that show no page first hold one further on.
 * @pagemap_fd: (in) /proc/PID/pagemap
 * @which: (in) which slots
 * @evidence: (in, out) its scan
 *
 * That costs a look at each of a slot's entries, unlike the scan.  So a slot
 * that could be a hole under uffd-wp is first looked at in the other mappings of
 * its reach: where one is shown that holes are not shown of, it becomes the
 * first page.  One slot that stays open is enough to have smaps read, which
 * tells of all of them.
 *
 * Return: 0; -errno of the ioctl.
 */
ptu_must_check int ptu_scan_settle(int pagemap_fd, enum ptu_settle which,
				   struct ptu_evidence *evidence);

#endif
