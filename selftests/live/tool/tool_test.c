// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tool's output if it cannot measure: one sentence on stderr, exit status 2, and no
 * figures.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "lib/lib.h"

FIXTURE(refused)
{
	struct tool_run run;
};

FIXTURE_SETUP(refused)
{
	ASSERT_EQ(0, live_check_environment());
}

FIXTURE_TEARDOWN(refused)
{
	live_run_deinit(&self->run);
}

/* The output must be one sentence that contains @word, and no figures. */
static int check_refusal(const struct tool_run *run, const char *word)
{
	size_t length = strlen(run->err);
	int failures = 0;

	if (run->status != 2) {
		live_note("exit status %d, not 2", run->status);
		failures++;
	}
	if (!strstr(run->err, word) || length < 20 ||
	    run->err[length - 1] != '\n') {
		live_note("stderr has no sentence with '%s': %s", word,
			  run->err);
		failures++;
	}
	if (strstr(run->out, "\"levels\"") || strstr(run->out, "vmpte")) {
		live_note("the output has figures: %s", run->out);
		failures++;
	}
	return failures;
}

TEST_F(refused, word_that_is_no_pid_is_refused)
{
	ASSERT_EQ(0, LIVE_RUN(&self->run, "check", "--json", "12ab"));
	EXPECT_EQ(0, check_refusal(&self->run, "12ab"));
}

TEST_F(refused, process_that_has_ended_is_refused)
{
	pid_t pid = fork();
	char text[16];

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	snprintf(text, sizeof(text), "%d", pid);
	ASSERT_EQ(0, LIVE_RUN(&self->run, "check", "--json", text));
	EXPECT_EQ(0, check_refusal(&self->run, text));
}

TEST_F(refused, kernel_thread_is_refused)
{
	ASSERT_EQ(0, LIVE_RUN(&self->run, "check", "--json", "2"));
	EXPECT_EQ(0, check_refusal(&self->run, "kernel thread"));
}

TEST_F(refused, zombie_is_refused)
{
	pid_t pid = fork();
	siginfo_t info;
	char text[16];

	if (!pid)
		_exit(0);
	ASSERT_EQ(0, waitid(P_PID, pid, &info, WEXITED | WNOWAIT));
	snprintf(text, sizeof(text), "%d", pid);
	ASSERT_EQ(0, LIVE_RUN(&self->run, "check", "--json", text));
	EXPECT_EQ(0, check_refusal(&self->run, "zombie"));
	waitpid(pid, NULL, 0);
}

TEST_F(refused, user_without_privileges_is_refused)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		char text[16];

		if (setgid(65534) || setuid(65534))
			_exit(98);
		snprintf(text, sizeof(text), "%d", getpid());
		if (LIVE_RUN(&self->run, "check", "--json", text))
			_exit(99);
		_exit(check_refusal(&self->run, "root"));
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

TEST_F(refused, check_without_debugfs_is_refused)
{
	pid_t pid = fork();
	int status;

	/* the child has its own mount namespace, so other processes keep debugfs */
	if (!pid) {
		if (unshare(CLONE_NEWNS) ||
		    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
		    umount2("/sys/kernel/debug", MNT_DETACH))
			_exit(98);
		if (LIVE_RUN(&self->run, "check", "--truth", "module", "--json",
			     "1"))
			_exit(99);
		_exit(check_refusal(&self->run, "debugfs"));
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

#define SIDE "/tmp/side"
#define SIDE_MODULE SIDE "/ptaudit.ko"
#define SIDE_TOOL SIDE "/user/ptaudit"

/* Copy the tool, and the module to where a build puts it: the directory above. */
static int copy_side_by_side(void)
{
	char *const script = "set -e; rm -rf " SIDE
			     "; umask 022; mkdir -p " SIDE
			     "/user; cp \"$PTAUDIT_MODULE\" " SIDE_MODULE
			     "; cp \"$0\" " SIDE_TOOL
			     "; chmod 644 " SIDE_MODULE;
	struct tool_run run;
	int error = live_run((char *[]){ "/bin/sh", "-c", script,
					 (char *)live_tool(), NULL },
			     &run);

	if (!error)
		error = run.status;
	live_run_deinit(&run);
	return error;
}

/* `load --module @file` must fail with @word in the message, and load nothing. */
static int check_load_refused(const char *file, const char *word)
{
	struct tool_run run;
	int failures;

	if (LIVE_RUN(&run, "load", "--module", (char *)file))
		return 1;
	failures = check_refusal(&run, word);
	live_run_deinit(&run);
	return failures + !access(LIVE_DEBUGFS, F_OK);
}

/* The tool itself unloads the module and loads it again. */
TEST_F(refused, check_without_the_module_is_refused)
{
	struct utsname host;
	struct tool_run run;

	ASSERT_NE(NULL, getenv("PTAUDIT_MODULE"));
	ASSERT_EQ(0, copy_side_by_side());
	ASSERT_EQ(0, LIVE_RUN(&run, "unload"));
	EXPECT_EQ(0, run.status)
	{
		TH_LOG("%s", run.err);
	}
	live_run_deinit(&run);
	EXPECT_EQ(-1, access(LIVE_DEBUGFS, F_OK));

	ASSERT_EQ(0, LIVE_RUN(&self->run, "check", "--truth", "module",
			      "--json", "1"));
	EXPECT_EQ(0, check_refusal(&self->run, "not loaded"));
	/* the BPF walk needs no module, but Linux 5.17 */
	ASSERT_EQ(0, uname(&host));
	ASSERT_EQ(0, LIVE_RUN(&run, "check", "--json", "1"));
	if (!strncmp(host.release, "5.10.", 5)) {
		EXPECT_EQ(2, run.status);
		EXPECT_NE(NULL, strstr(run.err, "5.17"));
	} else {
		EXPECT_EQ(0, run.status)
		{
			TH_LOG("%s", run.err);
		}
		EXPECT_NE(NULL, strstr(run.out, "\"truth\": \"bpf\""));
	}
	live_run_deinit(&run);

	/* `load` must not use the file beside the tool, which the command does not name */
	ASSERT_EQ(0, live_run((char *[]){ SIDE_TOOL, "load", NULL }, &run));
	EXPECT_EQ(0, check_refusal(&run, "no module ptaudit is installed"));
	live_run_deinit(&run);
	EXPECT_EQ(-1, access(LIVE_DEBUGFS, F_OK));

	EXPECT_EQ(0, check_load_refused(SIDE "/none.ko", "no such file"));
	ASSERT_EQ(0, chmod(SIDE_MODULE, 0666));
	EXPECT_EQ(0, check_load_refused(SIDE_MODULE, "others may write"));
	ASSERT_EQ(0, chmod(SIDE_MODULE, 0644));
	ASSERT_EQ(0, chown(SIDE_MODULE, 65534, 0));
	EXPECT_EQ(0, check_load_refused(SIDE_MODULE, "others may write"));
	ASSERT_EQ(0, chown(SIDE_MODULE, 0, 0));
	ASSERT_EQ(0, chmod(SIDE, 0777));
	EXPECT_EQ(0, check_load_refused(SIDE_MODULE, "others may write"));
	ASSERT_EQ(0, chmod(SIDE, 0755));

	ASSERT_EQ(0, LIVE_RUN(&run, "load", "--module", SIDE_MODULE));
	EXPECT_EQ(0, run.status)
	{
		TH_LOG("%s", run.err);
	}
	live_run_deinit(&run);
	EXPECT_EQ(0, access(LIVE_DEBUGFS, F_OK));
}

/* An open file keeps the module loaded.  `unload` says so and changes nothing. */
TEST_F(refused, module_in_use_is_not_unloaded)
{
	int fd = open(LIVE_DEBUGFS "counts", O_RDWR);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, LIVE_RUN(&self->run, "unload"));
	EXPECT_EQ(0, check_refusal(&self->run, "in use"));
	close(fd);
	EXPECT_EQ(0, access(LIVE_DEBUGFS, F_OK));
}

/* Unlike `unload`, which reads the reference count, this test calls delete_module(). */
TEST(each_open_file_keeps_the_module)
{
	static const char *const files[] = {
		"geometry", "counts",	"tables",	  "orphans",
		"pages",    "kpagemap", "kpagemap_flags",
	};

	ASSERT_EQ(0, live_check_environment());
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char path[64];
		int fd;

		snprintf(path, sizeof(path), LIVE_DEBUGFS "%s", files[i]);
		fd = open(path, O_RDONLY);
		ASSERT_LE(0, fd);
		ASSERT_EQ(-1, syscall(SYS_delete_module, "ptaudit", O_NONBLOCK))
		{
			TH_LOG("the module could be unloaded while %s was open",
			       files[i]);
		}
		EXPECT_EQ(EWOULDBLOCK, errno);
		close(fd);
	}
}

TEST_HARNESS_MAIN
