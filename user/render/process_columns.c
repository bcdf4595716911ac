// SPDX-License-Identifier: LGPL-2.1-or-later
/* The columns of processes and of their levels.  Must not know how they are drawn. */
#include "render/process_columns.h"

#include <stdio.h>

#include "render/format.h"

/* Define a function that fills a cell with a member of the process. */
#define OF_PROCESS(type)                                                     \
	static void process_##type(struct ptu_grid_cell *cell,               \
				   const void *row)                          \
	{                                                                    \
		ptu_fill_##type(cell, ((const struct ptu_process_line *)row) \
					      ->process);                    \
	}

OF_PROCESS(id)
OF_PROCESS(number)
OF_PROCESS(size)
OF_PROCESS(signed_size)

static void fill_comm(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_process_line *line = row;

	ptu_grid_words(cell, line->process->comm[0] || cell->json ?
				     line->process->comm :
				     "-");
}

static void fill_vmpte(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_process_line *line = row;

	if (line->process->has_vmpte)
		ptu_grid_size(cell, line->process->vmpte_bytes);
	else
		ptu_grid_unknown(cell);
}

static void fill_bpf(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_process_line *line = row;

	if (line->report->has_bpf)
		ptu_grid_number(cell, line->sum.kernel_bpf);
	else
		ptu_grid_none(cell);
}

static void fill_diff(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_process_line *line = row;

	ptu_grid_signed(cell, (int64_t)(line->sum.kernel - line->sum.estimate));
	ptu_format_diff(line->sum.kernel, line->sum.estimate, cell->text);
}

static void fill_differ(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_process_line *line = row;

	ptu_grid_number(cell, line->sum.kernel_only + line->sum.estimate_only);
}

static void fill_unexplained(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_process_line *line = row;

	ptu_grid_number(cell, line->level == PTU_NO_LEVEL ?
				      ptu_process_unexplained(line->process) :
				      line->sum.unexplained);
}

static void fill_bytes(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_process_line *line = row;

	ptu_grid_size(cell, line->level == PTU_NO_LEVEL ?
				    ptu_process_table_bytes(line->report,
							    line->process) :
				    line->sum.bytes);
}

/* Fill in the tables of a level; the column's .offset is the level. */
static void fill_tables(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_process_line *line = row;
	const struct ptu_level_row *level =
		&line->process->levels[cell->column->offset];

	ptu_grid_number(cell, line->report->is_check ? level->kernel :
						       level->estimate);
}

static void fill_empty(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_process_line *line = row;
	const struct ptu_process *process = line->process;
	const bool all = line->level == PTU_NO_LEVEL;

	if (!process->sees_empty) {
		ptu_grid_unknown(cell);
		return;
	}
	ptu_grid_at_least(cell,
			  all ? ptu_process_empty(process) :
				process->empty[line->level],
			  process->fill.unasked && line->level != PTAUDIT_PGD);
}

static void fill_full(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_process_line *line = row;
	const struct ptu_fill *fill = &line->process->fill;

	if (ptu_fill_is_whole(fill) &&
	    (line->level == PTU_NO_LEVEL || line->level == PTAUDIT_PTE))
		ptu_grid_percent(cell, fill);
	else
		ptu_grid_unknown(cell);
}

static void fill_leaves(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_process_line *line = row;
	uint64_t nr_leaves = 0;
	unsigned int level;

	for (level = 0; level < PTAUDIT_NR_LEVELS; level++) {
		if (line->level == PTU_NO_LEVEL || line->level == level)
			nr_leaves += line->process->leaves[level];
	}
	ptu_grid_number(cell, nr_leaves);
}

static void fill_shared(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_process_line *line = row;
	uint64_t nr_tables = 0;
	size_t i;

	for (i = 0; i < line->process->nr_shared; i++)
		nr_tables += line->level == PTU_NO_LEVEL ||
			     line->level == line->process->shared[i].level;
	ptu_grid_number(cell, nr_tables);
}

static void fill_mm(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_process_line *line = row;

	if (line->process->mm)
		ptu_grid_address(cell, line->process->mm);
	else
		ptu_grid_unknown(cell);
}

static void fill_status(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_process_line *line = row;

	ptu_grid_words(cell, ptu_status_name(line->process->status));
}

static void fill_note(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_process *process =
		((const struct ptu_process_line *)row)->process;

	if (process->status != PTU_STATUS_OK && process->error[0])
		ptu_grid_words(cell, process->error);
	else if (process->self)
		ptu_grid_words(cell, "ptaudit itself");
	else
		ptu_grid_unknown(cell);
}

/* Columns with a value although the process was not measured: always, or if it has a status file. */
#define ALWAYS (PTU_OWN << 4)
#define STATUS_FILE \
	(PTU_OWN << 5) /* /proc/PID/status, which everybody may read */

#define L PTU_COL_LEVELS
#define P PTU_COL_PROCESSES
#define LP (PTU_COL_LEVELS | PTU_COL_PROCESSES)
#define C PTU_COL_CHECK
#define E PTU_COL_ESTIMATE
#define CE (PTU_COL_CHECK | PTU_COL_ESTIMATE)
#define R PTU_RIGHT

#define SUM(member) offsetof(struct ptu_process_line, sum.member)
#define OF(member) offsetof(struct ptu_process, member)

/* clang-format off */
const struct ptu_grid_column ptu_process_columns[] = {
	{ "PID", "process", LP | CE | R | PTU_UP | ALWAYS, process_id, "pid", OF(pid) },
	{ "COMM", "process name", LP | CE | ALWAYS, fill_comm, "comm", 0 },
	{ "UID", "real UID of the process", LP | CE | R | PTU_UP | STATUS_FILE, process_id, "uid", OF(uid) },
	{ "LEVEL", "level of the tables: pgd, p4d, pud, pmd, pte", L | CE,
	  ptu_fill_level, "level", offsetof(struct ptu_process_line, level) },
	{ "KERNEL", "tables that the kernel has", LP | C | R,
	  ptu_fill_number, "kernel", SUM(kernel) },
	{ "BPF", "tables that the walk by BPF sees (--truth both)", LP | C | R,
	  fill_bpf, "kernel_bpf", 0 },
	{ "ESTIMATE", "tables that the estimator is certain of", LP | CE | R,
	  ptu_fill_number, "estimate", SUM(estimate) },
	{ "LOW", "certain tables, the same as ESTIMATE", LP | CE | R,
	  ptu_fill_number, "low", SUM(low) },
	{ "HIGH", "certain and possible tables", LP | CE | R,
	  ptu_fill_number, "high", SUM(high) },
	{ "DIFF", "KERNEL - ESTIMATE", LP | C | R, fill_diff, "diff", 0 },
	{ "KERNEL-ONLY", "tables that only the kernel has", LP | C | R,
	  ptu_fill_number, "kernel_only", SUM(kernel_only) },
	{ "ESTIMATE-ONLY", "tables that only the estimator has", LP | C | R,
	  ptu_fill_number, "estimate_only", SUM(estimate_only) },
	{ "DIFFER", "KERNEL-ONLY + ESTIMATE-ONLY", LP | C | R, fill_differ, "differ", 0 },
	{ "EXPLAINED", "tables in DIFFER with a proven cause", LP | C | R,
	  ptu_fill_number, "explained", SUM(explained) },
	{ "IN-FLUX", "tables in DIFFER that came or went meanwhile", LP | C | R,
	  ptu_fill_number, "in_flux", SUM(in_flux) },
	{ "UNDECIDED", "possible tables that the records do not decide", LP | C | R,
	  ptu_fill_number, "undecided", SUM(undecided) },
	{ "UNEXPLAINED", "differences without a cause, and undecided tables",
	  LP | C | R | PTU_ALARM, fill_unexplained, "unexplained", 0 },
	{ "SIZE", "memory of the tables; for a process, also of deposited ones",
	  LP | CE | R, fill_bytes, "bytes", 0 },
	{ "RSS", "VmRSS", P | CE | R | STATUS_FILE, process_size, "rss_bytes", OF(rss_bytes) },
	{ "VMPTE", "VmPTE, the kernel's own sum", P | CE | R | STATUS_FILE,
	  fill_vmpte, "vmpte_bytes", 0 },
	{ "PTE", "PTE tables", P | CE | R, fill_tables, "pte_tables", PTAUDIT_PTE },
	{ "PMD", "PMD tables", P | CE | R, fill_tables, "pmd_tables", PTAUDIT_PMD },
	{ "PUD", "PUD tables", P | CE | R, fill_tables, "pud_tables", PTAUDIT_PUD },
	{ "P4D", "P4D tables", P | CE | R, fill_tables, "p4d_tables", PTAUDIT_P4D },
	{ "PGD", "PGD tables", P | CE | R, fill_tables, "pgd_tables", PTAUDIT_PGD },
	{ "EMPTY", "tables without entries, or with only empty tables", LP | CE | R,
	  fill_empty, "empty_tables", 0 },
	{ "FILL", "percent of the entries of PTE tables that are used", LP | CE | R | PTU_UP,
	  fill_full, "fill_percent", 0 },
	{ "LEAVES", "huge pages mapped by tables of the level", LP | C | R,
	  fill_leaves, "leaves", 0 },
	{ "SHARED", "tables that are mapped elsewhere too (hugetlb)", LP | C | R,
	  fill_shared, "shared_tables", 0 },
	{ "DEPOSITED", "PTE tables deposited for huge pages", P | CE | R,
	  process_number, "deposited_tables", OF(deposited_tables) },
	{ "RESIDUAL", "VMPTE - estimated PTE, PMD, PUD - DEPOSITED", P | E | R,
	  process_signed_size, "residual_bytes", OF(residual_bytes) },
	{ "MM", "identity of the address space", P | C, fill_mm, "mm", 0 },
	{ "SHARING", "further processes with this address space", P | C | R,
	  process_id, "sharing", OF(nr_sharing) },
	{ "TRIES", "attempts until the walks agreed", P | C | R,
	  process_id, "tries", OF(tries) },
	{ "STATUS", "ok, gone, failed, unstable or denied", LP | CE | ALWAYS,
	  fill_status, "status", 0 },
	{ "NOTE", "why it was not measured", P | CE | ALWAYS, fill_note, "note", 0 },
	{ 0 },
};
/* clang-format on */

struct ptu_process_line ptu_process_line(const struct ptu_report *report,
					 const struct ptu_process *process,
					 unsigned int level)
{
	struct ptu_process_line line = {
		.report = report,
		.process = process,
		.level = level,
	};
	unsigned int i;

	if (level != PTU_NO_LEVEL)
		line.sum = process->levels[level];
	for (i = 0; level == PTU_NO_LEVEL && i < PTAUDIT_NR_LEVELS; i++) {
		const struct ptu_level_row *row = &process->levels[i];

		line.sum.kernel += row->kernel;
		line.sum.kernel_bpf += row->kernel_bpf;
		line.sum.estimate += row->estimate;
		line.sum.low += row->low;
		line.sum.high += row->high;
		line.sum.kernel_only += row->kernel_only;
		line.sum.estimate_only += row->estimate_only;
		line.sum.explained += row->explained;
		line.sum.in_flux += row->in_flux;
		line.sum.undecided += row->undecided;
		line.sum.unexplained += row->unexplained;
		line.sum.bytes += row->bytes;
	}
	return line;
}

bool ptu_process_line_has(const struct ptu_grid_column *column,
			  const void *line)
{
	const struct ptu_process_line *l = line;
	const enum ptu_status status = l->process->status;

	return status == PTU_STATUS_OK || (column->flags & ALWAYS) ||
	       (status == PTU_STATUS_DENIED && (column->flags & STATUS_FILE));
}

bool ptu_process_columns_have_fill(const struct ptu_grid_choice *choice)
{
	size_t i;

	for (i = 0; i < choice->nr_columns; i++) {
		if (choice->columns[i]->fill == fill_full)
			return true;
	}
	return false;
}

const char *ptu_level_members(const struct ptu_report *report)
{
	if (!report->is_check)
		return "LEVEL,ESTIMATE,LOW,HIGH,SIZE";
	return "LEVEL,KERNEL,BPF,ESTIMATE,LOW,HIGH,KERNEL-ONLY,ESTIMATE-ONLY,EXPLAINED,IN-FLUX,UNDECIDED,UNEXPLAINED,SIZE";
}
