// SPDX-License-Identifier: GPL-2.0-only
/*
 * The checks of /proc: does it belong to this PID namespace, does it hide processes, and
 * which processes does it list?  ptaudit does not check the namespace again once it was
 * right, so the first tests have a wrong one.
 */
#include "acquire/fake_proc.h"

#define FOREIGN \
	"/proc shows another PID namespace than the one that ptaudit runs in, where a PID is another process: mount a /proc of this namespace (mount -t proc proc /proc)"

static void refused_namespace(const char *status)
{
	err.text[0] = '\0';
	fake.status = status;
	CHECK_EQ(ptu_proc_own_namespace(&err), -EXDEV);
	CHECK_STR(err.text, FOREIGN);
}

UNIT_TEST(another_namespace_is_refused)
{
	refused_namespace("Pid:\t50\nNSpid:\t900\t50\n");
	refused_namespace("Pid:\t50\nNSpid:\t50\t3\n");
	refused_namespace("Pid:\t50\nNSpid:\t51\n");
	refused_namespace("Pid:\t50\nNSpid:\t501\n");
	/* a kernel without PID namespaces */
	refused_namespace("Pid:\t51\n");
	refused_namespace("Name:\ta\n");
}

UNIT_TEST(proc_that_cannot_be_read_is_not_another_namespace)
{
	fake.status_error = -EMFILE;
	CHECK_EQ(ptu_proc_own_namespace(&err), -EMFILE);
	CHECK_STR(err.text,
		  "cannot read /proc/self/status: Too many open files");
	err.text[0] = '\0';
	/* the process is not in this /proc, which exists */
	fake.status_error = -ENOENT;
	CHECK_EQ(ptu_proc_own_namespace(&err), -EXDEV);
	CHECK_STR(err.text, FOREIGN);
	err.text[0] = '\0';
	fake.stat_error = -ENOENT;
	CHECK_EQ(ptu_proc_own_namespace(&err), -ENOENT);
	CHECK_STR(err.text, "/proc is not mounted: mount -t proc proc /proc");
}

UNIT_TEST(nothing_is_opened_or_listed_in_another_namespace)
{
	struct ptu_proc proc;
	size_t nr;
	pid_t *pids;

	fake.status = "Pid:\t50\nNSpid:\t900\t50\n";
	CHECK_EQ(ptu_proc_open(7, &proc, &err), -EXDEV);
	CHECK_EQ(ptu_proc_list(&pids, &nr, &err), -EXDEV);
	CHECK_EQ(fake.nr_opened, 0);
}

UNIT_TEST(a_recording_has_no_namespace)
{
	fake.is_recording = true;
	fake.status = "";
	CHECK_EQ(ptu_proc_own_namespace(&err), 0);
	CHECK_EQ(fake.nr_reads, 0);
}

UNIT_TEST(the_own_namespace_is_tested_once)
{
	CHECK_EQ(ptu_proc_own_namespace(&err), 0);
	CHECK_EQ(fake.nr_reads, 1);
	CHECK_EQ(ptu_proc_own_namespace(&err), 0);
	CHECK_EQ(fake.nr_reads, 1);
	CHECK_STR(err.text, "");
}

/* Without NSpid, there is only one namespace. */
UNIT_TEST(a_kernel_without_namespaces_shows_the_own_number)
{
	CHECK(is_own_number("Pid:\t50\n"));
	CHECK(!is_own_number("Pid:\t50"));
}

UNIT_TEST(proc_shows_all_processes)
{
	CHECK(!ptu_proc_hides());
	fake.namespace_error = 1;
	fake.namespace_ino = 1;
	CHECK(!ptu_proc_hides());
}

UNIT_TEST(another_namespace_than_the_first_one_hides_processes)
{
	fake.namespace_ino = 0xf0000001;
	CHECK_STR(ptu_proc_hides(),
		  "ptaudit runs in a PID namespace, and does not see the processes outside of it");
	fake.is_recording = true;
	CHECK(!ptu_proc_hides());
}

UNIT_TEST(hidepid_hides_processes)
{
	static const int errors[] = { -ENOENT, -EPERM, -EACCES };

	for (size_t i = 0; i < 3; i++) {
		fake.processes[0].open_error = errors[i];
		CHECK_STR(ptu_proc_hides(),
			  "/proc is mounted with hidepid, and hides the processes of other users");
	}
	/* nor does /proc show this process, so it is not mounted */
	fake.is_unmounted = true;
	CHECK(!ptu_proc_hides());
	fake.is_unmounted = false;
	/* a lack of descriptors says nothing about hidepid */
	fake.processes[0].open_error = -EMFILE;
	CHECK(!ptu_proc_hides());
}

static pid_t *pids;
static size_t nr_pids;

static void free_pids(void)
{
	free(pids);
	pids = NULL;
	proc_tear_down();
}

UNIT_TEST(all_processes_are_listed)
{
	/* nobody may open it, but this /proc hides nothing */
	fake.processes[1].open_error = -EACCES;
	CHECK_EQ(ptu_proc_list(&pids, &nr_pids, &err), 0);
	CHECK_EQ(nr_pids, 2);
	CHECK_EQ(pids[0], 1);
	CHECK_EQ(pids[1], 7);
}

UNIT_TEST(processes_that_hidepid_hides_are_left_out)
{
	fake.processes[0].open_error = -EPERM;
	add((struct fake_process){ .pid = 8, .open_error = -EACCES });
	add((struct fake_process){ .pid = 9, .open_error = -ENOENT });
	CHECK_EQ(ptu_proc_list(&pids, &nr_pids, &err), 0);
	CHECK_EQ(nr_pids, 2);
	CHECK_EQ(pids[0], 7);
	/* it has ended, which is reported when it is opened */
	CHECK_EQ(pids[1], 9);
}

UNIT_TEST(processes_of_a_namespace_are_listed)
{
	fake.namespace_ino = 0xf0000001;
	fake.processes[1].open_error = -EACCES;
	CHECK_EQ(ptu_proc_list(&pids, &nr_pids, &err), 0);
	CHECK_EQ(nr_pids, 1);
	CHECK_EQ(pids[0], 1);
}

UNIT_TEST(an_empty_proc_is_an_error)
{
	fake.nr = 0;
	CHECK_EQ(ptu_proc_list(&pids, &nr_pids, &err), -ENOENT);
	CHECK_STR(err.text, "no processes in /proc: is it mounted?");
}

UNIT_TEST(proc_that_cannot_be_listed_is_an_error)
{
	fake.list_error = -EMFILE;
	CHECK_EQ(ptu_proc_list(&pids, &nr_pids, &err), -EMFILE);
	CHECK_STR(err.text, "cannot list /proc: Too many open files");
	err.text[0] = '\0';
	fake.list_error = 0;
	fake.task_list_error = -ENOMEM;
	CHECK_EQ(ptu_proc_list(&pids, &nr_pids, &err), -ENOMEM);
	CHECK_STR(err.text, "cannot list /proc: Cannot allocate memory");
}

UNIT_MAIN_WITH(proc_set_up, free_pids)
