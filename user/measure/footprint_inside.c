// SPDX-License-Identifier: LGPL-2.1-or-later
/* Compare the shared memory of a set with the mappings of all other processes. */
#include "measure/footprint_inside.h"

#include <errno.h>
#include <stdlib.h>

#include "acquire/procfs.h"
#include "acquire/shmem.h"
#include "base/array.h"

void ptu_footprint_files_begin(struct ptu_footprint_files *ret)
{
	*ret = (struct ptu_footprint_files){ 0 };
	ret->has_device = !ptu_shmem_internal(&ret->device);
}

void ptu_footprint_files_deinit(struct ptu_footprint_files *files)
{
	free(files->inodes);
	*files = (struct ptu_footprint_files){ 0 };
}

int ptu_footprint_files_add(struct ptu_footprint_files *files,
			    const struct ptu_vma *vma, bool *ret)
{
	int error;

	*ret = files->has_device && vma->device == files->device;
	/* all processes of a server map the same file */
	if (!*ret || (files->nr && files->inodes[files->nr - 1] == vma->inode))
		return 0;
	error = ptu_array_grow(&files->inodes, files->nr, &files->capacity,
			       sizeof(*files->inodes));
	if (!error)
		files->inodes[files->nr++] = vma->inode;
	return error;
}

static int compare_inodes(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Does none of the mappings map one of the files? */
static bool maps_none(const struct ptu_footprint_files *files,
		      const struct ptu_vmas *vmas)
{
	size_t i;

	for (i = 0; i < vmas->nr_vmas; i++) {
		const struct ptu_vma *vma = &vmas->vmas[i];

		if (vma->device == files->device &&
		    bsearch(&vma->inode, files->inodes, files->nr,
			    sizeof(vma->inode), compare_inodes))
			return false;
	}
	return true;
}

/* The same for a process; one that has ended, or that has no memory yet, maps nothing. */
static bool process_maps_none(const struct ptu_footprint_files *files,
			      pid_t pid)
{
	struct ptu_vmas vmas = { 0 };
	struct ptu_proc proc;
	bool ret;
	int error = ptu_proc_open(pid, &proc, NULL);

	if (error)
		return error == -ESRCH;
	do {
		/* kernel threads and zombies have no memory */
		error = ptu_proc_has_memory(&proc, NULL) ?
				-ESRCH :
				ptu_proc_maps(&proc, &vmas, NULL);
		if (error != -ESTALE && error != -EAGAIN)
			break;
		/* after the end of a thread, read another one; after exec(), the new program */
		error = ptu_proc_reopen(&proc);
	} while (!error);
	ret = error ? error == -ESRCH : maps_none(files, &vmas);
	ptu_vmas_deinit(&vmas);
	ptu_proc_close(&proc);
	return ret;
}

/*
 * Is the process in the set?  One that could not be measured is not in the figures.
 * @is_listed: the group has it now
 */
static bool is_in_set(const struct ptu_report *base, pid_t pid, bool is_listed)
{
	size_t i;

	for (i = 0; i < base->nr_processes; i++)
		if (base->processes[i].pid == pid)
			return base->processes[i].status == PTU_STATUS_OK;
	return is_listed;
}

bool ptu_footprint_files_inside(const struct ptu_footprint_report *report,
				const struct ptu_footprint_ask *ask,
				struct ptu_footprint_files *files)
{
	size_t nr_all = 0, nr_pids = 0, i, k = 0;
	pid_t *all = NULL, *pids = NULL;
	bool ret = files->nr && !ptu_proc_hides();

	/* a process that a group got meanwhile is in the set */
	if (ret && ask->list)
		ret = !ask->list(ask->arg, &pids, &nr_pids);
	if (ret)
		ret = !ptu_proc_list(&all, &nr_all, NULL);
	if (ret)
		qsort(files->inodes, files->nr, sizeof(*files->inodes),
		      compare_inodes);
	/* both lists are ascending */
	for (i = 0; ret && i < nr_all; i++) {
		while (k < nr_pids && pids[k] < all[i])
			k++;
		ret = is_in_set(&report->base, all[i],
				k < nr_pids && pids[k] == all[i]) ||
		      process_maps_none(files, all[i]);
	}
	free(all);
	free(pids);
	return ret;
}
