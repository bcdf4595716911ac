// SPDX-License-Identifier: LGPL-2.1-or-later
/* Rank processes by VmPTE and examine the first ones in time.  Must not print. */
#include "measure/top.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acquire/procfs.h"
#include "acquire/spaces.h"
#include "base/clock.h"
#include "compare/top_why.h"
#include "measure/pieces.h"
#include "measure/top_look.h"

/* Default time limit for all processes. */
#define MOST_NS (7 * PTU_NS_PER_SEC)

/* Read the public data of a process. */
static int identify(const struct ptu_geometry *geo, struct ptu_proc *proc,
		    struct ptu_top_row *ret, struct ptu_err *err)
{
	struct ptu_proc_status status;
	int error = ptu_proc_has_memory(proc, err);

	if (!error)
		error = ptu_proc_status_of_living(proc, &status, err);
	if (error)
		return error;
	*ret = (struct ptu_top_row){
		.pid = proc->pid,
		.uid = status.uid,
		.start_time = proc->start_time,
		.vmpte_bytes = status.vmpte_bytes,
		.rss_bytes = status.vmrss_bytes,
	};
	snprintf(ret->comm, sizeof(ret->comm), "%s", proc->comm);
	/* VmPTE does not include the PGD */
	ret->total_bytes = status.vmpte_bytes +
			   ptu_geometry_table_bytes(geo, PTAUDIT_PGD);
	return 0;
}

static int list(const struct ptu_top_ask *ask, struct ptu_top_report *report)
{
	struct ptu_spaces spaces = { 0 };
	int error = 0;
	size_t i;

	report->rows = calloc(ask->nr_pids + 1, sizeof(*report->rows));
	if (!report->rows)
		return -ENOMEM;
	for (i = 0; !error && i < ask->nr_pids; i++) {
		struct ptu_top_row *row = &report->rows[report->nr_rows];
		struct ptu_proc proc;
		pid_t first = ask->pids[i];

		error = ptu_proc_open(ask->pids[i], &proc, NULL);
		if (error) {
			if (!ptu_proc_shortage(error))
				error = 0;
			continue;
		}
		error = identify(ask->geo, &proc, row, NULL);
		if (!error) {
			/* without permission for kcmp(), count the process separately */
			if (!ask->is_recording)
				error = ptu_spaces_add(&spaces, &proc, &first);
			if (!ptu_proc_shortage(error) &&
			    first == ask->pids[i]) {
				if (ask->group)
					ask->group(&proc, row, row->name);
				if (!ask->only ||
				    !strcmp(row->name, ask->only)) {
					report->all_bytes += row->vmpte_bytes;
					report->nr_rows++;
				}
			}
		}
		if (!ptu_proc_shortage(error))
			error = 0;
		ptu_proc_close(&proc);
	}
	ptu_spaces_deinit(&spaces);
	return error;
}

/* Examine the process of a row. If it has ended, set its PID to 0. */
static int measure_open(const struct ptu_top_ask *ask, uint64_t deadline_ns,
			struct ptu_top_row *row)
{
	struct ptu_top_row *joined;
	struct ptu_proc proc;
	size_t nr_joined;
	int error = ptu_proc_open_again(row->pid, row->start_time, &proc, NULL);

	if (!error && ptu_proc_has_memory(&proc, NULL)) {
		/* since it was listed, it has become a zombie */
		ptu_proc_close(&proc);
		error = -ESRCH;
	}
	if (!error) {
		/* leave time for other processes */
		proc.read_ns = proc.opened_ns < deadline_ns ?
				       (deadline_ns - proc.opened_ns) / 2 :
				       0;
		error = ptu_top_look(ask, &proc, deadline_ns, row, &joined,
				     &nr_joined);
		free(joined);
		ptu_proc_close(&proc);
	}
	if (ptu_proc_shortage(error))
		return error;
	if (error)
		row->pid = 0;
	return 0;
}

/*
 * Examine the rows from @first to @end: first the small ones, then the large ones,
 * which share the remaining time.  Processes that end meanwhile are left out.
 */
static int measure_rows(const struct ptu_top_ask *ask, uint64_t deadline_ns,
			size_t first, size_t end, struct ptu_top_report *report)
{
	size_t i, kept = 0, nr_large = 0;
	int error = 0;

	for (i = first; !error && i < end; i++) {
		if (ptu_is_large(ask->geo, report->rows[i].vmpte_bytes))
			nr_large++;
		else
			error = measure_open(ask, deadline_ns,
					     &report->rows[i]);
	}
	for (i = first; !error && i < end; i++) {
		const uint64_t now = ptu_now_ns();

		if (!ptu_is_large(ask->geo, report->rows[i].vmpte_bytes))
			continue;
		error = measure_open(ask,
				     now < deadline_ns ?
					     now + (deadline_ns - now) /
							     nr_large :
					     deadline_ns,
				     &report->rows[i]);
		nr_large--;
	}
	for (i = 0; i < report->nr_rows; i++) {
		if (report->rows[i].pid) {
			report->rows[kept++] = report->rows[i];
		} else {
			report->nr_all--;
			report->all_bytes -= report->rows[i].vmpte_bytes;
		}
	}
	report->nr_rows = kept;
	return error;
}

/* Replace processes by their groups, at the position of the first member. */
static void make_groups(struct ptu_top_report *report)
{
	size_t i, k, nr = 0;

	for (i = 0; i < report->nr_rows; i++) {
		const struct ptu_top_row row = report->rows[i];

		for (k = 0; k < nr; k++) {
			if (!strcmp(report->rows[k].name, row.name))
				break;
		}
		if (k == nr) {
			struct ptu_top_row *group = &report->rows[nr++];

			memset(group, 0, sizeof(*group));
			memcpy(group->name, row.name, sizeof(group->name));
			memcpy(group->comm, row.comm, sizeof(group->comm));
		}
		ptu_top_merge(&report->rows[k], &row);
	}
	report->nr_rows = nr;
}

static void order(const struct ptu_top_ask *ask, struct ptu_top_report *report)
{
	size_t i, nr = report->nr_rows;

	ptu_top_order(report->kind, report->rows, nr, ask->column);
	for (i = 0; ask->reverse && i < nr / 2; i++) {
		const struct ptu_top_row row = report->rows[i];

		report->rows[i] = report->rows[nr - 1 - i];
		report->rows[nr - 1 - i] = row;
	}
}

static int cannot_read_all(int error, struct ptu_err *err)
{
	return ptu_err_set(err, error, "cannot read all processes: %s",
			   strerror(-error));
}

static int top_processes(const struct ptu_top_ask *ask, uint64_t deadline_ns,
			 struct ptu_top_report *report, struct ptu_err *err)
{
	const bool is_groups = report->kind == PTU_TOP_GROUPS;
	const bool looks_at_all = is_groups ||
				  ptu_top_order_counts(ask->column);
	const size_t limit = ask->limit && !looks_at_all ? ask->limit :
							   SIZE_MAX;
	size_t first = 0, end;
	int error = list(ask, report);

	if (error)
		return cannot_read_all(error, err);
	report->nr_all = report->nr_rows;
	/* the largest first, also if reversed: a group shows PID and WHY of its first process */
	if (looks_at_all)
		ptu_top_order(report->kind, report->rows, report->nr_rows,
			      "TOTAL");
	else
		order(ask, report);
	end = report->nr_rows < limit ? report->nr_rows : limit;
	if (ask->nr_looks && !looks_at_all) {
		first = ask->look_first < end ? ask->look_first : end;
		end = end - first > ask->nr_looks ? first + ask->nr_looks : end;
	}
	do {
		const size_t nr_before = report->nr_rows;

		error = measure_rows(ask, deadline_ns, first, end, report);
		/* the next processes replace those that have ended */
		first = end - (nr_before - report->nr_rows);
		end = report->nr_rows < limit ? report->nr_rows : limit;
	} while (!error && !ask->nr_looks && first < end);
	if (error)
		return cannot_read_all(error, err);
	report->nr_rows = end;
	if (is_groups) {
		make_groups(report);
		report->nr_all = report->nr_rows;
	}
	return 0;
}

/* Make the rows add up to the memory of the process, except the PGD. */
static void add_deposits(const struct ptu_geometry *geo,
			 struct ptu_top_report *report)
{
	size_t i;

	for (i = 0; i < report->nr_rows; i++) {
		if (report->rows[i].has_deposited)
			report->rows[i].total_bytes +=
				report->rows[i].deposited_tables *
				geo->page_bytes;
	}
}

static int top_mappings(const struct ptu_top_ask *ask, uint64_t deadline_ns,
			struct ptu_top_report *report, struct ptu_err *err)
{
	struct ptu_proc proc;
	int error = ptu_proc_open(ask->pid, &proc, err);

	if (error)
		return error;
	error = identify(ask->geo, &proc, &report->process, err);
	if (!error)
		error = ptu_top_look(ask, &proc, deadline_ns, &report->process,
				     &report->rows, &report->nr_rows);
	if (error == -ESRCH)
		ptu_err_set(err, error, "process %d ended", (int)ask->pid);
	if (!error && report->process.source == PTU_TOP_VMPTE)
		error = ptu_err_set(err, -EACCES, "process %d: %s",
				    (int)ask->pid, report->process.why);
	ptu_proc_close(&proc);
	add_deposits(ask->geo, report);
	report->nr_all = report->nr_rows;
	report->all_bytes = report->process.vmpte_bytes;
	return error;
}

enum ptu_top_kind ptu_top_kind(const struct ptu_top_ask *ask)
{
	return ask->pid			? PTU_TOP_MAPPINGS :
	       ask->group && !ask->only ? PTU_TOP_GROUPS :
					  PTU_TOP_PROCESSES;
}

int ptu_measure_top(const struct ptu_top_ask *ask, struct ptu_top_report *ret,
		    struct ptu_err *err)
{
	const uint64_t deadline_ns = ptu_now_ns() +
				     (ask->most_ns ? ask->most_ns : MOST_NS);
	struct ptu_top_report report = { 0 };
	int error;

	report.kind = ptu_top_kind(ask);
	report.group = ask->only;
	error = ask->pid ? top_mappings(ask, deadline_ns, &report, err) :
			   top_processes(ask, deadline_ns, &report, err);
	if (error) {
		free(report.rows);
		return error;
	}
	order(ask, &report);
	if (ask->limit && report.nr_rows > ask->limit)
		report.nr_rows = ask->limit;
	*ret = report;
	return 0;
}
