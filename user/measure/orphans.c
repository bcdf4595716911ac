// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Brackets the walk that follows every entry between two walks by mappings,
 * and brackets again, around the table in question only, what they do not
 * agree on.  Must not print, nor compare by itself.
 */
#include "measure/orphans.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "acquire/module.h"
#include "compare/orphans.h"
#include "compare/table_rows.h"

#define WHOLE_TRIES 4	/* brackets of the whole process */
#define LOCAL_TRIES 5	/* brackets of one table */
#define LOCAL_DIFFS 256 /* tables that are bracketed again, at most */

enum verdict { AGREED, IN_FLUX, UNEXPLAINED };

/* start == end == 0: the whole process. */
static int bracket(const struct ptu_geometry *geo, const struct ptu_proc *proc,
		   uint64_t start, uint64_t end, struct ptu_process *p,
		   struct ptu_orphans *ret, struct ptu_err *err)
{
	struct ptu_snapshot before = { 0 }, orphans = { 0 }, after = { 0 };
	int error;

	error = ptu_truth_read(proc, start, end, PTU_WALK_BEFORE, geo, &before,
			       err);
	if (!error)
		error = ptu_truth_orphans(proc, start, end, geo, &orphans, err);
	if (!error)
		error = ptu_truth_read(proc, start, end, PTU_WALK_AFTER, geo,
				       &after, err);
	if (!error && (before.header.mm != p->mm ||
		       orphans.header.mm != p->mm || after.header.mm != p->mm))
		error = ptu_err_set(err, -ESTALE,
				    "process %d started another program meanwhile",
				    p->pid);
	if (!error)
		error = ptu_orphans_compare(&before, &orphans, &after, geo,
					    start,
					    start || end ? end : UINT64_MAX,
					    ret, err);
	if (!error && orphans.header.hold_ns_max > p->orphans.hold_ns_max)
		p->orphans.hold_ns_max = orphans.header.hold_ns_max;
	ptu_snapshot_deinit(&before);
	ptu_snapshot_deinit(&orphans);
	ptu_snapshot_deinit(&after);
	return error;
}

/* Brackets until nothing differs; the last one counts. */
static int bracket_best(const struct ptu_geometry *geo,
			const struct ptu_proc *proc, struct ptu_process *p,
			struct ptu_orphans *ret, struct ptu_err *err)
{
	struct ptu_orphans orphans = { 0 };
	unsigned int try;
	int error = -EAGAIN;

	for (try = 0; try < WHOLE_TRIES; try++) {
		ptu_orphans_deinit(&orphans);
		err->text[0] = '\0';
		error = bracket(geo, proc, 0, 0, p, &orphans, err);
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
 * Brackets one difference again, up to LOCAL_TRIES times: the walks come to
 * agree, keep their form each time (then it is unexplained), or keep changing.
 */
static int settle(const struct ptu_geometry *geo, const struct ptu_proc *proc,
		  struct ptu_process *p, const struct ptu_orphan *first,
		  enum verdict *ret, struct ptu_err *err)
{
	uint64_t reach = ptu_geometry_reach(geo, first->level);
	bool changes = !first->stable;
	unsigned int try;

	*ret = UNEXPLAINED;
	/* the PGD, and what is mapped in the kernel half, has no range */
	if (!reach || first->start >= ptu_geometry_user_end(geo))
		return 0;
	for (try = 0; try < LOCAL_TRIES; try++) {
		const struct ptu_orphan *again;
		struct ptu_orphans orphans;
		int error = bracket(geo, proc, first->start,
				    first->start + reach, p, &orphans, err);

		if (error == -EAGAIN) {
			changes = true;
			continue;
		}
		if (error)
			return error;
		again = ptu_orphans_find(&orphans, first->start, first->level);
		if (again) {
			changes |= !ptu_orphan_same(first, again);
		} else {
			p->orphans.tables[first->level] +=
				orphans.matched[first->level];
			*ret = AGREED;
		}
		ptu_orphans_deinit(&orphans);
		if (*ret == AGREED)
			return 0;
	}
	if (changes)
		*ret = IN_FLUX;
	return 0;
}

static void add(const struct ptu_geometry *geo, const struct ptu_orphan *diff,
		struct ptu_orphans_result *ret)
{
	struct ptu_orphan_row *row = &ret->unexplained[ret->nr_unexplained++];

	row->level = diff->level;
	row->start = diff->start;
	row->end = diff->start + ptu_geometry_reach(geo, diff->level);
	row->in_tables = diff->in_tables;
	row->in_orphans = diff->in_orphans;
	row->outside = diff->outside;
	row->entries = diff->entries;
}

int ptu_measure_orphans(const struct ptu_geometry *geo,
			const struct ptu_proc *proc, struct ptu_process *ret,
			struct ptu_err *err)
{
	struct ptu_orphans orphans = { 0 };
	struct ptu_orphans_result *result = &ret->orphans;
	uint64_t nr_tables = 0;
	unsigned int level;
	size_t i;
	int error = bracket_best(geo, proc, ret, &orphans, err);

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
		const struct ptu_orphan *diff = &orphans.diffs[i];
		enum verdict verdict = diff->stable ? UNEXPLAINED : IN_FLUX;

		if (i < LOCAL_DIFFS)
			error = settle(geo, proc, ret, diff, &verdict, err);
		if (!error && verdict == UNEXPLAINED)
			add(geo, diff, result);
		result->in_flux += verdict == IN_FLUX;
	}
	ptu_orphans_deinit(&orphans);
	if (error)
		return error;
	result->done = true;
	for (level = 0; level < PTAUDIT_NR_LEVELS; level++)
		nr_tables += result->tables[level];
	if (result->in_flux > ptu_tally_flux_limit(nr_tables)) {
		ret->status = PTU_STATUS_UNSTABLE;
		snprintf(ret->error, sizeof(ret->error),
			 "process %d would not hold still: %" PRIu64
			 " tables kept changing between the two walks (try --freeze)",
			 ret->pid, result->in_flux);
	}
	return 0;
}
