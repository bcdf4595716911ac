// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks the predictions of `ptaudit whatif` and `reclaim` by carrying them out: exactly
 * the predicted tables are freed, and no byte of memory changes.  The expected
 * predictions come from addresses alone, the number of freed tables from VmPTE.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <linux/userfaultfd.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "lib/lib.h"
#include "lib/members.h"

/*
 * Run ptaudit COMMAND --json [option [argument]] PID; return its exit status and its
 * JSON.
 */
static int ask(const char *command, const char *option, const char *argument,
	       pid_t pid, json_t **ret)
{
	char text[16], *argv[7] = { (char *)live_tool(), (char *)command,
				    (char[]){ "--json" } };
	struct tool_run run;
	int nr = 3, status;

	if (option)
		argv[nr++] = (char *)option;
	if (argument)
		argv[nr++] = (char *)argument;
	snprintf(text, sizeof(text), "%d", pid);
	argv[nr++] = text;
	argv[nr] = NULL;
	*ret = NULL;
	if (live_run(argv, &run))
		return -1;
	status = run.status;
	if (*run.err)
		live_note("ptaudit says: %s", run.err);
	*ret = json_loads(run.out, 0, NULL);
	live_run_deinit(&run);
	return status;
}

static const char *collapse_missing(void)
{
	if (live_thp_missing())
		return live_thp_missing();
	return madvise((void *)START, 0, MADV_COLLAPSE) ? "MADV_COLLAPSE" :
							  NULL;
}

FIXTURE(whatif)
{
	json_t *root;
};

FIXTURE_SETUP(whatif)
{
	if (!live_thp_missing())
		ASSERT_EQ(0, live_set(THP "shmem_enabled", "never"));
}

FIXTURE_TEARDOWN(whatif)
{
	json_decref(self->root);
	live_set(THP "shmem_enabled", "never");
}

/* 9 processes with 32 slots each. */
TEST_F_TIMEOUT(whatif, predicted_tables_are_freed, 600)
{
	uint64_t before, hashes[NR];

	if (collapse_missing())
		SKIP(return, "needs %s", collapse_missing());
	ASSERT_EQ(0, member_share(NR, PAGE));
	for (size_t i = 0; i < NR; i++)
		hashes[i] = member_tell(&members[i], HASH);
	before = member_vmpte(NR);
	EXPECT_TRUE(member_have_tables(NR, SLOTS));
	ASSERT_EQ(0, ask("whatif", NULL, NULL, members[0].pid, &self->root));
	EXPECT_EQ(NR * SLOTS, live_number(self->root, "shared_tables"));
	json_decref(self->root);
	ASSERT_EQ(0, ask("reclaim", NULL, NULL, members[0].pid, &self->root));
	EXPECT_EQ(NR * SLOTS, live_number(self->root, "predicted_tables"));
	EXPECT_EQ(0, live_number(self->root, "returned_tables"));
	EXPECT_EQ(before, member_vmpte(NR));
	json_decref(self->root);
	ASSERT_EQ(0, ask("reclaim", "--do", NULL, members[0].pid, &self->root));
	EXPECT_EQ(NR * SLOTS, live_number(self->root, "predicted_tables"));
	EXPECT_EQ(NR * SLOTS, live_number(self->root, "returned_tables"));
	EXPECT_EQ(0, live_number(self->root, "filled_bytes"));
	EXPECT_EQ(NR * SLOTS * PAGE, before - member_vmpte(NR));
	EXPECT_TRUE(member_have_tables(NR, 0));
	/* touching the memory again must not bring the tables back */
	for (size_t i = 0; i < NR; i++)
		EXPECT_EQ(hashes[i], member_tell(&members[i], HASH));
	EXPECT_EQ(NR * SLOTS * PAGE, before - member_vmpte(NR));
	member_stop(NR);
}

/* Each slot has every 16th page: 480 pages are missing. */
TEST_F_TIMEOUT(whatif, holes_are_filled_up_to_the_limit, 600)
{
	const uint64_t fill = (512 - 512 / 16) * PAGE;
	uint64_t before, hash;
	char limit[32];

	if (collapse_missing())
		SKIP(return, "needs %s", collapse_missing());
	ASSERT_EQ(0, member_share(2, 16 * PAGE));
	before = member_vmpte(2);
	snprintf(limit, sizeof(limit), "%" PRIu64, 3 * fill + PAGE);
	ASSERT_EQ(0, ask("reclaim", NULL, NULL, members[0].pid, &self->root));
	EXPECT_EQ(SLOTS * fill,
		  live_number(self->root, "predicted_fill_bytes"));
	json_decref(self->root);
	/* with --max-fill 0 no slot qualifies */
	ASSERT_EQ(0, ask("reclaim", "--max-fill", "0", members[0].pid,
			 &self->root));
	EXPECT_EQ(0, live_number(self->root, "predicted_tables"));
	json_decref(self->root);
	self->root = NULL;
	{
		char pid[16];
		struct tool_run run;

		snprintf(pid, sizeof(pid), "%d", members[0].pid);
		ASSERT_EQ(0,
			  LIVE_RUN(&run, (char[]){ "reclaim" },
				   (char[]){ "--do" }, (char[]){ "--max-fill" },
				   limit, (char[]){ "--json" }, pid));
		EXPECT_EQ(0, run.status);
		self->root = json_loads(run.out, 0, NULL);
		live_run_deinit(&run);
	}
	EXPECT_EQ(2 * 3, live_number(self->root, "predicted_tables"));
	EXPECT_EQ(2 * 3, live_number(self->root, "returned_tables"));
	EXPECT_EQ(3 * fill, live_number(self->root, "filled_bytes"));
	EXPECT_EQ(2 * 3 * PAGE, before - member_vmpte(2));
	/* a hole reads as zeros before and after */
	hash = member_tell(&members[0], HASH);
	EXPECT_EQ(hash, member_tell(&members[1], HASH));
	member_stop(2);
}

/* Return: does reclaim end with status 2 and change nothing? */
static int refuses(pid_t pid)
{
	uint64_t before = live_vmpte_bytes(pid);
	json_t *root;
	int status = ask("reclaim", "--do", NULL, pid, &root);

	json_decref(root);
	return status == 2 && live_vmpte_bytes(pid) == before;
}

static pid_t map_alone(int advice, bool disabled)
{
	pid_t pid = fork();
	int fd;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	fd = memfd_create("alone", 0);
	if (ftruncate(fd, HUGE) ||
	    mmap((void *)START, HUGE, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0) != (void *)START)
		_exit(1);
	memset((void *)START, 1, HUGE);
	if (advice && madvise((void *)START, HUGE, advice))
		_exit(1);
	if (disabled && prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0))
		_exit(1);
	for (;;)
		pause();
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

TEST_F_TIMEOUT(whatif, reclaim_refuses_what_the_kernel_skips, 600)
{
	pid_t pid;

	if (collapse_missing())
		SKIP(return, "needs %s", collapse_missing());
	pid = map_alone(MADV_NOHUGEPAGE, false);
	ASSERT_TRUE(live_sleeps_in(pid, SYS_pause));
	EXPECT_TRUE(refuses(pid));
	end(pid);
	pid = map_alone(0, true);
	ASSERT_TRUE(live_sleeps_in(pid, SYS_pause));
	EXPECT_TRUE(refuses(pid));
	end(pid);
	pid = map_alone(0, false);
	ASSERT_TRUE(live_sleeps_in(pid, SYS_pause));
	ASSERT_EQ(0, live_set(THP "shmem_enabled", "deny"));
	EXPECT_TRUE(refuses(pid));
	/* without the obstacle, reclaim takes the same memory */
	ASSERT_EQ(0, live_set(THP "shmem_enabled", "never"));
	EXPECT_FALSE(refuses(pid));
	end(pid);
}

TEST_F_TIMEOUT(whatif, reclaim_refuses_memory_under_userfaultfd, 300)
{
	int fd = memfd_create("watched", 0), uffd = live_uffd(0);
	int rwp = live_uffd(UFFD_FEATURE_RWP);

	if (collapse_missing())
		SKIP(return, "needs %s", collapse_missing());
	if (uffd < 0)
		SKIP(return, "needs userfaultfd");
	ASSERT_EQ(0, ftruncate(fd, HUGE));
	live_map_fd(START, HUGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
	memset((void *)START, 1, HUGE);
	live_uffd_register(uffd, START, HUGE, UFFDIO_REGISTER_MODE_MISSING);
	EXPECT_TRUE(refuses(getpid()));
	close(uffd);
	/* 7.3 has this mode */
	if (rwp >= 0) {
		live_uffd_register(rwp, START, HUGE, UFFDIO_REGISTER_MODE_RWP);
		EXPECT_TRUE(refuses(getpid()));
		close(rwp);
	}
	EXPECT_FALSE(refuses(getpid()));
}

/*
 * The named process maps a huge page and has no table to free.  The table of another process
 * cannot be freed, because the mapping of that process is private.
 */
TEST_F_TIMEOUT(whatif, what_blocks_another_process_is_no_reason_to_refuse, 300)
{
	int fd = memfd_create("both", 0);
	pid_t pid;

	if (collapse_missing())
		SKIP(return, "needs %s", collapse_missing());
	ASSERT_EQ(0, ftruncate(fd, HUGE));
	live_map_fd(START, HUGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
	memset((void *)START, 1, HUGE);
	ASSERT_EQ(0, madvise((void *)START, HUGE, MADV_COLLAPSE));
	*(volatile char *)START = 2;
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (munmap((void *)START, HUGE) ||
		    mmap((void *)START, HUGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd,
			 0) != (void *)START)
			_exit(1);
		*(volatile char *)START = 3;
		for (;;)
			pause();
	}
	ASSERT_TRUE(live_sleeps_in(pid, SYS_pause));
	EXPECT_EQ(2, ask("reclaim", "--do", NULL, pid, &self->root));
	json_decref(self->root);
	EXPECT_EQ(0, ask("reclaim", "--do", NULL, getpid(), &self->root));
	EXPECT_EQ(0, live_number(self->root, "predicted_tables"));
	EXPECT_EQ(0, live_number(self->root, "returned_tables"));
	end(pid);
	close(fd);
}

/* Map two huge pages of a file with a page in each.  Its tmpfs has 6 MiB. */
static pid_t map_in_small_tmpfs(void)
{
	pid_t pid = fork();
	int fd;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/tmp", "tmpfs", 0, "size=6m"))
		_exit(1);
	fd = open("/tmp/file", O_RDWR | O_CREAT, 0600);
	if (ftruncate(fd, 2 * HUGE) ||
	    mmap((void *)START, 2 * HUGE, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0) != (void *)START)
		_exit(1);
	*(volatile char *)START = 1;
	*(volatile char *)(START + HUGE) = 1;
	for (;;)
		pause();
}

/* Half of 1534 free pages is more than the 511 of one hole, and less than two of them. */
TEST_F_TIMEOUT(whatif, filling_leaves_room_in_a_tmpfs, 300)
{
	pid_t pid;

	if (collapse_missing())
		SKIP(return, "needs %s", collapse_missing());
	pid = map_in_small_tmpfs();
	ASSERT_TRUE(live_sleeps_in(pid, SYS_pause));
	EXPECT_EQ(0, ask("whatif", NULL, NULL, pid, &self->root));
	EXPECT_EQ(1, live_number(self->root, "shared_tables"));
	json_decref(self->root);
	EXPECT_EQ(0, ask("reclaim", "--do", NULL, pid, &self->root));
	EXPECT_EQ(1, live_number(self->root, "predicted_tables"));
	EXPECT_EQ(1, live_number(self->root, "returned_tables"));
	EXPECT_EQ(511 * PAGE, live_number(self->root, "filled_bytes"));
	end(pid);
}

/* The call that whatif names must free the predicted tables. */
TEST_F_TIMEOUT(whatif, the_named_call_frees_empty_tables, 300)
{
	json_t *row;
	const char *call;
	uint64_t before;

	stride = PAGE;
	live_map_small(EMPTY_START, EMPTY_SLOTS * HUGE);
	for (uint64_t i = 0; i < EMPTY_SLOTS; i++) {
		char *at = (char *)EMPTY_START + i * HUGE;

		*(volatile char *)at = 1;
		ASSERT_EQ(0, madvise(at, PAGE, MADV_DONTNEED));
	}
	ASSERT_EQ(0, member_start(&members[0]));
	/* a child gets a table for each table of its parent */
	before = member_vmpte(1);
	ASSERT_EQ(0, ask("whatif", NULL, NULL, members[0].pid, &self->root));
	row = NULL;
	for (size_t i = 0;
	     i < json_array_size(json_object_get(self->root, "empty")); i++) {
		json_t *one = json_array_get(json_object_get(self->root,
							     "empty"),
					     i);
		const char *from = json_string_value(
			json_object_get(one, "start"));

		if (from && strtoull(from, NULL, 16) == EMPTY_START)
			row = one;
	}
	ASSERT_NE(NULL, row);
	EXPECT_EQ(EMPTY_SLOTS, live_number(row, "tables"));
	call = json_string_value(json_object_get(row, "call"));
	ASSERT_NE(NULL, call);
	if (!strcmp(call, "madvise")) {
		ASSERT_EQ(0, member_tell(&members[0], DONTNEED));
		EXPECT_EQ(EMPTY_SLOTS * PAGE, before - member_vmpte(1));
		before = member_vmpte(1);
		/* frees the upper tables, too */
		ASSERT_EQ(0, member_tell(&members[0], UNMAP));
		EXPECT_EQ(2 * PAGE, before - member_vmpte(1));
	} else {
		ASSERT_EQ(0, strcmp(call, "munmap"));
		/* MADV_DONTNEED must not free them, or the named call would be wrong */
		ASSERT_EQ(0, member_tell(&members[0], DONTNEED));
		EXPECT_EQ(before, member_vmpte(1));
		ASSERT_EQ(0, member_tell(&members[0], UNMAP));
		EXPECT_EQ((EMPTY_SLOTS + 2) * PAGE, before - member_vmpte(1));
	}
	member_stop(1);
}

/* The row of the shared memory in an array of the answer. */
static json_t *row_of_shared(const json_t *root, const char *array)
{
	json_t *rows = json_object_get(root, array);

	for (size_t i = 0; i < json_array_size(rows); i++) {
		json_t *row = json_array_get(rows, i);
		const char *path = json_string_value(
			json_object_get(row, "path"));

		if (path && !strcmp(path, "/memfd:shared (deleted)"))
			return row;
	}
	return NULL;
}

/* hugetlb maps the same memory at the same addresses. */
TEST_F_TIMEOUT(whatif, hugetlb_saves_what_is_predicted, 600)
{
	uint64_t before;
	char pages[16];
	size_t i;

	snprintf(pages, sizeof(pages), "%" PRIu64, SLOTS);
	ASSERT_EQ(0, live_set(POOL, pages));
	hugetlb_fd = memfd_create("huge", MFD_CLOEXEC | MFD_HUGETLB);
	ASSERT_LE(0, hugetlb_fd);
	ASSERT_EQ(0, ftruncate(hugetlb_fd, BYTES));
	ASSERT_EQ(0, member_share(NR, PAGE));
	before = member_vmpte(NR);
	ASSERT_EQ(0, ask("whatif", NULL, NULL, members[0].pid, &self->root));
	EXPECT_EQ(NR * SLOTS, live_number(row_of_shared(self->root, "shared"),
					  "hugetlb_tables"));
	for (i = 0; i < NR; i++)
		ASSERT_EQ(0, member_tell(&members[i], HUGETLB));
	EXPECT_EQ(NR * SLOTS * PAGE, before - member_vmpte(NR));
	member_stop(NR);
	close(hugetlb_fd);
	EXPECT_EQ(0, live_set(POOL, "0"));
}

/* START has a PMD table and a PUD table of its own. */
TEST_F_TIMEOUT(whatif, unmapping_frees_what_is_predicted, 300)
{
	uint64_t before, hash;
	json_t *row;

	ASSERT_EQ(0, member_share(1, PAGE));
	before = member_vmpte(1);
	ASSERT_EQ(0, ask("whatif", NULL, NULL, members[0].pid, &self->root));
	row = row_of_shared(self->root, "unmap");
	EXPECT_EQ(1, live_number(row, "processes"));
	EXPECT_EQ(SLOTS, live_number(row, "tables"));
	EXPECT_EQ(2, live_number(row, "upper_tables"));
	EXPECT_EQ(NULL, row_of_shared(self->root, "mapped_twice"));
	/* MADV_DONTNEED frees these tables or none, and keeps the data */
	hash = member_tell(&members[0], HASH);
	ASSERT_EQ(0, member_tell(&members[0], DONTNEED_SHARED));
	EXPECT_EQ(live_number(row, "madvise_tables") * PAGE,
		  before - member_vmpte(1));
	EXPECT_EQ(hash, member_tell(&members[0], HASH));
	EXPECT_EQ(before, member_vmpte(1));
	ASSERT_EQ(0, member_tell(&members[0], UNMAP_SHARED));
	EXPECT_EQ((SLOTS + 2) * PAGE, before - member_vmpte(1));
	member_stop(1);
}

/* The second mapping has its own PMD table below the same PUD table. */
TEST_F_TIMEOUT(whatif, one_of_two_mappings_frees_what_is_predicted, 300)
{
	uint64_t before;
	json_t *row;

	ASSERT_EQ(0, member_share(1, PAGE));
	ASSERT_EQ(0, member_tell(&members[0], MAP_AGAIN));
	before = member_vmpte(1);
	ASSERT_EQ(0, ask("whatif", NULL, NULL, members[0].pid, &self->root));
	row = row_of_shared(self->root, "mapped_twice");
	EXPECT_EQ(SLOTS, live_number(row, "tables"));
	EXPECT_EQ(1, live_number(row, "upper_tables"));
	row = row_of_shared(self->root, "unmap");
	EXPECT_EQ(2 * SLOTS, live_number(row, "tables"));
	EXPECT_EQ(3, live_number(row, "upper_tables"));
	ASSERT_EQ(0, member_tell(&members[0], UNMAP_AGAIN));
	EXPECT_EQ((SLOTS + 1) * PAGE, before - member_vmpte(1));
	/* the remaining mapping has tables for all the memory */
	ASSERT_EQ(0, member_tell(&members[0], TOUCH));
	EXPECT_EQ((SLOTS + 1) * PAGE, before - member_vmpte(1));
	ASSERT_EQ(0, member_tell(&members[0], UNMAP_SHARED));
	EXPECT_EQ((2 * SLOTS + 3) * PAGE, before - member_vmpte(1));
	member_stop(1);
}

/*
 * The process writes and checks its memory all the time, and thereby splits collapsed
 * slots.
 */
TEST_F_TIMEOUT(whatif, no_byte_is_lost_under_load, 1800)
{
	const char *wish = getenv("WHATIF_RECLAIMS");
	const int nr = wish ? atoi(wish) : 3;
	uint64_t returned = 0;
	int i = 0;

	if (collapse_missing())
		SKIP(return, "needs %s", collapse_missing());
	ASSERT_EQ(0, member_share(2, PAGE));
	member_order(&members[0], CHECK);
	/* try more often if the process split all slots before the tool counted */
	for (; i < nr || (!returned && i < 100); i++) {
		int status = ask("reclaim", "--do", NULL, members[0].pid,
				 &self->root);

		/* a slot that is being written to cannot always be collapsed */
		EXPECT_TRUE(status == 0 || status == 1);
		returned += live_number(self->root, "returned_tables");
		json_decref(self->root);
		self->root = NULL;
	}
	member_order(&members[0], STOP);
	EXPECT_EQ(0, member_answer(&members[0]));
	live_note("%d reclaims returned %" PRIu64 " tables", i, returned);
	EXPECT_LT(0, returned);
	member_stop(2);
}

/*
 * Run reclaim and kill it when it has made @nr huge pages.  If @nr is 0, kill it when it is
 * about to make the first one.  Return: whether it was killed there.
 */
static bool kill_reclaim_after(unsigned int nr, const char *pid)
{
	struct user_regs_struct regs;
	bool inside = false, killed = false;
	unsigned int made = 0;
	pid_t tool = fork();
	int status;

	if (!tool) {
		dup2(open("/dev/null", O_WRONLY), 1);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execl(live_tool(), "ptaudit", "reclaim", "--do", pid, NULL);
		_exit(127);
	}
	/* it stops at execve(), and then twice at each system call */
	while (!killed && waitpid(tool, &status, 0) == tool &&
	       WIFSTOPPED(status) &&
	       !ptrace(PTRACE_GETREGS, tool, NULL, &regs)) {
		/* the call with an empty vector only asks whether the kernel has it */
		if (regs.orig_rax == SYS_process_madvise && regs.rdx) {
			inside = !inside;
			made += !inside && (long)regs.rax > 0;
			killed = made == nr && inside == !nr;
		}
		if (!killed)
			ptrace(PTRACE_SYSCALL, tool, NULL, NULL);
	}
	end(tool);
	return killed;
}

/* Huge pages that reclaim has made stay when it is killed, and it makes no further ones. */
TEST_F_TIMEOUT(whatif, killed_reclaim_changes_no_memory, 900)
{
	static const unsigned int after[] = { 0, 1, 7, 16, SLOTS };
	uint64_t first, before, freed;
	char pid_text[16];

	if (collapse_missing())
		SKIP(return, "needs %s", collapse_missing());
	ASSERT_EQ(0, member_share(2, PAGE));
	first = member_tell(&members[0], HASH);
	snprintf(pid_text, sizeof(pid_text), "%d", members[1].pid);
	for (size_t i = 0; i < sizeof(after) / sizeof(after[0]); i++) {
		before = member_vmpte(2);
		EXPECT_TRUE(kill_reclaim_after(after[i], pid_text));
		freed = (before - member_vmpte(2)) / PAGE;
		/* the other process may keep its tables before 6.6 */
		EXPECT_LE(after[i], freed);
		EXPECT_GE(2 * after[i], freed);
		EXPECT_EQ(first, member_tell(&members[0], HASH));
		EXPECT_EQ(first, member_tell(&members[1], HASH));
		/* base pages again: replace pages by others with the same content */
		for (uint64_t slot = 0; slot < SLOTS; slot++) {
			char page[PAGE];
			off_t at = (off_t)(slot * HUGE);

			ASSERT_EQ((ssize_t)PAGE,
				  pread(shared_fd, page, PAGE, at));
			ASSERT_EQ(0, fallocate(shared_fd,
					       FALLOC_FL_PUNCH_HOLE |
						       FALLOC_FL_KEEP_SIZE,
					       at, PAGE));
			ASSERT_EQ((ssize_t)PAGE,
				  pwrite(shared_fd, page, PAGE, at));
		}
		ASSERT_EQ(0, member_tell(&members[0], TOUCH));
		ASSERT_EQ(0, member_tell(&members[1], TOUCH));
	}
	ASSERT_EQ(0, ask("reclaim", "--do", NULL, members[0].pid, &self->root));
	EXPECT_EQ(first, member_tell(&members[0], HASH));
	EXPECT_EQ(first, member_tell(&members[1], HASH));
	member_stop(2);
}

TEST_HARNESS_MAIN
