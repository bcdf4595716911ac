// SPDX-License-Identifier: GPL-2.0-only
/* Finds the mount point of cgroup2 in mountinfo. */
#define _GNU_SOURCE
#include "acquire/cgroup.c"

#include <string.h>

#include "support/unit.h"

static bool mounted_at(const char *line, const char *expected)
{
	char got[64] = "";

	return ptu_cgroup_mount(line, got, sizeof(got)) &&
	       !strcmp(got, expected);
}

UNIT_TEST(mount_point_of_cgroup2_is_found)
{
	CHECK(mounted_at("35 24 0:31 / /sys/fs/cgroup/unified rw,nosuid shared:9 - cgroup2 cgroup2 rw\n",
			 "/sys/fs/cgroup/unified"));
	CHECK(mounted_at("35 24 0:31 / /sys/fs/cgroup rw - cgroup2 none rw\n",
			 "/sys/fs/cgroup"));
	CHECK(mounted_at("1 2 0:3 / /a\\040b\\134c rw - cgroup2 none rw\n",
			 "/a b\\c"));
}

UNIT_TEST(other_file_systems_are_no_cgroup2)
{
	char got[64] = "kept";

	CHECK(!ptu_cgroup_mount("36 24 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n",
				got, sizeof(got)));
	CHECK(!ptu_cgroup_mount("1 2 0:3 / /cgroup2 rw - ext4 cgroup2 rw\n",
				got, sizeof(got)));
	CHECK(!ptu_cgroup_mount(" - cgroup2 ", got, sizeof(got)));
	CHECK(!ptu_cgroup_mount("1 2 0:3 - cgroup2 none rw\n", got,
				sizeof(got)));
	CHECK(!ptu_cgroup_mount("", got, sizeof(got)));
	CHECK(!strcmp(got, "kept"));
}

UNIT_TEST(mount_point_that_does_not_fit_is_refused)
{
	char got[4] = "abc";

	CHECK(!ptu_cgroup_mount("1 2 0:3 / /abc rw - cgroup2 none rw\n", got,
				sizeof(got)));
	CHECK(!strcmp(got, "abc"));
}

UNIT_MAIN
