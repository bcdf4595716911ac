// SPDX-License-Identifier: GPL-2.0-only
/* The reader of text files passes on complete lines of any length. */
#include "acquire/file.h"

#include <errno.h>
#include <stdlib.h>

#include "support/tree.h"
#include "support/unit.h"

/* Longer than one read. */
#define LONG 200000

static char *expected, *got;
static size_t bytes, got_bytes;
static unsigned int nr_parts, nr_cut;
static int answer;

static void set_up(void)
{
	tree_make();
	expected = calloc(1, 4 * LONG);
	got = calloc(1, 4 * LONG);
	if (!expected || !got)
		abort();
	bytes = got_bytes = 0;
	nr_parts = nr_cut = 0;
	answer = 0;
}

static void tear_down(void)
{
	tree_remove();
	free(expected);
	free(got);
}

static void add(const char *end, size_t length)
{
	memset(expected + bytes, 'a', length);
	bytes += length;
	strcpy(expected + bytes, end);
	bytes += strlen(end);
}

static int take(void *arg, const char *lines)
{
	size_t length = strlen(lines);

	if (arg != &answer || !length)
		abort();
	nr_parts++;
	nr_cut += lines[length - 1] != '\n';
	strcpy(got + got_bytes, lines);
	got_bytes += length;
	return answer;
}

static int lines_of_file(void)
{
	tree_write_bytes("f", expected, bytes);
	return ptu_file_lines(tree_fd, "f", take, &answer);
}

UNIT_TEST(line_that_is_longer_than_a_read_is_not_cut)
{
	add("\n", 10);
	add("\n", LONG);
	add("\n", LONG + 1);
	add("\n", 20);
	CHECK_EQ(lines_of_file(), 0);
	CHECK_EQ(nr_cut, 0);
	CHECK_EQ(got_bytes, bytes);
	CHECK(!memcmp(got, expected, bytes));
	CHECK(nr_parts > 1);
}

UNIT_TEST(only_the_end_of_the_file_may_lack_its_line_end)
{
	add("\n", LONG);
	add("", 5);
	CHECK_EQ(lines_of_file(), 0);
	CHECK_EQ(nr_cut, 1);
	CHECK_EQ(got[got_bytes - 1], 'a');
	CHECK_EQ(got_bytes, bytes);
	CHECK(!memcmp(got, expected, bytes));
}

UNIT_TEST(empty_file_has_no_lines)
{
	CHECK_EQ(lines_of_file(), 0);
	CHECK_EQ(nr_parts, 0);
}

UNIT_TEST(nul_is_an_error)
{
	add("\n", 5);
	expected[2] = '\0';
	CHECK_EQ(lines_of_file(), -EIO);
	CHECK_EQ(nr_parts, 0);
}

UNIT_TEST(error_of_the_reader_ends_the_file)
{
	add("\n", 10);
	add("\n", LONG);
	answer = -ENOMEM;
	CHECK_EQ(lines_of_file(), -ENOMEM);
	CHECK_EQ(nr_parts, 1);
}

UNIT_TEST(missing_file_is_an_error)
{
	CHECK_EQ(ptu_file_lines(tree_fd, "g", take, &answer), -ENOENT);
}

UNIT_MAIN_WITH(set_up, tear_down)
