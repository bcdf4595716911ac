// SPDX-License-Identifier: GPL-2.0-only
/*
 * userfaultfd, as builders of layouts need it.  Must not serve a fault: the tests measure
 * processes that wait in one.
 */
#define _GNU_SOURCE
#include "lib/lib.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Source: include/uapi/linux/userfaultfd.h (6.6) */
#ifndef UFFD_FEATURE_POISON
#define UFFD_FEATURE_POISON (1 << 14)
struct uffdio_poison {
	struct uffdio_range range;
	__u64 mode;
	__s64 updated;
};
#define UFFDIO_POISON _IOWR(UFFDIO, 0x08, struct uffdio_poison)
#endif

/* Source: include/uapi/linux/userfaultfd.h (6.8) */
#ifndef UFFDIO_MOVE
struct uffdio_move {
	__u64 dst, src, len, mode;
	__s64 move;
};
#define UFFDIO_MOVE _IOWR(UFFDIO, 0x05, struct uffdio_move)
#endif

/* Source: include/uapi/linux/userfaultfd.h (7.3) */
#ifndef UFFDIO_RWPROTECT
struct uffdio_rwprotect {
	struct uffdio_range range;
	__u64 mode;
};
#define UFFDIO_RWPROTECT_MODE_RWP 1
#define UFFDIO_RWPROTECT _IOWR(UFFDIO, 0x09, struct uffdio_rwprotect)
#endif

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

int live_uffd_wp(uint64_t features, uint64_t start, uint64_t bytes)
{
	struct uffdio_rwprotect rwp = {
		.range = { .start = start, .len = bytes },
		.mode = UFFDIO_RWPROTECT_MODE_RWP,
	};
	int fd = live_uffd(UFFD_FEATURE_PAGEFAULT_FLAG_WP | features);

	if (features & UFFD_FEATURE_RWP) {
		live_uffd_register(fd, start, bytes, UFFDIO_REGISTER_MODE_RWP);
		live_must(ioctl(fd, UFFDIO_RWPROTECT, &rwp));
		return fd;
	}
	live_uffd_register(fd, start, bytes, UFFDIO_REGISTER_MODE_WP);
	live_uffd_protect(fd, start, bytes, true);
	return fd;
}

const char *live_uffd_missing(uint64_t features)
{
	static const struct {
		uint64_t feature;
		const char *name;
	} names[] = {
		{ UFFD_FEATURE_WP_HUGETLBFS_SHMEM,
		  "UFFD_FEATURE_WP_HUGETLBFS_SHMEM" },
		{ UFFD_FEATURE_WP_UNPOPULATED, "UFFD_FEATURE_WP_UNPOPULATED" },
		{ UFFD_FEATURE_WP_ASYNC, "UFFD_FEATURE_WP_ASYNC" },
		{ UFFD_FEATURE_RWP, "UFFD_FEATURE_RWP" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		int fd = live_uffd(features & names[i].feature);

		if (fd < 0)
			return names[i].name;
		close(fd);
	}
	return NULL;
}

void live_uffd_move(int fd, uint64_t from, uint64_t to, uint64_t bytes)
{
	struct uffdio_move move = { .dst = to, .src = from, .len = bytes };

	live_must(ioctl(fd, UFFDIO_MOVE, &move));
}

void live_uffd_poison(int fd, uint64_t start, uint64_t bytes)
{
	struct uffdio_poison poison = {
		.range = { .start = start, .len = bytes },
	};

	live_must(ioctl(fd, UFFDIO_POISON, &poison));
	live_must_be(poison.updated == (__s64)bytes, "UFFDIO_POISON");
}

int live_uffd_for_poison(void)
{
	return live_uffd(UFFD_FEATURE_POISON);
}

const char *live_uffd_poison_missing(void)
{
	int fd = live_uffd_for_poison();

	if (fd < 0)
		return "UFFD_FEATURE_POISON";
	close(fd);
	return NULL;
}
