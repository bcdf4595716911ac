/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The only reader of debugfs: sends requests to the module and returns its answers
 * as bytes. model/kernel_tables.c checks them. Must not count.
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
 * ptu_truth_ready() - Is the module loaded, with the same geometry?
 * @err: (out) what is missing and what to do about it
 *
 * Return: 0; -EPERM not root, or the kernel is locked down; -ENOENT debugfs is not
 * mounted, or the module is not loaded; -EPROTO ABI or geometry differs.
 */
ptu_must_check int ptu_truth_ready(const struct ptu_geometry *geo,
				   struct ptu_err *err);

/**
 * ptu_truth_has_orphans() - Does the loaded module have the file `orphans`?
 *
 * Return: 0; -ENOENT with a sentence.
 */
ptu_must_check int ptu_truth_has_orphans(struct ptu_err *err);

/**
 * ptu_truth_geometry() - Read the module's file `geometry`.
 * @ret: (out) NUL-terminated; free() it
 */
ptu_must_check int ptu_truth_geometry(char **ret, struct ptu_err *err);

/**
 * ptu_truth_open() - Open one of the module's files about page frames.
 * @name: (in) "kpagemap" or "kpagemap_flags"
 *
 * Return: a file descriptor; -EPERM not root; -ENOENT no module, or it has no such
 * file; -errno.
 */
ptu_must_check int ptu_truth_open(const char *name, struct ptu_err *err);

/**
 * ptu_truth_text() - Read the whole text of a file that ptu_truth_open() can open.
 * @ret: (out) NUL-terminated; free() it
 */
ptu_must_check int ptu_truth_text(const char *name, char **ret,
				  struct ptu_err *err);

/* The walk before or after the evidence is read; recordings hold both. */
enum ptu_walk { PTU_WALK_BEFORE, PTU_WALK_AFTER };

/**
 * ptu_truth_fetch() - Get the module's answer unparsed.
 * @bytes: (out) free() it
 */
ptu_must_check int ptu_truth_fetch(pid_t pid, uint64_t start, uint64_t end,
				   char **bytes, size_t *nr_bytes,
				   struct ptu_err *err);

/**
 * ptu_truth_read() - Get the tables of a process from the module.
 * @start: (in) start of the requested range
 * @end: (in) end of the requested range; 0 with @start 0 for all
 * @walk: (in) which of the recorded walks; ignored for a live module
 * @ret: (out) free with ptu_snapshot_deinit(); untouched on failure
 *
 * The answer must be for the process that /proc showed as @proc.
 *
 * Return: 0; -ESRCH no such process, or it ended; -EXDEV the module walked another
 * process; -EINVAL it has no mm; -ESTALE it called exec() meanwhile; the errors of
 * ptu_snapshot_parse(); -errno.
 */
ptu_must_check int ptu_truth_read(const struct ptu_proc *proc, uint64_t start,
				  uint64_t end, enum ptu_walk walk,
				  const struct ptu_geometry *geo,
				  struct ptu_snapshot *ret,
				  struct ptu_err *err);

/**
 * ptu_truth_orphans() - Get all tables of a process from the module.
 *
 * Like ptu_truth_read(), but the walk follows every entry of the user half.
 * Recordings do not have it.
 */
ptu_must_check int ptu_truth_orphans(const struct ptu_proc *proc,
				     uint64_t start, uint64_t end,
				     const struct ptu_geometry *geo,
				     struct ptu_snapshot *ret,
				     struct ptu_err *err);

/**
 * ptu_truth_has_pages() - Does the loaded module have the file `pages`?
 *
 * Return: 0; -ENOENT with a sentence.
 */
ptu_must_check int ptu_truth_has_pages(struct ptu_err *err);

/**
 * ptu_truth_pages() - Get the page totals of a range from the module.
 * @start: (in) start of the requested range, page-aligned
 * @end: (in) end of the requested range; 0 with @start 0 for all
 *
 * Return: 0; -errno as ptu_truth_read(); the errors of ptu_totals_parse().
 */
ptu_must_check int ptu_truth_pages(const struct ptu_proc *proc, uint64_t start,
				   uint64_t end, struct ptu_totals *ret,
				   struct ptu_err *err);

#endif
