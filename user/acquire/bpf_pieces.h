/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read the tables of a process that never stops changing: each table together with
 * the tables above it.  For acquire/bpf_walk.c only.
 */
#ifndef PTU_ACQUIRE_BPF_PIECES_H
#define PTU_ACQUIRE_BPF_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acquire/bpf_memory.h"
#include "acquire/bpf_run.h"
#include "base/err.h"
#include "bpf/shared.h"
#include "model/bpf_entry.h"
#include "model/geometry.h"

/**
 * struct ptu_bpf_walking - state of one walk
 * @in_pieces: each table is read at a moment of its own
 * @first: state of the mm at the start of the walk, if @has_begun; not in pieces
 * @last: its state after the last run; not in pieces
 * @low_bytes: smallest value of the mm's page-table counter that was seen
 * @high_bytes: largest value that was seen
 * @lists: what was read, by level
 * @next: records already in the answer, by level
 * @tree_bytes: bytes of the tables and deposits that were found; not in pieces
 */
struct ptu_bpf_walking {
	struct ptu_bpf_run *run;
	const struct ptu_bpf_memory *memory;
	struct ptu_bpf_reader reader;
	struct ptu_bpf_task task;
	struct ptu_bpf_vma *vmas;
	bool has_begun;
	bool tables_alone;
	bool without_vmas;
	bool in_pieces;
	struct ptu_bpf_state first;
	struct ptu_bpf_state last;
	uint64_t low_bytes;
	uint64_t high_bytes;
	struct ptu_bpf_list lists[PTAUDIT_NR_LEVELS];
	size_t next[PTAUDIT_NR_LEVELS];
	uint64_t tree_bytes;
	struct ptu_err *err;
};

/**
 * ptu_bpf_pgd() - Page frame of the PGD.
 */
struct ptu_bpf_place ptu_bpf_pgd(const struct ptu_bpf_walking *walk);

/**
 * ptu_bpf_deposit_limit() - How many deposits of a PMD table are followed.
 */
unsigned int ptu_bpf_deposit_limit(const struct ptaudit_table *table);

/**
 * ptu_bpf_enter_deposits() - Set the numbers of deposits and sharers in the record of a
 *	PMD table.
 */
void ptu_bpf_enter_deposits(const struct ptu_bpf_walking *walk,
			    struct ptaudit_table *table, uint32_t deposits,
			    uint32_t sharers);

/**
 * ptu_bpf_read_pieces() - Read all tables, one by one.
 * @walk: (in, out) .task and .reader; sets .lists, .low_bytes and .high_bytes
 *
 * One run of the program copies a table and the tables that lead to it.  The copies
 * are valid if no table was freed during this run.  An entry whose table went away
 * before it was read is left out, and the table that had it gets PTAUDIT_T_MOVED.
 *
 * Return: 0; -EAGAIN a table could not be read; -errno.
 */
ptu_must_check int ptu_bpf_read_pieces(struct ptu_bpf_walking *walk);

#endif
