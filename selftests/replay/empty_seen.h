/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether the tool can see empty tables on this machine. */
#ifndef EMPTY_SEEN_H
#define EMPTY_SEEN_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "unit.h"

/*
 * Is a page of an emptied table in the category "written" (1 << 1)?  This is so in
 * PAGEMAP_SCAN of 6.7 to 7.2, which has a structure of 96 bytes.
 */
static inline bool scan_shows_empty(void)
{
	const long page = sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, page, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned long region[3], start = (unsigned long)memory;
	unsigned long scan[12] = { sizeof(scan),
				   0,
				   start,
				   start + page,
				   0,
				   (unsigned long)region,
				   1,
				   1,
				   0,
				   2,
				   0,
				   2 };
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	bool shows;

	if (fd < 0 || memory == MAP_FAILED)
		UNIT_FAIL("no pagemap or no memory");
	memory[0] = 1;
	madvise(memory, page, MADV_DONTNEED);
	shows = ioctl(fd, _IOC(_IOC_READ | _IOC_WRITE, 'f', 16, sizeof(scan)),
		      scan) == 1;
	munmap(memory, page);
	close(fd);
	return shows;
}

/* BPF finds empty tables, too, if the caller may use it. */
static inline bool sees_empty(void)
{
	return scan_shows_empty() ||
	       !system(TOOL " map --truth bpf self >/dev/null 2>&1");
}

#endif
