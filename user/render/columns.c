// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What each column of the text output says.  Must not know how it is drawn.
 */
#include "render/columns.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/nearest.h"
#include "model/geometry.h"

static void number(struct ptu_cell *cell, uint64_t value)
{
	snprintf(cell->text, sizeof(cell->text), "%" PRIu64, value);
}

static void words(struct ptu_cell *cell, const char *text)
{
	snprintf(cell->text, sizeof(cell->text), "%s", text);
}

static void byte_size(struct ptu_cell *cell, uint64_t bytes)
{
	ptu_format_size(bytes, cell->bytes, cell->text);
}

/* The cell's level, or all levels of its process added up. */
static struct ptu_level_row sum(const struct ptu_cell *cell)
{
	struct ptu_level_row total = { 0 };
	unsigned int level;

	for (level = 0; level < PTAUDIT_NR_LEVELS; level++) {
		const struct ptu_level_row *row = &cell->process->levels[level];

		if (cell->level != PTU_NO_LEVEL && cell->level != level)
			continue;
		total.kernel += row->kernel;
		total.kernel_bpf += row->kernel_bpf;
		total.estimate += row->estimate;
		total.low += row->low;
		total.high += row->high;
		total.kernel_only += row->kernel_only;
		total.estimate_only += row->estimate_only;
		total.explained += row->explained;
		total.in_flux += row->in_flux;
		total.undecided += row->undecided;
		total.unexplained += row->unexplained;
		total.bytes += row->bytes;
	}
	return total;
}

static void fill_pid(struct ptu_cell *cell)
{
	number(cell, (uint64_t)cell->process->pid);
}

static void fill_comm(struct ptu_cell *cell)
{
	words(cell, cell->process->comm);
}

static void fill_uid(struct ptu_cell *cell)
{
	number(cell, cell->process->uid);
}

static void fill_level(struct ptu_cell *cell)
{
	words(cell, ptu_level_name(cell->level));
}

static void fill_rss(struct ptu_cell *cell)
{
	byte_size(cell, cell->process->rss_bytes);
}

static void fill_vmpte(struct ptu_cell *cell)
{
	if (cell->process->has_vmpte)
		byte_size(cell, cell->process->vmpte_bytes);
	else
		words(cell, "-");
}

static void fill_kernel(struct ptu_cell *cell)
{
	number(cell, sum(cell).kernel);
}

static void fill_bpf(struct ptu_cell *cell)
{
	if (cell->report->has_bpf)
		number(cell, sum(cell).kernel_bpf);
	else
		words(cell, "-");
}

static void fill_estimate(struct ptu_cell *cell)
{
	number(cell, sum(cell).estimate);
}

static void fill_low(struct ptu_cell *cell)
{
	number(cell, sum(cell).low);
}

static void fill_high(struct ptu_cell *cell)
{
	number(cell, sum(cell).high);
}

static void fill_diff(struct ptu_cell *cell)
{
	ptu_format_diff(sum(cell).kernel, sum(cell).estimate, cell->text);
}

static void fill_kernel_only(struct ptu_cell *cell)
{
	number(cell, sum(cell).kernel_only);
}

static void fill_estimate_only(struct ptu_cell *cell)
{
	number(cell, sum(cell).estimate_only);
}

static void fill_differ(struct ptu_cell *cell)
{
	number(cell, sum(cell).kernel_only + sum(cell).estimate_only);
}

static void fill_explained(struct ptu_cell *cell)
{
	number(cell, sum(cell).explained);
}

static void fill_in_flux(struct ptu_cell *cell)
{
	number(cell, sum(cell).in_flux);
}

static void fill_undecided(struct ptu_cell *cell)
{
	number(cell, sum(cell).undecided);
}

static void fill_unexplained(struct ptu_cell *cell)
{
	if (cell->level == PTU_NO_LEVEL)
		number(cell, ptu_process_unexplained(cell->process));
	else
		number(cell, sum(cell).unexplained);
}

static void fill_bytes(struct ptu_cell *cell)
{
	byte_size(cell,
		  cell->level == PTU_NO_LEVEL ?
			  ptu_process_table_bytes(cell->report, cell->process) :
			  sum(cell).bytes);
}

static void tables_at(struct ptu_cell *cell, unsigned int level)
{
	const struct ptu_level_row *row = &cell->process->levels[level];

	number(cell, cell->report->is_check ? row->kernel : row->estimate);
}

static void fill_pte(struct ptu_cell *cell)
{
	tables_at(cell, PTAUDIT_PTE);
}

static void fill_pmd(struct ptu_cell *cell)
{
	tables_at(cell, PTAUDIT_PMD);
}

static void fill_pud(struct ptu_cell *cell)
{
	tables_at(cell, PTAUDIT_PUD);
}

static void fill_p4d(struct ptu_cell *cell)
{
	tables_at(cell, PTAUDIT_P4D);
}

static void fill_pgd(struct ptu_cell *cell)
{
	tables_at(cell, PTAUDIT_PGD);
}

static void fill_empty(struct ptu_cell *cell)
{
	const struct ptu_process *process = cell->process;
	const bool all = cell->level == PTU_NO_LEVEL;

	if (!process->sees_empty) {
		words(cell, "-");
		return;
	}
	ptu_format_at_least(all ? ptu_process_empty(process) :
				  process->empty[cell->level],
			    process->fill.unasked &&
				    (all || cell->level == PTAUDIT_PTE),
			    cell->text);
}

static void fill_full(struct ptu_cell *cell)
{
	const struct ptu_fill *fill = &cell->process->fill;

	if (ptu_fill_is_whole(fill) &&
	    (cell->level == PTU_NO_LEVEL || cell->level == PTAUDIT_PTE))
		ptu_format_percent(ptu_fill_permille(fill), cell->text);
	else
		words(cell, "-");
}

static void fill_leaves(struct ptu_cell *cell)
{
	uint64_t nr_leaves = 0;
	unsigned int level;

	for (level = 0; level < PTAUDIT_NR_LEVELS; level++) {
		if (cell->level == PTU_NO_LEVEL || cell->level == level)
			nr_leaves += cell->process->leaves[level];
	}
	number(cell, nr_leaves);
}

static void fill_shared(struct ptu_cell *cell)
{
	uint64_t nr_tables = 0;
	size_t i;

	for (i = 0; i < cell->process->nr_shared; i++)
		nr_tables += cell->level == PTU_NO_LEVEL ||
			     cell->level == cell->process->shared[i].level;
	number(cell, nr_tables);
}

static void fill_deposited(struct ptu_cell *cell)
{
	number(cell, cell->process->deposited_tables);
}

static void fill_residual(struct ptu_cell *cell)
{
	int64_t residual = cell->process->residual_bytes;
	char size[PTU_FORMAT_LEN];

	ptu_format_size(residual < 0 ? 0 - (uint64_t)residual :
				       (uint64_t)residual,
			cell->bytes, size);
	snprintf(cell->text, sizeof(cell->text), "%s%s",
		 residual < 0 ? "-" : "", size);
}

static void fill_mm(struct ptu_cell *cell)
{
	if (cell->process->mm)
		snprintf(cell->text, sizeof(cell->text), "0x%" PRIx64,
			 cell->process->mm);
	else
		words(cell, "-");
}

static void fill_sharing(struct ptu_cell *cell)
{
	number(cell, cell->process->nr_sharing);
}

static void fill_tries(struct ptu_cell *cell)
{
	number(cell, cell->process->tries);
}

static void fill_status(struct ptu_cell *cell)
{
	words(cell, ptu_status_name(cell->process->status));
}

static void fill_note(struct ptu_cell *cell)
{
	if (cell->process->status != PTU_STATUS_OK && cell->process->error[0])
		words(cell, cell->process->error);
	else if (cell->process->self)
		words(cell, "ptaudit itself");
	else
		words(cell, "-");
}

#define L PTU_COL_LEVELS
#define P PTU_COL_PROCESSES
#define C PTU_COL_CHECK
#define E PTU_COL_ESTIMATE
#define R PTU_COL_RIGHT

const struct ptu_column ptu_columns[] = {
	{ "PID", "process", L | P | C | E | R, fill_pid },
	{ "COMM", "its name", L | P | C | E, fill_comm },
	{ "UID", "its user", L | P | C | E | R, fill_uid },
	{ "LEVEL", "level of the tables: pgd, p4d, pud, pmd, pte", L | C | E,
	  fill_level },
	{ "KERNEL", "tables that the kernel has", L | P | C | R, fill_kernel },
	{ "BPF", "tables that the walk by BPF sees (--truth both)",
	  L | P | C | R, fill_bpf },
	{ "ESTIMATE", "tables that the estimator is certain of",
	  L | P | C | E | R, fill_estimate },
	{ "LOW", "the same as ESTIMATE", L | P | C | E | R, fill_low },
	{ "HIGH", "certain and possible ones", L | P | C | E | R, fill_high },
	{ "DIFF", "KERNEL - ESTIMATE", L | P | C | R, fill_diff },
	{ "KERNEL-ONLY", "tables that only the kernel has", L | P | C | R,
	  fill_kernel_only },
	{ "ESTIMATE-ONLY", "tables that only the estimator has", L | P | C | R,
	  fill_estimate_only },
	{ "DIFFER", "KERNEL-ONLY + ESTIMATE-ONLY", L | P | C | R, fill_differ },
	{ "EXPLAINED", "of these, those with a proven cause", L | P | C | R,
	  fill_explained },
	{ "IN-FLUX", "of these, those that came or went meanwhile",
	  L | P | C | R, fill_in_flux },
	{ "UNDECIDED", "possible tables that no record settles", L | P | C | R,
	  fill_undecided },
	{ "UNEXPLAINED", "what stands between this process and agreement",
	  L | P | C | R | PTU_COL_ALARM, fill_unexplained },
	{ "SIZE", "memory of the tables; of a process with deposited ones",
	  L | P | C | E | R, fill_bytes },
	{ "RSS", "VmRSS", P | C | E | R, fill_rss },
	{ "VMPTE", "VmPTE, the kernel's own sum", P | C | E | R, fill_vmpte },
	{ "PTE", "PTE tables", P | C | E | R, fill_pte },
	{ "PMD", "PMD tables", P | C | E | R, fill_pmd },
	{ "PUD", "PUD tables", P | C | E | R, fill_pud },
	{ "P4D", "P4D tables", P | C | E | R, fill_p4d },
	{ "PGD", "PGD tables", P | C | E | R, fill_pgd },
	{ "EMPTY", "tables that hold nothing, or only such tables",
	  L | P | C | E | R, fill_empty },
	{ "FILL", "percent of the entries of PTE tables that are used",
	  L | P | C | E | R, fill_full },
	{ "LEAVES", "huge pages mapped by tables of the level", L | P | C | R,
	  fill_leaves },
	{ "SHARED", "tables that are mapped elsewhere too (hugetlb)",
	  L | P | C | R, fill_shared },
	{ "DEPOSITED", "PTE tables held back for huge pages", P | C | E | R,
	  fill_deposited },
	{ "RESIDUAL", "VMPTE - estimated PTE, PMD, PUD - DEPOSITED", P | E | R,
	  fill_residual },
	{ "MM", "identity of the address space", P | C, fill_mm },
	{ "SHARING", "further processes with this address space", P | C | R,
	  fill_sharing },
	{ "TRIES", "brackets that were needed", P | C | R, fill_tries },
	{ "STATUS", "ok, gone, failed, unstable or denied", L | P | C | E,
	  fill_status },
	{ "NOTE", "why it was not measured", P | C | E, fill_note },
};

const size_t ptu_nr_columns = sizeof(ptu_columns) / sizeof(ptu_columns[0]);

bool ptu_columns_have_fill(const struct ptu_column_choice *choice)
{
	size_t i;

	for (i = 0; i < choice->nr_columns; i++) {
		if (choice->columns[i]->fill == fill_full)
			return true;
	}
	return false;
}

static bool in_table(const struct ptu_column *column, unsigned int table)
{
	return (column->flags & table) == table;
}

static const struct ptu_column *find(const char *name, size_t name_len)
{
	size_t i;

	for (i = 0; i < ptu_nr_columns; i++) {
		if (strlen(ptu_columns[i].name) == name_len &&
		    !strncasecmp(ptu_columns[i].name, name, name_len))
			return &ptu_columns[i];
	}
	return NULL;
}

static int unknown(const char *name, size_t name_len, unsigned int table,
		   struct ptu_err *err)
{
	struct ptu_nearest nearest = { .word = name, .length = name_len };
	char hint[PTU_NEAREST_HINT];
	size_t i;

	for (i = 0; i < ptu_nr_columns; i++) {
		if (in_table(&ptu_columns[i], table))
			ptu_nearest_try(&nearest, ptu_columns[i].name);
	}
	return ptu_err_set(err, -EINVAL, "unknown column '%.*s'; %s",
			   (int)name_len, name,
			   ptu_nearest_hint(&nearest,
					    "--list-columns lists them", hint));
}

static int append(struct ptu_column_choice *choice, unsigned int table,
		  const char *names, struct ptu_err *err)
{
	for (;;) {
		size_t name_len = strcspn(names, ",");
		const struct ptu_column *column = find(names, name_len);

		if (!column)
			return unknown(names, name_len, table, err);
		if (!in_table(column, table))
			return ptu_err_set(err, -EINVAL,
					   "column %s is not in this table; --list-columns says where it is",
					   column->name);
		if (choice->nr_columns == PTU_MAX_COLUMNS)
			return ptu_err_set(err, -EINVAL, "more than %d columns",
					   PTU_MAX_COLUMNS);
		choice->columns[choice->nr_columns++] = column;
		names += name_len;
		if (!*names)
			return 0;
		names++;
	}
}

int ptu_columns_choose(unsigned int table, const char *defaults,
		       const char *wanted, bool all,
		       struct ptu_column_choice *ret, struct ptu_err *err)
{
	struct ptu_column_choice choice = { .nr_columns = 0 };
	int error = 0;
	size_t i;

	if (all) {
		for (i = 0; i < ptu_nr_columns; i++) {
			if (in_table(&ptu_columns[i], table))
				choice.columns[choice.nr_columns++] =
					&ptu_columns[i];
		}
	} else if (!wanted || wanted[0] == '+') {
		error = append(&choice, table, defaults, err);
	}
	if (!error && wanted && !all)
		error = append(&choice, table, wanted + (wanted[0] == '+'),
			       err);
	if (!error)
		*ret = choice;
	return error;
}

const char *ptu_column_fill(const struct ptu_column *column,
			    struct ptu_cell *cell)
{
	enum ptu_status status = cell->process->status;
	bool always = column->fill == fill_pid || column->fill == fill_comm ||
		      column->fill == fill_status || column->fill == fill_note;
	/* /proc/PID/status, which everybody may read */
	bool for_all = column->fill == fill_uid || column->fill == fill_rss ||
		       column->fill == fill_vmpte;

	if (always || status == PTU_STATUS_OK ||
	    (for_all && status == PTU_STATUS_DENIED))
		column->fill(cell);
	else
		words(cell, "-");
	if (!cell->text[0])
		words(cell, "-");
	return cell->text;
}
