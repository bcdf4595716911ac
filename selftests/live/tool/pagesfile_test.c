// SPDX-License-Identifier: GPL-2.0-only
/*
 * `pages` and `check --pages` on private memory: touched, read, forked, huge, swapped
 * out, merged, guarded, poisoned.  The expected figures come from what the builders do.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "fixtures/pages.h"

static pid_t build_anon(const struct shape *s)
{
	map_small(s->start, 16);
	live_touch(s->start + 2 * PAGE, s->start + 12 * PAGE);
	live_must(mprotect((void *)(s->start + 11 * PAGE), PAGE, PROT_NONE));
	return 0;
}

/* Five of eight pages are read, then two of the five are written. */
static pid_t build_zero(const struct shape *s)
{
	map_small(s->start, 8);
	for (unsigned int i = 0; i < 5; i++)
		read_page(s->start + i * PAGE);
	live_touch(s->start, s->start + 2 * PAGE);
	return 0;
}

/* One slot is written, one is read, one is untouched. */
static pid_t build_thp(const struct shape *s)
{
	map_huge(s->start, 3);
	live_touch(s->start, s->start + PAGE);
	read_page(s->start + HUGE);
	must_be_huge(s->start, 1);
	return 0;
}

/* smaps of 6.1 does not show a huge page without access. */
static pid_t build_thp_prot_none(const struct shape *s)
{
	build_thp(s);
	live_must(mprotect((void *)s->start, HUGE, PROT_NONE));
	return 0;
}

/* Protect one page: the huge page stays one folio, but is mapped page by page. */
static pid_t build_thp_split(const struct shape *s)
{
	map_huge(s->start, 1);
	live_touch(s->start, s->start + PAGE);
	must_be_huge(s->start, 1);
	live_must(mprotect((void *)(s->start + 5 * PAGE), PAGE, PROT_READ));
	must_be_huge(s->start, 0);
	return 0;
}

static pid_t build_thp_forked(const struct shape *s)
{
	map_huge(s->start, 2);
	live_touch(s->start, s->start + 2 * HUGE);
	must_be_huge(s->start, 2);
	live_fork(s->start, s->start);
	return 0;
}

/* The child has written one base page of the huge page. */
static pid_t build_thp_partly(const struct shape *s)
{
	map_huge(s->start, 1);
	live_touch(s->start, s->start + HUGE);
	must_be_huge(s->start, 1);
	live_fork(s->start, s->start + PAGE);
	must_be_huge(s->start, 1);
	return 0;
}

/* 64 pages are written, and the first 40 are swapped out. */
static void swap_out(const struct shape *s)
{
	live_swap_on();
	map_small(s->start, 64);
	live_touch(s->start, s->start + 64 * PAGE);
	live_page_out(s->start, s->start + 40 * PAGE);
}

static pid_t build_swapped(const struct shape *s)
{
	swap_out(s);
	return 0;
}

static pid_t build_swapped_forked(const struct shape *s)
{
	swap_out(s);
	live_fork(s->start, s->start);
	return 0;
}

/* The child copies four of twelve pages by writing.  Then the parent writes to two of the four. */
static pid_t build_forked(const struct shape *s)
{
	map_small(s->start, 16);
	live_touch(s->start, s->start + 12 * PAGE);
	live_fork(s->start, s->start + 4 * PAGE);
	live_touch(s->start, s->start + 2 * PAGE);
	return 0;
}

/*
 * KSM merges six pages of one content into one page, and four pages of another content into
 * another page.  Two pages stay unchanged.
 */
static pid_t build_ksm(const struct shape *s)
{
	static const char contents[] = "xxxxxxyyyyab";

	map_small(s->start, 12);
	for (unsigned int i = 0; i < 12; i++)
		memset((void *)(s->start + i * PAGE), contents[i], PAGE);
	live_merge(s->start, s->start + 12 * PAGE, 10);
	return 0;
}

static pid_t build_guard(const struct shape *s)
{
	map_small(s->start, 10);
	live_touch(s->start, s->start + 3 * PAGE);
	live_must(madvise((void *)(s->start + 2 * PAGE), 5 * PAGE,
			  MADV_GUARD_INSTALL));
	return 0;
}

/* Memory failure hits two of five pages. */
static pid_t build_hwpoison(const struct shape *s)
{
	map_small(s->start, 8);
	live_touch(s->start, s->start + 5 * PAGE);
	live_fail_memory(s->start + PAGE, s->start + 3 * PAGE);
	return 0;
}

PAGES(anon, build_anon, NR(SMALL_ANON(10)));

PAGES(zero_page, build_zero,
      NR(KEY(PRESENT) = 5, KEY(ANON) = 2, KEY(ZERO) = 3, KEY(PTE_PAGES) = 5,
	 KEY(MAPPED_ONCE) = 2, KEY(ANON_ONCE) = 2, KEY(EXCLUSIVE) = 2));

PAGES(thp, build_thp,
      NR(KEY(PRESENT) = 2 * PTES, KEY(ANON) = PTES, KEY(ZERO) = PTES,
	 KEY(ZERO_PMD) = PTES, KEY(PMD_PAGES) = 2 * PTES,
	 KEY(MAPPED_ONCE) = PTES, KEY(ANON_ONCE) = PTES, KEY(EXCLUSIVE) = PTES,
	 KEY(EXCLUSIVE_PMD) = PTES));

PAGES(thp_prot_none, build_thp_prot_none,
      NR(KEY(PRESENT) = 2 * PTES, KEY(ANON) = PTES, KEY(ZERO) = PTES,
	 KEY(ZERO_PMD) = PTES, KEY(PMD_PAGES) = 2 * PTES,
	 KEY(PROTNONE_PMD) = PTES, KEY(MAPPED_ONCE) = PTES,
	 KEY(ANON_ONCE) = PTES, KEY(EXCLUSIVE) = PTES,
	 KEY(EXCLUSIVE_PMD) = PTES));

PAGES(thp_split, build_thp_split,
      NR(SMALL_ANON(PTES), KEY(EXCLUSIVE_LARGE) = PTES), .large_folio = PTES);

PAGES(thp_forked, build_thp_forked,
      NR(KEY(PRESENT) = 2 * PTES, KEY(ANON) = 2 * PTES,
	 KEY(PMD_PAGES) = 2 * PTES));

PAGES(thp_partly_shared, build_thp_partly,
      NR(KEY(PRESENT) = PTES, KEY(ANON) = PTES, KEY(PMD_PAGES) = PTES,
	 KEY(MAPPED_ONCE) = 1, KEY(ANON_ONCE) = 1));

PAGES(swapped_out, build_swapped, NR(SMALL_ANON(24), KEY(SWAP) = 40),
      .undo = live_swap_off);

PAGES(swapped_out_and_forked, build_swapped_forked,
      NR(KEY(PRESENT) = 24, KEY(ANON) = 24, KEY(PTE_PAGES) = 24,
	 KEY(SWAP) = 40),
      .undo = live_swap_off);

PAGES(forked, build_forked,
      NR(KEY(PRESENT) = 12, KEY(ANON) = 12, KEY(PTE_PAGES) = 12,
	 KEY(MAPPED_ONCE) = 4, KEY(ANON_ONCE) = 4, KEY(EXCLUSIVE) = 2));

PAGES(merged_by_ksm, build_ksm,
      NR(KEY(PRESENT) = 12, KEY(ANON) = 12, KEY(KSM) = 10, KEY(PTE_PAGES) = 12,
	 KEY(MAPPED_ONCE) = 2, KEY(ANON_ONCE) = 2, KEY(EXCLUSIVE) = 2),
      .undo = live_ksm_off);

PAGES(guards, build_guard, NR(SMALL_ANON(2), KEY(GUARD) = 5),
      .missing = live_guard_missing);

PAGES(failed_memory, build_hwpoison, NR(SMALL_ANON(3), KEY(HWPOISON) = 2));

/* Valid requests are accepted, and others fail with the documented error. */
TEST(requests_have_the_documented_results)
{
	static const struct {
		const char *text;
		int ret;
	} requests[] = {
		{ "x", -EINVAL },
		{ "0", -EINVAL },
		{ "-1", -EINVAL },
		{ "1 0x1000", -EINVAL },
		{ "1 0x2000 0x1000", -EINVAL },
		{ "1 0x1000 0x1000", -EINVAL },
		{ "1 0x1000 0xffffffffffffffff", -EINVAL },
		{ "1 0x1000 0x2000 0x3000", -EINVAL },
		{ "2", -EINVAL }, /* kthreadd */
		{ "4194303", -ESRCH },
		{ "1", 0 },
		{ "1 0x1000 0x2000", 0 },
		{ " 1\n", 0 },
	};
	char text[4096];

	ASSERT_EQ(0, live_check_environment());
	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		EXPECT_EQ(requests[i].ret,
			  live_pages_text(requests[i].text, text, sizeof(text)))
		{
			live_note("the answer to the request '%s' is wrong",
				  requests[i].text);
		}
	}
}

/* The parts must add up to the whole.  Each part has as many pages as its length. */
static int check_ranges(pid_t pid, const uint64_t *cuts, size_t nr_cuts)
{
	struct pages_answer whole, part;
	uint64_t sum[PTAUDIT_NR_PAGES_KEYS] = { 0 };
	int failures = 0;

	if (live_pages(pid, FAR, FAR + TIB, &whole))
		return 1;
	for (size_t i = 0; i + 1 < nr_cuts; i++) {
		uint64_t start = shape.start + cuts[i] * PAGE;
		uint64_t end = shape.start + cuts[i + 1] * PAGE;

		if (live_pages(pid, start, end, &part))
			return 1;
		failures += differs("range", "present",
				    part.nr[PTAUDIT_P_PRESENT],
				    cuts[i + 1] - cuts[i]);
		for (unsigned int key = 0; key < PTAUDIT_NR_PAGES_KEYS; key++)
			sum[key] += part.nr[key];
	}
	for (unsigned int key = 0; key < PTAUDIT_NR_PAGES_KEYS; key++)
		failures += differs("ranges", live_pages_names[key], sum[key],
				    whole.nr[key]);
	return failures;
}

/* The range is rounded out to pages, and the answer contains the rounded range. */
static int check_rounding(pid_t pid)
{
	const uint64_t start = shape.start + PAGE, end = shape.start + 3 * PAGE;
	char request[LIVE_REQUEST], text[4096], line[80];
	struct pages_answer answer;

	if (live_pages(pid, start + 1, end - 1, &answer))
		return 1;
	live_make_request(request, pid, end - 1, end + 1);
	if (live_pages_text(request, text, sizeof(text)))
		return 1;
	snprintf(line, sizeof(line), "\nstart 0x%lx\nend 0x%lx\n", end - PAGE,
		 end + PAGE);
	return differs("rounded", "present", answer.nr[PTAUDIT_P_PRESENT], 2) +
	       differs("rounded", "start and end", !!strstr(text, line), 1);
}

/* Ranges are exact to the page, in leaves and in PTE tables. */
TEST(ranges_are_exact_to_the_page)
{
	static const uint64_t cuts[] = { 0, 1, 100, 511, 512, 700, 1024 };
	struct target target;

	if (live_thp_missing())
		SKIP(return, "needs %s", live_thp_missing());
	ASSERT_EQ(0, target_start(&target, build_thp, &shape));
	EXPECT_EQ(0, check_ranges(target.pid, cuts, 7));
	target_stop(&target);
	ASSERT_EQ(0, target_start(&target, build_thp_split, &shape));
	EXPECT_EQ(0, check_ranges(target.pid, cuts, 5));
	EXPECT_EQ(0, check_rounding(target.pid));
	target_stop(&target);
}

/* Release and touch pages in an endless loop. */
static void __attribute__((noreturn)) be_restless(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	map_small(shape.start, 512);
	for (;;) {
		live_touch(shape.start, shape.start + HUGE);
		live_must(
			madvise((void *)shape.start, HUGE / 2, MADV_DONTNEED));
	}
}

/*
 * The tool measures a quiet moment (status 0), or says that the process changes (status 2).  Changes
 * during a measurement are not a disagreement (status 1).
 */
TEST(a_changing_process_is_measured_or_unstable)
{
	struct tool_run run;
	pid_t pid = fork();

	ASSERT_LE(0, pid);
	if (!pid)
		be_restless();
	for (int i = 0; i < 3; i++) {
		json_t *root = check(pid, &run);

		EXPECT_NE(NULL, root);
		EXPECT_EQ(true, run.status == 0 || run.status == 2)
		{
			live_note("%s%s", run.out, run.err);
		}
		json_decref(root);
		live_run_deinit(&run);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

TEST_HARNESS_MAIN
