/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compare the module's totals of a mapping with /proc's, key by key, and find a
 * proven cause for each difference.  Pure.
 */
#ifndef PTU_COMPARE_PAGE_CAUSES_H
#define PTU_COMPARE_PAGE_CAUSES_H

#include "compare/page_kinds.h"
#include "report/pages.h"

/**
 * ptu_totals_judge() - Compare one mapping.
 * @kernel: (in) the module's totals
 * @seen: (in) /proc's totals, complete
 * @vma: (in) the mapping, with its flags
 * @ret: (out) result for each total
 */
void ptu_totals_judge(const struct ptu_totals *kernel,
		      const struct ptu_seen *seen, const struct ptu_vma *vma,
		      enum ptu_totals_why ret[PTU_NR_TOTALS]);

#endif
