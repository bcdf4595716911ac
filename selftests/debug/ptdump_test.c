// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares the module with the kernel's own dump of page tables.  The dump shows the
 * tables of the process that reads it, so this process asks the module about itself and
 * reads the dump.  It compares the tables of each level, the number of pages that each
 * PTE table maps, and the number of huge leaves of each upper table.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/mman.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "lib/lib.h"

#define DUMP "/sys/kernel/debug/page_tables/current_kernel"
#define DUMP_BYTES (16 * MIB)
#define NR_TABLES (1UL << 15)

/* A table as the dump shows it.  The module's records are converted to this form. */
struct table {
	uint64_t start;
	unsigned int level;
	unsigned int present; /* PTE table: present entries */
	unsigned int leaves;
};

struct tables {
	struct table *tables; /* sorted by level, then start */
	size_t nr;
};

/* Allocate all memory before the first read: a later malloc() would allocate tables. */
static void *reserve(size_t bytes)
{
	void *got = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	return got == MAP_FAILED ? NULL : got;
}

static struct table *find(struct tables *tables, unsigned int level,
			  uint64_t start)
{
	for (size_t i = tables->nr; i-- > 0;)
		if (tables->tables[i].level == level &&
		    tables->tables[i].start == start)
			return &tables->tables[i];
	if (tables->nr == NR_TABLES)
		return NULL;
	tables->tables[tables->nr] = (struct table){ start, level, 0, 0 };
	return &tables->tables[tables->nr++];
}

/*
 * A line `0xSTART-0xEND SIZE FLAGS LEVEL` describes entries of tables of LEVEL: such
 * tables exist for the whole range.  A line without flags is not present.  Source:
 * arch/x86/mm/dump_pagetables.c, printk_prot() and note_page().
 */
static int add_line(struct tables *tables, const char *line,
		    unsigned int levels)
{
	static const char *const names[] = PTAUDIT_LEVEL_NAMES;
	const uint64_t user_end = 1UL << (levels == 4 ? 47 : 56);
	uint64_t start, end, at, reach, entry;
	unsigned int level;
	char size[32], rest[128], *name;

	if (sscanf(line, "0x%" SCNx64 "-0x%" SCNx64 " %31s %127[^\n]", &start,
		   &end, size, rest) != 4)
		return -EPROTO;
	name = strrchr(rest, ' ');
	name = name ? name + 1 : rest;
	for (level = PTAUDIT_PTE; level < PTAUDIT_NR_LEVELS; level++)
		if (!strcmp(name, names[level]))
			break;
	if (level == PTAUDIT_NR_LEVELS)
		return -EPROTO;
	/*
	 * Ignore the kernel half, which the module's answer does not include.  The last line
	 * of the user half is printed as if it extended to the kernel half.
	 */
	if (start >> 63)
		return 0;
	if (end > user_end)
		end = user_end;
	/* With 4 levels the P4D is folded into the PGD. */
	if (levels == 4 && level == PTAUDIT_P4D)
		level = PTAUDIT_PGD;
	if (level == PTAUDIT_PGD)
		return find(tables, PTAUDIT_PGD, 0) ? 0 : -ENOSPC;
	/* The reach of an entry, and of a table. */
	entry = PAGE << (9 * level);
	reach = entry << 9;
	for (at = start & ~(reach - 1); at < end; at += reach) {
		uint64_t first = at > start ? at : start;
		uint64_t last = at + reach < end ? at + reach : end;
		struct table *table = find(tables, level, at);

		if (!table)
			return -ENOSPC;
		if (name == rest)
			continue;
		if (level == PTAUDIT_PTE)
			table->present += (last - first) / PAGE;
		else
			table->leaves += (last - first) / entry;
	}
	return 0;
}

/* Add the upper tables that have no line of their own in the dump. */
static int add_parents(struct tables *tables, unsigned int levels)
{
	for (size_t i = 0; i < tables->nr; i++) {
		struct table table = tables->tables[i];
		unsigned int up = table.level + 1;

		if (table.level == PTAUDIT_PGD)
			continue;
		if (up == PTAUDIT_P4D && levels == 4)
			up = PTAUDIT_PGD;
		if (!find(tables, up,
			  up == PTAUDIT_PGD ?
				  0 :
				  table.start & ~((PAGE << (9 * up + 9)) - 1)))
			return -ENOSPC;
	}
	return 0;
}

static int read_dump(char *text)
{
	int fd = open(DUMP, O_RDONLY);
	size_t bytes = 0;
	ssize_t got;

	if (fd < 0)
		return -errno;
	while ((got = read(fd, text + bytes, DUMP_BYTES - 1 - bytes)) > 0)
		bytes += (size_t)got;
	close(fd);
	text[bytes] = '\0';
	return got < 0 ? -errno : bytes == DUMP_BYTES - 1 ? -EFBIG : 0;
}

static int parse_dump(char *text, struct tables *ret, unsigned int levels)
{
	char *line, *rest;
	int err = 0;

	ret->nr = 0;
	for (line = strtok_r(text, "\n", &rest); line && !err;
	     line = strtok_r(NULL, "\n", &rest))
		/* Skip headings, and the marks of omitted lines in the kernel half. */
		if (strncmp(line, "---[", 4) && strncmp(line, "... ", 4)) {
			err = add_line(ret, line, levels);
			if (err)
				live_note("%s: %s", strerror(-err), line);
		}
	return err ? err : add_parents(ret, levels);
}

/* Read the module's answer about this process with one buffer. */
static int read_records(const char *file, char *data, size_t room,
			size_t *ret_bytes)
{
	int fd = open(file, O_RDWR);
	char request[16];
	size_t bytes = 0;
	ssize_t got;
	int err;

	if (fd < 0)
		return -errno;
	snprintf(request, sizeof(request), "%d", getpid());
	err = live_request(fd, request);
	while (!err && (got = read(fd, data + bytes, room - bytes)) != 0) {
		if (got < 0)
			err = -errno;
		else
			bytes += (size_t)got;
	}
	close(fd);
	*ret_bytes = bytes;
	return err;
}

static int compare_tables(const void *a, const void *b)
{
	const struct table *x = a, *y = b;

	if (x->level != y->level)
		return x->level < y->level ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

static void sort(struct tables *tables)
{
	qsort(tables->tables, tables->nr, sizeof(tables->tables[0]),
	      compare_tables);
}

static int compare(const struct tables *dump, const struct tables *module)
{
	size_t i = 0, k = 0;
	int failures = 0;

	while (i < dump->nr || k < module->nr) {
		const struct table *d = i < dump->nr ? &dump->tables[i] : NULL;
		const struct table *m = k < module->nr ? &module->tables[k] :
							 NULL;
		int order = !d ? 1 : !m ? -1 : compare_tables(d, m);

		if (order) {
			const struct table *one = order < 0 ? d : m;

			live_note("level %u 0x%" PRIx64 ": only %s has it",
				  one->level, one->start,
				  order < 0 ? "the dump" : "the module");
			failures++;
		} else if (d->present != m->present || d->leaves != m->leaves) {
			live_note("level %u 0x%" PRIx64
				  ": dump and module differ: present %u and %u, "
				  "leaves %u and %u",
				  d->level, d->start, d->present, m->present,
				  d->leaves, m->leaves);
			failures++;
		}
		i += order <= 0;
		k += order >= 0;
	}
	return failures;
}

/* Pages that are dense, with holes, released, huge, and far apart. */
static void build(void)
{
	char *map;

	map = live_map(FAR, 8 * HUGE, 0);
	live_must(madvise(map, 8 * HUGE, MADV_NOHUGEPAGE));
	live_touch(FAR, FAR + 2 * HUGE);
	for (uint64_t at = FAR + 2 * HUGE; at < FAR + 4 * HUGE; at += 7 * PAGE)
		live_touch(at, at + 1);
	live_touch(FAR + 5 * HUGE, FAR + 6 * HUGE);
	/* Release the pages of a table one by one: the table stays, empty. */
	for (uint64_t at = FAR + 5 * HUGE; at < FAR + 6 * HUGE; at += PAGE)
		live_must(madvise((void *)at, PAGE, MADV_DONTNEED));
	for (unsigned int i = 1; i < 6; i++) {
		map = live_map(FAR + i * TIB, PAGE, 0);
		live_touch(FAR + i * TIB, FAR + i * TIB + PAGE);
	}
	map = live_map(FAR + GIB, 4 * HUGE, 0);
	live_must(madvise(map, 4 * HUGE, MADV_HUGEPAGE));
	live_touch(FAR + GIB, FAR + GIB + 4 * HUGE);
	/* With 5 levels, use another P4D entry. */
	if (live_system()->levels == 5) {
		live_map(1UL << 50, PAGE, 0);
		live_touch(1UL << 50, (1UL << 50) + PAGE);
	}
}

static unsigned int sum(const struct tables *tables, bool leaves)
{
	unsigned int nr = 0;

	for (size_t i = 0; i < tables->nr; i++)
		nr += leaves ? tables->tables[i].leaves :
			       tables->tables[i].level == PTAUDIT_PTE &&
				       !tables->tables[i].present;
	return nr;
}

/* A fixture only for its time limit: the dump includes the kernel half and takes long. */
FIXTURE(ptdump){};

FIXTURE_VARIANT(ptdump)
{
	const char *file;
};

FIXTURE_VARIANT_ADD(ptdump, tables){ .file = LIVE_DEBUGFS "tables" };

FIXTURE_VARIANT_ADD(ptdump, orphans){ .file = LIVE_DEBUGFS "orphans" };

FIXTURE_SETUP(ptdump)
{
}

FIXTURE_TEARDOWN(ptdump)
{
}

TEST_F_TIMEOUT(ptdump, dump_of_own_tables_shows_what_the_module_counts, 600)
{
	const unsigned int levels = live_system()->levels;
	struct tables dump = { reserve(NR_TABLES * sizeof(struct table)), 0 };
	struct tables module = { reserve(NR_TABLES * sizeof(struct table)), 0 };
	const size_t room = NR_TABLES * PTAUDIT_RECORD_SIZE;
	char *text = reserve(DUMP_BYTES);
	char *before = reserve(room), *after = reserve(room);
	size_t bytes_before = 0, bytes_after = 0;
	const struct ptaudit_table *records =
		(const void *)(before + PTAUDIT_HEADER_SIZE);
	unsigned int tries = 0;

	if (access(DUMP, R_OK))
		SKIP(return, "needs PTDUMP_DEBUGFS");
	ASSERT_TRUE(dump.tables && module.tables && text && before && after);
	build();
	/* Repeat until the records before and after the dump are equal. */
	do {
		ASSERT_GT(10, tries++);
		ASSERT_EQ(0, read_records(variant->file, before, room,
					  &bytes_before));
		ASSERT_EQ(0, read_dump(text));
		ASSERT_EQ(0, read_records(variant->file, after, room,
					  &bytes_after));
	} while (bytes_before != bytes_after ||
		 memcmp(records, after + PTAUDIT_HEADER_SIZE,
			bytes_before - PTAUDIT_HEADER_SIZE));
	ASSERT_LT(PTAUDIT_HEADER_SIZE, bytes_before);

	ASSERT_EQ(0, parse_dump(text, &dump, levels));
	for (size_t i = 0;
	     i < (bytes_before - PTAUDIT_HEADER_SIZE) / PTAUDIT_RECORD_SIZE;
	     i++)
		if (records[i].type == PTAUDIT_TABLE &&
		    !(records[i].flags & PTAUDIT_T_LDT))
			module.tables[module.nr++] = (struct table){
				records[i].start, records[i].level,
				records[i].present, records[i].leaves
			};
	sort(&dump);
	sort(&module);
	EXPECT_EQ(0, compare(&dump, &module));
	/* The dump shows the tables that build() has made. */
	EXPECT_LE(4, sum(&dump, true));
	EXPECT_LE(1, sum(&dump, false));
	TH_LOG("the dump shows %zu tables, %u leaves, %u empty PTE tables",
	       dump.nr, sum(&dump, true), sum(&dump, false));
}

TEST_HARNESS_MAIN
