// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which locks of files an answer takes, by the tracepoint that lockdep has for each
 * lock that is acquired.  The module's own assertions ask the function that also
 * decides about the lock, so that they would all be wrong with it; this does not.
 *
 * Where PMD tables may be shared, the file's i_mmap_rwsem is wanted, for reading
 * (module/LOCKING.md, all kernels); elsewhere none: that of other files is one that
 * reclaim takes.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "lib.h"

#define EVENT LIVE_TRACING "events/lock/lock_acquire/"
#define POOL "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"

/*
 * As lockdep names them: hugetlb files' have a class of their own, set by
 * hugetlbfs_get_inode() in fs/hugetlbfs/inode.c (5.10 to 7.2); the others' name is
 * from inode_init_always() in fs/inode.c, or of their file system's class.
 */
#define HUGETLB_NAME "hugetlbfs_i_mmap_rwsem_key"
#define ANY_NAME "i_mmap_rwsem"

struct shape {
	bool hugetlb, shared, read_only;
};

/* A whole GiB of a hugetlb file, so that its table may be shared; or as small. */
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
	char filter[64];

	/* lockdep's class key is the name's end, an `&` its start */
	snprintf(filter, sizeof(filter), "common_pid == %d && name ~ \"*%s*\"",
		 getpid(), ANY_NAME);
	return live_trace_begin(EVENT, filter);
}

struct taken {
	unsigned int hugetlb, hugetlb_for_reading, others;
};

static int read_trace(struct taken *ret)
{
	FILE *trace = fopen(LIVE_TRACING "trace", "r");
	char line[512];

	memset(ret, 0, sizeof(*ret));
	if (!trace)
		return -1;
	while (fgets(line, sizeof(line), trace)) {
		if (!strstr(line, "lock_acquire:"))
			continue;
		if (!strstr(line, HUGETLB_NAME)) {
			live_note("%.*s", (int)strcspn(line, "\n"), line);
			ret->others++;
			continue;
		}
		ret->hugetlb++;
		ret->hugetlb_for_reading += strstr(line, " read ") != NULL;
	}
	fclose(trace);
	return 0;
}

/* Is the tracepoint what it is taken for?  Mapping takes such a lock, to write. */
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

static int ask(const char *file, pid_t pid)
{
	static char text[1 * MIB];
	char path[64], request[80];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), LIVE_DEBUGFS "%s", file);
	if (!strcmp(file, "counts"))
		snprintf(request, sizeof(request), "%d", pid);
	else
		snprintf(request, sizeof(request), "%d 0x%lx 0x%lx", pid, FAR,
			 FAR + GIB);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0 || live_request(fd, request))
		return -1;
	got = read(fd, text, sizeof(text));
	close(fd);
	return got > 0 ? 0 : -1;
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

/* May be shared (VM_MAYSHARE), and is by others; but not written (VM_SHARED). */
FIXTURE_VARIANT_ADD(locks, hugetlb_shared_read_only){
	.shape = { .hugetlb = true, .shared = true, .read_only = true },
	.wanted = true,
};

FIXTURE_VARIANT_ADD(locks, anon_private){
	.shape = { .hugetlb = false },
};

FIXTURE_VARIANT_ADD(locks, shmem_shared){
	.shape = { .shared = true },
};

FIXTURE_SETUP(locks)
{
	ASSERT_EQ(0, live_check_environment());
	ASSERT_EQ(0, live_trace_mount());
	ASSERT_EQ(0, access(EVENT "enable", W_OK));
	ASSERT_EQ(0, target_start(&self->target, build, &variant->shape));
	ASSERT_EQ(0, trace_begin());
	ASSERT_EQ(0, witness_is_awake());
}

FIXTURE_TEARDOWN(locks)
{
	live_trace_end(EVENT);
	target_stop(&self->target);
	live_set(POOL, "0");
}

TEST_F(locks, are_taken_where_tables_may_be_shared)
{
	static const char *const files[] = { "tables", "counts", "pages",
					     "orphans" };

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct taken taken;

		ASSERT_EQ(0, live_trace(true));
		ASSERT_EQ(0, ask(files[i], self->target.pid));
		ASSERT_EQ(0, live_trace(false));
		ASSERT_EQ(0, read_trace(&taken));
		TH_LOG("%s: %u times, %u of them for reading", files[i],
		       taken.hugetlb, taken.hugetlb_for_reading);
		EXPECT_EQ(taken.hugetlb, taken.hugetlb_for_reading);
		EXPECT_EQ(variant->wanted, taken.hugetlb_for_reading > 0);
		EXPECT_EQ(0, taken.others);
	}
}

TEST_HARNESS_MAIN
