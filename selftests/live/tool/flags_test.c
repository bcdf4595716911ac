// SPDX-License-Identifier: GPL-2.0-only
/* `ptaudit flags` on pages with known flags, and requests that `flags` and `cow` refuse. */
#define _GNU_SOURCE
#include <stdlib.h>

#include "fixtures/copies.h"

/* Eight written pages and three that were read, followed by a huge page. */
static pid_t build_flags(const struct shape *s)
{
	map_small(s->start, 16);
	live_touch(s->start, s->start + 8 * PAGE);
	for (unsigned int i = 8; i < 11; i++)
		read_page(s->start + i * PAGE);
	map_huge(s->start + HUGE, 1);
	live_touch(s->start + HUGE, s->start + HUGE + PAGE);
	must_be_huge(s->start + HUGE, 1);
	return become_nobody();
}

FIXTURE(flags)
{
	struct target target;
	struct tool_run run;
	char range[48];
};

FIXTURE_SETUP(flags)
{
	ASSERT_EQ(0, live_check_environment());
	ASSERT_EQ(0, target_start(&self->target, build_flags, &shape));
	snprintf(self->range, sizeof(self->range), "%lx-%lx", shape.start,
		 shape.start + 2 * HUGE);
}

FIXTURE_TEARDOWN(flags)
{
	target_stop(&self->target);
	live_run_deinit(&self->run);
}

static uint64_t pages_with(const json_t *root, const char *flag)
{
	json_t *row;
	size_t i;

	json_array_foreach(json_object_get(root, "flags"), i, row)
	{
		const char *name = json_string_value(
			json_object_get(row, "flag"));

		if (name && !strcmp(name, flag))
			return live_number(row, "pages");
	}
	return 0;
}

/* The sum of the values under a key, over an array. */
static uint64_t sum_of(const json_t *array, const char *key)
{
	uint64_t sum = 0;
	json_t *row;
	size_t i;

	json_array_foreach((json_t *)array, i, row)
		sum += live_number(row, key);
	return sum;
}

TEST_F_TIMEOUT(flags, pages_are_counted_by_flag, 120)
{
	json_t *root;

	ASSERT_EQ(0, run_tool(true, "flags", "--json", self->target.pid,
			      self->range, &self->run));
	ASSERT_EQ(0, self->run.status);
	root = json_loads(self->run.out, 0, NULL);
	ASSERT_NE(NULL, root);
	EXPECT_EQ(8 + 3 + 512, live_number(root, "pages"));
	EXPECT_EQ(8 + 3 + 512,
		  sum_of(json_object_get(root, "combinations"), "pages"));
	EXPECT_EQ(8 + 512, pages_with(root, "ANON"));
	EXPECT_EQ(8 + 512, pages_with(root, "MMAP"));
	EXPECT_EQ(3, pages_with(root, "ZERO_PAGE"));
	EXPECT_EQ(512, pages_with(root, "THP"));
	EXPECT_EQ(1, pages_with(root, "COMPOUND_HEAD"));
	EXPECT_EQ(511, pages_with(root, "COMPOUND_TAIL"));
	EXPECT_EQ(0, pages_with(root, "HUGE"));
	/* no page is merged, but the kpageflags of 6.12 has KSM for each anonymous page */
	EXPECT_EQ(live_system()->version == 6012 ? 8 + 512 : 0,
		  pages_with(root, "KSM"));
	EXPECT_EQ(live_system()->version == 6012,
		  json_is_true(json_object_get(root, "ksm_is_anon")));
	EXPECT_EQ(NULL, json_object_get(root, "ranges"));
	json_decref(root);
}

TEST_F_TIMEOUT(flags, runs_cover_the_pages, 120)
{
	const uint64_t huge = shape.start + HUGE;
	uint64_t at = shape.start, pages = 0;
	char number_text[16];
	json_t *root, *row;
	size_t i;

	snprintf(number_text, sizeof(number_text), "%d", self->target.pid);
	ASSERT_EQ(0, LIVE_RUN(&self->run, "flags", "--json", "--ranges",
			      number_text, self->range));
	ASSERT_EQ(0, self->run.status);
	root = json_loads(self->run.out, 0, NULL);
	ASSERT_NE(NULL, root);
	json_array_foreach(json_object_get(root, "ranges"), i, row)
	{
		uint64_t start = strtoull(json_string_value(
						  json_object_get(row,
								  "start")),
					  NULL, 16);

		EXPECT_EQ(start, at == shape.start + 11 * PAGE && at != start ?
					 huge :
					 at);
		at = strtoull(json_string_value(json_object_get(row, "end")),
			      NULL, 16);
		EXPECT_EQ((at - start) / PAGE, live_number(row, "pages"));
		pages += live_number(row, "pages");
	}
	EXPECT_EQ(huge + HUGE, at);
	EXPECT_EQ(8 + 3 + 512, pages);
	json_decref(root);
}

/* The output must be one sentence with exit status 2, and no figures. */
static int check_refusal(const struct tool_run *run, const char *word)
{
	int failures = differs("refusal", "exit status", (uint64_t)run->status,
			       2);

	if (!strstr(run->err, word) || run->out[0]) {
		live_note("the output has no sentence with '%s': %s%s", word,
			  run->err, run->out);
		failures++;
	}
	return failures;
}

TEST_F(flags, reading_flags_needs_root)
{
	ASSERT_EQ(0, run_tool(false, "flags", "--json", self->target.pid,
			      self->range, &self->run));
	EXPECT_EQ(0, check_refusal(&self->run, "root"));
}

TEST_F(flags, range_without_mappings_is_refused)
{
	ASSERT_EQ(0, run_tool(true, "cow", "--json", self->target.pid,
			      "0x100000000000", &self->run));
	EXPECT_EQ(0, check_refusal(&self->run, "nothing is mapped"));
}

TEST_F(flags, process_that_ended_is_refused)
{
	pid_t pid = self->target.pid;

	target_stop(&self->target);
	ASSERT_EQ(0, run_tool(true, "cow", "--json", pid, NULL, &self->run));
	EXPECT_EQ(0, check_refusal(&self->run, "no such process"));
}

TEST_F(flags, process_of_another_user_is_refused)
{
	ASSERT_EQ(0,
		  run_tool(false, "cow", "--json", getpid(), NULL, &self->run));
	EXPECT_EQ(0, check_refusal(&self->run, "not allowed"));
}

TEST_F(flags, kernel_thread_is_refused)
{
	ASSERT_EQ(0, run_tool(true, "cow", "--json", 2, NULL, &self->run));
	EXPECT_EQ(0, check_refusal(&self->run, "kernel thread"));
}

TEST_HARNESS_MAIN
