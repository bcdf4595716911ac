// SPDX-License-Identifier: LGPL-2.1-or-later
/* Read the pages of private mappings and classify them. */
#include "measure/cow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "acquire/pages.h"
#include "compare/cow.h"
#include "measure/page_walk.h"

/* Maximum number of readings of a page on which the sides differ. */
#define LOOKS 8

/* State within one mapping. */
struct reading {
	struct ptu_cow_report *report;
	struct ptu_cow_row *row;
	struct ptu_cow_known known;
	const struct ptu_pages *files;
	struct ptu_err *err;
};

static int begin(void *arg, const struct ptu_pages *files, struct ptu_err *err)
{
	struct ptu_cow_report *report = arg;

	(void)err;
	ptu_cow_report_deinit(report);
	report->known = (struct ptu_cow_known){
		.pfnzero = files->has_scan,
		.types = files->has_pfns,
		.flags = files->has_flags,
	};
	return 0;
}

static void keep_sample(const struct reading *reading, uint64_t addr,
			const struct ptu_page *page,
			const struct ptu_cow_verdict *verdict)
{
	struct ptu_cow_report *report = reading->report;

	if (report->nr_samples == PTU_COW_SAMPLES)
		return;
	report->samples[report->nr_samples++] = (struct ptu_cow_sample){
		.addr = addr,
		.kind = verdict->kind,
		.by_flags = verdict->by_flags,
		.page = *page,
	};
}

static int take_page(const struct reading *reading, uint64_t addr,
		     const struct ptu_page *first)
{
	struct ptu_page page = *first;
	struct ptu_cow_verdict verdict = ptu_cow_judge(&page, &reading->known);
	unsigned int look;

	for (look = 1; verdict.disagree && look < LOOKS; look++) {
		int error = ptu_pages_again(reading->files, addr, &page,
					    reading->err);

		if (error)
			return error;
		verdict = ptu_cow_judge(&page, &reading->known);
	}
	if (verdict.disagree)
		keep_sample(reading, addr, &page, &verdict);
	ptu_cow_add(&reading->row->count, &verdict);
	return 0;
}

static int take_pages(void *arg, uint64_t addr, const struct ptu_page *pages,
		      size_t nr_pages)
{
	const struct reading *reading = arg;
	int error = 0;
	size_t i;

	for (i = 0; !error && i < nr_pages; i++)
		error = take_page(reading,
				  addr + i * reading->files->page_bytes,
				  &pages[i]);
	return error;
}

/* Allocate a row per mapping, and storage for all names. */
static int make_room(struct ptu_cow_report *report, const struct ptu_vmas *vmas)
{
	report->rows = calloc(vmas->nr_vmas, sizeof(*report->rows));
	report->names = malloc(vmas->names_bytes + 1);
	if (!report->rows || !report->names)
		return -ENOMEM;
	if (vmas->names_bytes)
		memcpy(report->names, vmas->names, vmas->names_bytes);
	report->names[vmas->names_bytes] = '\0';
	return 0;
}

static struct ptu_cow_row *add_row(struct ptu_cow_report *report,
				   const struct ptu_vma *vma, uint64_t start,
				   uint64_t end)
{
	struct ptu_cow_row *row = &report->rows[report->nr_rows++];

	row->start = start;
	row->end = end;
	memcpy(row->perms, vma->perms, sizeof(row->perms));
	row->path = report->names + vma->path;
	return row;
}

static int mapping(void *arg, const struct ptu_vmas *vmas,
		   const struct ptu_vma *vma, uint64_t start, uint64_t end,
		   struct ptu_pages *files, struct ptu_err *err)
{
	struct ptu_cow_report *report = arg;
	struct reading reading = {
		.report = report,
		.known = report->known,
		.files = files,
		.err = err,
	};
	int error;

	if (vma->perms[3] != 'p')
		return 0;
	if (!report->rows && make_room(report, vmas))
		return ptu_err_set(err, -ENOMEM, "no memory for the mappings");
	reading.row = add_row(report, vma, start, end);
	/* only the kernel can give this name: other names are paths or [anon:...] */
	reading.known.special = !strncmp(reading.row->path, "[vvar", 5);
	ptu_cow_begin(&reading.row->count, (end - start) / files->page_bytes);
	error = ptu_pages_read(files, start, end, take_pages, &reading, err);
	if (!error)
		ptu_cow_sum(&report->total, &reading.row->count);
	return error;
}

int ptu_measure_cow(pid_t pid, const struct ptu_range *range,
		    struct ptu_cow_report *ret, struct ptu_err *err)
{
	const struct ptu_mapped mapped = {
		.pid = pid,
		.range = *range,
		.begin = begin,
		.mapping = mapping,
		.arg = ret,
	};
	struct ptu_mapped_head head = { 0 };
	int error;

	memset(ret, 0, sizeof(*ret));
	error = ptu_mapped_walk(&mapped, &head, err);
	if (error)
		ptu_cow_report_deinit(ret);
	else
		ret->head = head;
	return error;
}
