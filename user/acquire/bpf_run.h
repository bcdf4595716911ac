/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Load the BPF programs and run them to copy kernel memory unchanged. The only user
 * of libbpf, which is loaded on demand.
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
 * struct ptu_bpf_times - run times of the programs
 * @nr_runs: number of BPF_PROG_TEST_RUN calls
 * @run_ns_max: duration of the longest call, with the system call
 */
struct ptu_bpf_times {
	uint64_t nr_runs;
	uint64_t run_ns_max;
};

/**
 * ptu_bpf_run_open() - Load the programs.
 * @ret: (out) close with ptu_bpf_run_close(); one thread at a time
 *
 * Return: 0; -EOPNOTSUPP if the tool was built without them, libbpf is missing or
 * the kernel lacks a feature; -EPERM if a capability is missing or the kernel is
 * locked down. Each error has a sentence.
 */
ptu_must_check int ptu_bpf_run_open(struct ptu_bpf_run **ret,
				    struct ptu_err *err);

void ptu_bpf_run_close(struct ptu_bpf_run *run);

const struct ptu_bpf_kernel *ptu_bpf_run_kernel(const struct ptu_bpf_run *run);

const struct ptu_bpf_times *ptu_bpf_run_times(const struct ptu_bpf_run *run);

/**
 * ptu_bpf_run_has_function() - Does the kernel's BTF have this function?
 *
 * Return: 1, 0; -errno if there is no BTF.
 */
ptu_must_check int ptu_bpf_run_has_function(struct ptu_bpf_run *run,
					    const char *name);

/**
 * ptu_bpf_run_find() - Find the task of a PID and its mm.
 *
 * If the task has exited, the mm is taken from another thread of its group.
 *
 * Return: 0; -ESRCH no such task; -EINVAL it has no mm; -errno.
 */
ptu_must_check int ptu_bpf_run_find(struct ptu_bpf_run *run, pid_t pid,
				    struct ptu_bpf_task *ret,
				    struct ptu_err *err);

/**
 * ptu_bpf_run_vmas() - Get the VMAs of an mm, in the order of addresses.
 * @pid: (in) a task that has the mm
 * @mm: (in) address of the mm
 * @vmas: (out) free() it
 *
 * Return: 0; -EAGAIN without a sentence if no task has this mm any more; -errno.
 */
ptu_must_check int ptu_bpf_run_vmas(struct ptu_bpf_run *run, pid_t pid,
				    uint64_t mm, struct ptu_bpf_vma **vmas,
				    size_t *nr_vmas, struct ptu_err *err);

/**
 * struct ptu_bpf_copied - result of one run, valid until the next one
 * @before: state of the mm at the start of the run
 * @after: state of the mm at the end of the run
 * @nr_faults: number of addresses that could not be read
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
 * @addresses: (in) [nr] addresses in the direct map; at most PTU_BPF_CHUNK
 * @ret: (out) sets .tables
 */
ptu_must_check int ptu_bpf_run_copy(struct ptu_bpf_run *run, uint64_t mm,
				    const uint64_t *addresses, size_t nr,
				    struct ptu_bpf_copied *ret,
				    struct ptu_err *err);

/**
 * ptu_bpf_run_deposits() - Count the tables deposited with PMD tables.
 * @pages: (in) [nr] addresses of the struct pages of the PMD tables
 * @limits: (in) [nr] maximum numbers of deposits to count; their sum is at most
 *	PTU_BPF_LIST_STEPS
 * @ret: (out) sets .deposits and .sharers
 */
ptu_must_check int ptu_bpf_run_deposits(struct ptu_bpf_run *run, uint64_t mm,
					const uint64_t *pages,
					const uint32_t *limits, size_t nr,
					struct ptu_bpf_copied *ret,
					struct ptu_err *err);

#endif
