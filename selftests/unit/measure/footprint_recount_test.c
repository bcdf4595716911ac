// SPDX-License-Identifier: GPL-2.0-only
/* Which map counts are read again at the end.  The test is kpagecount. */
#include "measure/footprint_recount.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "acquire/file.h"
#include "acquire/words.h"
#include "model/pagemap.h"
#include "support/unit.h"

#define PAGE UINT64_C(4096)

static struct ptu_footprint footprint;
static struct ptu_err err;
static int open_error, read_error;
static unsigned int nr_open, nr_reads;
static uint64_t counts[3 * PTU_FRAME_USES_CHUNK];
static size_t nr_counts;

int ptu_words_open(int dirfd, const char *name, struct ptu_words *ret)
{
	if (dirfd != PTU_PROC_ROOT || strcmp(name, "kpagecount") != 0)
		abort();
	*ret = (struct ptu_words){ .fd = 7 };
	nr_open += !open_error;
	return open_error;
}

ssize_t ptu_words_read(const struct ptu_words *file, uint64_t index,
		       uint64_t *words, size_t nr_words)
{
	if (file->fd != 7 || index > nr_counts)
		abort();
	nr_reads++;
	if (nr_words > nr_counts - index)
		nr_words = nr_counts - index;
	memcpy(words, counts + index, nr_words * sizeof(*words));
	return read_error ? read_error : (ssize_t)nr_words;
}

void ptu_words_close(struct ptu_words *file)
{
	nr_open--;
}

static void map(uint64_t pfn, uint64_t count)
{
	const struct ptu_page page = { .word = PTU_PM_PRESENT | pfn,
				       .count = count };

	if (ptu_footprint_add(&footprint, &page, 0))
		abort();
}

static void set_up(void)
{
	memset(counts, 0, sizeof(counts));
	nr_counts = 3 * PTU_FRAME_USES_CHUNK;
	open_error = read_error = 0;
	nr_open = nr_reads = 0;
	err.text[0] = '\0';
	ptu_footprint_init(&footprint, PAGE, false);
}

static void tear_down(void)
{
	ptu_footprint_deinit(&footprint);
}

static int recount(struct ptu_footprint_sum *ret)
{
	int error = ptu_footprint_recount_all(&footprint, &err);

	ptu_footprint_set(&footprint, ret);
	if (nr_open)
		UNIT_FAIL("kpagecount is still open");
	return error;
}

UNIT_TEST(only_pages_whose_counted_mappings_were_all_seen_are_counted_again)
{
	struct ptu_footprint_sum sum;

	for (unsigned int i = 0; i < 2; i++) {
		CHECK_EQ(ptu_footprint_begin(&footprint), 0);
		map(1, 2);
		map(2, 2);
		map(63, 2);
		/* frames 64 to 127 need not be counted again */
		map(64 + i, 1);
		map(70, 3);
		map(130, 2);
		map(131, 2); /* beyond the end of RAM */
	}
	counts[1] = 2;
	counts[2] = counts[63] = counts[130] = counts[131] = 3;
	nr_counts = 131;
	CHECK_EQ(recount(&sum), 0);
	CHECK_EQ(nr_reads, 2);
	CHECK_EQ(sum.grown_bytes, 3 * PAGE);
	CHECK_EQ(sum.uss_bytes, 4 * PAGE);
}

UNIT_TEST(counts_that_cannot_be_read_are_an_error)
{
	struct ptu_footprint_sum sum;

	/* no process was read, perhaps because the kernel has no kpagecount */
	open_error = -ENOENT;
	CHECK_EQ(recount(&sum), 0);
	CHECK_EQ(ptu_footprint_begin(&footprint), 0);
	map(1, 2);
	map(1, 2);
	CHECK_EQ(recount(&sum), -ENOENT);
	CHECK_STR(err.text,
		  "cannot read kpagecount: No such file or directory");
	open_error = 0;
	read_error = -EIO;
	err.text[0] = '\0';
	CHECK_EQ(recount(&sum), -EIO);
	CHECK_STR(err.text, "cannot read kpagecount: Input/output error");
}

UNIT_MAIN_WITH(set_up, tear_down)
