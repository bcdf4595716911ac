// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares the BPF walk of layouts at known addresses with their tables by arithmetic.
 * Needs no module and changes no setting.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "host.h"

#define CANNOT 77

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102 /* 6.13 and later */
#endif

/* The content of the PGD slots from BASE on. */
struct expected {
	unsigned int tables[PTAUDIT_PUD + 1];
	unsigned int leaves; /* in PMD tables */
	unsigned int deposited;
	unsigned int present; /* in PTE tables, as are the next three */
	unsigned int swap;
	unsigned int guard;
	unsigned int other;
};

static int dense(void)
{
	memset(host_map(BASE, 64 * MIB), 1, 64 * MIB);
	return 0;
}

static int sparse(void)
{
	char *memory = host_map(BASE, 4 * GIB);
	unsigned int i;

	for (i = 0; i < 100; i++)
		memory[i * 32 * MIB] = 1;
	return 0;
}

static int on_both_sides_of_1_gib(void)
{
	memset(host_map(BASE + GIB - 4 * KIB, 8 * KIB), 1, 8 * KIB);
	return 0;
}

static int on_both_sides_of_512_gib(void)
{
	memset(host_map(BASE + 512 * GIB - 4 * KIB, 8 * KIB), 1, 8 * KIB);
	return 0;
}

static int emptied_page_by_page(void)
{
	char *memory = host_map(BASE, 16 * MIB);
	unsigned int i;

	for (i = 0; i < 8; i++) {
		memory[i * 2 * MIB] = 1;
		if (madvise(memory + i * 2 * MIB, 4 * KIB, MADV_DONTNEED))
			return 1;
	}
	return 0;
}

static int prot_none(void)
{
	char *memory = host_map(BASE, 12 * KIB);

	memset(memory, 1, 12 * KIB);
	return mprotect(memory, 12 * KIB, PROT_NONE);
}

static int zero_page(void)
{
	const volatile char *memory = host_map(BASE, 8 * KIB);

	return memory[0] + memory[4 * KIB];
}

static int shared_memory(void)
{
	int fd = memfd_create("layout", 0);
	char *memory;

	if (fd < 0 || ftruncate(fd, 4 * MIB))
		return 1;
	memory = mmap((void *)BASE, 4 * MIB, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);
	if (memory == MAP_FAILED)
		return 1;
	memory[0] = memory[2 * MIB] = memory[2 * MIB + 4 * KIB] = 1;
	return 0;
}

static int unmapped_again(void)
{
	char *memory = host_map(BASE, 4 * MIB);

	memset(memory, 1, 4 * MIB);
	return munmap(memory, 4 * MIB);
}

static int hole_in_a_table(void)
{
	char *memory = host_map(BASE, 2 * MIB);

	memset(memory, 1, 2 * MIB);
	return munmap(memory + 64 * KIB, 4 * KIB);
}

static int moved(void)
{
	char *memory = host_map(BASE, 4 * MIB);

	memset(memory, 1, 4 * MIB);
	return mremap(memory, 4 * MIB, 4 * MIB, MREMAP_MAYMOVE | MREMAP_FIXED,
		      (void *)(BASE + 3 * GIB)) == MAP_FAILED;
}

static int guarded(void)
{
	char *memory = host_map(BASE, 16 * KIB);

	memory[0] = 1;
	if (madvise(memory + 4 * KIB, 8 * KIB, MADV_GUARD_INSTALL))
		return errno == EINVAL ? CANNOT : 1;
	return 0;
}

/* How many KiB of this process are mapped by anonymous huge pages, according to smaps. */
static unsigned long huge_kib(void)
{
	unsigned long all = 0, kib;
	char line[256];
	FILE *file = fopen("/proc/self/smaps", "re");

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "AnonHugePages: %lu", &kib) == 1)
			all += kib;
	if (file)
		fclose(file);
	return all;
}

static int huge_pages(void)
{
	unsigned long before = huge_kib();
	char *memory = host_map(BASE, 6 * MIB);

	if (madvise(memory, 6 * MIB, MADV_HUGEPAGE))
		return CANNOT;
	memset(memory, 1, 6 * MIB);
	/* collapse if no huge page was free at first; fails if THP is disabled */
	madvise(memory, 6 * MIB, 25 /* MADV_COLLAPSE, 6.1 */);
	return huge_kib() - before == 6 * 1024 ? 0 : CANNOT;
}

static int hugetlb(void)
{
	char *memory = mmap((void *)BASE, 4 * MIB, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB |
				    MAP_FIXED_NOREPLACE | 21 << MAP_HUGE_SHIFT,
			    -1, 0);

	if (memory == MAP_FAILED)
		return CANNOT;
	memory[0] = memory[2 * MIB] = 1;
	return 0;
}

static int swapped_out(void)
{
	char *memory = host_map(BASE, 16 * KIB);
	unsigned char in_core[4];

	memset(memory, 1, 16 * KIB);
	if (madvise(memory, 16 * KIB, MADV_PAGEOUT) ||
	    mincore(memory, 16 * KIB, in_core))
		return CANNOT;
	return (in_core[0] | in_core[1] | in_core[2] | in_core[3]) & 1 ?
		       CANNOT :
		       0;
}

/* More mappings than the kernel returns in one read. */
static int many_mappings(void)
{
	char *memory = host_map(BASE, 16 * MIB);
	unsigned int i;
	int error = 0;

	for (i = 0; !error && i < 4096; i += 2) {
		memory[i * 4 * KIB] = 1;
		error = mprotect(memory + i * 4 * KIB, 4 * KIB, PROT_READ);
	}
	return error;
}

static const struct {
	const char *name;
	int (*lay_out)(void);
	const char *needs;
	struct expected expected; /* PTE, PMD and PUD tables first */
} layouts[] = {
	{ "dense_64_mib", dense, NULL, { { 32, 1, 1 }, .present = 32 * 512 } },
	/* 100 pages at distances of 32 MiB: 3.125 GiB */
	{ "sparse_over_4_gib", sparse, NULL, { { 100, 4, 1 }, .present = 100 } },
	{ "pages_on_both_sides_of_1_gib",
	  on_both_sides_of_1_gib,
	  NULL,
	  { { 2, 2, 1 }, .present = 2 } },
	{ "pages_on_both_sides_of_512_gib",
	  on_both_sides_of_512_gib,
	  NULL,
	  { { 2, 2, 2 }, .present = 2 } },
	{ "tables_emptied_page_by_page",
	  emptied_page_by_page,
	  NULL,
	  { { 8, 1, 1 }, .present = 0 } },
	{ "prot_none", prot_none, NULL, { { 1, 1, 1 }, .present = 3 } },
	{ "zero_page", zero_page, NULL, { { 1, 1, 1 }, .present = 2 } },
	{ "shared_memory", shared_memory, NULL, { { 2, 1, 1 }, .present = 3 } },
	{ "memory_that_was_unmapped",
	  unmapped_again,
	  NULL,
	  { { 0, 0, 0 }, .present = 0 } },
	{ "hole_in_a_table",
	  hole_in_a_table,
	  NULL,
	  { { 1, 1, 1 }, .present = 511 } },
	{ "memory_moved_3_gib_up",
	  moved,
	  NULL,
	  { { 2, 1, 1 }, .present = 1024 } },
	{ "guard_region",
	  guarded,
	  "MADV_GUARD_INSTALL (6.13 and later)",
	  { { 1, 1, 1 }, .present = 1, .guard = 2 } },
	{ "huge_pages",
	  huge_pages,
	  "transparent huge pages",
	  { { 0, 1, 1 }, .leaves = 3, .deposited = 3 } },
	{ "hugetlb",
	  hugetlb,
	  "two free hugetlb pages of 2 MiB",
	  { { 0, 1, 1 }, .leaves = 2 } },
	{ "many_mappings",
	  many_mappings,
	  NULL,
	  { { 8, 1, 1 }, .present = 2048 } },
	{ "swapped_out_memory",
	  swapped_out,
	  "swap space",
	  { { 1, 1, 1 }, .swap = 4 } },
};

#define NR_LAYOUTS (sizeof(layouts) / sizeof(layouts[0]))

static void count(const struct ptu_snapshot *snapshot, struct expected *ret)
{
	size_t i;

	memset(ret, 0, sizeof(*ret));
	for (i = 0; i < snapshot->nr_records; i++) {
		const struct ptaudit_table *r = &snapshot->records[i];

		if (r->type != PTAUDIT_TABLE || r->level > PTAUDIT_PUD ||
		    r->start < BASE || r->start >= BASE + 1024 * GIB)
			continue;
		ret->tables[r->level]++;
		ret->deposited += r->deposited;
		ret->leaves += r->leaves;
		ret->present += r->present;
		ret->swap += r->swap;
		ret->guard += r->guard;
		ret->other += r->other + r->migration + r->uffd_wp;
	}
}

static bool judge(struct ptu_bpf *bpf, pid_t child,
		  const struct expected *expected)
{
	/* the limit makes an endless answer a failure */
	const struct rlimit small = { 256 * MIB, RLIM_INFINITY };
	const struct rlimit any = { RLIM_INFINITY, RLIM_INFINITY };
	struct ptu_snapshot snapshot;
	struct expected got;
	int error;

	setrlimit(RLIMIT_AS, &small);
	error = host_walk(bpf, child, &snapshot);
	setrlimit(RLIMIT_AS, &any);
	if (error)
		return false;
	count(&snapshot, &got);
	ptu_snapshot_deinit(&snapshot);
	if (!memcmp(&got, expected, sizeof(got)))
		return true;
	printf("# the walk counted: pte %u pmd %u pud %u leaves %u deposited %u present %u swap %u guard %u other %u\n",
	       got.tables[PTAUDIT_PTE], got.tables[PTAUDIT_PMD],
	       got.tables[PTAUDIT_PUD], got.leaves, got.deposited, got.present,
	       got.swap, got.guard, got.other);
	return false;
}

/* The programs interpret entries of x86-64 only. */
static bool refuses_arm64(void)
{
	struct ptu_bpf *bpf = NULL;
	struct ptu_err err = { "" };
	struct ptu_geometry geo;
	int error = ptu_geometry_init(4096, "aarch64", "va48", &geo, NULL);

	if (!error)
		error = ptu_bpf_open(&geo, &bpf, &err);
	if (bpf)
		ptu_bpf_close(bpf);
	return error == -EOPNOTSUPP && strstr(err.text, "x86-64");
}

int main(void)
{
	struct ptu_bpf *bpf = host_open();
	unsigned int nr_failed = !refuses_arm64();
	size_t i;

	printf("1..%zu\n", NR_LAYOUTS + 1);
	printf("%s %zu page_tables_of_arm64_are_refused\n",
	       nr_failed ? "not ok" : "ok", NR_LAYOUTS + 1);
	for (i = 0; i < NR_LAYOUTS; i++) {
		pid_t child;
		int laid_out = host_child(layouts[i].lay_out, &child);
		bool good = !laid_out &&
			    judge(bpf, child, &layouts[i].expected);

		host_end(child);
		if (laid_out == CANNOT && layouts[i].needs) {
			printf("ok %zu walk_of_%s_is_exact # SKIP needs %s\n",
			       i + 1, layouts[i].name, layouts[i].needs);
			continue;
		}
		if (laid_out)
			printf("# the child could not build the layout\n");
		printf("%s %zu walk_of_%s_is_exact\n", good ? "ok" : "not ok",
		       i + 1, layouts[i].name);
		nr_failed += !good;
	}
	ptu_bpf_close(bpf);
	return nr_failed ? 1 : 0;
}
