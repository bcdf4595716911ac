// SPDX-License-Identifier: GPL-2.0-only
/*
 * How `ptaudit footprint` selects the processes of a set, how much memory killing the
 * set frees, and what it refuses.  The set is members 0 and 1 unless a test says
 * otherwise.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/stat.h>

#include "fixtures/sets.h"

#define CGROUPS "/sys/fs/cgroup/"
#define OURS CGROUPS "live-footprint"

FIXTURE(chosen)
{
	struct figures with[3], without[3];
};

FIXTURE_SETUP(chosen)
{
	ASSERT_EQ(0, live_check_environment());
}

FIXTURE_TEARDOWN(chosen)
{
	stop_all();
}

/* Each process has all of the address space that they share.  The set counts it once. */
TEST_F_TIMEOUT(chosen, one_address_space_is_counted_once, 120)
{
	char pids[2][16];
	json_t *root, *second;

	ASSERT_EQ(0, start_first());
	ASSERT_EQ(0, start_next(1, CLONE));
	ASSERT_EQ(0, tell(0, SMALL, START, 64 * PAGE, 0));
	ASSERT_EQ(0, tell(1, TOUCH, START, 64 * PAGE, 0));
	ASSERT_EQ(0, measure(set, 2, self->with));
	EXPECT_EQ(self->with[0].rss, self->with[1].rss);
	EXPECT_EQ(self->with[0].uss, self->with[1].uss);
	EXPECT_EQ(self->with[0].tables, self->with[1].tables);
	EXPECT_EQ(self->with[0].tables, self->with[2].tables);
	EXPECT_EQ(self->with[0].uss, self->with[2].uss);
	EXPECT_LE(64 * P, self->with[2].uss);
	snprintf(pids[0], sizeof(pids[0]), "%d", members[0].pid);
	snprintf(pids[1], sizeof(pids[1]), "%d", members[1].pid);
	root = ask((char *[]){ pids[0], pids[1], NULL });
	ASSERT_NE(NULL, root);
	second = json_array_get(json_object_get(root, "processes"), 1);
	EXPECT_EQ(members[0].pid, live_number(second, "same_as"));
	EXPECT_EQ(1,
		  live_number(json_object_get(root, "set"), "address_spaces"));
	json_decref(root);
	/* one munmap() is enough: it unmaps the memory of both */
	ASSERT_EQ(0, tell(0, UNMAP, START, 64 * PAGE, 0));
	ASSERT_EQ(0, measure(set, 2, self->without));
	EXPECT_EQ(64 * P, self->with[2].uss - self->without[2].uss);
}

static int64_t cgroup_stat(const char *key)
{
	char text[8192], *at;

	live_file(OURS "/memory.stat", text, sizeof(text));
	at = strstr(text, key);
	return at ? atoll(at + strlen(key)) : -1;
}

static int enter(const char *cgroup, pid_t pid)
{
	char path[128], text[16];

	snprintf(path, sizeof(path), "%s/cgroup.procs", cgroup);
	snprintf(text, sizeof(text), "%d", pid);
	return live_set(path, text);
}

/*
 * 20,000 pages belong to the set alone, 5,000 are shared with the outsider.  Killing the
 * set frees the former.  Bound: 1 MiB of 78 MiB.  It covers memory that the members had
 * before they entered the cgroup, and memory.stat, which sums up the CPUs with a delay.
 */
TEST_F_TIMEOUT(chosen, set_frees_its_uss, 180)
{
	int64_t before, freed, uss;

	ASSERT_EQ(0, live_set(CGROUPS "cgroup.subtree_control", "+memory"));
	rmdir(OURS);
	ASSERT_EQ(0, mkdir(OURS, 0755));
	ASSERT_EQ(0, start_first());
	ASSERT_EQ(0, enter(OURS, members[0].pid));
	ASSERT_EQ(0, tell(0, SMALL, START, 15000 * PAGE, 0));
	ASSERT_EQ(0, tell(0, TOUCH, START, 5000 * PAGE, 0));
	ASSERT_EQ(0, start_next(2, FORK));
	ASSERT_EQ(0, tell(0, TOUCH, START + 5000 * PAGE, 10000 * PAGE, 0));
	ASSERT_EQ(0, start_next(1, FORK));
	ASSERT_EQ(0, tell(1, TOUCH, START + 5000 * PAGE, 10000 * PAGE, 0));
	ASSERT_EQ(0, measure(set, 2, self->with));
	uss = self->with[2].uss;
	/* the members also have some other memory, less than 2 MiB */
	EXPECT_LE(20000 * P, uss);
	EXPECT_GE(20000 * P + 2 * (int64_t)MIB, uss);
	EXPECT_TRUE(live_until((before = cgroup_stat("anon ")) >=
			       25000 * P - (int64_t)MIB));
	kill(members[1].pid, SIGKILL);
	kill(members[0].pid, SIGKILL);
	waitpid(members[0].pid, NULL, 0);
	live_until((freed = before - cgroup_stat("anon ")) >=
			   uss - (int64_t)MIB &&
		   freed <= uss + (int64_t)MIB);
	live_note("the USS of the set is %lld bytes; its end freed %lld bytes",
		  (long long)uss, (long long)freed);
	EXPECT_EQ(0, differs("set", "freed memory", freed, uss, (int64_t)MIB));
	members[0].pid = members[1].pid = 0;
	kill(members[2].pid, SIGKILL);
	members[2].pid = 0;
	live_until(!rmdir(OURS) || errno != EBUSY);
}

static size_t nr_listed(const json_t *root)
{
	return json_array_size(json_object_get(root, "processes"));
}

/* Select sets by cgroup, by user, and by --all. */
TEST_F_TIMEOUT(chosen, set_of_a_user_or_cgroup_has_its_processes, 180)
{
	struct figures figures;
	json_t *root;
	int64_t uss;

	rmdir(OURS "/below");
	rmdir(OURS);
	ASSERT_EQ(0, mkdir(OURS, 0755));
	ASSERT_EQ(0, mkdir(OURS "/below", 0755));
	ASSERT_EQ(0, start_first());
	ASSERT_EQ(0, start_next(1, FORK));
	ASSERT_EQ(0, start_next(2, CLONE));
	ASSERT_EQ(0, enter(OURS, members[0].pid));
	ASSERT_EQ(0, enter(OURS, members[2].pid));
	ASSERT_EQ(0, enter(OURS "/below", members[1].pid));
	ASSERT_EQ(0, tell(0, BECOME, 0, 0, 54321));
	ASSERT_EQ(0, tell(1, BECOME, 0, 0, 54321));
	ASSERT_EQ(0, measure(set, 2, self->with));
	uss = self->with[2].uss;

	root = ask((char *[]){ "--cgroup", "live-footprint", NULL });
	ASSERT_NE(NULL, root);
	EXPECT_EQ(2, nr_listed(root));
	EXPECT_EQ(1, live_number(root, "sharing"));
	take_figures(json_object_get(root, "set"), &figures);
	EXPECT_EQ(uss, figures.uss);
	EXPECT_EQ(self->with[2].rss, figures.rss);
	EXPECT_EQ(self->with[2].tables, figures.tables);
	json_decref(root);

	root = ask((char *[]){ "--cgroup", OURS "/below/", NULL });
	ASSERT_NE(NULL, root);
	EXPECT_EQ(1, nr_listed(root));
	json_decref(root);

	root = ask((char *[]){ "--user", "54321", NULL });
	ASSERT_NE(NULL, root);
	EXPECT_EQ(2, nr_listed(root));
	take_figures(json_object_get(root, "set"), &figures);
	EXPECT_EQ(uss, figures.uss);
	json_decref(root);

	root = ask((char *[]){ "--all", NULL });
	ASSERT_NE(NULL, root);
	EXPECT_LE(4, nr_listed(root)); /* two members, the tool and this test */
	EXPECT_LE(1, live_number(root, "sharing"));
	EXPECT_LT(0, live_number(root, "kernel_threads"));
	json_decref(root);
	stop_all();
	live_until(!rmdir(OURS "/below"));
	live_until(!rmdir(OURS));
}

static int status_of(char *const arguments[], const char *says)
{
	struct tool_run run = { 0 };
	int status;

	if (live_run(arguments, &run))
		return -1;
	status = run.status;
	if (!strstr(run.err, says)) {
		live_note("ptaudit says: %s", run.err);
		status = -1;
	}
	live_run_deinit(&run);
	return status;
}

/* Each failure has exit status 2 and a message. */
TEST_F_TIMEOUT(chosen, each_refusal_has_status_2_and_a_message, 120)
{
	char *tool = (char *)live_tool(), pid[16];
	pid_t gone;

	ASSERT_EQ(0, start_first());
	ASSERT_EQ(0, start_next(1, FORK));
	gone = members[1].pid;
	kill(gone, SIGKILL);
	ASSERT_TRUE(live_until(kill(gone, 0)));
	members[1].pid = 0;
	snprintf(pid, sizeof(pid), "%d", gone);
	EXPECT_EQ(2, status_of((char *[]){ tool, "footprint", pid, NULL },
			       "no such process"));
	EXPECT_EQ(2, status_of((char *[]){ tool, "footprint", "2", NULL },
			       "kernel thread"));
	EXPECT_EQ(2, status_of((char *[]){ tool, "footprint", "--user",
					   "nobody-at-all", NULL },
			       "no user"));
	EXPECT_EQ(2, status_of((char *[]){ tool, "footprint", "--user", "54322",
					   NULL },
			       "no process"));
	EXPECT_EQ(2, status_of((char *[]){ tool, "footprint", "--cgroup",
					   "no-such", NULL },
			       "No such file"));
	snprintf(pid, sizeof(pid), "%d", members[0].pid);
	EXPECT_EQ(2, status_of((char *[]){ "setpriv", "--reuid=65534",
					   "--clear-groups", tool, "footprint",
					   pid, NULL },
			       "process"));
	EXPECT_EQ(0, status_of((char *[]){ tool, "footprint", pid, NULL }, ""));
}

/* The processes are at rest, so the figures of the kernel do not change meanwhile. */
TEST_F_TIMEOUT(chosen, figures_agree_with_those_of_the_kernel, 120)
{
	char pid[16];
	json_t *root, *process;

	ASSERT_EQ(0, start_first());
	ASSERT_EQ(0, tell(0, SMALL, START, 3000 * PAGE, 0));
	ASSERT_EQ(0, tell(0, TOUCH, START, 3000 * PAGE, 0));
	ASSERT_EQ(0, start_next(1, FORK));
	ASSERT_EQ(0, start_next(2, FORK));
	ASSERT_EQ(0, tell(1, TOUCH, START, 1000 * PAGE, 0));
	snprintf(pid, sizeof(pid), "%d", members[0].pid);
	root = ask((char *[]){ pid, NULL });
	ASSERT_NE(NULL, root);
	process = json_array_get(json_object_get(root, "processes"), 0);
	EXPECT_EQ(live_smaps_kib(members[0].pid, "Rss", 0, -1UL) * KIB,
		  live_number(process, "rss_bytes"));
	EXPECT_EQ(live_number(process, "kernel_rss_bytes"),
		  live_number(process, "rss_bytes"));
	/* the kernel rounds down to a kB per mapping, and there are fewer than 64 */
	EXPECT_LE(live_number(process, "kernel_pss_bytes"),
		  live_number(process, "pss_bytes"));
	EXPECT_GE(live_number(process, "kernel_pss_bytes") + 64 * (int64_t)KIB,
		  live_number(process, "pss_bytes"));
	json_decref(root);
}

TEST_HARNESS_MAIN
