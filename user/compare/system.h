/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Add up the tables of all address spaces, each page frame once.  Pure. */
#ifndef PTU_COMPARE_SYSTEM_H
#define PTU_COMPARE_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "model/frame_set.h"
#include "model/kernel_tables.h"
#include "model/meminfo.h"
#include "report/system.h"

/**
 * struct ptu_system_tally - sums so far
 * @page_bytes: base page size
 * @counted: page frames that the kernel counts in PageTables
 * @seen: page frames of the tables that were added
 * @report: (in, out) .parts, .uncounted_bytes and .shared_bytes
 */
struct ptu_system_tally {
	uint64_t page_bytes;
	struct ptu_frame_set counted;
	struct ptu_frame_set seen;
	struct ptu_system_report *report;
};

/**
 * ptu_system_flagged() - Process the flags of consecutive page frames.
 * @pfn: (in) the first one
 * @words: (in) [nr] from kpageflags; all frames before @pfn were processed
 *
 * A PGD of two pages (KPTI) is a compound page. Whether its tail page shows the
 * page-table flag depends on the kernel.
 *
 * Return: 0; -ERANGE, -ENOMEM.
 */
ptu_must_check int ptu_system_flagged(struct ptu_system_tally *tally,
				      uint64_t pfn, const uint64_t *words,
				      size_t nr);

/**
 * ptu_system_add_table() - Add a table of @pages pages.
 * @part: (in) the part to which it is added if the kernel counts it
 *
 * Return: 0; 1 if it was already added; -ERANGE, -ENOMEM.
 */
ptu_must_check int ptu_system_add_table(struct ptu_system_tally *tally,
					unsigned int part, unsigned int level,
					uint64_t pfn, unsigned int pages);

/**
 * ptu_system_add_process() - Add the tables of a process.
 *
 * Return: 0; 1 if another process had the same address space; -ERANGE, -ENOMEM.
 */
ptu_must_check int ptu_system_add_process(struct ptu_system_tally *tally,
					  const struct ptu_snapshot *snapshot);

/**
 * ptu_system_count_nodes() - Count the counted page frames by node.
 * @spans: (in) [nr_spans]
 */
void ptu_system_count_nodes(const struct ptu_system_tally *tally,
			    const struct ptu_node_span *spans, size_t nr_spans);

/**
 * ptu_system_tally_reset() - Start again; allocations are kept.
 */
void ptu_system_tally_reset(struct ptu_system_tally *tally);

void ptu_system_tally_deinit(struct ptu_system_tally *tally);

#endif
