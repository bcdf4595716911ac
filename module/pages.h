/* SPDX-License-Identifier: GPL-2.0-only */
/* Count the pages that page-table entries map, by kind. */
#ifndef PTA_PAGES_H
#define PTA_PAGES_H

#include <linux/mm_types.h>
#include <linux/pgtable.h>

#include "entry.h"
#include "ptaudit_abi.h"

/**
 * struct pta_pages - totals of one answer
 * @start: start of the counted range, a multiple of the page size
 * @end: end of the counted range, a multiple of the page size
 * @nr: [PTAUDIT_P_*] base pages
 * @ptes: copy of the current PTE table
 */
struct pta_pages {
	unsigned long start;
	unsigned long end;
	u64 nr[PTAUDIT_NR_PAGES_KEYS];
	pte_t ptes[PTRS_PER_PTE];
};

unsigned int pta_pages_upper(struct pta_pages *pages,
			     struct vm_area_struct *vma, unsigned int level,
			     unsigned long addr, const struct pta_entry *entry,
			     const void *table);
void pta_pages_copy(struct pta_pages *pages, const struct pta_entry *pmd);
unsigned int pta_pages_ptes(struct pta_pages *pages, unsigned long addr,
			    const struct pta_entry *pmd,
			    const unsigned long *covered);
bool pta_pages_key_known(enum ptaudit_pages_key key);

#endif
