// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares the kernel's counters of page tables with the tree, for operations that make, free
 * or move tables in other ways than counters_test: huge pages, collapse, reclaim, mremap(),
 * userfaultfd, hugetlb, fork().  Each operation changes tables of one level, so a wrong
 * counter names the level.  Everything is unmapped afterwards, and no table may be left.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "lib/lib.h"

/* 511 slots of 2 MiB; a page at FAR keeps the PMD table */
#define SLOTS (FAR + HUGE)
/* a page at FAR + 2 GIB keeps the PMD table */
#define NEW_SLOTS (SLOTS + 2 * GIB)
/* a page at FAR + 512 GIB keeps the PUD table */
#define ELSEWHERE (FAR + TIB / 2 + GIB)
/* the longest wait for PageTables, on a machine that is not busy */
#define SETTLE_SECONDS 2
#define POOL "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"

/* Changes of the counters, divided by the number of tables. */
struct change {
	int64_t tree; /* at the level of the operation; the other levels do not change */
	int64_t deposited;
	int64_t pagetables;
};

/* An operation, and the expected changes of the counters, by arithmetic. */
struct operation {
	const char *what;   /* description, with one %lld for nr */
	unsigned int level; /* of the tables that it makes, frees or moves */
	int64_t nr;	    /* number of these tables */
	/* makes the tables that the operation changes; or NULL */
	void (*prepare)(const struct operation *op);
	void (*act)(const struct operation *op);
	/* expected changes; @other: those of some kernels, with another .tree; or NULL */
	struct change is;
	const struct change *other;
	bool by_zeros; /* it maps the huge zero page */
	bool in_child; /* each reading measures a new child */
	bool collapses;
	bool shares; /* PageTables depends on whether the kernel shares tables */
};

static void keep(uint64_t addr)
{
	live_map_small(addr, PAGE);
	live_touch(addr, addr + PAGE);
}

static void touch_small(const struct operation *op)
{
	live_map_small(SLOTS, op->nr * HUGE);
	live_touch_each(SLOTS, SLOTS + op->nr * HUGE, HUGE);
}

static void fault_huge(const struct operation *op)
{
	const uint64_t end = SLOTS + op->nr * HUGE;

	if (op->by_zeros) {
		live_map_zeros(SLOTS, end, HUGE);
		return;
	}
	live_must(live_set(THP "enabled", "madvise"));
	live_must(madvise(live_map(SLOTS, end - SLOTS, 0), end - SLOTS,
			  MADV_HUGEPAGE));
	live_touch_each(SLOTS, end, HUGE);
	live_must_be(live_smaps_kib(getpid(), "AnonHugePages", SLOTS, end) ==
			     (end - SLOTS) / KIB,
		     "AnonHugePages");
}

/* Pin all huge pages, so that fork() splits their leaves and copies the pages. */
static void pin_huge(const struct operation *op)
{
	struct iovec all = { (void *)SLOTS, op->nr * HUGE };
	struct io_uring_params params = { 0 };
	int fd;

	fault_huge(op);
	fd = (int)syscall(SYS_io_uring_setup, 1, &params);
	live_must(fd);
	live_must(syscall(SYS_io_uring_register, fd, IORING_REGISTER_BUFFERS,
			  &all, 1));
}

/* The userfaultfd answers each fault by SIGBUS. */
static void fail_huge_faults(const struct operation *op)
{
	const uint64_t bytes = op->nr * HUGE;
	int fd = live_uffd(UFFD_FEATURE_SIGBUS);

	live_must(live_set(THP "enabled", "madvise"));
	live_must(madvise(live_map(SLOTS, bytes, 0), bytes, MADV_HUGEPAGE));
	live_uffd_register(fd, SLOTS, bytes, UFFDIO_REGISTER_MODE_MISSING);
	for (uint64_t at = SLOTS; at < SLOTS + bytes; at += HUGE)
		live_must_be(!(op->by_zeros ? live_try_read(at) :
					      live_try_touch(at)),
			     "SIGBUS");
	close(fd);
}

/* Reclaim discards lazily freed huge pages, and frees their deposited tables. */
static void discard_huge(const struct operation *op)
{
	const uint64_t bytes = op->nr * HUGE;

	live_must(madvise((void *)SLOTS, bytes, MADV_FREE));
	live_must(madvise((void *)SLOTS, bytes, MADV_PAGEOUT));
	live_must_be(!live_smaps_kib(getpid(), "AnonHugePages", SLOTS,
				     SLOTS + bytes),
		     "all are discarded");
}

/* The table of a huge page that is split is not deposited any more. */
static const struct change by_split = { .tree = 1, .deposited = -1 };
static const struct change none = { 0 };

static void write_slots(const struct operation *op)
{
	live_touch_each(SLOTS, SLOTS + op->nr * HUGE, HUGE);
}

static void drop_slots(const struct operation *op)
{
	live_must(madvise((void *)SLOTS, op->nr * HUGE, MADV_DONTNEED));
}

static void split(const struct operation *op)
{
	for (uint64_t at = SLOTS; at < SLOTS + op->nr * HUGE; at += HUGE)
		live_must(madvise((void *)at, PAGE, MADV_DONTNEED));
}

static void collapse(const struct operation *op)
{
	live_must(live_set(THP "enabled", "madvise"));
	live_must(live_set(THP "shmem_enabled", "advise"));
	live_must(madvise((void *)SLOTS, op->nr * HUGE, MADV_HUGEPAGE));
	live_collapse(SLOTS, op->nr * HUGE);
}

static void touch_small_file(const struct operation *op)
{
	close(live_map_small_memfd(SLOTS, op->nr * HUGE, MAP_SHARED));
	live_touch_each(SLOTS, SLOTS + op->nr * HUGE, HUGE);
}

/* Make huge pages of the file, and map them elsewhere. */
static void map_huge(int fd, uint64_t bytes)
{
	live_must(live_set(THP "shmem_enabled", "advise"));
	live_map_fd(ELSEWHERE, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
	live_must(madvise((void *)ELSEWHERE, bytes, MADV_HUGEPAGE));
	live_touch_each(ELSEWHERE, ELSEWHERE + bytes, HUGE);
	live_must_be(live_smaps_kib(getpid(), "ShmemPmdMapped", ELSEWHERE,
				    ELSEWHERE + bytes) == bytes / KIB,
		     "ShmemPmdMapped");
	close(fd);
}

/* Make huge pages of a file that is mapped at SLOTS, without tables there. */
static void map_huge_file(const struct operation *op)
{
	const uint64_t bytes = op->nr * HUGE;

	map_huge(live_map_memfd(SLOTS, bytes, MAP_SHARED), bytes);
}

/* Put one small page of a file into each slot, without tables there. */
static void cache_file(const struct operation *op)
{
	const uint64_t bytes = op->nr * HUGE;
	int fd = live_map_small_memfd(SLOTS, bytes, MAP_SHARED);

	live_map_fd(ELSEWHERE, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
	live_touch_each(ELSEWHERE, ELSEWHERE + bytes, HUGE);
	close(fd);
}

static void read_slots(const struct operation *op)
{
	for (uint64_t at = SLOTS; at < SLOTS + op->nr * HUGE; at += HUGE)
		(void)*(volatile char *)at;
}

static void read_huge_file(const struct operation *op)
{
	live_must(madvise((void *)SLOTS, op->nr * HUGE, MADV_HUGEPAGE));
	read_slots(op);
}

/*
 * Map huge pages of a file at SLOTS by PTE tables.  The tables are made before the huge pages.
 * Without tables, the kernel would map the huge pages by leaves.
 */
static void touch_huge_file_small(const struct operation *op)
{
	const uint64_t bytes = op->nr * HUGE;
	int fd = live_map_small_memfd(SLOTS, bytes, MAP_SHARED);

	live_touch_each(SLOTS, SLOTS + bytes, HUGE);
	live_must(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
			    (off_t)bytes));
	map_huge(fd, bytes);
	live_touch_each(SLOTS, SLOTS + bytes, HUGE);
}

static void move(uint64_t from, uint64_t to, uint64_t bytes)
{
	live_must_be(mremap((void *)from, bytes, bytes,
			    MREMAP_MAYMOVE | MREMAP_FIXED,
			    (void *)to) == (void *)to,
		     "mremap");
}

static void move_slots(const struct operation *op)
{
	move(SLOTS, NEW_SLOTS, op->nr * HUGE);
}

/* Move to a range of another PMD table.  The deposited tables belong to that table then. */
static void move_by_userfaultfd(const struct operation *op)
{
	const uint64_t bytes = op->nr * HUGE;
	int fd = live_uffd(UFFD_FEATURE_MOVE);

	live_map(NEW_SLOTS, bytes, 0);
	live_uffd_register(fd, NEW_SLOTS, bytes, UFFDIO_REGISTER_MODE_MISSING);
	live_uffd_move(fd, SLOTS, NEW_SLOTS, bytes);
	close(fd);
	live_must_be(live_smaps_kib(getpid(), "AnonHugePages", NEW_SLOTS,
				    NEW_SLOTS + bytes) == bytes / KIB,
		     "the huge pages are moved as a whole");
}

/*
 * Map one page in the middle of each slot, then unmap the pages one by one.  No mapping begins or
 * ends where a table does.  Source: free_pgd_range(), mm/memory.c, floor and ceiling.
 */
static void unmap_pages(const struct operation *op)
{
	for (int64_t i = 0; i < op->nr; i++)
		keep(SLOTS + i * HUGE + MIB);
	for (int64_t i = 0; i < op->nr; i++)
		live_must(munmap((void *)(SLOTS + i * HUGE + MIB), PAGE));
}

static void touch_gibs(const struct operation *op)
{
	live_map_small(ELSEWHERE, op->nr * GIB);
	live_touch_each(ELSEWHERE, ELSEWHERE + op->nr * GIB, GIB);
}

static void move_gibs(const struct operation *op)
{
	move(ELSEWHERE, FAR + 3 * GIB, op->nr * GIB);
}

/* Map one huge page at the start of each of the GiBs. */
static void map_hugetlb(const struct operation *op)
{
	const uint64_t bytes = op->shares ? GIB : HUGE;
	int fd;

	live_must(live_set(POOL, "2"));
	fd = memfd_create("hugetlb", MFD_HUGETLB);
	live_must(fd);
	live_must(ftruncate(fd, (off_t)bytes));
	for (int64_t i = 0; i < op->nr; i++) {
		live_map_fd(ELSEWHERE + i * GIB, bytes, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_NORESERVE, fd);
		live_touch(ELSEWHERE + i * GIB, ELSEWHERE + i * GIB + PAGE);
	}
	close(fd);
}

/* Read the counters of this process, or of a new child while it lives. */
static int look_at(const struct operation *op, pid_t *pid, struct counters *ret)
{
	int err;

	*pid = op->in_child ? live_fork(0, 0) : getpid();
	err = live_counters(*pid, ret);
	if (op->in_child) {
		kill(*pid, SIGKILL);
		waitpid(*pid, NULL, 0);
	}
	return err;
}

/* What the operation has to change, as seen by the tree. */
static struct change expected_by(const struct operation *op,
				 const struct counters *change)
{
	const struct change *ret = &op->is;

	if (op->other && change->tree[op->level] == op->nr * op->other->tree)
		ret = op->other;
	return (struct change){ op->nr * ret->tree, op->nr * ret->deposited,
				op->nr * ret->pagetables };
}

/*
 * Has PageTables changed by about the expected number of tables?  It is not exact because
 * other processes change it, too.  A wrong counter is off by a multiple of .nr.
 */
static bool is_near(const struct operation *op, const struct counters *change,
		    bool at_end)
{
	const int64_t expected = at_end ? 0 :
					  expected_by(op, change).pagetables;
	const int64_t wrong = change->pagetables - expected;

	return wrong < op->nr / 2 && -wrong < op->nr / 2;
}

/*
 * Read the counters until PageTables has changed as expected, or for some seconds: tables are
 * freed after an RCU grace period.
 */
static int settle(const struct operation *op, const struct counters *from,
		  bool at_end, bool wait, pid_t *pid, struct counters *ret)
{
	const uint64_t deadline = live_deadline_ns(wait ? SETTLE_SECONDS : 0);
	struct counters change;
	int err;

	do {
		err = look_at(op, pid, ret);
		change = live_counters_between(from, ret);
		if (err || is_near(op, &change, at_end))
			return err;
		usleep(100000);
	} while (live_now_ns() < deadline);
	return 0;
}

FIXTURE(changed_by)
{
	struct counters by_act, at_end; /* changes: by @act, by all steps */
};

FIXTURE_VARIANT(changed_by)
{
	struct operation op;
};

#define CHANGED_BY(name, ...)                 \
	FIXTURE_VARIANT_ADD(changed_by, name) \
	{                                     \
		.op = { __VA_ARGS__ }         \
	}

CHANGED_BY(huge_zero_pages, .what = "fault of %lld huge zero pages",
	   .level = PTAUDIT_PTE, .nr = 511, .act = fault_huge, .by_zeros = true,
	   .is.deposited = 1, .is.pagetables = 1);

CHANGED_BY(huge_pages, .what = "fault of %lld huge pages", .level = PTAUDIT_PTE,
	   .nr = 60, .act = fault_huge, .is.deposited = 1, .is.pagetables = 1);

CHANGED_BY(refused_huge_zero_pages,
	   .what = "SIGBUS instead of %lld huge zero pages",
	   .level = PTAUDIT_PTE, .nr = 511, .act = fail_huge_faults,
	   .by_zeros = true);

CHANGED_BY(refused_huge_pages, .what = "SIGBUS instead of %lld huge pages",
	   .level = PTAUDIT_PTE, .nr = 60, .act = fail_huge_faults);

CHANGED_BY(discarded_huge_pages,
	   .what = "reclaim of %lld lazily freed huge pages",
	   .level = PTAUDIT_PTE, .nr = 60, .prepare = fault_huge,
	   .act = discard_huge, .other = &by_split, .is.deposited = -1,
	   .is.pagetables = -1);

CHANGED_BY(split_of_huge_zero_pages, .what = "split of %lld huge zero pages",
	   .level = PTAUDIT_PTE, .nr = 511, .prepare = fault_huge, .act = split,
	   .by_zeros = true, .is.tree = 1, .is.deposited = -1);

CHANGED_BY(split_of_huge_pages, .what = "split of %lld huge pages",
	   .level = PTAUDIT_PTE, .nr = 60, .prepare = fault_huge, .act = split,
	   .is.tree = 1, .is.deposited = -1);

CHANGED_BY(write_to_huge_zero_pages, .what = "write to %lld huge zero pages",
	   .level = PTAUDIT_PTE, .nr = 60, .prepare = fault_huge,
	   .act = write_slots, .by_zeros = true, .other = &by_split);

/* Linux 6.14 and later free the tables, if CONFIG_PT_RECLAIM is set. */
CHANGED_BY(dontneed, .what = "MADV_DONTNEED of %lld PTE tables",
	   .level = PTAUDIT_PTE, .nr = 511, .prepare = touch_small,
	   .act = drop_slots, .other = &none, .is.tree = -1,
	   .is.pagetables = -1);

CHANGED_BY(collapse, .what = "collapse of %lld slots of anonymous memory",
	   .level = PTAUDIT_PTE, .nr = 60, .prepare = touch_small,
	   .act = collapse, .collapses = true, .is.tree = -1,
	   .is.deposited = 1);

CHANGED_BY(collapse_of_shmem, .what = "collapse of %lld slots of shmem",
	   .level = PTAUDIT_PTE, .nr = 60, .prepare = touch_small_file,
	   .act = collapse, .collapses = true, .is.tree = -1,
	   .is.pagetables = -1);

CHANGED_BY(
	collapse_of_mapped_shmem,
	.what = "collapse of %lld huge pages of shmem that were mapped by tables",
	.level = PTAUDIT_PTE, .nr = 60, .prepare = touch_huge_file_small,
	.act = collapse, .collapses = true, .is.tree = -1, .is.pagetables = -1);

CHANGED_BY(huge_pages_of_shmem, .what = "read of %lld huge pages of shmem",
	   .level = PTAUDIT_PTE, .nr = 60, .prepare = map_huge_file,
	   .act = read_huge_file);

CHANGED_BY(read_of_a_file, .what = "read of a file in %lld slots",
	   .level = PTAUDIT_PTE, .nr = 511, .prepare = cache_file,
	   .act = read_slots, .is.tree = 1, .is.pagetables = 1);

CHANGED_BY(munmap_in_the_middle,
	   .what = "munmap in the middle of %lld PTE tables",
	   .level = PTAUDIT_PTE, .nr = 511, .act = unmap_pages);

CHANGED_BY(mremap_of_pte_tables, .what = "mremap of %lld PTE tables",
	   .level = PTAUDIT_PTE, .nr = 511, .prepare = touch_small,
	   .act = move_slots);

CHANGED_BY(mremap_of_huge_pages, .what = "mremap of %lld huge zero pages",
	   .level = PTAUDIT_PTE, .nr = 511, .prepare = fault_huge,
	   .act = move_slots, .by_zeros = true);

CHANGED_BY(uffd_move_of_huge_pages, .what = "UFFDIO_MOVE of %lld huge pages",
	   .level = PTAUDIT_PTE, .nr = 60, .prepare = fault_huge,
	   .act = move_by_userfaultfd);

CHANGED_BY(mremap_of_pmd_tables, .what = "mremap of %lld PMD tables",
	   .level = PTAUDIT_PMD, .nr = 200, .prepare = touch_gibs,
	   .act = move_gibs);

CHANGED_BY(hugetlb, .what = "fault of a hugetlb page in each of %lld GiBs",
	   .level = PTAUDIT_PMD, .nr = 200, .act = map_hugetlb, .is.tree = 1,
	   .is.pagetables = 1);

CHANGED_BY(hugetlb_shared_tables,
	   .what = "fault in %lld mappings of a GiB of hugetlb",
	   .level = PTAUDIT_PMD, .nr = 200, .act = map_hugetlb, .is.tree = 1,
	   .shares = true);

/* PageTables counts the tables of the parent and of the child. */
CHANGED_BY(fork, .what = "fork with %lld PTE tables", .level = PTAUDIT_PTE,
	   .nr = 511, .act = touch_small, .in_child = true, .is.tree = 1,
	   .is.pagetables = 2);

CHANGED_BY(fork_of_huge_pages, .what = "fork with %lld huge pages",
	   .level = PTAUDIT_PTE, .nr = 60, .act = fault_huge, .in_child = true,
	   .is.deposited = 1, .is.pagetables = 2);

/* fork() splits the huge pages of the parent, and the child has PTE tables from the start. */
CHANGED_BY(fork_of_pinned_huge_pages,
	   .what = "fork with %lld pinned huge pages", .level = PTAUDIT_PTE,
	   .nr = 60, .act = pin_huge, .in_child = true, .is.tree = 1,
	   .is.pagetables = 2);

/* Does the kernel have this feature of userfaultfd? */
static bool has_uffd(uint64_t feature)
{
	int fd = live_uffd(feature);

	close(fd);
	return fd >= 0;
}

static const char *missing_for(const struct operation *op)
{
	const bool hugetlb = op->act == map_hugetlb;
	const bool thp = op->act == fault_huge || op->prepare == fault_huge ||
			 op->act == pin_huge || op->act == fail_huge_faults ||
			 op->prepare == map_huge_file || op->collapses;

	if (hugetlb && access(POOL, F_OK))
		return "hugetlb";
	if (thp && live_thp_missing())
		return live_thp_missing();
	if (op->collapses && madvise((void *)FAR, 0, MADV_COLLAPSE))
		return "MADV_COLLAPSE";
	if (op->act == fail_huge_faults && !has_uffd(UFFD_FEATURE_SIGBUS))
		return "UFFD_FEATURE_SIGBUS";
	if (op->act == move_by_userfaultfd && !has_uffd(UFFD_FEATURE_MOVE))
		return "UFFD_FEATURE_MOVE";
	/* EFAULT: it read the arguments */
	if (op->act == pin_huge &&
	    (syscall(SYS_io_uring_setup, 1, NULL) != -1 || errno != EFAULT))
		return "io_uring";
	return NULL;
}

/*
 * @change: NULL before the operation.  If the operation crashes the kernel, this line is the last
 * one of the output, and names it.
 */
static void tell(const struct operation *op, pid_t pid, const char *more,
		 const struct counters *change)
{
	static const char *const names[] = PTAUDIT_LEVEL_NAMES;
	char what[96], by[96] = "begins";

	snprintf(what, sizeof(what), op->what, (long long)op->nr);
	if (change)
		snprintf(by, sizeof(by),
			 "tree %+lld, deposited %+lld, VmPTE %+lld, PageTables %+lld",
			 (long long)change->tree[op->level],
			 (long long)change->deposited, (long long)change->vmpte,
			 (long long)change->pagetables);
	live_note("process %d (operations_test), level %s, %s%s: %s", pid,
		  names[op->level], what, more, by);
}

FIXTURE_SETUP(changed_by)
{
	const struct operation *op = &variant->op;
	const char *missing = missing_for(op);
	struct counters start, before, after, end;
	pid_t pid;

	if (missing)
		SKIP(return, "needs %s", missing);
	ASSERT_EQ(0, live_check_environment());
	/* allocate the tables that the measurement itself needs */
	ASSERT_EQ(0, look_at(op, &pid, &start));
	ASSERT_EQ(0, look_at(op, &pid, &start));
	keep(FAR);
	keep(FAR + 2 * GIB);
	keep(ELSEWHERE - GIB);
	if (op->prepare)
		op->prepare(op);
	ASSERT_EQ(0, look_at(op, &pid, &before));
	tell(op, getpid(), "", NULL);
	op->act(op);
	ASSERT_EQ(0, settle(op, &before, false, !op->shares, &pid, &after));
	self->by_act = live_counters_between(&before, &after);
	tell(op, pid, "", &self->by_act);
	ASSERT_EQ(0, munmap((void *)FAR, TIB));
	ASSERT_EQ(0, settle(op, &start, true, is_near(op, &self->by_act, false),
			    &pid, &end));
	self->at_end = live_counters_between(&start, &end);
	tell(op, pid, " and munmap", &self->at_end);
}

FIXTURE_TEARDOWN(changed_by)
{
}

TEST_F_TIMEOUT(changed_by, every_table_is_counted_once, 240)
{
	const struct operation *op = &variant->op;
	const struct change expected = expected_by(op, &self->by_act);

	/* nothing was measured: the test was skipped */
	if (missing_for(op))
		return;
	for (unsigned int of = 0; of < NR_COUNTED; of++)
		EXPECT_EQ(of == op->level ? expected.tree : 0,
			  self->by_act.tree[of]);
	EXPECT_EQ(expected.deposited, self->by_act.deposited);
	EXPECT_EQ(expected.tree + expected.deposited, self->by_act.vmpte);
	if (!op->shares)
		EXPECT_TRUE(is_near(op, &self->by_act, false));
	for (unsigned int of = 0; of < NR_COUNTED; of++)
		EXPECT_EQ(0, self->at_end.tree[of]);
	EXPECT_EQ(0, self->at_end.deposited);
	EXPECT_EQ(0, self->at_end.vmpte);
	EXPECT_TRUE(is_near(op, &self->at_end, true));
}

TEST_HARNESS_MAIN
