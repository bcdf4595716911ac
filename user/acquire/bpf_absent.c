// SPDX-License-Identifier: LGPL-2.1-or-later
/* Replaces bpf_walk.c if the tool is built without BPF. */
#include "acquire/bpf_walk.h"

#include <errno.h>

int ptu_bpf_open(const struct ptu_geometry *geo, struct ptu_bpf **ret,
		 struct ptu_err *err)
{
	(void)ret;
	if (geo->arch != PTU_X86_64)
		return ptu_err_set(err, -EOPNOTSUPP,
				   "the walk by BPF knows only the page tables of x86-64");
	return ptu_err_set(err, -EOPNOTSUPP,
			   "this ptaudit was built without BPF: install clang, bpftool and libbpf-dev, and build it again");
}

/* The functions below are never called: no handle exists without BPF. */
int ptu_bpf_walk(struct ptu_bpf *bpf, pid_t pid, uint64_t start, uint64_t end,
		 char **bytes, size_t *nr_bytes, struct ptu_err *err)
{
	(void)bpf;
	(void)pid;
	(void)start;
	(void)end;
	(void)bytes;
	(void)nr_bytes;
	(void)err;
	return -EOPNOTSUPP;
}

void ptu_bpf_tables_alone(struct ptu_bpf *bpf)
{
	(void)bpf;
}

void ptu_bpf_without_vmas(struct ptu_bpf *bpf)
{
	(void)bpf;
}

void ptu_bpf_close(struct ptu_bpf *bpf)
{
	(void)bpf;
}
