/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Read the map counts of the pages of a set again. */
#ifndef PTU_MEASURE_FOOTPRINT_RECOUNT_H
#define PTU_MEASURE_FOOTPRINT_RECOUNT_H

#include "base/err.h"
#include "compare/footprint.h"

/**
 * ptu_footprint_recount_all() - Read map counts again after all processes were read.
 *
 * Processes that were read early may have mapped further pages since.  Only frames of
 * ptu_footprint_may_have_grown() matter.
 *
 * Return: 0; -errno.
 */
ptu_must_check int ptu_footprint_recount_all(struct ptu_footprint *footprint,
					     struct ptu_err *err);

#endif
