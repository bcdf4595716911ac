/* SPDX-License-Identifier: GPL-2.0-only */
/* The walk that asks no VMA where to go: every entry of the user half. */
#ifndef PTA_ORPHANS_H
#define PTA_ORPHANS_H

#include "walk.h"

int pta_orphans(struct mm_struct *mm, const struct pta_request *request,
		struct ptaudit_header *header, struct pta_counts *counts,
		struct pta_store *store);

#endif
