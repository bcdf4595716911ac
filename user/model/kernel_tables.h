/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The bytes of the module's `tables` or `orphans`, checked.  Pure: bytes in, records out.
 * Nothing that contradicts itself gets past here.
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
 * @records: [nr_records], tables and runs in their order
 * @nr_moved: tables that were replaced while they were visited
 */
struct ptu_snapshot {
	struct ptaudit_header header;
	struct ptaudit_table *records;
	size_t nr_records;
	size_t nr_moved;
};

/**
 * ptu_snapshot_parse() - Check an answer and take it over.
 * @bytes: (in) [nr_bytes], the whole answer
 * @geo: (in) geometry that the records must obey
 * @ret: (out) deinit with ptu_snapshot_deinit(); untouched on failure
 *
 * Checked are: the sizes; each record's fields and sum; the order; that each
 * table lies in a table above that has exactly this entry as a child; that the
 * runs of a table add up to its counts; that no page frame is two tables, but
 * for hugetlb tables that are shared.
 *
 * Return: 0; -EBADMSG with the number of the record that is wrong; -EPROTO
 * another ABI; -EAGAIN two tables in one page frame, which a target that does
 * not hold still can show; -ENOMEM.
 */
ptu_must_check int ptu_snapshot_parse(const void *bytes, size_t nr_bytes,
				      const struct ptu_geometry *geo,
				      struct ptu_snapshot *ret,
				      struct ptu_err *err);

/**
 * ptu_snapshot_parse_orphans() - The same for an answer of `orphans`.
 *
 * In it every entry must have been followed.
 */
ptu_must_check int ptu_snapshot_parse_orphans(const void *bytes,
					      size_t nr_bytes,
					      const struct ptu_geometry *geo,
					      struct ptu_snapshot *ret,
					      struct ptu_err *err);

void ptu_snapshot_deinit(struct ptu_snapshot *snapshot);

/**
 * ptu_snapshot_find() - The entry of an upper table that maps @addr.
 * @level: (in) of the upper table
 * @kind: (out) what the entry is; PTAUDIT_K_NONE if nothing says otherwise
 *
 * Return: the run's record that says so, or NULL.
 */
const struct ptaudit_table *
ptu_snapshot_find(const struct ptu_snapshot *snapshot,
		  const struct ptu_geometry *geo, unsigned int level,
		  uint64_t addr, enum ptaudit_kind *kind);

/**
 * ptu_record_before() - Order of records: start, higher level, table before run.
 */
bool ptu_record_before(const struct ptaudit_table *a,
		       const struct ptaudit_table *b);

#endif
