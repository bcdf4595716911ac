/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The result of `ptaudit check --pages`, the only input of its renderers. */
#ifndef PTU_REPORT_PAGES_H
#define PTU_REPORT_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "model/host.h"
#include "model/kernel_pages.h"
#include "report/report.h"

/* Causes of differences.  Each cause accounts for the whole difference. */
enum ptu_totals_why {
	PTU_TOTALS_AGREE,
	PTU_TOTALS_UNKNOWN, /* not available on this kernel, not compared */
	PTU_TOTALS_UNEXPLAINED,
	PTU_TOTALS_IN_FLUX,	   /* set by the caller that repeats the measurement */
	PTU_TOTALS_PFNMAP,	   /* a mapping that /proc does not show */
	PTU_TOTALS_HUGETLB_ABSENT, /* hugetlb entries that pagemap does not show */
	PTU_TOTALS_LARGE_FOLIO,	   /* kpageflags has one flag for many pages */
	PTU_TOTALS_AVERAGE, /* kpagecount shows the average of a large folio */
	PTU_TOTALS_DEVICE_LEAF, /* leaves of device memory that smaps does not count */
	PTU_TOTALS_DEVICE_RSS,	/* device memory, which smaps counts on some kernels */
	PTU_TOTALS_PROTNONE_LEAF, /* leaves without access, which smaps does not count */
	PTU_TOTALS_KSM_FLAG, /* kpageflags sets KSM for every anonymous page */
	PTU_TOTALS_MOVING_LEAF, /* leaves under migration, which smaps counts */
	PTU_TOTALS_HWPOISON,	/* poisoned pages, which smaps counts on some kernels */
	PTU_NR_TOTALS_WHY
};

/* Maximum number of unexplained differences that are listed. */
#define PTU_TOTALS_SAMPLES 32

/**
 * struct ptu_totals_row - one total of a process; unit: base pages
 * @known: the kernel provides it; else @kernel is not compared
 * @kernel: the module's value, summed over all mappings
 * @proc: the value from /proc, summed over all mappings
 * @explained: sum of the absolute differences of mappings that have a cause
 * @in_flux: the same for differences that kept changing
 * @unexplained: the same for all other differences
 */
struct ptu_totals_row {
	bool known;
	uint64_t kernel;
	uint64_t proc;
	uint64_t explained;
	uint64_t in_flux;
	uint64_t unexplained;
};

/* The part of a total that a cause accounts for. */
struct ptu_totals_cause {
	uint64_t mappings;
	uint64_t pages;
};

/**
 * struct ptu_totals_diff - an unexplained difference
 * @start: start of the mapping; 0: the sum over all mappings differs from the total of
 *	the whole process
 * @end: end of the mapping
 * @path: name of the mapping
 */
struct ptu_totals_diff {
	uint64_t start;
	uint64_t end;
	char path[256];
	const char *name; /* name of the total, or the module's key */
	uint64_t kernel;
	uint64_t proc;
};

/**
 * struct ptu_totals_process - one process
 * @tid: the thread that was read; differs from @pid if the main thread has exited
 * @error: the reason, unless @status is PTU_STATUS_OK
 * @tries: number of attempts
 * @mappings: number of compared mappings
 * @kernel: sum of the module's totals
 * @whole_checked: the module's totals of the whole process were compared with the
 *	sum over its mappings
 * @causes: [why][total]
 * @diffs: [nr_diffs] the first ones
 * @unexplained: pages of all totals, and differences between the whole and the sum
 */
struct ptu_totals_process {
	pid_t pid;
	pid_t tid;
	char comm[64];
	enum ptu_status status;
	char error[256];
	unsigned int tries;
	size_t mappings;
	struct ptu_totals kernel;
	bool whole_checked;
	struct ptu_totals_row rows[PTU_NR_TOTALS];
	struct ptu_totals_cause causes[PTU_NR_TOTALS_WHY][PTU_NR_TOTALS];
	struct ptu_totals_diff diffs[PTU_TOTALS_SAMPLES];
	size_t nr_diffs;
	uint64_t unexplained;
};

struct ptu_totals_report {
	struct ptu_host host;
	char boot_id[64];
	struct ptu_totals_process *processes;
	size_t nr_processes;
};

/**
 * ptu_totals_why_name() - Name in JSON: "large-folio".
 */
const char *ptu_totals_why_name(enum ptu_totals_why why);

/**
 * ptu_totals_why_sentence() - Description as text.
 */
const char *ptu_totals_why_sentence(enum ptu_totals_why why);

#endif
