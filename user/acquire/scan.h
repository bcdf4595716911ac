/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The ioctl PAGEMAP_SCAN: finds the slots (reaches of a PTE table) of a process
 * that are populated, hold a leaf, or hold a table without pages.
 */
#ifndef PTU_ACQUIRE_SCAN_H
#define PTU_ACQUIRE_SCAN_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "model/evidence.h"

/**
 * ptu_scan_calibrate() - Test what PAGEMAP_SCAN reports on this kernel.
 * @ret: (out) results of tests with our own tables: a hole, and a table that was
 *	emptied page by page. wp_hole_is_seen is assumed to be true.
 *
 * The first call runs the tests; later calls return the same result.
 *
 * Return: 1; 0 if the kernel has no PAGEMAP_SCAN; -errno.
 */
ptu_must_check int ptu_scan_calibrate(struct ptu_scan_caps *ret,
				      struct ptu_err *err);

/**
 * ptu_scan_calibrate_wp() - Can a reported slot be a hole under userfaultfd-wp?
 * @caps: (in, out) from ptu_scan_calibrate(); wp_hole_is_seen is tested with a hole of
 *	our own, or is false if nobody on the machine uses userfaultfd
 *
 * The caller may scan first: if userfaultfd is unused now, it was unused during the
 * scan.
 */
void ptu_scan_calibrate_wp(struct ptu_scan_caps *caps);

/**
 * ptu_scan_slots() - Find each slot for which the kernel reports anything.
 * @pagemap_fd: (in) /proc/PID/pagemap
 * @start: (in) start of the range, a multiple of a slot
 * @end: (in) end of the range, a multiple of a slot
 * @ret: (out) slots are appended, ascending
 *
 * Takes one call per reported slot, or two if the kernel reports empty tables only
 * when nothing else is requested.  A slot may be left unasked.
 *
 * Return: 0; -ENOMEM; -errno of the ioctl.
 */
ptu_must_check int ptu_scan_slots(int pagemap_fd,
				  const struct ptu_geometry *geo,
				  uint64_t start, uint64_t end,
				  struct ptu_scan *ret);

/**
 * ptu_scan_count() - Count the present and swapped pages of each slot, and the markers among
 *	them.
 * @scan: from ptu_scan_slots(); slots with a leaf are skipped
 *
 * Takes one call per slot, which reads all of its entries, and another one to look at those
 * that userfaultfd protects.
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
 * ptu_scan_record() - Write the slots in the format of ptu_scan_replay().
 */
void ptu_scan_record(const struct ptu_scan *scan, FILE *out);

/**
 * ptu_scan_parse() - Parse the text written by ptu_scan_record().
 * @vmas: (in) the recorded mappings: each slot must be in one of them
 * @start: (in) slots below this address are left out
 * @end: (in) slots from this address on are left out
 * @ret: (out) slots are appended
 *
 * Return: 0; -EBADMSG a line has another form; -ENOMEM.
 */
ptu_must_check int ptu_scan_parse(const char *text,
				  const struct ptu_geometry *geo,
				  const struct ptu_vmas *vmas, uint64_t start,
				  uint64_t end, struct ptu_scan *ret,
				  struct ptu_err *err);

/**
 * ptu_scan_replay() - Read the recorded result of ptu_scan_split() and
 *	ptu_scan_count().
 * @dirfd: (in) the recorded process
 */
ptu_must_check int ptu_scan_replay(int dirfd, const struct ptu_geometry *geo,
				   const struct ptu_vmas *vmas, uint64_t start,
				   uint64_t end, struct ptu_scan *ret,
				   struct ptu_err *err);

/**
 * ptu_scan_record_caps() - Write the result of ptu_scan_calibrate() to a recording.
 */
void ptu_scan_record_caps(const struct ptu_scan_caps *caps, FILE *out);

/**
 * ptu_scan_replay_caps() - Read the result of ptu_scan_calibrate() from a recording.
 *
 * Return: 0; -EOPNOTSUPP the recorded kernel has no PAGEMAP_SCAN; -EBADMSG;
 * -errno.
 */
ptu_must_check int ptu_scan_replay_caps(struct ptu_scan_caps *ret);

#endif
