// SPDX-License-Identifier: GPL-2.0-only
/*
 * A RAM disk with swap on it, and pages that are swapped out.  Must not depend on the
 * machine's memory size.
 */
#define _GNU_SOURCE
#include "lib/lib.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/swap.h>
#include <unistd.h>

#define DISK "/dev/ram0"

const char *live_disk(void)
{
	live_must_run((char *[]){ "modprobe", "brd", "rd_nr=1",
				  "rd_size=131072", NULL });
	/* an earlier test may have ended without turning swap off */
	live_swap_off();
	return DISK;
}

void live_swap_on(void)
{
	const char *disk = live_disk();
	cpu_set_t cpu;

	live_must_run((char *[]){ "mkswap", (char *)disk, NULL });
	live_must(swapon(disk, 0));
	/* pages in another CPU's batch would not be swapped out */
	CPU_ZERO(&cpu);
	CPU_SET(0, &cpu);
	live_must(sched_setaffinity(0, sizeof(cpu), &cpu));
}

void live_swap_off(void)
{
	swapoff(DISK);
}

static bool page_out(uint64_t start, uint64_t end)
{
	live_must(madvise((void *)start, end - start, MADV_PAGEOUT));
	return live_smaps_kib(getpid(), "Swap", 0, UINT64_MAX) ==
	       (end - start) / KIB;
}

/*
 * Reclaim skips a page that is not on the LRU lists yet or that another task is isolating:
 * try again.
 */
void live_page_out(uint64_t start, uint64_t end)
{
	live_must_be(live_until(page_out(start, end)), "Swap");
}
