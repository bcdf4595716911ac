// SPDX-License-Identifier: LGPL-2.1-or-later
/* Asks the kernel who shares an mm; changes nothing. */
#define _GNU_SOURCE /* syscall() */
#include "sharers.h"

#include <linux/kcmp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "procfs.h"

int ptu_share_mm(pid_t a, pid_t b)
{
	return !syscall(SYS_kcmp, a, b, KCMP_VM, 0UL, 0UL);
}

int ptu_sharers(pid_t pid, pid_t **ret, size_t *ret_nr, struct ptu_err *err)
{
	size_t nr_pids, nr = 0, i;
	pid_t *pids;
	int error = ptu_proc_list(&pids, &nr_pids, err);

	if (error)
		return error;
	for (i = 0; i < nr_pids; i++) {
		if (pids[i] != pid && pids[i] != getpid() &&
		    ptu_share_mm(pid, pids[i]))
			pids[nr++] = pids[i];
	}
	*ret = pids;
	*ret_nr = nr;
	return 0;
}
