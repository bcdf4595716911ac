/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernel's side without a module: walk the page tables of a process by BPF, and
 * return the walk in the format of the module's `tables`.  Shares no code with the
 * module.
 */
#ifndef PTU_ACQUIRE_BPF_WALK_H
#define PTU_ACQUIRE_BPF_WALK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "model/geometry.h"

struct ptu_bpf;
struct ptu_bpf_times;

/**
 * ptu_bpf_open() - Load the programs and find the kernel's addresses.
 * @geo: (in) must outlive @ret
 * @ret: (out) close with ptu_bpf_close(); one thread at a time
 *
 * Return: 0; -EOPNOTSUPP, -EPERM as ptu_bpf_run_open(), or if the machine is not
 * supported. Each error has a sentence.
 */
ptu_must_check int ptu_bpf_open(const struct ptu_geometry *geo,
				struct ptu_bpf **ret, struct ptu_err *err);

void ptu_bpf_close(struct ptu_bpf *bpf);

/**
 * ptu_bpf_tables_alone() - Do not read PTE tables and VMAs from now on.
 *
 * The walk ends at the PMD tables, which point to the PTE tables. The records of PTE
 * tables look like those of empty tables. The limits of ptu_bpf_without_vmas() apply
 * as well.
 */
void ptu_bpf_tables_alone(struct ptu_bpf *bpf);

/**
 * ptu_bpf_without_vmas() - Do not read VMAs from now on.
 *
 * Reading them takes as long as reading the tables of a small process. Without them,
 * records have no pfnmap count and no flags that follow from VMAs; a hugetlb table is
 * recognized only if it has sharers.
 */
void ptu_bpf_without_vmas(struct ptu_bpf *bpf);

const struct ptu_bpf_times *ptu_bpf_times(const struct ptu_bpf *bpf);

/**
 * ptu_bpf_try() - Walk a process once.
 * @start: (in) start of the requested range
 * @end: (in) end of the requested range; 0 with @start 0 for all
 * @in_pieces: (in) read the tables one by one, see ptu_bpf_read_pieces(); not after
 *	ptu_bpf_tables_alone()
 * @bytes: (out) a struct ptaudit_header with PTAUDIT_H_BPF and its records; free()
 *	it
 *
 * Follows every entry of the user half, also outside VMAs.  Takes no lock.  Without
 * @in_pieces, the result is only valid if the mm cannot have changed during the walk.
 * With it, each table was one of the process at some moment of the walk, the answer
 * has PTAUDIT_H_PIECES, and the counters in the header are the smallest and the largest
 * that were seen.
 *
 * Return: 0; -EAGAIN if it may have changed, or a table could not be read; -ESRCH no
 * such process, or it ended; -EINVAL it has no mm; -ESTALE it called exec() meanwhile;
 * -errno.
 */
ptu_must_check int ptu_bpf_try(struct ptu_bpf *bpf, pid_t pid, uint64_t start,
			       uint64_t end, bool in_pieces, char **bytes,
			       size_t *nr_bytes, struct ptu_err *err);

/**
 * ptu_bpf_walk() - Repeat ptu_bpf_try() until it is valid; gives up after some
 *	tries.
 *
 * The last tries are in pieces, but not after ptu_bpf_without_vmas() or
 * ptu_bpf_tables_alone().
 */
ptu_must_check int ptu_bpf_walk(struct ptu_bpf *bpf, pid_t pid, uint64_t start,
				uint64_t end, char **bytes, size_t *nr_bytes,
				struct ptu_err *err);

#endif
