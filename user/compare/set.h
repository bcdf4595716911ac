/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The processes of a report as one: each physical table once.  Pure. */
#ifndef PTU_COMPARE_SET_H
#define PTU_COMPARE_SET_H

#include "base/err.h"
#include "report/report.h"

/**
 * ptu_set_add_up() - Add up all processes that were measured.
 * @report: (in, out) of check; .set is filled in
 *
 * If several processes share an address space, it is counted once.
 * Two records are one table where both say that it is shared and name the same
 * page frame.
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_set_add_up(struct ptu_report *report);

#endif
