/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Visit the mappings of one process page by page, for commands that report on each
 * page.
 */
#ifndef PTU_MEASURE_PAGE_WALK_H
#define PTU_MEASURE_PAGE_WALK_H

#include <stdbool.h>
#include <sys/types.h>

#include "acquire/pages.h"
#include "base/err.h"
#include "model/range.h"
#include "model/vma.h"
#include "report/head.h"

/**
 * struct ptu_mapped - what to visit, and the callbacks
 * @pid: the process
 * @range: requested addresses
 * @begin: start, or start again, because the mappings changed during the previous
 *	attempt
 * @mapping: visit [start, end) of a mapping and read its pages from @files
 * @arg: argument of both callbacks; each returns 0 or -errno with a sentence
 */
struct ptu_mapped {
	pid_t pid;
	struct ptu_range range;
	int (*begin)(void *arg, const struct ptu_pages *files,
		     struct ptu_err *err);
	int (*mapping)(void *arg, const struct ptu_vmas *vmas,
		       const struct ptu_vma *vma, uint64_t start, uint64_t end,
		       struct ptu_pages *files, struct ptu_err *err);
	void *arg;
};

/**
 * ptu_mapped_walk() - Visit the mappings.
 * @ret: (out) identity of the process
 *
 * The mappings are the same before and after the walk. Pages may change meanwhile;
 * each page is read at some moment in between.
 *
 * Return: 0; -ESRCH no such process, or it ended; -EACCES not allowed; -ENOENT
 * nothing is mapped in the range; -EAGAIN its mappings changed during every
 * attempt; the error of @begin or @mapping; -errno.
 */
ptu_must_check int ptu_mapped_walk(const struct ptu_mapped *mapped,
				   struct ptu_mapped_head *ret,
				   struct ptu_err *err);

#endif
