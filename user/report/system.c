// SPDX-License-Identifier: LGPL-2.1-or-later
/* Names of the parts of PageTables, and their sum. */
#include "report/system.h"

#include <stdlib.h>

struct part {
	const char *name;
	const char *about;
};

static const struct part parts[PTU_NR_SYSTEM_PARTS] = {
	[PTAUDIT_PTE] = { "pte", "PTE tables of processes" },
	[PTAUDIT_PMD] = { "pmd", "PMD tables of processes" },
	[PTAUDIT_PUD] = { "pud", "PUD tables of processes" },
	[PTAUDIT_P4D] = { "p4d", "P4D tables of processes" },
	[PTAUDIT_PGD] = { "pgd", "PGDs of processes" },
	[PTU_SYSTEM_DEPOSITED] = { "deposited",
				   "PTE tables deposited for huge pages" },
	[PTU_SYSTEM_VMPTE] = { "vmpte", "processes that are counted by VmPTE" },
	[PTU_SYSTEM_NO_PROCESS] = { "no-process",
				    "address spaces of processes that start or have ended" },
	[PTU_SYSTEM_TEXT_POKE] = { "text-poke",
				   "address space for patching the kernel's code" },
	[PTU_SYSTEM_KERNEL] = { "kernel", "tables of the kernel half" },
};

const char *ptu_system_part_name(unsigned int part)
{
	return part < PTU_NR_SYSTEM_PARTS ? parts[part].name : "?";
}

const char *ptu_system_part_about(unsigned int part)
{
	return part < PTU_NR_SYSTEM_PARTS ? parts[part].about : "?";
}

const char *ptu_system_source_name(enum ptu_system_source source)
{
	switch (source) {
	case PTU_SYSTEM_BY_MODULE:
		return "module";
	case PTU_SYSTEM_BY_BPF:
		return "bpf";
	case PTU_SYSTEM_BY_VMPTE:
		break;
	}
	return "vmpte";
}

const char *ptu_system_part_source(const struct ptu_system_report *report,
				   unsigned int part)
{
	switch (part) {
	case PTU_SYSTEM_VMPTE:
		return report->nr_unwalked ? "vmpte" : "none";
	case PTU_SYSTEM_KERNEL:
	case PTU_SYSTEM_TEXT_POKE:
		return report->has_kernel ? "kcore" : "none";
	case PTU_SYSTEM_NO_PROCESS:
		return report->has_no_process ? "kcore" : "none";
	default:
		return report->source == PTU_SYSTEM_BY_VMPTE ?
			       "none" :
			       ptu_system_source_name(report->source);
	}
}

bool ptu_system_is_uncounted(const struct ptu_system_report *report,
			     unsigned int level)
{
	return report->uncounted_bytes[level] && !report->parts[level];
}

uint64_t ptu_system_accounted(const struct ptu_system_report *report)
{
	uint64_t bytes = 0;
	unsigned int i;

	for (i = 0; i < PTU_NR_SYSTEM_PARTS; i++)
		bytes += report->parts[i];
	return bytes;
}

int64_t ptu_system_remainder(const struct ptu_system_report *report)
{
	return (int64_t)(report->pagetables_bytes -
			 ptu_system_accounted(report));
}

void ptu_system_report_deinit(struct ptu_system_report *report)
{
	size_t i;

	for (i = 0; i < report->nr_cgroups; i++)
		free(report->cgroups[i].path);
	free(report->cgroups);
	free(report->nodes);
	report->cgroups = NULL;
	report->nodes = NULL;
	report->nr_cgroups = 0;
	report->nr_nodes = 0;
}
