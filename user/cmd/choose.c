// SPDX-License-Identifier: LGPL-2.1-or-later
/* Choose the side and the process from the options; must not query them. */
#include "cmd/choose.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "acquire/file.h"
#include "acquire/procfs.h"

/*
 * Is it acceptable to continue without the kernel's side?  Many machines have none, and
 * a recording may lack it.  Damaged recordings and lack of memory are errors.
 */
static bool may_do_without(int error)
{
	if (ptu_file_is_recording())
		return error == -ENOENT;
	return error != -ENOMEM;
}

int ptu_choose_side(const struct ptu_options *options,
		    const struct ptu_geometry *geo,
		    struct ptu_kernel_side *side,
		    const struct ptu_kernel_side **ret, struct ptu_err *err)
{
	int error;

	if (options->estimators)
		return 0;
	error = ptu_side_open(options->truth, geo, side, err);
	if (!error)
		*ret = side;
	else if (options->truth != PTU_SIDE_AUTO || !may_do_without(error))
		return error;
	ptu_err_clear(err);
	return 0;
}

int ptu_choose_pid(const struct ptu_options *options, pid_t *ret,
		   struct ptu_err *err)
{
	size_t nr_pids;
	pid_t *pids;
	int error;

	if (options->nr_pids) {
		*ret = options->pids[0];
		return 0;
	}
	error = ptu_proc_list(&pids, &nr_pids, err);
	if (error)
		return error;
	if (nr_pids == 1)
		*ret = pids[0];
	else
		error = ptu_err_set(err, -EINVAL,
				    options->diff ?
					    "%s has %zu processes: --diff needs recordings of one process, or one recording and a PID" :
					    "%s has %zu processes; name one by its PID",
				    options->from, nr_pids);
	free(pids);
	return error;
}
