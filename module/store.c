// SPDX-License-Identifier: GPL-2.0-only
/* Store the records of one answer; must not interpret them. */
#include "store.h"

#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "debug.h"

#define BLOCK_BYTES (64UL << 10)
#define BLOCK_RECORDS                               \
	((BLOCK_BYTES - sizeof(struct pta_block)) / \
	 sizeof(struct ptaudit_table))

static unsigned int max_answer_kib = SZ_256M / SZ_1K;
module_param(max_answer_kib, uint, 0644);
MODULE_PARM_DESC(max_answer_kib,
		 "KiB of kernel memory that the records of one answer may take");

struct pta_block {
	struct list_head link;
	unsigned long nr;
	struct ptaudit_table records[];
};

void pta_store_init(struct pta_store *store)
{
	INIT_LIST_HEAD(&store->blocks);
	store->nr_blocks = 0;
	store->fill = NULL;
	store->nr_records = 0;
	store->nr_free = 0;
}

/**
 * pta_store_reserve() - Allocate space for records.
 * @store: the store
 * @nr: number of records
 *
 * Context: may sleep. Must not be called with a pinned address space, under
 * mmap_lock or i_mmap_rwsem, or with interrupts off. Therefore allocation is a
 * separate step.
 *
 * Records are charged to the reader's memory cgroup.  They cannot be swapped,
 * and a process with little memory can have many of them (hugetlb PMD sharing),
 * so there is also a limit.
 *
 * Return: 0; -ENOMEM; -EFBIG the answer would take more than max_answer_kib.
 */
int pta_store_reserve(struct pta_store *store, unsigned long nr)
{
	const unsigned long max_blocks = READ_ONCE(max_answer_kib) /
					 (BLOCK_BYTES / SZ_1K);

	might_sleep();
	pta_assert_not_pinned();
	while (store->nr_free < nr) {
		struct pta_block *block;

		if (store->nr_blocks >= max_blocks)
			return -EFBIG;
		/* Only the reader is told, not the kernel log. */
		block = kvmalloc(BLOCK_BYTES,
				 GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
		if (!block)
			return -ENOMEM;
		block->nr = 0;
		store->nr_blocks++;
		list_add_tail(&block->link, &store->blocks);
		store->nr_free += BLOCK_RECORDS;
	}
	return 0;
}

/**
 * pta_store_add() - Add a zeroed record.
 * @store: the store
 *
 * Context: any; never allocates.
 *
 * Return: the record, which never moves; NULL if no space is reserved.
 */
struct ptaudit_table *pta_store_add(struct pta_store *store)
{
	struct ptaudit_table *record;

	if (!store->nr_free)
		return NULL;
	if (!store->fill) {
		store->fill = list_first_entry(&store->blocks, struct pta_block,
					       link);
	} else if (store->fill->nr == BLOCK_RECORDS) {
		/* nr_free is wrong */
		if (WARN_ON_ONCE(
			    list_is_last(&store->fill->link, &store->blocks)))
			return NULL;
		store->fill = list_next_entry(store->fill, link);
	}
	record = &store->fill->records[store->fill->nr++];
	memset(record, 0, sizeof(*record));
	store->nr_records++;
	store->nr_free--;
	return record;
}

/**
 * pta_store_run() - Add an entry of an upper table to a run of its kind.
 * @store: the store
 * @run: (in, out) the run of the previous entry; NULL if there is none
 * @table: record of the table
 * @start: first address that the entry maps
 * @kind: kind of the entry
 * @flags: PTAUDIT_T_* of the run
 *
 * Context: as in pta_store_add().
 *
 * Return: 0; -ENOSPC no record is left.
 */
int pta_store_run(struct pta_store *store, struct ptaudit_table **run,
		  const struct ptaudit_table *table, unsigned long start,
		  enum ptaudit_kind kind, u8 flags)
{
	struct ptaudit_table *record = *run;

	if (record && record->kind == kind && record->flags == flags) {
		record->used++;
		return 0;
	}
	record = pta_store_add(store);
	if (!record)
		return -ENOSPC;
	record->start = start;
	record->pfn = table->pfn;
	record->level = table->level;
	record->type = PTAUDIT_RUN;
	record->kind = kind;
	record->flags = flags;
	record->node = table->node;
	record->used = 1;
	*run = record;
	return 0;
}

/**
 * pta_store_deposits() - Set the number of PTE tables deposited with a table.
 * @record: record of the table
 * @nr: number of deposited tables
 *
 * Return: 0; -EOVERFLOW the number does not fit in a record: without split PMD
 * locks all deposits of the mm are in one list.
 */
int pta_store_deposits(struct ptaudit_table *record, unsigned int nr)
{
	if (nr > U16_MAX)
		return -EOVERFLOW;
	record->deposited = nr;
	return 0;
}

/**
 * pta_store_at() - Get the bytes of the records from an offset on.
 * @store: the store
 * @offset_bytes: relative to the first record
 * @left_bytes: (out) number of contiguous bytes at the offset
 *
 * Return: the first byte; NULL at the end.
 */
const void *pta_store_at(const struct pta_store *store, u64 offset_bytes,
			 size_t *left_bytes)
{
	const struct pta_block *block;

	list_for_each_entry(block, &store->blocks, link) {
		u64 bytes = block->nr * sizeof(struct ptaudit_table);

		if (offset_bytes < bytes) {
			*left_bytes = bytes - offset_bytes;
			return (const char *)block->records + offset_bytes;
		}
		offset_bytes -= bytes;
	}
	return NULL;
}

void pta_store_deinit(struct pta_store *store)
{
	struct pta_block *block, *next;

	list_for_each_entry_safe(block, next, &store->blocks, link)
		kvfree(block);
	pta_store_init(store);
}
