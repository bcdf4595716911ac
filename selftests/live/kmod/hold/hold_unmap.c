// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stops munmap() when its mappings are gone and their tables still exist, for tests of
 * code that counts these tables.  Never load this outside of a VM.
 *
 * Parameters: "unmap_held": the process whose munmap() is held; 0: none, and a held one
 * continues.  "unmaps_held": the number of held calls.
 *
 * It uses an MMU notifier: unmap_vmas() calls it before it frees anything, after mmap_lock
 * was downgraded from writing to reading.  Source: mm/mmap.c, do_mas_align_munmap() (6.1);
 * mm/vma.c, vms_complete_munmap_vmas() (6.12, 7.2).
 */
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sched/mm.h>
#include <linux/wait.h>

#include "hold.h"

#define HOLD_SECONDS 600

static int unmap_held;
static atomic_t nr_held = ATOMIC_INIT(0);
static struct mm_struct *held_mm;
static DECLARE_WAIT_QUEUE_HEAD(changed);

static int before_unmap(struct mmu_notifier *notifier,
			const struct mmu_notifier_range *range)
{
	if (range->event != MMU_NOTIFY_UNMAP ||
	    !mmu_notifier_range_blockable(range) || !READ_ONCE(unmap_held))
		return 0;
	atomic_inc(&nr_held);
	wait_event_killable_timeout(changed, !READ_ONCE(unmap_held),
				    HOLD_SECONDS * HZ);
	atomic_dec(&nr_held);
	return 0;
}

static const struct mmu_notifier_ops unmap_ops = {
	.invalidate_range_start = before_unmap,
};

static struct mmu_notifier notifier = { .ops = &unmap_ops };

static void give_back(void)
{
	WRITE_ONCE(unmap_held, 0);
	wake_up_all(&changed);
	if (!held_mm)
		return;
	mmu_notifier_unregister(&notifier, held_mm);
	mmdrop(held_mm);
	held_mm = NULL;
}

/* Called one at a time, under the lock of the module's parameters. */
static int set_held(const char *text, const struct kernel_param *kp)
{
	struct mm_struct *mm;
	int nr, err = kstrtoint(text, 0, &nr);

	if (err)
		return err;
	give_back();
	if (!nr)
		return 0;
	mm = hold_find_mm(nr);
	if (!mm)
		return -ESRCH;
	err = mmu_notifier_register(&notifier, mm);
	if (!err) {
		mmgrab(mm);
		held_mm = mm;
		WRITE_ONCE(unmap_held, nr);
	}
	mmput(mm);
	return err;
}

static const struct kernel_param_ops held_ops = {
	.set = set_held,
	.get = param_get_int,
};
module_param_cb(unmap_held, &held_ops, &unmap_held, 0600);
MODULE_PARM_DESC(unmap_held, "process whose munmap() is held; 0 releases it");

static int get_nr(char *buffer, const struct kernel_param *kp)
{
	return sprintf(buffer, "%d\n", atomic_read(&nr_held));
}

static const struct kernel_param_ops nr_ops = { .get = get_nr };
module_param_cb(unmaps_held, &nr_ops, NULL, 0400);
MODULE_PARM_DESC(unmaps_held, "number of munmap() calls that are held");
