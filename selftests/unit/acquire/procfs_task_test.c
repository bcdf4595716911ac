// SPDX-License-Identifier: GPL-2.0-only
/* Parsing stat and status of a process. The test defines the texts. */
#include "acquire/procfs_task.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "acquire/file.h"
#include "support/unit.h"

#define DIRFD 900

static bool is_recording;
/* The files of the process; NULL: this error instead. */
static const char *stat_text, *status_text;
static int stat_error;

static struct ptu_proc proc;
static struct ptu_err err;

/* Fields 4 to 22, of which field 4 is 5, the faults are 100 and 30, and field 22 is 12345. */
#define TAIL(flags) \
	" 5 76 75 0 -1 " flags " 100 200 30 400 1 2 3 4 20 0 9 0 12345"
#define PLAIN TAIL("4194304")

static void set_up(void)
{
	is_recording = false;
	stat_text = "77 (x) S" PLAIN "\n";
	status_text = NULL;
	stat_error = -EACCES;
	proc = (struct ptu_proc){
		.pid = 77, .tid = 77, .dirfd = DIRFD, .comm = "before"
	};
	err.text[0] = '\0';
}

bool ptu_file_is_recording(void)
{
	return is_recording;
}

int ptu_file_read(int dirfd, const char *name, size_t limit_bytes, char **ret)
{
	const char *text = strcmp(name, "stat") ? status_text : stat_text;

	if (dirfd != DIRFD || limit_bytes)
		return -EBADF;
	if (!text)
		return stat_error;
	*ret = strdup(text);
	return *ret ? 0 : -ENOMEM;
}

/* Not called: this test lists no threads. */
bool ptu_proc_shortage(int error)
{
	return error != 0;
}

int ptu_file_list(int dirfd, const char *name, DIR **ret)
{
	return -ENOSYS;
}

int ptu_file_open(int dirfd, const char *name, int flags)
{
	return -ENOSYS;
}

static int read_stat(const char *text)
{
	stat_text = text;
	err.text[0] = '\0';
	return ptu_task_stat(DIRFD, &proc, &err);
}

UNIT_TEST(stat_is_read)
{
	CHECK_EQ(read_stat("77 (cat) S" PLAIN " 1 2 3\n"), 0);
	CHECK_EQ(proc.pid, 77);
	CHECK_EQ(proc.tid, 77);
	CHECK_EQ(proc.ppid, 5);
	CHECK_EQ(proc.dirfd, DIRFD);
	CHECK_STR(proc.comm, "cat");
	CHECK_EQ(proc.state, 'S');
	CHECK_EQ(proc.faults, 100 + 30);
	CHECK_EQ(proc.start_time, 12345);
	CHECK(!proc.kthread);
	/* PF_KTHREAD is bit 21 */
	CHECK_EQ(read_stat("77 (kworker/0:0) I" TAIL("2097152") "\n"), 0);
	CHECK(proc.kthread);
	CHECK_EQ(read_stat("77 (x) S" TAIL("4292870143") "\n"), 0);
	CHECK(!proc.kthread);
}

/* The name may have any character, also those that separate the fields. */
UNIT_TEST(name_of_the_program_may_have_any_character)
{
	char text[256];

	CHECK_EQ(read_stat("77 (a) S (b) R" PLAIN "\n"), 0);
	CHECK_STR(proc.comm, "a) S (b");
	CHECK_EQ(proc.state, 'R');
	CHECK_EQ(read_stat("77 () Z" PLAIN "\n"), 0);
	CHECK_STR(proc.comm, "");
	CHECK_EQ(read_stat("77 (\n) Z" PLAIN "\n"), 0);
	CHECK_STR(proc.comm, "\n");
	/* 63 characters fit */
	snprintf(text, sizeof(text), "77 (%063d) S" PLAIN "\n", 8);
	CHECK_EQ(read_stat(text), 0);
	CHECK_EQ(strlen(proc.comm), 63);
	CHECK_EQ(proc.comm[62], '8');
	snprintf(text, sizeof(text), "77 (%064d) S" PLAIN "\n", 8);
	CHECK_EQ(read_stat(text), 0);
	CHECK_EQ(strlen(proc.comm), 63);
	CHECK_EQ(proc.comm[62], '0');
}

UNIT_TEST(another_format_is_refused)
{
	static const char *const bad[] = {
		"",
		"77 x) S" PLAIN "\n",
		"77 (x S" PLAIN "\n",
		"77 )x( S" PLAIN "\n",
		" (x) S" PLAIN "\n",
		"77(x) S" PLAIN "\n",
		"77  (x) S" PLAIN "\n",
		"77 7 (x) S" PLAIN "\n",
		"2147483725 (x) S" PLAIN "\n",
		"4294967373 (x) S" PLAIN "\n",
		"77 (x)S" PLAIN "\n",
		"77 (x) 1" PLAIN "\n",
		"77 (x)  " PLAIN "\n",
		"77 (x) SS" PLAIN "\n",
		"77 (x) S" PLAIN,
		"77 (x) S" PLAIN "x\n",
		"77 (x) S" PLAIN "12345678901234567890\n",
		"77 (x) S 5 76 75 0 -1 0 100 200 30 400 1 2 3 4 20 0 9 0\n",
		"77 (x) S 5 76 75 0 x 0 100 200 30 400 1 2 3 4 20 0 9 0 12345\n",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (read_stat(bad[i]) != -EIO)
			UNIT_FAIL("'%s' was accepted", bad[i]);
		CHECK_STR(err.text,
			  "process 77: stat does not have the format of the kernel");
		CHECK_STR(proc.comm, "before");
		CHECK_EQ(proc.tid, 77);
	}
}

/* The task has ended, or stat cannot be read. */
UNIT_TEST(stat_that_cannot_be_read_is_an_error)
{
	CHECK_EQ(read_stat(NULL), -EACCES);
	CHECK_STR(err.text, "process 77: cannot read stat: Permission denied");
	stat_error = -ENOENT;
	CHECK_EQ(read_stat(NULL), -ESRCH);
	CHECK_STR(err.text, "");
	stat_error = -ESRCH;
	CHECK_EQ(read_stat(NULL), -ESRCH);
	CHECK_STR(err.text, "");
}

#define STATUS(tgid, pid, state)                                           \
	"Name:\tx\nState:" state "\nTgid:\t" tgid "\nNgid:\t0\nPid:\t" pid \
	"\nPPid:\t5\nTracerPid:\t9\n"

/* The process of a recording was read through another thread, which status names. */
UNIT_TEST(status_of_a_recording_names_the_thread)
{
	static const char *const bad[] = {
		STATUS("76", "78", "\tS (sleeping)"),
		STATUS("78", "78", "\tS (sleeping)"),
		STATUS("77", "78", "S"),
		STATUS("77", "78", "\t1"),
		STATUS("77", "78", "\t"),
		"Name:\tx\nState:\tS\nTgid:\t77\nPPid:\t78\n",
		"Name:\tx\nState:\tS\nNStgid:\t77\nPid:\t78\n",
		"Name:\tx\nTgid:\t77\nPid:\t78\n",
		"",
	};
	pid_t tid = 1;
	char state = '1';

	status_text = STATUS("77", "78", "\tD (disk sleep)");
	CHECK(!ptu_task_recorded(DIRFD, 77, &tid, &state));
	is_recording = true;
	CHECK(ptu_task_recorded(DIRFD, 77, &tid, &state));
	CHECK_EQ(tid, 78);
	CHECK_EQ(state, 'D');
	tid = 1;
	state = '1';
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		status_text = bad[i];
		if (ptu_task_recorded(DIRFD, 77, &tid, &state))
			UNIT_FAIL("%s was accepted", bad[i]);
	}
	status_text = NULL;
	CHECK(!ptu_task_recorded(DIRFD, 77, &tid, &state));
	CHECK_EQ(tid, 1);
	CHECK_EQ(state, '1');
}

UNIT_TEST(stat_of_another_thread_is_accepted_only_in_a_recording)
{
	static const char other[] = "78 (x) S" PLAIN "\n";

	status_text = STATUS("77", "78", "\tS (sleeping)");
	CHECK_EQ(read_stat(other), -EIO);
	set_up();
	status_text = STATUS("77", "78", "\tS (sleeping)");
	is_recording = true;
	CHECK_EQ(read_stat(other), 0);
	CHECK_EQ(proc.tid, 78);
	CHECK_EQ(proc.pid, 77);
	set_up();
	is_recording = true;
	status_text = STATUS("77", "79", "\tS (sleeping)");
	CHECK_EQ(read_stat(other), -EIO);
	set_up();
	is_recording = true;
	status_text = STATUS("76", "78", "\tS (sleeping)");
	CHECK_EQ(read_stat(other), -EIO);
	/* status is not read if stat is that of the process */
	set_up();
	CHECK_EQ(read_stat("77 (x) S" PLAIN "\n"), 0);
}

UNIT_TEST(line_of_a_key_is_found_by_its_whole_name)
{
	static const char text[] = "VmPTE:\t8 kB\nVmRSSX:\t1\nXVmRSS:\t2\n"
				   "a VmRSS:\t3\nVmRSS:\t4\nVmRSS:\t5\nUid:7";

	CHECK(ptu_proc_line(text, "VmPTE") == text + 6);
	CHECK_STR(ptu_proc_line(text, "VmRSS"), "\t4\nVmRSS:\t5\nUid:7");
	CHECK_STR(ptu_proc_line(text, "Uid"), "7");
	CHECK(!ptu_proc_line(text, "Gid"));
	CHECK(!ptu_proc_line(text, "Vm"));
	CHECK(!ptu_proc_line("", "Uid"));
	CHECK(!ptu_proc_line(NULL, "Uid"));
}

UNIT_TEST(dead_states_are_recognized)
{
	const char *state;

	CHECK(ptu_task_is_dead('Z'));
	CHECK(ptu_task_is_dead('X'));
	for (state = "RSDTtIP"; *state; state++)
		CHECK(!ptu_task_is_dead(*state));
}

UNIT_MAIN_WITH(set_up, NULL)
