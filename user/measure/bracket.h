/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bracket of a check: walk of the kernel, estimate, walk of the kernel. */
#ifndef PTU_MEASURE_BRACKET_H
#define PTU_MEASURE_BRACKET_H

#include "compare/table_diff.h"
#include "measure/tables.h"
#include "measure/walks.h"

/**
 * struct ptu_bracket - results of the sides, in the order of measurement
 * @claims: claims of the first estimator
 * @stated: its counts, if it names no tables
 * @bpf: `--truth both`: the walk by BPF
 * @sides: `--truth both`: differences between module and BPF
 */
struct ptu_bracket {
	struct ptu_snapshot before;
	struct ptu_evidence evidence;
	struct ptu_tables claims;
	struct ptu_stated stated;
	struct ptu_proc_status status;
	struct ptu_snapshot bpf;
	struct ptu_snapshot after;
	struct ptu_diffs diffs;
	struct ptu_walk_diffs sides;
};

/**
 * ptu_bracket_best() - Repeat the bracket of the whole process until it is clean.
 * @ret: (out) the last complete bracket; call ptu_bracket_deinit() even after a failure
 * @p: (out) sets .tries and the comparison with VmPTE
 *
 * Return: 0; -EAGAIN the process changed during each bracket; -ESTALE it called exec();
 * -errno as ptu_side_read() and ptu_proc_evidence().
 */
ptu_must_check int ptu_bracket_best(const struct ptu_measure *measure,
				    const struct ptu_proc *proc,
				    struct ptu_bracket *ret,
				    struct ptu_process *p, struct ptu_err *err);

/**
 * ptu_bracket_settle() - Repeat the bracket separately for each open difference, unless
 *	it is a recording, and find the tables in flux.
 *
 * Return: 0; -errno as ptu_bracket_best().
 */
ptu_must_check int ptu_bracket_settle(const struct ptu_measure *measure,
				      const struct ptu_proc *proc,
				      struct ptu_bracket *b,
				      struct ptu_err *err);

void ptu_bracket_deinit(struct ptu_bracket *b);

#endif
