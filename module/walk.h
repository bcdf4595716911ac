/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The walks of the page tables of an mm: VMA by VMA (walk.c), and independent of VMAs
 * (orphans.c).  They handle no text and no requests.
 */
#ifndef PTA_WALK_H
#define PTA_WALK_H

#include <linux/mm_types.h>

#include "ptaudit_abi.h"
#include "request.h"
#include "store.h"

int pta_walk(struct mm_struct *mm, const struct pta_request *request,
	     struct ptaudit_header *header, struct pta_counts *counts,
	     struct pta_store *store);
int pta_orphans(struct mm_struct *mm, const struct pta_request *request,
		struct ptaudit_header *header, struct pta_counts *counts,
		struct pta_store *store);
int pta_walk_ldt(struct mm_struct *mm, const struct pta_request *request,
		 struct pta_counts *counts, struct pta_store *store,
		 struct ptaudit_table *pgd);

#endif
