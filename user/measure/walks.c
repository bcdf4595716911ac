// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Run a walk that follows every entry (by the module or by BPF) between two walks by
 * mappings. If they differ at a table, do the same again for the range of that table.
 * Must not print, nor compare by itself.
 */
#include "measure/walks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "acquire/module.h"
#include "compare/table_rows.h"
#include "compare/walks.h"
#include "measure/tables.h"

enum verdict { AGREED, IN_FLUX, UNEXPLAINED };

/* Who follows every entry: BPF with @by_bpf, else the module's `orphans`. */
struct other {
	const struct ptu_kernel_side *side;
	bool by_bpf;
};

static int read_other(const struct other *other, const struct ptu_proc *proc,
		      uint64_t start, uint64_t end, struct ptu_snapshot *ret,
		      struct ptu_err *err)
{
	if (other->by_bpf)
		return ptu_side_read_bpf(other->side, proc, start, end,
					 PTU_WALK_AFTER, ret, err);
	return ptu_truth_orphans(proc, start, end, other->side->geo, ret, err);
}

/* start == end == 0: the whole process. */
static int bracket(const struct other *other, const struct ptu_proc *proc,
		   uint64_t start, uint64_t end, struct ptu_process *p,
		   struct ptu_walk_diffs *ret, struct ptu_err *err)
{
	const struct ptu_geometry *geo = other->side->geo;
	struct ptu_snapshot before = { 0 }, orphans = { 0 }, after = { 0 };
	int error;

	error = ptu_side_read(other->side, proc, start, end, PTU_WALK_BEFORE,
			      &before, err);
	if (!error)
		error = read_other(other, proc, start, end, &orphans, err);
	if (!error)
		error = ptu_side_read(other->side, proc, start, end,
				      PTU_WALK_AFTER, &after, err);
	if (!error && (before.header.mm != p->mm ||
		       orphans.header.mm != p->mm || after.header.mm != p->mm))
		error = ptu_err_set(err, -ESTALE,
				    "process %d started another program meanwhile",
				    p->pid);
	if (!error)
		error = ptu_walks_compare(&before, &orphans, &after, geo, start,
					  start || end ? end : UINT64_MAX, ret,
					  err);
	if (!error && orphans.header.hold_ns_max > p->orphans.hold_ns_max)
		p->orphans.hold_ns_max = orphans.header.hold_ns_max;
	ptu_snapshot_deinit(&before);
	ptu_snapshot_deinit(&orphans);
	ptu_snapshot_deinit(&after);
	return error;
}

/* Brackets until nothing differs; the last one counts. */
static int bracket_best(const struct other *other, const struct ptu_proc *proc,
			struct ptu_process *p, struct ptu_walk_diffs *ret,
			struct ptu_err *err)
{
	struct ptu_walk_diffs orphans = { 0 };
	unsigned int try;
	int error = -EAGAIN;

	for (try = 0; try < PTU_WHOLE_TRIES; try++) {
		ptu_walks_deinit(&orphans);
		err->text[0] = '\0';
		error = bracket(other, proc, 0, 0, p, &orphans, err);
		if (error && error != -EAGAIN)
			return error;
		if (!error && !orphans.nr_diffs)
			break;
	}
	if (!error)
		*ret = orphans;
	return error;
}

/*
 * Measure the range of one difference again, up to PTU_LOCAL_TRIES times. It is
 * resolved if the walks agree once, unexplained if they differ in the same way each
 * time, and in flux otherwise.
 */
static int settle(const struct other *other, const struct ptu_proc *proc,
		  struct ptu_process *p, const struct ptu_walk_diff *first,
		  enum verdict *ret, uint64_t *matched, struct ptu_err *err)
{
	const struct ptu_geometry *geo = other->side->geo;
	uint64_t reach = ptu_geometry_reach(geo, first->level);
	bool changes = !first->stable;
	unsigned int try;

	*ret = UNEXPLAINED;
	*matched = 0;
	/* the PGD and tables of the kernel half have no range that can be measured */
	if (!reach || first->start >= ptu_geometry_user_end(geo))
		return 0;
	for (try = 0; try < PTU_LOCAL_TRIES; try++) {
		const struct ptu_walk_diff *again;
		struct ptu_walk_diffs orphans;
		int error = bracket(other, proc, first->start,
				    first->start + reach, p, &orphans, err);

		if (error == -EAGAIN) {
			changes = true;
			continue;
		}
		if (error)
			return error;
		again = ptu_walks_find(&orphans, first->start, first->level);
		if (again) {
			changes |= !ptu_walk_diff_same(first, again);
		} else {
			*matched = orphans.matched[first->level];
			*ret = AGREED;
		}
		ptu_walks_deinit(&orphans);
		if (*ret == AGREED)
			return 0;
	}
	if (changes)
		*ret = IN_FLUX;
	return 0;
}

/*
 * Decide about a difference. If @again, measure its range again in brackets: only
 * for the first PTU_LOCAL_DIFFS differences, and not for a recording.
 */
static int judge(const struct other *other, const struct ptu_proc *proc,
		 struct ptu_process *p, const struct ptu_walk_diff *diff,
		 bool again, enum verdict *ret, uint64_t *matched,
		 struct ptu_err *err)
{
	*ret = diff->stable ? UNEXPLAINED : IN_FLUX;
	*matched = 0;
	return again ? settle(other, proc, p, diff, ret, matched, err) : 0;
}

static void check_flux(uint64_t in_flux, uint64_t nr_tables, const char *walks,
		       struct ptu_process *p)
{
	if (in_flux <= ptu_tally_flux_limit(nr_tables))
		return;
	p->status = PTU_STATUS_UNSTABLE;
	snprintf(p->error, sizeof(p->error),
		 "process %d kept changing: %" PRIu64
		 " tables changed between %s",
		 p->pid, in_flux, walks);
}

static void add(const struct ptu_geometry *geo,
		const struct ptu_walk_diff *diff,
		struct ptu_orphans_result *ret)
{
	struct ptu_orphan_row *row = &ret->unexplained[ret->nr_unexplained++];

	row->level = diff->level;
	row->start = diff->start;
	row->end = diff->start + ptu_geometry_reach(geo, diff->level);
	row->in_tables = diff->in_tables;
	row->in_orphans = diff->in_other;
	row->outside = diff->outside;
	row->entries = diff->entries;
}

int ptu_measure_orphans(const struct ptu_kernel_side *side,
			const struct ptu_proc *proc, struct ptu_process *ret,
			struct ptu_err *err)
{
	const struct other other = { .side = side };
	struct ptu_walk_diffs orphans = { 0 };
	struct ptu_orphans_result *result = &ret->orphans;
	unsigned int level;
	size_t i;
	int error = bracket_best(&other, proc, ret, &orphans, err);

	if (error)
		return error;
	for (level = 0; level < PTAUDIT_NR_LEVELS; level++)
		result->tables[level] = orphans.matched[level];
	if (orphans.nr_diffs) {
		result->unexplained = calloc(orphans.nr_diffs,
					     sizeof(*result->unexplained));
		if (!result->unexplained)
			error = -ENOMEM;
	}
	for (i = 0; !error && i < orphans.nr_diffs; i++) {
		const struct ptu_walk_diff *diff = &orphans.diffs[i];
		enum verdict verdict;
		uint64_t matched;

		error = judge(&other, proc, ret, diff, i < PTU_LOCAL_DIFFS,
			      &verdict, &matched, err);
		result->tables[diff->level] += matched;
		if (!error && verdict == UNEXPLAINED)
			add(side->geo, diff, result);
		result->in_flux += verdict == IN_FLUX;
	}
	ptu_walks_deinit(&orphans);
	if (error)
		return error;
	result->done = true;
	check_flux(result->in_flux, ptu_orphans_tables(result), "the two walks",
		   ret);
	return 0;
}

/* Add a row for the table as this side, module or BPF, has it. */
static void add_side(const struct ptu_geometry *geo,
		     const struct ptu_walk_diff *diff, enum ptu_side side,
		     struct ptu_process *p)
{
	struct ptu_unexplained *row = &p->unexplained[p->nr_unexplained++];
	const uint64_t reach = ptu_geometry_reach(geo, diff->level);

	*row = (struct ptu_unexplained){
		.level = diff->level,
		.start = diff->start,
		.end = reach ? diff->start + reach : ptu_geometry_user_end(geo),
		.side = side,
		.why = PTU_WHY_UNEXPLAINED,
		.contents = diff->contents,
		.entries = side == PTU_SIDE_KERNEL_BPF && diff->in_tables ?
				   diff->entries_other :
				   diff->entries,
	};
	p->levels[diff->level].unexplained++;
	p->bpf.unexplained++;
}

int ptu_measure_bpf(const struct ptu_kernel_side *side,
		    const struct ptu_proc *proc,
		    const struct ptu_walk_diffs *diffs, bool again,
		    struct ptu_process *ret, struct ptu_err *err)
{
	const struct other other = { .side = side, .by_bpf = true };
	uint64_t nr_tables = 0;
	unsigned int level;
	size_t i;

	if (diffs->nr_diffs) {
		void *more = reallocarray(ret->unexplained,
					  ret->nr_unexplained +
						  2 * diffs->nr_diffs,
					  sizeof(*ret->unexplained));

		if (!more)
			return -ENOMEM;
		ret->unexplained = more;
	}
	for (level = 0; level < PTAUDIT_NR_LEVELS; level++)
		ret->levels[level].kernel_bpf = diffs->matched[level];
	for (i = 0; i < diffs->nr_diffs; i++) {
		const struct ptu_walk_diff *diff = &diffs->diffs[i];
		uint64_t *kernel_bpf = &ret->levels[diff->level].kernel_bpf;
		enum verdict verdict;
		uint64_t matched;
		int error = judge(&other, proc, ret, diff,
				  again && i < PTU_LOCAL_DIFFS, &verdict,
				  &matched, err);

		if (error)
			return error;
		/* tables that differ in contents are counted in .matched */
		if (!diff->contents)
			*kernel_bpf += verdict == AGREED ? matched :
							   diff->in_other;
		ret->bpf.in_flux += verdict == IN_FLUX;
		if (verdict != UNEXPLAINED)
			continue;
		if (diff->in_tables)
			add_side(side->geo, diff, PTU_SIDE_KERNEL_MODULE, ret);
		if (diff->in_other)
			add_side(side->geo, diff, PTU_SIDE_KERNEL_BPF, ret);
	}
	ret->bpf.done = true;
	for (level = 0; level < PTAUDIT_NR_LEVELS; level++)
		nr_tables += ret->levels[level].kernel_bpf;
	check_flux(ret->bpf.in_flux, nr_tables, "module and BPF", ret);
	return 0;
}
