/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What `ptaudit system` found out: all that its renderers see. */
#ifndef PTU_REPORT_SYSTEM_H
#define PTU_REPORT_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/host.h"
#include "module/ptaudit_abi.h"

/*
 * What PageTables consists of.  The first PTAUDIT_NR_LEVELS are by level: tables
 * in the trees of processes.
 */
enum ptu_system_part {
	PTU_SYSTEM_DEPOSITED = PTAUDIT_NR_LEVELS,
	PTU_SYSTEM_VMPTE,      /* of processes whose tables were not walked */
	PTU_SYSTEM_NO_PROCESS, /* of address spaces that no process has */
	PTU_SYSTEM_TEXT_POKE, /* of the one by which the kernel patches itself */
	PTU_SYSTEM_KERNEL,    /* of the kernel's half */
	PTU_NR_SYSTEM_PARTS
};

/* Where the tables of processes are from. */
enum ptu_system_source {
	PTU_SYSTEM_BY_MODULE,
	PTU_SYSTEM_BY_BPF,
	PTU_SYSTEM_BY_VMPTE
};

/**
 * struct ptu_system_node - a NUMA node
 * @pagetables_bytes: PageTables of its meminfo
 * @flagged_bytes: its page frames that kpageflags calls page tables
 */
struct ptu_system_node {
	unsigned int node;
	uint64_t pagetables_bytes;
	uint64_t flagged_bytes;
};

/**
 * struct ptu_system_cgroup - a cgroup that tables are charged to
 * @path: below the mount point, "/" for the root; free() it
 * @depth: 0 for the root
 * @pagetables_bytes: of memory.stat: its own and those of the cgroups below it
 * @processes_bytes: counted tables of the processes in it and below it
 */
struct ptu_system_cgroup {
	char *path;
	unsigned int depth;
	uint64_t pagetables_bytes;
	uint64_t processes_bytes;
};

/**
 * struct ptu_system_report - PageTables, and what is in it
 * @pagetables_bytes: of /proc/meminfo
 * @parts: bytes in PageTables, each with a measurement of its own
 * @uncounted_bytes: by level: tables of processes that this kernel does not count
 * @shared_bytes: tables that were met again in another process
 * @flagged_bytes: page frames that kpageflags calls page tables
 * @nr_mms: address spaces of processes that were walked, or by VmPTE
 * @nr_sharing: processes that had one of these, too
 * @nr_unwalked: processes by VmPTE
 * @nr_gone: processes that ended meanwhile
 * @nr_kthreads: kernel threads
 * @nr_tries: how often all of it was measured
 * @has_refresh: the counters were brought up to date first
 * @has_flags: kpageflags could be read
 * @has_kernel: the kernel's half and the list of all PGDs could be read, from
 *	/proc/kcore
 * @has_no_process: and each process was walked, so that PGDs without a process
 *	are known
 * @held_still: PageTables was the same before and after
 * @source_note: why the module and BPF were not asked, a sentence; or ""
 * @flags_note: why kpageflags was not read
 * @kernel_note: why the kernel's own tables are not known
 * @nodes: [nr_nodes]
 * @cgroups: [nr_cgroups] each before those below it
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
	size_t nr_gone;
	size_t nr_kthreads;
	unsigned int nr_tries;
	bool has_refresh;
	bool has_flags;
	bool has_kernel;
	bool has_no_process;
	bool held_still;
	char source_note[PTU_ERR_LEN];
	char flags_note[PTU_ERR_LEN];
	char kernel_note[PTU_ERR_LEN];
	struct ptu_system_node *nodes;
	size_t nr_nodes;
	struct ptu_system_cgroup *cgroups;
	size_t nr_cgroups;
};

/**
 * ptu_system_part_name() - As JSON has it: "kernel".
 */
const char *ptu_system_part_name(unsigned int part);

/**
 * ptu_system_part_about() - A line for people.
 */
const char *ptu_system_part_about(unsigned int part);

/**
 * ptu_system_source_name() - "module", "bpf" or "vmpte".
 */
const char *ptu_system_source_name(enum ptu_system_source source);

/**
 * ptu_system_part_source() - The source of a part's bytes, as JSON has it: "kcore".
 */
const char *ptu_system_part_source(const struct ptu_system_report *report,
				   unsigned int part);

/**
 * ptu_system_is_uncounted() - Does this kernel leave the level out of PageTables?
 *
 * A table that was made after the flags were read is not counted either.
 */
bool ptu_system_is_uncounted(const struct ptu_system_report *report,
			     unsigned int level);

/**
 * ptu_system_accounted() - The sum of the parts.
 */
uint64_t ptu_system_accounted(const struct ptu_system_report *report);

/**
 * ptu_system_remainder() - PageTables less that; below 0: there is more than it says.
 */
int64_t ptu_system_remainder(const struct ptu_system_report *report);

void ptu_system_report_deinit(struct ptu_system_report *report);

#endif
