/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernel's side without a module: walks the page tables of a process by BPF and
 * answers in the form of the module's `tables`.  Shares no code with the module.
 */
#ifndef PTU_ACQUIRE_BPF_WALK_H
#define PTU_ACQUIRE_BPF_WALK_H

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "model/geometry.h"

struct ptu_bpf;
struct ptu_bpf_times;

/**
 * ptu_bpf_open() - Make ready: load the programs, find the kernel's addresses.
 * @geo: (in) is kept
 * @ret: (out) close with ptu_bpf_close(); one thread at a time
 *
 * Return: 0; -EOPNOTSUPP, -EPERM as ptu_bpf_run_open(), or the machine is none
 * that can be walked: each with a sentence.
 */
ptu_must_check int ptu_bpf_open(const struct ptu_geometry *geo,
				struct ptu_bpf **ret, struct ptu_err *err);

void ptu_bpf_close(struct ptu_bpf *bpf);

/**
 * ptu_bpf_tables_alone() - From now on, do not read what PTE tables hold.
 *
 * The walk ends with the PMD tables, which tell where the PTE tables are: their records
 * look like those of empty ones.
 */
void ptu_bpf_tables_alone(struct ptu_bpf *bpf);

/**
 * ptu_bpf_without_vmas() - From now on, do not read the VMAs, which take as long as
 * the tables of a small process.
 *
 * What they tell of a table is then not there: pfnmap and the flags of a record.
 */
void ptu_bpf_without_vmas(struct ptu_bpf *bpf);

const struct ptu_bpf_times *ptu_bpf_times(const struct ptu_bpf *bpf);

/**
 * ptu_bpf_try() - Walk a process once.
 * @start: (in) first address of interest
 * @end: (in) end of the addresses of interest; 0 with @start 0 for all
 * @bytes: (out) a struct ptaudit_header with PTAUDIT_H_BPF and its records;
 *	free() it
 *
 * Every entry of the user half is followed, also where no VMA is.  No lock is
 * taken; what was read counts only if nothing can have changed meanwhile.
 *
 * Return: 0; -EAGAIN something may have; -ESRCH no such process, or it ended;
 * -EINVAL it has no mm; -ESTALE it exec'ed meanwhile; -errno.
 */
ptu_must_check int ptu_bpf_try(struct ptu_bpf *bpf, pid_t pid, uint64_t start,
			       uint64_t end, char **bytes, size_t *nr_bytes,
			       struct ptu_err *err);

/**
 * ptu_bpf_walk() - The same, until nothing has changed, some times at most.
 */
ptu_must_check int ptu_bpf_walk(struct ptu_bpf *bpf, pid_t pid, uint64_t start,
				uint64_t end, char **bytes, size_t *nr_bytes,
				struct ptu_err *err);

#endif
