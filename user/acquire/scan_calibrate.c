// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Test with our own tables what PAGEMAP_SCAN reports; must not look at other
 * processes.
 */
#include "acquire/scan.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "acquire/file.h"
#include "acquire/scan_abi.h"
#include "acquire/uffd.h"

/* Is any page of our own range reported as written? */
static int shows_written(int fd, const char *start, size_t bytes)
{
	struct page_region_abi hit;

	return ptu_scan_written(fd, (uintptr_t)start, (uintptr_t)start + bytes,
				&hit);
}

/*
 * Does a hole that is write-protected with userfaultfd look like a table? If
 * userfaultfd is not allowed, this is unknown: assume that it does.
 */
static int hole_looks_written(int fd, char *hole, size_t bytes)
{
	struct uffdio_api api = { .api = UFFD_API,
				  .features = UFFD_FEATURE_PAGEFAULT_FLAG_WP };
	struct uffdio_register range = {
		.range = { .start = (uintptr_t)hole, .len = bytes },
		.mode = UFFDIO_REGISTER_MODE_WP,
	};
	struct uffdio_writeprotect protect = {
		.range = { .start = (uintptr_t)hole, .len = bytes },
		.mode = UFFDIO_WRITEPROTECT_MODE_WP,
	};
	int uffd = (int)syscall(SYS_userfaultfd,
				O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);
	int ret = 1;

	if (uffd < 0)
		return ret;
	if (!ioctl(uffd, UFFDIO_API, &api) &&
	    !ioctl(uffd, UFFDIO_REGISTER, &range) &&
	    !ioctl(uffd, UFFDIO_WRITEPROTECT, &protect))
		ret = shows_written(fd, hole, bytes);
	close(uffd);
	return ret;
}

static int calibrate(int fd, char *area, size_t slot, struct ptu_scan_caps *ret)
{
	long page = sysconf(_SC_PAGESIZE);
	struct page_region_abi hit;
	char *hole = area, *emptied = area + slot;
	int nr;

	*(volatile char *)emptied = 1;
	/* page by page: for a whole slot the kernel may free the table */
	if (madvise(emptied, page, MADV_DONTNEED))
		return -errno;
	nr = shows_written(fd, hole, slot);
	if (nr < 0)
		return nr;
	ret->hole_is_silent = !nr;
	nr = shows_written(fd, emptied, slot);
	if (nr < 0)
		return nr;
	ret->empty_is_seen = nr;
	nr = ptu_scan_any(fd, (uintptr_t)emptied, (uintptr_t)emptied + slot,
			  PAGE_WRITTEN, &hit);
	if (nr < 0)
		return nr;
	ret->any_sees_empty = nr;
	return 0;
}

/* Run @measure on @nr untouched slots of our own. */
static int with_slots(size_t nr, struct ptu_scan_caps *ret,
		      int (*measure)(int fd, char *area, size_t slot,
				     struct ptu_scan_caps *ret))
{
	size_t slot = ptu_scan_own_slot(), bytes = (nr + 1) * slot;
	char *area, *aligned;
	int fd, error;

	area = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (area == MAP_FAILED)
		return -errno;
	madvise(area, bytes, MADV_NOHUGEPAGE);
	aligned = area + (-(uintptr_t)area & (slot - 1));
	fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	error = fd < 0 ? -errno : measure(fd, aligned, slot, ret);
	if (fd >= 0)
		close(fd);
	munmap(area, bytes);
	return error;
}

static int measure_caps(struct ptu_scan_caps *ret)
{
	int error = with_slots(2, ret, calibrate);

	/* assumed until calibrate_wp() tests it */
	ret->wp_hole_is_seen = true;
	return error == -ENOTTY || error == -EINVAL ? -EOPNOTSUPP : error;
}

static int calibrate_wp(int fd, char *area, size_t slot,
			struct ptu_scan_caps *ret)
{
	int nr = hole_looks_written(fd, area, slot);

	if (nr < 0)
		return nr;
	ret->wp_hole_is_seen = nr;
	return 0;
}

/*
 * Call measure_caps() until it has a result, which is kept: the next call may succeed after
 * a lack of descriptors or memory.
 */
static int find_caps(struct ptu_scan_caps *ret)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct ptu_scan_caps known;
	static int known_error;
	static bool is_known;
	int error;

	pthread_mutex_lock(&lock);
	if (!is_known) {
		known_error = measure_caps(&known);
		is_known = !known_error || known_error == -EOPNOTSUPP;
	}
	*ret = known;
	error = known_error;
	pthread_mutex_unlock(&lock);
	return error;
}

int ptu_scan_calibrate(struct ptu_scan_caps *ret, struct ptu_err *err)
{
	int error = ptu_file_is_recording() ? ptu_scan_replay_caps(ret) :
					      find_caps(ret);

	if (!error)
		return 1;
	if (error == -EOPNOTSUPP)
		return 0;
	if (error == -EBADMSG)
		return ptu_err_set(err, error,
				   "the recording is damaged: the file scan-caps does not have the format that record writes");
	return ptu_err_set(err, error, "%s: %s",
			   ptu_file_is_recording() ?
				   "cannot read the recording's scan-caps" :
				   "PAGEMAP_SCAN cannot be calibrated",
			   strerror(-error));
}

/*
 * The result of the test with a hole under userfaultfd-wp, which the first thread that
 * needs it makes. If the test fails, assume that such holes are reported.
 */
static pthread_once_t wp_once = PTHREAD_ONCE_INIT;
static struct ptu_scan_caps known_wp = { .wp_hole_is_seen = true };

static void find_wp(void)
{
	if (with_slots(1, &known_wp, calibrate_wp))
		known_wp.wp_hole_is_seen = true;
}

void ptu_scan_calibrate_wp(struct ptu_scan_caps *caps)
{
	if (ptu_file_is_recording())
		return;
	if (ptu_uffd_is_unused()) {
		caps->wp_hole_is_seen = false;
		return;
	}
	pthread_once(&wp_once, find_wp);
	caps->wp_hole_is_seen = known_wp.wp_hole_is_seen;
}
