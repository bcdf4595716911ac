// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The sentences of the text output.  Must not draw tables.
 */
#include "prose.h"

#include <inttypes.h>

#include "escape.h"
#include "format.h"

void ptu_prose_head(const struct ptu_report *report,
		    const struct ptu_process *process, FILE *out)
{
	char comm[PTU_ESCAPE_BYTES(sizeof(process->comm))];

	ptu_escape(process->comm, true, comm, sizeof(comm));
	fprintf(out, "%s (%d)%s: %s%s, Linux %s on %s\n", comm,
		(int)process->pid, process->self ? ", ptaudit itself" : "",
		report->is_check ? "kernel against estimator " : "estimator ",
		report->estimator, report->kernel_release, report->machine);
}

void ptu_prose_vmpte(const struct ptu_report *report,
		     const struct ptu_process *process, bool bytes, FILE *out)
{
	char vmpte[PTU_FORMAT_LEN];
	char other[PTU_FORMAT_LEN];
	char rest[PTU_FORMAT_LEN];
	int64_t residual = process->residual_bytes;

	if (!process->has_vmpte) {
		fputs("The kernel shows no VmPTE for it.\n", out);
		return;
	}
	ptu_format_exact(process->vmpte_bytes, bytes, vmpte);
	if (report->is_check) {
		ptu_format_exact(process->tree_bytes, bytes, other);
		ptu_format_exact(process->vmpte_unexplained_bytes, bytes, rest);
		fprintf(out,
			process->vmpte_unexplained_bytes ?
				"tree %s + deposited %" PRIu64
				" is NOT VmPTE %s: %s unexplained\n" :
				"tree %s + deposited %" PRIu64
				" = VmPTE %s, to the byte\n",
			other, process->deposited_tables, vmpte, rest);
		return;
	}
	ptu_format_exact(residual < 0 ? 0 - (uint64_t)residual :
					(uint64_t)residual,
			 bytes, rest);
	if (residual)
		fprintf(out, "VmPTE %s, deposited %" PRIu64 ": %s %s\n", vmpte,
			process->deposited_tables, rest,
			residual > 0 ? "in tables that nothing shows" :
				       "too much in the estimate");
	else
		fprintf(out,
			"VmPTE %s, deposited %" PRIu64
			": the estimate meets it to the byte\n",
			vmpte, process->deposited_tables);
}

void ptu_prose_verdict(const struct ptu_process *process, bool colours,
		       FILE *out)
{
	uint64_t unexplained = ptu_process_unexplained(process);
	uint64_t differ = 0;
	unsigned int level;

	for (level = 0; level < PTAUDIT_NR_LEVELS; level++)
		differ += process->levels[level].kernel_only +
			  process->levels[level].estimate_only;
	if (unexplained)
		fprintf(out, "%s%" PRIu64 " unexplained%s\n",
			colours ? "\033[31m" : "", unexplained,
			colours ? "\033[0m" : "");
	else if (differ)
		fprintf(out,
			"the sides differ on %" PRIu64
			" tables, and each is accounted for\n",
			differ);
	else
		fputs("the sides agree on every table\n", out);
}

static void unless_zero(FILE *out, size_t nr, const char *what)
{
	if (nr)
		fprintf(out, ", %zu %s", nr, what);
}

void ptu_prose_summary(const struct ptu_report *report, bool in_bytes,
		       FILE *out)
{
	uint64_t nr_tables = 0, bytes = 0, differ = 0, unexplained = 0;
	size_t nr_with[PTU_STATUS_UNSTABLE + 1] = { 0 };
	char size[PTU_FORMAT_LEN];
	unsigned int level;
	size_t i;

	for (i = 0; i < report->nr_processes; i++) {
		const struct ptu_process *process = &report->processes[i];

		nr_with[process->status]++;
		if (process->status != PTU_STATUS_OK)
			continue;
		unexplained += ptu_process_unexplained(process);
		for (level = 0; level < PTAUDIT_NR_LEVELS; level++) {
			const struct ptu_level_row *row =
				&process->levels[level];

			nr_tables += report->is_check ? row->kernel :
							row->estimate;
			bytes += row->bytes;
			differ += row->kernel_only + row->estimate_only;
		}
	}
	fprintf(out, "\n%zu processes measured by %s", nr_with[PTU_STATUS_OK],
		report->estimator);
	unless_zero(out, nr_with[PTU_STATUS_GONE], "gone meanwhile");
	unless_zero(out,
		    nr_with[PTU_STATUS_FAILED] + nr_with[PTU_STATUS_UNSTABLE],
		    "NOT measured");
	unless_zero(out, report->nr_kthreads, "kernel threads left out");
	unless_zero(out, report->nr_zombies, "zombies left out");
	unless_zero(out, report->nr_sharing,
		    "left out that share an address space");
	fputc('\n', out);
	ptu_format_size(bytes, in_bytes, size);
	fprintf(out, "%" PRIu64 " tables, %s", nr_tables, size);
	if (report->is_check)
		fprintf(out,
			"; the sides differ on %" PRIu64 "; %" PRIu64
			" unexplained",
			differ, unexplained);
	fputc('\n', out);
}
