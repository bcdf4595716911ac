// SPDX-License-Identifier: GPL-2.0-only
/*
 * PTE tables whose entries change while the module reads them.  At each moment an entry
 * is either present or none, so each answer must count it as one of these.  An entry
 * that the module read twice could change in between and be counted as neither.
 *
 * A thread of the target touches the pages of all tables and releases some of them,
 * without a pause.  They are pages of a file that stays in memory, and one fault maps
 * many of them, so they come and go often, and the kind of each page is known.  Whether
 * an answer meets a change is chance.  The test requires a minimum number of changes and
 * prints it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "lib/lib.h"

#define PTES (HUGE / PAGE)

/*
 * With this many tables, most of the time of an answer goes into reading entries.  A
 * reader that is preempted is then preempted between two reads of one entry, if the code
 * reads it twice.
 */
#define NR_TABLES 32
#define END (FAR + NR_TABLES * HUGE)

/*
 * A file is read for this time or this many times, whichever comes first.  `pages` gets
 * less time because it does more work per entry.
 */
#define TABLES_MS 3500
#define PAGES_MS 1500
#define MOST_ANSWERS 20000
/* Read until this many answers differed from the one before, but no longer than PATIENCE_MS. */
#define FEWEST_CHANGES 10
#define PATIENCE_MS 60000

struct shape {
	unsigned int kept; /* number of pages per table that are never released */
};

static void give_back(uint64_t start, uint64_t end)
{
	if (madvise((void *)start, end - start, MADV_DONTNEED))
		_exit(1);
}

static void *flip(void *arg)
{
	const struct shape *s = arg;

	for (;;) {
		for (uint64_t at = FAR; at < END; at += 16 * PAGE)
			(void)*(volatile char *)at;
		for (uint64_t at = FAR; at < END; at += HUGE)
			give_back(at + s->kept * PAGE, at + HUGE);
	}
	return NULL;
}

/* Map the same pages in each table: the file has the size of one table's reach. */
static pid_t build_flipping(const struct shape *s)
{
	static struct shape kept; /* must outlive this function */
	int file = memfd_create("flip", MFD_CLOEXEC);
	pthread_t thread;

	kept = *s;
	live_must(file);
	live_must(ftruncate(file, HUGE));
	for (uint64_t at = FAR; at < END; at += HUGE) {
		live_map_fd(at, HUGE, PROT_READ | PROT_WRITE, MAP_SHARED, file);
		live_touch(at, at + HUGE);
	}
	live_must_be(!pthread_create(&thread, NULL, flip, &kept), "a thread");
	return 0;
}

/* What the answers of one file showed. */
struct seen {
	unsigned int answers, changes, wrong;
	unsigned int least, most; /* number of present entries */
};

static uint64_t now_ms(void)
{
	return live_now_ns() / 1000000;
}

/* Count wrong values, and print the first few. */
static void is_wrong(struct seen *seen, const char *what, uint64_t is)
{
	if (seen->wrong++ < 5)
		live_note("answer %u is wrong: %s %lu", seen->answers, what,
			  is);
}

static unsigned int check_record(const struct ptaudit_table *r,
				 unsigned int kept, struct seen *seen)
{
	const struct {
		const char *name;
		unsigned int is, expected;
	} members[] = {
		{ "used", r->used, r->present },  { "swap", r->swap, 0 },
		{ "migration", r->migration, 0 }, { "uffd_wp", r->uffd_wp, 0 },
		{ "guard", r->guard, 0 },	  { "other", r->other, 0 },
		{ "children", r->children, 0 },	  { "leaves", r->leaves, 0 },
		{ "unwalked", r->unwalked, 0 },	  { "pfnmap", r->pfnmap, 0 },
	};

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		if (members[i].is != members[i].expected)
			is_wrong(seen, members[i].name, members[i].is);
	if (r->present < kept || r->present > PTES)
		is_wrong(seen, "present", r->present);
	return r->present;
}

/*
 * Each table must have a record.  With @kept == 0 a table may be missing: PT_RECLAIM
 * frees a table that holds no page any more (mm/memory.c, 7.2).  Return: number of
 * present entries.
 */
static unsigned int check_tables(const struct answer *answer, unsigned int kept,
				 struct seen *seen)
{
	unsigned int nr = 0, present = 0;
	uint64_t last = 0;

	for (size_t i = 0; i < answer->nr_records; i++) {
		const struct ptaudit_table *r = &answer->records[i];

		if (r->type != PTAUDIT_TABLE || r->level != PTAUDIT_PTE)
			continue;
		if (r->start < FAR || r->start >= END || r->start % HUGE ||
		    r->start <= last)
			is_wrong(seen, "no table can start at", r->start);
		last = r->start;
		present += check_record(r, kept, seen);
		nr++;
	}
	if (kept && nr != NR_TABLES)
		is_wrong(seen, "tables", nr);
	return present;
}

/* Read the complete file as a string. */
static int read_all(int fd, char *data, size_t bytes, size_t *ret_bytes)
{
	ssize_t got = pread(fd, data, bytes - 1, 0);

	if (got < 0)
		return -errno;
	if ((size_t)got == bytes - 1)
		return -E2BIG;
	data[got] = '\0';
	*ret_bytes = (size_t)got;
	return 0;
}

static int read_table(int fd, unsigned int kept, struct seen *seen,
		      unsigned int *ret_present)
{
	static char data[64 * KIB];
	struct answer answer;
	int err = live_answer_at_once(fd, data, sizeof(data), &answer);

	if (err)
		return err;
	*ret_present = check_tables(&answer, kept, seen);
	live_answer_deinit(&answer);
	return 0;
}

static int read_pages(int fd, unsigned int kept, struct seen *seen,
		      unsigned int *ret_present)
{
	unsigned int nr_known = 0;
	struct pages_answer answer;
	uint64_t present;
	char text[4096];
	size_t bytes = 0;
	int err = read_all(fd, text, sizeof(text), &bytes);

	if (!err)
		err = live_pages_parse(text, &answer);
	if (err)
		return err;
	present = answer.nr[PTAUDIT_P_PRESENT];
	if (present < kept * NR_TABLES || present > PTES * NR_TABLES)
		is_wrong(seen, "present", present);
	for (unsigned int key = 0; key < PTAUDIT_NR_PAGES_KEYS; key++) {
		nr_known += answer.known[key];
		/* these depend on a page's reference counts, not on its entry */
		if (key == PTAUDIT_P_MAPPED_ONCE || key == PTAUDIT_P_INEXACT)
			continue;
		if (answer.nr[key] !=
		    (key == PTAUDIT_P_PRESENT || key == PTAUDIT_P_SHMEM ||
				     key == PTAUDIT_P_PTE_PAGES ?
			     present :
			     0))
			is_wrong(seen, live_pages_names[key], answer.nr[key]);
	}
	*ret_present = (unsigned int)present;
	/* each kernel lacks some keys, 5.10 five */
	return nr_known < PTAUDIT_NR_PAGES_KEYS - 5 ? -EPROTO : 0;
}

/* Return: 0, or -errno of a call that failed. */
static int read_on(const char *file, pid_t pid, unsigned int kept,
		   struct seen *seen)
{
	const uint64_t begin = now_ms();
	const bool is_pages = !strcmp(file, "pages");
	unsigned int before = 0, present = 0;
	char path[64], request[LIVE_REQUEST];
	int fd, err = 0;

	memset(seen, 0, sizeof(*seen));
	seen->least = PTES * NR_TABLES;
	snprintf(path, sizeof(path), LIVE_DEBUGFS "%s", file);
	live_make_request(request, pid, FAR, END);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	for (;;) {
		const uint64_t took = now_ms() - begin;

		if (seen->changes >= FEWEST_CHANGES ?
			    took >= (is_pages ? PAGES_MS : TABLES_MS) ||
				    seen->answers >= MOST_ANSWERS :
			    took >= PATIENCE_MS)
			break;
		seen->answers++;
		err = live_request(fd, request);
		if (!err)
			err = is_pages ? read_pages(fd, kept, seen, &present) :
					 read_table(fd, kept, seen, &present);
		if (err)
			break;
		seen->changes += seen->answers > 1 && present != before;
		before = present;
		seen->least = present < seen->least ? present : seen->least;
		seen->most = present > seen->most ? present : seen->most;
	}
	close(fd);
	return err;
}

/*
 * The number of bytes that one fault maps, at most the reach of one PTE table.  Source:
 * mm/memory.c, do_fault_around() and fault_around_bytes_set() (5.10 to 7.2).
 */
#define FAULT_AROUND "/sys/kernel/debug/fault_around_bytes"

FIXTURE(flip)
{
	struct target target;
	char fault_around[32];
};

FIXTURE_VARIANT(flip)
{
	struct shape shape;
};

FIXTURE_VARIANT_ADD(flip, half_given_back){ .shape = { .kept = PTES / 2 } };

/* A kernel that reclaims empty tables also changes the PMD entry. */
FIXTURE_VARIANT_ADD(flip, all_given_back){ .shape = { .kept = 0 } };

FIXTURE_SETUP(flip)
{
	ASSERT_EQ(0, live_check_environment());
	live_file(FAULT_AROUND, self->fault_around, sizeof(self->fault_around));
	ASSERT_EQ(0, live_set(FAULT_AROUND, "2097152"));
	ASSERT_EQ(0,
		  target_start(&self->target, build_flipping, &variant->shape));
}

FIXTURE_TEARDOWN(flip)
{
	target_stop(&self->target);
	live_set(FAULT_AROUND, self->fault_around);
}

static void read_file(struct __test_metadata *_metadata,
		      const struct target *target, unsigned int kept,
		      const char *file)
{
	struct seen seen;

	ASSERT_EQ(0, read_on(file, target->pid, kept, &seen));
	live_note("%s: %u answers, %u of them differ from the one before; "
		  "%u to %u entries were present",
		  file, seen.answers, seen.changes, seen.least, seen.most);
	EXPECT_EQ(0, seen.wrong);
	/* otherwise no answer met a change */
	EXPECT_LE(FEWEST_CHANGES, seen.changes);
}

TEST_F(flip, tables_shows_each_entry_as_present_or_none)
{
	read_file(_metadata, &self->target, variant->shape.kept, "tables");
}

TEST_F(flip, pages_shows_each_entry_as_present_or_none)
{
	read_file(_metadata, &self->target, variant->shape.kept, "pages");
}

TEST_HARNESS_MAIN
