// SPDX-License-Identifier: GPL-2.0-only
/*
 * PAGEMAP_SCAN returns a stale walk_end when more regions match than its buffer holds.
 *
 * The kernel collects regions in a buffer of PMD_SIZE / PAGE_SIZE entries (512 on
 * x86-64), or of vec_len entries if that is less.  When the buffer is full, the walk
 * stops, sets walk_end, the buffer is copied to the caller, and another walk starts at
 * walk_end.  The last walk ends because it reaches the end of the range.  It leaves
 * walk_end alone, and do_pagemap_scan() sets walk_end to the end of the range only where
 * it is still zero.  What the caller gets is the address at which the last full buffer
 * ended, although regions behind that address are in its vector.
 *
 * A caller that continues at walk_end, as the interface intends, gets those regions twice.
 *
 * Expected: walk_end is the end of the range when the whole range was walked, and each
 * page is returned once.
 *
 * Seen:
 *	6.1.176		no PAGEMAP_SCAN (added in 6.7): skipped
 *	6.12.95		walk_end is stale: tests 3 and 4 fail
 *	6.18.44		walk_end is stale: tests 3 and 4 fail
 *	7.2.13		walk_end is stale: tests 3 and 4 fail
 *
 * Until it is fixed, a caller can pass a vec_len of at most 512, or continue at the
 * greater of walk_end and the end of the last region.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/fs.h>

#include "kselftest.h"

#ifndef PAGEMAP_SCAN
#define PAGE_IS_PRESENT (1 << 3)

struct page_region {
	uint64_t start;
	uint64_t end;
	uint64_t categories;
};

struct pm_scan_arg {
	uint64_t size;
	uint64_t flags;
	uint64_t start;
	uint64_t end;
	uint64_t walk_end;
	uint64_t vec;
	uint64_t vec_len;
	uint64_t max_pages;
	uint64_t category_inverted;
	uint64_t category_mask;
	uint64_t category_anyof_mask;
	uint64_t return_mask;
};

#define PAGEMAP_SCAN _IOWR('f', 16, struct pm_scan_arg)
#endif

static int pagemap_fd;
static unsigned long page_size;
static struct page_region *vec;

static int scan(uint64_t start, uint64_t end, unsigned long vec_len,
		uint64_t *walk_end)
{
	struct pm_scan_arg arg = {
		.size = sizeof(arg),
		.start = start,
		.end = end,
		.vec = (uintptr_t)vec,
		.vec_len = vec_len,
		.category_mask = PAGE_IS_PRESENT,
		.return_mask = PAGE_IS_PRESENT,
	};
	int ret = ioctl(pagemap_fd, PAGEMAP_SCAN, &arg);

	*walk_end = arg.walk_end;
	return ret;
}

/* Count present pages as a caller does that continues at walk_end. */
static unsigned long count_pages(uint64_t start, uint64_t end,
				 unsigned long vec_len)
{
	unsigned long pages = 0;
	uint64_t walk_end;
	int ret;

	for (; start < end; start = walk_end) {
		ret = scan(start, end, vec_len, &walk_end);
		if (ret < 0)
			ksft_exit_fail_msg("PAGEMAP_SCAN: %s\n",
					   strerror(errno));
		if (walk_end <= start)
			ksft_exit_fail_msg("PAGEMAP_SCAN makes no progress\n");
		for (int i = 0; i < ret; i++)
			pages += (vec[i].end - vec[i].start) / page_size;
	}
	return pages;
}

int main(void)
{
	unsigned long in_buffer, regions, vec_len, pages, size;
	uint64_t start, end, walk_end;
	char *area;
	int ret;

	ksft_print_header();

	page_size = sysconf(_SC_PAGESIZE);
	in_buffer = page_size / sizeof(uint64_t);
	regions = in_buffer + 88;
	vec_len = 2 * in_buffer;
	size = 2 * regions * page_size;

	pagemap_fd = open("/proc/self/pagemap", O_RDONLY);
	if (pagemap_fd < 0)
		ksft_exit_skip("/proc/self/pagemap: %s\n", strerror(errno));
	vec = calloc(vec_len, sizeof(*vec));
	area = mmap(NULL, size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (!vec || area == MAP_FAILED)
		ksft_exit_fail_msg("no memory\n");
	start = (uintptr_t)area;
	end = start + size;
	if (scan(start, end, 1, &walk_end) < 0)
		ksft_exit_skip("PAGEMAP_SCAN: %s\n", strerror(errno));

	/* Write to every second page, so that each written page is a region. */
	madvise(area, size, MADV_NOHUGEPAGE);
	for (unsigned long i = 0; i < regions; i++)
		area[2 * i * page_size] = 1;

	ksft_set_plan(4);

	pages = count_pages(start, end, in_buffer);
	ksft_print_msg("vec_len %lu: %lu pages, %lu are present\n", in_buffer,
		       pages, regions);
	ksft_test_result(pages == regions,
			 "small_vec.each_page_is_returned_once\n");

	ret = scan(start, end, vec_len, &walk_end);
	ksft_print_msg("vec_len %lu: %d regions, %lu exist; walk_end is %#lx before the end\n",
		       vec_len, ret, regions, (unsigned long)(end - walk_end));
	ksft_test_result(ret == (int)regions,
			 "large_vec.all_regions_are_returned\n");
	ksft_test_result(walk_end == end,
			 "large_vec.walk_end_is_end_of_range\n");

	pages = count_pages(start, end, vec_len);
	ksft_print_msg("vec_len %lu: %lu pages, %lu are present\n", vec_len,
		       pages, regions);
	ksft_test_result(pages == regions,
			 "large_vec.each_page_is_returned_once\n");

	if (ksft_get_fail_cnt())
		ksft_exit_fail();
	ksft_exit_pass();
}
