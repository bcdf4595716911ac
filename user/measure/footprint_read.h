/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Read the pages of one process for its footprint. */
#ifndef PTU_MEASURE_FOOTPRINT_READ_H
#define PTU_MEASURE_FOOTPRINT_READ_H

#include "acquire/procfs.h"
#include "base/err.h"
#include "compare/footprint.h"
#include "compare/footprint_tables.h"
#include "measure/footprint_inside.h"
#include "report/footprint.h"

/**
 * ptu_footprint_read() - Read all pages of a process.
 * @tables: (in) how its hugetlb memory is reached
 * @process: (in) the process
 * @wants_smaps: (in) the figures of smaps in @ret are needed
 * @files: (in, out) files of the kernel's internal mount that it maps are added
 * @footprint: (in, out) of the set; on failure the process is removed from it
 * @ret: (out) sets .sum and the figures of smaps; these are 0 if smaps was not read
 *
 * The process may change meanwhile: each page is read at some moment.
 *
 * Return: 0; -ESRCH it ended; -EACCES not allowed to read it; -EPERM page frames
 * are hidden; -EAGAIN it kept calling exec(); -ENOMEM; -errno.
 */
ptu_must_check int ptu_footprint_read(
	const struct ptu_proc *proc, const struct ptu_footprint_tables *tables,
	const struct ptu_process *process, bool wants_smaps,
	struct ptu_footprint_files *files, struct ptu_footprint *footprint,
	struct ptu_footprint_row *ret, struct ptu_err *err);

#endif
