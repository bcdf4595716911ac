// SPDX-License-Identifier: GPL-2.0-only
/* File mappings, complete or truncated, and faults that end in a signal. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixtures/layout.h"

/* Map a file of at least .nr pages on a file system that uses the page cache. */
static pid_t build_file(const struct shape *s)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	struct stat stat;

	live_must(fd);
	live_must(fstat(fd, &stat));
	live_must_be(stat.st_size >= (off_t)(s->nr * PAGE), "size of the file");
	live_map_fd(s->start, s->nr * PAGE, PROT_READ,
		    MAP_PRIVATE | MAP_POPULATE, fd);
	return 0;
}

static void expect_file(struct expect *e, const struct shape *s)
{
	expect_pages(e, s->start, s->start + s->nr * PAGE);
}

LAYOUT(file_read, build_file, expect_file,
       SHAPE(.start = FAR + 4 * MIB - 3 * PAGE, .nr = 10));

static pid_t build_file_written(const struct shape *s)
{
	int fd = open("/proc/self/exe", O_RDONLY);

	live_must(fd);
	live_map_fd(s->start, s->nr * PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_POPULATE, fd);
	live_touch(s->start, s->start + s->nr * PAGE);
	return 0;
}

LAYOUT(file_copied_on_write, build_file_written, expect_file,
       SHAPE(.start = FAR + 4 * MIB - 3 * PAGE, .nr = 10));

static pid_t build_shmem(const struct shape *s)
{
	live_map_small_memfd(s->start, s->bytes, MAP_SHARED);
	live_touch(s->start, s->start + s->bytes);
	return 0;
}

LAYOUT(shmem_dense, build_shmem, expect_dense,
       SHAPE(.start = FAR + GIB - MIB, .bytes = 5 * MIB));

/* Truncation empties the PTE tables, and frees none of them. */
static pid_t build_truncated(const struct shape *s)
{
	int fd = live_map_small_memfd(s->start, s->bytes, MAP_SHARED);

	live_touch(s->start, s->start + s->bytes);
	live_must(ftruncate(fd, 0));
	return 0;
}

static void expect_truncated(struct expect *e, const struct shape *s)
{
	expect_empty(e, s->start, s->start + s->bytes);
	e->empty[PTAUDIT_PMD] = 1;
	e->empty[PTAUDIT_PUD] = 1;
}

LAYOUT(shmem_truncated, build_truncated, expect_truncated,
       SHAPE(.start = FAR, .bytes = 3 * HUGE));

static sigjmp_buf after_signal;

static void on_signal(int sig)
{
	siglongjmp(after_signal, sig);
}

static int signal_of_read(uint64_t addr)
{
	int sig;

	signal(SIGBUS, on_signal);
	signal(SIGSEGV, on_signal);
	sig = sigsetjmp(after_signal, 1);
	if (!sig)
		(void)*(volatile char *)addr;
	return sig;
}

static int signal_of_write(uint64_t addr)
{
	int sig;

	signal(SIGBUS, on_signal);
	signal(SIGSEGV, on_signal);
	sig = sigsetjmp(after_signal, 1);
	if (!sig)
		*(volatile char *)addr = 1;
	return sig;
}

/*
 * The fault allocates the upper tables before it finds the address beyond the end of the
 * file.
 */
static pid_t build_sigbus(const struct shape *s)
{
	int fd = live_map_small_memfd(s->start, s->bytes, MAP_SHARED);

	live_must(ftruncate(fd, PAGE));
	live_must_be(signal_of_read(s->start + 3 * GIB / 2) == SIGBUS,
		     "SIGBUS");
	return 0;
}

static void expect_sigbus(struct expect *e, const struct shape *s)
{
	expect_table(e, PTAUDIT_PMD, s->start + 3 * GIB / 2);
	e->empty[PTAUDIT_PMD] = 1;
	e->empty[PTAUDIT_PUD] = 1;
}

LAYOUT(sigbus_past_end_of_file, build_sigbus, expect_sigbus,
       SHAPE(.start = FAR, .bytes = 2 * GIB));

static pid_t build_sigsegv(const struct shape *s)
{
	live_must(
		mprotect(live_map(s->start, s->bytes, 0), s->bytes, PROT_NONE));
	live_must_be(signal_of_read(s->start) == SIGSEGV, "SIGSEGV");
	return 0;
}

LAYOUT(sigsegv_makes_no_table, build_sigsegv, expect_nothing,
       SHAPE(.start = FAR, .bytes = GIB));

/*
 * Access one page of a private file mapping, at .start, that lies beyond the end of the file.
 * The access is a write if .nr is not 0.  Here, too, the fault allocates the upper tables first.
 */
static pid_t build_sigbus_private(const struct shape *s)
{
	int fd = memfd_create("layout", 0), sig;

	live_must(ftruncate(fd, PAGE));
	live_must_be(mmap((void *)s->start, PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd,
			  HUGE) == (void *)s->start,
		     "mmap");
	sig = s->nr ? signal_of_write(s->start) : signal_of_read(s->start);
	live_must_be(sig == SIGBUS, "SIGBUS");
	return 0;
}

LAYOUT(sigbus_of_a_private_read, build_sigbus_private, expect_hollow,
       SHAPE(.start = FAR + 3 * GIB + 5 * PAGE));

LAYOUT(sigbus_of_a_private_write, build_sigbus_private, expect_hollow,
       SHAPE(.start = FAR + 600 * GIB - PAGE, .nr = 1));

/* The failing page is in another GiB than the pages, with the same PUD table. */
static pid_t build_sigbus_beside_pages(const struct shape *s)
{
	live_map_small(s->start - 2 * GIB, HUGE);
	live_touch(s->start - 2 * GIB, s->start - 2 * GIB + HUGE);
	return build_sigbus_private(s);
}

static void expect_sigbus_beside_pages(struct expect *e, const struct shape *s)
{
	expect_pages(e, s->start - 2 * GIB, s->start - 2 * GIB + HUGE);
	expect_table(e, PTAUDIT_PMD, s->start);
	e->empty[PTAUDIT_PMD] = 1;
}

LAYOUT(sigbus_beside_pages, build_sigbus_beside_pages,
       expect_sigbus_beside_pages,
       SHAPE(.start = FAR + 3 * GIB + 5 * PAGE, .nr = 1));

/* The VMA forbids the access, so the fault allocates no table.  This holds for files, too. */
static pid_t build_sigsegv_file(const struct shape *s)
{
	int fd = memfd_create("layout", 0);

	live_must(ftruncate(fd, (off_t)s->bytes));
	live_map_fd(s->start, s->bytes, PROT_NONE, s->flags, fd);
	live_must_be(signal_of_read(s->start) == SIGSEGV &&
			     signal_of_write(s->start + s->bytes - PAGE) ==
				     SIGSEGV,
		     "SIGSEGV");
	return 0;
}

LAYOUT(sigsegv_of_a_private_file, build_sigsegv_file, expect_nothing,
       SHAPE(.start = FAR + 600 * GIB - GIB, .bytes = 2 * GIB,
	     .flags = MAP_PRIVATE));

LAYOUT(sigsegv_of_a_shared_file, build_sigsegv_file, expect_nothing,
       SHAPE(.start = FAR + 600 * GIB - GIB, .bytes = 2 * GIB,
	     .flags = MAP_SHARED));

static pid_t build_sigsegv_written(const struct shape *s)
{
	live_must(
		mprotect(live_map(s->start, s->bytes, 0), s->bytes, PROT_READ));
	live_must_be(signal_of_write(s->start + GIB) == SIGSEGV, "SIGSEGV");
	return 0;
}

LAYOUT(sigsegv_of_a_write, build_sigsegv_written, expect_nothing,
       SHAPE(.start = FAR, .bytes = 2 * GIB));

/*
 * Map a file of .nr slots privately, read all of it, and copy one page per .stride by a
 * write.
 */
static int map_private(const struct shape *s)
{
	int fd = memfd_create("layout", MFD_ALLOW_SEALING);
	uint64_t bytes = s->nr * HUGE;

	live_must(ftruncate(fd, (off_t)bytes));
	live_map_fd(s->start, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd);
	live_no_huge((void *)s->start, bytes);
	for (uint64_t at = s->start; at < s->start + bytes; at += PAGE)
		live_must_be(!*(volatile char *)at, "zeroes");
	live_touch_each(s->start, s->start + bytes, s->stride);
	return fd;
}

/* Truncate the file to .bytes.  This removes the copies beyond that point as well. */
static pid_t build_private_truncated(const struct shape *s)
{
	live_must(ftruncate(map_private(s), (off_t)s->bytes));
	return 0;
}

static void expect_private_truncated(struct expect *e, const struct shape *s)
{
	uint64_t end = s->start + s->bytes;

	expect_pages(e, s->start, end);
	expect_empty(e, (end + HUGE - 1) / HUGE * HUGE,
		     s->start + s->nr * HUGE);
	if (!s->bytes)
		expect_all_hollow(e);
}

LAYOUT(private_truncated, build_private_truncated, expect_private_truncated,
       SHAPE(.start = FAR + GIB - 2 * HUGE, .nr = 3, .stride = 5 * PAGE));

LAYOUT(private_truncated_in_a_table, build_private_truncated,
       expect_private_truncated,
       SHAPE(.start = FAR, .bytes = HUGE + 77 * PAGE, .nr = 3,
	     .stride = 5 * PAGE));

/* Punching a hole into the file does not remove the copies. */
static pid_t build_private_punched(const struct shape *s)
{
	live_must(fallocate(map_private(s),
			    FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
			    (off_t)(s->nr * HUGE)));
	return 0;
}

static void expect_copies(struct expect *e, const struct shape *s)
{
	for (uint64_t page = s->start; page < s->start + s->nr * HUGE;
	     page += s->stride)
		expect_pages(e, page, page + PAGE);
}

LAYOUT(private_punched, build_private_punched, expect_copies,
       SHAPE(.start = FAR + GIB - 2 * HUGE, .nr = 3, .stride = 5 * PAGE));

/* Seal the file against writes.  Only private copies of its pages can be written. */
static pid_t build_sealed(const struct shape *s)
{
	live_must(fcntl(map_private(s), F_ADD_SEALS,
			F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE |
				F_SEAL_SEAL));
	live_touch_each(s->start + PAGE, s->start + s->nr * HUGE, s->stride);
	return 0;
}

static void expect_sealed(struct expect *e, const struct shape *s)
{
	expect_pages(e, s->start, s->start + s->nr * HUGE);
}

LAYOUT(sealed, build_sealed, expect_sealed,
       SHAPE(.start = FAR + GIB - 2 * HUGE, .nr = 3, .stride = 5 * PAGE));

TEST_HARNESS_MAIN
