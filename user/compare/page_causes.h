/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Holds the module's totals of a mapping against /proc's, key by key, and names
 * the cause of each difference where it can be proven.  Pure.
 */
#ifndef PTU_COMPARE_PAGE_CAUSES_H
#define PTU_COMPARE_PAGE_CAUSES_H

#include "compare/page_kinds.h"
#include "report/pages.h"

/**
 * ptu_totals_judge() - Compare one mapping.
 * @kernel: (in) what the module says of it
 * @seen: (in) what /proc says of it, complete
 * @vma: (in) it, with its flags
 * @ret: (out) of each total
 */
void ptu_totals_judge(const struct ptu_totals *kernel,
		      const struct ptu_seen *seen, const struct ptu_vma *vma,
		      enum ptu_totals_why ret[PTU_NR_TOTALS]);

#endif
