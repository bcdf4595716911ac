// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finding out whether a hole under userfaultfd-wp looks like a table, and what is kept of the
 * result.  The test replaces the system calls and PAGEMAP_SCAN; some of its kernels refuse
 * userfaultfd().
 */
#include <errno.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "acquire/scan_abi.h"

static long fake_syscall(long number, ...);
static int fake_ioctl(int fd, unsigned long request, ...);

#define syscall fake_syscall
#define ioctl fake_ioctl
#include "acquire/scan_calibrate.c"
#undef syscall
#undef ioctl

#include "support/unit.h"

#define SLOT 4096
#define UFFD_CALLS 3

static char hole[SLOT];
/* userfaultfd() is refused; number of the call that fails, from 1 on. */
static bool is_forbidden;
static unsigned int nr_calls, failing;
/* What the scan shows of the hole, and whether it is protected by then. */
static int shown;
static bool is_protected;
static int uffd;
/* The caps are measured, with slots that the test does not know. */
static bool is_calibrating;
static bool is_uffd_unused;

bool ptu_uffd_is_unused(void)
{
	return is_uffd_unused;
}

static long fake_syscall(long number, ...)
{
	if (number != SYS_userfaultfd || is_forbidden) {
		errno = EPERM;
		return -1;
	}
	uffd = dup(STDOUT_FILENO);
	return uffd;
}

static int fake_ioctl(int fd, unsigned long request, ...)
{
	static const unsigned long requests[UFFD_CALLS] = {
		UFFDIO_API, UFFDIO_REGISTER, UFFDIO_WRITEPROTECT
	};

	if (fd != uffd || nr_calls >= UFFD_CALLS ||
	    request != requests[nr_calls])
		UNIT_FAIL("call 0x%lx is wrong", request);
	if (++nr_calls == failing) {
		errno = EINVAL;
		return -1;
	}
	is_protected = nr_calls == UFFD_CALLS;
	return 0;
}

int ptu_scan_written(int fd, uint64_t start, uint64_t end,
		     struct page_region_abi *hit)
{
	if (is_calibrating)
		return shown;
	if (fd != 3 || start != (uintptr_t)hole || end != start + SLOT ||
	    !is_protected)
		UNIT_FAIL("the wrong range is scanned");
	return shown;
}

int ptu_scan_any(int fd, uint64_t start, uint64_t end, uint64_t mask,
		 struct page_region_abi *hit)
{
	return shown;
}

static void set_up(void)
{
	is_calibrating = is_uffd_unused = false;
	is_forbidden = is_protected = false;
	nr_calls = failing = 0;
	shown = 0;
	uffd = -1;
}

UNIT_TEST(protected_hole_is_scanned)
{
	CHECK_EQ(hole_looks_written(3, hole, SLOT), 0);
	CHECK_EQ(nr_calls, UFFD_CALLS);
	/* it is closed */
	CHECK_EQ(write(uffd, "", 0), (ssize_t)-1);

	set_up();

	shown = 1;
	CHECK_EQ(hole_looks_written(3, hole, SLOT), 1);

	set_up();

	shown = -EIO;
	CHECK_EQ(hole_looks_written(3, hole, SLOT), -EIO);
}

UNIT_TEST(hole_that_cannot_be_protected_may_look_like_a_table)
{
	unsigned int call;

	is_forbidden = true;
	CHECK_EQ(hole_looks_written(3, hole, SLOT), 1);
	CHECK_EQ(nr_calls, 0);
	for (call = 1; call <= UFFD_CALLS; call++) {
		set_up();
		failing = call;
		CHECK_EQ(hole_looks_written(3, hole, SLOT), 1);
		CHECK_EQ(nr_calls, call);
	}
}

UNIT_TEST(kernel_that_does_not_know_the_scan_has_no_caps)
{
	struct ptu_scan_caps caps;

	is_calibrating = true;
	shown = -ENOTTY;
	CHECK_EQ(measure_caps(&caps), -EOPNOTSUPP);
	shown = -EINVAL;
	CHECK_EQ(measure_caps(&caps), -EOPNOTSUPP);
	shown = -EIO;
	CHECK_EQ(measure_caps(&caps), -EIO);
}

UNIT_TEST(hole_is_not_protected_if_nothing_uses_userfaultfd)
{
	struct ptu_scan_caps caps = { .wp_hole_is_seen = true };

	is_forbidden = is_uffd_unused = true;
	ptu_scan_calibrate_wp(&caps);
	CHECK(!caps.wp_hole_is_seen);
	/* the result is not kept: now it is unknown */
	is_uffd_unused = false;
	ptu_scan_calibrate_wp(&caps);
	CHECK(caps.wp_hole_is_seen);
}

UNIT_TEST(caps_are_measured_again_after_a_lack_of_descriptors)
{
	struct ptu_err err = { "" };
	struct ptu_scan_caps caps;
	struct rlimit before, none;

	is_calibrating = true;
	shown = 1;
	CHECK_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = 0;
	CHECK_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
	CHECK_EQ(ptu_scan_calibrate(&caps, &err), -EMFILE);
	CHECK_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
	CHECK_EQ(ptu_scan_calibrate(&caps, &err), 1);
	CHECK(caps.empty_is_seen && !caps.hole_is_silent);
	/* the result is kept */
	shown = 0;
	CHECK_EQ(ptu_scan_calibrate(&caps, &err), 1);
	CHECK(caps.empty_is_seen && !caps.hole_is_silent);
}

UNIT_MAIN_WITH(set_up, NULL)
