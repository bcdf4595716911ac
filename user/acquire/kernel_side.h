/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernel's side of a comparison: the module, or a walk by BPF, or both; live or
 * recorded.  Callers need not know which.
 */
#ifndef PTU_ACQUIRE_KERNEL_SIDE_H
#define PTU_ACQUIRE_KERNEL_SIDE_H

#include <stdbool.h>

#include "acquire/bpf_walk.h"
#include "acquire/module.h"
#include "base/err.h"
#include "model/geometry.h"
#include "model/kernel_tables.h"

/* Values of --truth. */
enum ptu_side_choice {
	PTU_SIDE_AUTO, /* the module if possible, else BPF */
	PTU_SIDE_MODULE,
	PTU_SIDE_BPF,
	PTU_SIDE_BOTH
};

/**
 * struct ptu_kernel_side - source of the kernel's walks
 * @geo: geometry of the walks
 * @which: PTU_SIDE_MODULE, PTU_SIDE_BPF or PTU_SIDE_BOTH
 * @bpf: handle for BPF walks; NULL if there are none, or in a recording
 */
struct ptu_kernel_side {
	const struct ptu_geometry *geo;
	enum ptu_side_choice which;
	struct ptu_bpf *bpf;
};

/**
 * ptu_side_open() - Open the kernel's side.
 * @geo: (in) must outlive @ret
 * @ret: (out) close with ptu_side_close()
 * @err: (out) what is missing and what to do about it
 *
 * A module of another version or with another geometry is an error; BPF does not
 * replace it.
 *
 * Return: 0; the errors of ptu_truth_ready() or ptu_bpf_open().
 */
ptu_must_check int ptu_side_open(enum ptu_side_choice choice,
				 const struct ptu_geometry *geo,
				 struct ptu_kernel_side *ret,
				 struct ptu_err *err);

void ptu_side_close(struct ptu_kernel_side *side);

/**
 * ptu_side_tables_alone() - From now on, find tables without reading PTE tables.
 *
 * A walk by BPF then reads only one table in 512.  The number of used entries of a
 * PTE table is invalid.  The limits of ptu_side_without_vmas() apply as well.
 */
void ptu_side_tables_alone(const struct ptu_kernel_side *side);

/**
 * ptu_side_without_vmas() - From now on, do not read VMAs.
 *
 * The limits of ptu_bpf_without_vmas() apply to the records of a walk by BPF.
 */
void ptu_side_without_vmas(const struct ptu_kernel_side *side);

/**
 * ptu_side_is_both() - Are there a module and a walk by BPF?
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
 * ptu_side_read() - Read the tables of a process, like ptu_truth_read().
 *
 * Uses the module if there are both.
 *
 * Return: 0; -ESRCH, -ESTALE as ptu_proc_gone(); -errno.
 */
ptu_must_check int ptu_side_read(const struct ptu_kernel_side *side,
				 const struct ptu_proc *proc, uint64_t start,
				 uint64_t end, enum ptu_walk walk,
				 struct ptu_snapshot *ret, struct ptu_err *err);

/**
 * ptu_side_read_bpf() - Like ptu_side_read(), but use BPF if there are both.
 */
ptu_must_check int ptu_side_read_bpf(const struct ptu_kernel_side *side,
				     const struct ptu_proc *proc,
				     uint64_t start, uint64_t end,
				     enum ptu_walk walk,
				     struct ptu_snapshot *ret,
				     struct ptu_err *err);

/**
 * ptu_side_fetch() - Get a complete walk as bytes, for a recording.
 * @by_bpf: (in) use BPF, else the module
 * @bytes: (out) free() it
 *
 * Return: as ptu_side_read().
 */
ptu_must_check int ptu_side_fetch(const struct ptu_kernel_side *side,
				  const struct ptu_proc *proc, bool by_bpf,
				  char **bytes, size_t *nr_bytes,
				  struct ptu_err *err);

#endif
