/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What `ptaudit check --pages` found out: all that its renderers see. */
#ifndef PTU_REPORT_PAGES_H
#define PTU_REPORT_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "model/host.h"
#include "model/kernel_pages.h"
#include "report/report.h"

/* Why the two sides differ.  Each cause accounts for all of a difference. */
enum ptu_totals_why {
	PTU_TOTALS_AGREE,
	PTU_TOTALS_UNKNOWN, /* this kernel cannot tell: nothing is compared */
	PTU_TOTALS_UNEXPLAINED,
	PTU_TOTALS_IN_FLUX,	   /* set by who brackets */
	PTU_TOTALS_PFNMAP,	   /* a mapping that /proc passes over */
	PTU_TOTALS_HUGETLB_ABSENT, /* entries of hugetlb that pagemap leaves out */
	PTU_TOTALS_LARGE_FOLIO,	   /* kpageflags has one flag for many pages */
	PTU_TOTALS_AVERAGE, /* kpagecount has the average of a large folio */
	PTU_TOTALS_DEVICE_LEAF, /* leaves of device memory that smaps leaves out */
	PTU_TOTALS_KSM_FLAG, /* kpageflags calls every anonymous page KSM's */
	PTU_TOTALS_MOVING_LEAF, /* leaves being migrated, which smaps counts */
	PTU_TOTALS_HWPOISON,	/* poisoned pages, which smaps counts or not */
	PTU_NR_TOTALS_WHY
};

/* Unexplained differences that are shown. */
#define PTU_TOTALS_SAMPLES 32

/**
 * struct ptu_totals_row - one total of a process; unit: base pages
 * @known: the kernel can tell it; else @kernel is not compared
 * @kernel: the module's, the sum over all mappings
 * @proc: /proc's, likewise
 * @explained: the sum of the differences of single mappings that have a cause;
 *	of either sign, none cancels another
 * @in_flux: of those that kept changing
 * @unexplained: of the others
 */
struct ptu_totals_row {
	bool known;
	uint64_t kernel;
	uint64_t proc;
	uint64_t explained;
	uint64_t in_flux;
	uint64_t unexplained;
};

/* How much of a total a cause accounts for. */
struct ptu_totals_cause {
	uint64_t mappings;
	uint64_t pages;
};

/**
 * struct ptu_totals_diff - an unexplained difference
 * @start: of the mapping
 * @end: its end; with @start 0: all mappings against the whole process
 * @path: its name
 */
struct ptu_totals_diff {
	uint64_t start;
	uint64_t end;
	char path[256];
	const char *name; /* of the total, or the module's key */
	uint64_t kernel;
	uint64_t proc;
};

/**
 * struct ptu_totals_process - one process
 * @tid: the thread that was read; not @pid where the main one has exited
 * @error: why not, unless @status is PTU_STATUS_OK
 * @tries: brackets that it took
 * @mappings: that were compared
 * @kernel: all of the module's totals
 * @whole_checked: the module's totals of the whole process were held against
 *	the sum of those of its mappings
 * @causes: [why][total]
 * @diffs: [nr_diffs] the first ones
 * @unexplained: pages of all totals, and of the whole against the sum
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
 * ptu_totals_why_name() - As JSON has it: "large-folio".
 */
const char *ptu_totals_why_name(enum ptu_totals_why why);

/**
 * ptu_totals_why_sentence() - What it means, for people.
 */
const char *ptu_totals_why_sentence(enum ptu_totals_why why);

#endif
