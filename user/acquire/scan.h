/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * All of the ioctl PAGEMAP_SCAN: which slots (reaches of a PTE table) of a
 * process are populated, hold a leaf, or hold a table without any page.
 */
#ifndef PTU_ACQUIRE_SCAN_H
#define PTU_ACQUIRE_SCAN_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "model/evidence.h"

/**
 * ptu_scan_calibrate() - Learn what PAGEMAP_SCAN shows on this kernel.
 * @ret: (out) from tables of our own: a hole, and a table that was emptied page
 *	by page; that a hole under userfaultfd-wp is seen is assumed
 *
 * The first call measures, later ones remember.
 *
 * Return: 0; -EOPNOTSUPP the kernel has no PAGEMAP_SCAN; -errno.
 */
ptu_must_check int ptu_scan_calibrate(struct ptu_scan_caps *ret,
				      struct ptu_err *err);

/**
 * ptu_scan_calibrate_wp() - Can a slot that was shown be a hole under userfaultfd-wp?
 * @caps: (in, out) from ptu_scan_calibrate(); wp_hole_is_seen is found out, by a
 *	hole of our own, unless nobody on the machine uses userfaultfd
 *
 * For answers that are there already: what is unused now was unused then.
 */
void ptu_scan_calibrate_wp(struct ptu_scan_caps *caps);

/**
 * ptu_scan_slots() - One entry for each slot in which the kernel shows anything.
 * @pagemap_fd: (in) /proc/PID/pagemap
 * @start: (in) first address, a multiple of a slot
 * @end: (in) end of the range, likewise
 * @ret: (out) appended to, ascending
 *
 * Costs a call a slot (two where a kernel shows empty tables only when asked for
 * nothing else); nothing for what is only reserved.  A slot may be left unasked.
 *
 * Return: 0; -ENOMEM; -errno of the ioctl.
 */
ptu_must_check int ptu_scan_slots(int pagemap_fd,
				  const struct ptu_geometry *geo,
				  uint64_t start, uint64_t end,
				  struct ptu_scan *ret);

/**
 * ptu_scan_count() - How many pages of each slot are present or swapped.
 * @scan: from ptu_scan_slots(); slots with a leaf are passed over
 *
 * Costs a call a slot, which looks at each of its pages.
 *
 * Return: 0; -errno of the ioctl.
 */
ptu_must_check int ptu_scan_count(int pagemap_fd,
				  const struct ptu_geometry *geo, uint64_t end,
				  struct ptu_scan *scan);

/**
 * ptu_scan_add() - Append a slot.
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_scan_add(struct ptu_scan *scan,
				const struct ptu_scan_slot *slot);

/**
 * ptu_scan_record() - Write what ptu_scan_replay() reads.
 */
void ptu_scan_record(const struct ptu_scan *scan, FILE *out);

/**
 * ptu_scan_parse() - The reverse.
 * @vmas: (in) the recorded mappings: what is shown lies in one of them
 * @start: (in) slots below are left out
 * @end: (in) so are slots from here on
 * @ret: (out) appended to
 *
 * Return: 0; -EBADMSG a line that ptu_scan_record() does not write; -ENOMEM.
 */
ptu_must_check int ptu_scan_parse(const char *text,
				  const struct ptu_geometry *geo,
				  const struct ptu_vmas *vmas, uint64_t start,
				  uint64_t end, struct ptu_scan *ret,
				  struct ptu_err *err);

/**
 * ptu_scan_replay() - As ptu_scan_split() and ptu_scan_count(), from a
 * recording.
 * @dirfd: (in) the recorded process
 */
ptu_must_check int ptu_scan_replay(int dirfd, const struct ptu_geometry *geo,
				   const struct ptu_vmas *vmas, uint64_t start,
				   uint64_t end, struct ptu_scan *ret,
				   struct ptu_err *err);

/**
 * ptu_scan_record_caps() - Write what ptu_scan_calibrate() reads when a
 * recording is in use.
 */
void ptu_scan_record_caps(const struct ptu_scan_caps *caps, FILE *out);

/**
 * ptu_scan_replay_caps() - The reverse.
 *
 * Return: 0; -EOPNOTSUPP the recorded kernel has no PAGEMAP_SCAN; -EBADMSG;
 * -errno.
 */
ptu_must_check int ptu_scan_replay_caps(struct ptu_scan_caps *ret);

#endif
