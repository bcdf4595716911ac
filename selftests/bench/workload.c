// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: workload dense MIB | sparse GIB PAGES | empty SLOTS | vmas NR | huge MIB | many
 * NR MIB
 *
 * A process of one shape.  It prints what it has built as `key value` lines: start and
 * end (hex) of the mapped memory, and the numbers of its pages and PTE tables, by
 * arithmetic.  Then it prints `ready` and waits until it is killed or its parent ends.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define PAGE 4096UL
#define SLOT (2UL << 20) /* the reach of a PTE table */
#define MIB (1UL << 20)
#define GIB (1UL << 30)

/* What was built. */
struct built {
	char *start;
	size_t bytes;
	unsigned long pages;
	unsigned long tables;
	unsigned long leaves;
};

static void die(const char *what)
{
	fprintf(stderr, "workload: %s: %s\n", what, strerror(errno));
	exit(2);
}

/* Memory that starts at a multiple of a PTE table's reach, between two free slots. */
static char *reserve(size_t bytes, int advice)
{
	char *area = mmap(NULL, bytes + 4 * SLOT, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	uintptr_t start;

	if (area == MAP_FAILED)
		die("mmap");
	start = ((uintptr_t)area + 2 * SLOT - 1) & ~(SLOT - 1);
	if (munmap(area, start - (uintptr_t)area) ||
	    munmap((char *)start + bytes, (uintptr_t)area + 4 * SLOT - start))
		die("munmap");
	if (madvise((char *)start, bytes, advice))
		die("madvise");
	return (char *)start;
}

static size_t slots_of(size_t bytes)
{
	return (bytes + SLOT - 1) / SLOT;
}

static struct built dense(size_t bytes)
{
	struct built b = { .bytes = bytes };
	size_t at;

	b.start = reserve(bytes, MADV_NOHUGEPAGE);
	for (at = 0; at < bytes; at += PAGE)
		b.start[at] = 1;
	b.pages = bytes / PAGE;
	b.tables = slots_of(bytes);
	return b;
}

/* Pages at equal distances, each in its own PTE table. */
static struct built sparse(size_t bytes, unsigned long nr_pages)
{
	struct built b = { .bytes = bytes,
			   .pages = nr_pages,
			   .tables = nr_pages };
	size_t step = bytes / nr_pages / PAGE * PAGE;
	unsigned long i;

	if (step < SLOT) {
		errno = EINVAL;
		die("more than a page for each PTE table");
	}
	b.start = reserve(bytes, MADV_NOHUGEPAGE);
	for (i = 0; i < nr_pages; i++)
		b.start[i * step] = 1;
	return b;
}

/* PTE tables without pages.  The pages are released one by one, as allocators do. */
static struct built empty(unsigned long nr_slots)
{
	struct built b = sparse(nr_slots * SLOT, nr_slots);
	unsigned long i;

	for (i = 0; i < nr_slots; i++)
		if (madvise(b.start + i * SLOT, PAGE, MADV_DONTNEED))
			die("madvise");
	b.pages = 0;
	return b;
}

/* Mappings of two pages each, of which one is touched.  Neighbours cannot be merged. */
static struct built vmas(unsigned long nr)
{
	struct built b = { .bytes = nr * 2 * PAGE, .pages = nr };
	unsigned long i;

	b.start = reserve(b.bytes, MADV_NOHUGEPAGE);
	for (i = 0; i < nr; i++) {
		char *at = b.start + i * 2 * PAGE;

		*at = 1;
		if (i % 2 && mprotect(at, 2 * PAGE, PROT_READ))
			die("mprotect: vm.max_map_count?");
	}
	b.tables = slots_of(b.bytes);
	return b;
}

/* Huge pages, if there are free ones.  So the real counts may be others than these. */
static struct built huge(size_t bytes)
{
	struct built b = { .bytes = bytes };
	size_t at;

	b.start = reserve(bytes, MADV_HUGEPAGE);
	for (at = 0; at < bytes; at += PAGE)
		b.start[at] = 1;
	b.pages = bytes / PAGE;
	b.leaves = bytes / SLOT;
	return b;
}

static void hold(void)
{
	for (;;)
		pause();
}

/* @nr processes that have touched @bytes each. */
static void many(unsigned long nr, size_t bytes)
{
	unsigned long i;
	int done[2];
	char byte;

	if (pipe(done))
		die("pipe");
	for (i = 0; i < nr; i++) {
		pid_t pid = fork();

		if (pid < 0)
			die("fork");
		if (pid)
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dense(bytes);
		if (write(done[1], "", 1) != 1)
			die("write");
		hold();
	}
	for (i = 0; i < nr; i++)
		if (read(done[0], &byte, 1) != 1)
			die("read");
	printf("processes %lu\n", nr);
}

static unsigned long number(const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (*end || end == text || !value) {
		fprintf(stderr, "workload: '%s' is not a number above 0\n",
			text);
		exit(2);
	}
	return value;
}

int main(int argc, char **argv)
{
	const char *shape = argc > 1 ? argv[1] : "";
	unsigned long a = argc > 2 ? number(argv[2]) : 1;
	unsigned long n = argc > 3 ? number(argv[3]) : 1;
	struct built b = { 0 };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!strcmp(shape, "dense"))
		b = dense(a * MIB);
	else if (!strcmp(shape, "sparse"))
		b = sparse(a * GIB, n);
	else if (!strcmp(shape, "empty"))
		b = empty(a);
	else if (!strcmp(shape, "vmas"))
		b = vmas(a);
	else if (!strcmp(shape, "huge"))
		b = huge(a * MIB);
	else if (!strcmp(shape, "many"))
		many(a, n * MIB);
	else {
		fprintf(stderr,
			"usage: workload dense MIB | sparse GIB PAGES | empty SLOTS | vmas NR | huge MIB | many NR MIB\n");
		return 2;
	}
	printf("start %lx\nend %lx\npages %lu\ntables %lu\nleaves %lu\nready\n",
	       (unsigned long)b.start, (unsigned long)b.start + b.bytes,
	       b.pages, b.tables, b.leaves);
	fflush(stdout);
	hold();
}
