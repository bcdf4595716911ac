// SPDX-License-Identifier: LGPL-2.1-or-later
/* Match the processes of two moments; must not know where they were read. */
#include "measure/change.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "acquire/host.h"
#include "compare/growth.h"

/* A process at one moment. */
struct ptu_state {
	pid_t pid;
	uint64_t start_time;
	char comm[64];
	uint64_t vmpte_bytes;
	struct ptu_view view;
};

static int read_state(const struct ptu_view_ask *ask, pid_t pid,
		      struct ptu_state *ret, struct ptu_err *err)
{
	struct ptu_proc_status status = { 0 };
	struct ptu_proc proc;
	int error = ptu_proc_open(pid, &proc, err);

	if (error)
		return error;
	error = ptu_proc_has_memory(&proc, err);
	if (!error)
		error = ptu_proc_status(&proc, &status, err);
	if (!error)
		error = ptu_view_read(ask, &proc, &ret->view, err);
	if (!error) {
		ret->pid = pid;
		ret->start_time = proc.start_time;
		memcpy(ret->comm, proc.comm, sizeof(ret->comm));
		ret->vmpte_bytes = status.vmpte_bytes;
	}
	ptu_proc_close(&proc);
	return error;
}

int ptu_moment_read(const struct ptu_view_ask *ask, pid_t pid,
		    struct ptu_moment *ret, struct ptu_err *err)
{
	pid_t *pids = NULL;
	size_t nr_pids = 1, i;
	int error = ptu_host_read(&ret->host, err);

	if (!error)
		error = ptu_proc_boot_id(ret->boot_id, sizeof(ret->boot_id),
					 err);
	if (!error && !pid)
		error = ptu_proc_list(&pids, &nr_pids, err);
	if (error)
		return error;
	ret->states = calloc(nr_pids + 1, sizeof(*ret->states));
	if (!ret->states)
		error = ptu_err_set(err, -ENOMEM, "no memory for processes");
	for (i = 0; !error && i < nr_pids; i++) {
		error = read_state(ask, pid ? pid : pids[i],
				   &ret->states[ret->nr], err);
		ret->nr += !error;
	}
	free(pids);
	return error;
}

static int compare(const struct ptu_state *before,
		   const struct ptu_state *after,
		   const struct ptu_geometry *geo, struct ptu_changed *ret)
{
	const struct ptu_state nothing = { .pid = 0 };
	const struct ptu_state *a = before ? before : &nothing;
	const struct ptu_state *b = after ? after : &nothing;
	const struct ptu_growth_side sides[] = {
		{ &a->view.tables, &a->view.vmas },
		{ &b->view.tables, &b->view.vmas },
	};

	ret->pid = after ? b->pid : a->pid;
	memcpy(ret->comm, after ? b->comm : a->comm, sizeof(ret->comm));
	ret->in_before = before;
	ret->in_after = after;
	ret->vmpte_before = a->vmpte_bytes;
	ret->vmpte_after = b->vmpte_bytes;
	return ptu_growth_between(&sides[0], &sides[1], geo, &ret->growth);
}

int ptu_moment_same(pid_t pid, const char *boot_before, uint64_t before,
		    const char *boot_after, uint64_t after, struct ptu_err *err)
{
	if (!strcmp(boot_before, boot_after) && before == after)
		return 0;
	return ptu_err_set(err, -ESTALE,
			   "process %d is not the same process on both sides: its addresses cannot be compared",
			   (int)pid);
}

int ptu_moment_compare(const struct ptu_moment *before,
		       const struct ptu_moment *after,
		       const struct ptu_geometry *geo,
		       struct ptu_change_report *ret, struct ptu_err *err)
{
	size_t i = 0, k = 0;
	int error = 0;

	ret->processes = calloc(before->nr + after->nr + 1,
				sizeof(*ret->processes));
	if (!ret->processes)
		return ptu_err_set(err, -ENOMEM, "no memory for processes");
	while (!error && (i < before->nr || k < after->nr)) {
		const struct ptu_state *a = i < before->nr ?
						    &before->states[i] :
						    NULL;
		const struct ptu_state *b = k < after->nr ? &after->states[k] :
							    NULL;

		if (a && b && a->pid != b->pid) {
			a = a->pid < b->pid ? a : NULL;
			b = a ? NULL : b;
		}
		if (a && b)
			error = ptu_moment_same(a->pid, before->boot_id,
						a->start_time, after->boot_id,
						b->start_time, err);
		if (error)
			return error;
		error = compare(a, b, geo, &ret->processes[ret->nr_processes]);
		ret->nr_processes += !error;
		i += a != NULL;
		k += b != NULL;
	}
	return error;
}

void ptu_moment_deinit(struct ptu_moment *moment)
{
	while (moment->nr)
		ptu_view_deinit(&moment->states[--moment->nr].view);
	free(moment->states);
	moment->states = NULL;
}
