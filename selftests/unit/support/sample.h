/* SPDX-License-Identifier: GPL-2.0-only */
/* A report made for tests: one process, 32 of whose 36 PTE tables are empty. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <string.h>

#include "report/report.h"

struct sample {
	struct ptu_report report;
	struct ptu_process processes[3];
	struct ptu_cause_row causes[2];
	struct ptu_unexplained unexplained[2];
	struct ptu_estimator_row estimators[2];
	struct ptu_shared shared[2];
	struct ptu_mapping_row mappings[4];
};

static inline void sample_init(struct sample *s)
{
	struct ptu_process *p = &s->processes[0];

	memset(s, 0, sizeof(*s));
	s->report.is_check = true;
	s->report.level_unfolded[PTAUDIT_PGD] = true;
	s->report.level_unfolded[PTAUDIT_PUD] = true;
	s->report.level_unfolded[PTAUDIT_PMD] = true;
	s->report.level_unfolded[PTAUDIT_PTE] = true;
	s->report.page_bytes = 4096;
	s->report.estimator = "pagemap";
	strcpy(s->report.kernel_release, "6.1.0-test");
	strcpy(s->report.machine, "x86_64");
	strcpy(s->report.boot_id, "a-b-c");
	strcpy(s->report.time, "2026-01-02T03:04:05Z");
	s->report.processes = s->processes;
	s->report.nr_processes = 1;
	s->report.nr_kthreads = 7;
	s->report.nr_zombies = 5;
	s->report.nr_sharing = 3;

	p->pid = 4242;
	p->uid = 107;
	strcpy(p->comm, "postgres");
	p->start_time = 123456;
	p->mm = 0xabcdef0123456789;
	p->tries = 1;
	p->levels[PTAUDIT_PGD] = (struct ptu_level_row){
		.kernel = 1,
		.estimate = 1,
		.low = 1,
		.high = 1,
		.bytes = 8192,
	};
	p->levels[PTAUDIT_PUD] = (struct ptu_level_row){
		.kernel = 2,
		.estimate = 2,
		.low = 2,
		.high = 2,
		.bytes = 8192,
	};
	p->levels[PTAUDIT_PMD] = (struct ptu_level_row){
		.kernel = 3,
		.estimate = 4,
		.low = 4,
		.high = 5,
		.bytes = 12288,
		.estimate_only = 1,
		.explained = 1,
	};
	p->levels[PTAUDIT_PTE] = (struct ptu_level_row){
		.kernel = 36,
		.estimate = 4,
		.low = 4,
		.high = 4,
		.kernel_only = 32,
		.explained = 32,
		.bytes = 147456,
	};
	s->causes[0] = (struct ptu_cause_row){
		.why = PTU_WHY_EMPTY,
		.level = PTAUDIT_PTE,
		.tables = 32,
		.bytes = 131072,
		.start = 0x7f0000000000,
		.end = 0x7f0004000000,
	};
	s->causes[1] = (struct ptu_cause_row){
		.why = PTU_WHY_HUGE_LEAF,
		.level = PTAUDIT_PMD,
		.tables = 1,
		.bytes = 4096,
		.start = 0x40000000,
		.end = 0x80000000,
	};
	p->causes = s->causes;
	p->nr_causes = 2;
	p->leaves[PTAUDIT_PMD] = 16;
	p->sees_empty = true;
	p->empty[PTAUDIT_PTE] = 32;
	p->fill = (struct ptu_fill){
		.tables = 36,
		.counted = 36,
		.entries = 512 + 3 * 5, /* of 18432: 2.86 % */
		.room = 36 * 512,
		.in_class = { 32, 3, 0, 0, 1 },
	};
	p->has_vmpte = true;
	p->vmpte_bytes = 180224; /* (36 + 3 + 2 + 3 deposited) * 4096 */
	p->tree_bytes = 167936;
	p->deposited_tables = 3;
	p->residual_bytes = -4096;
	s->estimators[0] = (struct ptu_estimator_row){
		.name = "pagemap",
		.low = { 4, 4, 2, 0, 1 },
		.high = { 4, 5, 2, 0, 1 },
	};
	s->estimators[1] = (struct ptu_estimator_row){
		.name = "naive",
		.error = "it is out of order",
	};
	p->estimators = s->estimators;
	p->nr_estimators = 2;
	p->rss_bytes = 1 << 20;

	s->report.set = (struct ptu_set){
		.nr_spaces = 1,
		.tables = { 36, 3, 2, 0, 1 },
		.bytes = { 147456, 12288, 8192, 0, 8192 },
		.tree_bytes = 167936,
		.deposited_tables = 3,
		.vmpte_bytes = 180224,
	};

	s->unexplained[0] = (struct ptu_unexplained){
		.level = PTAUDIT_PTE,
		.start = 0x7f0000200000,
		.end = 0x7f0000400000,
		.side = PTU_SIDE_KERNEL,
		.why = PTU_WHY_UNEXPLAINED,
		.entries = 9,
	};
	s->unexplained[1] = (struct ptu_unexplained){
		.level = PTAUDIT_PMD,
		.start = 0xffffffffffe00000,
		.end = 0,
		.side = PTU_SIDE_ESTIMATE,
		.why = PTU_WHY_UNDECIDED,
		.leaf = true,
	};
}

/*
 * An estimate with two mappings that have tables, one that has none, and a table outside
 * all mappings.
 */
static inline void sample_estimate(struct sample *s)
{
	struct ptu_process *p = &s->processes[0];

	sample_init(s);
	s->report.is_check = false;
	p->nr_causes = 0;
	p->mm = 0;
	/* like the estimator pagemap without --fill */
	p->sees_empty = false;
	memset(&p->fill, 0, sizeof(p->fill));
	s->mappings[0] = (struct ptu_mapping_row){
		.start = 0x400000,
		.end = 0x401000,
		.perms = "r-xp",
		.path = "/bin/x \x1b(deleted)",
		.low = { 2, 1, 1 },
		.high = { 3, 1, 1 },
	};
	s->mappings[1] = (struct ptu_mapping_row){
		.start = 0x500000,
		.end = 0x501000,
		.perms = "rw-p",
		.path = "[heap]",
	};
	s->mappings[2] = (struct ptu_mapping_row){
		.start = 0x40000000,
		.end = 0x80000000,
		.perms = "rw-s",
		.path = "",
		.leaves = 1,
	};
	s->mappings[3] = (struct ptu_mapping_row){
		.start = 0xffffffffffe00000,
		.end = 0,
		.perms = "",
		.path = "",
		.low = { 1 },
		.high = { 1 },
	};
	p->mappings = s->mappings;
	p->nr_mappings = 4;
}

/* Two processes share one PMD table; others share another one with them. */
static inline void sample_share(struct sample *s)
{
	struct ptu_process *p = &s->processes[0];

	sample_init(s);
	s->shared[0] = (struct ptu_shared){
		.start = 0x40000000,
		.end = 0x80000000,
		.pfn = 0x1234a,
		.sharers = 1,
		.pages = 1,
		.level = PTAUDIT_PMD,
	};
	s->shared[1] = (struct ptu_shared){
		.start = 0xffffffffc0000000,
		.end = 0,
		.pfn = 66,
		.sharers = 9,
		.pages = 1,
		.level = PTAUDIT_PMD,
	};
	p->shared = s->shared;
	p->nr_shared = 2;
	s->processes[1] = *p;
	s->processes[1].pid = 4243;
	s->report.nr_processes = 2;
	s->report.set = (struct ptu_set){
		.nr_spaces = 2,
		.tables = { 72, 5, 4, 0, 2 },
		.bytes = { 294912, 20480, 16384, 0, 16384 },
		.tree_bytes = 331776,
		.deposited_tables = 6,
		.vmpte_bytes = 360448,
		.shared_tables = 2,
		.shared_outside = 1,
		.counted_again = 1,
		.again_bytes = 4096,
	};
}

/* Two tables without a cause, one on each side. */
static inline void sample_add_unexplained(struct sample *s)
{
	struct ptu_process *p = &s->processes[0];

	p->unexplained = s->unexplained;
	p->nr_unexplained = 2;
	p->levels[PTAUDIT_PTE].unexplained = 1;
	p->levels[PTAUDIT_PMD].unexplained = 1;
	p->levels[PTAUDIT_PMD].undecided = 1;
}

#endif
