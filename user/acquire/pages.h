/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read a process page by page, live or recorded: pagemap, and if available the zero
 * page, kpageflags and kpagecount.
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

/* Maximum number of pages read at once: 32 MiB of address space. */
#define PTU_PAGES_CHUNK 8192u

/**
 * typedef ptu_pages_recall_fn - called before flags and count of a page are read
 * @page: (in, out) if .count is set, neither is read
 */
typedef void (*ptu_pages_recall_fn)(void *arg, struct ptu_page *page);

/**
 * struct ptu_pages - the open files
 * @is_recorded: they are files of a recording
 * @has_pfns: pagemap shows page frames: the reader has CAP_SYS_ADMIN
 * @has_flags: kpageflags and kpagecount are open
 * @has_scan: PAGEMAP_SCAN works, so ptu_page.zero is valid
 * @ksm_is_anon: kpageflags shows KSM for an unmerged anonymous page of our own, so
 *	it shows KSM for all anonymous pages
 * @flags_error: -errno that explains !has_flags
 * @pages: [PTU_PAGES_CHUNK] buffer
 * @words: [PTU_PAGES_CHUNK] buffer of one call
 * @recall: called for each page before its flags are read; NULL, or set by the caller of
 *	ptu_pages_open()
 */
struct ptu_pages {
	const struct ptu_proc *proc;
	uint64_t page_bytes;
	bool is_recorded;
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
	ptu_pages_recall_fn recall;
	void *recall_arg;
};

/**
 * typedef ptu_pages_fn - called with consecutive pages
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
 * Page frames and their flags are optional: it is no error if the reader may not read
 * them, except that a recording must have them.
 *
 * Return: 0; -EACCES not allowed to read the process; -ESRCH it ended; -ENODATA the
 * recording has no flags of pages; -EBADMSG it is damaged; -errno.
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
 * ptu_pages_flags() - Read flags and counts of the present pages whose count is 0.
 * @pages: (in, out) [nr_pages] with .word and .count, at most PTU_PAGES_CHUNK
 *
 * Return: 0; -EBADMSG the recording does not have one of the page frames; -errno.
 */
ptu_must_check int ptu_pages_flags(const struct ptu_pages *files,
				   struct ptu_page *pages, size_t nr_pages,
				   struct ptu_err *err);

/**
 * ptu_pages_file_head() - Find the first page of a large folio of a file or of shmem.
 * @pfn: (in) one of its pages
 * @ret_pfn: (out) the first page; untouched if it was not found
 * @ret_flags: (out) PTU_KPF_*; 0 if it was not found
 *
 * Unlike ptu_pages_head(), this does not need the words of other tail pages, which a
 * recording may not have.
 *
 * Return: 0; -errno.
 */
ptu_must_check int ptu_pages_file_head(const struct ptu_pages *files,
				       uint64_t pfn, uint64_t *ret_pfn,
				       uint64_t *ret_flags,
				       struct ptu_err *err);

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
