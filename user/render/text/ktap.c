// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A check as KTAP version 1: one result for each process.
 * Source of the format: Documentation/dev-tools/ktap.rst.
 */
#include <inttypes.h>

#include "base/escape.h"
#include "base/written.h"
#include "model/geometry.h"
#include "render/render.h"

static const char *orphan_sentence(const struct ptu_orphan_row *row)
{
	if (row->outside)
		return "it is outside all mappings";
	if (row->in_tables && row->in_orphans)
		return "the two walks see it in different page frames";
	return row->in_orphans ? "only the walk of all entries sees it" :
				 "only the walk by mappings sees it";
}

static const char *unexplained_sentence(const struct ptu_unexplained *table)
{
	/* both may have a table there, in other page frames or with other contents */
	if (table->side == PTU_SIDE_KERNEL_MODULE)
		return "the module has it, BPF does not have the same";
	if (table->side == PTU_SIDE_KERNEL_BPF)
		return "BPF has it, the module does not have the same";
	if (table->contents)
		return "each side has it with other contents";
	return table->side == PTU_SIDE_KERNEL ? "only the kernel has it" :
						"only the estimate has it";
}

static void say_unexplained(const struct ptu_process *process,
			    uint64_t page_bytes, FILE *out)
{
	const uint64_t deposited_bytes = process->deposited_tables * page_bytes;
	size_t i;

	for (i = 0; i < process->nr_unexplained; i++) {
		const struct ptu_unexplained *table = &process->unexplained[i];

		fprintf(out, "# %s %s at 0x%" PRIx64 "-0x%" PRIx64 ": %s, %s\n",
			ptu_level_name(table->level),
			table->leaf ? "leaf" : "table", table->start,
			table->end, unexplained_sentence(table),
			ptu_why_sentence(table->why));
	}
	for (i = 0; i < process->orphans.nr_unexplained; i++) {
		const struct ptu_orphan_row *row =
			&process->orphans.unexplained[i];

		fprintf(out, "# %s table at 0x%" PRIx64 "-0x%" PRIx64 ": %s\n",
			ptu_level_name(row->level), row->start, row->end,
			orphan_sentence(row));
	}
	if (process->vmpte_unexplained_bytes)
		fprintf(out,
			"# VmPTE is %" PRIu64 " bytes, %" PRIu64
			" %s than the tables of the tree (%" PRIu64
			") and the deposited ones (%" PRIu64 ")\n",
			process->vmpte_bytes, process->vmpte_unexplained_bytes,
			process->vmpte_bytes >
					process->tree_bytes + deposited_bytes ?
				"more" :
				"less",
			process->tree_bytes, deposited_bytes);
}

static void say_levels(const struct ptu_process *process, FILE *out)
{
	unsigned int level;

	for (level = 0; level < PTAUDIT_NR_LEVELS; level++) {
		const struct ptu_level_row *row = &process->levels[level];

		if (row->unexplained)
			fprintf(out,
				"# %s: kernel %" PRIu64 ", estimate %" PRIu64
				", unexplained %" PRIu64 "\n",
				ptu_level_name(level), row->kernel,
				row->estimate, row->unexplained);
	}
}

static void say_process(const struct ptu_report *report,
			const struct ptu_process *process, size_t nr, FILE *out)
{
	char comm[PTU_ESCAPE_BYTES(sizeof(process->comm))];
	bool bad = ptu_process_unexplained(process);
	const char *skip = NULL;

	switch (process->status) {
	case PTU_STATUS_OK:
		break;
	case PTU_STATUS_GONE:
		skip = report->is_all ? "it has ended" : NULL;
		bad = !skip;
		break;
	case PTU_STATUS_DENIED:
		skip = report->require_all ? NULL : "permission denied";
		bad = !skip;
		break;
	default:
		bad = true;
	}
	if (process->error[0])
		fprintf(out, "# %s\n", process->error);
	say_levels(process, out);
	say_unexplained(process, report->page_bytes, out);
	ptu_escape(process->comm, true, comm, sizeof(comm));
	/* in a description, # starts a directive */
	for (char *c = comm; *c; c++)
		if (*c == '#')
			*c = '_';
	fprintf(out, "%s %zu %d %s%s%s\n", bad ? "not ok" : "ok", nr,
		(int)process->pid, comm, skip ? " # SKIP " : "",
		skip ? skip : "");
}

int ptu_render_ktap(const struct ptu_report *report, FILE *out,
		    struct ptu_err *err)
{
	size_t i;

	fprintf(out, "KTAP version 1\n1..%zu\n", report->nr_processes);
	for (i = 0; i < report->nr_processes; i++)
		say_process(report, &report->processes[i], i + 1, out);
	return ptu_written(out, 0, err);
}
