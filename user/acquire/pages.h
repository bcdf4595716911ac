/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads a process page by page: pagemap, and where the kernel tells them, which
 * pages are the zero page, and what kpageflags and kpagecount say.
 */
#ifndef PTU_ACQUIRE_PAGES_H
#define PTU_ACQUIRE_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acquire/procfs.h"
#include "acquire/words.h"
#include "base/err.h"
#include "model/page.h"

/**
 * struct ptu_pages - the open files
 * @has_pfns: pagemap shows page frames: the reader has CAP_SYS_ADMIN
 * @has_flags: kpageflags and kpagecount are open
 * @has_scan: PAGEMAP_SCAN works, so that ptu_page.zero is known
 * @ksm_is_anon: kpageflags says KSM of an anonymous page of our own that is not
 *	merged, and so of each
 * @flags_error: why !has_flags: -errno
 */
struct ptu_pages {
	const struct ptu_proc *proc;
	uint64_t page_bytes;
	bool has_pfns;
	bool has_flags;
	bool has_scan;
	bool ksm_is_anon;
	int flags_error;
	struct ptu_words pagemap;
	struct ptu_words flags;
	struct ptu_words counts;
	struct ptu_page *pages;
	uint64_t *words;
};

/**
 * ptu_pages_fn - takes pages that follow each other
 * @addr: of the first one
 *
 * Return: 0; -errno to stop.
 */
typedef int (*ptu_pages_fn)(void *arg, uint64_t addr,
			    const struct ptu_page *pages, size_t nr_pages);

/**
 * ptu_pages_open() - Open what there is to be read.
 * @ret: (out) close with ptu_pages_close(); untouched on failure
 *
 * That page frames and their flags cannot be read is no error here.
 *
 * Return: 0; -EACCES not allowed to look at the process; -ESRCH it ended;
 * -errno.
 */
ptu_must_check int ptu_pages_open(const struct ptu_proc *proc,
				  uint64_t page_bytes, struct ptu_pages *ret,
				  struct ptu_err *err);

/**
 * ptu_pages_need_flags() - Are page frames and their flags there to be read?
 * @command: (in) command or option that has no answer without them
 *
 * Return: 0; -EPERM hidden from this reader; -errno, as ->flags_error.
 */
ptu_must_check int ptu_pages_need_flags(const struct ptu_pages *files,
					const char *command,
					struct ptu_err *err);

/**
 * ptu_pages_read() - Hand on what is in [start, end), in ascending order.
 * @fn: (in) gets each page that has an entry, and may get others
 *
 * Return: 0; -EAGAIN the memory went away under it; -ESRCH the process ended;
 * what @fn returned; -errno.
 */
ptu_must_check int ptu_pages_read(struct ptu_pages *files, uint64_t start,
				  uint64_t end, ptu_pages_fn fn, void *arg,
				  struct ptu_err *err);

/**
 * ptu_pages_again() - Read one page once more; also from within a ptu_pages_fn.
 *
 * Return: 0; -errno as ptu_pages_read().
 */
ptu_must_check int ptu_pages_again(const struct ptu_pages *files, uint64_t addr,
				   struct ptu_page *ret, struct ptu_err *err);

/**
 * ptu_pages_head() - Flags of the first page of a large folio.
 * @pfn: (in) of a page of it that is not the first one
 * @ret: (out) PTU_KPF_*; 0 if it is in none any more
 *
 * Return: 0; -errno.
 */
ptu_must_check int ptu_pages_head(const struct ptu_pages *files, uint64_t pfn,
				  uint64_t *ret, struct ptu_err *err);

void ptu_pages_close(struct ptu_pages *files);

#endif
