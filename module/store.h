/* SPDX-License-Identifier: GPL-2.0-only */
/* Records in blocks that never move: the walk keeps pointers to them. */
#ifndef PTA_STORE_H
#define PTA_STORE_H

#include <linux/list.h>
#include <linux/types.h>

#include "ptaudit_abi.h"

/**
 * struct pta_store - records in the order in which they were added
 * @blocks: all blocks, full ones first
 * @nr_blocks: number of blocks
 * @fill: the block for the next record
 * @nr_records: number of records
 * @nr_free: number of records that can be added without an allocation
 */
struct pta_store {
	struct list_head blocks;
	unsigned long nr_blocks;
	struct pta_block *fill;
	u64 nr_records;
	unsigned long nr_free;
};

void pta_store_init(struct pta_store *store);
int pta_store_reserve(struct pta_store *store, unsigned long nr);
struct ptaudit_table *pta_store_add(struct pta_store *store);
int pta_store_run(struct pta_store *store, struct ptaudit_table **run,
		  const struct ptaudit_table *table, unsigned long start,
		  enum ptaudit_kind kind, u8 flags);
int pta_store_deposits(struct ptaudit_table *record, unsigned int nr);
const void *pta_store_at(const struct pta_store *store, u64 offset_bytes,
			 size_t *left_bytes);
void pta_store_deinit(struct pta_store *store);

#endif
