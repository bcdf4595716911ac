// SPDX-License-Identifier: LGPL-2.1-or-later
/* Query the module, BPF, or a recording of them; must not compare them. */
#include "acquire/kernel_side.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "acquire/file.h"
#include "acquire/walk_recorded.h"

/* Is the module missing, or is this process not allowed to use it? */
static bool is_absent(int error)
{
	return error == -ENOENT || error == -EPERM || error == -EACCES;
}

static int open_bpf(const struct ptu_geometry *geo, struct ptu_bpf **ret,
		    struct ptu_err *err)
{
	if (ptu_file_is_recording())
		return ptu_walk_recorded_ready(PTU_BY_BPF, geo, err);
	return ptu_bpf_open(geo, ret, err);
}

/* Use the module if possible, else BPF. */
static int open_either(const struct ptu_geometry *geo,
		       struct ptu_kernel_side *side, struct ptu_err *err)
{
	struct ptu_err module = { "" }, bpf = { "" };
	int error = ptu_truth_ready(geo, &module), bpf_error;

	side->which = PTU_SIDE_MODULE;
	if (!error)
		return 0;
	if (!is_absent(error))
		return ptu_err_set(err, error, "%s", module.text);
	side->which = PTU_SIDE_BPF;
	bpf_error = open_bpf(geo, &side->bpf, &bpf);
	if (!bpf_error)
		return 0;
	if (ptu_file_is_recording())
		return is_absent(bpf_error) ?
			       ptu_err_set(err, error,
					   "the recording has no walk by the module or BPF: `estimate`, `top`, `map`, `whatif` and `diff` can read it") :
			       ptu_err_set(err, bpf_error, "%s", bpf.text);
	/* the first sentence tells what to do, the second one why it is needed */
	return ptu_err_set(err, error, "%.250s; without the module: %.220s",
			   module.text, bpf.text);
}

int ptu_side_open(enum ptu_side_choice choice, const struct ptu_geometry *geo,
		  struct ptu_kernel_side *ret, struct ptu_err *err)
{
	struct ptu_kernel_side side = { .geo = geo, .which = choice };
	int error = 0;

	if (choice == PTU_SIDE_AUTO)
		error = open_either(geo, &side, err);
	if (choice == PTU_SIDE_MODULE || choice == PTU_SIDE_BOTH)
		error = ptu_truth_ready(geo, err);
	if (!error && (choice == PTU_SIDE_BPF || choice == PTU_SIDE_BOTH))
		error = open_bpf(geo, &side.bpf, err);
	if (!error)
		*ret = side;
	return error;
}

void ptu_side_close(struct ptu_kernel_side *side)
{
	if (side->bpf)
		ptu_bpf_close(side->bpf);
	side->bpf = NULL;
}

void ptu_side_tables_alone(const struct ptu_kernel_side *side)
{
	if (side->bpf)
		ptu_bpf_tables_alone(side->bpf);
}

void ptu_side_without_vmas(const struct ptu_kernel_side *side)
{
	if (side->bpf)
		ptu_bpf_without_vmas(side->bpf);
}

const char *ptu_side_name(const struct ptu_kernel_side *side)
{
	return ptu_side_is_both(side)	   ? "both" :
	       side->which == PTU_SIDE_BPF ? "bpf" :
					     "module";
}

/*
 * A walk that finds no task, or one without an mm: the process ends, or only the thread
 * ends that is read.
 */
static int explain_end(const struct ptu_proc *proc, int error,
		       struct ptu_err *err)
{
	struct ptu_proc_status status;

	if (ptu_file_is_recording() || (error != -ESRCH && error != -EINVAL))
		return error;
	if (error == -EINVAL && !ptu_proc_status(proc, &status, NULL) &&
	    status.has_mm)
		return error;
	ptu_err_clear(err);
	return ptu_proc_gone(proc, err);
}

/*
 * Was it the process that /proc showed?  Its PID cannot be reused while the task exists
 * that was opened.
 *
 * @bytes: (in) the answer, if there is no error; freed if it is that of another process
 */
static int check_walk(const struct ptu_proc *proc, int error, char *bytes,
		      struct ptu_err *err)
{
	if (error)
		return explain_end(proc, error, err);
	error = ptu_proc_same(proc, err);
	if (error)
		free(bytes);
	return error;
}

int ptu_side_read_bpf(const struct ptu_kernel_side *side,
		      const struct ptu_proc *proc, uint64_t start, uint64_t end,
		      enum ptu_walk walk, struct ptu_snapshot *ret,
		      struct ptu_err *err)
{
	size_t nr_bytes;
	char *bytes = NULL;
	int error;

	if (!side->bpf)
		return ptu_walk_recorded_read(proc->pid, PTU_BY_BPF, walk,
					      side->geo, ret, err);
	error = ptu_bpf_walk(side->bpf, proc->tid, start, end, &bytes,
			     &nr_bytes, err);
	error = check_walk(proc, error, bytes, err);
	if (error)
		return error;
	error = ptu_snapshot_parse(bytes, nr_bytes, side->geo, ret, err);
	free(bytes);
	return error;
}

int ptu_side_read(const struct ptu_kernel_side *side,
		  const struct ptu_proc *proc, uint64_t start, uint64_t end,
		  enum ptu_walk walk, struct ptu_snapshot *ret,
		  struct ptu_err *err)
{
	if (side->which == PTU_SIDE_BPF)
		return ptu_side_read_bpf(side, proc, start, end, walk, ret,
					 err);
	return explain_end(proc,
			   ptu_truth_read(proc, start, end, walk, side->geo,
					  ret, err),
			   err);
}

int ptu_side_fetch(const struct ptu_kernel_side *side,
		   const struct ptu_proc *proc, bool by_bpf, char **bytes,
		   size_t *nr_bytes, struct ptu_err *err)
{
	int error;

	*bytes = NULL;
	error = by_bpf ? ptu_bpf_walk(side->bpf, proc->tid, 0, 0, bytes,
				      nr_bytes, err) :
			 ptu_truth_fetch(proc->pid, 0, 0, bytes, nr_bytes, err);
	return check_walk(proc, error, *bytes, err);
}
