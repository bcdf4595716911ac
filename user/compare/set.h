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
 * ptu_set_owners() - Find the first process of each address space.
 * @report: (in) a PID can be given twice, and CLONE_VM gives processes one mm
 *
 * Return: [.nr_processes] index of the first measured process with the same mm; the
 * process's own index if there is none before it.  NULL if out of memory; free() it.
 */
size_t *ptu_set_owners(const struct ptu_report *report);

#endif
