/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Data that /proc shows about one page of a process. */
#ifndef PTU_MODEL_PAGE_H
#define PTU_MODEL_PAGE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct ptu_page - one base page of address space
 * @word: its pagemap entry, PTU_PM_*
 * @flags: kpageflags of its page frame, PTU_KPF_*; 0 if not read
 * @count: kpagecount of its page frame; 0 if not read
 * @zero: PAGEMAP_SCAN reports the zero page
 */
struct ptu_page {
	uint64_t word;
	uint64_t flags;
	uint64_t count;
	bool zero;
};

/* The values of kpagecount for the pages of a large folio. */
enum ptu_counts {
	PTU_COUNTS_UNKNOWN, /* not tested: no large folio was available */
	PTU_COUNTS_EXACT,
	PTU_COUNTS_ROUNDED /* average over the folio's pages */
};

#endif
