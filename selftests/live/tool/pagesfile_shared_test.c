// SPDX-License-Identifier: GPL-2.0-only
/*
 * `pages` and `check --pages` on memory that is not private and anonymous: a block device,
 * shared memory, hugetlb, markers, and page frames without struct pages.  The expected figures
 * come from what the builders do.
 */
#define _GNU_SOURCE
#include <sys/ioctl.h>

#include "fixtures/pages.h"
#include "lib/lib.h"
#include "lib/set.h"

/* Source: include/uapi/asm-generic/hugetlb_encode.h */
#define HUGETLB_1G (30 << 26)

#define NR_HUGE "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"
#define FAULT_AROUND "/sys/kernel/debug/fault_around_bytes"

/* Four pages of a block device: the first and the third are written, one is read. */
static pid_t build_four_pages(const struct shape *s)
{
	char page[PAGE];
	int fd;

	/* a fault must map only the page that is touched */
	live_must(live_set(FAULT_AROUND, "4096"));
	fd = open(live_disk(), O_RDWR);
	live_must(fd);
	memset(page, 'x', sizeof(page));
	for (unsigned int i = 0; i < 4; i++)
		live_must(write(fd, page, PAGE) == PAGE ? 0 : -1);
	live_map_fd(s->start, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE,
		    fd);
	live_touch(s->start, s->start + PAGE);
	live_touch(s->start + 2 * PAGE, s->start + 3 * PAGE);
	read_page(s->start + 3 * PAGE);
	return 0;
}

static void fault_around(void)
{
	live_set(FAULT_AROUND, "65536");
}

static pid_t build_shmem(const struct shape *s)
{
	live_must(live_set(FAULT_AROUND, "4096"));
	live_map_fd(s->start, 8 * PAGE, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1);
	live_touch(s->start, s->start + 5 * PAGE);
	/* map the same pages again, so that three of them are mapped twice */
	live_must_be(mremap((void *)s->start, 0, 8 * PAGE,
			    MREMAP_MAYMOVE | MREMAP_FIXED,
			    (void *)(s->start + 2 * HUGE)) != MAP_FAILED,
		     "mremap");
	live_touch(s->start + 2 * HUGE, s->start + 2 * HUGE + 3 * PAGE);
	return 0;
}

static void map_shmem_huge(const struct shape *s)
{
	live_must(live_set(FAULT_AROUND, "4096"));
	live_must(live_set(THP "shmem_enabled", "advise"));
	live_map_fd(s->start, 2 * HUGE, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1);
	live_must(madvise((void *)s->start, 2 * HUGE, MADV_HUGEPAGE));
	live_touch(s->start, s->start + PAGE);
	live_must_be(live_smaps_kib(getpid(), "ShmemPmdMapped", s->start,
				    s->start + 2 * HUGE) == HUGE / KIB,
		     "ShmemPmdMapped");
}

static pid_t build_shmem_huge(const struct shape *s)
{
	map_shmem_huge(s);
	return 0;
}

/* The leaf is dropped.  Then three pages in the middle of the folio are touched. */
static pid_t build_shmem_huge_split(const struct shape *s)
{
	map_shmem_huge(s);
	live_must(mprotect((void *)(s->start + 5 * PAGE), PAGE, PROT_READ));
	live_must(madvise((void *)s->start, 2 * HUGE, MADV_DONTNEED));
	live_touch(s->start + 100 * PAGE, s->start + 103 * PAGE);
	return 0;
}

static void shmem_undo(void)
{
	fault_around();
	live_set(THP "shmem_enabled", "never");
}

static void need_hugetlb(void)
{
	char text[16];

	live_must(live_set(NR_HUGE, "8"));
	live_must_be(atoi(live_file(NR_HUGE, text, sizeof(text))) == 8,
		     "nr_hugepages");
}

static void no_hugetlb(void)
{
	live_set(NR_HUGE, "0");
}

static void map_hugetlb(uint64_t start, uint64_t slots, int flags)
{
	need_hugetlb();
	live_map_fd(start, slots * HUGE, PROT_READ | PROT_WRITE,
		    flags | MAP_ANONYMOUS | MAP_HUGETLB, -1);
}

static pid_t build_hugetlb(const struct shape *s)
{
	map_hugetlb(s->start, 3, MAP_PRIVATE);
	live_touch(s->start, s->start + PAGE);
	return 0;
}

static pid_t build_hugetlb_shared(const struct shape *s)
{
	map_hugetlb(s->start, 3, MAP_SHARED);
	live_touch(s->start, s->start + PAGE);
	live_touch(s->start + HUGE, s->start + HUGE + PAGE);
	return 0;
}

static pid_t build_hugetlb_forked(const struct shape *s)
{
	map_hugetlb(s->start, 3, MAP_PRIVATE);
	live_touch(s->start, s->start + PAGE);
	live_touch(s->start + HUGE, s->start + HUGE + PAGE);
	live_fork(s->start, s->start + PAGE);
	return 0;
}

static pid_t build_gib(const struct shape *s)
{
	uint64_t start = (s->start & ~(GIB - 1)) + GIB;

	live_map_fd(start, GIB, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | HUGETLB_1G |
			    MAP_NORESERVE,
		    -1);
	live_touch(start, start + PAGE);
	return 0;
}

static const char *missing_markers(void)
{
	int fd = live_uffd(UFFD_FEATURE_PAGEFAULT_FLAG_WP |
			   UFFD_FEATURE_WP_HUGETLBFS_SHMEM);

	if (fd < 0)
		return "UFFD_FEATURE_WP_HUGETLBFS_SHMEM";
	close(fd);
	return NULL;
}

static pid_t build_markers(const struct shape *s)
{
	live_map_fd(s->start, 16 * PAGE, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1);
	live_touch(s->start, s->start + 4 * PAGE);
	live_uffd_wp(UFFD_FEATURE_WP_HUGETLBFS_SHMEM, s->start, 16 * PAGE);
	return 0;
}

static pid_t build_markers_hugetlb(const struct shape *s)
{
	map_hugetlb(s->start, 3, MAP_SHARED);
	live_touch(s->start, s->start + PAGE);
	live_uffd_wp(UFFD_FEATURE_WP_HUGETLBFS_SHMEM, s->start, 3 * HUGE);
	return 0;
}

/* Two pages are present, followed by poison markers.  Nothing is write-protected. */
static pid_t build_poison(const struct shape *s)
{
	int fd = live_uffd_for_poison();

	live_map_fd(s->start, 16 * PAGE, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1);
	live_touch(s->start, s->start + 2 * PAGE);
	live_uffd_register(fd, s->start, 16 * PAGE,
			   UFFDIO_REGISTER_MODE_MISSING);
	live_uffd_poison(fd, s->start + 5 * PAGE, 6 * PAGE);
	return 0;
}

static pid_t build_poison_hugetlb(const struct shape *s)
{
	int fd = live_uffd_for_poison();

	map_hugetlb(s->start, 3, MAP_SHARED);
	live_touch(s->start, s->start + PAGE);
	live_uffd_register(fd, s->start, 3 * HUGE,
			   UFFDIO_REGISTER_MODE_MISSING);
	live_uffd_poison(fd, s->start + HUGE, HUGE);
	return 0;
}

/* Seven page frames without struct pages, followed by an ordinary page. */
static pid_t build_pfnmap(const struct shape *s)
{
	int fd = live_open_bar();

	live_must(fd);
	live_map_fd(s->start, 7 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
	map_small(s->start + 7 * PAGE, 1);
	live_touch(s->start + 7 * PAGE, s->start + 8 * PAGE);
	return 0;
}

/* Two huge leaves of a VM_PFNMAP mapping, whose page looks like the huge zero page. */
static pid_t build_pfn_leaves(const struct shape *s)
{
	uint64_t end = s->start + 2 * HUGE;

	live_map_pfn_pmds(s->start, 2 * HUGE);
	map_small(end, 1);
	live_touch(end, end + PAGE);
	return 0;
}

static pid_t build_pfn_gib(const struct shape *s)
{
	live_map_pfn_puds((s->start & ~(GIB - 1)) + GIB, GIB);
	return 0;
}

PAGES(four_pages_of_a_disk, build_four_pages,
      NR(KEY(PRESENT) = 3, KEY(ANON) = 2, KEY(FILE) = 1, KEY(PTE_PAGES) = 3,
	 KEY(MAPPED_ONCE) = 3, KEY(ANON_ONCE) = 2, KEY(EXCLUSIVE) = 2),
      .undo = fault_around);

PAGES(shmem, build_shmem,
      NR(KEY(PRESENT) = 8, KEY(SHMEM) = 8, KEY(PTE_PAGES) = 8,
	 KEY(MAPPED_ONCE) = 2),
      .undo = shmem_undo);

PAGES(shmem_huge, build_shmem_huge,
      NR(KEY(PRESENT) = PTES, KEY(SHMEM) = PTES, KEY(PMD_PAGES) = PTES,
	 KEY(MAPPED_ONCE) = PTES),
      .undo = shmem_undo);

PAGES(shmem_huge_by_ptes, build_shmem_huge_split,
      NR(KEY(PRESENT) = 3, KEY(SHMEM) = 3, KEY(PTE_PAGES) = 3,
	 KEY(MAPPED_ONCE) = 3),
      .undo = shmem_undo);

PAGES(hugetlb, build_hugetlb,
      NR(KEY(HUGETLB) = PTES, KEY(HUGETLB_PMD) = PTES, KEY(HUGETLB_ANON) = PTES,
	 KEY(HUGETLB_ONCE) = PTES, KEY(HUGETLB_ANON_ONCE) = PTES,
	 KEY(HUGETLB_EXCLUSIVE) = PTES),
      .undo = no_hugetlb);

PAGES(hugetlb_shared, build_hugetlb_shared,
      NR(KEY(HUGETLB) = 2 * PTES, KEY(HUGETLB_PMD) = 2 * PTES,
	 KEY(HUGETLB_ONCE) = 2 * PTES),
      .undo = no_hugetlb);

PAGES(hugetlb_forked, build_hugetlb_forked,
      NR(KEY(HUGETLB) = 2 * PTES, KEY(HUGETLB_PMD) = 2 * PTES,
	 KEY(HUGETLB_ANON) = 2 * PTES, KEY(HUGETLB_ONCE) = PTES,
	 KEY(HUGETLB_ANON_ONCE) = PTES),
      .undo = no_hugetlb);

PAGES(hugetlb_1g, build_gib,
      NR(KEY(HUGETLB) = GIB_PAGES, KEY(HUGETLB_PUD) = GIB_PAGES,
	 KEY(HUGETLB_ANON) = GIB_PAGES, KEY(HUGETLB_ONCE) = GIB_PAGES,
	 KEY(HUGETLB_ANON_ONCE) = GIB_PAGES,
	 KEY(HUGETLB_EXCLUSIVE) = GIB_PAGES));

PAGES(markers, build_markers,
      NR(KEY(PRESENT) = 4, KEY(SHMEM) = 4, KEY(PTE_PAGES) = 4,
	 KEY(MAPPED_ONCE) = 4, KEY(UFFD_WP) = 12),
      .missing = missing_markers);

PAGES(markers_of_hugetlb, build_markers_hugetlb,
      NR(KEY(HUGETLB) = PTES, KEY(HUGETLB_PMD) = PTES, KEY(HUGETLB_ONCE) = PTES,
	 KEY(HUGETLB_UFFD_WP) = 2 * PTES),
      .missing = missing_markers, .undo = no_hugetlb);

PAGES(poison, build_poison,
      NR(KEY(PRESENT) = 2, KEY(SHMEM) = 2, KEY(PTE_PAGES) = 2,
	 KEY(MAPPED_ONCE) = 2, KEY(POISON) = 6),
      .missing = live_uffd_poison_missing);

PAGES(poison_of_hugetlb, build_poison_hugetlb,
      NR(KEY(HUGETLB) = PTES, KEY(HUGETLB_PMD) = PTES, KEY(HUGETLB_ONCE) = PTES,
	 KEY(HUGETLB_OTHER) = PTES),
      .missing = live_uffd_poison_missing, .undo = no_hugetlb);

PAGES(pfnmap, build_pfnmap,
      NR(KEY(PRESENT) = 8, KEY(ANON) = 1, KEY(SPECIAL) = 7, KEY(PTE_PAGES) = 8,
	 KEY(MAPPED_ONCE) = 1, KEY(ANON_ONCE) = 1, KEY(EXCLUSIVE) = 1),
      .pfnmap = 7);

PAGES(pfnmap_leaves, build_pfn_leaves,
      NR(KEY(PRESENT) = 2 * PTES + 1, KEY(ANON) = 1, KEY(SPECIAL) = 2 * PTES,
	 KEY(SPECIAL_PMD) = 2 * PTES, KEY(PMD_PAGES) = 2 * PTES,
	 KEY(PTE_PAGES) = 1, KEY(MAPPED_ONCE) = 1, KEY(ANON_ONCE) = 1,
	 KEY(EXCLUSIVE) = 1),
      .pfnmap = 2 * PTES);

PAGES(pfnmap_leaf_of_1g, build_pfn_gib,
      NR(KEY(PRESENT) = GIB_PAGES, KEY(SPECIAL) = GIB_PAGES,
	 KEY(PUD_PAGES) = GIB_PAGES),
      .missing = live_pfn_puds_missing, .pfnmap = GIB_PAGES,
      .taken_by_smaps = true);

/* A leaf of 1 GiB, and requests for ranges that cover a part of it. */
FIXTURE(leaf_of_1g)
{
	struct target target;
	bool skipped;
};

FIXTURE_VARIANT(leaf_of_1g)
{
	live_build build;
	enum ptaudit_pages_key key;
	const char *(*missing)(void);
};

FIXTURE_VARIANT_ADD(leaf_of_1g, hugetlb){
	.build = build_gib,
	.key = PTAUDIT_P_HUGETLB_PUD,
};

FIXTURE_VARIANT_ADD(leaf_of_1g, pfnmap){
	.build = build_pfn_gib,
	.key = PTAUDIT_P_PUD_PAGES,
	.missing = live_pfn_puds_missing,
};

FIXTURE_SETUP(leaf_of_1g)
{
	SKIP_WITHOUT(variant->missing ? variant->missing() : NULL);
	ASSERT_EQ(0, live_check_environment());
	ASSERT_EQ(0, target_start(&self->target, variant->build, &shape));
}

FIXTURE_TEARDOWN(leaf_of_1g)
{
	target_stop(&self->target);
}

TEST_F(leaf_of_1g, range_has_the_part_that_it_meets)
{
	const uint64_t leaf = (shape.start & ~(GIB - 1)) + GIB;
	const struct {
		uint64_t start, end, pages;
	} ranges[] = {
		{ leaf + GIB / 2, leaf + 2 * GIB, GIB_PAGES / 2 },
		{ leaf + 3 * HUGE, leaf + 5 * HUGE, 2 * PTES },
		{ leaf + HUGE + PAGE, leaf + HUGE + 3 * PAGE, 2 },
		{ leaf - GIB / 2, leaf + HUGE, PTES },
		{ leaf + GIB - PAGE, leaf + GIB + HUGE, 1 },
	};

	if (self->skipped)
		return;
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		struct pages_answer answer;

		ASSERT_EQ(0, live_pages(self->target.pid, ranges[i].start,
					ranges[i].end, &answer));
		EXPECT_EQ(ranges[i].pages, answer.nr[variant->key])
		{
			TH_LOG("range %zu", i);
		}
	}
}

/* Processes that map one GiB of a hugetlb file through one shared PMD table. */
FIXTURE(sharers)
{
	struct actor actors[NR_ACTORS];
	int file;
};

FIXTURE_SETUP(sharers)
{
	ASSERT_EQ(0, live_check_environment());
	need_hugetlb();
	self->file = memfd_create("sharers", MFD_HUGETLB | MFD_CLOEXEC);
	ASSERT_LE(0, self->file);
	ASSERT_EQ(0, ftruncate(self->file, 2 * GIB));
	for (unsigned int i = 0; i < NR_ACTORS; i++)
		ASSERT_EQ(0, actor_start(&self->actors[i], self->file));
}

FIXTURE_TEARDOWN(sharers)
{
	for (unsigned int i = 0; i < NR_ACTORS; i++)
		actor_stop(&self->actors[i]);
	close(self->file);
	no_hugetlb();
}

/* Check the module's and the tool's figures for one process. */
static int check_once(pid_t pid, uint64_t pages, uint64_t once)
{
	struct pages_answer answer;
	struct tool_run run;
	json_t *root, *process, *row;
	int failures = 0;
	size_t i;

	if (live_pages(pid, FAR, FAR + TIB, &answer))
		return 1;
	failures += differs("module", "hugetlb", answer.nr[PTAUDIT_P_HUGETLB],
			    pages);
	failures += differs("module", "hugetlb_once",
			    answer.nr[PTAUDIT_P_HUGETLB_ONCE], once);
	root = check(pid, &run);
	if (!root)
		return failures + 1;
	failures += differs("tool", "status", (uint64_t)run.status, 0);
	process = json_array_get(json_object_get(root, "processes"), 0);
	json_array_foreach(json_object_get(process, "keys"), i, row)
	{
		const char *key = json_string_value(
			json_object_get(row, "key"));

		if (strcmp(key, "hugetlb_once"))
			continue;
		failures += differs(key, "kernel", live_number(row, "kernel"),
				    once);
		failures += differs(key, "proc", live_number(row, "proc"),
				    once);
	}
	json_decref(root);
	live_run_deinit(&run);
	return failures;
}

TEST_F_TIMEOUT(sharers, page_in_a_shared_table_is_not_mapped_once, 240)
{
	struct actor *a = &self->actors[0], *b = &self->actors[1];

	ASSERT_EQ(0, actor_do(a, MAP, FAR, GIB, 0));
	ASSERT_EQ(0, actor_do(a, TOUCH, FAR, 0, 0));
	/* a single process: mapped once */
	EXPECT_EQ(0, check_once(a->pid, PTES, PTES));
	for (unsigned int i = 1; i < NR_ACTORS; i++) {
		struct actor *actor = &self->actors[i];

		ASSERT_EQ(0, actor_do(actor, MAP, FAR, GIB, 0));
		ASSERT_EQ(0, actor_do(actor, TOUCH, FAR, 0, 0));
	}
	for (unsigned int i = 0; i < NR_ACTORS; i++)
		EXPECT_EQ(0, check_once(self->actors[i].pid, PTES, 0));
	/* another page, in a table that is not shared: only mappings of a whole GiB share one */
	ASSERT_EQ(0, actor_do(b, MAP, FAR + GIB, GIB / 2, GIB));
	ASSERT_EQ(0, actor_do(b, TOUCH, FAR + GIB, 0, 0));
	EXPECT_EQ(0, check_once(b->pid, 2 * PTES, PTES));
	/* one process is left, and nobody shares its table any more */
	actor_stop(a);
	actor_stop(&self->actors[2]);
	EXPECT_EQ(0, check_once(b->pid, 2 * PTES, 2 * PTES));
}

TEST_HARNESS_MAIN
