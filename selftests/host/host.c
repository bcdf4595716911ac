// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "host.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acquire/procfs.h"

static struct ptu_geometry geometry;

struct ptu_bpf *host_open(void)
{
	struct ptu_err err = { "" };
	struct ptu_bpf *bpf;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (ptu_proc_geometry(&geometry, &err) ||
	    ptu_bpf_open(&geometry, &bpf, &err)) {
		printf("1..0 # SKIP %s\n", err.text);
		exit(4);
	}
	return bpf;
}

const struct ptu_geometry *host_geometry(void)
{
	return &geometry;
}

int host_child(int (*lay_out)(void), pid_t *ret)
{
	int ready[2], status = 1;
	pid_t child;

	if (pipe(ready))
		return 1;
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		status = lay_out();
		if (write(ready[1], &status, sizeof(status)) < 0)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	if (child < 0 || read(ready[0], &status, sizeof(status)) < 0)
		status = 1;
	close(ready[0]);
	*ret = child;
	return status;
}

void host_end(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* Check that a walk in pieces finds the tables that the complete walk found. */
static int compare_pieces(struct ptu_bpf *bpf, pid_t pid, const char *bytes,
			  size_t nr_bytes, struct ptu_err *err)
{
	size_t nr_pieces;
	char *pieces;
	int error = ptu_bpf_try(bpf, pid, 0, 0, true, &pieces, &nr_pieces, err);

	if (error)
		return error;
	if (!(((const struct ptaudit_header *)pieces)->flags &
	      PTAUDIT_H_PIECES))
		error = ptu_err_set(err, -EINVAL,
				    "the header of a walk in pieces lacks the flag for pieces");
	else if (nr_pieces != nr_bytes ||
		 memcmp(pieces + PTAUDIT_HEADER_SIZE,
			bytes + PTAUDIT_HEADER_SIZE,
			nr_bytes - PTAUDIT_HEADER_SIZE))
		error = ptu_err_set(err, -EINVAL,
				    "the walk in pieces and the whole walk differ");
	free(pieces);
	return error;
}

int host_walk(struct ptu_bpf *bpf, pid_t pid, struct ptu_snapshot *ret)
{
	struct ptu_err err = { "" };
	size_t nr_bytes;
	char *bytes;
	int error = ptu_bpf_walk(bpf, pid, 0, 0, &bytes, &nr_bytes, &err);

	if (!error)
		error = compare_pieces(bpf, pid, bytes, nr_bytes, &err);
	if (!error) {
		error = ptu_snapshot_parse(bytes, nr_bytes, &geometry, ret,
					   &err);
		free(bytes);
	}
	if (error)
		printf("# %s\n", err.text);
	return error;
}

char *host_map(uint64_t addr, uint64_t bytes)
{
	char *memory = mmap((void *)addr, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE |
				    MAP_NORESERVE,
			    -1, 0);

	if (memory != (char *)addr)
		_exit(1);
	/* fails on a kernel without huge pages, where it is not needed */
	madvise(memory, bytes, MADV_NOHUGEPAGE);
	return memory;
}
