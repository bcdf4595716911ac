/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replaces each step that `check` and `estimate` take to measure a process.  The test defines
 * the results of the steps.  Only one file of a program may include it.
 */
#ifndef FAKE_STEPS_H
#define FAKE_STEPS_H

#include <limits.h>

enum call {
	HOST,
	BOOT_ID,
	PROC_SAME,
	OPEN,
	MEMORY,
	STATUS,
	FREEZE,
	BEST,
	SETTLE,
	TALLY_CHECK,
	TALLY_COUNTS,
	TALLY_KERNEL,
	RUN_ALL,
	BPF,
	ORPHANS,
	DRAW,
	EVIDENCE,
	RUN,
	MAPPINGS,
	NR_CALLS
};

#include "measure/fake_calls.h"

#include "measure/tables.h"

#include "acquire/freeze.h"
#include "compare/mappings.h"
#include "compare/table_fill.h"
#include "compare/table_rows.h"
#include "measure/bracket.h"
#include "measure/estimators.h"
#include "measure/map_check.h"
#include "support/build.h"

#define VMPTE(n) ((uint64_t)(n)*11 * PAGE)

static unsigned int nr_thawed, nr_brackets, nr_evidence;
/* From this call of ptu_proc_status() on, counted from 0, the process has no mm. */
static unsigned int without_mm_from;
static bool is_stated, is_unstable, has_faulted, again_of_bpf,
	sees_empty_tables;
static unsigned int needs;
static uint64_t flux_limit, residual_bytes;
static struct ptu_vma vmas[2];
static struct ptu_span changed;
static struct ptu_kernel_side side;
static struct ptu_estimator estimator;
static const struct ptu_estimator *estimators[] = { &estimator };
static struct ptu_measure measure;
static struct ptu_process got;
static int noted;

int ptu_proc_open(pid_t pid, struct ptu_proc *ret, struct ptu_err *error)
{
	int failed = called(OPEN, error);

	if (failed)
		return failed;
	*ret = (struct ptu_proc){
		.pid = pid, .tid = pid + 1, .start_time = 77, .comm = "made"
	};
	nr_open++;
	return 0;
}

int ptu_proc_has_memory(const struct ptu_proc *proc, struct ptu_err *error)
{
	return called(MEMORY, error);
}

/* Each call returns another VmPTE, so that a test can tell them apart. */
int(ptu_proc_status)(const struct ptu_proc *proc, struct ptu_proc_status *ret,
		     struct ptu_err *error)
{
	*ret = (struct ptu_proc_status){
		.uid = 1000,
		.has_mm = calls[STATUS] < without_mm_from,
		.vmrss_bytes = 5 * PAGE,
		.vmpte_bytes = VMPTE(calls[STATUS]),
	};
	return called(STATUS, error);
}

int ptu_proc_gone(const struct ptu_proc *proc, struct ptu_err *error)
{
	return ptu_err_set(error, -ESRCH, "it is gone");
}

bool ptu_proc_faulted(const struct ptu_proc *proc)
{
	return has_faulted;
}

int(ptu_freeze)(struct ptu_proc *proc, struct ptu_freeze *ret,
		struct ptu_err *error)
{
	ret->nr = 1;
	return called(FREEZE, error);
}

void ptu_thaw(struct ptu_freeze *freeze)
{
	nr_thawed += freeze->nr;
}

int ptu_bracket_best(const struct ptu_measure *by, const struct ptu_proc *proc,
		     struct ptu_bracket *ret, struct ptu_process *p,
		     struct ptu_err *error)
{
	nr_brackets++;
	ret->after.header.mm = 500;
	ret->stated.stated = is_stated;
	return called(BEST, error);
}

int ptu_bracket_settle(const struct ptu_measure *by,
		       const struct ptu_proc *proc, struct ptu_bracket *b,
		       struct ptu_err *error)
{
	return called(SETTLE, error);
}

void ptu_bracket_deinit(struct ptu_bracket *b)
{
	nr_brackets -= b->after.header.mm == 500;
}

int ptu_tally_check(const struct ptu_diffs *diffs,
		    const struct ptu_snapshot *kernel,
		    const struct ptu_geometry *geo, struct ptu_process *ret)
{
	/* an allocation, which a repeated measurement has to free */
	ret->causes = calloc(1, sizeof(*ret->causes));
	if (is_unstable)
		ret->status = PTU_STATUS_UNSTABLE;
	return called(TALLY_CHECK, NULL);
}

int ptu_tally_counts(const struct ptu_snapshot *before,
		     const struct ptu_snapshot *after,
		     const struct ptu_stated *counts,
		     const struct ptu_geometry *geo, struct ptu_process *ret)
{
	return called(TALLY_COUNTS, NULL);
}

int ptu_tally_kernel(const struct ptu_snapshot *kernel,
		     const struct ptu_vmas *all, const struct ptu_geometry *geo,
		     struct ptu_process *ret)
{
	return called(TALLY_KERNEL, NULL);
}

unsigned int ptu_estimators_need(const struct ptu_measure *by)
{
	return by == &measure ? PTU_NEEDS_SCAN : 0;
}

int ptu_estimators_run_all(const struct ptu_measure *by,
			   const struct ptu_evidence *evidence,
			   const struct ptu_tables *first,
			   struct ptu_process *p)
{
	return called(RUN_ALL, NULL);
}

int ptu_estimator_run(const struct ptu_estimator *by, pid_t pid,
		      const struct ptu_evidence *evidence,
		      struct ptu_tables *ret, struct ptu_stated *stated,
		      struct ptu_err *error)
{
	int failed = called(RUN, error);

	if (by != &estimator || pid != 42 || stated)
		abort();
	if (failed)
		return failed;
	ptu_tables_init(ret, measure.geo);
	if (ptu_tables_add(ret, PTAUDIT_PTE, A, PTU_CERTAIN) ||
	    ptu_tables_add(ret, PTAUDIT_PTE, A + 2 * MIB, PTU_CERTAIN))
		abort();
	return 0;
}

int ptu_measure_bpf(const struct ptu_kernel_side *of,
		    const struct ptu_proc *proc,
		    const struct ptu_walk_diffs *diffs, bool again,
		    struct ptu_process *ret, struct ptu_err *error)
{
	again_of_bpf = again;
	return called(BPF, error);
}

int ptu_measure_orphans(const struct ptu_kernel_side *of,
			const struct ptu_proc *proc, struct ptu_process *ret,
			struct ptu_err *error)
{
	return called(ORPHANS, error);
}

int ptu_check_maps_draw(const struct ptu_measure *by,
			const struct ptu_bracket *b,
			const struct ptu_process *p, struct ptu_check_maps *ret,
			struct ptu_err *error)
{
	return called(DRAW, error);
}

int ptu_proc_evidence(const struct ptu_proc *proc,
		      const struct ptu_geometry *geo, unsigned int asked,
		      uint64_t start, uint64_t end, struct ptu_evidence *ret,
		      struct ptu_err *error)
{
	int failed = called(EVIDENCE, error);

	needs = asked;
	if (failed)
		return failed;
	if (start || end != UINT64_MAX)
		abort();
	ret->vmas = (struct ptu_vmas){ .vmas = vmas, .nr_vmas = 2 };
	if (changed.end)
		ret->changed = (struct ptu_spans){ .spans = &changed,
						   .nr_spans = 1 };
	nr_evidence++;
	return 0;
}

void ptu_evidence_deinit(struct ptu_evidence *evidence)
{
	nr_evidence -= evidence->vmas.nr_vmas == 2;
}

uint64_t ptu_tally_flux_limit(uint64_t tables)
{
	/* two PTE tables, and one table of each level above */
	if (tables != 5)
		abort();
	return flux_limit;
}

void ptu_tally_estimate(const struct ptu_tables *claims,
			const struct ptu_vmas *all,
			const struct ptu_geometry *geo, uint64_t vmpte_bytes,
			struct ptu_process *ret)
{
	ret->residual_bytes = residual_bytes;
}

void ptu_tally_empty(const struct ptu_tables *claims,
		     const struct ptu_geometry *geo, bool sees_empty,
		     struct ptu_process *ret)
{
	sees_empty_tables = sees_empty;
}

int ptu_tally_mappings(const struct ptu_tables *claims,
		       const struct ptu_vmas *all,
		       const struct ptu_geometry *geo,
		       struct ptu_mapping_row **ret, size_t *ret_nr)
{
	int failed = called(MAPPINGS, NULL);

	if (!failed) {
		*ret = calloc(1, sizeof(**ret));
		*ret_nr = 1;
	}
	return failed;
}

#endif
