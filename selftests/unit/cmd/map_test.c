// SPDX-License-Identifier: GPL-2.0-only
/*
 * `map` without --truth draws the estimate if the kernel's side cannot be read; with --watch
 * it goes on if one of the readings fails because the process changes.
 */
#include "measure/map.h"

#include "cmd/map.c"

#include <stdlib.h>
#include <string.h>

#include "support/printed.h"
#include "support/unit.h"

static int side_error;
static unsigned int nr_side, nr_estimate;
/* Number of the estimate that fails, and of the one of another process; 0: none. */
static unsigned int failing, reused;

int ptu_measure_map(const struct ptu_map_ask *ask, struct ptu_map_report *ret,
		    struct ptu_err *err)
{
	if (!ask->side) {
		*ret = (struct ptu_map_report){ .geo = *ask->geo };
		ret->process.start_time = ++nr_estimate == reused;
		if (nr_estimate != failing)
			return 0;
		return ptu_err_set(err, side_error, "no walk");
	}
	nr_side++;
	return ptu_err_set(err, side_error, "no walk");
}

int ptu_choose_side(const struct ptu_options *options,
		    const struct ptu_geometry *geo,
		    struct ptu_kernel_side *side,
		    const struct ptu_kernel_side **ret, struct ptu_err *err)
{
	*ret = options->watch ? NULL : side;
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
	struct ptu_err err = { "" };

	side_error = error;
	nr_side = nr_estimate = 0;
	OUTPUT_OF(error = ptu_map_command(&options, out, &err));
	if (error && strcmp(err.text, "no walk") != 0)
		UNIT_FAIL("the message is %s", err.text);
	return error;
}

/* Return: the result of map --watch -c 2, whose @nth reading fails. */
static int watch_failing(unsigned int nth, int error, const char **ret)
{
	static pid_t pid = 1;
	const struct ptu_options options = { .command = PTU_CMD_MAP,
					     .watch = true,
					     .interval_ns = 1,
					     .count = 2,
					     .pids = &pid,
					     .nr_pids = 1 };
	struct ptu_err err = { "" };

	side_error = error;
	failing = nth;
	nr_estimate = 0;
	*ret = OUTPUT_OF(error = ptu_map_command(&options, out, &err));
	failing = 0;
	return error;
}

UNIT_TEST(watch_goes_on_if_the_process_changes_in_one_interval)
{
	const char *text;

	CHECK_EQ(watch_failing(2, -EAGAIN, &text), 0);
	CHECK_EQ(nr_estimate, 3);
	CHECK(strstr(text, "---\n\nno walk\n\n---\n"));
	CHECK_EQ(watch_failing(2, -EIO, &text), -EIO);
	CHECK_EQ(nr_estimate, 2);
	/* it has ended */
	CHECK_EQ(watch_failing(2, -ESRCH, &text), 0);
	CHECK_EQ(nr_estimate, 2);
	/* another process got its PID */
	reused = 2;
	CHECK_EQ(watch_failing(0, 0, &text), 0);
	CHECK_EQ(nr_estimate, 2);
	reused = 0;
	/* there is no picture yet to compare with */
	CHECK_EQ(watch_failing(1, -EAGAIN, &text), -EAGAIN);
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

UNIT_TEST(sides_with_pages_of_different_sizes_are_not_compared)
{
	struct ptu_geometry a, b;

	CHECK_EQ(ptu_geometry_init(4096, "aarch64", "va48", &a, NULL), 0);
	CHECK_EQ(ptu_geometry_init(16384, "aarch64", "va48", &b, NULL), 0);
	/* both have four levels */
	CHECK(!memcmp(a.unfolded, b.unfolded, sizeof(a.unfolded)));
	CHECK_EQ(ptu_diff_same_shape(&a, &a, NULL), 0);
	CHECK_EQ(ptu_diff_same_shape(&a, &b, NULL), -EINVAL);
}

UNIT_MAIN
