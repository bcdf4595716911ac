// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stops migrations half way, for tests of migration entries, which otherwise exist for
 * microseconds.  Never load this outside of a VM.
 *
 * Parameters: "tgid": the process whose migrations are held, if its own threads do them;
 * 0: none, and held ones continue.  "held": the number of held migrations.
 *
 * A kprobe handler must not sleep.  This one redirects the task to hold() instead of the
 * probed function (Documentation/trace/kprobes.rst, "Changing Execution Path").  hold()
 * sleeps in the task's context and then calls the probed function.  The module cannot be
 * unloaded: a task may be in hold() at any time.
 */
#include <linux/kprobes.h>
#include <linux/migrate.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/wait.h>

#include "hold.h"

/*
 * The probed function runs after the entries were replaced by migration entries and before
 * they are restored, with no lock held except the page lock.  Source: mm/migrate.c,
 * migrate_page() (5.10), __migrate_folio() (6.1, 6.12, 7.2), also for hugetlb pages.
 */
#ifdef HOLD_FOLIOS
#define HOLD_NAME "folio_migrate_flags"
#define hold_next folio_migrate_flags
typedef struct folio hold_page;
#else
#define HOLD_NAME "migrate_page_states"
#define hold_next migrate_page_states
typedef struct page hold_page;
#endif

#define HOLD_SECONDS 600

static int hold_tgid;
static struct task_struct *held[16];
static DECLARE_WAIT_QUEUE_HEAD(changed);

static int set_tgid(const char *text, const struct kernel_param *kp)
{
	int err = param_set_int(text, kp);

	wake_up_all(&changed);
	return err;
}

static const struct kernel_param_ops tgid_ops = {
	.set = set_tgid,
	.get = param_get_int,
};
module_param_cb(tgid, &tgid_ops, &hold_tgid, 0600);
MODULE_PARM_DESC(tgid, "process whose migrations are held; 0 releases them");

static int get_held(char *buffer, const struct kernel_param *kp)
{
	unsigned int i, nr = 0;

	for (i = 0; i < ARRAY_SIZE(held); i++)
		nr += !!READ_ONCE(held[i]);
	return sprintf(buffer, "%u\n", nr);
}

static const struct kernel_param_ops held_ops = { .get = get_held };
module_param_cb(held, &held_ops, NULL, 0400);
MODULE_PARM_DESC(held, "number of migrations that are held");

/* The slot of a task, or a free slot if @task is NULL.  Return: -1 if there is none. */
static int place_of(const struct task_struct *task)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(held); i++)
		if (READ_ONCE(held[i]) == task)
			return i;
	return -1;
}

static bool is_to_be_held(void)
{
	return READ_ONCE(hold_tgid) == task_tgid_nr(current);
}

/* Runs instead of the probed function, with its arguments. */
static noinline void hold(hold_page *to, hold_page *from)
{
	int place;

	do
		place = place_of(NULL);
	while (place >= 0 && cmpxchg(&held[place], NULL, current));
	if (place >= 0)
		wait_event_killable_timeout(changed, !is_to_be_held(),
					    HOLD_SECONDS * HZ);
	/* This call hits the probe again, which lets a task that has a slot pass. */
	hold_next(to, from);
	if (place >= 0)
		WRITE_ONCE(held[place], NULL);
}

static int divert(struct kprobe *probe, struct pt_regs *regs)
{
	if (!is_to_be_held() || place_of(current) >= 0 || place_of(NULL) < 0)
		return 0;
	instruction_pointer_set(regs, (unsigned long)hold);
	return 1;
}

/*
 * A post handler keeps the probe from being optimized.  An optimized probe could not
 * redirect execution.
 */
void hold_unused(struct kprobe *probe, struct pt_regs *regs,
		 unsigned long flags)
{
}

static struct kprobe probe = {
	.symbol_name = HOLD_NAME,
	.pre_handler = divert,
	.post_handler = hold_unused,
};

static int __init hold_init(void)
{
	int err = register_kprobe(&probe);

	if (err)
		return err;
	err = hold_alloc_init();
	if (err)
		goto without_alloc;
	err = hold_leaves_init();
	if (!err)
		return 0;
	hold_alloc_exit();
without_alloc:
	unregister_kprobe(&probe);
	return err;
}

module_init(hold_init);
MODULE_DESCRIPTION(
	"Holds up kernel operations, and maps memory, for the tests of ptaudit");
MODULE_LICENSE("GPL");
