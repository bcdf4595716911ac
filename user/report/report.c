// SPDX-License-Identifier: LGPL-2.1-or-later
/* Names, sums and exit status of a report.  Pure: must not print or measure. */
#include "report/report.h"

#include <stdlib.h>

static const struct {
	const char *name;
	const char *sentence;
} whys[PTU_NR_WHYS] = {
	[PTU_WHY_UNSET] = { "unset", "no cause was looked for" },
	[PTU_WHY_EMPTY] = { "empty", "a PTE table without any entry" },
	[PTU_WHY_HOLLOW] = { "hollow",
			     "maps nothing: it leads only to empty tables" },
	[PTU_WHY_MARKER_ONLY] = { "marker-only",
				  "holds only entries that the estimator's interface does not show" },
	[PTU_WHY_HUGE_LEAF] = { "huge-leaf",
				"no table: the kernel maps a huge page where the estimator has a table" },
	[PTU_WHY_SETTLED] = { "settled",
			      "the estimator found it possible, and the kernel's record shows it" },
	[PTU_WHY_PFNMAP] = { "pfnmap",
			     "maps only memory that pagemap does not show" },
	[PTU_WHY_OUTSIDE_VMA] = { "outside-vma", "no mapping covers it" },
	[PTU_WHY_LDT] = { "ldt", "maps the LDT under page-table isolation" },
	[PTU_WHY_IN_FLUX] = { "in-flux", "came or went while it was measured" },
	[PTU_WHY_UNDECIDED] = { "undecided",
				"the estimator found it possible, and the record cannot decide it" },
	[PTU_WHY_UNEXPLAINED] = { "unexplained", "no cause could be proven" },
};

const char *ptu_why_name(enum ptu_why why)
{
	return (unsigned int)why < PTU_NR_WHYS ? whys[why].name : "unknown";
}

const char *ptu_why_sentence(enum ptu_why why)
{
	return (unsigned int)why < PTU_NR_WHYS ? whys[why].sentence :
						 "an unknown cause";
}

const char *ptu_seen_by(enum ptu_side side)
{
	static const char *const words[] = {
		[PTU_SIDE_KERNEL] = "kernel",
		[PTU_SIDE_ESTIMATE] = "estimate",
		[PTU_SIDE_KERNEL_MODULE] = "module",
		[PTU_SIDE_KERNEL_BPF] = "bpf",
	};

	return words[side];
}

const char *ptu_status_name(enum ptu_status status)
{
	switch (status) {
	case PTU_STATUS_OK:
		return "ok";
	case PTU_STATUS_GONE:
		return "gone";
	case PTU_STATUS_FAILED:
		return "failed";
	case PTU_STATUS_UNSTABLE:
		return "unstable";
	case PTU_STATUS_DENIED:
		return "denied";
	case PTU_NR_STATUSES:
		break;
	}
	return "unknown";
}

/* The level rows and the list should agree. If they do not, use the larger number. */
uint64_t ptu_process_unexplained(const struct ptu_process *process)
{
	uint64_t listed = process->nr_unexplained;
	uint64_t counted = 0;
	size_t i;

	for (i = 0; i < PTAUDIT_NR_LEVELS; i++)
		counted += process->levels[i].unexplained;
	for (i = 0; i < process->nr_causes; i++) {
		if (process->causes[i].why == PTU_WHY_UNSET)
			counted += process->causes[i].tables;
	}
	if (listed > counted)
		counted = listed;
	counted += process->orphans.nr_unexplained;
	return counted + (process->vmpte_unexplained_bytes ? 1 : 0);
}

uint64_t ptu_orphans_tables(const struct ptu_orphans_result *orphans)
{
	uint64_t tables = 0;
	unsigned int level;

	for (level = 0; level < PTAUDIT_NR_LEVELS; level++)
		tables += orphans->tables[level];
	return tables;
}

uint64_t ptu_process_bpf_tables(const struct ptu_process *process)
{
	uint64_t tables = 0;
	unsigned int level;

	for (level = 0; level < PTAUDIT_NR_LEVELS; level++)
		tables += process->levels[level].kernel_bpf;
	return tables;
}

uint64_t ptu_process_table_bytes(const struct ptu_report *report,
				 const struct ptu_process *process)
{
	uint64_t bytes = process->deposited_tables * report->page_bytes;
	unsigned int level;

	for (level = 0; level < PTAUDIT_NR_LEVELS; level++)
		bytes += process->levels[level].bytes;
	return bytes;
}

uint64_t ptu_process_unseen_bytes(const struct ptu_process *process,
				  uint64_t page_bytes)
{
	int64_t bytes = process->residual_bytes;
	unsigned int level;

	/* VmPTE has no tables above these */
	for (level = PTAUDIT_PTE; level <= PTAUDIT_PUD; level++)
		bytes -= (int64_t)((process->levels[level].high -
				    process->levels[level].low) *
				   page_bytes);
	return bytes > 0 ? (uint64_t)bytes : 0;
}

uint64_t ptu_set_table_bytes(const struct ptu_report *report)
{
	uint64_t bytes = report->set.deposited_tables * report->page_bytes;
	unsigned int level;

	for (level = 0; level < PTAUDIT_NR_LEVELS; level++)
		bytes += report->set.bytes[level];
	return bytes;
}

const char *ptu_mapping_name(const struct ptu_mapping_row *row)
{
	if (!row->perms[0])
		return "(no mapping)";
	return row->path[0] ? row->path : "[anon]";
}

bool ptu_mapping_has_any(const struct ptu_mapping_row *row)
{
	unsigned int level;

	for (level = 0; level < PTAUDIT_NR_LEVELS; level++) {
		if (row->high[level])
			return true;
	}
	return row->leaves != 0;
}

uint64_t ptu_process_empty(const struct ptu_process *process)
{
	uint64_t nr_tables = 0;
	unsigned int level;

	for (level = 0; level < PTAUDIT_NR_LEVELS; level++)
		nr_tables += process->empty[level];
	return nr_tables;
}

size_t ptu_report_with(const struct ptu_report *report, enum ptu_status status)
{
	size_t i, nr = 0;

	for (i = 0; i < report->nr_processes; i++)
		nr += report->processes[i].status == status;
	return nr;
}

int ptu_report_status(const struct ptu_report *report)
{
	size_t nr_measured = 0;
	int status = 0;
	size_t i;

	for (i = 0; i < report->nr_processes; i++) {
		const struct ptu_process *process = &report->processes[i];

		switch (process->status) {
		case PTU_STATUS_OK:
			nr_measured++;
			if (report->is_check &&
			    ptu_process_unexplained(process))
				status = 1;
			break;
		case PTU_STATUS_GONE:
			if (!report->is_all)
				return 2;
			break;
		case PTU_STATUS_DENIED:
			if (report->require_all)
				return 2;
			break;
		default:
			return 2;
		}
	}
	return nr_measured ? status : 2;
}

void ptu_process_deinit(struct ptu_process *process)
{
	free(process->causes);
	free(process->estimators);
	free(process->unexplained);
	free(process->shared);
	free(process->mappings);
	free(process->orphans.unexplained);
}

void ptu_report_deinit(struct ptu_report *report)
{
	size_t i;

	for (i = 0; i < report->nr_processes; i++)
		ptu_process_deinit(&report->processes[i]);
	free(report->processes);
	report->processes = NULL;
	report->nr_processes = 0;
}
