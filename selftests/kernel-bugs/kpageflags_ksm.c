// SPDX-License-Identifier: GPL-2.0-only
/*
 * /proc/kpageflags reports KPF_KSM for every anonymous page.
 *
 * A pointer in struct page says by two of its bits what it is: one bit is set for
 * anonymous memory, both are set for a page that KSM merged.  From 6.10 on,
 * stable_page_flags() tests whether any of the two bits is set instead of whether both
 * are.  Each anonymous page then has KPF_KSM.  Fixed before 7.2 and in stable
 * releases: 6.18.44 has the fix.
 *
 * Expected: KPF_ANON without KPF_KSM for a page that was not merged, and both for one
 * that was.
 *
 * Seen:
 *	6.1.176		as expected
 *	6.12.95		KPF_KSM on pages that were not merged: test 1 fails
 *	6.18.44		as expected
 *	7.2.13		as expected
 *
 * Needs root, for the PFNs in /proc/self/pagemap and for /proc/kpageflags.  Test 2 lets
 * KSM run for a moment.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest.h"

#define KPF_ANON 12
#define KPF_KSM 21

#define PM_PRESENT (1ULL << 63)
#define PM_PFN_MASK ((1ULL << 55) - 1)

#define KSM_DIR "/sys/kernel/mm/ksm/"
#define NR_PAGES 16

static int pagemap_fd, kpageflags_fd;
static unsigned long page_size;

static uint64_t read_word(int fd, uint64_t index)
{
	uint64_t word;

	if (pread(fd, &word, sizeof(word), (off_t)(index * sizeof(word))) !=
	    sizeof(word))
		ksft_exit_fail_msg("pread: %s\n", strerror(errno));
	return word;
}

static uint64_t pfn_of(volatile char *page)
{
	uint64_t word;

	/* Reading the page swaps it in if necessary. */
	do {
		(void)*page;
		word = read_word(pagemap_fd, (uintptr_t)page / page_size);
	} while (!(word & PM_PRESENT));
	return word & PM_PFN_MASK;
}

/* Flags of the frame of @page; the frame must be the same before and after the read. */
static uint64_t flags_of(volatile char *page)
{
	uint64_t pfn, flags;

	do {
		pfn = pfn_of(page);
		if (!pfn)
			ksft_exit_skip("PFNs need CAP_SYS_ADMIN\n");
		flags = read_word(kpageflags_fd, pfn);
	} while (pfn_of(page) != pfn);
	return flags;
}

/* Number of anonymous pages among @nr whose KPF_KSM equals @ksm. */
static int count_anon(char *pages, int nr, bool ksm)
{
	int found = 0;

	for (int i = 0; i < nr; i++) {
		uint64_t flags = flags_of(pages + i * page_size);

		if (flags >> KPF_ANON & 1 && (flags >> KPF_KSM & 1) == ksm)
			found++;
	}
	return found;
}

static char *map_pages(int nr)
{
	char *pages = mmap(NULL, nr * page_size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		ksft_exit_fail_msg("mmap: %s\n", strerror(errno));
	madvise(pages, nr * page_size, MADV_NOHUGEPAGE);
	return pages;
}

static int get_ksm(const char *name, int *value)
{
	char path[64];
	FILE *file;
	int found;

	snprintf(path, sizeof(path), KSM_DIR "%s", name);
	file = fopen(path, "r");
	if (!file)
		return -1;
	found = fscanf(file, "%d", value);
	fclose(file);
	return found == 1 ? 0 : -1;
}

static int set_ksm(const char *name, int value)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), KSM_DIR "%s", name);
	file = fopen(path, "w");
	if (!file)
		return -1;
	fprintf(file, "%d", value);
	return fclose(file);
}

/* Two pages that KSM has merged, or NULL with a reason in @why. */
static char *merged_pages(const char **why)
{
	char *pages = map_pages(2);
	int run, sleep_ms;
	bool merged = false;

	memset(pages, 0x5a, 2 * page_size);
	*why = "no KSM in this kernel";
	if (madvise(pages, 2 * page_size, MADV_MERGEABLE) ||
	    get_ksm("run", &run) || get_ksm("sleep_millisecs", &sleep_ms))
		return NULL;
	*why = "KSM cannot be started";
	if (set_ksm("sleep_millisecs", 1) || set_ksm("run", 1))
		return NULL;
	for (int i = 0; i < 6000 && !merged; i++) {
		usleep(10000);
		merged = pfn_of(pages) == pfn_of(pages + page_size);
	}
	set_ksm("run", run);
	set_ksm("sleep_millisecs", sleep_ms);
	*why = "KSM merged nothing in a minute";
	return merged ? pages : NULL;
}

int main(void)
{
	static const char merged[] = "merged_pages_are_anon_with_ksm";
	const char *why;
	char *pages;
	int nr;

	ksft_print_header();

	page_size = sysconf(_SC_PAGESIZE);
	pagemap_fd = open("/proc/self/pagemap", O_RDONLY);
	kpageflags_fd = open("/proc/kpageflags", O_RDONLY);
	if (pagemap_fd < 0 || kpageflags_fd < 0)
		ksft_exit_skip("pagemap or kpageflags: %s\n", strerror(errno));

	/* All pages differ, so KSM cannot merge them. */
	pages = map_pages(NR_PAGES);
	for (int i = 0; i < NR_PAGES; i++)
		memset(pages + i * page_size, i + 1, page_size);

	ksft_set_plan(2);

	nr = count_anon(pages, NR_PAGES, false);
	ksft_print_msg("%d of %d unmerged pages have KPF_ANON without KPF_KSM\n",
		       nr, NR_PAGES);
	ksft_test_result(nr == NR_PAGES,
			 "unmerged_pages_are_anon_without_ksm\n");

	pages = merged_pages(&why);
	nr = pages ? count_anon(pages, 2, true) : 0;
	if (pages)
		ksft_test_result(nr == 2, "%s\n", merged);
	else
		ksft_test_result_skip("%s: %s\n", merged, why);

	if (ksft_get_fail_cnt())
		ksft_exit_fail();
	ksft_exit_pass();
}
