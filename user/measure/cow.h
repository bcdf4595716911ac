/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Find the copied pages in the private mappings of a process. */
#ifndef PTU_MEASURE_COW_H
#define PTU_MEASURE_COW_H

#include <sys/types.h>

#include "base/err.h"
#include "model/range.h"
#include "report/cow.h"

/**
 * ptu_measure_cow() - Read and classify the pages of a process's private mappings.
 * @range: (in) requested addresses
 * @ret: (out) deinit with ptu_cow_report_deinit(); empty on failure
 *
 * Return: 0; -errno as ptu_mapped_walk().
 */
ptu_must_check int ptu_measure_cow(pid_t pid, const struct ptu_range *range,
				   struct ptu_cow_report *ret,
				   struct ptu_err *err);

#endif
