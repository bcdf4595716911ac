/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Check the contents of the module's files `tables` and `orphans`.  Pure: bytes in,
 * records out. Rejects every answer that contradicts itself.
 */
#ifndef PTU_MODEL_KERNEL_TABLES_H
#define PTU_MODEL_KERNEL_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/geometry.h"
#include "module/ptaudit_abi.h"

/**
 * struct ptu_snapshot - one answer of the module
 * @header: as in ptaudit_abi.h
 * @records: [nr_records] tables and runs in the module's order
 * @nr_moved: tables that were replaced during the walk
 */
struct ptu_snapshot {
	struct ptaudit_header header;
	struct ptaudit_table *records;
	size_t nr_records;
	size_t nr_moved;
};

/**
 * ptu_snapshot_parse() - Check an answer and copy its records.
 * @bytes: (in) [nr_bytes], the whole answer
 * @geo: (in) geometry that the records must match
 * @ret: (out) free with ptu_snapshot_deinit(); untouched on failure
 *
 * Checks the sizes, each record's fields and sums, and the order. Each table must
 * have a parent table with an entry of kind child for it. The runs of a table must
 * add up to its counts. No page frame may be two tables, except shared hugetlb
 * tables.
 *
 * Return: 0; -EBADMSG with the number of the invalid record; -EPROTO for another
 * ABI; -EAGAIN if one page frame appears as two tables, which is possible if the
 * target changes during the walk; -ENOMEM.
 */
ptu_must_check int ptu_snapshot_parse(const void *bytes, size_t nr_bytes,
				      const struct ptu_geometry *geo,
				      struct ptu_snapshot *ret,
				      struct ptu_err *err);

/**
 * ptu_snapshot_parse_orphans() - Like ptu_snapshot_parse(), for an answer of `orphans`.
 *
 * In such an answer every entry must have been followed.
 */
ptu_must_check int ptu_snapshot_parse_orphans(const void *bytes,
					      size_t nr_bytes,
					      const struct ptu_geometry *geo,
					      struct ptu_snapshot *ret,
					      struct ptu_err *err);

void ptu_snapshot_deinit(struct ptu_snapshot *snapshot);

/**
 * ptu_snapshot_find() - Find the entry of an upper table that maps @addr.
 * @level: (in) level of the upper table
 * @kind: (out) kind of the entry; PTAUDIT_K_NONE if no run contains it
 *
 * Return: the run that contains the entry, or NULL.
 */
const struct ptaudit_table *
ptu_snapshot_find(const struct ptu_snapshot *snapshot,
		  const struct ptu_geometry *geo, unsigned int level,
		  uint64_t addr, enum ptaudit_kind *kind);

/**
 * ptu_record_before() - Order of records: start, then higher level, then table
 *	before run.
 */
bool ptu_record_before(const struct ptaudit_table *a,
		       const struct ptaudit_table *b);

#endif
