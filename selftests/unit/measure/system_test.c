// SPDX-License-Identifier: GPL-2.0-only
/* After which measurement `system` ends. */
#include "measure/system.c"

#include "support/unit.h"

#define BUSY (-1) /* PageTables changed during the measurement */

/*
 * The remainders of successive measurements.
 *
 * Return: the number of measurements until the last one, or 0 if none is the last.
 */
static unsigned int last_of(const int *remainders, size_t nr, bool has_kernel)
{
	struct settling settling = { 0 };

	for (size_t i = 0; i < nr; i++) {
		struct ptu_system_report report = { .has_kernel = has_kernel };

		report.held_still = remainders[i] != BUSY;
		report.pagetables_bytes = (uint64_t)remainders[i];
		if (is_settled(&report, &settling))
			return (unsigned int)i + 1;
	}
	return 0;
}

#define LAST_OF(has_kernel, ...)                                    \
	last_of((const int[]){ __VA_ARGS__ },                       \
		sizeof((const int[]){ __VA_ARGS__ }) / sizeof(int), \
		has_kernel)

UNIT_TEST(without_a_remainder_one_measurement_is_enough)
{
	CHECK_EQ(LAST_OF(true, 0, 0), 1);
	CHECK_EQ(LAST_OF(false, 0, 0), 1);
	CHECK_EQ(LAST_OF(true, 8192, 4096, 0, 0), 3);
}

UNIT_TEST(a_remainder_must_repeat)
{
	CHECK_EQ(LAST_OF(true, 8192, 8192, 8192, 8192), 3);
	CHECK_EQ(LAST_OF(false, 8192, 8192, 8192), 2);
	CHECK_EQ(LAST_OF(true, 8192, 8192, 4096, 4096, 4096), 5);
	CHECK_EQ(LAST_OF(false, 12288, 8192, 4096, 4096), 4);
	CHECK_EQ(LAST_OF(true, 8192, 4096, 8192, 4096), 0);
}

UNIT_TEST(a_busy_measurement_has_no_remainder)
{
	CHECK_EQ(LAST_OF(true, BUSY, BUSY, BUSY, BUSY, BUSY), 4);
	CHECK_EQ(LAST_OF(true, BUSY, BUSY, BUSY, 0), 4);
	CHECK_EQ(LAST_OF(true, BUSY, BUSY, BUSY, 8192, BUSY, BUSY), 0);
	CHECK_EQ(LAST_OF(true, 8192, BUSY, 8192, BUSY, 8192), 5);
}

UNIT_MAIN
