/* SPDX-License-Identifier: GPL-2.0-only */
/* Find the mm of a PID and control its lifetime. */
#ifndef PTA_TARGET_H
#define PTA_TARGET_H

#include <linux/mm_types.h>
#include <linux/pid.h>

#include "ptaudit_abi.h"

/**
 * struct pta_target - the process whose tables are walked
 * @pid: held from the request until the next request or the release of the file
 * @mm: held by mmgrab() for one answer: keeps the struct, but not the address
 *	space
 */
struct pta_target {
	struct pid *pid;
	struct mm_struct *mm;
};

int pta_target_find(pid_t nr, struct pid **ret);
int pta_target_grab(struct pta_target *target, struct ptaudit_header *header);
int pta_target_check(const struct pta_target *target);
void pta_target_drop(struct pta_target *target);
int pta_pin(struct mm_struct *mm);
void pta_unpin(struct mm_struct *mm);

#endif
