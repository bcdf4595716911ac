/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernel's side of a comparison: the module, or a walk by BPF.  Who asks it need
 * not know which.
 */
#ifndef PTU_ACQUIRE_KERNEL_SIDE_H
#define PTU_ACQUIRE_KERNEL_SIDE_H

#include "acquire/bpf_walk.h"
#include "acquire/module.h"
#include "base/err.h"
#include "model/geometry.h"
#include "model/kernel_tables.h"

/* What --truth asks for. */
enum ptu_side_choice {
	PTU_SIDE_AUTO, /* the module if it can be asked, else BPF */
	PTU_SIDE_MODULE,
	PTU_SIDE_BPF
};

/**
 * struct ptu_kernel_side - where the truth comes from
 * @geo: the geometry that its answers obey
 * @bpf: walks by BPF; NULL: the module is asked, or a recording of it
 */
struct ptu_kernel_side {
	const struct ptu_geometry *geo;
	struct ptu_bpf *bpf;
};

/**
 * ptu_side_open() - Make one of them ready.
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
 * ptu_side_name() - "module" or "bpf".
 */
const char *ptu_side_name(const struct ptu_kernel_side *side);

/**
 * ptu_side_read() - Ask for the tables of a process, as ptu_truth_read() does.
 */
ptu_must_check int ptu_side_read(const struct ptu_kernel_side *side,
				 const struct ptu_proc *proc, uint64_t start,
				 uint64_t end, enum ptu_walk walk,
				 struct ptu_snapshot *ret, struct ptu_err *err);

#endif
