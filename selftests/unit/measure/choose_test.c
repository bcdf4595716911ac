// SPDX-License-Identifier: GPL-2.0-only
/* The default estimator, by what PAGEMAP_SCAN shows on a kernel that the test defines. */
#include "measure/choose.h"

#include <errno.h>

#include "acquire/scan.h"
#include "support/unit.h"

static int has_scan;
static struct ptu_scan_caps caps;

int ptu_scan_calibrate(struct ptu_scan_caps *ret, struct ptu_err *err)
{
	*ret = caps;
	return has_scan < 0 ? ptu_err_set(err, has_scan, "no caps") : has_scan;
}

static const struct {
	const char *name;
	int has_scan;
	bool empty_is_seen, hole_is_silent;
	const struct ptu_estimator *best; /* NULL: an error */
} kernels[] = {
	{ "all is shown", 1, true, true, &ptu_estimator_written },
	{ "holes look empty", 1, true, false, &ptu_estimator_scan },
	{ "no empty tables", 1, false, true, &ptu_estimator_scan },
	{ "no PAGEMAP_SCAN", 0, false, false, &ptu_estimator_pagemap },
	{ "no pagemap", -ENOENT, false, false, &ptu_estimator_pagemap },
	{ "call filtered", -EPERM, false, false, &ptu_estimator_pagemap },
	{ "no memory", -ENOMEM, true, true, NULL },
};

UNIT_CASES(default_estimator_uses_what_the_kernel_shows, kernels, one)
{
	const struct ptu_estimator *best = NULL;
	struct ptu_err err = { "" };

	has_scan = one->has_scan;
	caps.empty_is_seen = one->empty_is_seen;
	caps.hole_is_silent = one->hole_is_silent;
	CHECK_EQ(ptu_best_estimator(&best, &err), one->best ? 0 : has_scan);
	CHECK(best == one->best);
	CHECK_STR(err.text, one->best ? "" : "no caps");
}

UNIT_MAIN
