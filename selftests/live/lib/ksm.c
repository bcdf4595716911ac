// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages that KSM merges.  Must not use the kernel's totals: they cover all processes, also
 * ended ones.
 */
#define _GNU_SOURCE
#include "lib/lib.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define KSM "/sys/kernel/mm/ksm/"

/*
 * Count our own merged pages.  Before 5.19 only page flags show them, but 6.12 sets
 * KPF_KSM for every anonymous page.
 */
static uint64_t nr_merged(uint64_t start, uint64_t end)
{
	char text[32];
	int fd = open("/proc/self/pagemap", O_RDONLY);
	uint64_t nr = 0, word;

	live_must(fd);
	if (!access("/proc/self/ksm_merging_pages", R_OK)) {
		close(fd);
		return strtoull(live_file("/proc/self/ksm_merging_pages", text,
					  sizeof(text)),
				NULL, 10);
	}
	for (uint64_t addr = start; addr < end; addr += PAGE) {
		live_must_be(pread(fd, &word, sizeof(word),
				   (off_t)(addr / PAGE * sizeof(word))) ==
				     sizeof(word),
			     "pagemap");
		/* KPF_KSM; Source: include/uapi/linux/kernel-page-flags.h */
		nr += live_page_flags(word & ((1UL << 55) - 1)) >> 21 & 1;
	}
	close(fd);
	return nr;
}

void live_merge(uint64_t start, uint64_t end, uint64_t nr)
{
	bool is_merged;

	live_must(madvise((void *)start, end - start, MADV_MERGEABLE));
	live_must(live_set(KSM "pages_to_scan", "10000"));
	live_must(live_set(KSM "sleep_millisecs", "1"));
	live_must(live_set(KSM "run", "1"));
	is_merged = live_until(nr_merged(start, end) == nr);
	live_ksm_off();
	live_must_be(is_merged, "pages merged");
}

void live_ksm_off(void)
{
	live_set(KSM "run", "0");
}
