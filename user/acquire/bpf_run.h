/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Loads the BPF programs and runs them: what lies in the kernel's memory, as it
 * is.  The only user of libbpf, which it loads when it is needed.
 */
#ifndef PTU_ACQUIRE_BPF_RUN_H
#define PTU_ACQUIRE_BPF_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "bpf/shared.h"

struct ptu_bpf_run;

/**
 * struct ptu_bpf_times - what the programs took
 * @nr_runs: runs of BPF_PROG_TEST_RUN
 * @run_ns_max: the longest of them, with the system call
 */
struct ptu_bpf_times {
	uint64_t nr_runs;
	uint64_t run_ns_max;
};

/**
 * ptu_bpf_run_open() - Load the programs.
 * @ret: (out) close with ptu_bpf_run_close(); one thread at a time
 *
 * Return: 0; -EOPNOTSUPP built without them, no libbpf, or a kernel that lacks
 * something; -EPERM a capability is missing, or the kernel is locked down: each
 * with a sentence.
 */
ptu_must_check int ptu_bpf_run_open(struct ptu_bpf_run **ret,
				    struct ptu_err *err);

void ptu_bpf_run_close(struct ptu_bpf_run *run);

const struct ptu_bpf_kernel *ptu_bpf_run_kernel(const struct ptu_bpf_run *run);

const struct ptu_bpf_times *ptu_bpf_run_times(const struct ptu_bpf_run *run);

/**
 * ptu_bpf_run_has_function() - Does the kernel's BTF have this function?
 *
 * Return: 1, 0; -errno no BTF.
 */
ptu_must_check int ptu_bpf_run_has_function(struct ptu_bpf_run *run,
					    const char *name);

/**
 * ptu_bpf_run_find() - The task of a PID, and its mm.
 *
 * The mm of a task that exited is that of its group, if other threads live on.
 *
 * Return: 0; -ESRCH no such task; -EINVAL it has no mm; -errno.
 */
ptu_must_check int ptu_bpf_run_find(struct ptu_bpf_run *run, pid_t pid,
				    struct ptu_bpf_task *ret,
				    struct ptu_err *err);

/**
 * ptu_bpf_run_vmas() - Its VMAs, in the order of addresses.
 * @vmas: (out) free() it
 */
ptu_must_check int ptu_bpf_run_vmas(struct ptu_bpf_run *run, pid_t pid,
				    struct ptu_bpf_vma **vmas, size_t *nr_vmas,
				    struct ptu_err *err);

/**
 * struct ptu_bpf_copied - the answer of one run, valid until the next one
 * @before: the mm when the run began
 * @after: the mm when it ended
 * @nr_faults: addresses that could not be read
 * @tables: [nr] each PTU_BPF_TABLE bytes
 * @deposits: [nr]
 * @sharers: [nr]
 */
struct ptu_bpf_copied {
	struct ptu_bpf_state before;
	struct ptu_bpf_state after;
	uint32_t nr_faults;
	const uint8_t (*tables)[PTU_BPF_TABLE];
	const uint32_t *deposits;
	const uint32_t *sharers;
};

/**
 * ptu_bpf_run_copy() - Copy tables.
 * @mm: (in) address of the mm whose state is read; 0: none
 * @addresses: (in) [nr] where the kernel has them mapped; at most PTU_BPF_CHUNK
 * @ret: (out) .tables
 */
ptu_must_check int ptu_bpf_run_copy(struct ptu_bpf_run *run, uint64_t mm,
				    const uint64_t *addresses, size_t nr,
				    struct ptu_bpf_copied *ret,
				    struct ptu_err *err);

/**
 * ptu_bpf_run_deposits() - Count the tables deposited with PMD tables.
 * @pages: (in) [nr] addresses of the struct pages of the PMD tables
 * @limits: (in) [nr] deposits to count at most, in all PTU_BPF_LIST_STEPS
 * @ret: (out) .deposits and .sharers
 */
ptu_must_check int ptu_bpf_run_deposits(struct ptu_bpf_run *run, uint64_t mm,
					const uint64_t *pages,
					const uint32_t *limits, size_t nr,
					struct ptu_bpf_copied *ret,
					struct ptu_err *err);

#endif
