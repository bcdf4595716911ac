/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Goes through the mappings of one process, page by page, for the commands that
 * say something of each page.
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
 * struct ptu_mapped - what to go through, and who takes it
 * @pid: the process
 * @range: of its addresses
 * @begin: from the start on, perhaps not for the first time: the mappings
 *	changed under the attempt before
 * @mapping: [start, end) of a mapping; reads its pages from @files
 * @arg: handed to both; each returns 0 or -errno with a sentence
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
 * ptu_mapped_walk() - Go through them.
 * @ret: (out)
 *
 * The mappings are the same before and after; what is in them may change
 * meanwhile, so that each page is as it was at some moment between.
 *
 * Return: 0; -ESRCH no such process, or it ended; -EACCES not allowed;
 * -ENOENT nothing is mapped in the range; -EAGAIN its mappings changed under
 * every attempt; what @begin or @mapping returned; -errno.
 */
ptu_must_check int ptu_mapped_walk(const struct ptu_mapped *mapped,
				   struct ptu_mapped_head *ret,
				   struct ptu_err *err);

#endif
