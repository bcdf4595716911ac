// SPDX-License-Identifier: LGPL-2.1-or-later
/* Ask the kernel which processes share an mm; must not change anything. */
#define _GNU_SOURCE /* syscall() */
#include "acquire/sharers.h"

#include <linux/kcmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "acquire/procfs.h"

/* Tasks without an mm compare as equal, so the caller checks that @pid has memory. */
static bool shares_mm(pid_t tid, pid_t pid)
{
	struct ptu_proc proc;
	bool ret;

	if (ptu_proc_open(pid, &proc, NULL))
		return false;
	ret = !ptu_proc_has_memory(&proc, NULL) &&
	      !syscall(SYS_kcmp, tid, proc.tid, KCMP_VM, 0UL, 0UL) &&
	      !ptu_proc_same(&proc, NULL);
	ptu_proc_close(&proc);
	return ret;
}

int ptu_sharers(pid_t pid, pid_t **ret, size_t *ret_nr, struct ptu_err *err)
{
	size_t nr_pids = 0, nr = 0, i;
	struct ptu_proc proc;
	pid_t *pids = NULL;
	int error = ptu_proc_open(pid, &proc, err);

	if (error)
		return error;
	error = ptu_proc_list(&pids, &nr_pids, err);
	for (i = 0; !error && i < nr_pids; i++) {
		if (pids[i] != pid && pids[i] != getpid() &&
		    shares_mm(proc.tid, pids[i]))
			pids[nr++] = pids[i];
	}
	if (!error)
		error = ptu_proc_same(&proc, err);
	ptu_proc_close(&proc);
	if (error) {
		free(pids);
		return error;
	}
	*ret = pids;
	*ret_nr = nr;
	return 0;
}
