// SPDX-License-Identifier: GPL-2.0-only
/*
 * userfaultfd, as builders of layouts need it.  Must not serve a fault: what
 * holds still is what is looked at.
 */
#define _GNU_SOURCE
#include "lib.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int live_uffd(uint64_t features)
{
	struct uffdio_api api = { .api = UFFD_API, .features = features };
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd >= 0 && ioctl(fd, UFFDIO_API, &api)) {
		close(fd);
		return -1;
	}
	return fd;
}

void live_uffd_register(int fd, uint64_t start, uint64_t bytes, uint64_t mode)
{
	struct uffdio_register reg = {
		.range = { .start = start, .len = bytes },
		.mode = mode,
	};

	live_must(fd);
	live_must(ioctl(fd, UFFDIO_REGISTER, &reg));
}

void live_uffd_protect(int fd, uint64_t start, uint64_t bytes, bool protect)
{
	struct uffdio_writeprotect wp = {
		.range = { .start = start, .len = bytes },
		.mode = protect ? UFFDIO_WRITEPROTECT_MODE_WP : 0,
	};

	live_must(ioctl(fd, UFFDIO_WRITEPROTECT, &wp));
}
