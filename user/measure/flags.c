// SPDX-License-Identifier: LGPL-2.1-or-later
/* Read the flags of the pages that a process maps and count them. */
#include "measure/flags.h"

#include <errno.h>

#include "acquire/pages.h"
#include "compare/page_flags.h"
#include "measure/page_walk.h"
#include "model/pagemap.h"

struct reading {
	struct ptu_flags_report report;
	bool with_runs;
	uint64_t page_bytes;
};

static int begin(void *arg, const struct ptu_pages *files, struct ptu_err *err)
{
	struct reading *reading = arg;
	int error;

	error = ptu_pages_need_flags(files, "flags", err);
	if (error)
		return error;
	ptu_pageflags_deinit(&reading->report.counted);
	reading->report.counted.with_runs = reading->with_runs;
	reading->report.ksm_is_anon = files->ksm_is_anon;
	reading->page_bytes = files->page_bytes;
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
			error = ptu_pageflags_add(&reading->report.counted,
						  addr + i * reading->page_bytes,
						  reading->page_bytes,
						  pages[i].flags);
	}
	return error;
}

static int mapping(void *arg, const struct ptu_vmas *vmas,
		   const struct ptu_vma *vma, uint64_t start, uint64_t end,
		   struct ptu_pages *files, struct ptu_err *err)
{
	int error = ptu_pages_read(files, start, end, take_pages, arg, err);

	(void)vmas;
	(void)vma;
	return error == -ENOMEM ?
		       ptu_err_set(err, error, "no memory for the flags") :
		       error;
}

int ptu_measure_flags(pid_t pid, const struct ptu_range *range, bool with_runs,
		      struct ptu_flags_report *ret, struct ptu_err *err)
{
	struct reading reading = { .with_runs = with_runs };
	const struct ptu_mapped mapped = {
		.pid = pid,
		.range = *range,
		.begin = begin,
		.mapping = mapping,
		.arg = &reading,
	};
	int error = ptu_mapped_walk(&mapped, &reading.report.head, err);

	if (error) {
		ptu_pageflags_deinit(&reading.report.counted);
		return error;
	}
	ptu_pageflags_sort(&reading.report.counted);
	*ret = reading.report;
	return 0;
}
