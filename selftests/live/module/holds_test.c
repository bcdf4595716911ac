// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long the module holds mmap_lock at a time, in entries, as the kernel's tracepoints
 * show it. For each answer the walk must take the target's lock so often that no hold
 * can have covered more entries than LOCKING.md allows, however large the process is.
 * The module's own count of holds must be correct.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "lib/lib.h"

#define EVENTS LIVE_TRACING "events/mmap_lock/"

/*
 * From module/LOCKING.md, all in entries: the budget of one hold, the budget of one hold
 * for the file orphans, and the cost of a VMA look-up or of reading a struct page.  The
 * last step of a hold may exceed the budget by at most one PTE table with a VMA look-up
 * and a struct page for each entry.
 */
#define HOLD_ENTRIES 65536UL
#define ORPHANS_HOLD_ENTRIES 16384UL
#define MISS_ENTRIES 8UL
#define STEP_ENTRIES ((1 + 2 * MISS_ENTRIES) * (ENTRIES + 1))

#define MAX_MMS 16
#define ENTRIES 512UL

struct shape {
	uint64_t start, bytes, stride;
};

/* Events of one mm's lock during the trace. */
struct mm_holds {
	char mm[40];
	unsigned int taken, released, for_writing;
	bool is_held, is_wrong;
};

static struct mm_holds mms[MAX_MMS];
static size_t nr_mms;

static struct mm_holds *mm_of(const char *line)
{
	const char *at = strstr(line, "mm=");
	char name[40];
	size_t i;

	if (!at || sscanf(at, "mm=%39s", name) != 1)
		return NULL;
	for (i = 0; i < nr_mms; i++)
		if (!strcmp(mms[i].mm, name))
			return &mms[i];
	if (nr_mms == MAX_MMS)
		return NULL;
	memset(&mms[nr_mms], 0, sizeof(mms[0]));
	strcpy(mms[nr_mms].mm, name);
	return &mms[nr_mms++];
}

static int read_trace(void)
{
	FILE *trace = fopen(LIVE_TRACING "trace", "r");
	char line[512];

	if (!trace)
		return -1;
	while (fgets(line, sizeof(line), trace)) {
		bool taken = strstr(line, "mmap_lock_acquire_returned:");
		bool back = strstr(line, "mmap_lock_released:");
		struct mm_holds *mm;

		if (!taken && !back)
			continue;
		if (taken && strstr(line, "success=false"))
			continue;
		mm = mm_of(line);
		if (!mm) {
			fclose(trace);
			return -1;
		}
		mm->is_wrong |= mm->is_held == taken;
		mm->is_held = taken;
		mm->taken += taken;
		mm->released += back;
		mm->for_writing += taken && strstr(line, "write=true");
	}
	fclose(trace);
	return 0;
}

/*
 * The module also ends a hold if another task wants the CPU.  Normal tasks do not preempt a
 * real-time task, so only the budget ends the holds of this one.
 */
static int trace_on(void)
{
	const struct sched_param first = { .sched_priority = 1 };
	char filter[32];
	cpu_set_t cpu;

	if (sched_setscheduler(0, SCHED_FIFO, &first))
		return -1;
	/* run on one CPU: timestamps of several CPUs can be equal, which leaves the order open */
	CPU_ZERO(&cpu);
	CPU_SET(sched_getcpu(), &cpu);
	if (sched_setaffinity(0, sizeof(cpu), &cpu))
		return -1;
	snprintf(filter, sizeof(filter), "common_pid == %d", getpid());
	return live_trace_begin(EVENTS, filter) | live_trace(true);
}

/*
 * Find our own mm, whose lock our page faults take: it is the mm that mmap() locks for
 * writing.
 */
static int own_mm(char *ret)
{
	size_t i;

	nr_mms = 0;
	if (trace_on())
		return -1;
	munmap(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
	       PAGE);
	live_trace_end(EVENTS);
	if (read_trace())
		return -1;
	for (i = 0; i < nr_mms; i++)
		if (mms[i].for_writing) {
			strcpy(ret, mms[i].mm);
			return 0;
		}
	return -1;
}

/* The only other mm whose lock was taken; NULL if there are none or several. */
static const struct mm_holds *target_mm(const char *own)
{
	const struct mm_holds *found = NULL;
	size_t i;

	for (i = 0; i < nr_mms; i++) {
		if (!strcmp(mms[i].mm, own))
			continue;
		if (found)
			return NULL;
		found = &mms[i];
	}
	return found;
}

/* One mapping, with one page per @stride touched. */
static pid_t build_apart(const struct shape *s)
{
	live_map_small(s->start, s->bytes);
	live_touch_each(s->start, s->start + s->bytes, s->stride);
	return 0;
}

static pid_t build_zeros(const struct shape *s)
{
	live_map_zeros(s->start, s->start + s->bytes, s->stride);
	return 0;
}

/* All pages are touched. */
static pid_t build_dense(const struct shape *s)
{
	live_map_small(s->start, s->bytes);
	live_touch(s->start, s->start + s->bytes);
	return 0;
}

static pid_t build_huge(const struct shape *s)
{
	live_must(live_set(THP "enabled", "madvise"));
	live_must(madvise(live_map(s->start, s->bytes, 0), s->bytes,
			  MADV_HUGEPAGE));
	live_touch_each(s->start, s->start + s->bytes, HUGE);
	live_must_be(live_smaps_kib(getpid(), "AnonHugePages", s->start,
				    s->start + s->bytes) == s->bytes / KIB,
		     "AnonHugePages");
	return 0;
}

/* Each PTE table has one page and 256 VMAs of one page. */
static pid_t build_vmas(const struct shape *s)
{
	build_apart(s);
	for (uint64_t at = PAGE; at < s->bytes; at += 2 * PAGE)
		live_must(munmap((void *)(s->start + at), PAGE));
	return 0;
}

/* One VMA of one page per @stride, and no VMA between them. */
static pid_t build_islands(const struct shape *s)
{
	build_zeros(s);
	for (uint64_t at = 0; at < s->bytes; at += s->stride)
		live_must(munmap((void *)(s->start + at + HUGE),
				 s->stride - HUGE));
	return 0;
}

FIXTURE(holds)
{
	struct target target;
	const char *missing;
	char own[40];
};

FIXTURE_VARIANT(holds)
{
	const char *file;
	live_build build;
	uint64_t bytes;
	uint64_t stride;
	/* lower bound, by arithmetic, of the entries that the answer has to read */
	uint64_t entries;
	uint64_t hold_entries; /* 0: HOLD_ENTRIES */
	uint64_t step_entries; /* 0: STEP_ENTRIES */
	bool for_writing;
};

/* A walk for a file of the module; its members say how many entries it has to read. */
#define HOLDS(name, which, builder, ...)                                  \
	FIXTURE_VARIANT_ADD(holds, name)                                  \
	{                                                                 \
		.file = LIVE_DEBUGFS which, .build = builder, __VA_ARGS__ \
	}

/* The walk of all entries has a smaller budget, and locks for writing. */
#define HOLDS_OF_ORPHANS(name, builder, ...)                                  \
	HOLDS(name, "orphans", builder, .hold_entries = ORPHANS_HOLD_ENTRIES, \
	      .for_writing = true, __VA_ARGS__)

/* One PTE table per page: the entries of the PTE tables and one PMD entry for each. */
#define TABLES(nr) \
	.bytes = (nr)*HUGE, .stride = HUGE, .entries = (nr) * (ENTRIES + 1)

/* One PMD table per GiB and no PTE tables. */
#define PMD_TABLES(nr) .bytes = (nr)*GIB, .entries = (nr)*ENTRIES

HOLDS(tables_of_1_gib, "tables", build_apart, TABLES(512));

HOLDS(tables_of_8_gib, "tables", build_apart, TABLES(4096));

/*
 * Entries that hold nothing, except one in each PMD table.  In the first variant a VMA
 * covers them, in the second none does.
 */
HOLDS(tables_of_512_gib_of_nothing, "tables", build_zeros, PMD_TABLES(512),
      .stride = GIB);

HOLDS(tables_of_512_gib_of_islands, "tables", build_islands, PMD_TABLES(512),
      .stride = GIB);

static pid_t build_pfn_leaves(const struct shape *s)
{
	live_map_pfn_pmds(s->start, s->bytes);
	return 0;
}

/* Leaves without deposited tables.  The walk looks up the VMA of each leaf. */
HOLDS(tables_of_160_gib_of_pfn_leaves, "tables", build_pfn_leaves,
      .bytes = 160 * GIB, .entries = 160 * ENTRIES * (1 + MISS_ENTRIES),
      .step_entries = ENTRIES);

/* Each of these leaves has a deposited table, which the walk reads. */
HOLDS(tables_of_32_gib_of_leaves, "tables", build_zeros, .bytes = 32 * GIB,
      .stride = HUGE, .entries = 32 * ENTRIES * (1 + MISS_ENTRIES));

/* One page per PMD table.  `counts` reads no PTE. */
HOLDS(counts_of_512_gib, "counts", build_apart, .bytes = 512 * GIB,
      .stride = GIB, .entries = 512 * ENTRIES);

HOLDS(counts_of_2_tib, "counts", build_apart, .bytes = 2 * TIB, .stride = GIB,
      .entries = 2048 * ENTRIES);

HOLDS(pages_of_1_gib, "pages", build_apart, TABLES(512));

/* The walk reads the struct page of each page. */
HOLDS(pages_of_128_mib_in_use, "pages", build_dense, .bytes = 64 * HUGE,
      .entries = 64 * ENTRIES * (1 + MISS_ENTRIES));

/* The same for huge pages, each mapped by one entry. */
HOLDS(pages_of_128_mib_of_huge_pages, "pages", build_huge, .bytes = 64 * HUGE,
      .entries = 64 * ENTRIES * MISS_ENTRIES);

/* For each slot the walk looks up the VMAs. */
#define VMAS(nr)                            \
	.bytes = (nr)*HUGE, .stride = HUGE, \
	.entries = (nr) * (ENTRIES + MISS_ENTRIES * ENTRIES / 2)

HOLDS(tables_of_16384_vmas, "tables", build_vmas, VMAS(64));

HOLDS(pages_of_16384_vmas, "pages", build_vmas, VMAS(64));

HOLDS_OF_ORPHANS(orphans_of_16384_vmas, build_vmas, VMAS(64));

HOLDS_OF_ORPHANS(orphans_of_1_gib, build_apart, TABLES(512));

/*
 * In this walk a VMA costs one entry more.  There are no VMAs between the islands: their
 * cost must not hide entries that the walk fails to count.
 */
HOLDS_OF_ORPHANS(orphans_of_256_gib_of_islands, build_islands, PMD_TABLES(256),
		 .stride = GIB);

FIXTURE_SETUP(holds)
{
	const struct shape apart = { .start = FAR,
				     .bytes = variant->bytes,
				     .stride = variant->stride };
	int err;

	ASSERT_EQ(0, live_check_environment());
	ASSERT_EQ(0, live_trace_mount());
	/* SKIP() in the setup would not stop the test itself */
	if (access(EVENTS "enable", W_OK)) {
		self->missing = "mmap_lock tracepoints";
		return;
	}
	err = target_start(&self->target, variant->build, &apart);
	self->missing = live_build_missing(err);
	if (self->missing)
		return;
	ASSERT_EQ(0, err);
	ASSERT_EQ(0, own_mm(self->own));
}

FIXTURE_TEARDOWN(holds)
{
	if (self->missing)
		return;
	live_trace_end(EVENTS);
	target_stop(&self->target);
}

TEST_F(holds, each_hold_is_bounded_in_entries)
{
	const uint64_t most = (variant->hold_entries ?: HOLD_ENTRIES) +
			      (variant->step_entries ?: STEP_ENTRIES);
	const struct mm_holds *target;
	uint64_t windows = 0;
	char request[LIVE_REQUEST];
	int err;

	if (self->missing)
		SKIP(return, "needs %s", self->missing);
	nr_mms = 0;
	ASSERT_EQ(0, trace_on());
	live_make_request(request, self->target.pid, 0, 0);
	err = live_lock_windows(variant->file, request, &windows);
	live_trace_end(EVENTS);
	ASSERT_EQ(0, err);
	ASSERT_EQ(0, read_trace());
	target = target_mm(self->own);
	ASSERT_NE(NULL, target);
	live_note("%u holds for at least %llu entries, %llu a hold; longest hold %llu us",
		  target->taken, (unsigned long long)variant->entries,
		  (unsigned long long)(variant->entries / target->taken),
		  (unsigned long long)live_longest_hold_ns() / 1000);
	EXPECT_FALSE(target->is_wrong);
	EXPECT_EQ(target->taken, target->released);
	EXPECT_EQ(target->taken, windows);
	EXPECT_EQ(variant->for_writing ? target->taken : 0,
		  target->for_writing);
	/* otherwise one hold could have covered all entries */
	EXPECT_LT(most, variant->entries);
	EXPECT_GE(target->taken * most, variant->entries);
}

TEST_HARNESS_MAIN
