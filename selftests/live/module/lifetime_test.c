// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who may ask, and what happens to a request when its target ends or executes another
 * program.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "fixtures/files.h"

TEST_F(files, zombie_is_einval_and_reaped_is_esrch)
{
	siginfo_t info;

	kill(self->target.child, SIGKILL);
	ASSERT_EQ(0,
		  waitid(P_PID, self->target.child, &info, WEXITED | WNOWAIT));
	EXPECT_EQ(-EINVAL, live_request(self->counts, self->pid));
	EXPECT_EQ(-EINVAL, live_request(self->tables, self->pid));
	target_stop(&self->target);
	EXPECT_EQ(-ESRCH, live_request(self->counts, self->pid));
	EXPECT_EQ(-ESRCH, live_request(self->tables, self->pid));
}

/* A request refers to the process, not to its PID. */
TEST_F(files, target_that_ends_before_the_read_is_esrch)
{
	char byte;

	ASSERT_EQ(0, live_request(self->counts, self->pid));
	ASSERT_EQ(0, live_request(self->tables, self->pid));
	target_stop(&self->target);
	EXPECT_EQ(-1, read(self->counts, &byte, 1));
	EXPECT_EQ(ESRCH, errno);
	EXPECT_EQ(-1, read(self->tables, &byte, 1));
	EXPECT_EQ(ESRCH, errno);
}

/*
 * An idle CPU borrows the mm that it ran last and keeps it for a while.  So an access to a freed
 * mm could go unnoticed with a single process.
 */
TEST_F(files, requests_for_many_ended_processes_are_esrch)
{
	struct target targets[8];
	int fds[8];
	char byte;

	for (size_t i = 0; i < 8; i++) {
		fds[i] = open(variant->path, O_RDWR | O_CLOEXEC);
		ASSERT_LE(0, fds[i]);
		ASSERT_EQ(0, target_start(&targets[i], build_pages, &shape));
		ASSERT_EQ(0, live_request_pid(fds[i], targets[i].pid));
	}
	for (size_t i = 0; i < 8; i++)
		target_stop(&targets[i]);
	for (size_t i = 0; i < 8; i++) {
		EXPECT_EQ(-1, read(fds[i], &byte, 1));
		EXPECT_EQ(ESRCH, errno);
		close(fds[i]);
	}
}

/* The first read completes the answer, which then stays available. */
TEST_F(files, answer_outlives_its_target)
{
	struct answer first, second;

	ASSERT_EQ(0, live_request(self->tables, self->pid));
	ASSERT_EQ(0, live_answer(self->tables, &first));
	target_stop(&self->target);
	ASSERT_EQ(0, lseek(self->tables, 0, SEEK_SET));
	ASSERT_EQ(0, live_answer(self->tables, &second));
	ASSERT_EQ(first.nr_records, second.nr_records);
	EXPECT_EQ(0,
		  memcmp(&first.header, &second.header, sizeof(first.header)));
	EXPECT_EQ(0, memcmp(first.records, second.records,
			    first.nr_records * sizeof(first.records[0])));
	live_answer_deinit(&first);
	live_answer_deinit(&second);
}

/* Keep root and all capabilities except CAP_SYS_ADMIN. */
static void drop_sys_admin(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data) ||
	    !(data[0].effective & 1U << CAP_SYS_PTRACE))
		_exit(98);
	data[0].effective &= ~(1U << CAP_SYS_ADMIN);
	data[0].permitted &= ~(1U << CAP_SYS_ADMIN);
	data[0].inheritable &= ~(1U << CAP_SYS_ADMIN);
	if (syscall(SYS_capset, &header, data))
		_exit(99);
}

TEST_F(files, open_needs_privilege)
{
	EXPECT_EQ(EPERM, ERRNO_OF(live_drop_capabilities(),
				  open(LIVE_DEBUGFS "counts", O_RDWR)));
	EXPECT_EQ(EPERM, ERRNO_OF(live_drop_capabilities(),
				  open(variant->path, O_RDWR)));
	EXPECT_EQ(EACCES, ERRNO_OF(live_must(setuid(65534)),
				   open(LIVE_DEBUGFS "counts", O_RDWR)));
	EXPECT_EQ(EACCES, ERRNO_OF(live_must(setuid(65534)),
				   open(LIVE_DEBUGFS "geometry", O_RDONLY)));
}

TEST_F(files, handed_on_descriptor_is_refused)
{
	char byte;

	ASSERT_EQ(0, live_request(self->counts, self->pid));
	ASSERT_EQ(0, live_request(self->tables, self->pid));
	EXPECT_EQ(EPERM, ERRNO_OF(live_drop_capabilities(),
				  read(self->counts, &byte, 1)));
	EXPECT_EQ(EPERM, ERRNO_OF(live_drop_capabilities(),
				  read(self->tables, &byte, 1)));
	EXPECT_EQ(EPERM, ERRNO_OF(live_drop_capabilities(),
				  live_request(self->counts, self->pid)));
	EXPECT_EQ(EPERM, ERRNO_OF(live_must(setuid(65534)),
				  read(self->tables, &byte, 1)));
	/* Root of its own user namespace is not root of the machine. */
	EXPECT_EQ(EPERM, ERRNO_OF(live_must(unshare(CLONE_NEWUSER)),
				  read(self->counts, &byte, 1)));
	/* A privileged process still gets the answer. */
	EXPECT_EQ(1, read(self->counts, &byte, 1));
}

/* No other capability replaces CAP_SYS_ADMIN. */
TEST_F(files, all_capabilities_but_sys_admin_are_refused)
{
	char byte;

	ASSERT_EQ(0, live_request(self->counts, self->pid));
	ASSERT_EQ(0, live_request(self->tables, self->pid));
	EXPECT_EQ(EPERM,
		  ERRNO_OF(drop_sys_admin(), read(self->counts, &byte, 1)));
	EXPECT_EQ(EPERM,
		  ERRNO_OF(drop_sys_admin(), read(self->tables, &byte, 1)));
	EXPECT_EQ(EPERM,
		  ERRNO_OF(drop_sys_admin(),
			   write(self->counts, self->pid, strlen(self->pid))));
	EXPECT_EQ(EPERM,
		  ERRNO_OF(drop_sys_admin(),
			   write(self->tables, self->pid, strlen(self->pid))));
	EXPECT_EQ(EPERM, ERRNO_OF(drop_sys_admin(),
				  open(LIVE_DEBUGFS "counts", O_RDWR)));
	EXPECT_EQ(EPERM,
		  ERRNO_OF(drop_sys_admin(), open(variant->path, O_RDWR)));
	EXPECT_EQ(EPERM, ERRNO_OF(drop_sys_admin(),
				  open(LIVE_DEBUGFS "pages", O_RDWR)));
	EXPECT_EQ(EPERM, ERRNO_OF(drop_sys_admin(),
				  open(LIVE_DEBUGFS "kpagemap", O_RDONLY)));
	EXPECT_EQ(1, read(self->counts, &byte, 1));
	EXPECT_EQ(1, read(self->tables, &byte, 1));
}

/* The modes are those of ptaudit_abi.h, and there are no other files. */
TEST(modes_are_as_documented)
{
	static const struct {
		const char *name;
		mode_t mode;
	} files[] = {
		{ "geometry", 0400 },	    { "counts", 0600 },
		{ "tables", 0600 },	    { "orphans", 0600 },
		{ "pages", 0600 },	    { "kpagemap", 0400 },
		{ "kpagemap_flags", 0400 },
	};
	const size_t nr_files = sizeof(files) / sizeof(files[0]);
	const struct dirent *entry;
	size_t nr = 0;
	DIR *dir;

	for (size_t i = 0; i < nr_files; i++) {
		char path[64];
		struct stat is;
		int fd;

		snprintf(path, sizeof(path), LIVE_DEBUGFS "%s", files[i].name);
		fd = open(path, O_RDONLY);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, fstat(fd, &is));
		EXPECT_EQ(S_IFREG | files[i].mode, is.st_mode)
		{
			TH_LOG("%s has mode 0%o", files[i].name, is.st_mode);
		}
		EXPECT_EQ(0, is.st_uid);
		EXPECT_EQ(0, is.st_gid);
		close(fd);
	}
	dir = opendir(LIVE_DEBUGFS);
	ASSERT_NE(NULL, dir);
	while ((entry = readdir(dir)))
		nr += entry->d_name[0] != '.';
	closedir(dir);
	EXPECT_EQ(nr_files, nr);
}

/*
 * Answers stay complete while the target executes programs repeatedly.  The target
 * always has one mm or another, so it is never gone and never without an mm.  Source:
 * exec_mmap(), fs/exec.c: the pointer changes under alloc_lock from the old mm to the
 * new one.
 */
TEST_F_TIMEOUT(files, exec_meanwhile_is_estale_or_a_whole_answer, 120)
{
	/* A shell script that executes itself again. */
	static const char script[] = "exec sh -c \"$0\" \"$0\"";
	const uint64_t deadline_ns = live_deadline_ns(100);
	unsigned int answers = 0, refused = 0, programs = 0;
	uint64_t mm = 0;
	char request[16];
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execlp("sh", "sh", "-c", script, script, NULL);
		_exit(1);
	}
	snprintf(request, sizeof(request), "%d", pid);
	/* Until answers of enough programs were seen. */
	while (programs < 10 && live_now_ns() < deadline_ns) {
		struct answer answer;
		int err = live_request(self->tables, request);

		if (!err)
			err = live_answer(self->tables, &answer);
		if (err) {
			ASSERT_EQ(-ESTALE, err)
			{
				TH_LOG("%s", strerror(-err));
			}
			refused++;
			continue;
		}
		answers++;
		programs += answer.header.mm != mm;
		mm = answer.header.mm;
		EXPECT_EQ(0, live_check_records(&answer));
		live_answer_deinit(&answer);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	TH_LOG("%u answers, %u refused", answers, refused);
	EXPECT_EQ(10, programs);
}

TEST_HARNESS_MAIN
