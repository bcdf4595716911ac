// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each page of a process is read once, with the flags and the count of its page frame.
 * The test defines the pages.
 */
#include "acquire/fake_words.h"

#include <stdlib.h>

#define A UINT64_C(0x7f0000000000)
/* More pages than two reads return. */
#define NR (2 * PTU_PAGES_CHUNK + 100)

static struct ptu_pages files;
static struct ptu_err err;
static uint64_t words[NR];

/* The pages that the callback received. */
static struct ptu_page got[NR];
static uint64_t addrs[64];
static size_t nrs[64];
static size_t nr_calls, nr_got;
static int fn_error;

static int take(void *arg, uint64_t addr, const struct ptu_page *pages,
		size_t nr_pages)
{
	if (arg != &got || nr_calls == 64 || nr_got + nr_pages > NR)
		return -E2BIG;
	addrs[nr_calls] = addr;
	nrs[nr_calls++] = nr_pages;
	memcpy(got + nr_got, pages, nr_pages * sizeof(*pages));
	nr_got += nr_pages;
	return fn_error;
}

static void set_up(void)
{
	fake = (struct fake){ .words = words,
			      .index = A / PAGE,
			      .nr_words = NR };
	files = (struct ptu_pages){
		.proc = &fake_proc,
		.page_bytes = PAGE,
		.has_pfns = true,
		.has_flags = true,
		.pagemap.fd = FIRST_FD + PAGEMAP,
		.flags.fd = FIRST_FD + FLAGS,
		.counts.fd = FIRST_FD + COUNTS,
		.pages = malloc(PTU_PAGES_CHUNK * sizeof(*files.pages)),
		.words = malloc(PTU_PAGES_CHUNK * sizeof(*files.words)),
	};
	memset(files.words, 0xee, PTU_PAGES_CHUNK * sizeof(*files.words));
	memset(words, 0, sizeof(words));
	memset(got, 0xee, sizeof(got));
	nr_calls = nr_got = 0;
	fn_error = 0;
	err.text[0] = '\0';
}

static void tear_down(void)
{
	free(files.pages);
	free(files.words);
}

static int read_from(uint64_t first, uint64_t end)
{
	err.text[0] = '\0';
	return ptu_pages_read(&files, A + first * PAGE, A + end * PAGE, take,
			      &got, &err);
}

/* No two pages have consecutive frames. */
static void fill_words(void)
{
	for (size_t i = 0; i < NR; i++)
		words[i] = PTU_PM_PRESENT | PTU_PM_EXCLUSIVE | (5 + 2 * i);
}

static void page_is(size_t i, uint64_t word, bool zero)
{
	const uint64_t pfn = word & (PTU_PM_PRESENT - 1) & ~PTU_PM_EXCLUSIVE;
	const bool has_flags = word & PTU_PM_PRESENT && files.has_flags;

	CHECK_EQ(got[i].word, word);
	CHECK_EQ(got[i].zero, zero);
	CHECK_EQ(got[i].flags, has_flags ? pfn * 256 + 8 : 0);
	CHECK_EQ(got[i].count, has_flags ? pfn + 1000 : 0);
}

UNIT_TEST(each_page_is_read_once)
{
	fill_words();
	CHECK_EQ(read_from(0, NR), 0);
	CHECK_EQ(nr_got, NR);
	CHECK_EQ(nr_calls, 3);
	CHECK_EQ(addrs[0], A);
	CHECK_EQ(addrs[1], A + PTU_PAGES_CHUNK * PAGE);
	CHECK_EQ(addrs[2], A + 2 * PTU_PAGES_CHUNK * PAGE);
	CHECK_EQ(nrs[0], PTU_PAGES_CHUNK);
	CHECK_EQ(nrs[2], 100);
	CHECK_EQ(fake.nr_scans, 0);
	for (size_t i = 0; i < NR; i++)
		page_is(i, words[i], false);
	/* an empty range, and one of one page */
	nr_got = 0;
	CHECK_EQ(read_from(7, 7), 0);
	CHECK_EQ(nr_calls, 3);
	CHECK_EQ(read_from(7, 8), 0);
	CHECK_EQ(nr_calls, 4);
	CHECK_EQ(addrs[3], A + 7 * PAGE);
	CHECK_EQ(nrs[3], 1);
}

UNIT_TEST(without_kpageflags_pages_have_no_flags)
{
	files.has_flags = false;
	fill_words();
	CHECK_EQ(read_from(0, 10), 0);
	CHECK_EQ(nr_got, 10);
	page_is(9, words[9], false);
	CHECK_EQ(fake.nr_reads[FLAGS] + fake.nr_reads[COUNTS], 0);
}

static void recall_even(void *arg, struct ptu_page *page)
{
	if (arg != &got)
		UNIT_FAIL("wrong argument");
	if (page->flags || page->count)
		UNIT_FAIL("the page was not cleared");
	if (page->word % 2 == 0)
		page->count = page->flags = 7;
}

UNIT_TEST(page_that_is_recalled_is_not_read)
{
	static const uint64_t row[] = { PTU_PM_PRESENT | 10,
					PTU_PM_PRESENT | 11,
					PTU_PM_PRESENT | 12,
					PTU_PM_PRESENT | 14 };

	memcpy(words, row, sizeof(row));
	files.recall = recall_even;
	files.recall_arg = &got;
	CHECK_EQ(read_from(0, 4), 0);
	CHECK_EQ(got[0].count, 7);
	CHECK_EQ(got[0].flags, 7);
	page_is(1, row[1], false);
	CHECK_EQ(got[2].count, 7);
	CHECK_EQ(got[3].count, 7);
	CHECK_EQ(fake.nr_reads[FLAGS], 1);
	CHECK_EQ(fake.nr_reads[COUNTS], 1);
}

/* Consecutive frames are read by one call. */
UNIT_TEST(each_page_gets_the_flags_of_its_own_frame)
{
	static const uint64_t row[] = {
		PTU_PM_PRESENT | 10,
		PTU_PM_PRESENT | PTU_PM_EXCLUSIVE | 11,
		PTU_PM_PRESENT | 12,
		PTU_PM_SWAP | 13,
		0,
		PTU_PM_PRESENT | 14,
		PTU_PM_PRESENT | 14,
		PTU_PM_PRESENT | 16,
		PTU_PM_PRESENT | 15,
		PTU_PM_UFFD_WP | 16,
		PTU_PM_PRESENT | 17,
	};
	const size_t nr = sizeof(row) / sizeof(row[0]);

	memcpy(words, row, sizeof(row));
	CHECK_EQ(read_from(0, nr), 0);
	CHECK_EQ(nr_got, nr);
	for (size_t i = 0; i < nr; i++)
		page_is(i, row[i], false);
	CHECK_EQ(fake.nr_reads[FLAGS], 6);
	CHECK_EQ(fake.nr_reads[COUNTS], 6);
}

/* The kernel has no words behind the last frame of its RAM. */
UNIT_TEST(frames_behind_the_end_have_no_flags)
{
	for (size_t i = 0; i < 4; i++)
		words[i] = PTU_PM_PRESENT | (50 + i);
	fake.end[FLAGS] = 52;
	fake.end[COUNTS] = 51;
	CHECK_EQ(read_from(0, 4), 0);
	for (size_t i = 0; i < 4; i++) {
		CHECK_EQ(got[i].flags, i < 2 ? (50 + i) * 256 + 8 : 0);
		CHECK_EQ(got[i].count, i < 1 ? 50 + 1000 : 0);
	}
	/* even the first of the frames is behind the end */
	fake.end[FLAGS] = fake.end[COUNTS] = 50;
	nr_got = 0;
	CHECK_EQ(read_from(0, 4), 0);
	for (size_t i = 0; i < 4; i++) {
		CHECK_EQ(got[i].flags, 0);
		CHECK_EQ(got[i].count, 0);
	}
}

UNIT_TEST(frames_that_a_recording_lacks_are_damage)
{
	words[0] = PTU_PM_PRESENT | 50;
	words[1] = PTU_PM_PRESENT | 51;
	words[2] = PTU_PM_PRESENT | 7;
	fake.unknown[FLAGS] = 52;
	CHECK_EQ(read_from(0, 3), 0);
	fake.unknown[FLAGS] = 51;
	CHECK_EQ(read_from(0, 3), -EBADMSG);
	CHECK_STR(err.text,
		  "the recording is damaged: kpageflags has no page frame 0x33");
	fake.unknown[FLAGS] = 0;
	fake.unknown[COUNTS] = 50;
	CHECK_EQ(read_from(0, 3), -EBADMSG);
	CHECK_STR(err.text,
		  "the recording is damaged: kpagecount has no page frame 0x32");
}

UNIT_TEST(unreadable_flags_are_an_error)
{
	words[0] = PTU_PM_PRESENT | 50;
	words[1] = PTU_PM_PRESENT | 60;
	fake.read_error[FLAGS] = -EIO;
	CHECK_EQ(read_from(0, 2), -EIO);
	CHECK_STR(err.text, "cannot read /proc/kpageflags: Input/output error");
	CHECK_EQ(fake.nr_reads[FLAGS], 1);
	CHECK_EQ(fake.nr_reads[COUNTS], 0);
	fake.read_error[FLAGS] = 0;
	fake.read_error[COUNTS] = -EPERM;
	CHECK_EQ(read_from(0, 2), -EPERM);
	CHECK_STR(err.text,
		  "cannot read /proc/kpagecount: Operation not permitted");
	CHECK_EQ(fake.nr_reads[COUNTS], 1);
	CHECK_EQ(nr_calls, 0);
}

UNIT_TEST(unreadable_pagemap_is_refused)
{
	fake.read_error[PAGEMAP] = -EACCES;
	CHECK_EQ(read_from(0, 2), -EACCES);
	CHECK_STR(err.text, "process 77: pagemap refused");
	CHECK_EQ(nr_calls, 0);
}

UNIT_TEST(pagemap_ends_when_memory_is_unmapped)
{
	fake.end[PAGEMAP] = A / PAGE + 3;
	CHECK_EQ(read_from(0, 3), 0);
	CHECK_EQ(nr_calls, 1);
	CHECK_EQ(read_from(1, 4), -EAGAIN);
	CHECK_STR(err.text, "process 77: pagemap ends at 0x7f0000003000");
	/* the first page has no word */
	CHECK_EQ(read_from(3, 4), -EAGAIN);
	CHECK_STR(err.text, "process 77: pagemap ends at 0x7f0000003000");
	fake.same_error = -ESRCH;
	CHECK_EQ(read_from(1, 4), -ESRCH);
	CHECK_EQ(nr_calls, 1);
}

UNIT_TEST(an_error_of_the_caller_stops_the_reading)
{
	fill_words();
	fn_error = -ENOMEM;
	CHECK_EQ(read_from(0, NR), -ENOMEM);
	CHECK_EQ(nr_calls, 1);
	/* with PAGEMAP_SCAN: in the first of two regions of the first of two calls */
	nr_calls = nr_got = 0;
	files.has_scan = true;
	fake.scan_step = 16 * PAGE;
	fake.nr_regions = 2;
	fake.regions[0].region = (struct ptu_scan_region){ A, A + PAGE, false };
	fake.regions[1].region = (struct ptu_scan_region){ A + 2 * PAGE,
							   A + 3 * PAGE,
							   false };
	CHECK_EQ(read_from(0, 32), -ENOMEM);
	CHECK_EQ(nr_calls, 1);
	CHECK_EQ(fake.nr_scans, 1);
}

/* A recording is read in pieces of 512 pages, which start at a page that it has. */
UNIT_TEST(gaps_of_a_recording_are_skipped)
{
	files.is_recorded = fake.is_recording = true;
	words[3] = words[514] = words[515] = words[2000] = PTU_PM_PRESENT | 9;
	CHECK_EQ(read_from(0, NR), 0);
	CHECK_EQ(nr_calls, 3);
	CHECK_EQ(addrs[0], A + 3 * PAGE);
	CHECK_EQ(nrs[0], 512);
	CHECK_EQ(addrs[1], A + 515 * PAGE);
	CHECK_EQ(nrs[1], 512);
	CHECK_EQ(addrs[2], A + 2000 * PAGE);
	CHECK_EQ(nrs[2], 512);
	page_is(0, words[3], false);
	page_is(511, words[514], false);
	page_is(1024, words[2000], false);
	/* the range ends at a page, or begins at it */
	CHECK_EQ(read_from(1027, 2000), 0);
	CHECK_EQ(nr_calls, 3);
	CHECK_EQ(read_from(1027, 2001), 0);
	CHECK_EQ(nr_calls, 4);
	CHECK_EQ(addrs[3], A + 2000 * PAGE);
	CHECK_EQ(nrs[3], 1);
	CHECK_EQ(read_from(2001, NR), 0);
	CHECK_EQ(nr_calls, 4);
}

/* Only the regions are read; the kernel says which of them are the zero page. */
UNIT_TEST(regions_of_pagemap_scan_are_read)
{
	fill_words();
	files.has_scan = true;
	fake.scan_step = 100 * PAGE;
	fake.nr_regions = 3;
	fake.regions[0] = (struct fake_region){
		0, { A + 2 * PAGE, A + 5 * PAGE, false }
	};
	fake.regions[1] = (struct fake_region){
		0, { A + 5 * PAGE, A + 6 * PAGE, true }
	};
	fake.regions[2] = (struct fake_region){
		2, { A + 201 * PAGE, A + 203 * PAGE, true }
	};
	CHECK_EQ(read_from(0, 250), 0);
	/* 0 to 100, to 200, to 250 */
	CHECK_EQ(fake.nr_scans, 3);
	CHECK_EQ(fake.scan_start, A + 200 * PAGE);
	CHECK_EQ(fake.scan_end, A + 250 * PAGE);
	CHECK_EQ(nr_calls, 3);
	CHECK_EQ(nr_got, 6);
	CHECK_EQ(addrs[0], A + 2 * PAGE);
	CHECK_EQ(addrs[1], A + 5 * PAGE);
	CHECK_EQ(addrs[2], A + 201 * PAGE);
	page_is(0, words[2], false);
	page_is(3, words[5], true);
	page_is(5, words[202], true);
	CHECK_EQ(read_from(9, 9), 0);
	CHECK_EQ(fake.nr_scans, 3);
	fake.scan_error = -ESRCH;
	CHECK_EQ(read_from(0, 250), -ESRCH);
	CHECK_STR(err.text, "process 77: pagemap refused");
}

UNIT_TEST(a_page_is_read_again)
{
	struct ptu_page page;

	fill_words();
	CHECK_EQ(ptu_pages_again(&files, A + 9 * PAGE, &page, &err), 0);
	got[0] = page;
	page_is(0, words[9], false);
	CHECK_EQ(fake.nr_scans, 0);
	/* the buffer may be in use by the caller */
	CHECK_EQ(files.pages[0].word, 0xbebebebebebebebe);
	files.has_scan = true;
	fake.nr_regions = 2;
	fake.regions[0] = (struct fake_region){
		0, { A + 9 * PAGE, A + 10 * PAGE, true }
	};
	fake.regions[1] = (struct fake_region){
		1, { A + 9 * PAGE, A + 10 * PAGE, false }
	};
	CHECK_EQ(ptu_pages_again(&files, A + 9 * PAGE, &page, &err), 0);
	CHECK_EQ(fake.scan_start, A + 9 * PAGE);
	CHECK_EQ(fake.scan_end, A + 10 * PAGE);
	got[0] = page;
	page_is(0, words[9], true);
	CHECK_EQ(ptu_pages_again(&files, A + 9 * PAGE, &page, &err), 0);
	got[0] = page;
	page_is(0, words[9], false);
	/* the scan finds no region any more */
	CHECK_EQ(ptu_pages_again(&files, A + 9 * PAGE, &page, &err), 0);
	CHECK_EQ(fake.nr_scans, 3);
	CHECK(!page.zero);
	fake.scan_error = -ESRCH;
	CHECK_EQ(ptu_pages_again(&files, A + 9 * PAGE, &page, &err), -ESRCH);
	CHECK_STR(err.text, "process 77: pagemap refused");
}

UNIT_MAIN_WITH(set_up, tear_down)
