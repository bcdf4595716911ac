/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How much memory processes take, each one and all of them as one.  Pure: words
 * of pagemap, kpageflags and kpagecount in, bytes out.
 *
 * A page belongs to a process, or to the set, alone if all its mappings lie
 * there.  Mappings are not processes: what is compared is how often the page was
 * seen mapped here with how often the kernel counts it mapped anywhere.
 */
#ifndef PTU_FOOTPRINT_H
#define PTU_FOOTPRINT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "compare/frame_table.h"
#include "model/page.h"

/* What a page is, as the kernel's RssAnon, RssFile and RssShmem divide them. */
enum ptu_footprint_kind {
	PTU_FOOTPRINT_ANON,
	PTU_FOOTPRINT_FILE,
	PTU_FOOTPRINT_SHMEM,
	PTU_FOOTPRINT_HUGETLB, /* in no RSS */
	PTU_NR_FOOTPRINT_KINDS
};

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
 * struct ptu_footprint_sum - the memory of one process, or of the set
 * @rss_bytes: pages that are mapped; in a process each mapping counts, as in
 *	VmRSS, in the set each page once
 * @pss_bytes: the same, each mapping as its share of the page's mappings
 * @uss_bytes: pages of which all mappings lie here, each once
 * @kinds: @rss_bytes by kind; hugetlb beside it, likewise
 * @pss_kinds: @pss_bytes by kind, each short of it by less than a byte
 * @uss_kinds: @uss_bytes by kind; hugetlb beside it
 * @swap_bytes: pages swapped out, by entries of page tables; in the set each
 *	swap slot once
 * @large_bytes: of @rss_bytes: pages of large folios
 * @rounded_bytes: of @large_bytes: pages whose shares are by rounded counts
 * @ksm_bytes: of @rss_bytes: pages that KSM merged
 * @hugetlb_unknown_bytes: of hugetlb memory: whether others have it is not known
 * @migrating_bytes: pages that were just being migrated, or are a device's:
 *	nowhere else
 * @over_bytes: set: of @rss_bytes: pages seen in more mappings than the kernel
 *	counts, because they came and went meanwhile
 */
struct ptu_footprint_sum {
	uint64_t rss_bytes;
	uint64_t pss_bytes;
	uint64_t uss_bytes;
	uint64_t kinds[PTU_NR_FOOTPRINT_KINDS];
	uint64_t pss_kinds[PTU_NR_FOOTPRINT_KINDS];
	uint64_t uss_kinds[PTU_NR_FOOTPRINT_KINDS];
	uint64_t swap_bytes;
	uint64_t large_bytes;
	uint64_t rounded_bytes;
	uint64_t ksm_bytes;
	uint64_t hugetlb_unknown_bytes;
	uint64_t migrating_bytes;
	uint64_t over_bytes;
	/* what @pss_bytes and @pss_kinds lack, in 2^-32 bytes */
	uint64_t pss_rest;
	uint64_t pss_rests[PTU_NR_FOOTPRINT_KINDS];
};

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

/**
 * ptu_footprint_kind_name() - As JSON has it: "shmem".
 */
const char *ptu_footprint_kind_name(enum ptu_footprint_kind kind);

void ptu_footprint_deinit(struct ptu_footprint *footprint);

#endif
