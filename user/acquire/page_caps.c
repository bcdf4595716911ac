// SPDX-License-Identifier: LGPL-2.1-or-later
/* Test what kpagecount counts, live or recorded; must not read other processes. */
#include "acquire/page_caps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "acquire/file.h"
#include "acquire/words.h"
#include "model/page_flags.h"
#include "model/pagemap.h"

/* Size of a huge page, except with base pages of 64 KiB. */
#define FOLIO_PAGES 512u
#define HALF (FOLIO_PAGES / 2)

/* Source: include/uapi/asm-generic/mman-common.h (6.1) */
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

static bool read_words(const char *name, uint64_t index, uint64_t *words,
		       size_t nr_words)
{
	struct ptu_words file;
	ssize_t nr;

	if (ptu_words_open(PTU_PROC_ROOT, name, &file))
		return false;
	nr = ptu_words_read(&file, index, words, nr_words);
	ptu_words_close(&file);
	return nr == (ssize_t)nr_words;
}

/* Return the page frame if a large folio is mapped at the address, else 0. */
static uint64_t large_pfn(const char *at, uint64_t page_bytes)
{
	uint64_t word, flags;

	if (!read_words("self/pagemap", (uintptr_t)at / page_bytes, &word, 1) ||
	    !(word & PTU_PM_PRESENT))
		return 0;
	if (!read_words("kpageflags", word & PTU_PM_PFN_MASK, &flags, 1) ||
	    !(flags & (PTU_KPF_COMPOUND_HEAD | PTU_KPF_COMPOUND_TAIL)))
		return 0;
	return word & PTU_PM_PFN_MASK;
}

/*
 * Unmap half of a large folio: does kpagecount show it for these pages alone?
 * @folio: [FOLIO_PAGES] memory in which the kernel shall create the folio
 */
static enum ptu_counts try_on(char *folio, uint64_t page_bytes)
{
	const uint64_t bytes = FOLIO_PAGES * page_bytes;
	uint64_t counts[HALF], pfn;
	size_t i;

	madvise(folio, bytes, MADV_HUGEPAGE);
	for (i = 0; i < FOLIO_PAGES; i++)
		((volatile char *)folio)[i * page_bytes] = 1;
	if (!large_pfn(folio, page_bytes))
		madvise(folio, bytes, MADV_COLLAPSE);
	pfn = large_pfn(folio, page_bytes);
	/* the last page must be in the same folio */
	if (!pfn || large_pfn(folio + bytes - page_bytes, page_bytes) !=
			    pfn + FOLIO_PAGES - 1)
		return PTU_COUNTS_UNKNOWN;
	if (madvise(folio + bytes / 2, bytes / 2, MADV_DONTNEED) ||
	    !read_words("kpagecount", pfn + HALF, counts, HALF))
		return PTU_COUNTS_UNKNOWN;
	/* one 0 is enough: after a split, others may map the freed pages */
	for (i = 0; i < HALF; i++) {
		if (!counts[i])
			return PTU_COUNTS_EXACT;
	}
	return PTU_COUNTS_ROUNDED;
}

static enum ptu_counts try_here(uint64_t page_bytes)
{
	const size_t bytes = (size_t)(FOLIO_PAGES * page_bytes);
	enum ptu_counts counts;
	char *map = mmap(NULL, 2 * bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (map == MAP_FAILED)
		return PTU_COUNTS_UNKNOWN;
	counts = try_on(map + (bytes - (uintptr_t)map % bytes) % bytes,
			page_bytes);
	munmap(map, 2 * bytes);
	return counts;
}

int ptu_page_counts(uint64_t page_bytes, enum ptu_counts *ret,
		    struct ptu_err *err)
{
	struct ptu_page_caps caps;
	int error;

	if (!ptu_file_is_recording()) {
		*ret = try_here(page_bytes);
		return 0;
	}
	error = ptu_page_caps_replay(&caps, err);
	if (!error)
		*ret = caps.counts;
	return error;
}

static const char *const counts_words[] = {
	[PTU_COUNTS_UNKNOWN] = "unknown",
	[PTU_COUNTS_EXACT] = "exact",
	[PTU_COUNTS_ROUNDED] = "rounded",
};

#define CAPS_LINE "ksm_is_anon %d large_folio_counts %s\n"

void ptu_page_caps_record(const struct ptu_page_caps *caps, FILE *out)
{
	fprintf(out, CAPS_LINE, caps->ksm_is_anon, counts_words[caps->counts]);
}

/* The text must be identical to one that record writes, or the file is damaged. */
static int parse(const char *text, struct ptu_page_caps *ret)
{
	char line[sizeof(CAPS_LINE) + 8];
	int ksm;
	enum ptu_counts counts;

	for (ksm = 0; ksm < 2; ksm++)
		for (counts = PTU_COUNTS_UNKNOWN; counts <= PTU_COUNTS_ROUNDED;
		     counts++) {
			snprintf(line, sizeof(line), CAPS_LINE, ksm,
				 counts_words[counts]);
			if (strcmp(text, line) != 0)
				continue;
			*ret = (struct ptu_page_caps){ ksm, counts };
			return 0;
		}
	return -EBADMSG;
}

int ptu_page_caps_replay(struct ptu_page_caps *ret, struct ptu_err *err)
{
	char *text;
	int error = ptu_file_read(PTU_PROC_ROOT, PTU_PAGE_CAPS, 0, &text);

	if (error == -ENOENT)
		return ptu_err_set(err, -ENODATA,
				   "the recording has no page flags: make it with `ptaudit record --pages`, as root");
	if (error)
		return ptu_err_set(err, error,
				   "cannot read the recording's %s: %s",
				   PTU_PAGE_CAPS, strerror(-error));
	error = parse(text, ret);
	free(text);
	return error ? ptu_err_set(err, error,
				   "the recording is damaged: %s does not have the format that record writes",
				   PTU_PAGE_CAPS) :
		       0;
}
