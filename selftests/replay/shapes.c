// SPDX-License-Identifier: GPL-2.0-only
/*
 * Builds one shape of page tables, prints "ready", and waits to be recorded.  Each shape
 * is alone above 1 TiB, so that it has upper tables of its own.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define KIB		(UINT64_C(1) << 10)
#define MIB		(UINT64_C(1) << 20)
#define GIB		(UINT64_C(1) << 30)
#define TIB		(UINT64_C(1) << 40)
#define PAGE		(4 * KIB)
#define SLOT		(2 * MIB)
#define BASE		TIB

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL \
	102 /* include/uapi/asm-generic/mman-common.h, 6.13 */
#endif

static void check(int failed, const char *what)
{
	if (!failed)
		return;
	fprintf(stderr, "shapes: %s: %s\n", what, strerror(errno));
	exit(1);
}

static char *map(uint64_t addr, uint64_t bytes, int flags)
{
	char *area = mmap((void *)addr, bytes, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
				  MAP_FIXED_NOREPLACE | flags,
			  -1, 0);

	check(area == MAP_FAILED, "mmap");
	return area;
}

static char *map_small(uint64_t addr, uint64_t bytes)
{
	char *area = map(addr, bytes, 0);

	check(madvise(area, bytes, MADV_NOHUGEPAGE), "MADV_NOHUGEPAGE");
	return area;
}

static void touch(char *area, uint64_t bytes, uint64_t step)
{
	uint64_t at;

	for (at = 0; at < bytes; at += step)
		((volatile char *)area)[at] = 1;
}

static void dense(void)
{
	touch(map_small(BASE + SLOT - 3 * PAGE, 9 * MIB), 9 * MIB, PAGE);
}

static void sparse(void)
{
	touch(map_small(BASE, 8 * GIB), 8 * GIB, GIB);
	touch(map_small(4 * TIB, 2 * TIB), 2 * TIB, TIB / 2);
}

/* On both sides of a 1 GiB boundary. */
static void empty(void)
{
	char *area = map_small(BASE + GIB - 20 * SLOT, 40 * SLOT);
	uint64_t at;

	touch(area, 40 * SLOT, SLOT);
	/* page by page: PT_RECLAIM would free the tables of complete slots */
	for (at = 0; at < 40 * SLOT; at += SLOT)
		check(madvise(area + at, PAGE, MADV_DONTNEED), "MADV_DONTNEED");
}

static char *map_huge(uint64_t addr, uint64_t bytes)
{
	char *area = map(addr, bytes, 0);

	check(madvise(area, bytes, MADV_HUGEPAGE), "MADV_HUGEPAGE");
	return area;
}

static void thp(void)
{
	char *area = map_huge(BASE, 10 * SLOT);

	touch(area, 6 * SLOT, SLOT);
	/* two read faults: the huge zero page */
	(void)*(volatile char *)(area + 7 * SLOT);
	(void)*(volatile char *)(area + 8 * SLOT);
	/* one split by protection, one partly unmapped, one PROT_NONE */
	check(mprotect(area + PAGE, PAGE, PROT_READ), "mprotect");
	check(munmap(area + SLOT + 16 * PAGE, 16 * PAGE), "munmap");
	check(mprotect(area + 2 * SLOT, SLOT, PROT_NONE), "mprotect");
}

static void hugetlb(void)
{
	char *area = map(BASE, 8 * SLOT, MAP_HUGETLB);

	touch(area, SLOT, SLOT);
	touch(area + 3 * SLOT, 2 * SLOT, SLOT);
}

static void file(void)
{
	int fd = memfd_create("shape", 0);
	char *area;

	check(fd < 0 || ftruncate(fd, 6 * SLOT), "memfd");
	area = mmap((void *)BASE, 6 * SLOT, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);
	check(area == MAP_FAILED, "mmap");
	touch(area, 6 * SLOT, 64 * PAGE);
	/* removes the pages; the tables stay */
	check(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, SLOT,
			2 * SLOT),
	      "fallocate");
}

/* Needs a swap device.  All pages must be swapped out. */
static void swap(void)
{
	char *area = map_small(BASE, 4 * SLOT);
	int try;

	touch(area, 4 * SLOT, PAGE);
	for (try = 0; try < 5; try++)
		check(madvise(area, 4 * SLOT, MADV_PAGEOUT), "MADV_PAGEOUT");
}

static void guard(void)
{
	char *area = map_small(BASE, 8 * SLOT);

	check(madvise(area + SLOT, 64 * PAGE, MADV_GUARD_INSTALL),
	      "MADV_GUARD_INSTALL");
	touch(area + 4 * SLOT, SLOT, 8 * PAGE);
	check(madvise(area + 4 * SLOT, 8 * PAGE, MADV_GUARD_INSTALL),
	      "MADV_GUARD_INSTALL");
}

static void uffd_wp(void)
{
	char *area = map_small(BASE, 36 * SLOT);
	struct uffdio_api api = { .api = UFFD_API,
				  .features = UFFD_FEATURE_PAGEFAULT_FLAG_WP };
	struct uffdio_register range = {
		.range = { .start = BASE, .len = 36 * SLOT },
		.mode = UFFDIO_REGISTER_MODE_WP,
	};
	struct uffdio_writeprotect protect = {
		.range = { .start = BASE, .len = 36 * SLOT },
		.mode = UFFDIO_WRITEPROTECT_MODE_WP,
	};
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	touch(area, 4 * SLOT, 4 * PAGE);
	check(fd < 0 || ioctl(fd, UFFDIO_API, &api) ||
		      ioctl(fd, UFFDIO_REGISTER, &range) ||
		      ioctl(fd, UFFDIO_WRITEPROTECT, &protect),
	      "userfaultfd");
}

/*
 * Code that uses only its own page.  It unmaps all memory below BASE and from
 * BASE + 4 GiB on, prints "ready", and waits.  The kernel kills a process whose rseq area
 * is unmapped, so there must be none.
 */
extern const char alone[], alone_end[];
__asm__("alone:\n"
	"	mov $11, %eax\n" /* munmap() */
	"	xor %edi, %edi\n"
	"	mov $0x10000000000, %rsi\n"
	"	syscall\n"
	"	mov $11, %eax\n"
	"	mov $0x10100000000, %rdi\n"
	"	mov $0x7efefffff000, %rsi\n"
	"	syscall\n"
	"	mov $1, %eax\n" /* write() */
	"	mov $1, %edi\n"
	"	lea 2f(%rip), %rsi\n"
	"	mov $6, %edx\n"
	"	syscall\n"
	"1:	mov $34, %eax\n" /* pause() */
	"	syscall\n"
	"	jmp 1b\n"
	"2:	.ascii \"ready\\n\"\n"
	"alone_end:\n");

static void read_pages(const char *area, uint64_t pages)
{
	uint64_t i;

	for (i = 0; i < pages; i++)
		(void)((const volatile char *)area)[i * PAGE];
}

/*
 * Parent and child, which have no other pages.  pages.sh computes its figures from this
 * layout.  Each area is in a slot of its own.
 */
static void forked(void)
{
	int fd = memfd_create("shape", 0);
	char *code, *anon, *zero, *shared, *private, *huge;

	code = mmap((void *)BASE, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	anon = map_small(BASE + SLOT, 64 * PAGE);
	zero = map_small(BASE + 2 * SLOT, 8 * PAGE);
	check(fd < 0 || ftruncate(fd, 16 * PAGE), "memfd");
	shared = mmap((void *)(BASE + 3 * SLOT), 16 * PAGE,
		      PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE,
		      fd, 0);
	private = mmap((void *)(BASE + 4 * SLOT), 16 * PAGE,
		       PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd, 0);
	check(code == MAP_FAILED || shared == MAP_FAILED ||
		      private == MAP_FAILED,
	      "mmap");
	huge = map(BASE + 8 * SLOT, 3 * SLOT, MAP_HUGETLB);
	touch(anon, 64 * PAGE, PAGE);
	touch(shared, 16 * PAGE, PAGE);
	read_pages(private, 16);
	touch(private, 5 * PAGE, PAGE);
	touch(huge, 3 * SLOT, SLOT);
	if (!fork()) {
		touch(anon, 24 * PAGE, PAGE);
		touch(private, 2 * PAGE, PAGE);
		touch(huge, SLOT, SLOT);
	}
	/* fork() does not copy the entries of these mappings */
	read_pages(zero, 3);
	read_pages(shared, 16);
	memcpy(code, alone, (size_t)(alone_end - alone));
	((void (*)(void))code)();
}

static const struct {
	const char *name;
	void (*build)(void);
} shapes[] = {
	{ "dense", dense }, { "sparse", sparse },   { "empty", empty },
	{ "thp", thp },	    { "hugetlb", hugetlb }, { "file", file },
	{ "swap", swap },   { "guard", guard },	    { "uffd-wp", uffd_wp },
	{ "fork", forked },
};

int main(int argc, char *argv[])
{
	size_t i;

	for (i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		if (argc != 2 || strcmp(argv[1], shapes[i].name))
			continue;
		shapes[i].build();
		puts("ready");
		fflush(stdout);
		for (;;)
			pause();
	}
	fprintf(stderr, "usage: shapes NAME\n");
	return 2;
}
