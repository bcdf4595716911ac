// SPDX-License-Identifier: GPL-2.0-only
/*
 * Builds layouts of memory at fixed addresses, in a child.  Each function notes the entries of
 * page tables that it makes.
 */
#define _GNU_SOURCE
#include "layouts.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const char *const level_names[NR_LEVELS] = { "pte", "pmd", "pud", "p4d" };

struct shared *shared;
unsigned int address_bits;
uint64_t page;

/* Each table is a page with entries of 8 bytes. */
unsigned int shift(unsigned int level)
{
	unsigned int page_shift = (unsigned int)__builtin_ctzll(page);

	return page_shift + level * (page_shift - 3);
}

uint64_t entry_bytes(unsigned int level)
{
	return UINT64_C(1) << shift(level);
}

/* The PGD is the table that maps all address bits. */
bool level_exists(unsigned int level)
{
	return shift(level + 1) < address_bits;
}

static void __attribute__((noreturn)) give_up(const char *what)
{
	snprintf(shared->why, sizeof(shared->why), "%s: %s", what,
		 strerrorname_np(errno));
	_exit(1);
}

static void note(unsigned int level, uint64_t addr, enum kind kind)
{
	struct note *last = &shared->notes[shared->nr];

	/* dense mappings: one note for each table */
	if (shared->nr && last[-1].level == level && last[-1].kind == kind &&
	    last[-1].addr >> shift(level + 1) == addr >> shift(level + 1))
		return;
	if (shared->nr == sizeof(shared->notes) / sizeof(shared->notes[0])) {
		errno = ENOSPC;
		give_up("notes");
	}
	*last = (struct note){ addr, level, kind };
	shared->nr++;
}

static void forget_notes(void)
{
	shared->nr = 0;
}

static uint64_t map_file(uint64_t addr, uint64_t bytes, int prot, int flags,
			 int fd)
{
	if (mmap((void *)addr, bytes, prot,
		 MAP_FIXED_NOREPLACE | MAP_NORESERVE | flags, fd,
		 0) != (void *)addr)
		give_up("mmap");
	return addr;
}

static uint64_t map(uint64_t addr, uint64_t bytes)
{
	map_file(addr, bytes, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1);
	if (madvise((void *)addr, bytes, MADV_NOHUGEPAGE))
		give_up("MADV_NOHUGEPAGE");
	return addr;
}

static void poke(uint64_t addr)
{
	*(volatile char *)addr = 1;
}

static void touch(uint64_t addr)
{
	poke(addr);
	note(PTE, addr, SEEN);
}

static void advise(uint64_t addr, uint64_t bytes, int advice)
{
	if (madvise((void *)addr, bytes, advice))
		give_up("madvise");
}

static void protect(uint64_t addr, uint64_t bytes, int prot)
{
	if (mprotect((void *)addr, bytes, prot))
		give_up("mprotect");
}

static void build_dense(uint64_t arg)
{
	uint64_t bytes = 3 * entry_bytes(PMD) + 5 * page;
	uint64_t addr = map(BASE, bytes);

	for (; addr < BASE + bytes; addr += page)
		touch(addr);
}

static uint64_t dense_entries(uint64_t arg)
{
	return 3 * page / 8 + 5;
}

/* Three tables with the most regions that a table can have. */
static void build_every_second(uint64_t arg)
{
	uint64_t bytes = 3 * entry_bytes(PMD);
	uint64_t addr = map(BASE, bytes);

	for (; addr < BASE + bytes; addr += 2 * page)
		touch(addr);
}

static uint64_t every_second_entries(uint64_t arg)
{
	return 3 * page / 8 / 2;
}

/*
 * Touch pages at distances of one entry of this level.  Above PMD, the distance also has some
 * entries of the lower levels.
 */
static void build_apart(uint64_t level)
{
	uint64_t stride = entry_bytes((unsigned int)level);
	uint64_t addr = BASE + (level == P4D ? 5 * GIB : 0);
	unsigned int i, nr = level == PMD ? 40 : 4;

	if (level > PMD)
		stride += 3 * entry_bytes((unsigned int)level - 1) + 7 * page;
	for (i = 0; i < nr; i++)
		touch(map(addr + i * stride, page));
}

/* For each level, touch the last page that one entry maps, and the first page of the next entry. */
static void build_borders(uint64_t arg)
{
	unsigned int level;

	for (level = PMD; level < NR_LEVELS; level++) {
		uint64_t addr = BASE + 3 * entry_bytes(level) - page;

		if (addr >> (address_bits - 1))
			break;
		map(addr, 2 * page);
		touch(addr);
		touch(addr + page);
	}
}

static void build_last(uint64_t arg)
{
	touch(map((UINT64_C(1) << address_bits) - page, page));
}

/* Pages that are only read are zero pages. */
static void build_zero(uint64_t arg)
{
	uint64_t step = entry_bytes(PMD);
	uint64_t addr = map(BASE, 3 * step);

	for (; addr < BASE + 3 * step; addr += step) {
		(void)*(volatile char *)addr;
		note(PTE, addr, SEEN);
	}
}

static void build_file(uint64_t arg)
{
	uint64_t step = entry_bytes(PMD);
	uint64_t addr = BASE;
	int fd = open("/shared", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0 || ftruncate(fd, (off_t)(4 * step)))
		give_up("/shared");
	map_file(BASE, 4 * step, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
	for (; addr < BASE + 4 * step; addr += step)
		touch(addr);
}

#define NR_THP 4

static uint64_t thp_bytes(uint64_t nr)
{
	return nr * entry_bytes(PMD);
}

static uint64_t all_thp(uint64_t arg)
{
	return thp_bytes(NR_THP);
}

static uint64_t half_thp(uint64_t arg)
{
	return thp_bytes(NR_THP / 2);
}

static uint64_t no_thp(uint64_t arg)
{
	return 0;
}

static void map_thp(int flags, bool write)
{
	uint64_t i;

	map_file(BASE, thp_bytes(NR_THP), PROT_READ | PROT_WRITE,
		 flags | MAP_ANONYMOUS, -1);
	advise(BASE, thp_bytes(NR_THP), MADV_HUGEPAGE);
	for (i = 0; i < NR_THP; i++) {
		uint64_t addr = BASE + thp_bytes(i);

		if (write)
			poke(addr);
		else
			(void)*(volatile char *)addr;
		note(PMD, addr, SEEN);
	}
	if (flags & MAP_SHARED)
		return; /* only anonymous ones deposit a table */
	for (i = 0; i < NR_THP; i++)
		note(PTE, BASE + thp_bytes(i), DEPOSITED);
}

static void build_thp(uint64_t arg)
{
	map_thp(MAP_PRIVATE, true);
}

static void build_thp_shmem(uint64_t arg)
{
	map_thp(MAP_SHARED, true);
}

static void build_thp_zero(uint64_t arg)
{
	map_thp(MAP_PRIVATE, false);
}

static void build_thp_prot_none(uint64_t arg)
{
	map_thp(MAP_PRIVATE, true);
	protect(BASE, thp_bytes(NR_THP), PROT_NONE);
}

/* Split every second huge page; the deposited table becomes its PTE table. */
static void build_thp_split(uint64_t arg)
{
	uint64_t i;

	map_thp(MAP_PRIVATE, true);
	forget_notes();
	for (i = 0; i < NR_THP; i++) {
		uint64_t addr = BASE + thp_bytes(i);

		if (i % 2) {
			protect(addr + 9 * page, page, PROT_READ);
			note(PTE, addr, SEEN);
		} else {
			note(PMD, addr, SEEN);
			note(PTE, addr, DEPOSITED);
		}
	}
}

/* Split all huge pages: their frames are still consecutive, but PTEs map them. */
static void build_thp_restored(uint64_t arg)
{
	uint64_t i;

	map_thp(MAP_PRIVATE, true);
	forget_notes();
	for (i = 0; i < NR_THP; i++) {
		uint64_t addr = BASE + thp_bytes(i);

		protect(addr + 9 * page, page, PROT_READ);
		protect(addr + 9 * page, page, PROT_READ | PROT_WRITE);
		note(PTE, addr, SEEN);
	}
}

static void build_forked(uint64_t arg)
{
	uint64_t addr;

	map_thp(MAP_PRIVATE, true);
	addr = map(BASE + 2 * entry_bytes(PUD), 2 * entry_bytes(PMD));
	touch(addr);
	touch(addr + entry_bytes(PMD));
}

/* Folios of 64 KiB are mapped by contiguous PTEs, which need a table like all others. */
static void build_mthp(uint64_t arg)
{
	uint64_t bytes = 2 * entry_bytes(PMD);
	uint64_t addr;

	map_file(BASE, bytes, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1);
	for (addr = BASE; addr < BASE + bytes; addr += page)
		touch(addr);
}

static unsigned int hugetlb_level(uint64_t bytes)
{
	unsigned int level = PTE;

	while (bytes >= entry_bytes(level + 1))
		level++;
	return level;
}

static uint64_t hugetlb_free(uint64_t bytes)
{
	char path[120];
	uint64_t ret = 0;
	FILE *file;

	snprintf(path, sizeof(path),
		 "/sys/kernel/mm/hugepages/hugepages-%" PRIu64
		 "kB/free_hugepages",
		 bytes / KIB);
	file = fopen(path, "r");
	if (file) {
		if (fscanf(file, "%" SCNu64, &ret) != 1)
			ret = 0;
		fclose(file);
	}
	return ret;
}

/* The first huge page is the last one that a table maps.  PTE tables: fill the next table. */
static void build_hugetlb(uint64_t bytes)
{
	unsigned int level = hugetlb_level(bytes);
	uint64_t reach = entry_bytes(level + 1);
	uint64_t addr = BASE + reach - bytes, i, nr = 2;

	if (level == PTE)
		nr = 1 + reach / bytes;
	else if (bytes >= GIB)
		nr = 1;
	map_file(addr, nr * bytes, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB |
			 __builtin_ctzll(bytes) << MAP_HUGE_SHIFT,
		 -1);
	for (i = 0; i < nr; i++) {
		poke(addr + i * bytes);
		note(level, addr + i * bytes, SEEN);
	}
}

static uint64_t swap_bytes(uint64_t arg)
{
	return 2 * 64 * page;
}

static void build_swap(uint64_t arg)
{
	uint64_t i, half = entry_bytes(PMD);

	map(BASE, 2 * half);
	for (i = 0; i < swap_bytes(arg) / page / 2; i++)
		touch(BASE + i * page);
	for (i = 0; i < swap_bytes(arg) / page / 2; i++)
		touch(BASE + half + i * page);
	/* a page that is in use elsewhere for a moment is left out */
	for (i = 0; i < 5; i++)
		advise(BASE, 2 * half, MADV_PAGEOUT);
}

void build_dontneed(uint64_t arg)
{
	uint64_t step = entry_bytes(PMD);
	uint64_t i;

	map(BASE, 10 * step);
	for (i = 0; i < 10; i++) {
		poke(BASE + i * step);
		note(PTE, BASE + i * step, i >= 2 && i < 6 ? EMPTY : SEEN);
	}
	advise(BASE + 2 * step, 4 * step, MADV_DONTNEED);
	map(BASE + 2 * entry_bytes(PUD), step);
	poke(BASE + 2 * entry_bytes(PUD));
	note(PTE, BASE + 2 * entry_bytes(PUD), EMPTY);
	advise(BASE + 2 * entry_bytes(PUD), step, MADV_DONTNEED);
}

/* A mapping without any access, and one that lost the right of access. */
static void build_prot_none(uint64_t arg)
{
	uint64_t step = entry_bytes(PMD);
	uint64_t addr = BASE + 2 * entry_bytes(PUD);

	map_file(BASE, 4 * step, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	map(addr, 3 * step);
	touch(addr);
	touch(addr + 2 * step);
	protect(addr, 3 * step, PROT_NONE);
}

/* ---- what the machine lacks ---- */

static const char *no_hugetlb(uint64_t bytes)
{
	static char why[60];

	snprintf(why, sizeof(why), "no huge pages of %" PRIu64 " KiB",
		 bytes / KIB);
	return hugetlb_free(bytes) ? NULL : why;
}

static const char *no_level(uint64_t level)
{
	static char why[60];

	snprintf(why, sizeof(why), "no tables of level %s",
		 level_names[level - 1]);
	return level_exists((unsigned int)level - 1) ? NULL : why;
}

static const char *no_swap(uint64_t arg)
{
	char line[200];
	int nr = 0;
	FILE *file = fopen("/proc/swaps", "r");

	while (file && fgets(line, sizeof(line), file))
		nr++;
	if (file)
		fclose(file);
	return nr > 1 ? NULL : "no swap";
}

static const char *no_mthp(uint64_t arg)
{
	return access("/sys/kernel/mm/transparent_hugepage/hugepages-64kB",
		      F_OK) ?
		       "no folios of 64 KiB" :
		       NULL;
}

const struct layout layouts[] = {
	{ "dense", build_dense, .entries = dense_entries },
	{ "every second page", build_every_second,
	  .entries = every_second_entries },
	{ "pages one entry of a PMD table apart", build_apart, PMD },
	{ "pages one entry of a PUD table apart", build_apart, PUD,
	  .missing = no_level },
	{ "pages one entry of a P4D table or of the PGD apart", build_apart,
	  P4D, .missing = no_level },
	{ "pages one entry of a PGD above P4D tables apart", build_apart,
	  NR_LEVELS, .missing = no_level },
	{ "pages at the borders of tables", build_borders },
	{ "the last page", build_last },
	{ "zero pages", build_zero },
	{ "shared file", build_file },
	{ "THP", build_thp, .line = "AnonHugePages", .line_bytes = all_thp },
	{ "THP, every second one split", build_thp_split,
	  .line = "AnonHugePages", .line_bytes = half_thp },
	{ "THP, split and with the old protection", build_thp_restored,
	  .line = "AnonHugePages", .line_bytes = no_thp },
	{ "THP, PROT_NONE", build_thp_prot_none, .vague = true },
	{ "huge zero pages", build_thp_zero, .line = "AnonHugePages",
	  .line_bytes = no_thp },
	{ "THP of shared memory", build_thp_shmem, .line = "ShmemPmdMapped",
	  .line_bytes = all_thp },
	{ "folios of 64 KiB", build_mthp, .missing = no_mthp },
	{ "hugetlb of 64 KiB", build_hugetlb, 64 * KIB, .missing = no_hugetlb },
	{ "hugetlb of 2 MiB", build_hugetlb, 2 * MIB, .missing = no_hugetlb },
	{ "hugetlb of 32 MiB", build_hugetlb, 32 * MIB, .missing = no_hugetlb },
	{ "hugetlb of 1 GiB", build_hugetlb, GIB, .missing = no_hugetlb },
	{ "swapped out", build_swap, .line = "Swap", .line_bytes = swap_bytes,
	  .missing = no_swap },
	{ "MADV_DONTNEED", build_dontneed },
	{ "PROT_NONE", build_prot_none },
	{ "fork", build_forked, .forked = true, .line = "AnonHugePages",
	  .line_bytes = all_thp },
};

const unsigned int nr_layouts = sizeof(layouts) / sizeof(layouts[0]);
