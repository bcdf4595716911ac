// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: layouts TOOL ADDRESS-BITS pagemap|written
 *
 * Runs as root on arm64.  A child builds a layout of memory at fixed addresses and notes
 * each entry that it made.  The tables for these entries follow from the addresses.  They
 * are compared with VmPTE and with the estimate, both as differences to the figures before
 * the layout.  The estimate and the deposited tables must be VmPTE, to the byte, except for
 * tables that the estimator cannot see.  The last argument is the estimator that the kernel
 * allows.  Prints KTAP.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)
#define TIB (1024 * GIB)

/* Far from program, heap and stack. It is the start of a table of each level below 5 levels. */
#define BASE TIB

/* Levels of entries, from the lowest; a table of the level has such entries. */
enum { PTE, PMD, PUD, P4D, NR_LEVELS };

static const char *const level_names[] = { "pte", "pmd", "pud", "p4d" };

enum kind {
	SEEN,	   /* the estimate must have the table */
	EMPTY,	   /* only PAGEMAP_SCAN shows it */
	DEPOSITED, /* a PTE table kept for the split of a huge page */
};

struct note {
	uint64_t addr;
	unsigned int level;
	enum kind kind;
};

/* Shared with the child. */
static struct {
	unsigned int nr;
	struct note notes[256];
	char why[200]; /* not empty: the layout was not built */
} * shared;

struct counts {
	long tables[NR_LEVELS];
	long deposited;
};

struct range {
	uint64_t start, end;
};

struct figures {
	struct range *ranges; /* all mappings */
	unsigned int nr_ranges;
	struct counts estimate;
	long residual;
	uint64_t json_vmpte_bytes;
	uint64_t vmpte_bytes;
	long high[NR_LEVELS];
};

struct layout {
	const char *name;
	void (*build)(uint64_t arg);
	uint64_t arg;
	bool forked; /* measure children, born before and after */
	bool vague; /* without PAGEMAP_SCAN a PTE table is possible or is deposited */
	/* NULL, or a line of smaps_rollup and the value that it must have */
	const char *line;
	uint64_t (*line_bytes)(uint64_t arg);
	const char *(*missing)(uint64_t arg);
	/* NULL, or the used entries of the PTE tables of the mappings at BASE */
	uint64_t (*entries)(uint64_t arg);
};

static const char *tool, *estimator;
static unsigned int address_bits;
static uint64_t page;
static bool has_scan;
static unsigned int nr_tests, nr_failed;

/* log2 of what one entry of the level maps. Each table has one page of 8-byte entries. */
static unsigned int shift(unsigned int level)
{
	unsigned int page_shift = (unsigned int)__builtin_ctzll(page);

	return page_shift + level * (page_shift - 3);
}

static uint64_t entry_bytes(unsigned int level)
{
	return UINT64_C(1) << shift(level);
}

/* Tables of the level are not the top one: the PGD is the table that maps all address bits. */
static bool level_exists(unsigned int level)
{
	return shift(level + 1) < address_bits;
}

static void __attribute__((format(printf, 2, 3)))
result(bool ok, const char *format, ...)
{
	va_list args;

	nr_tests++;
	nr_failed += !ok;
	printf("%sok %u ", ok ? "" : "not ", nr_tests);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

/* ---- in the child ---- */

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

	(void)arg;
	for (; addr < BASE + bytes; addr += page)
		touch(addr);
}

static uint64_t dense_entries(uint64_t arg)
{
	(void)arg;
	return 3 * page / 8 + 5;
}

/* Three tables with the most regions that a table can have. */
static void build_every_second(uint64_t arg)
{
	uint64_t bytes = 3 * entry_bytes(PMD);
	uint64_t addr = map(BASE, bytes);

	(void)arg;
	for (; addr < BASE + bytes; addr += 2 * page)
		touch(addr);
}

static uint64_t every_second_entries(uint64_t arg)
{
	(void)arg;
	return 3 * page / 8 / 2;
}

/* 40 pages, the entries of one level apart, and a few entries of the lower ones. */
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

/* Two pages each at the end of a table, so that they are in two tables. */
static void build_borders(uint64_t arg)
{
	unsigned int level;

	(void)arg;
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
	(void)arg;
	touch(map((UINT64_C(1) << address_bits) - page, page));
}

/* Reads only: zero pages. */
static void build_zero(uint64_t arg)
{
	uint64_t step = entry_bytes(PMD);
	uint64_t addr = map(BASE, 3 * step);

	(void)arg;
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

	(void)arg;
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
	(void)arg;
	return thp_bytes(NR_THP);
}

static uint64_t half_thp(uint64_t arg)
{
	(void)arg;
	return thp_bytes(NR_THP / 2);
}

static uint64_t no_thp(uint64_t arg)
{
	(void)arg;
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
	(void)arg;
	map_thp(MAP_PRIVATE, true);
}

static void build_thp_shmem(uint64_t arg)
{
	(void)arg;
	map_thp(MAP_SHARED, true);
}

static void build_thp_zero(uint64_t arg)
{
	(void)arg;
	map_thp(MAP_PRIVATE, false);
}

static void build_thp_prot_none(uint64_t arg)
{
	(void)arg;
	map_thp(MAP_PRIVATE, true);
	protect(BASE, thp_bytes(NR_THP), PROT_NONE);
}

/* Split every second one; the deposited table becomes its PTE table. */
static void build_thp_split(uint64_t arg)
{
	uint64_t i;

	(void)arg;
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

/* Split all and make one mapping of them again: 512 consecutive frames, and yet no huge page. */
static void build_thp_restored(uint64_t arg)
{
	uint64_t i;

	(void)arg;
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
	(void)arg;
}

/* Folios of 64 KiB: their PTEs are contiguous, and need a table all the same. */
static void build_mthp(uint64_t arg)
{
	uint64_t bytes = 2 * entry_bytes(PMD);
	uint64_t addr;

	(void)arg;
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

/* Start with the last huge page that a table maps. In PTE tables, fill the next one. */
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
	(void)arg;
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

/* Of 10 tables empty 4. A second mapping is empty as a whole, with its PMD table. */
static void build_dontneed(uint64_t arg)
{
	uint64_t step = entry_bytes(PMD);
	uint64_t i;

	(void)arg;
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

	(void)arg;
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

	(void)arg;
	while (file && fgets(line, sizeof(line), file))
		nr++;
	if (file)
		fclose(file);
	return nr > 1 ? NULL : "no swap";
}

static const char *no_mthp(uint64_t arg)
{
	(void)arg;
	return access("/sys/kernel/mm/transparent_hugepage/hugepages-64kB",
		      F_OK) ?
		       "no folios of 64 KiB" :
		       NULL;
}

static const struct layout layouts[] = {
	{ "dense", build_dense, .entries = dense_entries },
	{ "every second page", build_every_second,
	  .entries = every_second_entries },
	{ "pages an entry of a PMD table apart", build_apart, PMD },
	{ "pages an entry of a PUD table apart", build_apart, PUD,
	  .missing = no_level },
	{ "pages an entry of a P4D table or of the PGD apart", build_apart, P4D,
	  .missing = no_level },
	{ "pages an entry of a PGD above P4D tables apart", build_apart,
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

/* ---- the child and the figures of it ---- */

/* Return the value of a line "NAME: N kB" in bytes, or UINT64_MAX. */
static uint64_t proc_bytes(pid_t pid, const char *name, const char *key)
{
	uint64_t kib = 0, ret = UINT64_MAX;
	char path[64], line[300];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, key, strlen(key)) &&
		    sscanf(line + strlen(key), ": %" SCNu64 " kB", &kib) == 1)
			ret = kib * KIB;
	if (file)
		fclose(file);
	return ret;
}

/* Run the tool. Return its exit status; the output of both streams is in @ret. */
static int run_tool(char *const argv[], char *ret, size_t ret_bytes)
{
	int status, fds[2];
	size_t used = 0;
	ssize_t got;
	pid_t pid;

	if (pipe(fds))
		return -1;
	fflush(stdout);
	pid = fork();
	if (!pid) {
		dup2(fds[1], STDOUT_FILENO);
		dup2(fds[1], STDERR_FILENO);
		close(fds[0]);
		close(fds[1]);
		execv(tool, argv);
		_exit(127);
	}
	close(fds[1]);
	while ((got = read(fds[0], ret + used, ret_bytes - 1 - used)) > 0)
		used += (size_t)got;
	close(fds[0]);
	ret[used] = '\0';
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static long member(const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);

	return json_is_integer(value) ? (long)json_integer_value(value) : -1;
}

static bool read_json(const char *text, const char *want, struct figures *ret)
{
	json_t *root = json_loads(text, 0, NULL), *level;
	const json_t *process = json_array_get(json_object_get(root,
							       "processes"),
					       0);
	const json_t *vmpte = json_object_get(process, "vmpte");
	const char *used = json_string_value(
		json_object_get(json_object_get(root, "ptaudit"), "estimator"));
	bool ok = process && vmpte && used && !strcmp(used, want);
	size_t i;

	json_array_foreach(json_object_get(process, "levels"), i, level)
	{
		const char *name = json_string_value(
			json_object_get(level, "level"));
		unsigned int l;

		for (l = 0; name && l < NR_LEVELS; l++) {
			if (strcmp(name, level_names[l]))
				continue;
			ret->estimate.tables[l] = member(level, "estimate");
			ret->high[l] = member(level, "high");
			ok &= member(level, "low") == ret->estimate.tables[l];
		}
	}
	ret->estimate.deposited = member(vmpte, "deposited_tables");
	ret->residual = member(vmpte, "residual_tables");
	ret->json_vmpte_bytes = (uint64_t)member(vmpte, "bytes");
	json_decref(root);
	return ok;
}

/* @name: of the estimator; NULL: the tool chooses */
static bool measure(pid_t pid, const char *name, struct figures *ret)
{
	static char text[1 << 16];
	char arg[20];
	char *const argv[] = { (char *)tool,
			       "estimate",
			       "--json",
			       arg,
			       name ? "--estimator" : NULL,
			       (char *)name,
			       NULL };
	struct figures figures = { 0 };
	int status;

	snprintf(arg, sizeof(arg), "%d", (int)pid);
	status = run_tool(argv, text, sizeof(text));
	if (status || !read_json(text, name ? name : estimator, &figures)) {
		printf("# estimate: status %d\n", status);
		fputs(text, stdout);
		return false;
	}
	figures.vmpte_bytes = proc_bytes(pid, "status", "VmPTE");
	*ret = figures;
	return true;
}

/* Return the used entries of the PTE tables of the mappings at BASE, or -1. */
static long used_entries(pid_t pid)
{
	static char text[1 << 18];
	char arg[20];
	char *const argv[] = { (char *)tool, "estimate", "--json", "--fill",
			       "--mappings", arg,	 NULL };
	json_t *root, *row;
	long ret = 0;
	size_t i;

	snprintf(arg, sizeof(arg), "%d", (int)pid);
	if (run_tool(argv, text, sizeof(text)))
		return -1;
	root = json_loads(text, 0, NULL);
	json_array_foreach(json_object_get(json_array_get(json_object_get(root,
									  "processes"),
							  0),
					   "mappings"),
			   i, row)
	{
		const char *start = json_string_value(
			json_object_get(row, "start"));
		const uint64_t addr = start ? strtoull(start, NULL, 16) : 0;

		if (addr >= BASE && addr < BASE + TIB)
			ret += member(json_object_get(row, "fill"),
				      "entries_used");
	}
	json_decref(root);
	return ret;
}

static struct range *read_ranges(pid_t pid, unsigned int *ret_nr)
{
	static struct range ranges[200];
	char path[64], line[300];
	unsigned int nr = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	file = fopen(path, "r");
	while (file && nr < 200 && fgets(line, sizeof(line), file))
		nr += sscanf(line, "%" SCNx64 "-%" SCNx64, &ranges[nr].start,
			     &ranges[nr].end) == 2;
	if (file)
		fclose(file);
	*ret_nr = nr;
	return ranges;
}

/* Is there one of the ranges in the reach of the table? */
static bool is_used(const struct figures *before, uint64_t addr,
		    unsigned int level)
{
	unsigned int i, reach = shift(level + 1);

	for (i = 0; i < before->nr_ranges; i++)
		if (before->ranges[i].start >> reach <= addr >> reach &&
		    (before->ranges[i].end - 1) >> reach >= addr >> reach)
			return true;
	return false;
}

/*
 * The tables of the notes: each entry needs a table of its level, and of each level above.
 * @seen: those that the estimator must see; @all: with those that it cannot see
 * Tables that the program's own mappings use already are not new.
 */
static void expect(const struct figures *before, bool scan, struct counts *seen,
		   struct counts *all)
{
	unsigned int i, j, level;

	memset(seen, 0, sizeof(*seen));
	memset(all, 0, sizeof(*all));
	for (i = 0; i < shared->nr; i++) {
		const struct note *one = &shared->notes[i];

		if (one->kind == DEPOSITED) {
			seen->deposited++;
			all->deposited++;
			continue;
		}
		for (level = one->level;
		     level < NR_LEVELS && level_exists(level); level++) {
			bool new = !is_used(before, one->addr, level);
			bool new_seen = new;

			for (j = 0; j < i; j++) {
				const struct note *other = &shared->notes[j];

				if (other->kind == DEPOSITED ||
				    other->level > level ||
				    other->addr >> shift(level + 1) !=
					    one->addr >> shift(level + 1))
					continue;
				new = false;
				new_seen &= other->kind != SEEN && !scan;
			}
			all->tables[level] += new;
			seen->tables[level] += new_seen &&
					       (one->kind == SEEN || scan);
		}
	}
}

/* P4D tables are not in VmPTE, nor is the PGD. */
static long in_vmpte(const struct counts *counts)
{
	return counts->tables[PTE] + counts->tables[PMD] + counts->tables[PUD] +
	       counts->deposited;
}

static void say(const char *what, const struct counts *counts)
{
	printf("# %s: pte %ld, pmd %ld, pud %ld, p4d %ld, deposited %ld\n",
	       what, counts->tables[PTE], counts->tables[PMD],
	       counts->tables[PUD], counts->tables[P4D], counts->deposited);
}

/* The process: warms up, so that only the layout makes tables; sends the PID to measure. */
static void __attribute__((noreturn))
child(const struct layout *layout, int in, int out)
{
	volatile char stack[64 * KIB];
	unsigned int i;
	uint64_t j;
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (j = 0; j < sizeof(stack); j += KIB)
		stack[j] = 1;
	for (j = 0; j < sizeof(*shared); j += KIB)
		((volatile char *)shared)[j] = 0;
	for (i = 0; i < 2; i++) {
		bool is_parent = layout->forked && fork();
		pid_t pid = getpid();

		/*
		 * fork() copies [vvar] and its tables. Without a page there, nothing but
		 * PAGEMAP_SCAN shows them.
		 */
		stack[0] = ((volatile char *)shared)[0];
		if ((!is_parent &&
		     write(out, &pid, sizeof(pid)) != sizeof(pid)) ||
		    ((is_parent || !layout->forked) && read(in, &byte, 1) != 1))
			_exit(1);
		if (layout->forked && !is_parent) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (;;)
				pause();
		}
		if (!i)
			layout->build(layout->arg);
	}
	_exit(0);
}

/* @scan: the estimator uses PAGEMAP_SCAN */
static void judge_estimate(const struct layout *layout, bool scan,
			   const struct figures *before,
			   const struct figures *after)
{
	const bool vague = layout->vague && !has_scan;
	struct counts seen, all, estimate = after->estimate;
	long vmpte = ((long)after->vmpte_bytes - (long)before->vmpte_bytes) /
		     (long)page;
	bool levels = true;
	long residual;
	unsigned int l;

	expect(before, scan, &seen, &all);
	if (vague)
		seen.deposited = 0;
	residual = in_vmpte(&all) - in_vmpte(&seen);
	for (l = 0; l < NR_LEVELS; l++) {
		long possible = after->high[l] - after->estimate.tables[l];

		estimate.tables[l] -= before->estimate.tables[l];
		levels &= estimate.tables[l] == seen.tables[l] &&
			  before->high[l] == before->estimate.tables[l] &&
			  possible == (vague && l == PTE ? all.deposited : 0);
	}
	estimate.deposited -= before->estimate.deposited;
	printf("# estimator %s\n", scan ? "written" : "pagemap");
	say("expected", &seen);
	say("estimate", &estimate);
	say("before", &before->estimate);
	printf("# VmPTE %ld, expected %ld; residual %ld, expected %ld, before %ld\n",
	       vmpte, in_vmpte(&all), after->residual, residual,
	       before->residual);
	result(levels, "%s: the levels are those of arithmetic", layout->name);
	result(vmpte == in_vmpte(&all), "%s: VmPTE is that of arithmetic",
	       layout->name);
	result(estimate.deposited == seen.deposited,
	       "%s: deposited tables are those of arithmetic", layout->name);
	result(!before->residual && after->residual == residual &&
		       (uint64_t)(in_vmpte(&after->estimate) + residual) *
				       page ==
			       after->vmpte_bytes &&
		       after->json_vmpte_bytes == after->vmpte_bytes &&
		       (uint64_t)in_vmpte(&before->estimate) * page ==
			       before->vmpte_bytes,
	       "%s: the sum is VmPTE, to the byte", layout->name);
}

static void judge_others(const struct layout *layout, pid_t pid)
{
	if (layout->entries) {
		const long got = used_entries(pid);
		const uint64_t want = layout->entries(layout->arg);

		result(got == (long)want, "%s: %ld of %" PRIu64 " used entries",
		       layout->name, got, want);
	}
	if (layout->line) {
		uint64_t bytes = proc_bytes(pid, "smaps_rollup", layout->line);

		result(bytes == layout->line_bytes(layout->arg),
		       "%s: smaps shows %s %" PRIu64 " KiB", layout->name,
		       layout->line, bytes / KIB);
	}
}

/* Start a child for a layout. Return its PID; it waits to be told to build. */
static pid_t start(const struct layout *layout, int *ret_in, int *ret_out)
{
	int in[2], out[2];
	pid_t pid;

	if (pipe(in) || pipe(out))
		return -1;
	memset(shared, 0, sizeof(*shared));
	fflush(stdout);
	pid = fork();
	if (!pid)
		child(layout, in[0], out[1]);
	close(in[0]);
	close(out[1]);
	*ret_in = in[1];
	*ret_out = out[0];
	return pid;
}

static void run_layout(const struct layout *layout)
{
	const char *missing = layout->missing ? layout->missing(layout->arg) :
						NULL;
	/* what the tool chooses, and pagemap */
	struct figures before[2] = { 0 }, after[2] = { 0 };
	const unsigned int nr = has_scan ? 2 : 1;
	pid_t pid, first, second;
	bool measured = true;
	unsigned int i;
	int in, out;

	if (missing) {
		nr_tests++;
		printf("ok %u %s # SKIP %s\n", nr_tests, layout->name, missing);
		return;
	}
	pid = start(layout, &in, &out);
	measured = pid > 0 && read(out, &first, sizeof(first)) == sizeof(first);
	for (i = 0; measured && i < nr; i++) {
		measured = measure(first, i ? "pagemap" : NULL, &before[i]);
		before[i].ranges = read_ranges(first, &before[i].nr_ranges);
	}
	if (measured &&
	    (write(in, "", 1) != 1 ||
	     read(out, &second, sizeof(second)) != sizeof(second))) {
		printf("# it cannot be built: %s\n", shared->why);
		measured = false;
	}
	for (i = 0; measured && i < nr; i++)
		measured = measure(second, i ? "pagemap" : NULL, &after[i]);
	for (i = 0; measured && i < nr; i++)
		judge_estimate(layout, has_scan && !i, &before[i], &after[i]);
	if (measured)
		judge_others(layout, second);
	else
		result(false, "%s: cannot be measured", layout->name);
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	close(in);
	close(out);
}

/* ---- other commands ---- */

/*
 * @format: the arguments, with %d for the PID
 * @status: the exit status that it must have
 * @want: a text that the output must have
 */
static void command(pid_t pid, const char *format, int status, const char *want)
{
	static char text[1 << 18];
	char *argv[16] = { (char *)tool }, *rest = NULL;
	char copy[200], number[20];
	unsigned int nr = 1;
	bool ok;
	int got;

	snprintf(number, sizeof(number), "%d", (int)pid);
	snprintf(copy, sizeof(copy), "%s", format);
	for (argv[nr] = strtok_r(copy, " ", &rest); argv[nr];
	     argv[++nr] = strtok_r(NULL, " ", &rest))
		if (!strcmp(argv[nr], "PID"))
			argv[nr] = number;
	got = run_tool(argv, text, sizeof(text));
	ok = got == status && strstr(text, want);
	if (!ok)
		printf("# status %d, expected %d and '%s'\n%s", got, status,
		       want, text);
	result(ok, "ptaudit %s: status %d, '%s'", format, status, want);
}

/* On a process with 10 tables in a row, 4 of them empty, and one more empty table. */
static void run_commands(void)
{
	const struct layout layout = { "commands", build_dontneed };
	int in, out;
	pid_t pid = start(&layout, &in, &out), got;
	char here[40], end[40];

	if (pid < 0 || read(out, &got, sizeof(got)) != sizeof(got) ||
	    write(in, "", 1) != 1 ||
	    read(out, &got, sizeof(got)) != sizeof(got)) {
		result(false, "commands: the process cannot be built: %s",
		       shared->why);
		return;
	}
	snprintf(here, sizeof(here), "0x%" PRIx64, BASE);
	snprintf(end, sizeof(end), "0x%" PRIx64, BASE + 10 * entry_bytes(PMD));
	command(pid, "top", 0, "layouts");
	command(pid, "top PID", 0, here);
	command(pid, "map PID", 0, here);
	command(pid, "estimate --mappings PID", 0, end);
	command(pid, "estimate --fill PID", 0, "estimator");
	command(pid, "whatif PID", 0,
		has_scan ? "empty PTE tables: 5 " : "empty PTE tables: ");
	command(pid, "watch --count 1 PID", 0, "layouts");
	command(pid, "footprint PID", 0, "layouts");
	command(pid, "cow PID", 0, here);
	command(pid, "flags PID", 0, "ANON");
	command(pid, "system", 0, "PageTables is ");
	command(pid, "record --to /recording PID", 0, "");
	command(pid, "estimate --from /recording", 0, "layouts");
	command(pid, "diff /recording PID", 0, "");
	command(pid, "export --openmetrics /metrics", 0, "");
	command(pid, "reclaim PID", 0, "");
	command(pid, "check PID", 2, "module");
	command(pid, "check --truth bpf PID", 2, "BPF");
	command(pid, "system --truth bpf", 2, "BPF");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(in);
	close(out);
}

int main(int argc, char **argv)
{
	size_t i;

	if (argc != 4) {
		fputs("usage: layouts TOOL ADDRESS-BITS pagemap|written\n",
		      stderr);
		return 2;
	}
	tool = argv[1];
	address_bits = (unsigned int)atoi(argv[2]);
	estimator = argv[3];
	has_scan = !strcmp(estimator, "written");
	page = (uint64_t)sysconf(_SC_PAGESIZE);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 2;
	printf("# page size %" PRIu64 ", %u address bits\n", page,
	       address_bits);
	result(mmap((void *)(UINT64_C(1) << address_bits), page, PROT_READ,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		    0) == MAP_FAILED,
	       "there is no memory above the address bits");
	for (i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		run_layout(&layouts[i]);
	run_commands();
	printf("1..%u\n", nr_tests);
	return nr_failed != 0;
}
