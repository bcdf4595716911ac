// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finding out whether a hole under userfaultfd-wp looks like a table.  The test replaces the
 * system calls and PAGEMAP_SCAN; some of its kernels refuse userfaultfd().
 */
#include <errno.h>
#include <stdarg.h>
#include <sys/ioctl.h>
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
	if (fd != 3 || start != (uintptr_t)hole || end != start + SLOT ||
	    !is_protected)
		UNIT_FAIL("the wrong range is scanned");
	return shown;
}

static void set_up(void)
{
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

UNIT_MAIN_WITH(set_up, NULL)
