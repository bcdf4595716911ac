// SPDX-License-Identifier: GPL-2.0-only
/* Select processes by user or unit, if a thread ends while it is read. */
#include "cmd/select.h"

#include <errno.h>
#include <stdlib.h>

#include "acquire/procfs.h"
#include "acquire/unit.h"
#include "support/unit.h"

/* Process 7 belongs to user 5 and to a.service; so does process 9. */
static struct {
	unsigned int nr_ended; /* threads of process 7 that end when read */
	bool has_ended;	       /* no thread is left */
	int nr_open;
} machine;

int ptu_proc_list(pid_t **ret, size_t *nr_ret, struct ptu_err *err)
{
	*ret = calloc(2, sizeof(**ret));
	if (!*ret)
		abort();
	(*ret)[0] = 7;
	(*ret)[1] = 9;
	*nr_ret = 2;
	return 0;
}

int ptu_proc_open(pid_t pid, struct ptu_proc *ret, struct ptu_err *err)
{
	*ret = (struct ptu_proc){ .pid = pid };
	machine.nr_open++;
	return 0;
}

void ptu_proc_close(struct ptu_proc *proc)
{
	machine.nr_open--;
}

int ptu_proc_reopen(struct ptu_proc *proc)
{
	proc->reopened++;
	return 0;
}

int ptu_proc_gone(const struct ptu_proc *proc, struct ptu_err *err)
{
	return ptu_err_set(err, machine.has_ended ? -ESRCH : -ESTALE, "gone");
}

static bool ends(const struct ptu_proc *proc)
{
	return proc->pid == 7 &&
	       (machine.has_ended || proc->reopened < machine.nr_ended);
}

int ptu_proc_status(const struct ptu_proc *proc, struct ptu_proc_status *ret,
		    struct ptu_err *err)
{
	*ret = (struct ptu_proc_status){ .uid = 5 };
	return ends(proc) ? ptu_proc_gone(proc, err) : 0;
}

int ptu_unit_has(const char *unit, const struct ptu_proc *proc)
{
	return ends(proc) ? -ESRCH : 1;
}

/* Return the sum of the selected PIDs; -errno. */
static int selected(const struct ptu_options *options)
{
	struct ptu_err err = { "" };
	pid_t *pids;
	size_t nr;
	int sum = ptu_select_group(options, &pids, &nr, &err);

	if (sum)
		return sum;
	while (nr)
		sum += pids[--nr];
	free(pids);
	return sum;
}

UNIT_TEST(another_thread_is_read_if_one_ends)
{
	static const struct ptu_options by[] = {
		{ .user = "5" },
		{ .unit = "a.service" },
	};

	for (unsigned int i = 0; i < 2; i++) {
		for (machine.nr_ended = 0; machine.nr_ended < 3;
		     machine.nr_ended++)
			CHECK_EQ(selected(&by[i]), 7 + 9);
		machine.has_ended = true;
		CHECK_EQ(selected(&by[i]), 9);
		machine.has_ended = false;
	}
	CHECK_EQ(machine.nr_open, 0);
}

UNIT_MAIN
