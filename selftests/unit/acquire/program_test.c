// SPDX-License-Identifier: GPL-2.0-only
/* Programs as estimators: which output is accepted, and when a program is ended. */
#define _GNU_SOURCE
#include "acquire/program.c"

#include <sys/stat.h>

#include "estimate/program.h"
#include "support/build.h"
#include "support/unit.h"

/* More time than any of these scripts needs; alarm() ends a test that hangs. */
#define AMPLE_S 600u
#define HANGS_S 300u

#define USER_END_4 (UINT64_C(1) << 47)
#define USER_END_5 (UINT64_C(1) << 56)

/* Parse one line.  Return: as ptu_program_parse().  @ret: the claim. */
static int parse(unsigned int levels, const char *line, struct ptu_table *ret)
{
	struct ptu_err err = { "" };
	struct ptu_tables set;
	struct build b;
	int error;

	build_init(&b, levels, false);
	ptu_tables_init(&set, &b.geo);
	error = ptu_program_parse(line, &set, NULL, &err);
	if (!error && set.nr_tables == 1)
		*ret = set.tables[0];
	if (!error && set.nr_tables != 1)
		error = -ENODATA;
	ptu_tables_deinit(&set);
	build_deinit(&b);
	return error;
}

UNIT_TEST(addresses_are_hexadecimal)
{
	static const char *const lines[] = {
		"pte 10000000\n",
		"pte 0x10000000",
		"  pte\t0x0010000000 \r\n",
		"\n# pte 0\n\npte 10000000\n",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct ptu_table table = { .start = 1 };

		CHECK_EQ(parse(4, lines[i], &table), 0);
		CHECK_EQ(table.start, 0x10000000);
		CHECK_EQ(table.level, PTAUDIT_PTE);
		CHECK_EQ(table.claim, PTU_CERTAIN);
	}
}

UNIT_TEST(an_address_in_a_table_is_that_table)
{
	struct ptu_table table = { .start = 1 };

	CHECK_EQ(parse(4, "pte 0x103fffff\n", &table), 0);
	CHECK_EQ(table.start, 0x10200000);
	CHECK_EQ(parse(4, "pmd 0x7fffffff\n", &table), 0);
	CHECK_EQ(table.start, 0x40000000);
}

UNIT_TEST(other_lines_are_refused)
{
	static const char *const lines[] = {
		"pte -1\n",    "pte +10\n",
		"pte\n",       "pte \n",
		"pte 0x\n",    "pte 1g\n",
		"pte 0x0x1\n", "pte 1 2\n",
		"pte 0x-1\n",  "ptx 0\n",
		"ptes 0\n",    "0x0 pte\n",
		"p4d 0\n",     "pte0\n",
		"pte 0x 1\n",  "pte 10000000000000000\n",
	};
	struct ptu_table table;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (parse(4, lines[i], &table) != -EINVAL)
			UNIT_FAIL("this line was accepted: %s", lines[i]);
}

UNIT_TEST(a_line_has_at_most_63_characters)
{
	struct ptu_table table;
	char line[80];

	snprintf(line, sizeof(line), "pte %59d\n", 200000);
	CHECK_EQ(strlen(line), 63 + 1);
	CHECK_EQ(parse(4, line, &table), 0);
	CHECK_EQ(table.start, 0x200000);
	snprintf(line, sizeof(line), "pte %60d\n", 200000);
	CHECK_EQ(parse(4, line, &table), -EINVAL);
}

UNIT_TEST(addresses_end_with_the_user_half)
{
	struct ptu_table table;
	char line[64];

	for (unsigned int levels = 4; levels <= 5; levels++) {
		uint64_t end = levels == 4 ? USER_END_4 : USER_END_5;

		snprintf(line, sizeof(line), "pte %llx\n",
			 (unsigned long long)end - 1);
		CHECK_EQ(parse(levels, line, &table), 0);
		CHECK_EQ(table.start, end - 2 * MIB);
		snprintf(line, sizeof(line), "pte %llx\n",
			 (unsigned long long)end);
		CHECK_EQ(parse(levels, line, &table), -EINVAL);
		CHECK_EQ(parse(levels, "pte 8000000000000000\n", &table),
			 -EINVAL);
		CHECK_EQ(parse(levels, "pte ffffffffffe00000\n", &table),
			 -EINVAL);
	}
}

UNIT_TEST(tables_may_be_in_any_order_and_named_twice)
{
	static const struct {
		uint64_t start;
		unsigned int level;
	} expected[] = {
		{ 0, PTAUDIT_PGD },	     { 0x200000, PTAUDIT_PTE },
		{ 0x40000000, PTAUDIT_PMD }, { 0x40000000, PTAUDIT_PTE },
		{ 0x40200000, PTAUDIT_PTE },
	};
	struct ptu_err err = { "" };
	struct ptu_tables set;

	ptu_tables_init(&set, &four_levels);
	CHECK_EQ(ptu_program_parse("pte 40200000\npte 40000000\n"
				   "pmd 40000000\npte 200000\n"
				   "pgd 0\npte 40200000\n",
				   &set, NULL, &err),
		 0);
	CHECK_EQ(set.nr_tables, 5);
	for (size_t i = 0; i < 5; i++) {
		CHECK_EQ(set.tables[i].start, expected[i].start);
		CHECK_EQ(set.tables[i].level, expected[i].level);
	}
	ptu_tables_deinit(&set);
}

/* Parse all lines.  Return: as ptu_program_parse().  @ret: the counts. */
static int parse_counts(const char *lines, struct ptu_stated *ret,
			size_t *nr_tables, struct ptu_err *err)
{
	struct ptu_tables set;
	struct build b;
	int error;

	build_init(&b, 4, false);
	ptu_tables_init(&set, &b.geo);
	err->text[0] = '\0';
	error = ptu_program_parse(lines, &set, ret, err);
	*nr_tables = set.nr_tables;
	ptu_tables_deinit(&set);
	build_deinit(&b);
	return error;
}

UNIT_TEST(counts_are_decimal_a_level_each)
{
	struct ptu_stated stated = { 0 };
	struct ptu_err err;
	size_t nr_tables;

	CHECK_EQ(parse_counts("# rss\n  pte\tcount  0012 \r\npgd count 0\n",
			      &stated, &nr_tables, &err),
		 0);
	CHECK_EQ(nr_tables, 0);
	CHECK_EQ(stated.stated, 1u << PTAUDIT_PTE | 1u << PTAUDIT_PGD);
	CHECK_EQ(stated.tables[PTAUDIT_PTE], 12);
	CHECK_EQ(stated.tables[PTAUDIT_PGD], 0);
	/* 2^48 */
	CHECK_EQ(parse_counts("pte count 281474976710656\n", &stated,
			      &nr_tables, &err),
		 0);
	CHECK_EQ(stated.tables[PTAUDIT_PTE], UINT64_C(1) << 48);
	CHECK_EQ(parse_counts("pte 0x200000\n", &stated, &nr_tables, &err), 0);
	CHECK_EQ(nr_tables, 1);
	CHECK_EQ(stated.stated, 0);
}

UNIT_TEST(other_counts_are_refused)
{
	static const struct {
		const char *lines;
		const char *says;
	} tests[] = {
		{ "pte count -1\n", "line 1 is neither" },
		{ "pte count +1\n", "line 1 is neither" },
		{ "pte count 1.5\n", "line 1 is neither" },
		{ "pte count 0x10\n", "line 1 is neither" },
		{ "pte count\n", "line 1 is neither" },
		{ "pte count \n", "line 1 is neither" },
		{ "pte counts 1\n", "line 1 is neither" },
		{ "pte count1\n", "line 1 is neither" },
		{ "p4d count 1\n", "line 1 names a level that this machine" },
		{ "count 1\n", "line 1 is neither" },
		{ "pte count 281474976710657\n", "line 1 is neither" },
		{ "pte count 18446744073709551617\n", "line 1 is neither" },
		{ "pte count 1\npte count 1\n", "line 2 counts a level" },
		{ "pte count 1\npmd 0\n", "line 2 mixes" },
		{ "pmd 0\npte count 1\n", "line 2 mixes" },
	};
	struct ptu_stated stated;
	struct ptu_err err;
	size_t nr_tables;

	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		if (parse_counts(tests[i].lines, &stated, &nr_tables, &err) !=
			    -EINVAL ||
		    !strstr(err.text, tests[i].says))
			UNIT_FAIL("not refused with '%s': %s: %s",
				  tests[i].says, tests[i].lines, err.text);
}

UNIT_TEST(output_that_states_nothing_is_refused)
{
	static const char *const texts[] = { "", "\n\n", "# nothing\n" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct ptu_stated stated;
		struct ptu_err err;
		size_t nr_tables;

		CHECK_EQ(parse_counts(texts[i], &stated, &nr_tables, &err),
			 -EINVAL);
		CHECK_STR(err.text,
			  "the program printed neither a table nor a count");
	}
}

UNIT_TEST(counts_are_refused_where_tables_are_wanted)
{
	struct ptu_table table;

	CHECK_EQ(parse(4, "pte count 1\n", &table), -EINVAL);
}

UNIT_TEST(a_refused_line_is_shown_without_controls)
{
	struct ptu_tables set;
	struct ptu_err err = { "" };
	struct build b;

	build_init(&b, 4, false);
	ptu_tables_init(&set, &b.geo);
	CHECK_EQ(ptu_program_parse("pgd 0\npte \33[2J\a\n", &set, NULL, &err),
		 -EINVAL);
	CHECK(strstr(err.text, "line 2 "));
	CHECK(strstr(err.text, ": pte \\x1b[2J\\x07"));
	build_deinit(&b);
}

/* Run a file with this contents as the estimator. */
static int run_file(const char *contents, unsigned int most_s, char **ret,
		    struct ptu_err *err)
{
	char path[] = "/tmp/program.XXXXXX";
	FILE *file = fdopen(mkstemp(path), "w");
	int error;

	fputs(contents, file);
	fchmod(fileno(file), 0700);
	fclose(file);
	err->text[0] = '\0';
	*ret = NULL;
	alarm(HANGS_S);
	error = ptu_program_run(path, 4242, most_s, ret, err);
	alarm(0);
	unlink(path);
	return error;
}

/* Run a shell script as the estimator. */
static int run(const char *script, unsigned int most_s, char **ret,
	       struct ptu_err *err)
{
	char contents[256];

	snprintf(contents, sizeof(contents), "#!/bin/sh\n%s\n", script);
	return run_file(contents, most_s, ret, err);
}

UNIT_TEST(complete_output_of_the_program_is_read)
{
	struct ptu_err err;
	char *text;

	CHECK_EQ(run("echo \"# $1\"; head -c 1000000 /dev/zero | tr '\\0' x",
		     AMPLE_S, &text, &err),
		 0);
	CHECK_EQ(strlen(text), 7 + 1000000);
	CHECK(!strncmp(text, "# 4242\nxxx", 10));
	free(text);
}

UNIT_TEST(output_without_an_end_of_line_or_none_is_taken)
{
	struct ptu_err err;
	char *text;

	CHECK_EQ(run("printf 'pgd 0'", AMPLE_S, &text, &err), 0);
	CHECK_STR(text, "pgd 0");
	free(text);
	CHECK_EQ(run("exec >&-", AMPLE_S, &text, &err), 0);
	CHECK_STR(text, "");
	free(text);
}

UNIT_TEST(the_program_does_not_read_the_input_of_the_tool)
{
	struct ptu_err err;
	char *text, rest[8];
	int fds[2], own = dup(STDIN_FILENO);

	CHECK(own >= 0 && !pipe(fds));
	CHECK_EQ(write(fds[1], "next\n", 5), 5);
	close(fds[1]);
	CHECK_EQ(dup2(fds[0], STDIN_FILENO), STDIN_FILENO);
	close(fds[0]);
	CHECK_EQ(run("cat; echo pgd 0", AMPLE_S, &text, &err), 0);
	CHECK_STR(text, "pgd 0\n");
	free(text);
	CHECK_EQ(read(STDIN_FILENO, rest, sizeof(rest)), 5);
	dup2(own, STDIN_FILENO);
	close(own);
}

UNIT_TEST(output_with_a_nul_is_refused)
{
	struct ptu_err err;
	char *text;

	CHECK_EQ(run("printf 'pgd 0\\n\\0pte 0\\n'", AMPLE_S, &text, &err),
		 -ECHILD);
	CHECK(strstr(err.text, "printed a NUL byte"));
}

UNIT_TEST(output_without_end_is_refused)
{
	struct ptu_err err;
	char *text;

	CHECK_EQ(run("exec yes '# x'", AMPLE_S, &text, &err), -ECHILD);
	CHECK(strstr(err.text, "printed more than 64 MiB"));
	CHECK_EQ(run("head -c 67108865 /dev/zero | tr '\\0' '#'", AMPLE_S,
		     &text, &err),
		 -ECHILD);
}

UNIT_TEST(a_program_that_does_not_end_is_killed)
{
	struct ptu_err err;
	char *text;

	CHECK_EQ(run("echo pgd 0; exec sleep 100000", 1, &text, &err), -ECHILD);
	CHECK(strstr(err.text, "longer than 1 seconds"));
	/* with SIGTERM, the test would not end */
	CHECK_EQ(run("trap '' TERM; exec >&-; exec sleep 100000", 1, &text,
		     &err),
		 -ECHILD);
	CHECK(strstr(err.text, "longer than 1 seconds"));
}

UNIT_TEST(output_ends_with_the_program_while_a_daemon_holds_the_pipe)
{
	struct ptu_err err;
	int error, daemon = 0;
	char *text;

	error = run("sleep 100000 & echo \"# $!\"", AMPLE_S, &text, &err);
	if (text && sscanf(text, "# %d\n", &daemon) == 1)
		kill(daemon, SIGKILL);
	free(text);
	CHECK_EQ(error, 0);
	CHECK(daemon > 0);
}

UNIT_TEST(a_program_that_fails_is_refused)
{
	struct ptu_err err;
	char *text;

	CHECK_EQ(run("echo pgd 0; exit 3", AMPLE_S, &text, &err), -ECHILD);
	CHECK(strstr(err.text, "exit status 3"));
	CHECK_EQ(run("kill -9 $$", AMPLE_S, &text, &err), -ECHILD);
	CHECK(strstr(err.text, "signal 9"));
}

/*
 * While SIGCHLD is ignored, the kernel keeps no status, so the program may have
 * failed.
 */
UNIT_TEST(a_program_without_a_status_is_refused)
{
	struct ptu_err err;
	int error;
	char *text;

	signal(SIGCHLD, SIG_IGN);
	error = run("echo pgd 0; exit 3", AMPLE_S, &text, &err);
	signal(SIGCHLD, SIG_DFL);
	CHECK_EQ(error, -ECHILD);
	CHECK(strstr(err.text, "cannot run /tmp/program."));
}

UNIT_TEST(a_file_that_cannot_be_executed_is_named_with_the_reason)
{
	struct ptu_err err;
	char *text = NULL;

	CHECK_EQ(run_file("echo pgd 0\n", AMPLE_S, &text, &err), -ECHILD);
	CHECK(strstr(err.text, "cannot run /tmp/program."));
	CHECK(strstr(err.text, ": Exec format error"));
	CHECK_EQ(run_file("#!/no/such/shell\n", AMPLE_S, &text, &err), -ECHILD);
	CHECK(strstr(err.text, ": No such file or directory"));
	err.text[0] = '\0';
	CHECK_EQ(ptu_program_run("/tmp", 1, AMPLE_S, &text, &err), -ECHILD);
	CHECK(strstr(err.text, "cannot run /tmp: Permission denied"));
}

UNIT_MAIN
