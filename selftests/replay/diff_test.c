// SPDX-License-Identifier: GPL-2.0-only
/* `ptaudit diff` of a process before and after a change that is known by arithmetic. */
#define _GNU_SOURCE
#include "altered.h"
#include "grower.h"

#define TABLES 25

static char text[1 << 16];

static int run(const char *command)
{
	FILE *pipe = popen(command, "re");
	size_t nr = pipe ? fread(text, 1, sizeof(text) - 1, pipe) : 0;

	text[nr] = '\0';
	return pipe ? WEXITSTATUS(pclose(pipe)) : -1;
}

/* Check the figures of the mapping and the level that changed. */
static void changed(long came, long went)
{
	const char *mapping = strstr(text, "\"mappings\": [");
	const char *start = strstr(text, "\"start\": \"");

	CHECK(mapping && start);
	CHECK(!strncmp(start, "\"start\": \"" START "\"", 25));
	CHECK(!strstr(start + 1, "\"start\": \""));
	CHECK_EQ(number_after(start, "\"growth_bytes\": "),
		 (came - went) * TABLE);
	CHECK(strstr(start, "\"level\": \"pte\"") != NULL);
	CHECK(!strstr(start, "\"level\": \"pmd\""));
	CHECK_EQ(number_after(start, "\"came\": "), came);
	CHECK_EQ(number_after(start, "\"went\": "), went);
	CHECK_EQ(number_after(text, "\"vmpte_after_bytes\": ") -
			 number_after(text, "\"vmpte_before_bytes\": "),
		 (came - went) * TABLE);
	CHECK(strstr(text, "\"differs\": true") != NULL);
}

UNIT_TEST(diff_shows_tables_since_a_recording)
{
	char dir[] = "/tmp/ptaudit-diff.XXXXXX", command[512];
	struct grower g = begin("changing");

	CHECK(g.pid > 0 && mkdtemp(dir));
	snprintf(command, sizeof(command), TOOL " record --to %s/a %d 2>&1",
		 dir, (int)g.pid);
	CHECK_EQ(run(command), 0);
	snprintf(command, sizeof(command), TOOL " diff %s/a %d", dir,
		 (int)g.pid);
	CHECK_EQ(run(command), 0);
	CHECK(tell(&g, TABLES));
	snprintf(command, sizeof(command), TOOL " diff -J %s/a %d", dir,
		 (int)g.pid);
	CHECK_EQ(run(command), 1);
	changed(TABLES, 0);
	snprintf(command, sizeof(command), TOOL " diff -J %d %s/a", (int)g.pid,
		 dir);
	CHECK_EQ(run(command), 1);
	changed(0, TABLES);
	snprintf(command, sizeof(command), TOOL " record --to %s/b %d 2>&1",
		 dir, (int)g.pid);
	CHECK_EQ(run(command), 0);
	end(&g);
	snprintf(command, sizeof(command), TOOL " diff -J %s/a %s/b", dir, dir);
	CHECK_EQ(run(command), 1);
	changed(TABLES, 0);
	snprintf(command, sizeof(command), TOOL " diff %s/b %s/b", dir, dir);
	CHECK_EQ(run(command), 0);
	/* the process has ended */
	snprintf(command, sizeof(command), TOOL " diff %s/a %d 2>&1", dir,
		 (int)g.pid);
	CHECK_EQ(run(command), 2);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	CHECK_EQ(run(command), 0);
}

/* Two copies of a recording with the same PID; one copy is altered. */
UNIT_TEST(another_boot_or_another_start_is_another_process)
{
	static const struct {
		const char *file, *edit;
		int status;
	} alterations[] = {
		{ "*/stat", "s/^/&/", 0 },
		{ "sys/kernel/random/boot_id", "s/^./g/", 2 },
		/* field 22; the process name is a single word */
		{ "*/stat", "s/[^ ]*/1/22", 2 },
	};
	char dir[] = "/tmp/ptaudit-diff.XXXXXX", command[1024];
	size_t i;

	CHECK(mkdtemp(dir));
	for (i = 0; i < sizeof(alterations) / sizeof(*alterations); i++) {
		snprintf(command, sizeof(command),
			 "cd %s && rm -rf a b && cp -r " DATA "/7.2/guard"
			 " a && cp -r a b && sed -i '%s' b/%s && " MANIFEST
			 " b 2>&1",
			 dir, alterations[i].edit, alterations[i].file);
		CHECK_EQ(run(command), 0);
		for (const char *const *how =
			     (const char *const[]){ "diff", "map --diff",
						    NULL };
		     *how; how++) {
			snprintf(command, sizeof(command),
				 TOOL " %s %s/a %s/b 2>&1", *how, dir, dir);
			CHECK_EQ(run(command), alterations[i].status);
			CHECK_EQ(strstr(text,
					"is not the same process on both sides") !=
					 NULL,
				 alterations[i].status == 2);
		}
	}
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	CHECK_EQ(run(command), 0);
}

/*
 * Recording b is older than a, from a kernel without PAGEMAP_SCAN.  Recording c is from a
 * kernel whose PAGEMAP_SCAN does not show empty tables.
 */
UNIT_TEST(sides_of_two_kernels_are_compared_by_the_estimator_of_both)
{
	static const struct {
		const char *sides, *estimator, *kernel, *before, *after;
	} cases[] = {
		{ "b a", "pagemap", "7.2.13+deb14-amd64",
		  "2026-01-02T03:04:05Z", "2026-11-21T06:31:23Z" },
		{ "a b", "pagemap", "6.1.0", "2026-11-21T06:31:23Z",
		  "2026-01-02T03:04:05Z" },
		{ "a a", "written", "7.2.13+deb14-amd64",
		  "2026-11-21T06:31:23Z", "2026-11-21T06:31:23Z" },
		{ "a c", "scan", "7.3.0", "2026-11-21T06:31:23Z",
		  "2026-11-21T06:31:23Z" },
		{ "c a", "scan", "7.2.13+deb14-amd64", "2026-11-21T06:31:23Z",
		  "2026-11-21T06:31:23Z" },
		{ "b c", "pagemap", "7.3.0", "2026-01-02T03:04:05Z",
		  "2026-11-21T06:31:23Z" },
	};
	char dir[] = "/tmp/ptaudit-diff.XXXXXX", command[1024];
	size_t i;

	CHECK_EQ(altered(dir, "7.2/guard",
			 "rm scan-caps */scan && sed -i"
			 " 's/^release .*/release 6.1.0/;"
			 " s/^time .*/time 2026-01-02T03:04:05Z/' about &&"
			 " cp -r ../a ../c && sed -i 's/empty_is_seen 1/empty_is_seen 0/;"
			 " s/^release .*/release 7.3.0/' ../c/scan-caps ../c/about &&"
			 " " MANIFEST " ../c"),
		 0);
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char head[256];

		snprintf(command, sizeof(command),
			 "cd %s && " TOOL
			 " diff -J %s | jq -r '.ptaudit.estimator,"
			 " .ptaudit.kernel, .before, .after'",
			 dir, cases[i].sides);
		snprintf(head, sizeof(head), "%s\n%s\n%s\n%s\n",
			 cases[i].estimator, cases[i].kernel, cases[i].before,
			 cases[i].after);
		CHECK_EQ(run(command), 0);
		CHECK_STR(text, head);
	}
	CHECK_EQ(altered_end(dir), 0);
}

/* A CPU with this flag has page tables of five levels. */
UNIT_TEST(sides_with_different_levels_are_status_2)
{
	char dir[] = "/tmp/ptaudit-diff.XXXXXX", command[1024];

	CHECK_EQ(altered(dir, "7.2/guard",
			 "sed -i 's/^flags.*/& la57/' cpuinfo"),
		 0);
	for (const char *const *how =
		     (const char *const[]){ "diff", "map --diff", NULL };
	     *how; how++) {
		snprintf(command, sizeof(command), TOOL " %s %s/a %s/b 2>&1",
			 *how, dir, dir);
		CHECK_EQ(run(command), 2);
		CHECK(strstr(text, "machines with different page tables") !=
		      NULL);
	}
	CHECK_EQ(altered_end(dir), 0);
}

/* VmPTE of the recording is 44 kB, which its tables add up to. */
UNIT_TEST(rest_of_vmpte_may_have_changed_while_it_was_read)
{
	char dir[] = "/tmp/ptaudit-diff.XXXXXX", command[1024];

	CHECK_EQ(altered(dir, "7.2/guard",
			 "sed -i 's/^\\(VmPTE:[^0-9]*\\)44/\\152/' */status"),
		 0);
	snprintf(command, sizeof(command), TOOL " diff %s/a %s/b", dir, dir);
	CHECK_EQ(run(command), 1);
	CHECK(strstr(text,
		     "\nVmPTE without these tables: 0 KiB, then 8 KiB: ") !=
	      NULL);
	CHECK(strstr(text, ", and changes while it was read\n") != NULL);
	CHECK_EQ(altered_end(dir), 0);
}

/* VmPTE was read while there were two tables fewer. */
UNIT_TEST(rest_of_vmpte_is_not_below_zero)
{
	char dir[] = "/tmp/ptaudit-diff.XXXXXX", command[1024];

	CHECK_EQ(altered(dir, "7.2/guard",
			 "sed -i 's/^\\(VmPTE:[^0-9]*\\)44/\\136/' */status"),
		 0);
	snprintf(command, sizeof(command), TOOL " diff %s/a %s/b", dir, dir);
	CHECK_EQ(run(command), 1);
	CHECK(strstr(text, "VmPTE 44 KiB, then 36 KiB") != NULL);
	CHECK(strstr(text, "VmPTE without") == NULL);
	CHECK_EQ(altered_end(dir), 0);
}

UNIT_TEST(diff_of_different_processes_is_status_2)
{
	CHECK_EQ(run(TOOL " diff 1 self 2>&1"), 2);
	CHECK(strstr(text, "two PIDs show the same moment") != NULL);
	CHECK_EQ(run(TOOL " diff /nonexistent self 2>&1"), 2);
	CHECK(strstr(text, "cannot open the recording") != NULL);
}

UNIT_MAIN
