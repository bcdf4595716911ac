// SPDX-License-Identifier: GPL-2.0-only
/* The groups of --by, from a file `cgroup` of the test and from user IDs. */
#include "cmd/group.h"

#include "support/tree.h"
#include "support/unit.h"

static char group[256];

/* The group of a process whose file `cgroup` has this text. */
static const char *group_of(const char *by, const char *text, uid_t uid)
{
	const struct ptu_top_row row = { .uid = uid, .comm = "a b" };
	struct ptu_proc proc = { .pid = 1 };
	ptu_group_of function;

	if (ptu_group_choose(by, &function, NULL))
		abort();
	tree_make();
	tree_write("cgroup", text);
	proc.dirfd = tree_fd;
	function(&proc, &row, group);
	tree_remove();
	return group;
}

UNIT_TEST(unit_is_the_last_service_or_scope_or_else_the_last_slice)
{
	static const struct {
		const char *text, *cgroup, *unit;
	} cases[] = {
		{ "0::/\n", "/", "-" },
		{ "0::/system.slice/ssh.service\n", "/system.slice/ssh.service",
		  "ssh.service" },
		{ "0::/a.slice/b.slice\n", "/a.slice/b.slice", "b.slice" },
		{ "0::/a.slice/b.slice/c\n", "/a.slice/b.slice/c", "b.slice" },
		{ "0::/u@1.service/app.slice/x.scope\n",
		  "/u@1.service/app.slice/x.scope", "x.scope" },
		{ "0::/x.scope/y.scope\n", "/x.scope/y.scope", "y.scope" },
		{ "0::/x.scope/y.service\n", "/x.scope/y.service",
		  "y.service" },
		{ "0::/y.service/z.slice\n", "/y.service/z.slice",
		  "y.service" },
		{ "0::/x.services\n", "/x.services", "-" },
		{ "4:cpu:/v.service\n0::/w.service\n", "/w.service",
		  "w.service" },
		{ "4:cpu:/v.service\n", "-", "-" },
		{ "10::/v.service\n", "-", "-" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CHECK_STR(group_of("cgroup", cases[i].text, 0),
			  cases[i].cgroup);
		CHECK_STR(group_of("unit", cases[i].text, 0), cases[i].unit);
	}
}

/* Containers in containers have such paths. */
UNIT_TEST(unit_behind_a_long_path_is_found)
{
	char text[1024] = "0::";

	for (size_t i = 0; i < 30; i++)
		strcat(text, "/12345.slice");
	strcat(text, "/x.scope\n");
	CHECK_STR(group_of("unit", text, 0), "x.scope");
}

/* A name has 255 characters at most. Cgroups in a deep one have the same start. */
UNIT_TEST(of_a_long_path_the_end_is_the_group)
{
	char text[300], expected[256];

	snprintf(text, sizeof(text), "0::/%0254d", 7);
	CHECK_STR(group_of("cgroup", text, 0), text + 3);
	snprintf(text, sizeof(text), "0::/%0255d\n", 7);
	snprintf(expected, sizeof(expected), "...%0252d", 7);
	CHECK_STR(group_of("cgroup", text, 0), expected);
}

UNIT_TEST(a_user_without_a_name_is_its_number)
{
	CHECK_STR(group_of("user", "", 0), "root");
	CHECK_STR(group_of("user", "", 4294967293u), "4294967293");
	CHECK_STR(group_of("comm", "", 0), "a b");
}

UNIT_MAIN
