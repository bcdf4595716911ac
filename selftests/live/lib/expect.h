/* SPDX-License-Identifier: GPL-2.0-only */
/* The tables that a layout is expected to have. */
#ifndef LIVE_EXPECT_H
#define LIVE_EXPECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/module.h"

struct expect {
	uint64_t start, end; /* only tables inside this range are expected */
	void *tables;
	size_t nr[PTAUDIT_NR_LEVELS];
	uint64_t leaf_bytes;
	uint64_t deposited;
	/* Tables that map no page.  pagemap cannot show them. */
	uint64_t empty[PTAUDIT_NR_LEVELS];
	/* Tables whose entries are all of a kind that pagemap leaves out. */
	uint64_t marker_only[PTAUDIT_NR_LEVELS];
	uint8_t flags; /* PTAUDIT_T_* for the tables that are added next */
	/* Tables allocated by a fault that waits: in no tree and not in VmPTE. */
	uint64_t at_hand;
	/* Ranges of leaves in VM_PFNMAP mappings. */
	struct {
		uint64_t start, end;
	} pfn_leaves[4];
	size_t nr_pfn_leaves;
	/* With such leaves: number of tables in whose range all mappings are PFN mappings. */
	uint64_t pfnmap_only[PTAUDIT_NR_LEVELS];
};

void expect_init(struct expect *expect, uint64_t start, uint64_t end);
void expect_deinit(struct expect *expect);
uint64_t expect_reach(unsigned int level);
/* Add a table and the tables above it, without entries of its own. */
struct ptaudit_table *expect_table(struct expect *expect, unsigned int level,
				   uint64_t addr);
/* Add present pages.  Each page may be added only once. */
void expect_pages(struct expect *expect, uint64_t start, uint64_t end);
/* Add empty PTE tables. */
void expect_empty(struct expect *expect, uint64_t start, uint64_t end);
/* Add PTE entries that are not present; @member is the field that counts them. */
void expect_entries(struct expect *expect, uint64_t start, uint64_t end,
		    size_t member);
/* Add present pages of a VM_PFNMAP mapping. */
void expect_pfnmap(struct expect *expect, uint64_t start, uint64_t end);
/* The layout holds nothing: mark all upper tables as hollow. */
void expect_all_hollow(struct expect *expect);
/* Add PMD leaves, each with or without a deposited PTE table. */
void expect_leaves(struct expect *expect, uint64_t start, uint64_t end,
		   bool deposited);
/* Add PMD or PUD leaves of a VM_PFNMAP mapping. */
void expect_pfn_leaves(struct expect *expect, unsigned int level,
		       uint64_t start, uint64_t end);
int expect_compare(const struct expect *expect, const struct answer *answer);

#endif
