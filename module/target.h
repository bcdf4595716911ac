/* SPDX-License-Identifier: GPL-2.0-only */
/* From a PID to an mm, with the rules of its lifetime. */
#ifndef PTA_TARGET_H
#define PTA_TARGET_H

#include <linux/mm_types.h>
#include <linux/pid.h>

#include "ptaudit_abi.h"

/**
 * struct pta_target - whose tables are walked
 * @pid: held from the request to the end of the open file
 * @mm: held by mmgrab() for one answer: the struct stays, its address space
 *	may go
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
