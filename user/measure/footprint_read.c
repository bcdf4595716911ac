// SPDX-License-Identifier: LGPL-2.1-or-later
/* Read pages for a footprint; must not add them up. */
#include "measure/footprint_read.h"

#include <errno.h>
#include <string.h>

#include "acquire/pages.h"
#include "compare/page_flags.h"
#include "model/page_flags.h"
#include "model/pagemap.h"
#include "model/vma.h"

#define MIB (UINT64_C(1) << 20)

/**
 * struct reading - one attempt to read a process
 * @tail_pfn: the last page frame of a large folio that was looked up
 * @tail_flags: flags that its tail pages take from the head
 * @internal: files of the kernel's internal mount
 * @how: PTU_FOOTPRINT_* of the following pages
 * @no_hugetlb: stop with -ENODATA at a hugetlb page, because the flags of its mapping are
 *	needed, which only smaps shows
 */
struct reading {
	const struct ptu_pages *files;
	struct ptu_footprint *footprint;
	struct ptu_footprint_files *internal;
	uint64_t tail_pfn;
	uint64_t tail_flags;
	unsigned int how;
	bool no_hugetlb;
	struct ptu_err *err;
};

/*
 * Older kernels show only for the head that a large folio is shmem.
 * Source: fs/proc/page.c, stable_page_flags() (5.10, 6.1)
 */
static int head_flags(const struct reading *reading, uint64_t pfn,
		      uint64_t *ret)
{
	int error = ptu_pages_file_head(reading->files, pfn, &pfn, ret,
					reading->err);

	*ret &= PTU_KPF_SWAPBACKED;
	return error;
}

static int complete_tail(struct reading *reading, struct ptu_page *page)
{
	uint64_t pfn = page->word & PTU_PM_PFN_MASK;
	int error = 0;

	if (page->flags & PTU_KPF_COMPOUND_HEAD)
		reading->tail_flags = page->flags & PTU_KPF_SWAPBACKED;
	else if (!(page->flags & PTU_KPF_COMPOUND_TAIL))
		return 0;
	else if (pfn != reading->tail_pfn + 1)
		error = head_flags(reading, pfn, &reading->tail_flags);
	reading->tail_pfn = pfn;
	page->flags |= reading->tail_flags;
	return error;
}

static void recall(void *arg, struct ptu_page *page)
{
	ptu_footprint_recall(arg, page);
}

static int take_pages(void *arg, uint64_t addr, const struct ptu_page *pages,
		      size_t nr_pages)
{
	struct reading *reading = arg;
	int error = 0;
	size_t i;

	(void)addr;
	for (i = 0; !error && i < nr_pages; i++) {
		struct ptu_page page = pages[i];

		/* 6.12 sets KSM for every anonymous page */
		if (reading->files->ksm_is_anon)
			page.flags &= ~PTU_KPF_KSM;
		if (reading->no_hugetlb && page.flags & PTU_KPF_HUGE)
			error = -ENODATA;
		else if (page.word & PTU_PM_PRESENT &&
			 !(page.flags & (PTU_KPF_ANON | PTU_KPF_HUGE)))
			error = complete_tail(reading, &page);
		if (!error)
			error = ptu_footprint_add(reading->footprint, &page,
						  reading->how);
	}
	return error;
}

/* Does smaps show no memory? */
static bool is_empty(const struct ptu_vma *vma)
{
	return vma->has_smaps && !vma->rss_bytes && !vma->swap_bytes &&
	       !(vma->flags & PTU_VM_HUGETLB);
}

static int read_vma(struct reading *reading, struct ptu_pages *files,
		    const struct ptu_footprint_tables *tables,
		    const struct ptu_process *process,
		    const struct ptu_vma *vma)
{
	uint64_t start = vma->start, end;
	bool is_internal;
	int error = ptu_footprint_files_add(reading->internal, vma,
					    &is_internal);

	while (!error && start < vma->end) {
		reading->how = ptu_footprint_tables_how(tables, process, vma,
							start, &end);
		if (is_internal)
			reading->how |= PTU_FOOTPRINT_INTERNAL;
		error = ptu_pages_read(files, start, end, take_pages, reading,
				       reading->err);
		start = end;
	}
	return error;
}

static void add_smaps(const struct ptu_vma *vma, struct ptu_footprint_row *row)
{
	row->kernel_rss_bytes += vma->rss_bytes;
	row->kernel_pss_bytes += vma->pss_bytes;
	row->kernel_swap_bytes += vma->swap_bytes;
	row->huge_bytes += vma->huge_bytes;
}

/*
 * May mappings be skipped that are empty according to smaps?  With PAGEMAP_SCAN and in
 * recordings, skipping saves nothing.  On some kernels (6.1), smaps lacks huge pages that
 * PROT_NONE or NUMA balancing protects.  VmRSS includes them; the tolerance of 1 MiB is
 * for its batched counters.
 */
static bool may_skip(const struct ptu_pages *files,
		     const struct ptu_process *process,
		     const struct ptu_footprint_row *row)
{
	return !files->has_scan && !files->is_recorded &&
	       process->rss_bytes <= row->kernel_rss_bytes + MIB;
}

static int read_vmas(struct reading *reading, struct ptu_pages *files,
		     const struct ptu_footprint_tables *tables,
		     const struct ptu_process *process,
		     const struct ptu_vmas *vmas, struct ptu_footprint_row *ret)
{
	struct ptu_page page;
	bool skips;
	size_t nr, i;
	int error = 0;

	for (nr = 0; nr < vmas->nr_vmas; nr++) {
		if (vmas->vmas[nr].start >= PTU_KERNEL_HALF)
			break;
		add_smaps(&vmas->vmas[nr], ret);
	}
	skips = may_skip(files, process, ret);
	for (i = 0; !error && i < nr; i++)
		if (!skips || !is_empty(&vmas->vmas[i]))
			error = read_vma(reading, files, tables, process,
					 &vmas->vmas[i]);
	/* detect exit and exec: after them, PAGEMAP_SCAN shows empty ranges */
	if (!error)
		error = ptu_pages_again(files, vmas->vmas[0].start, &page,
					reading->err);
	return error;
}

/*
 * Return: 0; -EAGAIN the process called exec(); -ENODATA smaps must be read, too; -errno.
 */
static int read_once(const struct ptu_proc *proc,
		     const struct ptu_footprint_tables *tables,
		     const struct ptu_process *process, bool wants_smaps,
		     struct ptu_footprint_files *internal,
		     struct ptu_footprint *footprint,
		     struct ptu_footprint_row *ret, struct ptu_err *err)
{
	struct reading reading = { .footprint = footprint,
				   .internal = internal,
				   .err = err };
	struct ptu_pages files;
	struct ptu_vmas vmas;
	/* open this before smaps, to detect an exec in between */
	int error = ptu_pages_open(proc, footprint->page_bytes, &files, err);

	if (error)
		return error;
	reading.files = &files;
	files.recall = recall;
	files.recall_arg = footprint;
	ret->ksm_unknown = files.ksm_is_anon;
	error = ptu_pages_need_flags(&files, "footprint", err);
	/* smaps takes the kernel longer than all that is read here */
	wants_smaps |= !files.has_scan;
	reading.no_hugetlb = !wants_smaps && !tables->known;
	if (!error)
		error = wants_smaps ? ptu_proc_smaps(proc, &vmas, err) :
				      ptu_proc_maps(proc, &vmas, err);
	if (!error) {
		error = read_vmas(&reading, &files, tables, process, &vmas,
				  ret);
		ptu_vmas_deinit(&vmas);
	}
	ptu_pages_close(&files);
	return error ? error : ptu_proc_same(proc, err);
}

int ptu_footprint_read(const struct ptu_proc *proc,
		       const struct ptu_footprint_tables *tables,
		       const struct ptu_process *process, bool wants_smaps,
		       struct ptu_footprint_files *files,
		       struct ptu_footprint *footprint,
		       struct ptu_footprint_row *ret, struct ptu_err *err)
{
	struct ptu_footprint_row row;
	unsigned int try;
	int error = -EAGAIN;

	for (try = 0; error == -EAGAIN && ptu_proc_try_again(proc, try);
	     try++) {
		ptu_err_clear(err);
		row = *ret;
		error = ptu_footprint_begin(footprint);
		if (error)
			return ptu_err_set(err, error, "too many processes");
		error = read_once(proc, tables, process, wants_smaps, files,
				  footprint, &row, err);
		row.sum = footprint->sum;
		if (error)
			ptu_footprint_forget(footprint);
		if (error == -ENODATA && !wants_smaps) {
			wants_smaps = true;
			error = -EAGAIN;
			/* the process did not change: this attempt does not count */
			try--;
		}
	}
	if (error == -EAGAIN)
		ptu_proc_changed(proc, try, err);
	if (error == -ENOMEM)
		ptu_err_set(err, error, "no memory for the pages");
	if (!error)
		*ret = row;
	return error;
}
