/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Holds the module's totals of a mapping against /proc's, key by key, and names
 * the cause of each difference where it can be proven.  Pure.
 */
#ifndef PTU_TOTALS_JUDGE_H
#define PTU_TOTALS_JUDGE_H

#include "compare/page_kinds.h"

/* Why the two sides differ.  Each cause accounts for all of a difference. */
enum ptu_totals_why {
	PTU_TOTALS_AGREE,
	PTU_TOTALS_UNKNOWN, /* this kernel cannot tell: nothing is compared */
	PTU_TOTALS_UNEXPLAINED,
	PTU_TOTALS_IN_FLUX,	   /* set by who brackets */
	PTU_TOTALS_PFNMAP,	   /* a mapping that /proc passes over */
	PTU_TOTALS_HUGETLB_ABSENT, /* entries of hugetlb that pagemap leaves out */
	PTU_TOTALS_LARGE_FOLIO,	   /* kpageflags has one flag for many pages */
	PTU_TOTALS_AVERAGE, /* kpagecount has the average of a large folio */
	PTU_TOTALS_DEVICE_LEAF, /* leaves of device memory that smaps leaves out */
	PTU_TOTALS_KSM_FLAG, /* kpageflags calls every anonymous page KSM's */
	PTU_TOTALS_MOVING_LEAF, /* leaves being migrated, which smaps counts */
	PTU_TOTALS_HWPOISON,	/* poisoned pages, which smaps counts or not */
	PTU_NR_TOTALS_WHY
};

/**
 * ptu_totals_why_name() - As JSON has it: "large-folio".
 */
const char *ptu_totals_why_name(enum ptu_totals_why why);

/**
 * ptu_totals_why_sentence() - What it means, for people.
 */
const char *ptu_totals_why_sentence(enum ptu_totals_why why);

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

/**
 * ptu_totals_same() - Does the module say the same twice?
 */
bool ptu_totals_same(const struct ptu_totals *a, const struct ptu_totals *b);

/**
 * ptu_totals_add() - Add a mapping's totals to a sum.
 */
void ptu_totals_add(struct ptu_totals *sum, const struct ptu_totals *totals);

#endif
