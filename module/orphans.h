/* SPDX-License-Identifier: GPL-2.0-only */
/* The walk that follows every entry of the user half, independent of VMAs. */
#ifndef PTA_ORPHANS_H
#define PTA_ORPHANS_H

#include <linux/mm_types.h>

#include "ptaudit_abi.h"
#include "request.h"
#include "store.h"

int pta_orphans(struct mm_struct *mm, const struct pta_request *request,
		struct ptaudit_header *header, struct pta_counts *counts,
		struct pta_store *store);

#endif
