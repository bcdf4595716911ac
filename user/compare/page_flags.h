/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How many pages have which flags.  Pure.
 */
#ifndef PTU_COMPARE_PAGE_FLAGS_H
#define PTU_COMPARE_PAGE_FLAGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "report/flags.h"

/**
 * ptu_pageflags_add() - Count a page.
 * @addr: (in) where it is mapped, ascending from call to call
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_pageflags_add(struct ptu_pageflags *counted,
				     uint64_t addr, uint64_t page_bytes,
				     uint64_t flags);

/**
 * ptu_pageflags_sort() - The groups with most pages first, equal ones by flags.
 *
 * No page can be added any more.
 */
void ptu_pageflags_sort(struct ptu_pageflags *counted);

#endif
