// SPDX-License-Identifier: LGPL-2.1-or-later
/* The sentences of the text output.  Must not draw tables. */
#include "render/text/verdict.h"

#include <inttypes.h>

#include "base/escape.h"
#include "render/format.h"

/* Above this number, the threads that were read are not named. */
#define MOST_THREADS 5

void ptu_prose_thread(pid_t pid, pid_t tid, FILE *out)
{
	if (tid && tid != pid)
		fprintf(out,
			"The main thread of process %d has exited: read through thread %d.\n",
			(int)pid, (int)tid);
}

void ptu_prose_threads(const struct ptu_report *report, FILE *out)
{
	size_t nr = 0, i;

	for (i = 0; i < report->nr_processes; i++)
		nr += report->processes[i].tid &&
		      report->processes[i].tid != report->processes[i].pid;
	if (nr > MOST_THREADS)
		fprintf(out,
			"The main threads of %zu processes have exited: read through other threads.\n",
			nr);
	for (i = 0; i < report->nr_processes && nr <= MOST_THREADS; i++)
		ptu_prose_thread(report->processes[i].pid,
				 report->processes[i].tid, out);
}

void ptu_prose_head(const struct ptu_report *report,
		    const struct ptu_process *process, FILE *out)
{
	char comm[PTU_ESCAPE_BYTES(sizeof(process->comm))];

	ptu_escape(process->comm, true, comm, sizeof(comm));
	fprintf(out, "%s (%d)%s: %s%s, Linux %s on %s\n", comm,
		(int)process->pid, process->self ? ", ptaudit itself" : "",
		report->has_bpf	 ? "module and BPF against estimator " :
		report->is_check ? "kernel against estimator " :
				   "estimator ",
		report->estimator, report->kernel_release, report->machine);
	ptu_prose_thread(process->pid, process->tid, out);
}

static bool has_changed(const struct ptu_process *process)
{
	return process->faulted ||
	       process->vmpte_before_bytes != process->vmpte_bytes;
}

/*
 * Print the difference between an estimate and VmPTE.  If a process changed, the tables
 * that came or went cannot be told from those that the estimate misses or invents.
 */
static void say_residual(uint64_t vmpte_bytes, uint64_t deposited_bytes,
			 int64_t residual, bool changed, bool bytes, FILE *out)
{
	const char *more =
		changed ?
			"in tables that came meanwhile, or that the estimator does not see (check shows them)" :
			"in tables that the estimator does not see (check shows them)";
	const char *less =
		changed ?
			"too much in the estimate, or in tables that went meanwhile" :
			"too much in the estimate";
	char vmpte[PTU_FORMAT_LEN], deposited[PTU_FORMAT_LEN];
	char rest[PTU_FORMAT_LEN];

	ptu_format_exact(vmpte_bytes, bytes, vmpte);
	ptu_format_exact(deposited_bytes, bytes, deposited);
	ptu_format_exact(residual < 0 ? 0 - (uint64_t)residual :
					(uint64_t)residual,
			 bytes, rest);
	if (residual)
		fprintf(out, "VmPTE %s, deposited %s: %s %s\n", vmpte,
			deposited, rest, residual > 0 ? more : less);
	else
		fprintf(out,
			"VmPTE %s, deposited %s: the estimate is equal to VmPTE\n",
			vmpte, deposited);
}

void ptu_prose_vmpte(const struct ptu_report *report,
		     const struct ptu_process *process, bool bytes, FILE *out)
{
	const uint64_t deposited_bytes = process->deposited_tables *
					 report->page_bytes;
	char vmpte[PTU_FORMAT_LEN];
	char other[PTU_FORMAT_LEN];
	char deposited[PTU_FORMAT_LEN];
	char rest[PTU_FORMAT_LEN];

	if (!process->has_vmpte) {
		fputs("The kernel shows no VmPTE for this process.\n", out);
		return;
	}
	if (!report->is_check) {
		say_residual(process->vmpte_bytes, deposited_bytes,
			     process->residual_bytes, has_changed(process),
			     bytes, out);
		if (process->vmpte_before_bytes == process->vmpte_bytes) {
			if (process->faulted)
				fputs("The process had page faults while it was read: the figures may be of several moments (try --freeze).\n",
				      out);
			return;
		}
		ptu_format_exact(process->vmpte_before_bytes, bytes, other);
		fprintf(out,
			"The process changed while it was read: VmPTE was %s before (try --freeze).\n",
			other);
		return;
	}
	ptu_format_exact(process->vmpte_bytes, bytes, vmpte);
	ptu_format_exact(process->tree_bytes, bytes, other);
	ptu_format_exact(deposited_bytes, bytes, deposited);
	ptu_format_exact(process->vmpte_unexplained_bytes +
				 process->vmpte_in_flux_bytes,
			 bytes, rest);
	fprintf(out,
		process->vmpte_unexplained_bytes ?
			"tree %s + deposited %s is NOT VmPTE %s: %s unexplained\n" :
		process->vmpte_in_flux_bytes ?
			"tree %s + deposited %s is not VmPTE %s, which changed meanwhile: %s in flux\n" :
			"tree %s + deposited %s = VmPTE %s, to the byte\n",
		other, deposited, vmpte, rest);
}

void ptu_prose_orphans(uint64_t tables, uint64_t in_flux, uint64_t differ,
		       FILE *out)
{
	if (differ)
		fprintf(out,
			"the walk by mappings and the walk of all entries do NOT see the same tables: %" PRIu64
			" different, %" PRIu64 " equal",
			differ, tables);
	else
		fprintf(out,
			"the walk by mappings and the walk of all entries see the same %" PRIu64
			" tables",
			tables);
	if (in_flux)
		fprintf(out, "; %" PRIu64 " came or went", in_flux);
	fputc('\n', out);
}

void ptu_prose_bpf(uint64_t tables, uint64_t in_flux, uint64_t differ,
		   FILE *out)
{
	if (differ)
		fprintf(out,
			"module and BPF do NOT see the same: %" PRIu64
			" differences; BPF sees %" PRIu64 " tables",
			differ, tables);
	else
		fprintf(out, "module and BPF see the same %" PRIu64 " tables",
			tables);
	if (in_flux)
		fprintf(out, "; %" PRIu64 " came or went", in_flux);
	fputc('\n', out);
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
			" table%s accounted for\n",
			differ, differ == 1 ? ", which is" : "s, and each is");
	else
		fputs("the sides agree on every table\n", out);
}

/* Print the table memory and its difference from VmPTE: deposits and upper levels. */
static void say_table_memory(uint64_t bytes, uint64_t tree_bytes,
			     uint64_t deposited_bytes, bool in_bytes, FILE *out)
{
	char all[PTU_FORMAT_LEN], tree[PTU_FORMAT_LEN];
	char deposited[PTU_FORMAT_LEN], above[PTU_FORMAT_LEN];

	ptu_format_exact(bytes, in_bytes, all);
	ptu_format_exact(tree_bytes, in_bytes, tree);
	ptu_format_exact(deposited_bytes, in_bytes, deposited);
	ptu_format_exact(bytes - tree_bytes - deposited_bytes, in_bytes, above);
	fprintf(out,
		"table memory %s: PTE, PMD and PUD %s, deposited %s, PGD and P4D %s\n",
		all, tree, deposited, above);
}

void ptu_prose_tables(const struct ptu_report *report,
		      const struct ptu_process *process, bool bytes, FILE *out)
{
	say_table_memory(ptu_process_table_bytes(report, process),
			 process->tree_bytes,
			 process->deposited_tables * report->page_bytes, bytes,
			 out);
}

/*
 * Print the number of empty PTE tables, of upper tables that hold nothing, and the fill
 * of all PTE tables.
 */
static void say_empty(const struct ptu_report *report,
		      const struct ptu_fill *fill, bool in_bytes, FILE *out)
{
	const uint64_t nr_empty = fill->in_class[PTU_FILL_EMPTY];
	const bool any = nr_empty || fill->hollow;
	const char *least = fill->unasked ? "at least " : "";
	char size[PTU_FORMAT_LEN], percent[PTU_FORMAT_LEN];

	if (any)
		fprintf(out,
			"empty: %s%" PRIu64 " of %" PRIu64 " PTE tables, %s",
			least, nr_empty, fill->tables,
			ptu_format_exact(nr_empty * report->page_bytes,
					 in_bytes, size));
	if (fill->hollow)
		fprintf(out, "; %s%" PRIu64 " upper table%s nothing, %s", least,
			fill->hollow, fill->hollow == 1 ? " holds" : "s hold",
			ptu_format_exact(fill->hollow * report->page_bytes,
					 in_bytes, size));
	if (nr_empty && fill->unasked)
		fputs(" (--fill counts them all)", out);
	if (report->has_fill && ptu_fill_is_whole(fill))
		fprintf(out, "%s%s %% of the entries of PTE tables are used",
			any ? "; " : "",
			ptu_format_percent(ptu_fill_permille(fill), percent));
	else if (report->has_fill && fill->tables)
		fprintf(out,
			"%sthe used entries of %" PRIu64 " of %" PRIu64
			" PTE tables are not known",
			any ? "; " : "", fill->tables - fill->counted,
			fill->tables);
	else if (!any)
		return;
	fputc('\n', out);
}

void ptu_prose_fill(const struct ptu_report *report,
		    const struct ptu_process *process, bool in_bytes, FILE *out)
{
	if (process->sees_empty || report->has_fill)
		say_empty(report, &process->fill, in_bytes, out);
}

/* Print the same for all processes. */
static void say_set_fill(const struct ptu_report *report, bool in_bytes,
			 FILE *out)
{
	struct ptu_fill fill = { 0 };
	bool sees_empty = false;
	size_t i;

	for (i = 0; i < report->nr_processes; i++) {
		ptu_fill_merge(&fill, &report->processes[i].fill);
		sees_empty |= report->processes[i].sees_empty;
	}
	if (sees_empty || report->has_fill)
		say_empty(report, &fill, in_bytes, out);
}

static void say_set_memory(const struct ptu_report *report, bool bytes,
			   FILE *out)
{
	const struct ptu_set *set = &report->set;

	say_table_memory(ptu_set_table_bytes(report), set->tree_bytes,
			 set->deposited_tables * report->page_bytes, bytes,
			 out);
}

static uint64_t count_tables(const struct ptu_set *set)
{
	uint64_t nr_tables = set->deposited_tables;
	unsigned int level;

	for (level = 0; level < PTAUDIT_NR_LEVELS; level++)
		nr_tables += set->tables[level];
	return nr_tables;
}

static void shared_once(const struct ptu_set *set, FILE *out)
{
	if (!set->shared_tables)
		return;
	if (set->shared_tables == 1)
		fputs("1 shared table, counted once; VmPTE has it ", out);
	else
		fprintf(out,
			"%" PRIu64
			" shared tables, each counted once; VmPTE has them ",
			set->shared_tables);
	if (set->counted_again == 1)
		fputs("once more", out);
	else
		fprintf(out, "%" PRIu64 " times more", set->counted_again);
	if (set->shared_outside)
		fprintf(out, "; others share %" PRIu64 " of them",
			set->shared_outside);
	fputc('\n', out);
}

static bool vmpte_is_unexplained(const struct ptu_report *report)
{
	size_t i;

	for (i = 0; i < report->nr_processes; i++)
		if (report->processes[i].status == PTU_STATUS_OK &&
		    report->processes[i].vmpte_unexplained_bytes)
			return true;
	return false;
}

static bool any_has_changed(const struct ptu_report *report)
{
	size_t i;

	for (i = 0; i < report->nr_processes; i++)
		if (report->processes[i].status == PTU_STATUS_OK &&
		    has_changed(&report->processes[i]))
			return true;
	return false;
}

/* Print how the sum compares with VmPTE. */
static void say_set_vmpte(const struct ptu_report *report, bool in_bytes,
			  FILE *out)
{
	const struct ptu_set *set = &report->set;
	const uint64_t deposited_bytes = set->deposited_tables *
					 report->page_bytes;
	char vmpte[PTU_FORMAT_LEN], tree[PTU_FORMAT_LEN], again[PTU_FORMAT_LEN];
	char deposited[PTU_FORMAT_LEN], rest[PTU_FORMAT_LEN];

	if (!report->is_check) {
		say_residual(set->vmpte_bytes, deposited_bytes,
			     set->residual_bytes, any_has_changed(report),
			     in_bytes, out);
		return;
	}
	ptu_format_exact(set->residual_bytes < 0 ?
				 0 - (uint64_t)set->residual_bytes :
				 (uint64_t)set->residual_bytes,
			 in_bytes, rest);
	ptu_format_exact(set->tree_bytes, in_bytes, tree);
	ptu_format_exact(set->again_bytes, in_bytes, again);
	ptu_format_exact(set->vmpte_bytes, in_bytes, vmpte);
	fprintf(out, "trees %s + deposited %s", tree,
		ptu_format_exact(deposited_bytes, in_bytes, deposited));
	if (set->counted_again)
		fprintf(out, " + counted again %s", again);
	fprintf(out,
		!set->residual_bytes ?
			" = sum of VmPTE %s, to the byte\n" :
		vmpte_is_unexplained(report) ?
			" are NOT the sum of VmPTE %s: the difference is %s\n" :
			" are not the sum of VmPTE %s, which changed meanwhile: %s in flux\n",
		vmpte, rest);
}

void ptu_prose_set(const struct ptu_report *report, bool in_bytes, FILE *out)
{
	const struct ptu_set *set = &report->set;
	char size[PTU_FORMAT_LEN];

	ptu_format_size(ptu_set_table_bytes(report), in_bytes, size);
	fprintf(out, "\n%zu address space%s: %" PRIu64 " tables, %s\n",
		set->nr_spaces, set->nr_spaces == 1 ? "" : "s as one",
		count_tables(set), size);
	say_set_memory(report, in_bytes, out);
	shared_once(set, out);
	say_set_vmpte(report, in_bytes, out);
}

static void unless_zero(FILE *out, size_t nr, const char *what)
{
	if (nr)
		fprintf(out, ", %zu %s", nr, what);
}

static void left_out(FILE *out, size_t nr, const char *what)
{
	if (nr)
		fprintf(out, ", %zu %s%s left out", nr, what, ptu_plural(nr));
}

void ptu_prose_summary(const struct ptu_report *report, bool in_bytes,
		       FILE *out)
{
	uint64_t differ = 0, unexplained = 0;
	uint64_t orphans_tables = 0, orphans_in_flux = 0, orphans_differ = 0;
	uint64_t bpf_tables = 0, bpf_in_flux = 0, bpf_differ = 0;
	size_t nr_changed = 0, nr_ok;
	char size[PTU_FORMAT_LEN];
	unsigned int level;
	size_t i;

	for (i = 0; i < report->nr_processes; i++) {
		const struct ptu_process *process = &report->processes[i];

		if (process->status != PTU_STATUS_OK)
			continue;
		nr_changed += !report->is_check && has_changed(process);
		unexplained += ptu_process_unexplained(process);
		bpf_tables += ptu_process_bpf_tables(process);
		bpf_in_flux += process->bpf.in_flux;
		bpf_differ += process->bpf.unexplained;
		orphans_tables += ptu_orphans_tables(&process->orphans);
		orphans_in_flux += process->orphans.in_flux;
		orphans_differ += process->orphans.nr_unexplained;
		for (level = 0; level < PTAUDIT_NR_LEVELS; level++) {
			const struct ptu_level_row *row =
				&process->levels[level];

			differ += row->kernel_only + row->estimate_only;
		}
	}
	nr_ok = ptu_report_with(report, PTU_STATUS_OK);
	fprintf(out, "\n%zu process%s (estimator: %s)", nr_ok,
		nr_ok == 1 ? "" : "es", report->estimator);
	unless_zero(out, ptu_report_with(report, PTU_STATUS_GONE),
		    "gone meanwhile");
	unless_zero(out, ptu_report_with(report, PTU_STATUS_DENIED),
		    "permission denied");
	unless_zero(out,
		    ptu_report_with(report, PTU_STATUS_FAILED) +
			    ptu_report_with(report, PTU_STATUS_UNSTABLE),
		    "NOT measured");
	unless_zero(out, nr_changed, "changed while they were read");
	left_out(out, report->nr_kthreads, "kernel thread");
	left_out(out, report->nr_zombies, "zombie");
	unless_zero(out, report->nr_sharing,
		    "left out that share an address space");
	fputc('\n', out);
	ptu_format_size(ptu_set_table_bytes(report), in_bytes, size);
	fprintf(out, "%" PRIu64 " tables, %s", count_tables(&report->set),
		size);
	if (report->is_check)
		fprintf(out,
			"; the sides differ on %" PRIu64 "; %" PRIu64
			" unexplained",
			differ, unexplained);
	fputc('\n', out);
	if (report->set.nr_spaces)
		say_set_memory(report, in_bytes, out);
	if (report->is_check)
		shared_once(&report->set, out);
	if (report->set.nr_spaces)
		say_set_vmpte(report, in_bytes, out);
	say_set_fill(report, in_bytes, out);
	if (report->has_bpf)
		ptu_prose_bpf(bpf_tables, bpf_in_flux, bpf_differ, out);
	if (report->has_orphans)
		ptu_prose_orphans(orphans_tables, orphans_in_flux,
				  orphans_differ, out);
	ptu_prose_threads(report, out);
}
