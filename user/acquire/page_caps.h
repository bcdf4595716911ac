/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the words of kpageflags and kpagecount mean on this kernel, or in a recording. */
#ifndef PTU_ACQUIRE_PAGE_CAPS_H
#define PTU_ACQUIRE_PAGE_CAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "model/page.h"

/* Name of the file in a recording.  Only recordings made with --pages have it. */
#define PTU_PAGE_CAPS "page-caps"

/**
 * struct ptu_page_caps - results of tests with pages of our own
 * @ksm_is_anon: kpageflags shows KSM for all anonymous pages
 * @counts: what kpagecount counts
 */
struct ptu_page_caps {
	bool ksm_is_anon;
	enum ptu_counts counts;
};

/**
 * ptu_page_counts() - Does kpagecount count each page of a large folio?
 *
 * Tested with a huge page of our own, of which half is unmapped: an exact count of
 * an unmapped page is 0, an average is not; or taken from the recording.
 * Source: fs/proc/page.c, fs/proc/internal.h (7.2)
 *
 * Return: 0; the errors of ptu_page_caps_replay().
 */
ptu_must_check int ptu_page_counts(uint64_t page_bytes, enum ptu_counts *ret,
				   struct ptu_err *err);

/**
 * ptu_page_caps_record() - Write @caps as the file PTU_PAGE_CAPS of a recording.
 */
void ptu_page_caps_record(const struct ptu_page_caps *caps, FILE *out);

/**
 * ptu_page_caps_replay() - Read PTU_PAGE_CAPS from a recording.
 *
 * Return: 0; -ENODATA the recording has no flags and counts of pages; -EBADMSG; -errno.
 */
ptu_must_check int ptu_page_caps_replay(struct ptu_page_caps *ret,
					struct ptu_err *err);

#endif
