/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What `ptaudit flags` found out: all that its renderers see. */
#ifndef PTU_FLAGS_REPORT_H
#define PTU_FLAGS_REPORT_H

#include <stdio.h>

#include "base/err.h"
#include "compare/page_flags.h"
#include "measure/page_walk.h"
#include "render/render.h"

/**
 * struct ptu_flags_report - the flags of what a process maps
 * @ksm_is_anon: KSM stands at every anonymous page and tells nothing (6.12);
 *	the flags are shown as the kernel has them all the same
 */
struct ptu_flags_report {
	struct ptu_mapped_head head;
	struct ptu_pageflags counted;
	bool ksm_is_anon;
};

/**
 * ptu_render_flags_text() - Groups and single flags, or runs.
 *
 * Return: 0; -EINVAL an unknown column; -EIO output failed; -ENOMEM.
 */
ptu_must_check int
ptu_render_flags_text(const struct ptu_flags_report *report,
		      const struct ptu_render_options *options, FILE *out,
		      struct ptu_err *err);

/**
 * ptu_render_flags_check() - Would ptu_render_flags_text() take the options?
 * @with_runs: (in) it is to show runs
 */
ptu_must_check int
ptu_render_flags_check(const struct ptu_render_options *options, bool with_runs,
		       struct ptu_err *err);

/**
 * ptu_render_flags_columns() - The columns, a line each, for --help.
 */
void ptu_render_flags_columns(FILE *out);

ptu_must_check int ptu_render_flags_json(const struct ptu_flags_report *report,
					 FILE *out, struct ptu_err *err);

#endif
