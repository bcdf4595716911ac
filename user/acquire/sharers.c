// SPDX-License-Identifier: LGPL-2.1-or-later
/* Ask the kernel which processes share an mm; must not change anything. */
#define _GNU_SOURCE /* syscall() */
#include "acquire/sharers.h"

#include <linux/kcmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "acquire/procfs.h"

/*
 * Tasks without an mm compare as equal, so the caller checks that @pid has memory.
 *
 * Return: 1; 0; -errno if descriptors or memory ran out.
 */
static int shares_mm(pid_t tid, pid_t pid)
{
	bool is_equal = false;
	struct ptu_proc proc;
	int error = ptu_proc_open(pid, &proc, NULL);

	if (!error) {
		is_equal = !ptu_proc_has_memory(&proc, NULL) &&
			   !syscall(SYS_kcmp, tid, proc.tid, KCMP_VM, 0UL, 0UL);
		error = is_equal ? ptu_proc_same(&proc, NULL) : 0;
		ptu_proc_close(&proc);
	}
	if (error)
		return ptu_proc_shortage(error) ? error : 0;
	return is_equal;
}

bool ptu_sharers_known(void)
{
	return !syscall(SYS_kcmp, getpid(), getpid(), KCMP_VM, 0UL, 0UL);
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
		int shares = pids[i] != pid && pids[i] != getpid() ?
				     shares_mm(proc.tid, pids[i]) :
				     0;

		if (shares > 0)
			pids[nr++] = pids[i];
		else if (shares < 0)
			error = ptu_err_set(err, shares,
					    "cannot read all processes: %s",
					    strerror(-shares));
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
