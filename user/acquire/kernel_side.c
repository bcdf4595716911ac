// SPDX-License-Identifier: LGPL-2.1-or-later
/* Chooses between the module and BPF; must not compare them. */
#include "acquire/kernel_side.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "acquire/file.h"

/* The module is not there, or we may not ask it. */
static bool is_absent(int error)
{
	return error == -ENOENT || error == -EPERM || error == -EACCES;
}

int ptu_side_open(enum ptu_side_choice choice, const struct ptu_geometry *geo,
		  struct ptu_kernel_side *ret, struct ptu_err *err)
{
	struct ptu_kernel_side side = { .geo = geo };
	struct ptu_err module = { "" }, bpf = { "" };
	int module_error = 0, error;

	/* a recording is read in the same way, whoever has walked */
	if (choice != PTU_SIDE_BPF || ptu_file_is_recording()) {
		module_error = ptu_truth_ready(geo, &module);
		if (!module_error) {
			*ret = side;
			return 0;
		}
		if (choice == PTU_SIDE_MODULE || !is_absent(module_error) ||
		    ptu_file_is_recording())
			return ptu_err_set(err, module_error, "%s",
					   module.text);
	}
	error = ptu_bpf_open(geo, &side.bpf, &bpf);
	if (!error) {
		*ret = side;
		return 0;
	}
	if (choice == PTU_SIDE_BPF)
		return ptu_err_set(err, error, "%s", bpf.text);
	/* the first one is what is to be done; the other, why that is needed */
	return ptu_err_set(err, module_error, "%.250s (without it: %.230s)",
			   module.text, bpf.text);
}

void ptu_side_close(struct ptu_kernel_side *side)
{
	if (side->bpf)
		ptu_bpf_close(side->bpf);
	side->bpf = NULL;
}

const char *ptu_side_name(const struct ptu_kernel_side *side)
{
	return side->bpf ? "bpf" : "module";
}

int ptu_side_read(const struct ptu_kernel_side *side,
		  const struct ptu_proc *proc, uint64_t start, uint64_t end,
		  enum ptu_walk walk, struct ptu_snapshot *ret,
		  struct ptu_err *err)
{
	size_t nr_bytes;
	char *bytes;
	int error;

	if (!side->bpf)
		return ptu_truth_read(proc, start, end, walk, side->geo, ret,
				      err);
	error = ptu_bpf_walk(side->bpf, proc->tid, start, end, &bytes,
			     &nr_bytes, err);
	if (error)
		return error;
	error = ptu_snapshot_parse(bytes, nr_bytes, side->geo, ret, err);
	free(bytes);
	return error;
}
