/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read a process page by page: pagemap, and if available the zero page, kpageflags
 * and kpagecount.
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
 * @has_scan: PAGEMAP_SCAN works, so ptu_page.zero is valid
 * @ksm_is_anon: kpageflags shows KSM for an unmerged anonymous page of our own, so
 *	it shows KSM for all anonymous pages
 * @flags_error: -errno that explains !has_flags
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
 * ptu_pages_fn - called with consecutive pages
 * @addr: address of the first page
 *
 * Return: 0; -errno to stop.
 */
typedef int (*ptu_pages_fn)(void *arg, uint64_t addr,
			    const struct ptu_page *pages, size_t nr_pages);

/**
 * ptu_pages_open() - Open the available files.
 * @ret: (out) close with ptu_pages_close(); untouched on failure
 *
 * Page frames and their flags are optional: it is no error if they cannot be read.
 *
 * Return: 0; -EACCES not allowed to read the process; -ESRCH it ended; -errno.
 */
ptu_must_check int ptu_pages_open(const struct ptu_proc *proc,
				  uint64_t page_bytes, struct ptu_pages *ret,
				  struct ptu_err *err);

/**
 * ptu_pages_need_flags() - Check that page frames and their flags can be read.
 * @command: (in) command or option that needs them
 *
 * Return: 0; -EPERM hidden from this reader; -errno as in ->flags_error.
 */
ptu_must_check int ptu_pages_need_flags(const struct ptu_pages *files,
					const char *command,
					struct ptu_err *err);

/**
 * ptu_pages_read() - Pass the pages in [start, end) to @fn, ascending.
 * @fn: (in) gets every page that has an entry, possibly others as well
 *
 * Return: 0; -EAGAIN the memory was unmapped meanwhile; -ESRCH the process ended;
 * the error of @fn; -errno.
 */
ptu_must_check int ptu_pages_read(struct ptu_pages *files, uint64_t start,
				  uint64_t end, ptu_pages_fn fn, void *arg,
				  struct ptu_err *err);

/**
 * ptu_pages_again() - Read one page again; allowed within a ptu_pages_fn.
 *
 * Return: 0; -errno as ptu_pages_read().
 */
ptu_must_check int ptu_pages_again(const struct ptu_pages *files, uint64_t addr,
				   struct ptu_page *ret, struct ptu_err *err);

/**
 * ptu_pages_head() - Get the flags of the first page of a large folio.
 * @pfn: (in) one of its pages, not the first
 * @ret: (out) PTU_KPF_*; 0 if the page is no longer in a folio
 *
 * Return: 0; -errno.
 */
ptu_must_check int ptu_pages_head(const struct ptu_pages *files, uint64_t pfn,
				  uint64_t *ret, struct ptu_err *err);

void ptu_pages_close(struct ptu_pages *files);

#endif
