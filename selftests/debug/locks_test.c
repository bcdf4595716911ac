// SPDX-License-Identifier: GPL-2.0-only
/*
 * The locks that an answer takes, as the tracepoints of lockdep show each acquire and
 * release.
 *
 * File locks: the module's own assertions use the function that also decides about the
 * lock, so a fault in that function would break both.  This test is independent of it.
 * If PMD tables may be shared, the walk must take the file's i_mmap_rwsem for reading
 * (module/LOCKING.md, all kernels). Otherwise it must take none, because reclaim takes
 * that of other files.
 *
 * While an address space is pinned, no allocation may wait for reclaim: might_alloc()
 * acquires fs_reclaim for each allocation, even if memory is available.  The module does
 * the same with each i_mmap_rwsem.  Nothing else may.
 *
 * The mm of a task is taken under its alloc_lock: otherwise it could be freed before its
 * count is raised.
 *
 * The LDT's lock is taken for reading: then only tasks that change the LDT have to wait.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "lib/lib.h"

#define ACQUIRE LIVE_TRACING "events/lock/lock_acquire/"
#define RELEASE LIVE_TRACING "events/lock/lock_release/"
#define POOL "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"

/*
 * lockdep's names: hugetlb files have a lock class of their own, set by
 * hugetlbfs_get_inode() in fs/hugetlbfs/inode.c (5.10 to 7.2).  Other files have the
 * name from inode_init_always() in fs/inode.c, or from the class of their file system.
 */
#define HUGETLB_NAME "hugetlbfs_i_mmap_rwsem_key"
#define ANY_NAME "i_mmap_rwsem"

/* Source: module/target.c; mm/page_alloc.c and kernel/fork.c (5.10 to 7.2) */
#define PIN_NAME "pta_pin"
#define RECLAIM_NAME "fs_reclaim"
#define TASK_NAME "->alloc_lock"
/* Source: init_new_context_ldt(), arch/x86/include/asm/mmu_context.h (5.10 to 7.2) */
#define LDT_NAME "ldt_usr_sem"

struct shape {
	bool hugetlb, shared, read_only;
};

/*
 * Map a complete GiB of a hugetlb file, whose table may then be shared, or the same size
 * of other memory.
 */
static pid_t build(const struct shape *s)
{
	int flags = MAP_NORESERVE | (s->shared ? MAP_SHARED : MAP_PRIVATE);
	int prot = PROT_READ | (s->read_only ? 0 : PROT_WRITE);
	int file = -1;

	if (s->hugetlb) {
		live_must(live_set(POOL, "4"));
		file = memfd_create("locks", MFD_HUGETLB);
		live_must(file);
		live_must(ftruncate(file, GIB));
	} else {
		flags |= MAP_ANONYMOUS;
	}
	if (s->read_only) {
		char path[32];

		snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
		file = open(path, O_RDONLY);
		live_must(file);
	}
	live_map_fd(FAR, GIB, prot, flags, file);
	for (uint64_t at = FAR; at < FAR + 2 * HUGE; at += HUGE)
		if (s->read_only)
			(void)*(volatile char *)at;
		else
			live_touch(at, at + PAGE);
	return 0;
}

static int trace_begin(void)
{
	char filter[192];
	cpu_set_t cpu;

	/* One CPU: only then the lines have the order of the events. */
	CPU_ZERO(&cpu);
	CPU_SET(0, &cpu);
	if (sched_setaffinity(0, sizeof(cpu), &cpu))
		return -1;
	/* lockdep's name ends with the class key, and may start with `&` */
	snprintf(filter, sizeof(filter),
		 "common_pid == %d && (name ~ \"*%s*\" || name ~ \"*%s*\" || "
		 "name ~ \"*%s*\" || name ~ \"*%s*\" || name ~ \"*%s*\")",
		 getpid(), ANY_NAME, PIN_NAME, RECLAIM_NAME, TASK_NAME,
		 LDT_NAME);
	return live_trace_begin(ACQUIRE, filter) |
	       live_trace_begin(RELEASE, filter);
}

struct taken {
	unsigned int hugetlb, hugetlb_for_reading, others;
	unsigned int tasks;
	unsigned int ldts, ldts_for_reading;
	unsigned int pins, unpins;
	unsigned int reclaims, reclaims_pinned;
};

static void count_acquired(const char *line, struct taken *ret)
{
	if (strstr(line, PIN_NAME)) {
		ret->pins++;
	} else if (strstr(line, RECLAIM_NAME)) {
		ret->reclaims++;
		ret->reclaims_pinned += ret->pins != ret->unpins;
	} else if (strstr(line, TASK_NAME)) {
		ret->tasks++;
	} else if (strstr(line, LDT_NAME)) {
		ret->ldts++;
		ret->ldts_for_reading += strstr(line, " read ") != NULL;
	} else if (strstr(line, HUGETLB_NAME)) {
		ret->hugetlb++;
		ret->hugetlb_for_reading += strstr(line, " read ") != NULL;
	} else {
		live_note("%.*s", (int)strcspn(line, "\n"), line);
		ret->others++;
	}
}

/* Return: 0, or -1, also if the trace lost events. */
static int read_trace(struct taken *ret)
{
	FILE *trace = fopen(LIVE_TRACING "trace", "r");
	unsigned long kept = 0, written = 1;
	char line[512];

	memset(ret, 0, sizeof(*ret));
	if (!trace)
		return -1;
	while (fgets(line, sizeof(line), trace)) {
		sscanf(line, "# entries-in-buffer/entries-written: %lu/%lu",
		       &kept, &written);
		if (strstr(line, "lock_acquire:"))
			count_acquired(line, ret);
		else if (strstr(line, "lock_release:"))
			ret->unpins += strstr(line, PIN_NAME) != NULL;
	}
	fclose(trace);
	if (kept == written && ret->pins == ret->unpins)
		return 0;
	live_note("the trace has %lu of %lu events; they show %u pins, of which %u were released",
		  kept, written, ret->pins, ret->unpins);
	return -1;
}

/* Check the tracepoint itself: mmap() of a hugetlb file takes such a lock for writing. */
static int witness_is_awake(void)
{
	int file = memfd_create("witness", MFD_HUGETLB);
	struct taken taken;
	void *at;

	if (file < 0 || ftruncate(file, HUGE) || live_trace(true))
		return -1;
	at = mmap(NULL, HUGE, PROT_READ, MAP_SHARED | MAP_NORESERVE, file, 0);
	live_trace(false);
	if (at == MAP_FAILED || read_trace(&taken))
		return -1;
	munmap(at, HUGE);
	close(file);
	return taken.hugetlb > taken.hugetlb_for_reading ? 0 : -1;
}

/*
 * Ask for [FAR, @end), or for the whole process if @end is 0.  @taken: the locks of the
 * request, and those of the answer.
 */
static int ask_to(uint64_t end, const char *file, pid_t pid,
		  struct taken taken[2])
{
	static char text[1 * MIB];
	char path[64], request[LIVE_REQUEST];
	int fd, err;

	snprintf(path, sizeof(path), LIVE_DEBUGFS "%s", file);
	live_make_request(request, pid, FAR, end);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -1;
	err = live_trace(true) || live_request(fd, request) ||
	      live_trace(false) || read_trace(&taken[0]);
	if (!err)
		err = live_trace(true) || read(fd, text, sizeof(text)) <= 0 ||
		      live_trace(false) || read_trace(&taken[1]);
	close(fd);
	return err ? -1 : 0;
}

static int ask(const char *file, pid_t pid, struct taken taken[2])
{
	return ask_to(strcmp(file, "counts") ? FAR + GIB : 0, file, pid, taken);
}

FIXTURE(locks)
{
	struct target target;
};

FIXTURE_VARIANT(locks)
{
	struct shape shape;
	bool wanted;
};

FIXTURE_VARIANT_ADD(locks, hugetlb_shared){
	.shape = { .hugetlb = true, .shared = true },
	.wanted = true,
};

/* The mapping may share tables (VM_MAYSHARE), but is not writable (no VM_SHARED). */
FIXTURE_VARIANT_ADD(locks, hugetlb_shared_read_only){
	.shape = { .hugetlb = true, .shared = true, .read_only = true },
	.wanted = true,
};

FIXTURE_VARIANT_ADD(locks, anon_private){ .shape = { .hugetlb = false } };

FIXTURE_VARIANT_ADD(locks, shmem_shared){ .shape = { .shared = true } };

FIXTURE_SETUP(locks)
{
	ASSERT_EQ(0, live_check_environment());
	ASSERT_EQ(0, live_trace_mount());
	ASSERT_EQ(0, access(ACQUIRE "enable", W_OK));
	ASSERT_EQ(0, access(RELEASE "enable", W_OK));
	ASSERT_EQ(0, target_start(&self->target, build, &variant->shape));
	ASSERT_EQ(0, trace_begin());
	ASSERT_EQ(0, witness_is_awake());
}

FIXTURE_TEARDOWN(locks)
{
	live_trace_end(ACQUIRE);
	live_trace_end(RELEASE);
	target_stop(&self->target);
	live_set(POOL, "0");
}

static const char *const files[] = { "tables", "counts", "pages", "orphans" };

#define NR_FILES (sizeof(files) / sizeof(files[0]))

TEST_F(locks, file_lock_is_taken_where_tables_may_be_shared)
{
	for (size_t i = 0; i < NR_FILES; i++) {
		struct taken taken[2];

		ASSERT_EQ(0, ask(files[i], self->target.pid, taken));
		TH_LOG("%s: the lock was taken %u times, %u of them for reading",
		       files[i], taken[1].hugetlb,
		       taken[1].hugetlb_for_reading);
		EXPECT_EQ(taken[1].hugetlb, taken[1].hugetlb_for_reading);
		EXPECT_EQ(variant->wanted, taken[1].hugetlb_for_reading > 0);
		EXPECT_EQ(0, taken[0].hugetlb);
		EXPECT_EQ(0, taken[0].others);
		EXPECT_EQ(0, taken[1].others);
	}
}

TEST_F(locks, nothing_is_allocated_while_pinned)
{
	for (size_t i = 0; i < NR_FILES; i++) {
		struct taken taken[2];

		ASSERT_EQ(0, ask(files[i], self->target.pid, taken));
		TH_LOG("%s: %u pins, %u allocations, %u of them under a pin",
		       files[i], taken[1].pins, taken[1].reclaims,
		       taken[1].reclaims_pinned);
		/* One pin to find the target, one to take its mm, and one per hold. */
		EXPECT_LE(1, taken[0].pins);
		EXPECT_LE(2, taken[1].pins);
		EXPECT_EQ(0, taken[0].reclaims_pinned);
		EXPECT_EQ(taken[1].hugetlb, taken[1].reclaims_pinned);
		/* Allocations before the pin show that the tracepoint works. */
		EXPECT_LT(taken[1].reclaims_pinned, taken[1].reclaims);
	}
}

TEST_F(locks, mm_is_taken_under_the_task_lock)
{
	for (size_t i = 0; i < NR_FILES; i++) {
		struct taken taken[2];

		ASSERT_EQ(0, ask(files[i], self->target.pid, taken));
		TH_LOG("%s: the request took the task lock %u times, the read %u times",
		       files[i], taken[0].tasks, taken[1].tasks);
		/* To find the target; then to take its mm, and to check it again. */
		EXPECT_LE(1, taken[0].tasks);
		EXPECT_LE(2, taken[1].tasks);
	}
}

TEST_F(locks, ldt_lock_is_taken_for_reading)
{
	if (!live_system()->pti)
		SKIP(return, "needs KPTI");
	for (size_t i = 0; i < NR_FILES; i++) {
		struct taken taken[2];

		ASSERT_EQ(0, ask_to(0, files[i], self->target.pid, taken));
		TH_LOG("%s: the lock was taken %u times, %u of them for reading",
		       files[i], taken[1].ldts, taken[1].ldts_for_reading);
		EXPECT_EQ(0, taken[0].ldts);
		EXPECT_EQ(1, taken[1].ldts);
		EXPECT_EQ(1, taken[1].ldts_for_reading);
	}
}

TEST_HARNESS_MAIN
