// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * `ptaudit record`: of each process that is asked for, all that is read of it.
 */
#include "record_command.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "procfs.h"
#include "record.h"

/* Processes that end meanwhile are left out of --all, as check does it. */
static int record_all(const struct ptu_record *record, struct ptu_err *err)
{
	size_t nr_pids = 0, i;
	pid_t *pids = NULL;
	int error = ptu_proc_list(&pids, &nr_pids, err);

	for (i = 0; !error && i < nr_pids; i++) {
		struct ptu_proc proc;

		if (ptu_proc_open(pids[i], &proc, NULL))
			continue;
		ptu_proc_close(&proc);
		if (proc.kthread || proc.state == 'Z' || proc.state == 'X' ||
		    pids[i] == getpid())
			continue;
		error = ptu_record_add(record, pids[i], err);
		if (error == -ESRCH) {
			err->text[0] = '\0';
			error = 0;
		}
	}
	free(pids);
	return error;
}

int ptu_record_command(const struct ptu_options *options, bool *ret_with_kernel,
		       struct ptu_err *err)
{
	struct ptu_geometry geo;
	struct ptu_record record;
	size_t i;
	int error = ptu_proc_geometry(&geo, err);

	if (!error)
		error = ptu_record_begin(options->to, &geo, &record, err);
	if (error)
		return error;
	*ret_with_kernel = record.with_kernel;
	if (options->all)
		error = record_all(&record, err);
	for (i = 0; !error && i < options->nr_pids; i++)
		error = ptu_record_add(&record, options->pids[i], err);
	ptu_record_end(&record);
	return error;
}
