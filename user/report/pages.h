/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What `ptaudit check --pages` found out: all that its renderers see. */
#ifndef PTU_TOTALS_REPORT_H
#define PTU_TOTALS_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "acquire/host.h"
#include "base/err.h"
#include "compare/page_causes.h"
#include "render/render.h"
#include "report/report.h"

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
 * ptu_render_totals_text() - A table with a row a total, and what it means.
 *
 * Return: 0; -EINVAL an unknown column; -EIO output failed; -ENOMEM.
 */
ptu_must_check int
ptu_render_totals_text(const struct ptu_totals_report *report,
		       const struct ptu_render_options *options, FILE *out,
		       struct ptu_err *err);

/**
 * ptu_render_totals_check() - Would ptu_render_totals_text() take the options?
 */
ptu_must_check int
ptu_render_totals_check(const struct ptu_render_options *options,
			struct ptu_err *err);

/**
 * ptu_render_totals_columns() - The columns, a line each, for --help.
 */
void ptu_render_totals_columns(FILE *out);

ptu_must_check int
ptu_render_totals_json(const struct ptu_totals_report *report, FILE *out,
		       struct ptu_err *err);

#endif
