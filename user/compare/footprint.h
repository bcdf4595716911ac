/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory of processes, individually and as a set.  Pure: words of pagemap,
 * kpageflags and kpagecount in, bytes out.
 *
 * A page belongs only to a process, or only to the set, if all its mappings are
 * there.  Mappings are not processes: the number of mappings seen here is compared
 * with the kernel's count of all mappings.
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
 * How a page is reached.
 * For hugetlb: the kernel counts a page-table page that several processes share as one
 * mapping:
 * SHARED	through a table that is also mapped at other places
 * AGAIN	the table was already visited in this set
 * OUTSIDE	processes outside the set have the table too
 * UNKNOWN	possibly through a shared table; the interfaces do not tell
 * For others:
 * INTERNAL	through a mapping of a file of the kernel's internal mount
 */
#define PTU_FOOTPRINT_SHARED 0x1u
#define PTU_FOOTPRINT_AGAIN 0x2u
#define PTU_FOOTPRINT_OUTSIDE 0x4u
#define PTU_FOOTPRINT_UNKNOWN 0x8u
#define PTU_FOOTPRINT_INTERNAL 0x10u

/**
 * struct ptu_footprint - a set of processes that is being read
 * @page_bytes: base page size
 * @may_round: the kernel may report a rounded average as the map count of pages in
 *	a large folio
 * @internal_is_inside: only the set maps the shared memory that was added with
 *	PTU_FOOTPRINT_INTERNAL, whatever the map counts are
 * @frames: uses of the mapped page frames
 * @swap: uses of the swap slots
 * @process: number of the current process
 * @sum: sum of the current process
 * @migrating_bytes: .migrating_bytes of the previous processes, added up
 */
struct ptu_footprint {
	uint64_t page_bytes;
	bool may_round;
	bool internal_is_inside;
	struct ptu_frame_uses frames;
	struct ptu_frame_uses swap;
	uint32_t process;
	struct ptu_footprint_sum sum;
	uint64_t migrating_bytes;
};

void ptu_footprint_init(struct ptu_footprint *footprint, uint64_t page_bytes,
			bool may_round);

/**
 * ptu_footprint_begin() - Start the next process.
 *
 * Processes with the same address space count as one.
 *
 * Return: 0; -E2BIG too many processes.
 */
ptu_must_check int ptu_footprint_begin(struct ptu_footprint *footprint);

/**
 * ptu_footprint_add() - Add a page of the process; call this once per entry.
 * @page: (in) with .flags and .count; a tail page must have the PTU_KPF_SWAPBACKED
 *	flag of its head
 * @how: (in) PTU_FOOTPRINT_*
 *
 * Ignores pages that are not part of RSS: the zero page, and pages whose mappings
 * the kernel does not count (device memory, vvar).
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_footprint_add(struct ptu_footprint *footprint,
				     const struct ptu_page *page,
				     unsigned int how);

/**
 * ptu_footprint_recall() - Take flags and count of a page from an earlier process.
 * @page: (in, out) in: .word; out: .flags and .count, unless they may have changed
 *
 * Only flags that ptu_footprint_add() needs are set.  For each page of a large folio,
 * COMPOUND_HEAD is set, so the caller need not look up the head.
 */
void ptu_footprint_recall(struct ptu_footprint *footprint,
			  struct ptu_page *page);

/**
 * ptu_footprint_may_have_grown() - Were all counted mappings of the frame seen?
 *
 * If so, the frame may have got further mappings after it was counted.
 */
bool ptu_footprint_may_have_grown(const struct ptu_frame_use *frame);

/**
 * ptu_footprint_recount() - Take the count of mappings after all processes were read.
 *
 * The frame changes only if ptu_footprint_may_have_grown() and the count is higher.
 */
void ptu_footprint_recount(struct ptu_frame_use *frame, uint64_t count);

/**
 * ptu_footprint_forget() - Remove the current process from the set.
 */
void ptu_footprint_forget(struct ptu_footprint *footprint);

/**
 * ptu_footprint_set() - Compute the sum over the set.
 */
void ptu_footprint_set(const struct ptu_footprint *footprint,
		       struct ptu_footprint_sum *ret);

void ptu_footprint_deinit(struct ptu_footprint *footprint);

#endif
