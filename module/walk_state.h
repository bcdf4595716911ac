/* SPDX-License-Identifier: GPL-2.0-only */
/* The tables from the PGD down to a walk's cursor. */
#ifndef PTA_WALK_STATE_H
#define PTA_WALK_STATE_H

#include <linux/mm_types.h>

#include "ptaudit_abi.h"
#include "request.h"
#include "store.h"

/**
 * struct pta_open_table - a table whose entries are being visited
 * @entries: the table; only valid in the hold @hold, and with @mapping only
 *	until that is unlocked
 * @start: first address that it maps
 * @next: first unvisited entry
 * @hold: number of the hold in which it was last reached; 0: none
 * @mapping: mapping whose i_mmap_rwsem protects it in that hold; NULL if none
 *	is needed
 * @table: its record; points to @scratch if no records are kept
 * @run: record of the run that contains the entry before @next, or NULL
 * @scratch: the record if only counts are needed
 */
struct pta_open_table {
	void *entries;
	unsigned long start;
	unsigned int next;
	unsigned int hold;
	struct address_space *mapping;
	struct ptaudit_table *table;
	struct ptaudit_table *run;
	struct ptaudit_table scratch;
};

/**
 * struct pta_walk_state - state of a walk
 * @mm: the mm
 * @request: the request
 * @counts: (out) incremented
 * @store: (out) gets the records; NULL if none are kept
 * @counts_pages: the pages that entries map are counted
 * @open: [level] the tables that contain the cursor
 * @cursor: address whose entries are visited next
 * @end: end of the walk
 * @hold: number of the current hold of the lock
 * @mapping: mapping whose i_mmap_rwsem is held; or NULL
 * @busy: file whose i_mmap_rwsem was contended; or NULL
 * @looked_at: cost of this hold so far, in entries
 * @extra_flags: PTAUDIT_T_* of tables that are opened now
 */
struct pta_walk_state {
	struct mm_struct *mm;
	const struct pta_request *request;
	struct pta_counts *counts;
	struct pta_store *store;
	bool counts_pages;
	struct pta_open_table open[PTAUDIT_NR_LEVELS];
	unsigned long cursor;
	unsigned long end;
	unsigned int hold;
	struct address_space *mapping;
	struct file *busy;
	unsigned int looked_at;
	u8 extra_flags;
};

int pta_open_table(struct pta_walk_state *walk, unsigned int level,
		   void *entries, unsigned long pfn,
		   struct vm_area_struct *vma);
int pta_close_tables(struct pta_walk_state *walk, bool all);
void pta_assert_open_held(const struct pta_walk_state *walk,
			  unsigned int level);
int pta_visit_entry(struct pta_walk_state *walk, unsigned int level,
		    unsigned int index, enum ptaudit_kind kind,
		    const struct vm_area_struct *vma);
int pta_visit_uncovered(struct pta_walk_state *walk, unsigned int level,
			unsigned int index);
bool pta_visit_none(struct pta_walk_state *walk, unsigned int level,
		    unsigned long end);

#endif
