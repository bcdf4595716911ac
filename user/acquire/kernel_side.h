/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernel's side of a comparison: the module, or a walk by BPF, or both; live, or
 * as a recording has them.  Who asks it need not know which.
 */
#ifndef PTU_ACQUIRE_KERNEL_SIDE_H
#define PTU_ACQUIRE_KERNEL_SIDE_H

#include <stdbool.h>

#include "acquire/bpf_walk.h"
#include "acquire/module.h"
#include "base/err.h"
#include "model/geometry.h"
#include "model/kernel_tables.h"

/* What --truth asks for. */
enum ptu_side_choice {
	PTU_SIDE_AUTO, /* the module if it can be asked, else BPF */
	PTU_SIDE_MODULE,
	PTU_SIDE_BPF,
	PTU_SIDE_BOTH
};

/**
 * struct ptu_kernel_side - where the truth comes from
 * @geo: the geometry that its answers obey
 * @which: it: PTU_SIDE_MODULE, PTU_SIDE_BPF or PTU_SIDE_BOTH
 * @bpf: walks by BPF; NULL where none are wanted, and in a recording
 */
struct ptu_kernel_side {
	const struct ptu_geometry *geo;
	enum ptu_side_choice which;
	struct ptu_bpf *bpf;
};

/**
 * ptu_side_open() - Make it ready.
 * @geo: (in) is kept
 * @ret: (out) close with ptu_side_close()
 * @err: (out) what is missing and what to do about it
 *
 * A module that is there, but is another version's or sees another geometry, is not
 * passed over.
 *
 * Return: 0; what ptu_truth_ready() or ptu_bpf_open() returns.
 */
ptu_must_check int ptu_side_open(enum ptu_side_choice choice,
				 const struct ptu_geometry *geo,
				 struct ptu_kernel_side *ret,
				 struct ptu_err *err);

void ptu_side_close(struct ptu_kernel_side *side);

/**
 * ptu_side_tables_alone() - From now on, ask only which tables there are.
 *
 * A walk by BPF then reads one table in 512.  The number of used entries of a PTE
 * table means nothing.
 */
void ptu_side_tables_alone(const struct ptu_kernel_side *side);

/**
 * ptu_side_without_vmas() - From now on, ask only what the tables themselves tell.
 *
 * A walk by BPF then reads no VMAs, and a record has neither pfnmap nor flags.
 */
void ptu_side_without_vmas(const struct ptu_kernel_side *side);

/**
 * ptu_side_is_both() - Is there a walk by BPF beside the module's?
 */
static inline bool ptu_side_is_both(const struct ptu_kernel_side *side)
{
	return side->which == PTU_SIDE_BOTH;
}

/**
 * ptu_side_name() - "module", "bpf" or "both".
 */
const char *ptu_side_name(const struct ptu_kernel_side *side);

/**
 * ptu_side_read() - Ask for the tables of a process, as ptu_truth_read() does.
 *
 * The module is asked where there are both.
 */
ptu_must_check int ptu_side_read(const struct ptu_kernel_side *side,
				 const struct ptu_proc *proc, uint64_t start,
				 uint64_t end, enum ptu_walk walk,
				 struct ptu_snapshot *ret, struct ptu_err *err);

/**
 * ptu_side_read_bpf() - The same by BPF, where there are both.
 */
ptu_must_check int ptu_side_read_bpf(const struct ptu_kernel_side *side,
				     const struct ptu_proc *proc,
				     uint64_t start, uint64_t end,
				     enum ptu_walk walk,
				     struct ptu_snapshot *ret,
				     struct ptu_err *err);

/**
 * ptu_side_fetch() - A whole answer of one of them as it is, to be recorded.
 * @by_bpf: (in) the walk by BPF, else the module
 * @bytes: (out) free() it
 */
ptu_must_check int ptu_side_fetch(const struct ptu_kernel_side *side,
				  const struct ptu_proc *proc, bool by_bpf,
				  char **bytes, size_t *nr_bytes,
				  struct ptu_err *err);

#endif
