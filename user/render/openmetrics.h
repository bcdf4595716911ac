/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The text format of exported metrics. */
#ifndef PTU_RENDER_OPENMETRICS_H
#define PTU_RENDER_OPENMETRICS_H

#include <stdio.h>

#include "base/err.h"
#include "report/export.h"

/**
 * ptu_render_openmetrics() - Print metrics in the text format of OpenMetrics 1.0.
 *
 * Return: 0; as ptu_written().
 */
ptu_must_check int
ptu_render_openmetrics(const struct ptu_export_report *report, FILE *out,
		       struct ptu_err *err);

#endif
