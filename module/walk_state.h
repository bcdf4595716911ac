/* SPDX-License-Identifier: GPL-2.0-only */
/* The tables that a walk is in, from the PGD down to the cursor. */
#ifndef PTA_WALK_STATE_H
#define PTA_WALK_STATE_H

#include <linux/mm_types.h>

#include "ptaudit_abi.h"
#include "request.h"
#include "store.h"

/**
 * struct pta_open_table - a table whose entries are being visited
 * @entries: the table; valid only in the hold of the lock that @hold names,
 *	and with @mapping only until that is unlocked
 * @start: first address that it maps
 * @next: first entry that was not visited yet
 * @hold: number of the hold in which it was last reached; 0 for none
 * @mapping: whose i_mmap_rwsem keeps it in that hold; NULL if none has to
 * @table: its record; points to @scratch where no records are kept
 * @run: record of the run that the entry before @next belongs to, or NULL
 * @scratch: the record, where only counts are asked for
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

struct pta_walk_ops;

/**
 * struct pta_walk_state - a walk under way
 * @mm: whose tables
 * @request: what is asked for
 * @counts: (out) is added to
 * @store: (out) gets the records; NULL if none are kept
 * @ops: what is done with the entries
 * @open: [level] the tables that the cursor is in
 * @cursor: address whose entries are visited next
 * @end: where the cursor stops
 * @hold: number of this hold of the lock
 * @mapping: whose i_mmap_rwsem is held; or NULL
 * @busy: whose i_mmap_rwsem could not be had at once; or NULL
 * @looked_at: what this hold has cost so far, in entries
 * @extra_flags: PTAUDIT_T_* of tables that are opened now
 */
struct pta_walk_state {
	struct mm_struct *mm;
	const struct pta_request *request;
	struct pta_counts *counts;
	struct pta_store *store;
	const struct pta_walk_ops *ops;
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
		    unsigned int index, enum ptaudit_kind kind, u8 flags);
int pta_visit_uncovered(struct pta_walk_state *walk, unsigned int level,
			unsigned int index);
bool pta_visit_none(struct pta_walk_state *walk, unsigned int level,
		    unsigned long end);

#endif
