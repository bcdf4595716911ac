/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The only reader of debugfs: requests to the module and its answers as bytes.
 * snapshot.c checks them.  No counting here.
 */
#ifndef PTU_ACQUIRE_MODULE_H
#define PTU_ACQUIRE_MODULE_H

#include <sys/types.h>

#include "acquire/procfs.h"
#include "base/err.h"
#include "model/geometry.h"
#include "model/kernel_pages.h"
#include "model/kernel_tables.h"

/**
 * ptu_truth_ready() - Is the module there, and does it see the same geometry?
 * @err: (out) what is missing and what to do about it
 *
 * Return: 0; -EPERM not root, or the kernel is locked down; -ENOENT debugfs is
 * not mounted, or the module is not loaded; -EPROTO another ABI or another
 * geometry.
 */
ptu_must_check int ptu_truth_ready(const struct ptu_geometry *geo,
				   struct ptu_err *err);

/**
 * ptu_truth_has_orphans() - Does the module that is loaded have that walk?
 *
 * Return: 0; -ENOENT with a sentence.
 */
ptu_must_check int ptu_truth_has_orphans(struct ptu_err *err);

/**
 * ptu_truth_geometry() - The text of the module's `geometry`.
 * @ret: (out) NUL-terminated; free() it
 */
ptu_must_check int ptu_truth_geometry(char **ret, struct ptu_err *err);

/**
 * ptu_truth_open() - Open one of the files about page frames.
 * @name: (in) "kpagemap" or "kpagemap_flags"
 *
 * Return: a file descriptor; -EPERM not root; -ENOENT no module, or one that has
 * no such file; -errno.
 */
ptu_must_check int ptu_truth_open(const char *name, struct ptu_err *err);

/**
 * ptu_truth_text() - The whole text of one of them.
 * @ret: (out) NUL-terminated; free() it
 */
ptu_must_check int ptu_truth_text(const char *name, char **ret,
				  struct ptu_err *err);

/* Which of the two walks of a bracket: recordings have both. */
enum ptu_walk { PTU_WALK_BEFORE, PTU_WALK_AFTER };

/**
 * ptu_truth_fetch() - The module's answer as it is.
 * @bytes: (out) free() it
 */
ptu_must_check int ptu_truth_fetch(pid_t pid, uint64_t start, uint64_t end,
				   char **bytes, size_t *nr_bytes,
				   struct ptu_err *err);

/**
 * ptu_truth_read() - Ask the module for the tables of a process.
 * @start: (in) first address of interest
 * @end: (in) end of the addresses of interest; 0 with @start 0 for all
 * @walk: (in) which of a recording's answers; all the same of a live module
 * @ret: (out) deinit with ptu_snapshot_deinit(); untouched on failure
 *
 * The answer must be of the process that /proc showed as @proc.
 *
 * Return: 0; -ESRCH no such process, or it ended; -EXDEV the module walked
 * another one; -EINVAL it has no mm; -ESTALE
 * it exec'ed meanwhile; what ptu_snapshot_parse() returns; -errno.
 */
ptu_must_check int ptu_truth_read(const struct ptu_proc *proc, uint64_t start,
				  uint64_t end, enum ptu_walk walk,
				  const struct ptu_geometry *geo,
				  struct ptu_snapshot *ret,
				  struct ptu_err *err);

/**
 * ptu_truth_orphans() - Ask the module for all tables of a process.
 *
 * As ptu_truth_read(), but of the walk that follows every entry of the user
 * half.  No recording has it.
 */
ptu_must_check int ptu_truth_orphans(const struct ptu_proc *proc,
				     uint64_t start, uint64_t end,
				     const struct ptu_geometry *geo,
				     struct ptu_snapshot *ret,
				     struct ptu_err *err);

/**
 * ptu_truth_has_pages() - Does the module that is loaded have these totals?
 *
 * Return: 0; -ENOENT with a sentence.
 */
ptu_must_check int ptu_truth_has_pages(struct ptu_err *err);

/**
 * ptu_truth_pages() - Ask the module for the totals of the pages in a range.
 * @start: (in) first address of interest, to the page
 * @end: (in) end of the addresses of interest; 0 with @start 0 for all
 *
 * Return: 0; -errno as ptu_truth_read(); what ptu_totals_parse() returns.
 */
ptu_must_check int ptu_truth_pages(const struct ptu_proc *proc, uint64_t start,
				   uint64_t end, struct ptu_totals *ret,
				   struct ptu_err *err);

#endif
