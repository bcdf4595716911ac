/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The result of `ptaudit system`, the only input of its renderers. */
#ifndef PTU_REPORT_SYSTEM_H
#define PTU_REPORT_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/host.h"
#include "module/ptaudit_abi.h"

/*
 * The parts of PageTables.  The first PTAUDIT_NR_LEVELS parts are tables in the
 * trees of processes, by level.
 */
enum ptu_system_part {
	PTU_SYSTEM_DEPOSITED = PTAUDIT_NR_LEVELS,
	PTU_SYSTEM_VMPTE,      /* processes that are counted by VmPTE */
	PTU_SYSTEM_NO_PROCESS, /* address spaces without a process */
	PTU_SYSTEM_TEXT_POKE,  /* the address space for kernel text patching */
	PTU_SYSTEM_KERNEL,     /* the kernel half */
	PTU_NR_SYSTEM_PARTS
};

/* Source of the tables of processes. */
enum ptu_system_source {
	PTU_SYSTEM_BY_MODULE,
	PTU_SYSTEM_BY_BPF,
	PTU_SYSTEM_BY_VMPTE
};

/**
 * struct ptu_system_node - a NUMA node
 * @pagetables_bytes: PageTables of its meminfo
 * @flagged_bytes: its page frames that kpageflags marks as page tables
 */
struct ptu_system_node {
	unsigned int node;
	uint64_t pagetables_bytes;
	uint64_t flagged_bytes;
};

/**
 * struct ptu_system_cgroup - a cgroup with charged page tables
 * @path: relative to the mount point, "/" for the root; free() it
 * @depth: 0 for the root
 * @pagetables_bytes: value of memory.stat, including descendants
 * @processes_bytes: counted tables of its processes, including descendants
 */
struct ptu_system_cgroup {
	char *path;
	unsigned int depth;
	uint64_t pagetables_bytes;
	uint64_t processes_bytes;
};

/**
 * struct ptu_system_report - PageTables and its parts
 * @pagetables_bytes: PageTables of /proc/meminfo
 * @parts: bytes of the parts, each measured separately
 * @uncounted_bytes: [level] tables of processes that this kernel does not count
 * @shared_bytes: tables that were found again in another process
 * @flagged_bytes: page frames that kpageflags marks as page tables
 * @nr_mms: address spaces of processes, walked or by VmPTE
 * @nr_sharing: processes that share one of these address spaces
 * @nr_unwalked: processes counted by VmPTE
 * @nr_uncompared: of these, processes that the caller may not compare with others.  An
 *	address space that they share is counted for each of them.
 * @nr_gone: processes that ended meanwhile
 * @nr_kthreads: kernel threads
 * @nr_tries: number of attempts
 * @has_refresh: the counters were brought up to date first
 * @has_flags: kpageflags could be read
 * @has_kernel: the kernel half and the list of all PGDs could be read from
 *	/proc/kcore
 * @has_no_process: in addition every process of the machine was walked, so PGDs
 *	without a process are known
 * @hides: why there are processes that /proc does not show; or NULL
 * @held_still: PageTables was the same before and after
 * @is_recording: of the recorded processes only VmPTE is used
 * @source_note: why neither the module nor BPF was used, a sentence; or ""
 * @flags_note: why kpageflags was not read
 * @kernel_note: why the kernel's own tables are unknown
 * @nodes: [nr_nodes]
 * @cgroups: [nr_cgroups] parents before children
 */
struct ptu_system_report {
	struct ptu_host host;
	char boot_id[64];
	enum ptu_system_source source;
	uint64_t pagetables_bytes;
	uint64_t parts[PTU_NR_SYSTEM_PARTS];
	uint64_t uncounted_bytes[PTAUDIT_NR_LEVELS];
	uint64_t shared_bytes;
	uint64_t flagged_bytes;
	size_t nr_mms;
	size_t nr_sharing;
	size_t nr_unwalked;
	size_t nr_uncompared;
	size_t nr_gone;
	size_t nr_kthreads;
	unsigned int nr_tries;
	bool has_refresh;
	bool has_flags;
	bool has_kernel;
	bool has_no_process;
	bool held_still;
	bool is_recording;
	const char *hides;
	char source_note[PTU_ERR_LEN];
	char flags_note[PTU_ERR_LEN];
	char kernel_note[PTU_ERR_LEN];
	struct ptu_system_node *nodes;
	size_t nr_nodes;
	struct ptu_system_cgroup *cgroups;
	size_t nr_cgroups;
};

/**
 * ptu_system_part_name() - Name in JSON: "kernel".
 */
const char *ptu_system_part_name(unsigned int part);

/**
 * ptu_system_part_about() - Description as text.
 */
const char *ptu_system_part_about(unsigned int part);

/**
 * ptu_system_source_name() - "module", "bpf" or "vmpte".
 */
const char *ptu_system_source_name(enum ptu_system_source source);

/**
 * ptu_system_part_source() - Source of a part's bytes, as in JSON: "kcore".
 */
const char *ptu_system_part_source(const struct ptu_system_report *report,
				   unsigned int part);

/**
 * ptu_system_is_uncounted() - Does this kernel not count the level in PageTables?
 *
 * Tables that were created after the flags were read are not counted either.
 */
bool ptu_system_is_uncounted(const struct ptu_system_report *report,
			     unsigned int level);

/**
 * ptu_system_accounted() - The sum of the parts.
 */
uint64_t ptu_system_accounted(const struct ptu_system_report *report);

/**
 * ptu_system_remainder() - PageTables minus that sum; negative if the sum is larger.
 */
int64_t ptu_system_remainder(const struct ptu_system_report *report);

void ptu_system_report_deinit(struct ptu_system_report *report);

#endif
