// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Take the estimate between two walks of the kernel (a bracket). Repeat the bracket for
 * each table on which the sides differ, for that table only.  Must not know how causes
 * are proven, nor how the result is used.
 */
#include "measure/bracket.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "acquire/procfs.h"
#include "base/clock.h"
#include "compare/table_causes.h"
#include "compare/table_rows.h"
#include "measure/estimators.h"

/* Retries with a program as estimator; each one starts the program. */
#define PROGRAM_TRIES 1

void ptu_bracket_deinit(struct ptu_bracket *b)
{
	ptu_snapshot_deinit(&b->before);
	ptu_evidence_deinit(&b->evidence);
	ptu_tables_deinit(&b->claims);
	ptu_snapshot_deinit(&b->bpf);
	ptu_snapshot_deinit(&b->after);
	ptu_diffs_deinit(&b->diffs);
	ptu_walks_deinit(&b->sides);
	memset(b, 0, sizeof(*b));
}

/*
 * Treat differences in changed mappings as unstable: then settle() measures each of
 * them again.
 */
static void doubt_changed(struct ptu_bracket *b, const struct ptu_geometry *geo)
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

/* If the mappings change too fast to read smaps, treat every difference as unstable. */
static int read_flags(const struct ptu_measure *measure,
		      const struct ptu_proc *proc,
		      struct ptu_evidence *evidence, struct ptu_err *err)
{
	int error = ptu_proc_flags(proc, &evidence->vmas, err);

	if (error != -EAGAIN || measure->is_recording)
		return error;
	ptu_err_clear(err);
	error = ptu_spans_add(&evidence->changed, 0, UINT64_MAX);
	ptu_spans_sort(&evidence->changed);
	return error;
}

/* Walk, estimate, walk.  start == end == 0: the whole process. */
static int bracket_take(const struct ptu_measure *measure,
			const struct ptu_proc *proc, unsigned int needs,
			uint64_t start, uint64_t end, struct ptu_bracket *ret,
			struct ptu_err *err)
{
	const struct ptu_estimator *estimator = measure->estimators[0];
	uint64_t evidence_end = start || end ? end : UINT64_MAX;
	const bool by_both = ptu_side_is_both(measure->side) && !start && !end;
	struct ptu_bracket b = { 0 };
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
						  PTU_TAKES_CHANGES,
					  start, evidence_end, &b.evidence,
					  err);
	if (!error)
		error = ptu_proc_status(proc, &b.status, err);
	if (!error)
		error = ptu_estimator_run(estimator, proc->pid, &b.evidence,
					  &b.claims,
					  measure->counts ? &b.stated : NULL,
					  err);
	/* reading changes our own memory between the walks */
	if (!error && proc->pid == getpid() && !measure->is_recording)
		ptu_tables_forget_entries(&b.claims);
	if (!error && by_both)
		error = ptu_side_read_bpf(measure->side, proc, 0, 0,
					  PTU_WALK_AFTER, &b.bpf, err);
	if (!error)
		error = ptu_side_read(measure->side, proc, start, end,
				      PTU_WALK_AFTER, &b.after, err);
	if (!error && (b.before.header.mm != b.after.header.mm ||
		       (by_both && b.bpf.header.mm != b.after.header.mm)))
		error = ptu_err_set(err, -ESTALE,
				    "process %d started another program meanwhile",
				    proc->pid);
	/* counts have no addresses to compare */
	if (!error && !b.stated.stated)
		error = ptu_compare(&b.before, &b.after, &b.claims,
				    measure->geo, start, evidence_end, &b.diffs,
				    err);
	if (!error && by_both)
		error = ptu_walks_compare(&b.before, &b.bpf, &b.after,
					  measure->geo, 0, UINT64_MAX, &b.sides,
					  err);
	if (!error && ptu_explain_wants_flags(&b.diffs, &proof))
		error = read_flags(measure, proc, &b.evidence, err);
	if (error) {
		ptu_bracket_deinit(&b);
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

static size_t count_open(const struct ptu_diff *diffs, size_t nr_diffs)
{
	size_t i, nr = 0;

	for (i = 0; i < nr_diffs; i++)
		nr += is_open(&diffs[i]);
	return nr;
}

/*
 * Was each walk made at one moment?  If not, the sum can lack a table that moved meanwhile,
 * although the counter is constant.
 */
static bool is_of_moments(const struct ptu_bracket *b)
{
	return !((b->before.header.flags | b->after.header.flags) &
		 PTAUDIT_H_PIECES);
}

/* Was the mm's page-table counter constant between the first and the last walk? */
static bool counter_stood_still(const struct ptu_bracket *b)
{
	uint64_t bytes = b->status.vmpte_bytes;

	return b->before.header.pgtables_bytes_before == bytes &&
	       b->before.header.pgtables_bytes_after == bytes &&
	       b->after.header.pgtables_bytes_before == bytes &&
	       b->after.header.pgtables_bytes_after == bytes;
}

/*
 * Called if the sum differs from VmPTE: count the difference as in flux, unless
 * nothing changed meanwhile.  While munmap() frees tables, no VMA
 * reaches them, but the counter includes them until the end.  munmap() then
 * holds mmap_lock for reading, and `orphans` takes it for writing: if the
 * counter is the same after `orphans`, no munmap() was running.  A walk by BPF
 * takes no lock: only the counters are compared.  If the sums of both walks
 * differ, tables were added and freed although the counter is the same.
 * Source: mm/mmap.c, do_mas_align_munmap() (6.1); mm/vma.c (6.12, 7.2).
 */
static int find_vmpte_at_rest(const struct ptu_measure *measure,
			      const struct ptu_proc *proc,
			      const struct ptu_bracket *b,
			      struct ptu_process *p, struct ptu_err *err)
{
	const uint64_t reach = ptu_geometry_reach(measure->geo, PTAUDIT_PTE);
	bool is_at_rest = is_of_moments(b) && counter_stood_still(b) &&
			  ptu_vmpte_sums_equal(&b->before, &b->after,
					       measure->geo);
	struct ptu_snapshot behind = { 0 };
	int error;

	if (is_at_rest && !measure->is_recording &&
	    measure->side->which != PTU_SIDE_BPF) {
		error = ptu_truth_orphans(proc, 0, reach, measure->geo, &behind,
					  err);
		if (error && error != -EAGAIN)
			return error;
		is_at_rest = !error && behind.header.pgtables_bytes_after ==
					       p->vmpte_bytes;
		ptu_snapshot_deinit(&behind);
	}
	if (!is_at_rest)
		ptu_tally_vmpte_moved(p);
	return 0;
}

/* Is the result final, or is another bracket worthwhile? */
static bool is_clean(const struct ptu_bracket *b, const struct ptu_process *p)
{
	return !count_open(b->diffs.diffs, b->diffs.nr_diffs) &&
	       !b->sides.nr_diffs && !b->before.nr_moved &&
	       !b->after.nr_moved && counter_stood_still(b) &&
	       !p->vmpte_unexplained_bytes && !p->vmpte_in_flux_bytes;
}

/* Does the kernel have the table or leaf that the sides differed on? */
static bool kernel_has(const struct ptu_snapshot *kernel,
		       const struct ptu_geometry *geo,
		       const struct ptu_diff *diff)
{
	enum ptaudit_kind kind = PTAUDIT_K_CHILD;

	if (diff->leaf)
		ptu_snapshot_find(kernel, geo, diff->level, diff->start, &kind);
	else if (diff->level != PTAUDIT_PGD)
		ptu_snapshot_find(kernel, geo,
				  ptu_geometry_above(geo, diff->level),
				  diff->start, &kind);
	return kind == (diff->leaf ? PTAUDIT_K_LEAF : PTAUDIT_K_CHILD);
}

/*
 * Update a difference by what a further bracket shows. .stable stays set only if each
 * bracket has shown the same difference.
 */
static void look_again(const struct ptu_bracket *b,
		       const struct ptu_geometry *geo, struct ptu_diff *diff)
{
	const struct ptu_diff *found = ptu_diffs_find(&b->diffs, diff->start,
						      diff->level, diff->leaf);
	bool is_same;

	if (found) {
		is_same = diff->stable && found->kernel == diff->kernel &&
			  found->claim == diff->claim &&
			  found->contents == diff->contents &&
			  found->entries == diff->entries &&
			  found->record.used == diff->record.used;
		*diff = *found;
		diff->stable &= is_same;
		return;
	}
	/* now both sides have it, or neither */
	diff->kernel = kernel_has(&b->after, geo, diff);
	diff->claim = !diff->kernel ? 0 : diff->leaf ? PTU_LEAF : PTU_CERTAIN;
	diff->why = PTU_WHY_UNSET;
}

/*
 * Repeat the bracket until none of @nr differences is open, up to a limit. A
 * difference that is still open then is unexplained if each bracket has shown the same
 * one, else in flux.  start == end == 0: brackets of the whole process.
 */
static int settle(const struct ptu_measure *measure,
		  const struct ptu_proc *proc, struct ptu_diff *diffs,
		  size_t nr, uint64_t start, uint64_t end, struct ptu_err *err)
{
	unsigned int tries = measure->estimators[0]->program ? PROGRAM_TRIES :
							       PTU_LOCAL_TRIES;
	size_t i;

	/* a recording cannot be measured again */
	if (measure->is_recording)
		tries = 0;
	for (; tries && count_open(diffs, nr); tries--) {
		struct ptu_bracket b;
		int error = bracket_take(measure, proc,
					 measure->estimators[0]->needs, start,
					 end, &b, err);

		if (error && error != -EAGAIN)
			return error;
		for (i = 0; i < nr; i++) {
			if (!is_open(&diffs[i]))
				continue;
			if (error)
				diffs[i].stable = false;
			else
				look_again(&b, measure->geo, &diffs[i]);
		}
		if (error)
			ptu_err_clear(err);
		else
			ptu_bracket_deinit(&b);
	}
	for (i = 0; i < nr; i++)
		if (is_open(&diffs[i]) && !diffs[i].stable)
			diffs[i].why = PTU_WHY_IN_FLUX;
	return 0;
}

/* The PGD has no range: from 0 to 0 is the whole process. */
static uint64_t end_of(const struct ptu_geometry *geo,
		       const struct ptu_diff *diff)
{
	if (diff->leaf)
		return diff->start + (UINT64_C(1) << geo->shift[diff->level]);
	return diff->level == PTAUDIT_PGD ?
		       0 :
		       diff->start + ptu_geometry_reach(geo, diff->level);
}

/*
 * Settle each difference in brackets of its own range.  Tables in the kernel half
 * have no range: settle these, and differences beyond the limits, in brackets of
 * the whole process.
 */
int ptu_bracket_settle(const struct ptu_measure *measure,
		       const struct ptu_proc *proc, struct ptu_bracket *b,
		       struct ptu_err *err)
{
	const struct ptu_geometry *geo = measure->geo;
	const uint64_t deadline_ns = ptu_now_ns() + PTU_LOCAL_NS;
	struct ptu_diff *diffs = b->diffs.diffs;
	size_t i, nr = 0;

	for (i = 0; i < b->diffs.nr_diffs && nr < PTU_LOCAL_DIFFS &&
		    ptu_now_ns() < deadline_ns &&
		    diffs[i].start < ptu_geometry_user_end(geo);
	     i++) {
		int error;

		if (!is_open(&diffs[i]))
			continue;
		nr++;
		error = settle(measure, proc, &diffs[i], 1, diffs[i].start,
			       end_of(geo, &diffs[i]), err);
		if (error)
			return error;
	}
	return settle(measure, proc, &diffs[i], b->diffs.nr_diffs - i, 0, 0,
		      err);
}

int ptu_bracket_best(const struct ptu_measure *measure,
		     const struct ptu_proc *proc, struct ptu_bracket *ret,
		     struct ptu_process *p, struct ptu_err *err)
{
	bool is_taken = false;

	memset(ret, 0, sizeof(*ret));
	for (p->tries = 0; p->tries < PTU_WHOLE_TRIES &&
			   ptu_proc_try_again(proc, p->tries);) {
		struct ptu_bracket b;
		int error;

		p->tries++;
		ptu_err_clear(err);
		error = bracket_take(measure, proc,
				     ptu_estimators_need(measure), 0, 0, &b,
				     err);
		if (error == -EAGAIN)
			continue;
		if (error)
			return error;
		ptu_bracket_deinit(ret);
		*ret = b;
		is_taken = true;
		ptu_tally_vmpte(&b.before, &b.after, b.status.vmpte_bytes,
				measure->geo, p);
		if (p->vmpte_unexplained_bytes)
			error = find_vmpte_at_rest(measure, proc, &b, p, err);
		if (error)
			return error;
		if (is_clean(&b, p) || measure->is_recording)
			break;
	}
	if (!is_taken)
		return -EAGAIN;
	ptu_err_clear(err);
	return 0;
}
