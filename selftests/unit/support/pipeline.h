/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Leads from two answers of the module and an estimator's claims to the verdict, as
 * ptu_measure_check() does, but without a measurement.
 */
#ifndef PIPELINE_H
#define PIPELINE_H

#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "compare/table_causes.h"
#include "compare/table_diff.h"
#include "compare/table_rows.h"
#include "report/report.h"

struct pipeline {
	struct ptu_snapshot before;
	struct ptu_snapshot after;
	struct ptu_diffs diffs;
	struct ptu_process process;
	struct ptu_err err;
};

/* Compare and explain, for tests of single differences. */
static inline void pipeline_explain(struct pipeline *p, const struct build *b,
				    const struct build *a,
				    const struct ptu_tables *claims,
				    unsigned int blind)
{
	const struct ptu_proof proof = { .geo = &a->geo,
					 .before = &p->before,
					 .after = &p->after,
					 .vmas = &a->vmas,
					 .blind = blind };

	memset(p, 0, sizeof(*p));
	p->before = build_snapshot(b);
	p->after = build_snapshot(a);
	if (ptu_compare(&p->before, &p->after, claims, &a->geo, 0, UINT64_MAX,
			&p->diffs, &p->err))
		abort();
	ptu_explain(&p->diffs, &proof);
}

static inline void pipeline_tally(struct pipeline *p,
				  const struct ptu_geometry *geo,
				  uint64_t vmpte_bytes)
{
	p->process.pid = 4242;
	ptu_tally_vmpte(&p->before, &p->after, vmpte_bytes, geo, &p->process);
	if (ptu_tally_check(&p->diffs, &p->after, geo, &p->process))
		abort();
}

/* The exit status of `check` for this process alone. */
static inline int pipeline_status(struct pipeline *p)
{
	const struct ptu_report report = { .is_check = true,
					   .processes = &p->process,
					   .nr_processes = 1 };

	return ptu_report_status(&report);
}

static inline void pipeline_deinit(struct pipeline *p)
{
	ptu_snapshot_deinit(&p->before);
	ptu_snapshot_deinit(&p->after);
	ptu_diffs_deinit(&p->diffs);
	free(p->process.causes);
	free(p->process.unexplained);
	free(p->process.shared);
	memset(p, 0, sizeof(*p));
}

#endif
