/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What `ptaudit kpagemap` found out: all that its renderers see. */
#ifndef PTU_KPAGEMAP_REPORT_H
#define PTU_KPAGEMAP_REPORT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "acquire/host.h"
#include "base/err.h"
#include "compare/frames.h"
#include "render/render.h"

/* Frames that are shown of those that are unexplained. */
#define PTU_KPAGEMAP_SAMPLES 16

struct ptu_kpagemap_sample {
	uint64_t pfn;
	struct ptu_frame frame;
	struct ptu_kpagemap_verdict verdict;
};

/**
 * struct ptu_kpagemap_report - the array against kpageflags and kpagecount
 * @names: of the kernel's own bits
 * @nr_flags: frames that kpageflags has; those behind kpagemap's last one were
 *	not compared
 * @samples: [nr_samples] the first unexplained ones
 * @duration_ns: of the whole comparison
 */
struct ptu_kpagemap_report {
	struct ptu_host host;
	char boot_id[64];
	struct ptu_kpagemap_names names;
	struct ptu_kpagemap compared;
	uint64_t nr_flags;
	struct ptu_kpagemap_sample samples[PTU_KPAGEMAP_SAMPLES];
	size_t nr_samples;
	uint64_t duration_ns;
};

/**
 * ptu_render_kpagemap_text() - A table with a row a flag, one with a row a rule
 * for counts, and what they mean.
 *
 * Return: 0; -EINVAL an unknown column; -EIO output failed; -ENOMEM.
 */
ptu_must_check int
ptu_render_kpagemap_text(const struct ptu_kpagemap_report *report,
			 const struct ptu_render_options *options, FILE *out,
			 struct ptu_err *err);

/**
 * ptu_render_kpagemap_check() - Would it take the options?
 */
ptu_must_check int
ptu_render_kpagemap_check(const struct ptu_render_options *options,
			  struct ptu_err *err);

/**
 * ptu_render_kpagemap_columns() - The columns, a line each, for --help.
 */
void ptu_render_kpagemap_columns(FILE *out);

ptu_must_check int
ptu_render_kpagemap_json(const struct ptu_kpagemap_report *report, FILE *out,
			 struct ptu_err *err);

#endif
