/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sum over the processes of a report, each physical table once.  Pure. */
#ifndef PTU_COMPARE_SET_H
#define PTU_COMPARE_SET_H

#include "base/err.h"
#include "report/report.h"

/**
 * ptu_set_add_up() - Add up all processes that were measured.
 * @report: (in, out) of check; sets .set
 *
 * An address space that several processes have is counted once. Two records mean
 * the same table if both mark it as shared and have the same page frame.
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_set_add_up(struct ptu_report *report);

/**
 * ptu_set_is_again() - Does an earlier process have the same mm?
 * @report: (in) a PID can be given twice, and CLONE_VM gives processes one mm
 * @index: of the process
 *
 * Processes that were not measured do not count.
 */
bool ptu_set_is_again(const struct ptu_report *report, size_t index);

#endif
