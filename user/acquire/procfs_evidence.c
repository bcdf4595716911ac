// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Read the evidence for estimators of one process, for one consistent set of
 * mappings.  Must not judge what it means for page tables.
 */
#include "acquire/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acquire/file.h"
#include "acquire/pagemap.h"
#include "acquire/scan.h"
#include "acquire/scan_settle.h"
#include "acquire/scan_split.h"
#include "acquire/words.h"

/* Bits of kpageflags.  Source: include/uapi/linux/kernel-page-flags.h */
#define KPF_COMPOUND_HEAD (UINT64_C(1) << 15)
#define KPF_COMPOUND_TAIL (UINT64_C(1) << 16)
#define KPF_HUGE (UINT64_C(1) << 17)
#define KPF_NOPAGE (UINT64_C(1) << 20)
#define KPF_THP (UINT64_C(1) << 22)
#define KPF_ZERO_PAGE (UINT64_C(1) << 24)
#define KPF_LARGE (KPF_COMPOUND_HEAD | KPF_COMPOUND_TAIL | KPF_HUGE | KPF_THP)

/* Attempts that require all mappings to be unchanged, before changes are accepted. */
#define STRICT_TRIES 3

/**
 * struct reader - one attempt to read the evidence
 * @proc: the process
 * @evidence: evidence read so far
 */
struct reader {
	const struct ptu_proc *proc;
	struct ptu_evidence evidence;
	struct ptu_err *err;
};

bool ptu_proc_reads_long(const struct ptu_evidence *e)
{
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; i < e->vmas.nr_vmas; i++) {
		const struct ptu_vma *vma = &e->vmas.vmas[i];

		if (vma->start < e->end && e->start < vma->end)
			bytes += (vma->end < e->end ? vma->end : e->end) -
				 (vma->start > e->start ? vma->start :
							  e->start);
	}
	return bytes > PTU_READ_UNLIMITED;
}

static int read_pagemap(struct reader *r)
{
	struct ptu_evidence *e = &r->evidence;
	struct ptu_words_end end;
	struct ptu_words file;
	int error = ptu_words_open(r->proc->dirfd, "pagemap", &file);

	if (error)
		return ptu_proc_refuse(r->proc, "pagemap", error, r->err);
	if (ptu_proc_reads_long(e))
		file.deadline_ns = ptu_proc_deadline_ns(r->proc);
	error = ptu_words_split(&file, e->geo, &e->vmas, e->start, e->end,
				&e->slots, &end);
	ptu_words_close(&file);
	if (error != -ENODATA)
		return error ? ptu_proc_refuse(r->proc, "pagemap", error,
					       r->err) :
			       0;
	/* exit and exec remove the memory; after an exec, read the new one */
	error = ptu_proc_same(r->proc, r->err);
	if (error)
		return error;
	return ptu_err_set(r->err, -EAGAIN,
			   "process %d: pagemap ends after %zu of %zu entries from 0x%llx on",
			   (int)r->proc->pid, end.nr_got, end.nr_wanted,
			   (unsigned long long)end.addr);
}

/*
 * Could a single entry at a higher level map the slot?  A leaf shows consecutive
 * entries. A hugetlb mapping, which always has a file, may show only markers.
 */
static bool may_be_leaf(const struct ptu_evidence *e,
			const struct ptu_slot *slot)
{
	const unsigned int all = e->geo->nr_entries[PTAUDIT_PTE];

	if (slot->markers == all)
		return ptu_vma_has_file(&e->vmas.vmas[slot->vma]);
	if (slot->nonpresent == all)
		return slot->flags & PTU_SLOT_SWAP_RUN;
	return slot->present == all && !(slot->flags & PTU_SLOT_NOT_THP) &&
	       slot->flags & (PTU_SLOT_PFN_RUN | PTU_SLOT_PFN_HIDDEN);
}

static bool pagemap_wants_smaps(const struct ptu_evidence *e)
{
	size_t i;

	for (i = 0; i < e->slots.nr_slots; i++)
		if (may_be_leaf(e, &e->slots.slots[i]))
			return true;
	return false;
}

/*
 * Look up the folios of slots that may be leaves.  This needs root; without it the
 * slots remain candidates, and the estimate is less precise.
 * Source: fs/proc/page.c, stable_page_flags() (5.10 to 7.3).
 */
static void look_up_folios(struct ptu_evidence *e)
{
	struct ptu_words file;
	bool is_open = false;
	size_t i;

	for (i = 0; i < e->slots.nr_slots; i++) {
		struct ptu_slot *slot = &e->slots.slots[i];
		uint64_t flags;

		if (!(slot->flags & PTU_SLOT_PFN_RUN))
			continue;
		if (!is_open &&
		    ptu_words_open(PTU_PROC_ROOT, "kpageflags", &file))
			return;
		is_open = true;
		/* device memory (DAX) has no page flags */
		if (ptu_words_read(&file, slot->pfn, &flags, 1) != 1 ||
		    (flags & KPF_NOPAGE))
			continue;
		if (flags & KPF_ZERO_PAGE)
			slot->flags |= PTU_SLOT_ZERO;
		else if (flags & KPF_LARGE)
			slot->flags |= PTU_SLOT_THP;
		else
			slot->flags |= PTU_SLOT_NOT_THP;
	}
	if (is_open)
		ptu_words_close(&file);
}

/* Is there a slot that shows a table or a hole, but no page so far? */
static bool shows_empty(const struct ptu_scan *scan)
{
	size_t i;

	for (i = 0; i < scan->nr_slots; i++)
		if (!scan->slots[i].huge && !scan->slots[i].populated)
			return true;
	return false;
}

static int refuse_scan(const struct reader *r, int error)
{
	if (error == -ESRCH)
		return ptu_proc_refuse(r->proc, "pagemap", error, r->err);
	return ptu_err_set(r->err, error, "PAGEMAP_SCAN failed: %s",
			   strerror(-error));
}

/*
 * Read the answers of PAGEMAP_SCAN.  A kernel without it is no error here; the
 * estimators that need it report it.
 */
static int read_scan(struct reader *r, unsigned int needs)
{
	struct ptu_evidence *e = &r->evidence;
	/* the ioctl refuses addresses that no process can map */
	uint64_t end = ptu_geometry_task_end(e->geo);
	int error;
	int fd;

	if (end > e->end)
		end = e->end;
	error = ptu_scan_calibrate(&e->scan.caps, r->err);
	if (error <= 0)
		return error;
	e->scan.is_there = true;
	if (ptu_file_is_recording())
		return ptu_scan_replay(r->proc->dirfd, e->geo, &e->vmas,
				       e->start, end, &e->scan, r->err);
	fd = ptu_file_open(r->proc->dirfd, "pagemap", 0);
	if (fd < 0)
		return ptu_proc_refuse(r->proc, "pagemap", fd, r->err);
	error = ptu_scan_split(fd, e->geo, &e->vmas, e->start, end, &e->scan);
	if (!error && shows_empty(&e->scan))
		ptu_scan_calibrate_wp(&e->scan.caps);
	if (!error && needs & PTU_NEEDS_COUNTS)
		error = ptu_scan_count(fd, e->geo, end, &e->scan);
	if (!error)
		error = ptu_scan_settle(fd,
					needs & PTU_NEEDS_POPULATED ?
						PTU_SETTLE_ALL :
						PTU_SETTLE_TO_OPEN,
					e);
	if (!error && needs & PTU_NEEDS_EMPTY)
		error = ptu_scan_settle(fd, PTU_SETTLE_FEW, e);
	close(fd);
	return error ? refuse_scan(r, error) : 0;
}

/*
 * Is smaps needed to interpret the scan?  A leaf in a mapping with a file may be a
 * hugetlb page; a slot that looks empty may be a hole under uffd-wp.
 */
static bool scan_wants_smaps(const struct ptu_evidence *e)
{
	size_t i, vma;

	for (i = 0; i < e->scan.nr_slots; i++) {
		const struct ptu_scan_slot *slot = &e->scan.slots[i];

		if (!slot->huge && !slot->populated &&
		    e->scan.caps.wp_hole_is_seen &&
		    !ptu_evidence_shows_hole(e, slot->first))
			return true;
		if (!slot->huge)
			continue;
		vma = ptu_vmas_find(&e->vmas, slot->first);
		if (vma < e->vmas.nr_vmas &&
		    ptu_vma_has_file(&e->vmas.vmas[vma]))
			return true;
	}
	return false;
}

/* After smaps was read: scan the write-protected slots that were postponed. */
static int settle_protected(struct reader *r)
{
	int fd, error;

	if (ptu_file_is_recording() || !r->evidence.scan.is_there)
		return 0;
	fd = ptu_file_open(r->proc->dirfd, "pagemap", 0);
	if (fd < 0)
		return ptu_proc_refuse(r->proc, "pagemap", fd, r->err);
	error = ptu_scan_settle(fd, PTU_SETTLE_PROTECTED, &r->evidence);
	close(fd);
	return error ? refuse_scan(r, error) : 0;
}

static int read_mappings(struct reader *r, unsigned int needs)
{
	struct ptu_vmas *vmas = &r->evidence.vmas;
	int error;

	if ((needs & PTU_NEEDS_NO_NAMES) && !ptu_file_is_recording()) {
		error = ptu_proc_some_maps(r->proc, vmas, r->err);
		if (error || vmas->nr_vmas)
			return error;
		ptu_vmas_deinit(vmas);
	}
	return ptu_proc_maps(r->proc, vmas, r->err);
}

/* Note the ranges whose mapping differs in @now. */
static int note_changes(struct reader *r, const struct ptu_vmas *now)
{
	struct ptu_evidence *e = &r->evidence;

	return ptu_vmas_changes(&e->vmas, now, e->start, e->end, &e->changed);
}

/* Without smaps, a file mapping may be hugetlb: note it as changed. */
static int note_unknown(struct ptu_evidence *e)
{
	int error = 0;
	size_t i;

	for (i = 0; !error && i < e->vmas.nr_vmas; i++)
		if (ptu_vma_has_file(&e->vmas.vmas[i]) &&
		    !e->vmas.vmas[i].has_smaps)
			error = ptu_spans_add(&e->changed,
					      e->vmas.vmas[i].start,
					      e->vmas.vmas[i].end);
	return error;
}

/* In a recording nothing changes: mappings that differ are damage. */
static int refuse_recorded(struct reader *r)
{
	struct ptu_spans *changed = &r->evidence.changed;
	const int pid = (int)r->proc->pid;

	ptu_spans_sort(changed);
	return ptu_err_set(r->err, -EBADMSG,
			   "the recording is damaged: %d/maps and %d/smaps contradict each other, first at 0x%llx",
			   pid, pid,
			   (unsigned long long)changed->spans[0].start);
}

/* smaps makes the kernel walk all of the memory: call this only if it is needed. */
static int read_smaps(struct reader *r)
{
	struct ptu_evidence *e = &r->evidence;
	struct ptu_vmas vmas;
	int error = ptu_proc_smaps(r->proc, &vmas, r->err);

	if (error)
		return error;
	ptu_vmas_take_smaps(&e->vmas, &vmas);
	error = note_changes(r, &vmas);
	ptu_vmas_deinit(&vmas);
	if (!error)
		error = note_unknown(e);
	if (!error && e->changed.nr_spans && ptu_file_is_recording())
		return refuse_recorded(r);
	return error ? error : settle_protected(r);
}

/* Read everything in @needs for the current set of mappings. */
static int read_needs(struct reader *r, unsigned int needs)
{
	struct ptu_evidence *e = &r->evidence;
	int error;

	if (needs & (PTU_NEEDS_PAGEMAP | PTU_NEEDS_LEAVES)) {
		error = read_pagemap(r);
		if (error)
			return error;
		look_up_folios(e);
	}
	if (needs & PTU_NEEDS_SCAN) {
		error = read_scan(r, needs);
		if (error)
			return error;
	}
	if (((needs & PTU_NEEDS_LEAVES) && pagemap_wants_smaps(e)) ||
	    scan_wants_smaps(e))
		return read_smaps(r);
	return 0;
}

/* Read the mappings again and note the ranges that differ. */
static int read_again(struct reader *r)
{
	struct ptu_vmas now;
	int changed = ptu_proc_maps_again(r->proc, &r->evidence.vmas, &now,
					  r->err);

	if (changed <= 0)
		return changed;
	changed = note_changes(r, &now);
	ptu_vmas_deinit(&now);
	return changed;
}

/* A page outside all mappings: it was mapped and unmapped during the attempt. */
static int note_unplaced(struct ptu_evidence *e)
{
	const uint64_t reach = ptu_geometry_reach(e->geo, PTAUDIT_PTE);
	int error = 0;
	size_t i;

	for (i = 0; !error && i < e->scan.nr_slots; i++) {
		const struct ptu_scan_slot *slot = &e->scan.slots[i];
		size_t vma = ptu_vmas_find(&e->vmas, slot->first);

		if (vma == e->vmas.nr_vmas ||
		    e->vmas.vmas[vma].start > slot->first)
			error = ptu_spans_add(&e->changed, slot->start,
					      slot->start + reach);
	}
	return error;
}

/* Drop huge pages where mappings changed: their kind is unknown. */
static void drop_unplaced(struct ptu_evidence *e)
{
	const uint64_t reach = ptu_geometry_reach(e->geo, PTAUDIT_PTE);
	struct ptu_scan *scan = &e->scan;
	size_t i, nr = 0;

	for (i = 0; i < scan->nr_slots; i++)
		if (!scan->slots[i].huge ||
		    !ptu_spans_touch(&e->changed, scan->slots[i].start,
				     scan->slots[i].start + reach))
			scan->slots[nr++] = scan->slots[i];
	scan->nr_slots = nr;
}

/* One attempt: the mappings, the evidence, and the mappings again. */
static int read_once(struct reader *r, unsigned int needs)
{
	int error = read_mappings(r, needs);

	if (!error)
		error = read_needs(r, needs);
	if (!error)
		error = read_again(r);
	if (!error && !ptu_file_is_recording())
		error = note_unplaced(&r->evidence);
	if (!error)
		ptu_spans_sort(&r->evidence.changed);
	return error;
}

/* May there be another attempt that requires unchanged mappings? */
static bool may_rest(const struct ptu_proc *proc, unsigned int tries)
{
	return tries < STRICT_TRIES && ptu_proc_try_again(proc, tries);
}

int ptu_proc_evidence(const struct ptu_proc *proc,
		      const struct ptu_geometry *geo, unsigned int needs,
		      uint64_t start, uint64_t end, struct ptu_evidence *ret,
		      struct ptu_err *err)
{
	const uint64_t reach = ptu_geometry_reach(geo, PTAUDIT_PTE);
	struct reader r = {
		.proc = proc,
		.evidence = { .geo = geo, .start = start - start % reach },
		.err = err,
	};
	unsigned int try;
	int error = -EAGAIN;

	r.evidence.end = UINT64_MAX;
	if (end <= UINT64_MAX - reach)
		r.evidence.end = (end + reach - 1) / reach * reach;
	for (try = 0; error == -EAGAIN && ptu_proc_try_again(proc, try);
	     try++) {
		ptu_evidence_deinit(&r.evidence);
		ptu_err_clear(err);
		error = read_once(&r, needs);
		if (!error && r.evidence.changed.nr_spans &&
		    (!(needs & PTU_TAKES_CHANGES) || may_rest(proc, try + 1)))
			error = -EAGAIN;
	}
	if (error) {
		ptu_evidence_deinit(&r.evidence);
		return error == -EAGAIN ? ptu_proc_changed(proc, try, err) :
					  error;
	}
	drop_unplaced(&r.evidence);
	*ret = r.evidence;
	return 0;
}
