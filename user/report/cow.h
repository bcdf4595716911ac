/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What `ptaudit cow` found out: all that its renderers see. */
#ifndef PTU_COW_REPORT_H
#define PTU_COW_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "compare/cow.h"
#include "measure/page_walk.h"
#include "render/render.h"

/* Pages that are shown of those on which the recipes differ. */
#define PTU_COW_SAMPLES 16

struct ptu_cow_row {
	uint64_t start;
	uint64_t end;
	char perms[5];
	const char *path; /* as the kernel has it; "" where it has none */
	struct ptu_cow_count count;
};

/* A page on which pagemap and kpageflags keep differing. */
struct ptu_cow_sample {
	uint64_t addr;
	enum ptu_cow_kind kind;
	enum ptu_cow_kind by_flags;
	struct ptu_page page;
};

/**
 * struct ptu_cow_report - a process's private mappings
 * @known: what could be told
 * @flags_error: why kpageflags could not be compared: -errno
 * @rows: [nr_rows] ascending
 * @names: what the rows' paths point into
 * @samples: [nr_samples] the first ones
 */
struct ptu_cow_report {
	struct ptu_mapped_head head;
	struct ptu_cow_known known;
	int flags_error;
	struct ptu_cow_row *rows;
	size_t nr_rows;
	char *names;
	struct ptu_cow_count total;
	struct ptu_cow_sample samples[PTU_COW_SAMPLES];
	size_t nr_samples;
};

/**
 * ptu_render_cow_text() - A table with a row a mapping, and what it means.
 *
 * Return: 0; -EINVAL an unknown column; -EIO output failed; -ENOMEM.
 */
ptu_must_check int ptu_render_cow_text(const struct ptu_cow_report *report,
				       const struct ptu_render_options *options,
				       FILE *out, struct ptu_err *err);

/**
 * ptu_render_cow_check() - Would ptu_render_cow_text() take the options?
 */
ptu_must_check int
ptu_render_cow_check(const struct ptu_render_options *options,
		     struct ptu_err *err);

/**
 * ptu_render_cow_columns() - The columns, a line each, for --help.
 */
void ptu_render_cow_columns(FILE *out);

ptu_must_check int ptu_render_cow_json(const struct ptu_cow_report *report,
				       FILE *out, struct ptu_err *err);

#endif
