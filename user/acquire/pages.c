// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Combine the data that several files provide about the same pages.  Must not
 * classify the pages.
 */
#include "acquire/pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "acquire/file.h"
#include "acquire/page_caps.h"
#include "acquire/scan_pages.h"
#include "model/page_flags.h"
#include "model/pagemap.h"

/* Maximum number of pages read at once from a recording; gaps are skipped between reads. */
#define RECORDED_PAGES 512u

/* Range of pages in which the head of a file's large folio is searched. */
#define HEAD_PAGES 512u

/* The largest folio: 1 GiB of hugetlb. */
#define FOLIO_PAGES (UINT64_C(1) << 18)

/* Does pagemap show page frames?  Test a page of our own that is in RAM. */
static int can_see_pfns(uint64_t page_bytes, bool *ret)
{
	volatile char here = 1;
	struct ptu_words file;
	uint64_t word = 0;
	int error = ptu_words_open(PTU_PROC_ROOT, "self/pagemap", &file);

	if (error)
		return error;
	if (ptu_words_read(&file, (uintptr_t)&here / page_bytes, &word, 1) != 1)
		word = 0;
	ptu_words_close(&file);
	*ret = here && word & PTU_PM_PRESENT && word & PTU_PM_PFN_MASK;
	return 0;
}

/*
 * Test a page of our own that was just written, so that it is not merged.
 * Source: fs/proc/page.c, stable_page_flags() tests one of two bits (6.12).
 */
static int is_called_ksm(const struct ptu_pages *files, bool *ret)
{
	volatile uint64_t here = (uintptr_t)&files;
	struct ptu_words file;
	uint64_t word, flags;
	int error = ptu_words_open(PTU_PROC_ROOT, "self/pagemap", &file);

	if (error)
		return error;
	*ret = ptu_words_read(&file, (uintptr_t)&here / files->page_bytes,
			      &word, 1) == 1 &&
	       word & PTU_PM_PRESENT &&
	       ptu_words_read(&files->flags, word & PTU_PM_PFN_MASK, &flags,
			      1) == 1 &&
	       here && flags & PTU_KPF_ANON && flags & PTU_KPF_KSM;
	ptu_words_close(&file);
	return 0;
}

static int open_flags(struct ptu_pages *files)
{
	int error;

	if (!files->has_pfns)
		return -EPERM;
	error = ptu_words_open(PTU_PROC_ROOT, "kpageflags", &files->flags);
	if (error)
		return error;
	error = ptu_words_open(PTU_PROC_ROOT, "kpagecount", &files->counts);
	if (error)
		ptu_words_close(&files->flags);
	return error;
}

static int no_flags(const struct ptu_pages *files, struct ptu_err *err)
{
	return ptu_err_set(err, files->flags_error,
			   "cannot open /proc/kpageflags and kpagecount: %s",
			   files->flags_error == -ENOENT ?
				   "this kernel does not have them (CONFIG_PROC_PAGE_MONITOR)" :
				   strerror(-files->flags_error));
}

/* Find out what the kernel shows to us. */
static int open_live(struct ptu_pages *files, struct ptu_err *err)
{
	struct ptu_scan_region regions[PTU_SCAN_REGIONS];
	uint64_t done;
	int error = ptu_scan_pages(files->pagemap.fd, 0, files->page_bytes,
				   regions, &done);

	if (error < 0 && error != -EOPNOTSUPP)
		return ptu_proc_refuse(files->proc, "pagemap", error, err);
	files->has_scan = error >= 0;
	error = can_see_pfns(files->page_bytes, &files->has_pfns);
	/* A reader who may not open the file sees no page frames. */
	if (error == -EACCES || error == -EPERM)
		error = 0;
	files->flags_error = open_flags(files);
	files->has_flags = !files->flags_error;
	if (files->has_flags)
		error = is_called_ksm(files, &files->ksm_is_anon);
	if (error)
		return ptu_err_set(err, error,
				   "cannot open /proc/self/pagemap: %s",
				   strerror(-error));
	/* a lack of descriptors does not mean that root is needed */
	return ptu_proc_shortage(files->flags_error) ? no_flags(files, err) : 0;
}

static int open_recorded(struct ptu_pages *files, struct ptu_err *err)
{
	struct ptu_page_caps caps;
	int error = ptu_page_caps_replay(&caps, err);

	if (error)
		return error;
	files->is_recorded = true;
	files->has_pfns = true;
	files->ksm_is_anon = caps.ksm_is_anon;
	error = open_flags(files);
	files->has_flags = !error;
	return error ? ptu_err_set(err, error,
				   "cannot read the recording's kpageflags and kpagecount: %s",
				   strerror(-error)) :
		       0;
}

int ptu_pages_open(const struct ptu_proc *proc, uint64_t page_bytes,
		   struct ptu_pages *ret, struct ptu_err *err)
{
	struct ptu_pages files = { .proc = proc, .page_bytes = page_bytes };
	int error = ptu_words_open(proc->dirfd, "pagemap", &files.pagemap);

	if (error)
		return ptu_proc_refuse(proc, "pagemap", error, err);
	files.flags.fd = files.counts.fd = -1;
	files.pages = malloc(PTU_PAGES_CHUNK * sizeof(*files.pages));
	files.words = malloc(PTU_PAGES_CHUNK * sizeof(*files.words));
	if (!files.pages || !files.words)
		error = ptu_err_set(err, -ENOMEM, "no memory for the pagemap");
	else
		error = ptu_file_is_recording() ? open_recorded(&files, err) :
						  open_live(&files, err);
	if (error)
		ptu_pages_close(&files);
	else
		*ret = files;
	return error;
}

int ptu_pages_need_flags(const struct ptu_pages *files, const char *command,
			 struct ptu_err *err)
{
	if (!files->has_pfns)
		return ptu_err_set(err, -EPERM,
				   "page frames are hidden from you: %s needs root, with CAP_SYS_ADMIN in the initial user namespace",
				   command);
	return files->has_flags ? 0 : no_flags(files, err);
}

void ptu_pages_close(struct ptu_pages *files)
{
	ptu_words_close(&files->pagemap);
	ptu_words_close(&files->flags);
	ptu_words_close(&files->counts);
	free(files->pages);
	free(files->words);
	files->pages = NULL;
	files->words = NULL;
}

static int read_words(const struct ptu_pages *files, uint64_t addr,
		      uint64_t *words, size_t nr_pages, struct ptu_err *err)
{
	ssize_t nr = ptu_words_read(&files->pagemap, addr / files->page_bytes,
				    words, nr_pages);
	int error;

	if (nr < 0)
		return ptu_proc_refuse(files->proc, "pagemap", (int)nr, err);
	if ((size_t)nr == nr_pages)
		return 0;
	/* the mappings disappear if the process exits or calls exec() */
	error = ptu_proc_same(files->proc, err);
	if (error)
		return error;
	return ptu_err_set(err, -EAGAIN, "process %d: pagemap ends at 0x%llx",
			   (int)files->proc->pid,
			   (unsigned long long)(addr +
						(uint64_t)nr *
							files->page_bytes));
}

/*
 * Read words of a file about page frames; words that the kernel does not have become 0.
 */
static int read_frames(const struct ptu_words *file, const char *name,
		       uint64_t pfn, uint64_t *words, size_t nr_pages,
		       struct ptu_err *err)
{
	size_t known = ptu_words_known(file, pfn, nr_pages);
	ssize_t nr = ptu_words_read(file, pfn, words, nr_pages);

	if (known < nr_pages)
		return ptu_err_set(err, -EBADMSG,
				   "the recording is damaged: %s has no page frame 0x%llx",
				   name, (unsigned long long)pfn + known);
	if (nr < 0)
		return ptu_err_set(err, (int)nr, "cannot read /proc/%s: %s",
				   name, strerror((int)-nr));
	memset(words + nr, 0, (nr_pages - (size_t)nr) * sizeof(*words));
	return 0;
}

static bool is_wanted(const struct ptu_page *page)
{
	return page->word & PTU_PM_PRESENT && !page->count;
}

/* Count the first pages whose flags are wanted and whose page frames are consecutive. */
static size_t frames_in_a_row(const struct ptu_page *pages, size_t nr_pages)
{
	uint64_t pfn = pages[0].word & PTU_PM_PFN_MASK;
	size_t nr = 1;

	while (nr < nr_pages && is_wanted(&pages[nr]) &&
	       (pages[nr].word & PTU_PM_PFN_MASK) == pfn + nr)
		nr++;
	return nr;
}

int ptu_pages_flags(const struct ptu_pages *files, struct ptu_page *pages,
		    size_t nr_pages, struct ptu_err *err)
{
	uint64_t *words = files->words;
	size_t i = 0, in_a_row, j;
	int error = 0;

	while (!error && i < nr_pages) {
		uint64_t pfn = pages[i].word & PTU_PM_PFN_MASK;

		if (!is_wanted(&pages[i])) {
			i++;
			continue;
		}
		in_a_row = frames_in_a_row(pages + i, nr_pages - i);
		error = read_frames(&files->flags, "kpageflags", pfn, words,
				    in_a_row, err);
		for (j = 0; !error && j < in_a_row; j++)
			pages[i + j].flags = words[j];
		if (!error)
			error = read_frames(&files->counts, "kpagecount", pfn,
					    words, in_a_row, err);
		for (j = 0; !error && j < in_a_row; j++)
			pages[i + j].count = words[j];
		i += in_a_row;
	}
	return error;
}

static int read_pages(const struct ptu_pages *files, uint64_t addr, bool zero,
		      struct ptu_page *pages, uint64_t *words, size_t nr_pages,
		      struct ptu_err *err)
{
	int error = read_words(files, addr, words, nr_pages, err);
	size_t i;

	if (error)
		return error;
	for (i = 0; i < nr_pages; i++)
		pages[i] = (struct ptu_page){ .word = words[i], .zero = zero };
	for (i = 0; files->recall && i < nr_pages; i++)
		files->recall(files->recall_arg, &pages[i]);
	return files->has_flags ? ptu_pages_flags(files, pages, nr_pages, err) :
				  0;
}

static int read_range(struct ptu_pages *files, uint64_t start, uint64_t end,
		      bool zero, ptu_pages_fn fn, void *arg,
		      struct ptu_err *err)
{
	int error = 0;

	while (!error && start < end) {
		const size_t most = files->is_recorded ? RECORDED_PAGES :
							 PTU_PAGES_CHUNK;
		uint64_t index = start / files->page_bytes;
		uint64_t next = ptu_words_skip(&files->pagemap, index);
		uint64_t left = end / files->page_bytes - index;
		size_t nr_pages;

		if (next - index >= left)
			break;
		start = next * files->page_bytes;
		left -= next - index;
		nr_pages = left < most ? (size_t)left : most;
		error = read_pages(files, start, zero, files->pages,
				   files->words, nr_pages, err);
		if (!error)
			error = fn(arg, start, files->pages, nr_pages);
		start += nr_pages * files->page_bytes;
	}
	return error;
}

int ptu_pages_read(struct ptu_pages *files, uint64_t start, uint64_t end,
		   ptu_pages_fn fn, void *arg, struct ptu_err *err)
{
	struct ptu_scan_region regions[PTU_SCAN_REGIONS];
	int error = 0;

	if (!files->has_scan)
		return read_range(files, start, end, false, fn, arg, err);
	while (!error && start < end) {
		int nr = ptu_scan_pages(files->pagemap.fd, start, end, regions,
					&start);
		int i;

		if (nr < 0)
			return ptu_proc_refuse(files->proc, "pagemap", nr, err);
		for (i = 0; !error && i < nr; i++)
			error = read_range(files, regions[i].start,
					   regions[i].end, regions[i].zero, fn,
					   arg, err);
	}
	return error;
}

int ptu_pages_again(const struct ptu_pages *files, uint64_t addr,
		    struct ptu_page *ret, struct ptu_err *err)
{
	struct ptu_scan_region regions[PTU_SCAN_REGIONS];
	uint64_t word, done;
	int nr = 0;

	if (files->has_scan)
		nr = ptu_scan_pages(files->pagemap.fd, addr,
				    addr + files->page_bytes, regions, &done);
	if (nr < 0)
		return ptu_proc_refuse(files->proc, "pagemap", nr, err);
	return read_pages(files, addr, nr && regions[0].zero, ret, &word, 1,
			  err);
}

int ptu_pages_file_head(const struct ptu_pages *files, uint64_t pfn,
			uint64_t *ret_pfn, uint64_t *ret_flags,
			struct ptu_err *err)
{
	uint64_t words[HEAD_PAGES];
	uint64_t first = pfn < HEAD_PAGES ? 0 : pfn - (HEAD_PAGES - 1);
	ssize_t nr = ptu_words_read(&files->flags, first, words,
				    (size_t)(pfn - first + 1));

	*ret_flags = 0;
	if (nr < 0)
		return ptu_err_set(err, (int)nr,
				   "cannot read /proc/kpageflags: %s",
				   strerror((int)-nr));
	while (nr-- > 0) {
		if (!(words[nr] & PTU_KPF_COMPOUND_HEAD))
			continue;
		*ret_pfn = first + (uint64_t)nr;
		*ret_flags = words[nr];
		break;
	}
	return 0;
}

int ptu_pages_head(const struct ptu_pages *files, uint64_t pfn, uint64_t *ret,
		   struct ptu_err *err)
{
	uint64_t pages, flags;
	int error;

	*ret = 0;
	/* a folio is aligned to its size: the nearest head is its own */
	for (pages = 2; pages <= FOLIO_PAGES; pages *= 2) {
		uint64_t head = pfn & ~(pages - 1);

		if (head == pfn)
			continue;
		error = read_frames(&files->flags, "kpageflags", head, &flags,
				    1, err);
		if (error)
			return error;
		if (flags & PTU_KPF_COMPOUND_HEAD)
			*ret = flags;
		if (!(flags & PTU_KPF_COMPOUND_TAIL))
			break;
	}
	return 0;
}
