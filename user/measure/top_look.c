// SPDX-License-Identifier: LGPL-2.1-or-later
/* Examine the tables of one process within a time limit.  Must not choose processes. */
#include "measure/top_look.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acquire/procfs.h"
#include "base/clock.h"
#include "compare/mappings.h"
#include "compare/table_fill.h"
#include "compare/table_rows.h"
#include "compare/top_why.h"
#include "measure/pieces.h"

/**
 * struct space - the tables of one process counted so far
 * @p: fill and empty tables
 * @rows: [nr_rows] by mapping, summed over all pieces
 * @deposited_tables: PTE tables deposited for huge pages
 * @upper_bytes: tables of the levels that VmPTE does not include
 * @pieces: tables of earlier pieces
 * @nowhere_bytes: VmPTE minus the tables that were found
 */
struct space {
	const struct ptu_top_ask *ask;
	struct ptu_proc *proc;
	const struct ptu_kernel_side *side;
	struct ptu_vmas vmas;
	struct ptu_process p;
	struct ptu_mapping_row *rows;
	size_t nr_rows;
	uint64_t deposited_tables;
	uint64_t upper_bytes;
	struct ptu_pieces pieces;
	uint64_t nowhere_bytes;
};

static void space_deinit(struct space *s)
{
	ptu_vmas_deinit(&s->vmas);
	free(s->rows);
}

static void add_rows(struct ptu_mapping_row *to,
		     const struct ptu_mapping_row *from)
{
	unsigned int level;

	for (level = 0; level < PTAUDIT_NR_LEVELS; level++) {
		to->low[level] += from->low[level];
		to->high[level] += from->high[level];
	}
	to->leaves += from->leaves;
	ptu_fill_merge(&to->fill, &from->fill);
}

/* Remove tables that an earlier piece had. */
static void drop_again(struct space *s, struct ptu_tables *tables)
{
	size_t i, kept = 0;

	for (i = 0; i < tables->nr_tables; i++) {
		const struct ptu_table *table = &tables->tables[i];
		const unsigned int level = table->level;

		if (table->claim != PTU_LEAF) {
			if (!ptu_pieces_is_new(&s->pieces, level, table->start))
				continue;
			if (level >= PTAUDIT_P4D)
				s->upper_bytes +=
					ptu_geometry_table_bytes(s->ask->geo,
								 level);
		}
		tables->tables[kept++] = *table;
	}
	tables->nr_tables = kept;
}

/* Count the tables of a piece, or of the whole process. */
static int take_tables(struct space *s, struct ptu_tables *tables,
		       bool sees_empty)
{
	struct ptu_mapping_row *rows;
	size_t i, nr_rows;
	int error;

	drop_again(s, tables);
	ptu_tally_empty(tables, s->ask->geo, sees_empty, &s->p);
	error = ptu_tally_mappings(tables, &s->vmas, s->ask->geo, &rows,
				   &nr_rows);
	if (error)
		return error;
	if (!s->rows) {
		s->rows = rows;
		s->nr_rows = nr_rows;
		return 0;
	}
	/* the row for tables without a mapping is missing in some pieces */
	for (i = 0; i < nr_rows && i < s->nr_rows; i++)
		add_rows(&s->rows[i], &rows[i]);
	free(rows);
	return 0;
}

static int look_kernel(struct space *s, uint64_t start, uint64_t end,
		       struct ptu_err *err)
{
	struct ptu_snapshot snapshot;
	struct ptu_tables tables;
	int error = ptu_side_read(s->side, s->proc, start, end, PTU_WALK_BEFORE,
				  &snapshot, err);
	size_t i;

	if (error)
		return error;
	for (i = 0; i < snapshot.nr_records; i++)
		s->deposited_tables += snapshot.records[i].deposited;
	error = ptu_fill_of_kernel(&snapshot, s->ask->geo, &tables);
	if (!error) {
		error = take_tables(s, &tables, true);
		ptu_tables_deinit(&tables);
	}
	if (!error)
		error = ptu_mappings_deposited(&snapshot, &s->vmas, s->ask->geo,
					       s->rows);
	ptu_snapshot_deinit(&snapshot);
	return error;
}

static int look_estimate(struct space *s, uint64_t start, uint64_t end,
			 struct ptu_err *err)
{
	const struct ptu_estimator *estimator = s->ask->estimator;
	const bool sees_empty = ptu_estimator_sees_empty(estimator);
	struct ptu_evidence evidence = { 0 };
	struct ptu_proc_status status = { 0 };
	struct ptu_process p = { 0 };
	struct ptu_tables tables;
	int error = ptu_proc_evidence(s->proc, s->ask->geo,
				      estimator->needs | PTU_NEEDS_COUNTS,
				      start, end ? end : UINT64_MAX, &evidence,
				      err);

	if (error)
		return error;
	ptu_tables_init(&tables, s->ask->geo);
	error = ptu_tables_add_pgd(&tables);
	if (!error)
		error = estimator->estimate(&evidence, &tables, err);
	if (!error)
		error = take_tables(s, &tables, sees_empty);
	/* VmPTE cannot be compared with a single piece */
	if (!error && !end)
		error = ptu_proc_status(s->proc, &status, err);
	if (!error && !end) {
		ptu_tally_estimate(&tables, &evidence.vmas, s->ask->geo,
				   status.vmpte_bytes, &p);
		s->nowhere_bytes =
			ptu_process_unseen_bytes(&p, s->ask->geo->page_bytes);
	}
	if (!error)
		ptu_vmas_take_smaps(&s->vmas, &evidence.vmas);
	ptu_tables_deinit(&tables);
	ptu_evidence_deinit(&evidence);
	return error;
}

static int look(struct space *s, uint64_t start, uint64_t end,
		struct ptu_err *err)
{
	return s->side ? look_kernel(s, start, end, err) :
			 look_estimate(s, start, end, err);
}

/* Has the time limit been reached? */
static bool is_over(const struct ptu_top_ask *ask, uint64_t deadline_ns)
{
	return ptu_now_ns() >= deadline_ns || (ask->stop && *ask->stop);
}

/* Does the error concern all further pieces of the process? */
static bool is_final(int error)
{
	return error == -ESRCH || error == -ESTALE || error == -ENOMEM ||
	       error == -EACCES || error == -EPERM;
}

/**
 * struct piecewise - state of examining a process in pieces
 * @is_part: (out) true: a piece was left out, because it kept changing or the time
 *	limit was reached
 * @error: of the last piece
 */
struct piecewise {
	struct space *space;
	uint64_t deadline_ns;
	bool *is_part;
	int error;
	struct ptu_err *err;
};

static int look_at_piece(void *arg, uint64_t start, uint64_t end)
{
	struct piecewise *state = arg;

	if (is_over(state->space->ask, state->deadline_ns)) {
		*state->is_part = true;
		return 1;
	}
	state->error = look(state->space, start, end, state->err);
	*state->is_part |= state->error != 0;
	return is_final(state->error);
}

/* Skip each piece that kept changing. */
static int look_in_pieces(struct space *s, uint64_t deadline_ns, bool *is_part,
			  struct ptu_err *err)
{
	struct piecewise state = { .space = s,
				   .deadline_ns = deadline_ns,
				   .is_part = is_part,
				   .err = err };

	ptu_pieces_each(&s->vmas, s->ask->geo, look_at_piece, &state);
	return s->rows && !is_final(state.error) ? 0 : state.error;
}

static int look_once(struct space *s, const struct ptu_top_row *row,
		     uint64_t deadline_ns, bool *is_part, struct ptu_err *err)
{
	int error = ptu_proc_maps(s->proc, &s->vmas, err);

	if (error)
		return error;
	/* a recorded walk is always complete */
	if (ptu_is_large(s->ask->geo, row->vmpte_bytes) &&
	    !s->ask->is_recording)
		error = look_in_pieces(s, deadline_ns, is_part, err);
	else
		error = look(s, 0, 0, err);
	/* smaps counts the huge pages of a mapping, not those of a piece of it */
	if (!error && !s->side && s->rows)
		s->deposited_tables =
			ptu_mappings_estimate_deposited(&s->vmas, s->ask->geo,
							s->rows);
	return error;
}

/* Once more through another thread, if the thread that is read ends. */
static int look_at_all(struct space *s, struct ptu_top_row *row,
		       uint64_t deadline_ns, struct ptu_err *err)
{
	const struct space blank = *s;
	int error;

	do {
		space_deinit(s);
		*s = blank;
		row->is_part = false;
		ptu_err_clear(err);
		error = look_once(s, row, deadline_ns, &row->is_part, err);
	} while (error == -ESTALE && !ptu_proc_reopen(s->proc));
	return error;
}

static void not_measured(struct ptu_top_row *row, const char *why)
{
	char own[32];
	int nr = snprintf(own, sizeof(own), "process %d: ", (int)row->pid);

	/* drop the prefix: the row already shows the PID */
	if (!strncmp(why, own, (size_t)nr))
		why += nr;
	row->source = PTU_TOP_VMPTE;
	snprintf(row->why, sizeof(row->why), "%.330s: only VmPTE is known",
		 why);
}

static void enter_space(const struct space *s, struct ptu_top_row *row)
{
	row->source = !s->side			     ? PTU_TOP_ESTIMATE :
		      s->side->which == PTU_SIDE_BPF ? PTU_TOP_BPF :
						       PTU_TOP_MODULE;
	row->total_bytes = row->vmpte_bytes + s->upper_bytes;
	row->has_empty = s->p.sees_empty;
	row->empty_tables = ptu_process_empty(&s->p);
	row->has_deposited = true;
	row->deposited_tables = s->deposited_tables;
	row->fill = s->p.fill;
}

int ptu_top_look(const struct ptu_top_ask *ask, struct ptu_proc *proc,
		 uint64_t deadline_ns, struct ptu_top_row *row,
		 struct ptu_top_row **joined, size_t *nr_joined)
{
	struct space s = { .ask = ask, .proc = proc, .side = ask->side };
	struct ptu_err why = { "" };
	int error;

	*joined = NULL;
	*nr_joined = 0;
	if (is_over(ask, deadline_ns)) {
		not_measured(row,
			     "the time limit for reading tables was reached");
		return 0;
	}
	error = look_at_all(&s, row, deadline_ns, &why);
	if (error && error != -ESRCH && error != -ENOMEM && s.side) {
		/* try /proc if the kernel's side has failed */
		space_deinit(&s);
		s = (struct space){ .ask = ask, .proc = proc };
		error = look_at_all(&s, row, deadline_ns, &why);
	}
	if (!error && s.rows) {
		enter_space(&s, row);
		error = ptu_top_join(s.rows, s.nr_rows, ask->geo,
				     s.p.sees_empty, joined, nr_joined);
		if (!error)
			ptu_top_say_why(*joined, *nr_joined, s.nowhere_bytes,
					ask->geo->page_bytes, row);
	} else if (!error) {
		not_measured(row,
			     "the time limit for reading tables was reached");
	} else if (error == -EACCES || error == -EPERM) {
		not_measured(row, "no permission to read its mappings");
		error = 0;
	} else if (error != -ESRCH && error != -ENOMEM) {
		not_measured(row, why.text[0] ? why.text : strerror(-error));
		error = 0;
	}
	space_deinit(&s);
	return error;
}
