// SPDX-License-Identifier: GPL-2.0-only
/* The process of layout.h: maps its memory, reports, and waits. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/prctl.h>

#include "layout.h"

int main(void)
{
	char *memory;
	unsigned long i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	memory = mmap((void *)BASE, SLOTS * SLOT, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
			      MAP_FIXED_NOREPLACE,
		      -1, 0);
	if (memory == MAP_FAILED ||
	    madvise(memory, SLOTS * SLOT, MADV_NOHUGEPAGE))
		return 1;
	for (i = 0; i < SLOTS; i++) {
		memory[i * SLOT] = 1;
		/* one page at a time: that frees no table */
		if (i < EMPTY &&
		    madvise(memory + i * SLOT, 4096, MADV_DONTNEED))
			return 1;
	}
	if (write(STDOUT_FILENO, "\n", 1) != 1)
		return 1;
	for (;;)
		pause();
}
