// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Read /proc's view of each mapping between two answers of the module (a bracket),
 * and repeat this for mappings that differ.  Must not print, nor know how causes
 * are proven.
 */
#include "measure/pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acquire/freeze.h"
#include "acquire/module.h"
#include "acquire/pages.h"
#include "acquire/procfs.h"
#include "compare/page_flags.h"
#include "compare/page_rows.h"
#include "compare/table_rows.h"
#include "model/page_flags.h"
#include "model/pagemap.h"
#include "model/range.h"

#define TRIES 6	       /* brackets of a mapping */
#define PAUSE_US 20000 /* between brackets: lets pending changes finish */

struct reading {
	const struct ptu_pages *files;
	struct ptu_seen *seen;
	struct ptu_err *err;
	uint64_t pfn; /* the previous page and its head's flags */
	uint64_t head_flags;
};

/* Find the flags of a folio's first page, if another page lacks them. */
static int find_head(struct reading *reading, const struct ptu_page *page)
{
	uint64_t pfn = page->word & PTU_PM_PFN_MASK;
	bool first = !(page->flags & PTU_KPF_COMPOUND_TAIL);
	bool next = pfn == reading->pfn + 1;

	reading->pfn = pfn;
	if (first)
		reading->head_flags = page->flags;
	else if (!next)
		return ptu_pages_head(reading->files, pfn, &reading->head_flags,
				      reading->err);
	return 0;
}

static int take_pages(void *arg, uint64_t addr, const struct ptu_page *pages,
		      size_t nr_pages)
{
	struct reading *reading = arg;
	int error = 0;
	size_t i;

	for (i = 0; !error && i < nr_pages; i++) {
		if (pages[i].word & PTU_PM_PRESENT)
			error = find_head(reading, &pages[i]);
		if (!error)
			ptu_seen_add(reading->seen,
				     addr + i * reading->files->page_bytes,
				     &pages[i], reading->head_flags);
	}
	return error;
}

static int see_mapping(struct ptu_pages *files, const struct ptu_geometry *geo,
		       const struct ptu_vmas *vmas,
		       struct ptu_totals_mapping *m, struct ptu_err *err)
{
	const struct ptu_vma *vma = &vmas->vmas[m->vma];
	struct reading reading = {
		.files = files,
		.seen = &m->seen,
		.err = err,
		.pfn = UINT64_MAX - 1,
	};
	int error;

	ptu_seen_begin(&m->seen, vma, ptu_vma_path(vmas, vma),
		       files->page_bytes, geo->nr_entries[PTAUDIT_PTE],
		       files->has_scan);
	m->seen.ksm_is_anon = files->ksm_is_anon;
	error = ptu_pages_read(files, vma->start, vma->end, take_pages,
			       &reading, err);
	if (!error)
		ptu_seen_end(&m->seen, vma);
	return error;
}

/* Open the files about page frames, which need root. */
static int open_pages(const struct ptu_proc *proc, uint64_t page_bytes,
		      struct ptu_pages *ret, struct ptu_err *err)
{
	int error = ptu_pages_open(proc, page_bytes, ret, err);

	if (error)
		return error;
	error = ptu_pages_need_flags(ret, "--pages", err);
	if (error)
		ptu_pages_close(ret);
	return error;
}

/* Get the module's totals of a mapping, and check that the mm is still the same. */
static int ask(const struct ptu_proc *proc, uint64_t start, uint64_t end,
	       uint64_t *mm, struct ptu_totals *ret, struct ptu_err *err)
{
	int error = ptu_truth_pages(proc, start, end, ret, err);

	if (error)
		return error;
	if (!*mm)
		*mm = ret->mm;
	if (*mm != ret->mm)
		return ptu_err_set(err, -EAGAIN,
				   "process %d started another program meanwhile",
				   (int)proc->pid);
	if (end && (ret->start != start || ret->end != end))
		return ptu_err_set(err, -EPROTO,
				   "the module answered for another range");
	return 0;
}

static bool same_layout(const struct ptu_vmas *a, const struct ptu_vmas *b)
{
	size_t i;

	if (a->nr_vmas != b->nr_vmas)
		return false;
	for (i = 0; i < a->nr_vmas; i++)
		if (a->vmas[i].start != b->vmas[i].start ||
		    a->vmas[i].end != b->vmas[i].end ||
		    a->vmas[i].inode != b->vmas[i].inode ||
		    strcmp(a->vmas[i].perms, b->vmas[i].perms))
			return false;
	return true;
}

/* Read smaps again: its sums must be read within the bracket. */
static int refresh(const struct ptu_proc *proc, struct ptu_vmas *vmas,
		   struct ptu_err *err)
{
	struct ptu_vmas now;
	int error = ptu_proc_smaps(proc, &now, err);

	if (error)
		return error;
	if (!same_layout(vmas, &now)) {
		ptu_vmas_deinit(&now);
		return -EAGAIN;
	}
	ptu_vmas_deinit(vmas);
	*vmas = now;
	return 0;
}

/* One bracket around all mappings that are not settled. */
static int bracket(const struct ptu_proc *proc, const struct ptu_geometry *geo,
		   struct ptu_totals_set *set, struct ptu_err *err)
{
	struct ptu_pages files;
	int error = open_pages(proc, geo->page_bytes, &files, err);
	size_t i;

	if (error)
		return error;
	error = ask(proc, 0, 0, &set->mm, &set->whole_before, err);
	for (i = 0; !error && i < set->nr; i++) {
		struct ptu_totals_mapping *m = &set->mappings[i];
		const struct ptu_vma *vma = &set->vmas.vmas[m->vma];

		if (!m->settled)
			error = ask(proc, vma->start, vma->end, &set->mm,
				    &m->before, err);
	}
	if (!error)
		error = refresh(proc, &set->vmas, err);
	for (i = 0; !error && i < set->nr; i++)
		if (!set->mappings[i].settled)
			error = see_mapping(&files, geo, &set->vmas,
					    &set->mappings[i], err);
	for (i = 0; !error && i < set->nr; i++) {
		struct ptu_totals_mapping *m = &set->mappings[i];
		const struct ptu_vma *vma = &set->vmas.vmas[m->vma];

		if (!m->settled)
			error = ask(proc, vma->start, vma->end, &set->mm,
				    &m->after, err);
	}
	if (!error)
		error = ask(proc, 0, 0, &set->mm, &set->whole_after, err);
	ptu_pages_close(&files);
	return error;
}

/* List the mappings, without those of the kernel half. */
static int list(const struct ptu_proc *proc, uint64_t page_bytes,
		struct ptu_totals_set *set, struct ptu_err *err)
{
	const struct ptu_range all = { 0 };
	int error = ptu_proc_smaps(proc, &set->vmas, err);
	size_t i;

	if (error)
		return error;
	set->mappings = calloc(set->vmas.nr_vmas, sizeof(*set->mappings));
	if (!set->mappings)
		return -ENOMEM;
	for (i = 0; i < set->vmas.nr_vmas; i++) {
		uint64_t start, end;

		if (!ptu_range_clip(&all, &set->vmas.vmas[i], page_bytes,
				    &start, &end))
			continue;
		if (!set->vmas.vmas[i].has_flags)
			return ptu_err_set(err, -EOPNOTSUPP,
					   "process %d: smaps has no VmFlags, which --pages needs",
					   (int)proc->pid);
		set->mappings[set->nr++].vma = i;
	}
	return 0;
}

/* Return: 0; -EAGAIN the mappings changed meanwhile; -errno. */
static int measure_once(const struct ptu_proc *proc,
			const struct ptu_geometry *geo,
			struct ptu_totals_process *ret, struct ptu_err *err)
{
	struct ptu_totals_set set = { 0 };
	int error = list(proc, geo->page_bytes, &set, err);
	size_t left = 1;

	for (ret->tries = 0; !error && left && ret->tries < TRIES;
	     ret->tries++) {
		if (ret->tries)
			usleep(PAUSE_US);
		error = bracket(proc, geo, &set, err);
		if (!error)
			left = ptu_totals_settle(&set);
	}
	if (!error)
		error = ptu_proc_maps_same(proc, &set.vmas, err);
	if (!error)
		ptu_totals_sum_up(&set, ret);
	ptu_vmas_deinit(&set.vmas);
	free(set.mappings);
	return error;
}

static int identify(struct ptu_proc *proc, struct ptu_err *err)
{
	struct ptu_proc_status status;
	int error = ptu_proc_has_memory(proc, err);

	if (!error)
		error = ptu_proc_status(proc, &status, err);
	if (!error && !status.has_mm)
		error = ptu_proc_gone(proc, err);
	if (!error && proc->pid == getpid())
		error = ptu_err_set(err, -EINVAL,
				    "process %d is ptaudit itself, whose memory changes as it reads",
				    (int)proc->pid);
	return error;
}

static int measure(pid_t pid, bool freeze, const struct ptu_geometry *geo,
		   struct ptu_totals_process *ret, struct ptu_err *err)
{
	struct ptu_freeze frozen = { 0 };
	struct ptu_proc proc;
	unsigned int try = 0;
	int error = ptu_proc_open(pid, &proc, err);

	if (error)
		return error;
	snprintf(ret->comm, sizeof(ret->comm), "%s", proc.comm);
	ret->tid = proc.tid;
	error = identify(&proc, err);
	if (!error && freeze)
		error = ptu_freeze(&proc, &frozen, err);
	if (!error) {
		error = -EAGAIN;
		for (try = 0;
		     error == -EAGAIN && ptu_proc_try_again(&proc, try);
		     try++) {
			ptu_err_clear(err);
			error = measure_once(&proc, geo, ret, err);
		}
	}
	ptu_thaw(&frozen);
	if (error == -EAGAIN && !err->text[0])
		ptu_proc_changed(&proc, try, err);
	if (error && error != -ENOMEM && ptu_proc_same(&proc, NULL) == -ESRCH)
		error = -ESRCH;
	ptu_proc_close(&proc);
	return error;
}

int ptu_totals_measure(pid_t pid, bool freeze, const struct ptu_geometry *geo,
		       struct ptu_totals_process *ret)
{
	struct ptu_err err = { "" };
	int error;

	memset(ret, 0, sizeof(*ret));
	ret->pid = pid;
	error = measure(pid, freeze, geo, ret, &err);
	if (!error)
		return 0;
	ret->status = error == -ESRCH  ? PTU_STATUS_GONE :
		      error == -EAGAIN ? PTU_STATUS_UNSTABLE :
					 PTU_STATUS_FAILED;
	snprintf(ret->error, sizeof(ret->error), "%.255s",
		 err.text[0] ? err.text : strerror(-error));
	return error == -ENOMEM ? error : 0;
}
