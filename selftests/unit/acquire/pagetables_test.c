// SPDX-License-Identifier: GPL-2.0-only
/* Cgroups are in the order of a tree: each is followed by those below it. */
#include "acquire/pagetables.c"

#include "support/unit.h"

UNIT_TEST(what_is_below_a_cgroup_comes_before_its_neighbours)
{
	/* '-' is less than '/' */
	static const struct ptu_pagetables_cgroup sorted[] = {
		{ .path = "/a" }, { .path = "/a/z" }, { .path = "/a-b" }
	};

	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 3; k++) {
			const int order = by_path(&sorted[i], &sorted[k]);

			CHECK_EQ((order > 0) - (order < 0), (i > k) - (i < k));
		}
}

UNIT_MAIN
