// SPDX-License-Identifier: GPL-2.0-only
/*
 * What becomes of tables after their pages came: swapped out, guarded,
 * collapsed, write-protected through userfaultfd, given back by whole tables.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "layout.h"

/* Source: include/uapi/asm-generic/mman-common.h (6.1; guards from 6.13 on) */
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif
#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#define MADV_GUARD_REMOVE 103
#endif
/* Source: include/uapi/linux/userfaultfd.h (6.4) */
#ifndef UFFD_FEATURE_WP_UNPOPULATED
#define UFFD_FEATURE_WP_UNPOPULATED (1 << 13)
#endif

#define THP "/sys/kernel/mm/transparent_hugepage/"
#define SWAP_DEVICE "/dev/ram0"

static void map_small(uint64_t start, uint64_t bytes)
{
	live_must(madvise(live_map(start, bytes, 0), bytes, MADV_NOHUGEPAGE));
}

static void touch_each(uint64_t start, uint64_t end, uint64_t stride)
{
	for (uint64_t at = start; at < end; at += stride)
		live_touch(at, at + PAGE);
}

/* Entries of PTE tables that are not present; which member counts them. */
static void expect_entries(struct expect *e, uint64_t start, uint64_t end,
			   size_t member)
{
	for (uint64_t addr = start; addr < end; addr += PAGE) {
		struct ptaudit_table *table = expect_table(e, PTAUDIT_PTE,
							   addr);

		if (!table)
			continue;
		table->used++;
		++*(uint16_t *)((char *)table + member);
	}
}

/* A table with nothing in it is empty, and those above it are hollow. */
static void expect_all_hollow(struct expect *e)
{
	for (unsigned int level = PTAUDIT_PMD; level <= PTAUDIT_PUD; level++)
		e->empty[level] = e->nr[level];
}

static void run(char *const argv[])
{
	struct tool_run done;

	live_must_be(!live_run(argv, &done), argv[0]);
	if (done.status)
		live_note("%s: %s", argv[0], done.err);
	live_must_be(!done.status, argv[0]);
	live_run_deinit(&done);
}

static void swap_off(void)
{
	swapoff(SWAP_DEVICE);
}

static void swap_on(void)
{
	run((char *[]){ "modprobe", "brd", "rd_nr=1", "rd_size=131072", NULL });
	swap_off();
	run((char *[]){ "mkswap", SWAP_DEVICE, NULL });
	live_must(swapon(SWAP_DEVICE, 0));
}

/*
 * All pages go but the last .nr.  A page that is not on the LRU lists yet, or
 * is looked at meanwhile, needs another try.
 */
static pid_t build_swapped(const struct shape *s)
{
	cpu_set_t cpu;
	uint64_t out_bytes = s->bytes - s->nr * PAGE, vmpte_bytes;
	uint64_t end = s->start + s->bytes, kib = 0;

	swap_on();
	/* pages that wait in another CPU's batch would not go out */
	CPU_ZERO(&cpu);
	CPU_SET(0, &cpu);
	live_must(sched_setaffinity(0, sizeof(cpu), &cpu));
	map_small(s->start, s->bytes);
	live_touch(s->start, end);
	vmpte_bytes = live_vmpte_bytes(getpid());
	for (int try = 0; try < 200 && kib != out_bytes / KIB; try++) {
		if (try > 5)
			usleep(20000);
		live_must(madvise((void *)s->start, out_bytes, MADV_PAGEOUT));
		kib = live_smaps_kib(getpid(), "Swap", s->start, end);
	}
	live_must_be(kib == out_bytes / KIB, "Swap");
	live_must_be(live_vmpte_bytes(getpid()) == vmpte_bytes, "VmPTE");
	return 0;
}

static void expect_swapped(struct expect *e, const struct shape *s)
{
	uint64_t end = s->start + s->bytes;

	expect_entries(e, s->start, end - s->nr * PAGE,
		       offsetof(struct ptaudit_table, swap));
	expect_pages(e, end - s->nr * PAGE, end);
}

FIXTURE_VARIANT_ADD(layout, swapped_out){
	.shape = { .start = FAR, .bytes = 4 * HUGE },
	.build = build_swapped,
	.expect = expect_swapped,
	.undo = swap_off,
};

FIXTURE_VARIANT_ADD(layout, swapped_out_but_some_pages){
	.shape = { .start = FAR + GIB - HUGE - 9 * PAGE,
		   .bytes = 5 * MIB,
		   .nr = 700 },
	.build = build_swapped,
	.expect = expect_swapped,
	.undo = swap_off,
};

static pid_t build_swapped_in(const struct shape *s)
{
	uint64_t vmpte_bytes;

	build_swapped(s);
	vmpte_bytes = live_vmpte_bytes(getpid());
	live_touch(s->start, s->start + s->bytes);
	live_must_be(!live_smaps_kib(getpid(), "Swap", s->start,
				     s->start + s->bytes),
		     "Swap");
	live_must_be(live_vmpte_bytes(getpid()) == vmpte_bytes, "VmPTE");
	return 0;
}

static void expect_dense(struct expect *e, const struct shape *s)
{
	expect_pages(e, s->start, s->start + s->bytes);
}

FIXTURE_VARIANT_ADD(layout, swapped_in_again){
	.shape = { .start = FAR, .bytes = 4 * HUGE },
	.build = build_swapped_in,
	.expect = expect_dense,
	.undo = swap_off,
};

static const char *missing_guard(const struct shape *s)
{
	void *area = mmap((void *)s->start, PAGE, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int ret = madvise(area, PAGE, MADV_GUARD_INSTALL);

	munmap(area, PAGE);
	return ret ? "MADV_GUARD_INSTALL" : NULL;
}

/* Of .bytes, the first .nr pages are guards; the others were touched or not. */
static pid_t build_guard(const struct shape *s)
{
	map_small(s->start, s->bytes);
	if (s->stride)
		touch_each(s->start, s->start + s->bytes, s->stride);
	live_must(madvise((void *)s->start, s->nr * PAGE, MADV_GUARD_INSTALL));
	return 0;
}

static void expect_guard(struct expect *e, const struct shape *s)
{
	uint64_t end = s->start + s->bytes, page = s->start;

	expect_entries(e, s->start, s->start + s->nr * PAGE,
		       offsetof(struct ptaudit_table, guard));
	for (; s->stride && page < end; page += s->stride)
		if (page >= s->start + s->nr * PAGE)
			expect_pages(e, page, page + PAGE);
}

FIXTURE_VARIANT_ADD(layout, guard_alone){
	.shape = { .start = FAR + HUGE, .bytes = 8 * HUGE, .nr = 64 },
	.missing = missing_guard,
	.build = build_guard,
	.expect = expect_guard,
};

FIXTURE_VARIANT_ADD(layout, guard_whole_tables){
	.shape = { .start = FAR + GIB - HUGE, .bytes = 8 * HUGE, .nr = 1600 },
	.missing = missing_guard,
	.build = build_guard,
	.expect = expect_guard,
};

FIXTURE_VARIANT_ADD(layout, guard_beside_pages){
	.shape = { .start = FAR + 5 * PAGE,
		   .bytes = 3 * HUGE,
		   .stride = 8 * PAGE,
		   .nr = 20 },
	.missing = missing_guard,
	.build = build_guard,
	.expect = expect_guard,
};

static pid_t build_guard_removed(const struct shape *s)
{
	build_guard(s);
	live_must(madvise((void *)s->start, s->bytes, MADV_GUARD_REMOVE));
	return 0;
}

static void expect_guard_removed(struct expect *e, const struct shape *s)
{
	expect_empty(e, s->start, s->start + s->nr * PAGE);
	expect_all_hollow(e);
}

FIXTURE_VARIANT_ADD(layout, guard_removed){
	.shape = { .start = FAR + HUGE, .bytes = 8 * HUGE, .nr = 1024 },
	.missing = missing_guard,
	.build = build_guard_removed,
	.expect = expect_guard_removed,
};

/*
 * The first .nr slots are put together, from a page each .stride.  Not from
 * NOHUGEPAGE, which MADV_COLLAPSE obeys: the setting keeps the pages small.
 * The PTE table leaves the tree and becomes the deposit: VmPTE stays.
 */
static pid_t build_collapsed(const struct shape *s)
{
	uint64_t end = s->start + s->bytes, vmpte_bytes;
	int ret = -1;

	live_must(live_set(THP "enabled", "madvise"));
	live_map(s->start, s->bytes, 0);
	touch_each(s->start, end, s->stride);
	live_must_be(!live_smaps_kib(getpid(), "AnonHugePages", s->start, end),
		     "small pages");
	vmpte_bytes = live_vmpte_bytes(getpid());
	/* EAGAIN: some page was held by somebody else */
	for (int try = 0; try < 10 && ret; try++) {
		ret = madvise((void *)s->start, s->nr * HUGE, MADV_COLLAPSE);
		if (ret && errno != EAGAIN)
			break;
	}
	live_must(ret);
	live_must_be(live_smaps_kib(getpid(), "AnonHugePages", s->start, end) ==
			     s->nr * (HUGE / KIB),
		     "AnonHugePages");
	live_must_be(live_vmpte_bytes(getpid()) == vmpte_bytes, "VmPTE");
	return 0;
}

static void expect_collapsed(struct expect *e, const struct shape *s)
{
	uint64_t end = s->start + s->bytes, page = s->start + s->nr * HUGE;

	expect_leaves(e, s->start, page, true);
	for (; page < end; page += s->stride)
		expect_pages(e, page, page + PAGE);
}

FIXTURE_VARIANT_ADD(layout, collapsed_one){
	.shape = { .start = FAR, .bytes = HUGE, .stride = PAGE, .nr = 1 },
	.build = build_collapsed,
	.expect = expect_collapsed,
};

FIXTURE_VARIANT_ADD(layout, collapsed_beside_small_pages){
	.shape = { .start = FAR + GIB - HUGE,
		   .bytes = 5 * HUGE,
		   .stride = PAGE,
		   .nr = 3 },
	.build = build_collapsed,
	.expect = expect_collapsed,
};

FIXTURE_VARIANT_ADD(layout, collapsed_from_a_page_each){
	.shape = { .start = FAR, .bytes = 6 * HUGE, .stride = HUGE, .nr = 4 },
	.build = build_collapsed,
	.expect = expect_collapsed,
};

/* Returns a userfaultfd, or -1; .flags are features. */
static int open_uffd(const struct shape *s)
{
	struct uffdio_api api = {
		.api = UFFD_API,
		.features = UFFD_FEATURE_PAGEFAULT_FLAG_WP |
			    (unsigned int)s->flags,
	};
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd >= 0 && ioctl(fd, UFFDIO_API, &api)) {
		close(fd);
		return -1;
	}
	return fd;
}

static const char *missing_unpopulated(const struct shape *s)
{
	int fd = open_uffd(s);

	if (fd < 0)
		return "UFFD_FEATURE_WP_UNPOPULATED";
	close(fd);
	return NULL;
}

/* Keeps the descriptor open: closing it takes the protection away. */
static void protect(const struct shape *s)
{
	struct uffdio_register reg = {
		.range = { .start = s->start, .len = s->bytes },
		.mode = UFFDIO_REGISTER_MODE_WP,
	};
	struct uffdio_writeprotect wp = {
		.range = { .start = s->start, .len = s->bytes },
		.mode = UFFDIO_WRITEPROTECT_MODE_WP,
	};
	int fd = open_uffd(s);

	live_must(fd);
	live_must(ioctl(fd, UFFDIO_REGISTER, &reg));
	live_must(ioctl(fd, UFFDIO_WRITEPROTECT, &wp));
}

/* The first .nr slots have a page each .stride, the others none. */
static pid_t build_protected(const struct shape *s)
{
	map_small(s->start, s->bytes);
	touch_each(s->start, s->start + s->nr * HUGE, s->stride);
	protect(s);
	return 0;
}

/* What is present stays so, and nothing comes where nothing was. */
static void expect_protected(struct expect *e, const struct shape *s)
{
	uint64_t end = s->start + s->nr * HUGE;

	for (uint64_t page = s->start; page < end; page += s->stride)
		expect_pages(e, page, page + PAGE);
}

FIXTURE_VARIANT_ADD(layout, uffd_wp_populated){
	.shape = { .start = FAR, .bytes = 4 * HUGE, .stride = PAGE, .nr = 4 },
	.build = build_protected,
	.expect = expect_protected,
};

FIXTURE_VARIANT_ADD(layout, uffd_wp_partly_populated){
	.shape = { .start = FAR + GIB - 2 * HUGE,
		   .bytes = 36 * HUGE,
		   .stride = 4 * PAGE,
		   .nr = 4 },
	.build = build_protected,
	.expect = expect_protected,
};

FIXTURE_VARIANT_ADD(layout, uffd_wp_never_populated){
	.shape = { .start = FAR, .bytes = 36 * HUGE, .stride = PAGE },
	.build = build_protected,
	.expect = expect_protected,
};

/* With the feature, each entry that was none is a marker, in a table. */
static void expect_markers(struct expect *e, const struct shape *s)
{
	uint64_t end = s->start + s->bytes;

	for (uint64_t page = s->start; page < end; page += PAGE)
		if (page < s->start + s->nr * HUGE &&
		    (page - s->start) % s->stride == 0)
			expect_pages(e, page, page + PAGE);
		else
			expect_entries(e, page, page + PAGE,
				       offsetof(struct ptaudit_table, uffd_wp));
}

FIXTURE_VARIANT_ADD(layout, uffd_wp_markers){
	.shape = { .start = FAR + GIB - 3 * HUGE - 7 * PAGE,
		   .bytes = 9 * HUGE,
		   .stride = 4 * PAGE,
		   .nr = 2,
		   .flags = UFFD_FEATURE_WP_UNPOPULATED },
	.missing = missing_unpopulated,
	.build = build_protected,
	.expect = expect_markers,
};

/* Of a file, it is markers always. */
static pid_t build_file_protected(const struct shape *s)
{
	int fd = memfd_create("layout", 0);

	live_must(ftruncate(fd, (off_t)s->bytes));
	live_map_fd(s->start, s->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
	touch_each(s->start, s->start + s->nr * HUGE, s->stride);
	protect(s);
	return 0;
}

FIXTURE_VARIANT_ADD(layout, uffd_wp_markers_of_a_file){
	.shape = { .start = FAR + 3 * HUGE,
		   .bytes = 9 * HUGE,
		   .stride = 16 * PAGE,
		   .nr = 2,
		   .flags = UFFD_FEATURE_WP_HUGETLBFS_SHMEM },
	.build = build_file_protected,
	.expect = expect_markers,
};

/*
 * Does MADV_DONTNEED of a slot free its PTE table?  Source: mm/Kconfig,
 * PT_RECLAIM, 6.14; on for x86-64.
 */
static bool frees_tables(void)
{
	return live_system()->version >= 6014;
}

static uint64_t whole_slots(const struct shape *s)
{
	uint64_t first = (s->start + HUGE - 1) / HUGE;

	return (s->start + s->bytes) / HUGE - first;
}

/* VmPTE says without ptaudit whether the kernel did what is expected of it. */
static pid_t build_given_back(const struct shape *s)
{
	uint64_t before, after;

	map_small(s->start, s->bytes);
	live_touch(s->start, s->start + s->bytes);
	before = live_vmpte_bytes(getpid());
	live_must(madvise((void *)s->start, s->bytes, MADV_DONTNEED));
	after = live_vmpte_bytes(getpid());
	live_must_be(before - after ==
			     (frees_tables() ? whole_slots(s) * PAGE : 0),
		     "VmPTE");
	return 0;
}

/* The table of a slot of which only a part is given back stays, empty. */
static void expect_given_back(struct expect *e, const struct shape *s)
{
	uint64_t end = s->start + s->bytes;

	for (uint64_t at = s->start / HUGE * HUGE; at < end; at += HUGE)
		if (frees_tables() && at >= s->start && at + HUGE <= end)
			expect_table(e, PTAUDIT_PMD, at);
		else
			expect_empty(e, at, at + HUGE);
	expect_all_hollow(e);
}

FIXTURE_VARIANT_ADD(layout, given_back_one_table){
	.shape = { .start = FAR + 6 * GIB, .bytes = HUGE },
	.build = build_given_back,
	.expect = expect_given_back,
};

FIXTURE_VARIANT_ADD(layout, given_back_across_1g_edge){
	.shape = { .start = FAR + GIB - 20 * HUGE, .bytes = 40 * HUGE },
	.build = build_given_back,
	.expect = expect_given_back,
};

FIXTURE_VARIANT_ADD(layout, given_back_with_parts_of_tables){
	.shape = { .start = FAR + MIB, .bytes = 6 * HUGE + MIB - PAGE },
	.build = build_given_back,
	.expect = expect_given_back,
};

TEST_HARNESS_MAIN
