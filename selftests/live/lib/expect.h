/* SPDX-License-Identifier: GPL-2.0-only */
/* What has to be there. */
#ifndef LIVE_EXPECT_H
#define LIVE_EXPECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/module.h"

struct expect {
	uint64_t start, end; /* tables that lie inside are expected */
	void *tables;
	size_t nr[PTAUDIT_NR_LEVELS];
	uint64_t leaf_bytes;
	uint64_t deposited;
	/* Tables that hold no page, which pagemap cannot show. */
	uint64_t empty[PTAUDIT_NR_LEVELS];
	/* Tables whose entries are all such that pagemap leaves them out. */
	uint64_t marker_only[PTAUDIT_NR_LEVELS];
	uint8_t flags; /* of the tables that are made next */
	/* Allocated by a fault that waits: in no tree, nor in VmPTE. */
	uint64_t at_hand;
	/* Where leaves are that lie in VM_PFNMAP mappings. */
	struct {
		uint64_t start, end;
	} pfn_leaves[4];
	size_t nr_pfn_leaves;
	/* With such leaves: tables in which nothing but PFN maps is. */
	uint64_t pfnmap_only[PTAUDIT_NR_LEVELS];
};

void expect_init(struct expect *expect, uint64_t start, uint64_t end);
void expect_deinit(struct expect *expect);
uint64_t expect_reach(unsigned int level);
/* A table, and those above it; no entry of its own. */
struct ptaudit_table *expect_table(struct expect *expect, unsigned int level,
				   uint64_t addr);
/* Present pages; each page is named once. */
void expect_pages(struct expect *expect, uint64_t start, uint64_t end);
/* PTE tables with nothing in them. */
void expect_empty(struct expect *expect, uint64_t start, uint64_t end);
/* Entries of PTE tables that are not present; which member counts them. */
void expect_entries(struct expect *expect, uint64_t start, uint64_t end,
		    size_t member);
/* Present pages that only their frame numbers describe (VM_PFNMAP). */
void expect_pfnmap(struct expect *expect, uint64_t start, uint64_t end);
/* No table of the layout holds anything: the upper ones are hollow. */
void expect_all_hollow(struct expect *expect);
/* PMD leaves, each with a deposited PTE table or without. */
void expect_leaves(struct expect *expect, uint64_t start, uint64_t end,
		   bool deposited);
/* Leaves of a PMD or PUD table that only page frame numbers describe. */
void expect_pfn_leaves(struct expect *expect, unsigned int level,
		       uint64_t start, uint64_t end);
int expect_compare(const struct expect *expect, const struct answer *answer);

#endif
