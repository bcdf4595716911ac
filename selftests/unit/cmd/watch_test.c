// SPDX-License-Identifier: GPL-2.0-only
/* What `watch` does if its group has no process any more. */
#include "cmd/watch.c"

#include "support/unit.h"

static int group_error;

int ptu_select_group(const struct ptu_options *options, pid_t **pids,
		     size_t *nr_pids, struct ptu_err *err)
{
	return ptu_err_set(err, group_error, "nobody is there");
}

/* The error of the first list, and that of a later one. */
static const struct {
	const char *name;
	int error, later_error;
} cases[] = {
	{ "no such process", -ESRCH, 0 },
	/* its last process has ended, or it was removed */
	{ "empty cgroup", -ENOENT, 0 },
	{ "no memory", -ENOMEM, -ENOMEM },
};

UNIT_CASES(group_may_become_empty_but_not_start_empty, cases, one)
{
	const struct ptu_options options = { .command = PTU_CMD_WATCH };
	struct watching w = { .options = &options };
	struct ptu_err err = { "" };
	size_t nr_pids = 0;
	pid_t *pids = NULL;

	group_error = one->error;
	CHECK_EQ(list(&w, &pids, &nr_pids, &err), one->error);
	CHECK_STR(err.text, "nobody is there");
	ptu_err_clear(&err);
	w.watch.at_ns = 1;
	CHECK_EQ(list(&w, &pids, &nr_pids, &err), one->later_error);
	CHECK_STR(err.text, one->later_error ? "nobody is there" : "");
}

UNIT_MAIN
