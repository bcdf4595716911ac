// SPDX-License-Identifier: GPL-2.0-only
/*
 * How ptaudit finds out what kpagecount counts: it maps memory and reads the counts of its page
 * frames, which the test defines.  The line in a recording that keeps the result.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void *fake_mmap(void *addr, size_t bytes, int prot, int how, int fd,
		       off_t at);
static int fake_munmap(void *addr, size_t bytes);
static int fake_madvise(void *addr, size_t bytes, int advice);

#define mmap fake_mmap
#define munmap fake_munmap
#define madvise fake_madvise
#include "acquire/page_caps.c"
#undef mmap
#undef munmap

#include "support/printed.h"
#include "support/unit.h"

#define PAGE 4096
#define NR 512
#define NR_HALF (NR / 2)
#define PFN 0x40000
#define COLLAPSE 25

enum file { PAGEMAP, FLAGS, COUNTS, NR_FILES };

/* The folio: where it is, and what the kernel shows of each page. */
static char *folio;
static uint64_t words[NR], flags[NR], counts[NR];
/* The advice after which the pages are in a large folio; 0: from the start; -1: never. */
static int large_after;
static bool is_large;
/* The first page is swapped out before the folio is made. */
static bool is_absent_before;
static int failing_advice;
static bool was_written;
static int nr_collapses, nr_open, nr_count_reads;
static int open_error[NR_FILES];
static size_t count_words;

/* The recording, if there is one. */
static const char *recorded;
static int read_error;

/* Distance of the memory from a multiple of the size of the folio, in bytes. */
static size_t offset = PAGE;
static char *room, *map;

static struct ptu_err err;

static void set_up(void)
{
	for (size_t i = 0; i < NR; i++) {
		words[i] = PTU_PM_PRESENT | PTU_PM_EXCLUSIVE | (PFN + i);
		flags[i] = i ? PTU_KPF_COMPOUND_TAIL : PTU_KPF_COMPOUND_HEAD;
		counts[i] = i < NR_HALF;
	}
	folio = NULL;
	large_after = MADV_HUGEPAGE;
	offset = PAGE;
	is_large = was_written = is_absent_before = false;
	failing_advice = -1;
	nr_collapses = nr_open = nr_count_reads = 0;
	memset(open_error, 0, sizeof(open_error));
	count_words = NR_HALF;
	recorded = NULL;
	read_error = 0;
	err.text[0] = '\0';
}

bool ptu_file_is_recording(void)
{
	return recorded != NULL;
}

int ptu_file_read(int dirfd, const char *name, size_t limit_bytes, char **ret)
{
	if (dirfd != PTU_PROC_ROOT || strcmp(name, "page-caps") || limit_bytes)
		return -EBADF;
	if (read_error)
		return read_error;
	*ret = strdup(recorded);
	return *ret ? 0 : -ENOMEM;
}

/* munmap() of one half of a complete folio. */
static void unmap_half(void *addr, size_t bytes)
{
	CHECK(addr == folio + NR_HALF * PAGE);
	CHECK_EQ(bytes, NR_HALF * PAGE);
	was_written = true;
	for (size_t i = 0; i < NR; i++)
		was_written &= folio[i * PAGE] == 1;
}

/* Fail if an address outside of the memory is used. */
static void *fake_mmap(void *addr, size_t bytes, int prot, int how, int fd,
		       off_t at)
{
	const size_t folio_bytes = NR * PAGE;

	if (bytes != 2 * folio_bytes)
		UNIT_FAIL("0x%zx bytes are mapped, not two folios", bytes);
	room = mmap(addr, bytes + 3 * folio_bytes, PROT_NONE, how, fd, at);
	if (room == MAP_FAILED)
		return room;
	map = room + folio_bytes +
	      (folio_bytes - (uintptr_t)room % folio_bytes) + offset;
	mprotect(map, bytes, prot);
	return map;
}

static int fake_munmap(void *addr, size_t bytes)
{
	if (addr != map || bytes != 2 * NR * PAGE)
		UNIT_FAIL("0x%zx bytes at %p are unmapped", bytes, addr);
	map = NULL;
	return munmap(room, 5 * NR * PAGE);
}

static int fake_madvise(void *addr, size_t bytes, int advice)
{
	if (advice == MADV_HUGEPAGE) {
		folio = addr;
		if (bytes != NR * PAGE || (uintptr_t)addr % (NR * PAGE))
			UNIT_FAIL("0x%zx bytes at %p are no folio", bytes,
				  addr);
	} else if (advice == COLLAPSE) {
		nr_collapses++;
		if (addr != folio || bytes != NR * PAGE)
			UNIT_FAIL("0x%zx bytes at %p are collapsed", bytes,
				  addr);
	} else {
		unmap_half(addr, bytes);
	}
	is_large |= advice == large_after;
	errno = EINVAL;
	return advice == failing_advice ? -1 : 0;
}

int ptu_words_open(int dirfd, const char *name, struct ptu_words *ret)
{
	static const char *const names[] = { "self/pagemap", "kpageflags",
					     "kpagecount" };
	int i = 0;

	while (i < NR_FILES && strcmp(name, names[i]))
		i++;
	if (dirfd != PTU_PROC_ROOT || i == NR_FILES)
		return -EBADF;
	if (open_error[i])
		return open_error[i];
	*ret = (struct ptu_words){ .fd = i };
	nr_open++;
	return 0;
}

void ptu_words_close(struct ptu_words *file)
{
	nr_open--;
}

ssize_t ptu_words_read(const struct ptu_words *file, uint64_t index,
		       uint64_t *ret, size_t nr_words)
{
	const uint64_t page = file->fd == PAGEMAP ?
				      index - (uintptr_t)folio / PAGE :
				      index - PFN;

	if (page >= NR || nr_words > NR - page)
		return 0;
	if (file->fd == COUNTS) {
		nr_count_reads++;
		if (page != NR_HALF || nr_words != NR_HALF)
			return -EINVAL;
		memcpy(ret, counts + page, count_words * sizeof(*ret));
		return (ssize_t)count_words;
	}
	if (file->fd == PAGEMAP && is_absent_before && !is_large && !page)
		*ret = PTU_PM_SWAP;
	else
		*ret = file->fd == PAGEMAP ? words[page] :
		       is_large		   ? flags[page] :
					     0;
	return nr_words == 1 ? 1 : -EINVAL;
}

/* Run the test of kpagecount. Fail if memory is still mapped or a file is open. */
static enum ptu_counts found(void)
{
	enum ptu_counts ret = 77;

	if (ptu_page_counts(PAGE, &ret, &err))
		UNIT_FAIL("no result: %s", err.text);
	if (nr_open)
		UNIT_FAIL("%d files are open", nr_open);
	if (map)
		UNIT_FAIL("the memory is still mapped");
	return ret;
}

UNIT_TEST(pages_that_were_unmapped_count_0)
{
	CHECK_EQ(found(), PTU_COUNTS_EXACT);
	CHECK(was_written);
	CHECK_EQ(nr_collapses, 0);
	CHECK_EQ(nr_count_reads, 1);
}

/* The folio is aligned, wherever the memory is. */
UNIT_TEST(the_folio_lies_within_the_memory)
{
	static const size_t offsets[] = { 0, PAGE, NR_HALF * PAGE,
					  (NR - 1) * PAGE };

	for (size_t i = 0; i < 4; i++) {
		set_up();
		offset = offsets[i];
		CHECK_EQ(found(), PTU_COUNTS_EXACT);
		CHECK(was_written);
	}
}

UNIT_TEST(an_average_is_not_0)
{
	for (size_t i = 0; i < NR; i++)
		counts[i] = 1;
	CHECK_EQ(found(), PTU_COUNTS_ROUNDED);
	/* the folio was split, and other processes map all pages but one */
	counts[NR_HALF] = 0;
	CHECK_EQ(found(), PTU_COUNTS_EXACT);
	counts[NR_HALF] = 1;
	counts[NR - 1] = 0;
	CHECK_EQ(found(), PTU_COUNTS_EXACT);
	/* the counts of the half that is still mapped decide nothing */
	counts[NR - 1] = 1;
	counts[NR_HALF - 1] = 0;
	CHECK_EQ(found(), PTU_COUNTS_ROUNDED);
}

UNIT_TEST(a_large_folio_can_be_made_by_collapse)
{
	large_after = COLLAPSE;
	CHECK_EQ(found(), PTU_COUNTS_EXACT);
	CHECK_EQ(nr_collapses, 1);
	set_up();
	large_after = COLLAPSE;
	is_absent_before = true;
	CHECK_EQ(found(), PTU_COUNTS_EXACT);
	set_up();
	large_after = -1;
	CHECK_EQ(found(), PTU_COUNTS_UNKNOWN);
	CHECK_EQ(nr_collapses, 1);
	CHECK_EQ(nr_count_reads, 0);
}

/* The pages are not one large folio. */
UNIT_TEST(without_a_large_folio_nothing_is_known)
{
	unsigned int way;

	for (way = 0; way < 8; way++) {
		set_up();
		switch (way) {
		case 0: /* the last page belongs to another folio */
			words[NR - 1] += 1;
			break;
		case 1:
			words[NR - 1] -= 1;
			break;
		case 2: /* the last page is a small page */
			flags[NR - 1] = PTU_KPF_ANON;
			break;
		case 3:
			flags[0] = PTU_KPF_ANON;
			break;
		case 4: /* pagemap shows no page frames */
			words[0] = words[NR - 1] = PTU_PM_PRESENT;
			break;
		case 5: /* the first page was swapped out */
			words[0] &= ~PTU_PM_PRESENT;
			break;
		case 6:
			open_error[PAGEMAP] = -EACCES;
			break;
		case 7:
			open_error[FLAGS] = -EACCES;
			break;
		}
		CHECK_EQ(found(), PTU_COUNTS_UNKNOWN);
		CHECK_EQ(nr_count_reads, 0);
		CHECK(!was_written);
	}
}

UNIT_TEST(without_counts_nothing_is_known)
{
	open_error[COUNTS] = -EACCES;
	CHECK_EQ(found(), PTU_COUNTS_UNKNOWN);
	set_up();
	count_words = NR_HALF - 1;
	CHECK_EQ(found(), PTU_COUNTS_UNKNOWN);
	set_up();
	failing_advice = MADV_DONTNEED;
	CHECK_EQ(found(), PTU_COUNTS_UNKNOWN);
	CHECK_EQ(nr_count_reads, 0);
}

static const struct {
	const char *text;
	struct ptu_page_caps caps;
} lines[] = {
	{ "ksm_is_anon 0 large_folio_counts unknown\n",
	  { false, PTU_COUNTS_UNKNOWN } },
	{ "ksm_is_anon 0 large_folio_counts exact\n",
	  { false, PTU_COUNTS_EXACT } },
	{ "ksm_is_anon 0 large_folio_counts rounded\n",
	  { false, PTU_COUNTS_ROUNDED } },
	{ "ksm_is_anon 1 large_folio_counts unknown\n",
	  { true, PTU_COUNTS_UNKNOWN } },
	{ "ksm_is_anon 1 large_folio_counts exact\n",
	  { true, PTU_COUNTS_EXACT } },
	{ "ksm_is_anon 1 large_folio_counts rounded\n",
	  { true, PTU_COUNTS_ROUNDED } },
};

/* A recording has the result for its kernel; no memory is mapped. */
UNIT_TEST(each_line_is_written_and_read)
{
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct ptu_page_caps caps = { .counts = 77 };
		enum ptu_counts got = 77;

		CHECK_STR(OUTPUT_OF(ptu_page_caps_record(&lines[i].caps, out)),
			  lines[i].text);
		recorded = lines[i].text;
		CHECK_EQ(ptu_page_caps_replay(&caps, &err), 0);
		CHECK_EQ(caps.ksm_is_anon, lines[i].caps.ksm_is_anon);
		CHECK_EQ(caps.counts, lines[i].caps.counts);
		CHECK_EQ(ptu_page_counts(PAGE, &got, &err), 0);
		CHECK_EQ(got, lines[i].caps.counts);
		CHECK(!folio);
	}
}

UNIT_TEST(another_line_is_damage)
{
	static const char *const bad[] = {
		"",
		"\n",
		"ksm_is_anon 1 large_folio_counts exact",
		"ksm_is_anon 1 large_folio_counts exact\n\n",
		"ksm_is_anon 2 large_folio_counts exact\n",
		"ksm_is_anon 1 large_folio_counts (null)\n",
		"ksm_is_anon 1 large_folio_counts rounde\n",
		"ksm_is_anon  1 large_folio_counts exact\n",
		"ksm_is_anon 1 large_folio_counts roundedrounded\n",
	};
	enum ptu_counts counted = 77;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		recorded = bad[i];
		err.text[0] = '\0';
		CHECK_EQ(ptu_page_counts(PAGE, &counted, &err), -EBADMSG);
		CHECK_STR(err.text,
			  "the recording is damaged: page-caps does not have the format that record writes");
		CHECK_EQ(counted, 77);
	}
}

UNIT_TEST(a_recording_without_the_line_is_refused)
{
	struct ptu_page_caps caps;

	recorded = "";
	read_error = -ENOENT;
	CHECK_EQ(ptu_page_caps_replay(&caps, &err), -ENODATA);
	CHECK(strstr(err.text, "record --pages"));
	err.text[0] = '\0';
	read_error = -EACCES;
	CHECK_EQ(ptu_page_caps_replay(&caps, &err), -EACCES);
	CHECK_STR(err.text,
		  "cannot read the recording's page-caps: Permission denied");
}

UNIT_MAIN_WITH(set_up, NULL)
