// SPDX-License-Identifier: GPL-2.0-only
/* Units of systemd, from the lines of /proc/PID/cgroup. */
#include "acquire/unit.h"

#include <errno.h>
#include <string.h>

#include "support/unit.h"

UNIT_TEST(a_name_without_a_kind_is_a_service)
{
	char name[NAME_MAX + 1];

	CHECK_EQ(ptu_unit_name("redis", name, NULL), 0);
	CHECK_STR(name, "redis.service");
	CHECK_EQ(ptu_unit_name("postgresql@15-main", name, NULL), 0);
	CHECK_STR(name, "postgresql@15-main.service");
	CHECK_EQ(ptu_unit_name("user.slice", name, NULL), 0);
	CHECK_STR(name, "user.slice");
	/* a dot alone does not make a unit type */
	CHECK_EQ(ptu_unit_name("dbus-org.freedesktop", name, NULL), 0);
	CHECK_STR(name, "dbus-org.freedesktop.service");
}

UNIT_TEST(invalid_unit_name_is_refused)
{
	char name[NAME_MAX + 1], longest[NAME_MAX + 2];

	memset(longest, 'a', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	CHECK_EQ(ptu_unit_name("", name, NULL), -EINVAL);
	CHECK_EQ(ptu_unit_name("a/b", name, NULL), -EINVAL);
	CHECK_EQ(ptu_unit_name(longest, name, NULL), -EINVAL);
	/* with .service it has NAME_MAX bytes, or one more */
	longest[NAME_MAX - strlen(".service") + 1] = '\0';
	CHECK_EQ(ptu_unit_name(longest, name, NULL), -EINVAL);
	longest[NAME_MAX - strlen(".service")] = '\0';
	CHECK_EQ(ptu_unit_name(longest, name, NULL), 0);
	CHECK_EQ(strlen(name), NAME_MAX);
}

UNIT_TEST(a_process_is_in_each_unit_of_its_path)
{
	const char *text = "0::/system.slice/redis.service/workers\n";

	CHECK(ptu_unit_owns(text, "redis.service"));
	CHECK(ptu_unit_owns(text, "system.slice"));
	CHECK(!ptu_unit_owns(text, "edis.service"));
	CHECK(!ptu_unit_owns(text, "redis.service2"));
	CHECK(!ptu_unit_owns(text, "redis.servic"));
	CHECK(!ptu_unit_owns("0::/\n", "redis.service"));
	CHECK(!ptu_unit_owns("", "redis.service"));
}

UNIT_TEST(the_hierarchy_of_systemd_counts_and_no_other)
{
	const char *hybrid =
		"9:memory:/x.service\n1:name=systemd:/system.slice/a.service\n0::/b.service";

	CHECK(ptu_unit_owns(hybrid, "a.service"));
	CHECK(ptu_unit_owns(hybrid, "b.service"));
	CHECK(!ptu_unit_owns(hybrid, "x.service"));
	CHECK(!ptu_unit_owns("1:name=other:/a.service\n", "a.service"));
	CHECK(!ptu_unit_owns("nonsense\n3\n4:\n", "nonsense"));
}

/* cpu.service would look like a file of the cpu controller. */
UNIT_TEST(a_name_that_systemd_escapes_is_found)
{
	CHECK(ptu_unit_owns("0::/system.slice/_cpu.service\n", "cpu.service"));
	CHECK(ptu_unit_owns("0::/_cpu.service\n", "_cpu.service"));
	CHECK(!ptu_unit_owns("0::/__cpu.service\n", "cpu.service"));
}

UNIT_MAIN
