// SPDX-License-Identifier: LGPL-2.1-or-later
/* Test what kpagecount counts; must not read other processes. */
#include "measure/footprint_read.h"

#include <sys/mman.h>

#include "acquire/file.h"
#include "acquire/words.h"
#include "compare/page_flags.h"
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

/* @folio: [FOLIO_PAGES] memory in which the kernel shall create a large folio */
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

enum ptu_counts ptu_footprint_counts(uint64_t page_bytes)
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
