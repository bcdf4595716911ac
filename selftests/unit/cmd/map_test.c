// SPDX-License-Identifier: GPL-2.0-only
/* `map` without --truth draws the estimate if the kernel's side cannot be read. */
#include "measure/map.h"

#include "cmd/map.c"

#include <stdlib.h>
#include <string.h>

#include "support/unit.h"

static int side_error;
static unsigned int nr_side, nr_estimate;

int ptu_measure_map(const struct ptu_map_ask *ask, struct ptu_map_report *ret,
		    struct ptu_err *err)
{
	if (!ask->side) {
		nr_estimate++;
		*ret = (struct ptu_map_report){ .geo = *ask->geo };
		return 0;
	}
	nr_side++;
	return ptu_err_set(err, side_error, "no walk");
}

int ptu_choose_side(const struct ptu_options *options,
		    const struct ptu_geometry *geo,
		    struct ptu_kernel_side *side,
		    const struct ptu_kernel_side **ret, struct ptu_err *err)
{
	*ret = side;
	return 0;
}

/* Return: the result of map with this --truth. */
static int map(enum ptu_side_choice truth, int error)
{
	static pid_t pid = 1;
	const struct ptu_options options = { .command = PTU_CMD_MAP,
					     .truth = truth,
					     .json = true,
					     .pids = &pid,
					     .nr_pids = 1 };
	FILE *out = fopen("/dev/null", "we");
	struct ptu_err err = { "" };

	side_error = error;
	nr_side = nr_estimate = 0;
	if (!out)
		abort();
	error = ptu_map_command(&options, out, &err);
	fclose(out);
	if (error && strcmp(err.text, "no walk") != 0)
		UNIT_FAIL("the message is %s", err.text);
	return error;
}

UNIT_TEST(estimate_replaces_a_side_that_nobody_asked_for)
{
	CHECK_EQ(map(PTU_SIDE_AUTO, -EAGAIN), 0);
	CHECK_EQ(nr_side, 1);
	CHECK_EQ(nr_estimate, 1);
}

UNIT_TEST(side_that_was_asked_for_is_not_replaced)
{
	CHECK_EQ(map(PTU_SIDE_BPF, -EAGAIN), -EAGAIN);
	CHECK_EQ(nr_estimate, 0);
}

UNIT_TEST(other_errors_are_not_replaced)
{
	CHECK_EQ(map(PTU_SIDE_AUTO, -EACCES), -EACCES);
	CHECK_EQ(nr_estimate, 0);
}

UNIT_MAIN
