/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads the pages of one process for its footprint, and finds out what the
 * kernel's counts of mappings are worth.
 */
#ifndef PTU_MEASURE_FOOTPRINT_READ_H
#define PTU_MEASURE_FOOTPRINT_READ_H

#include "acquire/procfs.h"
#include "base/err.h"
#include "compare/footprint.h"
#include "compare/footprint_tables.h"
#include "report/footprint.h"

/**
 * ptu_footprint_read() - Take in all pages of a process.
 * @tables: (in) how its hugetlb memory is reached
 * @process: (in) the process
 * @footprint: (in, out) of the set; the process has no part in it on failure
 * @ret: (out) .sum and what smaps says; the rest is untouched
 *
 * It need not hold still: each page is as it was at some moment.
 *
 * Return: 0; -ESRCH it ended; -EACCES not allowed to look at it; -EPERM page
 * frames are hidden; -EAGAIN it kept starting other programs; -ENOMEM; -errno.
 */
ptu_must_check int ptu_footprint_read(const struct ptu_proc *proc,
				      const struct ptu_footprint_tables *tables,
				      const struct ptu_process *process,
				      struct ptu_footprint *footprint,
				      struct ptu_footprint_row *ret,
				      struct ptu_err *err);

/**
 * ptu_footprint_counts() - Does kpagecount count each page of a large folio?
 *
 * Tried on a huge page of one's own, half of which is given back: what is
 * mapped nowhere must have a count of 0, which an average cannot have.
 * Source: fs/proc/page.c, fs/proc/internal.h (7.2)
 */
enum ptu_counts ptu_footprint_counts(uint64_t page_bytes);

#endif
