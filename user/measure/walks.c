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
#include "base/clock.h"
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

/*
 * Run the three walks of a range, and compare them.  start == end == 0: the whole process.
 *
 * @last: (out) the later walk by mappings, or NULL
 */
static int bracket(const struct other *other, const struct ptu_proc *proc,
		   uint64_t start, uint64_t end, struct ptu_process *p,
		   struct ptu_walk_diffs *ret, struct ptu_snapshot *last,
		   struct ptu_err *err)
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
	if (!error && last)
		*last = after;
	else
		ptu_snapshot_deinit(&after);
	return error;
}

/* Repeat the bracket until no table differs.  The last complete bracket is the result. */
static int bracket_best(const struct other *other, const struct ptu_proc *proc,
			struct ptu_process *p, struct ptu_walk_diffs *ret,
			struct ptu_err *err)
{
	bool is_taken = false;
	unsigned int try;

	for (try = 0; try < PTU_WHOLE_TRIES; try++) {
		struct ptu_walk_diffs orphans;
		int error;

		ptu_err_clear(err);
		error = bracket(other, proc, 0, 0, p, &orphans, NULL, err);
		if (error == -EAGAIN)
			continue;
		if (error)
			return error;
		ptu_walks_deinit(ret);
		*ret = orphans;
		is_taken = true;
		if (!ret->nr_diffs)
			break;
	}
	if (!is_taken)
		return -EAGAIN;
	ptu_err_clear(err);
	return 0;
}

/*
 * What was found out about a difference.
 * @changed: it was not the same each time
 * @matched: with AGREED: both walks have the table
 */
struct judged {
	enum verdict verdict;
	bool changed;
	bool matched;
};

static bool has_table(const struct ptu_snapshot *tables,
		      const struct ptu_geometry *geo,
		      const struct ptu_walk_diff *diff)
{
	enum ptaudit_kind kind;

	if (diff->level == PTAUDIT_PGD)
		return true;
	ptu_snapshot_find(tables, geo, ptu_geometry_above(geo, diff->level),
			  diff->start, &kind);
	return kind == PTAUDIT_K_CHILD;
}

/* Return: how many of the differences are in this bracket, too. */
static size_t look_again(const struct ptu_walk_diffs *again,
			 const struct ptu_snapshot *last,
			 const struct ptu_geometry *geo,
			 const struct ptu_walk_diff *diffs, size_t nr,
			 struct judged *ret)
{
	size_t i, nr_open = 0;

	for (i = 0; i < nr; i++) {
		const struct ptu_walk_diff *found;

		if (ret[i].verdict == AGREED)
			continue;
		found = ptu_walks_find(again, diffs[i].start, diffs[i].level);
		if (found) {
			ret[i].changed |= !ptu_walk_diff_same(&diffs[i], found);
			nr_open++;
		} else {
			ret[i].verdict = AGREED;
			ret[i].matched = has_table(last, geo, &diffs[i]);
		}
	}
	return nr_open;
}

/*
 * Measure the range of @nr differences again, up to PTU_LOCAL_TRIES times. A
 * difference is resolved if the walks agree once, unexplained if they differ in the
 * same way each time, and in flux otherwise.  start == end == 0: the whole process.
 */
static int settle(const struct other *other, const struct ptu_proc *proc,
		  struct ptu_process *p, const struct ptu_walk_diff *diffs,
		  size_t nr, uint64_t start, uint64_t end, struct judged *ret,
		  struct ptu_err *err)
{
	size_t i, nr_open = nr;
	unsigned int try;

	for (try = 0; try < PTU_LOCAL_TRIES && nr_open; try++) {
		struct ptu_walk_diffs again;
		struct ptu_snapshot last;
		int error = bracket(other, proc, start, end, p, &again, &last,
				    err);

		if (error == -EAGAIN) {
			ptu_err_clear(err);
			for (i = 0; i < nr; i++)
				ret[i].changed = true;
			continue;
		}
		if (error)
			return error;
		nr_open = look_again(&again, &last, other->side->geo, diffs, nr,
				     ret);
		ptu_walks_deinit(&again);
		ptu_snapshot_deinit(&last);
	}
	for (i = 0; i < nr; i++)
		if (ret[i].verdict == UNEXPLAINED && ret[i].changed)
			ret[i].verdict = IN_FLUX;
	return 0;
}

/* The PGD has no range: from 0 to 0 is the whole process. */
static uint64_t end_of(const struct ptu_geometry *geo,
		       const struct ptu_walk_diff *diff)
{
	return diff->level == PTAUDIT_PGD ?
		       0 :
		       diff->start + ptu_geometry_reach(geo, diff->level);
}

/*
 * Decide about all differences. If @again, measure first the range of each one again.
 * A difference beyond PTU_LOCAL_DIFFS or PTU_LOCAL_NS, or in the kernel half, has no
 * range of its own: for these, measure the whole process again.
 *
 * @ret: (out) [nr_diffs], free() it
 */
static int judge(const struct other *other, const struct ptu_proc *proc,
		 struct ptu_process *p, const struct ptu_walk_diffs *set,
		 bool again, struct judged **ret, struct ptu_err *err)
{
	const struct ptu_geometry *geo = other->side->geo;
	const uint64_t deadline_ns = ptu_now_ns() + PTU_LOCAL_NS;
	const struct ptu_walk_diff *diffs = set->diffs;
	struct judged *judged = calloc(set->nr_diffs + 1, sizeof(*judged));
	int error = 0;
	size_t i;

	if (!judged)
		return -ENOMEM;
	for (i = 0; i < set->nr_diffs; i++) {
		judged[i].changed = !diffs[i].stable;
		judged[i].verdict = again || diffs[i].stable ? UNEXPLAINED :
							       IN_FLUX;
	}
	for (i = 0; again && !error && i < set->nr_diffs &&
		    i < PTU_LOCAL_DIFFS && ptu_now_ns() < deadline_ns &&
		    diffs[i].start < ptu_geometry_user_end(geo);
	     i++)
		error = settle(other, proc, p, &diffs[i], 1, diffs[i].start,
			       end_of(geo, &diffs[i]), &judged[i], err);
	if (again && !error)
		error = settle(other, proc, p, diffs + i, set->nr_diffs - i, 0,
			       0, judged + i, err);
	if (error)
		free(judged);
	else
		*ret = judged;
	return error;
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
	struct judged *judged;
	unsigned int level;
	size_t i;
	int error = bracket_best(&other, proc, ret, &orphans, err);

	if (!error)
		error = judge(&other, proc, ret, &orphans, true, &judged, err);
	if (error) {
		ptu_walks_deinit(&orphans);
		return error;
	}
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

		result->tables[diff->level] += judged[i].matched;
		if (judged[i].verdict == UNEXPLAINED)
			add(side->geo, diff, result);
		result->in_flux += judged[i].verdict == IN_FLUX;
	}
	free(judged);
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
	struct judged *judged;
	unsigned int level;
	size_t i;
	int error;

	if (diffs->nr_diffs) {
		void *more = reallocarray(ret->unexplained,
					  ret->nr_unexplained +
						  2 * diffs->nr_diffs,
					  sizeof(*ret->unexplained));

		if (!more)
			return -ENOMEM;
		ret->unexplained = more;
	}
	error = judge(&other, proc, ret, diffs, again, &judged, err);
	if (error)
		return error;
	for (level = 0; level < PTAUDIT_NR_LEVELS; level++)
		ret->levels[level].kernel_bpf = diffs->matched[level];
	for (i = 0; i < diffs->nr_diffs; i++) {
		const struct ptu_walk_diff *diff = &diffs->diffs[i];
		const enum verdict verdict = judged[i].verdict;

		/* tables that differ in contents are counted in .matched */
		if (!diff->contents)
			ret->levels[diff->level].kernel_bpf +=
				verdict == AGREED ? judged[i].matched :
						    diff->in_other;
		ret->bpf.in_flux += verdict == IN_FLUX;
		if (verdict != UNEXPLAINED)
			continue;
		if (diff->in_tables)
			add_side(side->geo, diff, PTU_SIDE_KERNEL_MODULE, ret);
		if (diff->in_other)
			add_side(side->geo, diff, PTU_SIDE_KERNEL_BPF, ret);
	}
	free(judged);
	ret->bpf.done = true;
	for (level = 0; level < PTAUDIT_NR_LEVELS; level++)
		nr_tables += ret->levels[level].kernel_bpf;
	check_flux(ret->bpf.in_flux, nr_tables, "module and BPF", ret);
	return 0;
}
