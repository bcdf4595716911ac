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
 * Does PAGEMAP_SCAN report a page of an emptied table as written?  It does on 6.7 to
 * 7.2.  Source of the structure: include/uapi/linux/fs.h (6.12).
 */
static inline bool scan_shows_empty(void)
{
	const long page = sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, page, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned long region[3], start = (unsigned long)memory;
	const unsigned long written = 1 << 1;
	struct {
		unsigned long size, flags, start, end, walk_end, vec, vec_len;
		unsigned long max_pages, inverted, mask, anyof, returned;
	} scan = {
		.size = sizeof(scan),
		.start = start,
		.end = start + page,
		.vec = (unsigned long)region,
		.vec_len = 1,
		.max_pages = 1,
		.mask = written,
		.returned = written,
	};
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	bool shows;

	if (fd < 0 || memory == MAP_FAILED)
		UNIT_FAIL("no pagemap or no memory");
	memory[0] = 1;
	madvise(memory, page, MADV_DONTNEED);
	shows = ioctl(fd, _IOC(_IOC_READ | _IOC_WRITE, 'f', 16, sizeof(scan)),
		      &scan) == 1;
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
