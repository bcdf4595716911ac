/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Count pages by their flags.  Pure. */
#ifndef PTU_COMPARE_PAGE_FLAGS_H
#define PTU_COMPARE_PAGE_FLAGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "report/flags.h"

/**
 * ptu_pageflags_add() - Count a page.
 * @addr: (in) address of its mapping, ascending from call to call
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_pageflags_add(struct ptu_pageflags *counted,
				     uint64_t addr, uint64_t page_bytes,
				     uint64_t flags);

/**
 * ptu_pageflags_sort() - Sort the groups by pages, descending, then by flags.
 *
 * No page may be added after this.
 */
void ptu_pageflags_sort(struct ptu_pageflags *counted);

#endif
