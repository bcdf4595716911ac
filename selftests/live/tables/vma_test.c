// SPDX-License-Identifier: GPL-2.0-only
/*
 * Special kinds of mappings, or very many of them: populated, locked, growing downwards,
 * secret, in the kernel half.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "fixtures/layout.h"

/* Source: arch/x86/entry/syscalls/syscall_64.tbl (5.14) */
#ifndef SYS_memfd_secret
#define SYS_memfd_secret 447
#endif

/*
 * mmap() populates the mapping up to the end of a file of .nr pages.  The fault beyond
 * it allocates the upper tables and then fails, without an error of mmap().
 */
static pid_t build_populated(const struct shape *s)
{
	int fd = memfd_create("layout", 0);

	live_must(ftruncate(fd, (off_t)(s->nr * PAGE)));
	live_map_fd(s->start, s->bytes, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_POPULATE, fd);
	return 0;
}

static void expect_populated(struct expect *e, const struct shape *s)
{
	uint64_t end = s->start + s->nr * PAGE;

	expect_pages(e, s->start, end);
	if (end % GIB == 0) {
		expect_table(e, PTAUDIT_PMD, end);
		e->empty[PTAUDIT_PMD] = 1;
	}
}

LAYOUT(populated_past_end_of_file, build_populated, expect_populated,
       SHAPE(.start = FAR, .bytes = 4 * HUGE, .nr = 515));

LAYOUT(populated_past_end_of_file_at_1g_edge, build_populated, expect_populated,
       SHAPE(.start = FAR + GIB - 2 * HUGE, .bytes = 4 * HUGE, .nr = 1024));

/* .nr pages in the middle of .bytes are PROT_NONE and cannot be populated. */
static uint64_t none_start(const struct shape *s)
{
	return s->start + 2 * HUGE + 5 * PAGE;
}

static void map_with_none(const struct shape *s)
{
	live_map_small(s->start, s->bytes);
	live_must(mprotect((void *)none_start(s), s->nr * PAGE, PROT_NONE));
}

static pid_t build_mlocked(const struct shape *s)
{
	map_with_none(s);
	live_must_be(mlock((void *)s->start, s->bytes) && errno == ENOMEM,
		     "mlock must fail");
	return 0;
}

/* mlock() stops at the first page without access. */
static void expect_mlocked(struct expect *e, const struct shape *s)
{
	expect_pages(e, s->start, none_start(s));
}

LAYOUT(mlock_up_to_prot_none, build_mlocked, expect_mlocked,
       SHAPE(.start = FAR + GIB - HUGE, .bytes = 8 * HUGE, .nr = 1024));

static pid_t build_all_mlocked(const struct shape *s)
{
	map_with_none(s);
	live_must(mlockall(MCL_CURRENT));
	return 0;
}

/* mlockall() continues after the pages without access. */
static void expect_all_mlocked(struct expect *e, const struct shape *s)
{
	expect_mlocked(e, s);
	expect_pages(e, none_start(s) + s->nr * PAGE, s->start + s->bytes);
}

LAYOUT(mlockall_around_prot_none, build_all_mlocked, expect_all_mlocked,
       SHAPE(.start = FAR + GIB - HUGE, .bytes = 8 * HUGE, .nr = 1024));

/* The mapping grows downwards like a stack, .nr times by .stride, from the page at .start. */
static pid_t build_grown_down(const struct shape *s)
{
	const struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };

	live_must(setrlimit(RLIMIT_STACK, &limit));
	live_no_huge(live_map(s->start, PAGE, MAP_GROWSDOWN), PAGE);
	for (unsigned int i = 0; i < s->nr; i++)
		live_touch(s->start - i * s->stride,
			   s->start - i * s->stride + PAGE);
	return 0;
}

static void expect_grown_down(struct expect *e, const struct shape *s)
{
	for (unsigned int i = 0; i < s->nr; i++)
		expect_pages(e, s->start - i * s->stride,
			     s->start - i * s->stride + PAGE);
}

LAYOUT(stack_over_2m_edges, build_grown_down, expect_grown_down,
       SHAPE(.start = FAR + 5 * GIB + 3 * PAGE, .stride = MIB + 7 * PAGE,
	     .nr = 9));

LAYOUT(stack_over_1g_edges, build_grown_down, expect_grown_down,
       SHAPE(.start = FAR + 5 * GIB + 3 * PAGE, .stride = 700 * MIB, .nr = 4));

/*
 * pagemap sets bit 55 (soft-dirty) for each hole of a mapping that is younger than the
 * last clear_refs.  These holes are not pages.
 */
static void clear_soft_dirty(void)
{
	live_must(live_set("/proc/self/clear_refs", "4"));
}

/*
 * Touch one page per .stride, clear the soft-dirty bits, then touch every second one
 * again.
 */
static pid_t build_soft_dirty(const struct shape *s)
{
	uint64_t end = s->start + s->bytes;

	live_map_small(s->start, s->bytes);
	live_touch_each(s->start, end, s->stride);
	clear_soft_dirty();
	live_touch_each(s->start, end, 2 * s->stride);
	/* a neighbour that is mapped after the write to clear_refs, and has one page */
	live_map_fd(end, s->bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	live_no_huge((void *)end, s->bytes);
	live_must_be(!*(volatile char *)(end + PAGE), "zeroes");
	return 0;
}

static void expect_soft_dirty(struct expect *e, const struct shape *s)
{
	uint64_t end = s->start + s->bytes;

	for (uint64_t page = s->start; page < end; page += s->stride)
		expect_pages(e, page, page + PAGE);
	expect_pages(e, end + PAGE, end + 2 * PAGE);
}

LAYOUT(soft_dirty_pages_and_holes, build_soft_dirty, expect_soft_dirty,
       SHAPE(.start = FAR + GIB - 8 * HUGE + 3 * PAGE, .bytes = 16 * HUGE,
	     .stride = HUGE + 9 * PAGE));

/* The last slot of .bytes stays a hole. */
static pid_t build_soft_dirty_huge(const struct shape *s)
{
	live_must(live_set(THP "enabled", "madvise"));
	live_must(madvise(live_map(s->start, s->bytes, 0), s->bytes,
			  MADV_HUGEPAGE));
	live_touch(s->start, s->start + s->bytes - HUGE);
	live_must_be(live_smaps_kib(getpid(), "AnonHugePages", s->start,
				    s->start + s->bytes) ==
			     (s->bytes - HUGE) / KIB,
		     "AnonHugePages");
	clear_soft_dirty();
	live_touch(s->start + HUGE, s->start + HUGE + PAGE);
	return 0;
}

static void expect_soft_dirty_huge(struct expect *e, const struct shape *s)
{
	expect_leaves(e, s->start, s->start + s->bytes - HUGE, true);
}

LAYOUT(soft_dirty_thp, build_soft_dirty_huge, expect_soft_dirty_huge,
       SHAPE(.start = FAR + GIB - HUGE, .bytes = 5 * HUGE));

/*
 * The number of mappings.  A slow kernel gets fewer than the name of the layout says, because
 * the tests would take most of an hour there.
 */
static unsigned int nr_vmas(const struct shape *s)
{
	return s->nr / live_time_factor();
}

/* Each page is a separate mapping. */
static pid_t build_many(const struct shape *s)
{
	live_map_small(s->start, nr_vmas(s) * s->stride);
	for (unsigned int i = 0; i < nr_vmas(s); i++) {
		uint64_t page = s->start + i * s->stride;

		live_touch(page, page + PAGE);
		if (i % 2)
			live_must(mprotect((void *)page, s->stride, PROT_READ));
	}
	return 0;
}

static void expect_many(struct expect *e, const struct shape *s)
{
	for (unsigned int i = 0; i < nr_vmas(s); i++)
		expect_pages(e, s->start + i * s->stride,
			     s->start + i * s->stride + PAGE);
}

LAYOUT(vmas_20000_in_few_tables, build_many, expect_many,
       SHAPE(.start = FAR + 5 * PAGE, .stride = PAGE, .nr = 20000));

LAYOUT(vmas_12000_in_as_many_tables, build_many, expect_many,
       SHAPE(.start = FAR + 5 * PAGE, .stride = HUGE, .nr = 12000));

/* Source: include/uapi/asm/vsyscall.h, VSYSCALL_ADDR, __NR_vtime (arch/x86) */
#define VSYSCALL 0xffffffffff600000UL
#define VSYSCALL_TIME (VSYSCALL + 0x400)

static const char *missing_vsyscall(const struct shape *s)
{
	char line[256];
	FILE *maps = fopen("/proc/self/maps", "r");
	bool found = false;

	while (maps && !found && fgets(line, sizeof(line), maps))
		found = strstr(line, "[vsyscall]");
	if (maps)
		fclose(maps);
	return found ? NULL : "vsyscall";
}

/* /proc/PID/maps lists the vsyscall page, but its tables belong to the kernel. */
static pid_t build_vsyscall(const struct shape *s)
{
	time_t (*vsyscall_time)(time_t *) = (void *)VSYSCALL_TIME;

	live_must_be(vsyscall_time(NULL) > 0, "the time");
	return 0;
}

LAYOUT(vsyscall, build_vsyscall, expect_nothing,
       .region_start = VSYSCALL - 4 * GIB, .region_end = VSYSCALL + HUGE,
       .missing = missing_vsyscall);

static const char *missing_secret(const struct shape *s)
{
	int fd = (int)syscall(SYS_memfd_secret, 0);

	if (fd < 0)
		return "memfd_secret";
	close(fd);
	return NULL;
}

/* The kernel removes these pages from its own direct map. */
static pid_t build_secret(const struct shape *s)
{
	int fd = (int)syscall(SYS_memfd_secret, 0);

	live_must(fd);
	live_must(ftruncate(fd, (off_t)s->bytes));
	live_map_fd(s->start, s->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
	live_touch(s->start, s->start + s->bytes);
	return 0;
}

LAYOUT(secret_memory, build_secret, expect_dense,
       SHAPE(.start = FAR + HUGE - 9 * PAGE, .bytes = HUGE + 20 * PAGE),
       .missing = missing_secret);

TEST_HARNESS_MAIN
