/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What /proc says of one page of a process, word by word. */
#ifndef PTU_MODEL_PAGE_H
#define PTU_MODEL_PAGE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct ptu_page - one base page's worth of address space
 * @word: its entry in pagemap, PTU_PM_*
 * @flags: of its page frame, PTU_KPF_*; 0 where they were not read
 * @count: how often its page frame is mapped; 0 where it was not read
 * @zero: PAGEMAP_SCAN calls it the zero page
 */
struct ptu_page {
	uint64_t word;
	uint64_t flags;
	uint64_t count;
	bool zero;
};

#endif
