/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The bracket of a check: the kernel's walk, the estimate, the kernel's walk again.
 */
#ifndef PTU_MEASURE_BRACKET_H
#define PTU_MEASURE_BRACKET_H

#include "compare/table_diff.h"
#include "measure/tables.h"
#include "measure/walks.h"

/**
 * struct ptu_bracket - what each side said, in the order in which it was asked
 * @claims: of the first estimator
 * @stated: what it states instead, if it names no tables
 * @bpf: `--truth both`: the walk by BPF
 * @sides: likewise: where module and BPF differ
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
 * ptu_bracket_best() - Bracket the whole process until one is clean.
 * @ret: (out) the last one; ptu_bracket_deinit() also after a failure
 * @p: (out) .tries and the sum against VmPTE
 *
 * Return: 0; -EAGAIN the process changed under each; -ESTALE it is another program;
 * -errno as ptu_side_read() and ptu_proc_evidence().
 */
ptu_must_check int ptu_bracket_best(const struct ptu_measure *measure,
				    const struct ptu_proc *proc,
				    struct ptu_bracket *ret,
				    struct ptu_process *p, struct ptu_err *err);

/**
 * ptu_bracket_settle() - Bracket each open difference again, on its own.
 *
 * Return: 0; -errno as ptu_bracket_best().
 */
ptu_must_check int ptu_bracket_settle(const struct ptu_measure *measure,
				      const struct ptu_proc *proc,
				      struct ptu_bracket *b,
				      struct ptu_err *err);

void ptu_bracket_deinit(struct ptu_bracket *b);

#endif
