// SPDX-License-Identifier: GPL-2.0-only
/* Grouping the words of a recording into runs. */
#include "acquire/words.h"

#include <stdlib.h>

#include "support/unit.h"

#define FLAG (UINT64_C(1) << 55)

static char *text;
static size_t text_bytes;
static struct ptu_words_writer writer;

static void set_up(void)
{
	text = NULL;
	writer = (struct ptu_words_writer){
		.out = open_memstream(&text, &text_bytes)
	};
	if (!writer.out)
		abort();
}

static void tear_down(void)
{
	if (writer.out)
		fclose(writer.out);
	free(text);
}

static const char *written(const uint64_t *words, size_t nr_words)
{
	ptu_words_write(&writer, 0x10, words, nr_words);
	ptu_words_write_end(&writer);
	fclose(writer.out);
	writer.out = NULL;
	return text;
}

#define WRITTEN(...)                               \
	written((const uint64_t[]){ __VA_ARGS__ }, \
		sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

/* A line has index, number of words, first word, step. */
UNIT_TEST(evenly_increasing_words_are_one_run)
{
	CHECK_STR(WRITTEN(5, 7, 9, 0xb), "10 4 5 2\n");
	CHECK_EQ(writer.nr_words, 4);
}

UNIT_TEST(equal_words_are_one_run)
{
	CHECK_STR(WRITTEN(5, 5, 5), "10 3 5 0\n");
}

/* In the run of the first two words, whose step is 1, the third one would be a 7. */
UNIT_TEST(word_with_another_step_starts_a_run)
{
	CHECK_STR(WRITTEN(5, 6, 6), "10 2 5 1\n12 1 6 0\n");
}

UNIT_TEST(run_may_begin_with_the_last_word_of_another)
{
	CHECK_STR(WRITTEN(5, 6, 7, 7, 8), "10 3 5 1\n13 2 7 1\n");
}

UNIT_TEST(word_with_other_flags_starts_a_run)
{
	CHECK_STR(WRITTEN(5, FLAG | 6, FLAG | 7),
		  "10 1 5 0\n11 2 80000000000006 1\n");
}

UNIT_TEST(zero_ends_a_run)
{
	CHECK_STR(WRITTEN(5, 6, 0, 8), "10 2 5 1\n13 1 8 0\n");
	CHECK_EQ(writer.nr_words, 3);
}

UNIT_MAIN_WITH(set_up, tear_down)
