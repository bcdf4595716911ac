/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How much memory processes take, each one and all of them as one.  Pure: words
 * of pagemap, kpageflags and kpagecount in, bytes out.
 *
 * A page belongs to a process, or to the set, alone if all its mappings lie
 * there.  Mappings are not processes: what is compared is how often the page was
 * seen mapped here with how often the kernel counts it mapped anywhere.
 */
#ifndef PTU_COMPARE_FOOTPRINT_H
#define PTU_COMPARE_FOOTPRINT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "compare/frame_table.h"
#include "model/page.h"
#include "model/page_flags.h"
#include "report/footprint.h"

/*
 * How a page of hugetlb is reached, of which the kernel counts a table that
 * several processes share as one mapping:
 * SHARED	through a table that is mapped at other places, too
 * AGAIN	... which has been gone through in this set already
 * OUTSIDE	... which processes outside the set have, too
 * UNKNOWN	perhaps through such a table: nobody says
 */
#define PTU_FOOTPRINT_SHARED 0x1u
#define PTU_FOOTPRINT_AGAIN 0x2u
#define PTU_FOOTPRINT_OUTSIDE 0x4u
#define PTU_FOOTPRINT_UNKNOWN 0x8u

/**
 * struct ptu_footprint - a set that is being read, process by process
 * @page_bytes: base page size
 * @may_round: of the pages of a large folio the kernel counts the mappings as a
 *	rounded average, or it is not known that it does not
 * @frames: uses of the page frames that it maps
 * @swap: its swap slots
 * @process: the number of the process being read
 * @sum: of that process
 * @migrating_bytes: of those before it
 */
struct ptu_footprint {
	uint64_t page_bytes;
	bool may_round;
	struct ptu_frame_uses frames;
	struct ptu_frame_uses swap;
	uint32_t process;
	struct ptu_footprint_sum sum;
	uint64_t migrating_bytes;
};

void ptu_footprint_init(struct ptu_footprint *footprint, uint64_t page_bytes,
			bool may_round);

/**
 * ptu_footprint_begin() - The pages that follow are another process's.
 *
 * Processes that share an address space are one here.
 *
 * Return: 0; -E2BIG more than there can be.
 */
ptu_must_check int ptu_footprint_begin(struct ptu_footprint *footprint);

/**
 * ptu_footprint_add() - Take in a page of the process, each entry once.
 * @page: (in) with .flags and .count; .flags of a tail page with
 *	PTU_KPF_SWAPBACKED as its head has it
 * @how: (in) PTU_FOOTPRINT_*, of hugetlb
 *
 * What is in no RSS is left out: the zero page, and pages whose mappings the
 * kernel does not count (a device's, vvar).
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_footprint_add(struct ptu_footprint *footprint,
				     const struct ptu_page *page,
				     unsigned int how);

/**
 * ptu_footprint_forget() - The process has no part in the set after all.
 */
void ptu_footprint_forget(struct ptu_footprint *footprint);

/**
 * ptu_footprint_set() - All processes as one.
 */
void ptu_footprint_set(const struct ptu_footprint *footprint,
		       struct ptu_footprint_sum *ret);

void ptu_footprint_deinit(struct ptu_footprint *footprint);

#endif
