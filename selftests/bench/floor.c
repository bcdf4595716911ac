// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: floor HOW PID [START END]
 *        floor rollup-all
 *
 * The shortest program that reads one kernel interface about a process, to be timed
 * beside ptaudit; it uses none of its code.  HOW is
 *   scan      PAGEMAP_SCAN of all populated pages
 *   written   PAGEMAP_SCAN of all written pages, the kernel's shortest path, which also
 *             shows PTE tables without a page
 *   pagemap   pagemap of all mappings, in large reads
 *   classic   the same, page by page: open, lseek, read, close
 *   smaps, rollup  the complete file
 *   counts, tables  the module's files
 *   none      nothing: the time to start a program
 * Prints its counts as `key value` lines.  pages: present or swapped; tables: 2 MiB
 * ranges with any of these; huge: those mapped by a leaf; took_us: without the start of
 * the program.  START and END (hex) limit scan, written and pagemap to complete 2 MiB
 * ranges.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096UL
#define SLOT (2UL << 20)
#define USER_END ((1UL << 47) - PAGE)
#define BUFFER (512UL << 10)

/* Source: include/uapi/linux/fs.h (6.12) */
struct region {
	uint64_t start, end, categories;
};

struct scan_arg {
	uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
	uint64_t inverted, mask, anyof, ret;
};

#define SCAN _IOWR('f', 16, struct scan_arg)
#define WRITTEN (1UL << 1)
#define POPULATED (1UL << 3 | 1UL << 4)
#define HUGE (1UL << 6)
#define REGIONS 512

static const char *pid;
static uint64_t first, end = USER_END;
static unsigned long pages, tables, huge;
static uint64_t last_slot = UINT64_MAX;
static char buffer[BUFFER];

static void die(const char *what)
{
	fprintf(stderr, "floor: %s: %s\n", what, strerror(errno));
	exit(2);
}

static int open_file(const char *name)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "/proc/%s/%s", pid, name);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		die(path);
	return fd;
}

/* Count pages of one kind in ascending order, and each 2 MiB range once. */
static void count(uint64_t start, uint64_t stop, int is_huge)
{
	uint64_t slot = start / SLOT, to = (stop - 1) / SLOT;
	unsigned long *sum = is_huge ? &huge : &tables;

	pages += (stop - start) / PAGE;
	if (slot == last_slot)
		slot++;
	if (slot <= to && to != UINT64_MAX)
		*sum += to - slot + 1;
	last_slot = to;
}

static void scan(uint64_t mask, uint64_t anyof, uint64_t ret)
{
	static struct region regions[REGIONS];
	int fd = open_file("pagemap");
	uint64_t at = first;

	while (at < end) {
		struct scan_arg arg = {
			.size = sizeof(arg),
			.start = at,
			.end = end,
			.vec = (uintptr_t)regions,
			.vec_len = REGIONS,
			.mask = mask,
			.anyof = anyof,
			.ret = ret,
		};
		int i, nr = ioctl(fd, SCAN, &arg);

		if (nr < 0)
			die("PAGEMAP_SCAN");
		for (i = 0; i < nr; i++)
			count(regions[i].start, regions[i].end,
			      regions[i].categories & HUGE ? 1 : 0);
		at = arg.walk_end;
	}
}

static void take_words(uint64_t addr, const uint64_t *words, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (words[i] >> 62)
			count(addr + i * PAGE, addr + (i + 1) * PAGE, 0);
}

static void read_bulk(int fd, uint64_t start, uint64_t stop)
{
	while (start < stop) {
		size_t bytes = (stop - start) / PAGE * 8;
		ssize_t got;

		if (bytes > BUFFER)
			bytes = BUFFER;
		got = pread(fd, buffer, bytes, (off_t)(start / PAGE * 8));
		if (got <= 0)
			die("pagemap");
		take_words(start, (const uint64_t *)buffer, (size_t)got / 8);
		start += (uint64_t)got / 8 * PAGE;
	}
}

static void read_classic(int fd, uint64_t start, uint64_t stop)
{
	uint64_t word;

	(void)fd;
	for (; start < stop; start += PAGE) {
		int one = open_file("pagemap");

		if (lseek(one, (off_t)(start / PAGE * 8), SEEK_SET) < 0 ||
		    read(one, &word, 8) != 8)
			die("pagemap");
		close(one);
		take_words(start, &word, 1);
	}
}

static void each_mapping(void (*take)(int fd, uint64_t start, uint64_t stop))
{
	int fd = open_file("pagemap");
	unsigned long start, stop;
	char path[64], *line = NULL;
	size_t line_bytes = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%s/maps", pid);
	maps = fopen(path, "r");
	if (!maps)
		die(path);
	while (getline(&line, &line_bytes, maps) > 0) {
		if (sscanf(line, "%lx-%lx", &start, &stop) != 2)
			die("maps");
		if (start < first)
			start = first;
		if (stop > end)
			stop = end;
		if (start < stop)
			take(fd, start, stop);
	}
	free(line);
	fclose(maps);
}

/* Sum up a field; kB are converted to pages. */
static void read_text(const char *name)
{
	int fd = open_file(name);
	size_t kept = 0;
	ssize_t got;

	while ((got = read(fd, buffer + kept, BUFFER - 1 - kept)) > 0) {
		char *line = buffer, *next;

		buffer[kept + (size_t)got] = '\0';
		for (; (next = strchr(line, '\n')); line = next + 1)
			if (!strncmp(line, "Rss:", 4) ||
			    !strncmp(line, "Swap:", 5))
				pages += strtoul(strchr(line, ':') + 1, NULL,
						 10) /
					 4;
		kept = strlen(line);
		memmove(buffer, line, kept);
	}
	if (got < 0)
		die(name);
	close(fd);
}

static void rollup_all(void)
{
	unsigned long nr = 0;
	struct dirent *entry;
	DIR *proc = opendir("/proc");

	if (!proc)
		die("/proc");
	while ((entry = readdir(proc))) {
		char path[300];
		ssize_t got;
		int fd;

		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/smaps_rollup",
			 entry->d_name);
		fd = open(path, O_RDONLY);
		if (fd < 0)
			continue;
		got = read(fd, buffer, BUFFER);
		nr += got > 0;
		close(fd);
	}
	closedir(proc);
	printf("processes %lu\n", nr);
}

/* Records of 64 bytes after the header. Source: module/ptaudit_abi.h */
static void count_records(const char *bytes, size_t nr)
{
	for (; nr >= 64; nr -= 64, bytes += 64)
		tables += bytes[20] == 0 && bytes[21] == 1;
}

/* Read the header, which contains its own size.  Return: that size. */
static unsigned long skip_header(int fd)
{
	uint16_t header_bytes;

	if (read(fd, buffer, 16) != 16)
		die("header");
	memcpy(&header_bytes, buffer + 12, sizeof(header_bytes));
	if (read(fd, buffer, header_bytes - 16) != header_bytes - 16)
		die("header");
	return header_bytes;
}

/* Read one answer of the module.  `tables` has a record per PTE table, `counts` their number. */
static void ask_module(const char *name)
{
	const int is_text = !strcmp(name, "counts");
	unsigned long bytes = 0;
	char path[128];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/sys/kernel/debug/ptaudit/%s", name);
	fd = open(path, O_RDWR);
	if (fd < 0 || write(fd, pid, strlen(pid)) < 0)
		die(path);
	if (!is_text)
		bytes = skip_header(fd);
	while ((got = read(fd, buffer, BUFFER - 64)) > 0) {
		const char *pte;

		if (!is_text)
			count_records(buffer, (size_t)got);
		bytes += (unsigned long)got;
		if (!is_text)
			continue;
		buffer[got] = '\0';
		pte = strstr(buffer, "\npte ");
		if (pte)
			tables = strtoul(pte + 5, NULL, 10);
	}
	if (got < 0)
		die(path);
	printf("bytes %lu\n", bytes);
}

static long now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	long begin_us = now_us();

	pid = argc > 2 ? argv[2] : "self";
	if (argc == 5) {
		first = strtoull(argv[3], NULL, 16);
		end = strtoull(argv[4], NULL, 16);
	}
	if (!strcmp(how, "scan"))
		scan(0, POPULATED, POPULATED | HUGE);
	else if (!strcmp(how, "written"))
		scan(WRITTEN, 0, WRITTEN);
	else if (!strcmp(how, "pagemap"))
		each_mapping(read_bulk);
	else if (!strcmp(how, "classic"))
		each_mapping(read_classic);
	else if (!strcmp(how, "smaps"))
		read_text("smaps");
	else if (!strcmp(how, "rollup"))
		read_text("smaps_rollup");
	else if (!strcmp(how, "counts") || !strcmp(how, "tables"))
		ask_module(how);
	else if (!strcmp(how, "rollup-all"))
		rollup_all();
	else if (strcmp(how, "none")) {
		fprintf(stderr,
			"usage: floor scan|written|pagemap|classic|smaps|rollup|counts|tables|none PID [START END]\n"
			"       floor rollup-all\n");
		return 2;
	}
	printf("pages %lu\ntables %lu\nhuge %lu\ntook_us %ld\n", pages, tables,
	       huge, now_us() - begin_us);
	return 0;
}
