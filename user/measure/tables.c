// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Measures one process.  `check` brackets the estimate between two walks of
 * the kernel, and brackets again, around the table in question only, what the
 * two sides do not agree on.  Must not print, nor know how a cause is proven.
 */
#include "measure/tables.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acquire/freeze.h"
#include "acquire/procfs.h"
#include "compare/mappings.h"
#include "compare/table_causes.h"
#include "compare/table_diff.h"
#include "compare/table_fill.h"
#include "compare/table_rows.h"
#include "measure/estimators.h"
#include "measure/walks.h"

#define WHOLE_TRIES 4	/* brackets of the whole process */
#define LOCAL_TRIES 5	/* brackets of one table */
#define PROGRAM_TRIES 1 /* ... which starts an estimating program each time */
#define LOCAL_DIFFS 256 /* tables that are bracketed again, at most */
#define EXEC_TRIES 5	/* programs that one process may start meanwhile */

/* One bracket: what each side said, in the order in which it was asked. */
struct bracket {
	struct ptu_snapshot before;
	struct ptu_evidence evidence;
	struct ptu_tables claims; /* of the first estimator */
	struct ptu_stated stated; /* ... or what it states instead */
	struct ptu_proc_status status;
	struct ptu_snapshot after;
	struct ptu_diffs diffs;
	struct ptu_walk_diffs sides; /* --truth both: module and BPF */
};

static void bracket_deinit(struct bracket *b)
{
	ptu_snapshot_deinit(&b->before);
	ptu_evidence_deinit(&b->evidence);
	ptu_tables_deinit(&b->claims);
	ptu_snapshot_deinit(&b->after);
	ptu_diffs_deinit(&b->diffs);
	ptu_walks_deinit(&b->sides);
	memset(b, 0, sizeof(*b));
}

/*
 * Where mappings changed while they were read, nothing is explained: a table there is
 * looked at again, on its own.
 */
static void doubt_changed(struct bracket *b, const struct ptu_geometry *geo)
{
	size_t i;

	for (i = 0; i < b->diffs.nr_diffs; i++) {
		struct ptu_diff *diff = &b->diffs.diffs[i];
		const uint64_t reach = ptu_geometry_reach(geo, diff->level);

		if (!reach ||
		    !ptu_spans_touch(&b->evidence.changed, diff->start,
				     diff->start + reach))
			continue;
		diff->stable = false;
		diff->why = PTU_WHY_UNEXPLAINED;
	}
}

/* What cannot be read as the mappings change all the time is in doubt everywhere. */
static int read_flags(const struct ptu_measure *measure,
		      const struct ptu_proc *proc,
		      struct ptu_evidence *evidence, struct ptu_err *err)
{
	int error = ptu_proc_flags(proc, &evidence->vmas, err);

	if (error != -EAGAIN || measure->is_recording)
		return error;
	error = ptu_spans_add(&evidence->changed, 0, UINT64_MAX);
	ptu_spans_sort(&evidence->changed);
	return error;
}

/* Kernel, estimate, kernel.  start == end == 0: the whole process. */
static int bracket_take(const struct ptu_measure *measure,
			const struct ptu_proc *proc, unsigned int needs,
			uint64_t start, uint64_t end, struct bracket *ret,
			struct ptu_err *err)
{
	const struct ptu_estimator *estimator = measure->estimators[0];
	uint64_t evidence_end = start || end ? end : UINT64_MAX;
	const bool by_both = ptu_side_is_both(measure->side) && !start && !end;
	struct ptu_snapshot bpf = { 0 };
	struct bracket b = { 0 };
	const struct ptu_proof proof = { .geo = measure->geo,
					 .before = &b.before,
					 .after = &b.after,
					 .vmas = &b.evidence.vmas,
					 .blind = estimator->blind };
	int error;

	error = ptu_side_read(measure->side, proc, start, end, PTU_WALK_BEFORE,
			      &b.before, err);
	if (!error)
		error = ptu_proc_evidence(proc, measure->geo,
					  needs | PTU_NEEDS_COUNTS |
						  (measure->is_recording ?
							   0 :
							   PTU_TAKES_CHANGES),
					  start, evidence_end, &b.evidence,
					  err);
	if (!error)
		error = ptu_proc_status(proc, &b.status, err);
	if (!error)
		error = ptu_estimator_run(estimator, proc->pid, &b.evidence,
					  &b.claims,
					  measure->counts ? &b.stated : NULL,
					  err);
	/* reading makes our own memory come and go between the walks */
	if (!error && proc->pid == getpid() && !measure->is_recording)
		ptu_tables_forget_entries(&b.claims);
	if (!error && by_both)
		error = ptu_side_read_bpf(measure->side, proc, 0, 0,
					  PTU_WALK_AFTER, &bpf, err);
	if (!error)
		error = ptu_side_read(measure->side, proc, start, end,
				      PTU_WALK_AFTER, &b.after, err);
	if (!error && (b.before.header.mm != b.after.header.mm ||
		       (by_both && bpf.header.mm != b.after.header.mm)))
		error = ptu_err_set(err, -ESTALE,
				    "process %d started another program meanwhile",
				    proc->pid);
	/* numbers have no places that could be compared */
	if (!error && !b.stated.stated)
		error = ptu_compare(&b.before, &b.after, &b.claims,
				    measure->geo, start, evidence_end, &b.diffs,
				    err);
	if (!error && by_both)
		error = ptu_walks_compare(&b.before, &bpf, &b.after,
					  measure->geo, 0, UINT64_MAX, &b.sides,
					  err);
	ptu_snapshot_deinit(&bpf);
	if (!error && ptu_explain_wants_flags(&b.diffs, &proof))
		error = read_flags(measure, proc, &b.evidence, err);
	if (error) {
		bracket_deinit(&b);
		return error;
	}
	ptu_explain(&b.diffs, &proof);
	doubt_changed(&b, measure->geo);
	*ret = b;
	return 0;
}

static bool is_open(const struct ptu_diff *diff)
{
	return diff->why == PTU_WHY_UNEXPLAINED ||
	       diff->why == PTU_WHY_UNDECIDED;
}

static size_t count_open(const struct ptu_diffs *diffs)
{
	size_t i, nr = 0;

	for (i = 0; i < diffs->nr_diffs; i++)
		nr += is_open(&diffs->diffs[i]);
	return nr;
}

/* Did the mm's counter stand still from the first walk to the last? */
static bool counter_stood_still(const struct bracket *b)
{
	uint64_t bytes = b->status.vmpte_bytes;

	return b->before.header.pgtables_bytes_before == bytes &&
	       b->before.header.pgtables_bytes_after == bytes &&
	       b->after.header.pgtables_bytes_before == bytes &&
	       b->after.header.pgtables_bytes_after == bytes;
}

/*
 * The sum does not close.  While munmap() frees tables, no VMA reaches them any
 * more, and the counter has them to the end; mmap_lock is held for reading by
 * then.  `orphans` takes it for writing: behind it that munmap() is through, and
 * only a counter that has not moved is at rest.  A walk by BPF takes no lock: its
 * counter has only stood still.
 * Source: mm/mmap.c, do_mas_align_munmap() (6.1); mm/vma.c (6.12, 7.2).
 */
static int find_vmpte_at_rest(const struct ptu_measure *measure,
			      const struct ptu_proc *proc,
			      const struct bracket *b, struct ptu_process *p,
			      struct ptu_err *err)
{
	const uint64_t reach = ptu_geometry_reach(measure->geo, PTAUDIT_PTE);
	bool is_at_rest = counter_stood_still(b);
	struct ptu_snapshot behind;
	int error;

	if (is_at_rest && !measure->is_recording &&
	    measure->side->which != PTU_SIDE_BPF) {
		error = ptu_truth_orphans(proc, 0, reach, measure->geo, &behind,
					  err);
		if (error)
			return error;
		is_at_rest = behind.header.pgtables_bytes_after ==
			     p->vmpte_bytes;
		ptu_snapshot_deinit(&behind);
	}
	if (!is_at_rest)
		ptu_tally_vmpte_moved(p);
	return 0;
}

/* Worth another bracket, or as good as it gets? */
static bool is_clean(const struct bracket *b, const struct ptu_process *p)
{
	return !count_open(&b->diffs) && !b->sides.nr_diffs &&
	       !b->before.nr_moved && !b->after.nr_moved &&
	       counter_stood_still(b) && !p->vmpte_unexplained_bytes &&
	       !p->vmpte_in_flux_bytes;
}

/*
 * Brackets one difference again, up to some times: it ends as matched
 * or explained, keeps its form each time (then it stays unexplained), or keeps
 * changing (then it is in flux).
 */
static int settle_diff(const struct ptu_measure *measure,
		       const struct ptu_proc *proc, struct ptu_diff *diff,
		       struct ptu_err *err)
{
	struct ptu_diff first = *diff;
	unsigned int try, changes = 0;
	unsigned int tries = measure->estimators[0]->program ? PROGRAM_TRIES :
							       LOCAL_TRIES;
	uint64_t reach = ptu_geometry_reach(measure->geo, diff->level);

	if (diff->leaf)
		reach = UINT64_C(1) << measure->geo->shift[diff->level];
	/* the PGD, and what is mapped in the kernel half, has no range */
	if (!reach || diff->start + reach > ptu_geometry_user_end(measure->geo))
		return 0;
	for (try = 0; try < tries; try++) {
		struct bracket b;
		struct ptu_diff *found;
		int error = bracket_take(measure, proc,
					 measure->estimators[0]->needs,
					 diff->start, diff->start + reach, &b,
					 err);

		if (error == -EAGAIN) {
			changes++;
			err->text[0] = '\0';
			continue;
		}
		if (error)
			return error;
		found = ptu_diffs_find(&b.diffs, diff->start, diff->level,
				       diff->leaf);
		if (!found) {
			/* both have it now, or neither */
			enum ptaudit_kind kind;

			diff->kernel = false;
			diff->claim = 0;
			if (diff->leaf) {
				ptu_snapshot_find(&b.after, measure->geo,
						  diff->level, diff->start,
						  &kind);
				diff->kernel = kind == PTAUDIT_K_LEAF;
				diff->claim = diff->kernel ? PTU_LEAF : 0;
			} else if (b.diffs.matched[diff->level]) {
				diff->kernel = true;
				diff->claim = PTU_CERTAIN;
			}
			diff->why = PTU_WHY_UNSET;
			bracket_deinit(&b);
			return 0;
		}
		changes += !found->stable || found->kernel != first.kernel ||
			   found->claim != first.claim ||
			   found->contents != first.contents ||
			   found->entries != first.entries ||
			   found->record.used != first.record.used;
		*diff = *found;
		bracket_deinit(&b);
		if (!is_open(diff))
			return 0;
	}
	if (changes || !first.stable)
		diff->why = PTU_WHY_IN_FLUX;
	return 0;
}

static int settle(const struct ptu_measure *measure,
		  const struct ptu_proc *proc, struct bracket *b,
		  struct ptu_err *err)
{
	size_t i, nr = 0;

	for (i = 0; i < b->diffs.nr_diffs; i++) {
		struct ptu_diff *diff = &b->diffs.diffs[i];
		int error;

		if (!is_open(diff))
			continue;
		if (nr == LOCAL_DIFFS) {
			if (!diff->stable)
				diff->why = PTU_WHY_IN_FLUX;
			continue;
		}
		nr++;
		error = settle_diff(measure, proc, diff, err);
		if (error)
			return error;
	}
	return 0;
}

/* Brackets until one is clean; the last one counts. */
static int bracket_best(const struct ptu_measure *measure,
			const struct ptu_proc *proc, struct bracket *ret,
			struct ptu_process *p, struct ptu_err *err)
{
	struct bracket b = { 0 };
	int error = 0;

	for (p->tries = 0;
	     p->tries < WHOLE_TRIES && ptu_proc_try_again(proc, p->tries);) {
		p->tries++;
		bracket_deinit(&b);
		err->text[0] = '\0';
		error = bracket_take(measure, proc,
				     ptu_estimators_need(measure), 0, 0, &b,
				     err);
		if (error == -EAGAIN)
			continue;
		if (error)
			return error;
		ptu_tally_vmpte(&b.before, &b.after, b.status.vmpte_bytes,
				measure->geo, p);
		if (p->vmpte_unexplained_bytes)
			error = find_vmpte_at_rest(measure, proc, &b, p, err);
		if (error && error != -EAGAIN) {
			bracket_deinit(&b);
			return error;
		}
		if (!error && (is_clean(&b, p) || measure->is_recording))
			break;
	}
	*ret = b;
	return error;
}

void ptu_measure_failed(struct ptu_process *p, int error,
			const struct ptu_err *err)
{
	p->status = error == -ESRCH  ? PTU_STATUS_GONE :
		    error == -EAGAIN ? PTU_STATUS_UNSTABLE :
				       PTU_STATUS_FAILED;
	snprintf(p->error, sizeof(p->error), "%s",
		 err->text[0] ? err->text : strerror(-error));
}

/* What `stat` tells of it. */
static int identify_open(const struct ptu_proc *proc, struct ptu_process *p,
			 struct ptu_err *err)
{
	memset(p, 0, sizeof(*p));
	p->pid = proc->pid;
	snprintf(p->comm, sizeof(p->comm), "%s", proc->comm);
	p->start_time = proc->start_time;
	p->tid = proc->tid;
	return ptu_proc_has_memory(proc, err);
}

/* What `status` tells of it; @ret also to be asked further. */
static int identify_status(const struct ptu_proc *proc, struct ptu_process *p,
			   struct ptu_proc_status *ret, struct ptu_err *err)
{
	int error = ptu_proc_status(proc, ret, err);

	if (error)
		return error;
	p->uid = ret->uid;
	p->rss_bytes = ret->vmrss_bytes;
	p->has_vmpte = ret->has_mm;
	p->vmpte_bytes = ret->vmpte_bytes;
	return ret->has_mm ? 0 : ptu_proc_gone(proc, err);
}

int ptu_measure_identify(pid_t pid, struct ptu_proc *proc,
			 struct ptu_process *p, struct ptu_err *err)
{
	struct ptu_proc_status status;
	int status_error, error;

	memset(p, 0, sizeof(*p));
	p->pid = pid;
	error = ptu_proc_open(pid, proc, err);
	if (error)
		return error;
	error = identify_open(proc, p, err);
	/* who owns it is told of every process */
	status_error = identify_status(proc, p, &status, error ? NULL : err);
	if (!error)
		error = status_error;
	if (error)
		ptu_proc_close(proc);
	return error;
}

/* -ESTALE: it is another program by now, which can be measured just as well. */
static int check_once(const struct ptu_measure *measure, pid_t pid,
		      struct ptu_process *ret, struct ptu_err *err)
{
	struct ptu_freeze freeze = { 0 };
	struct ptu_proc_status status;
	struct bracket b = { 0 };
	struct ptu_proc proc;
	int error = ptu_measure_identify(pid, &proc, ret, err);

	if (error)
		return error;
	if (measure->freeze)
		error = ptu_freeze(pid, &freeze, err);
	if (!error)
		error = bracket_best(measure, &proc, &b, ret, err);
	/* a recording has no more to say than it said */
	if (!error && !measure->is_recording)
		error = settle(measure, &proc, &b, err);
	if (!error) {
		ret->mm = b.after.header.mm;
		if (b.stated.stated)
			error = ptu_tally_counts(&b.before, &b.after, &b.stated,
						 measure->geo, ret);
		else
			error = ptu_tally_check(&b.diffs, &b.after,
						measure->geo, ret);
	}
	if (!error)
		error = ptu_tally_kernel(&b.after, &b.evidence.vmas,
					 measure->geo, ret);
	if (!error)
		error = ptu_estimators_run_all(measure, &b.evidence, &b.claims,
					       ret);
	if (!error && ptu_side_is_both(measure->side))
		error = ptu_measure_bpf(measure->side, &proc, &b.sides,
					!measure->is_recording, ret, err);
	if (!error && measure->orphans && ret->status == PTU_STATUS_OK)
		error = ptu_measure_orphans(measure->side, &proc, ret, err);
	ptu_thaw(&freeze);
	if (error == -EACCES && ptu_proc_same(&proc, NULL) == -ESRCH)
		error = -ESRCH;
	/* on its way out a process has no mm, and is no zombie yet */
	if (error == -EINVAL && !measure->is_recording &&
	    !ptu_proc_status(&proc, &status, NULL) && !status.has_mm)
		error = ptu_proc_gone(&proc, err);
	bracket_deinit(&b);
	ptu_proc_close(&proc);
	return error;
}

int ptu_measure_check(const struct ptu_measure *measure, pid_t pid,
		      struct ptu_process *ret)
{
	struct ptu_err err;
	unsigned int try;
	int error = -ESTALE;

	for (try = 0; try < EXEC_TRIES && error == -ESTALE; try++) {
		if (try)
			ptu_process_deinit(ret);
		err.text[0] = '\0';
		error = check_once(measure, pid, ret, &err);
	}
	if (error)
		ptu_measure_failed(ret, error, &err);
	return error == -ENOMEM ? error : 0;
}

/* Are tables that hold nothing among what the first estimator claims? */
static bool sees_empty(const struct ptu_measure *measure)
{
	return !(measure->estimators[0]->blind & 1u << PTAUDIT_K_NONE);
}

/* -ESTALE: another thread of it can be read just as well. */
static int estimate_once(const struct ptu_measure *measure,
			 const struct ptu_proc *proc, struct ptu_process *ret,
			 struct ptu_err *err)
{
	struct ptu_evidence evidence = { 0 };
	struct ptu_freeze freeze = { 0 };
	struct ptu_proc_status status = { 0 };
	struct ptu_tables claims;
	size_t nr_doubted;
	unsigned int needs = ptu_estimators_need(measure) |
			     (measure->nameless ? PTU_NEEDS_NO_NAMES : 0) |
			     (measure->fill ? PTU_NEEDS_COUNTS :
					      PTU_NEEDS_EMPTY);
	int error = identify_open(proc, ret, err);
	int status_error = identify_status(proc, ret, &status,
					   error ? NULL : err);

	if (!error)
		error = status_error;
	if (!error) {
		ret->tries = 1;
		if (measure->freeze)
			error = ptu_freeze(proc->pid, &freeze, err);
	}
	/* a process that was just stopped is not as it was */
	if (!error && measure->freeze)
		error = identify_status(proc, ret, &status, err);
	if (!measure->is_recording)
		needs |= PTU_TAKES_CHANGES;
	ret->vmpte_before_bytes = status.vmpte_bytes;
	if (!error)
		error = ptu_proc_evidence(proc, measure->geo, needs, 0,
					  UINT64_MAX, &evidence, err);
	if (!error)
		error = identify_status(proc, ret, &status, err);
	if (!error)
		error = ptu_estimator_run(measure->estimators[0], proc->pid,
					  &evidence, &claims, NULL, err);
	ptu_thaw(&freeze);
	if (!error) {
		nr_doubted = ptu_tables_doubt(&claims, &evidence.changed);
		if (nr_doubted > ptu_tally_flux_limit(claims.nr_tables)) {
			error = ptu_err_set(err, -EAGAIN,
					    "process %d: its mappings changed while they were read, around %zu of %zu tables (try --freeze)",
					    (int)proc->pid, nr_doubted,
					    claims.nr_tables);
			ptu_tables_deinit(&claims);
		}
	}
	if (!error) {
		ptu_tally_estimate(&claims, &evidence.vmas, measure->geo,
				   status.vmpte_bytes, ret);
		ret->faulted = ret->residual_bytes && ptu_proc_faulted(proc);
		ptu_tally_empty(&claims, measure->geo, sees_empty(measure),
				ret);
		error = ptu_tally_mappings(&claims, &evidence.vmas,
					   measure->geo, &ret->mappings,
					   &ret->nr_mappings);
		if (!error)
			error = ptu_estimators_run_all(measure, &evidence,
						       &claims, ret);
		ptu_tables_deinit(&claims);
	}
	ptu_evidence_deinit(&evidence);
	return error;
}

int ptu_measure_estimate_open(const struct ptu_measure *measure,
			      struct ptu_proc *proc, struct ptu_process *ret)
{
	struct ptu_err err = { "" };
	int error = estimate_once(measure, proc, ret, &err);
	unsigned int try;

	for (try = 1; try < EXEC_TRIES && error == -ESTALE; try++) {
		const pid_t pid = proc->pid;

		ptu_proc_close(proc);
		ptu_process_deinit(ret);
		memset(ret, 0, sizeof(*ret));
		ret->pid = pid;
		err.text[0] = '\0';
		error = ptu_proc_open(pid, proc, &err);
		if (!error)
			error = estimate_once(measure, proc, ret, &err);
	}
	if (error)
		ptu_measure_failed(ret, error, &err);
	ptu_proc_close(proc);
	return error == -ENOMEM ? error : 0;
}

int ptu_measure_estimate(const struct ptu_measure *measure, pid_t pid,
			 struct ptu_process *ret)
{
	struct ptu_err err = { "" };
	struct ptu_proc proc;
	int error = ptu_proc_open(pid, &proc, &err);

	if (!error)
		return ptu_measure_estimate_open(measure, &proc, ret);
	memset(ret, 0, sizeof(*ret));
	ret->pid = pid;
	ptu_measure_failed(ret, error, &err);
	return error == -ENOMEM ? error : 0;
}
