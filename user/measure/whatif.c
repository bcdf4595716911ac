// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Read processes, and other processes that share memory with them.  Must not decide
 * which tables can be freed, nor change anything.
 */
#include "measure/whatif.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acquire/collapse.h"
#include "acquire/host.h"
#include "acquire/spaces.h"
#include "acquire/words.h"
#include "compare/table_rows.h"
#include "compare/whatif.h"
#include "measure/processes.h"
#include "measure/tables.h"

#define TRIES 3 /* after an exec, a change of mappings, or a thread's end */

struct looking {
	const struct ptu_whatif_ask *ask;
	struct ptu_whatif_report *report;
	struct ptu_spaces spaces;
	uint64_t *others; /* [nr_others] devices that are not a tmpfs */
	size_t nr_others;
	struct ptu_err *err;
};

static bool is_other(const struct looking *l, uint64_t device)
{
	size_t i;

	for (i = 0; i < l->nr_others; i++)
		if (l->others[i] == device)
			return true;
	return false;
}

/* Return: 0, even if it is not shared memory; -ENOMEM. */
static int add_file(struct looking *l, const struct ptu_proc *proc,
		    const struct ptu_vma *vma, const char *path)
{
	struct ptu_whatif_report *report = l->report;
	struct ptu_whatif_file *file;
	struct ptu_shmem shmem;
	int error = ptu_shmem_open(proc, vma, path, &shmem);

	if (error == -EMEDIUMTYPE) {
		uint64_t *other = ptu_whatif_room(&l->others, l->nr_others,
						  sizeof(*other));

		if (!other)
			return -ENOMEM;
		*other = vma->device;
		l->nr_others++;
		return 0;
	}
	if (error) {
		report->nr_unopened += vma->perms[3] == 's';
		return 0;
	}
	file = ptu_whatif_room(&report->files, report->nr_files, sizeof(*file));
	if (file) {
		file->device = vma->device;
		file->inode = vma->inode;
		file->is_internal = shmem.is_internal;
		file->size_bytes = shmem.size_bytes;
		file->used_bytes = shmem.used_bytes;
		/* leave half of the space to programs that write to the tmpfs */
		file->room_bytes = shmem.free_bytes / 2;
		file->path = strdup(path);
	}
	ptu_shmem_close(&shmem);
	if (!file || !file->path)
		return -ENOMEM;
	report->nr_files++;
	return 0;
}

/* Add the tmpfs files that a process named by the user maps. */
static int add_files(struct looking *l, const struct ptu_proc *proc,
		     const struct ptu_vmas *vmas)
{
	int error = 0;
	size_t i;

	for (i = 0; !error && i < vmas->nr_vmas; i++) {
		const struct ptu_vma *vma = &vmas->vmas[i];

		if (!ptu_vma_has_file(vma) || is_other(l, vma->device) ||
		    ptu_whatif_find_file(l->report, vma) < l->report->nr_files)
			continue;
		error = add_file(l, proc, vma, ptu_vma_path(vmas, vma));
	}
	return error;
}

/* Find non-page entries in the slot: guard regions and markers. */
static int find_markers(const struct ptu_words *pagemap, uint64_t page_bytes,
			uint64_t slot_bytes, struct ptu_whatif_place *place)
{
	uint64_t words[512];
	uint64_t index = place->addr / page_bytes;
	uint64_t left = slot_bytes / page_bytes;

	while (left) {
		ssize_t i, nr = ptu_words_read(pagemap, index, words,
					       left < 512 ? left : 512);

		if (nr <= 0)
			return nr ? (int)nr : -ESRCH;
		for (i = 0; i < nr; i++)
			if (words[i] & (PTU_PM_UFFD_WP | PTU_PM_GUARD))
				place->block = PTU_BLOCK_MARKERS;
		index += (uint64_t)nr;
		left -= (uint64_t)nr;
	}
	return 0;
}

/*
 * A guard region in one table blocks the whole mapping, because installing it also
 * gives the mapping an anon_vma.  Source: mm/madvise.c, madvise_guard_install() (6.15).
 */
static void spread_markers(struct ptu_whatif_place *places, size_t nr)
{
	size_t i, k, end;

	for (i = 0; i < nr; i = end) {
		bool any = false;

		/* places of one mapping are consecutive */
		for (end = i;
		     end < nr && places[end].vma_start == places[i].vma_start;
		     end++)
			any |= places[end].block == PTU_BLOCK_MARKERS;
		for (k = i; any && k < end; k++)
			if (!places[k].block)
				places[k].block = PTU_BLOCK_MARKERS;
	}
}

static int add_places(struct looking *l, const struct ptu_proc *proc,
		      const struct ptu_whatif_space *space)
{
	struct ptu_whatif_report *report = l->report;
	const size_t first = report->nr_places;
	size_t i = first;
	struct ptu_words pagemap;
	int error = ptu_whatif_add_places(space, report);

	if (error || i == report->nr_places)
		return error;
	error = ptu_words_open(proc->dirfd, "pagemap", &pagemap);
	if (error)
		return error;
	for (; !error && i < report->nr_places; i++)
		if (ptu_whatif_is_predicted(&report->places[i]))
			error = find_markers(&pagemap, report->base.page_bytes,
					     report->slot_bytes,
					     &report->places[i]);
	ptu_words_close(&pagemap);
	spread_markers(report->places + first, report->nr_places - first);
	return error;
}

/*
 * Count the tables in VmPTE that are not in @space.  VmPTE was @before_bytes before the tables
 * were read; tables that went meanwhile are not counted.
 */
static int find_unseen(struct looking *l, const struct ptu_proc *proc,
		       const struct ptu_whatif_space *space,
		       uint64_t before_bytes, struct ptu_whatif_mm *mm)
{
	struct ptu_process shown = { 0 };
	struct ptu_proc_status after;
	int64_t tables;
	int error = ptu_proc_status(proc, &after, l->err);

	if (error)
		return error;
	ptu_tally_estimate(space->tables, space->vmas, space->geo,
			   after.vmpte_bytes < before_bytes ?
				   after.vmpte_bytes :
				   before_bytes,
			   &shown);
	tables = shown.residual_bytes / (int64_t)space->geo->page_bytes -
		 (int64_t)mm->changed_tables;
	mm->unseen_tables = tables > 0 ? (uint64_t)tables : 0;
	return 0;
}

/* Return: 0; -errno: the caller must remove what was added. */
static int look_once(struct looking *l, const struct ptu_proc *proc, bool named)
{
	struct ptu_whatif_report *report = l->report;
	struct ptu_whatif_mm *mm = ptu_whatif_room(&report->mms, report->nr_mms,
						   sizeof(*mm));
	struct ptu_whatif_space space = { .geo = l->ask->geo,
					  .mm = report->nr_mms };
	struct ptu_proc_status status;
	struct ptu_tables tables;
	struct ptu_vmas vmas;
	size_t nr_changed;
	int error;

	if (!mm)
		return -ENOMEM;
	error = ptu_proc_status(proc, &status, l->err);
	if (!error)
		error = ptu_whatif_tables(l->ask, proc, &vmas, &tables,
					  &nr_changed, l->err);
	if (error)
		return error;
	mm->pid = proc->pid;
	memcpy(mm->comm, proc->comm, sizeof(mm->comm));
	mm->named = named;
	mm->start_time = proc->start_time;
	mm->thp_disabled = ptu_collapse_disabled(proc);
	mm->vmpte_bytes = status.vmpte_bytes;
	mm->changed_tables = nr_changed;
	space.vmas = &vmas;
	space.tables = &tables;
	ptu_whatif_count(&space, mm);
	if (named && !report->is_reclaim)
		error = find_unseen(l, proc, &space, status.vmpte_bytes, mm);
	if (!error && named && report->shared_known)
		error = add_files(l, proc, &vmas);
	if (!error && named)
		error = ptu_whatif_add_empties(&space, report);
	if (!error && named && !report->is_reclaim)
		error = ptu_whatif_add_unmaps(&space, report);
	if (!error && named && !report->is_reclaim)
		error = ptu_whatif_add_doubled(&space, report);
	if (!error)
		error = add_places(l, proc, &space);
	ptu_tables_deinit(&tables);
	ptu_vmas_deinit(&vmas);
	report->nr_mms += !error;
	return error;
}

/* Remove what was added since @before; keep the allocations, see ptu_whatif_room(). */
static void take_back(struct ptu_whatif_report *report,
		      const struct ptu_whatif_report *before)
{
	while (report->nr_empties > before->nr_empties)
		free(report->empties[--report->nr_empties].path);
	while (report->nr_unmaps > before->nr_unmaps)
		free(report->unmaps[--report->nr_unmaps].path);
	while (report->nr_doubled > before->nr_doubled)
		free(report->doubled[--report->nr_doubled].path);
	report->nr_places = before->nr_places;
}

static int look(struct looking *l, struct ptu_proc *proc, bool named)
{
	const struct ptu_whatif_mm mm = { .pid = proc->pid,
					  .start_time = proc->start_time };
	const struct ptu_whatif_report before = *l->report;
	int error = look_once(l, proc, named);
	unsigned int try = 1;

	while ((error == -EAGAIN || error == -ESTALE) &&
	       !l->ask->is_recording && try++ < TRIES) {
		take_back(l->report, &before);
		ptu_err_clear(l->err);
		ptu_proc_close(proc);
		error = ptu_whatif_reopen(&mm, proc);
		if (!error)
			error = look_once(l, proc, named);
	}
	if (error)
		take_back(l->report, &before);
	return error;
}

/* Is the process among the first @nr of the requested processes? */
static bool is_named(const struct ptu_whatif_ask *ask, size_t nr, pid_t pid)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (ask->pids[i] == pid)
			return true;
	return false;
}

/* Return: 0, also without permission for kcmp(); -errno if descriptors or memory ran out. */
static int find_space(struct looking *l, const struct ptu_proc *proc,
		      pid_t *ret)
{
	int error = ptu_spaces_add(&l->spaces, proc, ret);

	return ptu_proc_shortage(error) ? error : 0;
}

/* Return: 0, even if the process could not be measured; -ENOMEM. */
static int add_named(struct looking *l, pid_t pid)
{
	struct ptu_report *base = &l->report->base;
	struct ptu_process *process;
	struct ptu_proc proc;
	pid_t first = pid;
	int error;

	if (l->ask->is_group && !l->ask->is_recording) {
		bool kthread = false, zombie = false;

		if (pid == getpid())
			return 0;
		if (ptu_survey_leaves_out(pid, &kthread, &zombie)) {
			base->nr_kthreads += kthread;
			base->nr_zombies += zombie;
			return 0;
		}
	}
	process = ptu_survey_next(base, l->err);
	if (!process)
		return -ENOMEM;
	ptu_err_clear(l->err);
	error = ptu_measure_identify(pid, &proc, process, l->err);
	if (!error) {
		/* other errors are reported when the process is read */
		if (!l->ask->is_recording)
			error = find_space(l, &proc, &first);
		if (!error && first == pid)
			error = look(l, &proc, true);
		ptu_proc_close(&proc);
	}
	if (error == -ENOMEM)
		return error;
	if (!error && first != pid) {
		base->nr_sharing++;
		return 0;
	}
	if (error)
		ptu_measure_failed(process, error, l->err);
	if (l->ask->is_group && !l->ask->is_recording)
		ptu_survey_settle(process);
	ptu_err_clear(l->err);
	base->nr_processes++;
	return 0;
}

/*
 * Note that a process could not be read, unless it has ended.
 * Return: 0; -ENOMEM.
 */
static int add_unread(struct ptu_whatif_report *report, pid_t pid, int error)
{
	pid_t *unread;

	if (!error || error == -ESRCH || error == -ENOMEM)
		return error == -ENOMEM ? error : 0;
	unread = ptu_whatif_room(&report->unread, report->nr_unread,
				 sizeof(*unread));
	if (!unread)
		return -ENOMEM;
	*unread = pid;
	report->nr_unread++;
	return 0;
}

/* Check whether a process that was not requested maps one of the files. */
static int add_sharer(struct looking *l, pid_t pid)
{
	struct ptu_whatif_report *report = l->report;
	bool kthread = false, zombie = false, maps = false;
	struct ptu_proc proc;
	struct ptu_vmas vmas;
	pid_t first = pid;
	int error;
	size_t i;

	if (ptu_survey_leaves_out(pid, &kthread, &zombie))
		return 0;
	error = ptu_proc_open(pid, &proc, NULL);
	if (error)
		return add_unread(report, pid, error);
	error = ptu_proc_maps(&proc, &vmas, NULL);
	if (!error) {
		for (i = 0; !maps && i < vmas.nr_vmas; i++)
			maps = ptu_whatif_find_file(report, &vmas.vmas[i]) <
			       report->nr_files;
		ptu_vmas_deinit(&vmas);
	}
	if (!error && maps)
		error = find_space(l, &proc, &first);
	if (!error && maps && first == pid)
		error = look(l, &proc, false);
	ptu_err_clear(l->err);
	ptu_proc_close(&proc);
	return add_unread(report, pid, error);
}

static int add_sharers(struct looking *l)
{
	pid_t *pids = NULL;
	size_t i, nr_pids = 0;
	int error;

	if (!l->report->nr_files)
		return 0;
	error = ptu_proc_list(&pids, &nr_pids, l->err);
	for (i = 0; !error && i < nr_pids; i++)
		if (pids[i] != getpid() &&
		    !is_named(l->ask, l->ask->nr_pids, pids[i]))
			error = add_sharer(l, pids[i]);
	free(pids);
	return error;
}

int ptu_whatif_reopen(const struct ptu_whatif_mm *mm, struct ptu_proc *ret)
{
	return ptu_proc_open_again(mm->pid, mm->start_time, ret, NULL);
}

int ptu_whatif_open_file(const struct ptu_whatif_report *report,
			 const struct ptu_whatif_place *place,
			 struct ptu_shmem *ret)
{
	const struct ptu_whatif_file *file = &report->files[place->file];
	const struct ptu_vma vma = { .start = place->vma_start,
				     .end = place->vma_end,
				     .device = file->device,
				     .inode = file->inode };
	struct ptu_proc proc;
	int error = ptu_whatif_reopen(&report->mms[place->mm], &proc);

	if (error)
		return error;
	error = ptu_shmem_open(&proc, &vma, file->path, ret);
	ptu_proc_close(&proc);
	return error;
}

/*
 * Open the file of a place. Another process that maps it may have ended, or may have
 * unmapped it: try the places behind it, too.
 */
static int open_through_any(const struct ptu_whatif_report *report,
			    size_t place, struct ptu_shmem *ret)
{
	const size_t file = report->places[place].file;
	int error = -ENOENT;

	for (; error && place < report->nr_places &&
	       report->places[place].file == file;
	     place++)
		error = ptu_whatif_open_file(report, &report->places[place],
					     ret);
	return error;
}

/* Find out which pages of each window are in memory; open each file once. */
static int see_windows(struct ptu_whatif_report *report)
{
	const size_t nr = report->slot_bytes / report->base.page_bytes;
	unsigned char *vec = malloc(nr);
	struct ptu_shmem shmem = { .fd = -1 };
	size_t place = 0, open_file = SIZE_MAX, i;
	int error = 0;

	if (!vec)
		return -ENOMEM;
	for (i = 0; !error && i < report->nr_windows; i++) {
		struct ptu_whatif_window *window = &report->windows[i];
		uint64_t data = 0;

		while (report->places[place].file != window->file ||
		       report->places[place].offset != window->offset ||
		       report->places[place].block)
			place++;
		if (window->file != open_file) {
			if (open_file != SIZE_MAX && shmem.fd >= 0)
				ptu_shmem_close(&shmem);
			open_file = window->file;
			if (open_through_any(report, place, &shmem))
				shmem.fd = -1;
		}
		if (window->block)
			continue;
		if (shmem.fd < 0 ||
		    ptu_shmem_resident(&shmem, window->offset,
				       report->slot_bytes, vec) ||
		    ptu_shmem_data(&shmem, window->offset, report->slot_bytes,
				   &data))
			window->block = PTU_BLOCK_UNKNOWN;
		else
			error = ptu_whatif_see_window(report, window, vec,
						      data / report->base
								      .page_bytes);
	}
	if (shmem.fd >= 0)
		ptu_shmem_close(&shmem);
	free(vec);
	return error;
}

static int begin(const struct ptu_whatif_ask *ask,
		 struct ptu_whatif_report *report, struct ptu_err *err)
{
	const struct ptu_estimator *estimators[] = { ask->estimator };
	const struct ptu_measure measure = { .geo = ask->geo,
					     .side = ask->side,
					     .estimators = estimators,
					     .nr_estimators = 1 };
	int error = ptu_survey_begin(&measure, false, &report->base, err);
	int frees = error ? error : ptu_collapse_madvise_frees(err);

	if (frees < 0)
		return frees;
	report->base.is_all = ask->is_group;
	report->source = ask->side ? ptu_side_name(ask->side) :
				     ask->estimator->name;
	report->empties_known = ask->side ||
				ask->estimator == &ptu_estimator_written;
	report->madvise_frees = frees;
	report->shared_known = !ask->is_recording;
	report->slot_bytes = ptu_geometry_reach(ask->geo, PTAUDIT_PTE);
	if (report->shared_known)
		ptu_collapse_shmem_enabled(report->shmem_enabled,
					   sizeof(report->shmem_enabled));
	return 0;
}

int ptu_whatif_measure(const struct ptu_whatif_ask *ask,
		       struct ptu_whatif_report *ret, struct ptu_err *err)
{
	struct looking l = { .ask = ask, .report = ret, .err = err };
	int error = begin(ask, ret, err);
	size_t i;

	/* /proc lists each process once, but the user may name one twice */
	for (i = 0; !error && i < ask->nr_pids; i++)
		if (ask->is_group || !is_named(ask, i, ask->pids[i]))
			error = add_named(&l, ask->pids[i]);
	if (!error)
		error = add_sharers(&l);
	if (!error)
		error = ptu_whatif_add_windows(ret);
	if (!error)
		error = see_windows(ret);
	if (!error)
		error = ptu_whatif_add_up(ret);
	ptu_whatif_sum_unmaps(ret);
	ptu_spaces_deinit(&l.spaces);
	free(l.others);
	if (error == -ENOMEM)
		ptu_err_set(err, error, "no memory for the report");
	return error;
}
