// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Read the pages of a process until its mappings did not change meanwhile.  Must
 * not know how the pages are used.
 */
#include "measure/page_walk.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "acquire/host.h"
#include "acquire/procfs.h"

static int walk_vmas(const struct ptu_mapped *mapped,
		     const struct ptu_vmas *vmas, struct ptu_pages *files,
		     struct ptu_err *err)
{
	bool any = false;
	int error = mapped->begin(mapped->arg, files, err);
	size_t i;

	for (i = 0; !error && i < vmas->nr_vmas; i++) {
		const struct ptu_vma *vma = &vmas->vmas[i];
		uint64_t start, end;

		if (!ptu_range_clip(&mapped->range, vma, files->page_bytes,
				    &start, &end))
			continue;
		any = true;
		error = mapped->mapping(mapped->arg, vmas, vma, start, end,
					files, err);
	}
	if (!error && !any)
		return ptu_err_set(err, -ENOENT,
				   "process %d: nothing is mapped at 0x%" PRIx64,
				   (int)mapped->pid, mapped->range.start);
	return error;
}

/* Return: 0; -EAGAIN the mappings changed meanwhile; -errno. */
static int walk_once(const struct ptu_mapped *mapped,
		     const struct ptu_proc *proc, uint64_t page_bytes,
		     struct ptu_err *err)
{
	struct ptu_pages files;
	struct ptu_vmas vmas;
	int error = ptu_proc_maps(proc, &vmas, err);

	if (error)
		return error;
	error = ptu_pages_open(proc, page_bytes, &files, err);
	if (!error) {
		error = walk_vmas(mapped, &vmas, &files, err);
		ptu_pages_close(&files);
	}
	if (!error)
		error = ptu_proc_maps_same(proc, &vmas, err);
	ptu_vmas_deinit(&vmas);
	return error;
}

/* Return -ESTALE if the thread has ended; another thread can be read. */
static int walk_process(const struct ptu_mapped *mapped,
			struct ptu_mapped_head *head, struct ptu_err *err)
{
	struct ptu_proc proc;
	unsigned int try;
	int error = ptu_proc_open(mapped->pid, &proc, err);

	if (error)
		return error;
	error = -EAGAIN;
	for (try = 0; error == -EAGAIN && ptu_proc_try_again(&proc, try);
	     try++) {
		ptu_err_clear(err);
		error = walk_once(mapped, &proc, head->host.page_bytes, err);
	}
	if (!error)
		error = ptu_proc_same(&proc, err);
	if (error == -EAGAIN)
		error = ptu_proc_changed(&proc, try, err);
	snprintf(head->comm, sizeof(head->comm), "%s", proc.comm);
	head->tid = proc.tid;
	ptu_proc_close(&proc);
	return error;
}

int ptu_mapped_walk(const struct ptu_mapped *mapped,
		    struct ptu_mapped_head *ret, struct ptu_err *err)
{
	struct ptu_mapped_head head = { .pid = mapped->pid };
	unsigned int try;
	int error = ptu_host_read(&head.host, err);

	if (!error)
		error = ptu_proc_boot_id(head.boot_id, sizeof(head.boot_id),
					 err);
	if (error)
		return error;
	error = -ESTALE;
	for (try = 0; error == -ESTALE && try < PTU_OPEN_TRIES; try++) {
		ptu_err_clear(err);
		error = walk_process(mapped, &head, err);
	}
	if (!error)
		*ret = head;
	return error;
}
