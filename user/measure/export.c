// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Measure each process once, even if it changes meanwhile: metrics need no exact
 * moment.  Must not decide what is shown.
 */
#include "measure/export.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acquire/pagetables.h"
#include "acquire/procfs.h"
#include "acquire/spaces.h"
#include "base/clock.h"
#include "measure/pieces.h"

/* Time limit for the pieces of one process; beyond it, only VmPTE is reported. */
#define MOST_NS (5 * PTU_NS_PER_SEC)

/**
 * struct counting - state of counting the tables of one process
 * @pieces: tables of earlier pieces
 * @deadline_ns: no piece is read after this time (ptu_now_ns())
 * @ret: the numbers of tables so far
 */
struct counting {
	const struct ptu_export_ask *ask;
	const struct ptu_proc *proc;
	struct ptu_pieces pieces;
	uint64_t deadline_ns;
	struct ptu_export_group *ret;
};

static void count_table(struct counting *c, unsigned int level, uint64_t start,
			uint64_t bytes, bool is_empty)
{
	if (!ptu_pieces_is_new(&c->pieces, level, start))
		return;
	c->ret->tables[level]++;
	c->ret->bytes[level] += bytes;
	c->ret->nr_empty += is_empty && level == PTAUDIT_PTE;
}

static int count_kernel(struct counting *c, uint64_t start, uint64_t end)
{
	struct ptu_snapshot snapshot;
	int error = ptu_side_read(c->ask->side, c->proc, start, end,
				  PTU_WALK_BEFORE, &snapshot, NULL);
	size_t i;

	if (error)
		return error;
	for (i = 0; i < snapshot.nr_records; i++) {
		const struct ptaudit_table *table = &snapshot.records[i];

		if (table->type != PTAUDIT_TABLE)
			continue;
		count_table(c, table->level, table->start,
			    table->pages * c->ask->geo->page_bytes,
			    !table->used);
		c->ret->nr_deposited += table->deposited;
	}
	ptu_snapshot_deinit(&snapshot);
	return 0;
}

static int count_estimate(struct counting *c, uint64_t start, uint64_t end)
{
	const struct ptu_export_ask *ask = c->ask;
	struct ptu_evidence evidence = { 0 };
	struct ptu_tables tables;
	int error = ptu_proc_evidence(c->proc, ask->geo,
				      ask->estimator->needs | PTU_NEEDS_COUNTS,
				      start, end ? end : UINT64_MAX, &evidence,
				      NULL);
	size_t i;

	if (error)
		return error;
	ptu_tables_init(&tables, ask->geo);
	error = ptu_tables_add_pgd(&tables);
	if (!error)
		error = ask->estimator->estimate(&evidence, &tables, NULL);
	for (i = 0; !error && i < tables.nr_tables; i++) {
		const struct ptu_table *table = &tables.tables[i];

		if (table->claim == PTU_CERTAIN)
			count_table(c, table->level, table->start,
				    ptu_geometry_table_bytes(ask->geo,
							     table->level),
				    table->counted && !table->entries);
	}
	ptu_tables_deinit(&tables);
	ptu_evidence_deinit(&evidence);
	return error;
}

static int count_piece(void *arg, uint64_t start, uint64_t end)
{
	struct counting *c = arg;

	if (ptu_now_ns() >= c->deadline_ns)
		return -ETIME;
	return c->ask->side ? count_kernel(c, start, end) :
			      count_estimate(c, start, end);
}

static int count_process(struct counting *c, uint64_t vmpte_bytes)
{
	struct ptu_vmas vmas = { 0 };
	int error;

	c->deadline_ns = ptu_now_ns() + MOST_NS;
	if (!ptu_is_large(c->ask->geo, vmpte_bytes))
		return count_piece(c, 0, 0);
	error = ptu_proc_maps(c->proc, &vmas, NULL);
	if (!error)
		error = ptu_pieces_each(&vmas, c->ask->geo, count_piece, c);
	ptu_vmas_deinit(&vmas);
	return error;
}

/*
 * Add the tables of a process to its group.
 * Return: 0; -errno, which concerns only this process unless descriptors or memory ran out.
 */
static int add_process(const struct ptu_export_ask *ask,
		       const struct ptu_proc *proc, struct ptu_spaces *spaces,
		       struct ptu_export_report *report)
{
	struct ptu_export_group one = { .nr_processes = 1, .nr_counted = 1 };
	struct counting c = { .ask = ask, .proc = proc, .ret = &one };
	struct ptu_export_group *group;
	struct ptu_top_row row = { .pid = proc->pid };
	struct ptu_proc_status status = { 0 };
	pid_t first = proc->pid;
	int error = ptu_proc_has_memory(proc, NULL);

	if (!error)
		error = ptu_proc_status(proc, &status, NULL);
	if (error || !status.has_mm)
		return error;
	/* without permission for kcmp(), count the process separately */
	error = ptu_spaces_add(spaces, proc, &first);
	if (ptu_proc_shortage(error) || first != proc->pid)
		return error;
	error = count_process(&c, status.vmpte_bytes);
	if (error == -ENOMEM || error == -ESRCH)
		return error;
	if (error)
		one = (struct ptu_export_group){
			.nr_processes = 1, .vmpte_bytes = status.vmpte_bytes
		};
	else
		report->has_levels = true;
	row.uid = status.uid;
	snprintf(row.comm, sizeof(row.comm), "%s", proc->comm);
	ask->group(proc, &row, one.name);
	group = ptu_export_find(report, one.name);
	if (!group)
		return -ENOMEM;
	ptu_export_add(group, &one);
	return 0;
}

int ptu_measure_export(const struct ptu_export_ask *ask,
		       struct ptu_export_report *report, struct ptu_err *err)
{
	struct ptu_spaces spaces = { 0 };
	pid_t *pids = NULL;
	size_t nr_pids = 0, i;
	int error = ptu_proc_list(&pids, &nr_pids, err);

	for (i = 0; !error && i < nr_pids; i++) {
		struct ptu_proc proc;

		error = ptu_proc_open(pids[i], &proc, NULL);
		if (!error) {
			proc.read_ns = MOST_NS;
			error = add_process(ask, &proc, &spaces, report);
			ptu_proc_close(&proc);
		}
		if (ptu_proc_shortage(error))
			ptu_err_set(err, error, "cannot read all processes: %s",
				    strerror(-error));
		else
			error = 0;
	}
	ptu_spaces_deinit(&spaces);
	free(pids);
	if (!error)
		error = ptu_pagetables_read(false, &report->pagetables_bytes,
					    err);
	report->source = !report->has_levels ? "vmpte" :
			 !ask->side	     ? "estimate" :
					       ptu_side_name(ask->side);
	report->has_deposited = report->has_levels && ask->side;
	report->has_empty = report->has_levels &&
			    (ask->side ||
			     ptu_estimator_sees_empty(ask->estimator));
	memcpy(report->unfolded, ask->geo->unfolded, sizeof(report->unfolded));
	return error;
}
