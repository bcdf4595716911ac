// SPDX-License-Identifier: GPL-2.0-only
/*
 * Layouts of file mappings, of faults that end in a signal, and what a forked
 * child gets of its parent's tables.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "layout.h"

/* A file that lies on a file system with a page cache, of .nr pages or more. */
static pid_t build_file(const struct shape *s)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	struct stat stat;

	live_must(fd);
	live_must(fstat(fd, &stat));
	live_must_be(stat.st_size >= (off_t)(s->nr * PAGE), "size of the file");
	live_map_fd(s->start, s->nr * PAGE, PROT_READ,
		    MAP_PRIVATE | MAP_POPULATE, fd);
	return 0;
}

static void expect_file(struct expect *e, const struct shape *s)
{
	expect_pages(e, s->start, s->start + s->nr * PAGE);
}

FIXTURE_VARIANT_ADD(layout, file_read){
	.shape = { .start = FAR + 4 * MIB - 3 * PAGE, .nr = 10 },
	.build = build_file,
	.expect = expect_file,
};

static pid_t build_file_written(const struct shape *s)
{
	int fd = open("/proc/self/exe", O_RDONLY);

	live_must(fd);
	live_map_fd(s->start, s->nr * PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_POPULATE, fd);
	live_touch(s->start, s->start + s->nr * PAGE);
	return 0;
}

FIXTURE_VARIANT_ADD(layout, file_copied_on_write){
	.shape = { .start = FAR + 4 * MIB - 3 * PAGE, .nr = 10 },
	.build = build_file_written,
	.expect = expect_file,
};

static int map_shmem(uint64_t start, uint64_t file_bytes, uint64_t bytes)
{
	int fd = memfd_create("layout", 0);

	live_must(ftruncate(fd, (off_t)file_bytes));
	live_map_fd(start, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
	live_must(madvise((void *)start, bytes, MADV_NOHUGEPAGE));
	return fd;
}

static pid_t build_shmem(const struct shape *s)
{
	map_shmem(s->start, s->bytes, s->bytes);
	live_touch(s->start, s->start + s->bytes);
	return 0;
}

static void expect_shmem(struct expect *e, const struct shape *s)
{
	expect_pages(e, s->start, s->start + s->bytes);
}

FIXTURE_VARIANT_ADD(layout, shmem_dense){
	.shape = { .start = FAR + GIB - MIB, .bytes = 5 * MIB },
	.build = build_shmem,
	.expect = expect_shmem,
};

/* What was truncated away leaves its PTE tables, empty. */
static pid_t build_truncated(const struct shape *s)
{
	int fd = map_shmem(s->start, s->bytes, s->bytes);

	live_touch(s->start, s->start + s->bytes);
	live_must(ftruncate(fd, 0));
	return 0;
}

static void expect_truncated(struct expect *e, const struct shape *s)
{
	expect_empty(e, s->start, s->start + s->bytes);
	e->empty[PTAUDIT_PMD] = 1;
	e->empty[PTAUDIT_PUD] = 1;
}

FIXTURE_VARIANT_ADD(layout, shmem_truncated){
	.shape = { .start = FAR, .bytes = 3 * HUGE },
	.build = build_truncated,
	.expect = expect_truncated,
};

static sigjmp_buf after_signal;

static void on_signal(int sig)
{
	siglongjmp(after_signal, sig);
}

static int signal_of_read(uint64_t addr)
{
	int sig;

	signal(SIGBUS, on_signal);
	signal(SIGSEGV, on_signal);
	sig = sigsetjmp(after_signal, 1);
	if (!sig)
		(void)*(volatile char *)addr;
	return sig;
}

/* A fault makes the upper tables before it finds that the file is too short. */
static pid_t build_sigbus(const struct shape *s)
{
	map_shmem(s->start, PAGE, s->bytes);
	live_must_be(signal_of_read(s->start + 3 * GIB / 2) == SIGBUS,
		     "SIGBUS");
	return 0;
}

static void expect_sigbus(struct expect *e, const struct shape *s)
{
	expect_table(e, PTAUDIT_PMD, s->start + 3 * GIB / 2);
	e->empty[PTAUDIT_PMD] = 1;
	e->empty[PTAUDIT_PUD] = 1;
}

FIXTURE_VARIANT_ADD(layout, sigbus_past_end_of_file){
	.shape = { .start = FAR, .bytes = 2 * GIB },
	.build = build_sigbus,
	.expect = expect_sigbus,
};

static pid_t build_sigsegv(const struct shape *s)
{
	live_must(
		mprotect(live_map(s->start, s->bytes, 0), s->bytes, PROT_NONE));
	live_must_be(signal_of_read(s->start) == SIGSEGV, "SIGSEGV");
	return 0;
}

static void expect_nothing(struct expect *e, const struct shape *s)
{
	(void)e;
	(void)s;
}

FIXTURE_VARIANT_ADD(layout, sigsegv_makes_no_table){
	.shape = { .start = FAR, .bytes = GIB },
	.build = build_sigsegv,
	.expect = expect_nothing,
};

static void map_anon(const struct shape *s)
{
	live_must(madvise(live_map(s->start, s->bytes, 0), s->bytes,
			  MADV_NOHUGEPAGE));
	live_touch(s->start, s->start + s->bytes);
}

static pid_t build_fork_anon(const struct shape *s)
{
	map_anon(s);
	return live_fork(0, 0);
}

FIXTURE_VARIANT_ADD(layout, forked_child_gets_anon){
	.shape = { .start = FAR + HUGE - PAGE, .bytes = 5 * MIB },
	.build = build_fork_anon,
	.expect = expect_shmem,
};

static pid_t build_fork_emptied(const struct shape *s)
{
	map_anon(s);
	for (uint64_t at = s->start; at < s->start + s->bytes; at += PAGE)
		live_must(madvise((void *)at, PAGE, MADV_DONTNEED));
	return live_fork(0, 0);
}

FIXTURE_VARIANT_ADD(layout, forked_child_gets_empty_tables){
	.shape = { .start = FAR, .bytes = 3 * HUGE },
	.build = build_fork_emptied,
	.expect = expect_truncated,
};

static pid_t build_fork_shmem(const struct shape *s)
{
	build_shmem(s);
	return live_fork(0, 0);
}

FIXTURE_VARIANT_ADD(layout, forked_child_gets_no_shmem){
	.shape = { .start = FAR, .bytes = 3 * HUGE },
	.build = build_fork_shmem,
	.expect = expect_nothing,
};

TEST_HARNESS_MAIN
