// SPDX-License-Identifier: GPL-2.0-only
/* Completion offers exactly the words that the command line accepts at that place. */
#include "cmd/complete.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "cmd/syntax.h"
#include "support/check.h"
#include "support/printed.h"

#define MAX_WORDS 8

/*
 * Complete @line, whose words are separated by blanks; if it ends with a blank, the last
 * word is empty.  Return: "\n", then one line per offer.
 */
static char *offers(const char *line)
{
	char *copy = strdup(line), *words[MAX_WORDS], *at = copy;
	struct printed *text = printed_begin();
	size_t nr = 0;

	if (!copy)
		abort();
	while (at && nr < MAX_WORDS)
		words[nr++] = strsep(&at, " ");
	fputc('\n', text->out);
	if (ptu_complete(words, nr, text->out))
		abort();
	free(copy);
	return printed_end(text);
}

/* Is there a line with exactly this word, or with the word and its description? */
static bool offered(const char *text, const char *word)
{
	const size_t length = strlen(word);

	for (text = strchr(text, '\n'); text; text = strchr(text + 1, '\n')) {
		if (!strncmp(text + 1, word, length) &&
		    strchr("\t\n", text[1 + length]))
			return true;
	}
	return false;
}

/* @has, @lacks: one word each, or NULL */
static void line_offers(const char *line, const char *has, const char *lacks)
{
	char *text = offers(line);

	if (has)
		check(offered(text, has), "'%s'_offers_'%s'", line, has);
	if (lacks)
		check(!offered(text, lacks), "'%s'_offers_no_'%s'", line,
		      lacks);
}

static void line_offers_nothing(const char *line)
{
	char *text = offers(line);

	check(!strcmp(text, "\n"), "'%s'_offers_nothing", line);
}

static void commands_and_options(void)
{
	line_offers("", "whatif", "--all");
	line_offers("self ", NULL, "whatif");
	line_offers("help ", "whatif", "self");
	line_offers("help top ", NULL, "whatif");
	line_offers("estimate -", "--fill", "--orphans");
	line_offers("-", "--orphans", "--fill");
	line_offers("load --m", "--module", "--json");
	line_offers_nothing("unload ");
	line_offers_nothing("system ");
	line_offers_nothing("--nonsense=");
}

static void arguments(void)
{
	line_offers("check -o ", "KERNEL", "PROC");
	line_offers("check -o ", ":more", "--all");
	line_offers("check --pages -o ", "PROC", "LEVEL");
	line_offers("estimate -rno ", "RESIDUAL", "self");
	line_offers("estimate -oPID ", "self", "RESIDUAL");
	line_offers("estimate -o PID,RSS,", "PID,RSS,VMPTE", "VMPTE");
	line_offers("estimate -o +", "+PID", "PID");
	line_offers("estimate --output=+PID,", "--output=+PID,VMPTE", "VMPTE");
	line_offers("estimate --output=PID ", "self", "VMPTE");
	line_offers("flags -o ", "RAW", "START");
	line_offers("flags --ranges -o ", "START", "COPIED");
	line_offers("watch -o ", "GROWTH", "FILL");
	line_offers("top --sort ", "FILL", "START");
	line_offers("top 1 --sort ", "START", "COMM");
	line_offers("top --by user --sort ", "NAME", "START");
	line_offers("top --by=user --sort ", "NAME", "START");
	/* one column, so that nothing goes on behind it */
	line_offers("estimate --sort ", "RESIDUAL", ":more");
	line_offers("estimate --sort PID,", NULL, "PID,RSS");
	line_offers("whatif --sort ", "TAKES", "TOTAL");
	line_offers("estimate -m --sort ", "PERMS", "RESIDUAL");
	line_offers("top --by ", "cgroup", "pid");
	line_offers("check --truth ", "both", "pte");
	line_offers("top --truth ", "bpf", "both");
	line_offers("score --levels pte,", "pte,pud", ":files");
	line_offers("check -e ", "all", ":list-of-files");
	line_offers("check -e naive,", "naive,written", ":list-of-files");
	line_offers("top -e ", "written", "all");
	line_offers("map -e ", "written", ":more");
	line_offers("check -e naive,./x", ":list-of-files", "naive,written");
	line_offers("record --to ", ":dirs", ":files");
	line_offers("map --html ", ":files", "self");
	line_offers_nothing("watch --count ");
	/* this command does not have the option */
	line_offers("estimate --by ", "self", "unit");
}

static void processes(void)
{
	char own[32], word[80];

	snprintf(own, sizeof(own), "%d", (int)getpid());
	line_offers("check ", own, NULL);
	line_offers("check 1 ", own, NULL);
	line_offers("", own, NULL);
	line_offers("cow ", own, NULL);
	line_offers("cow 1 ", NULL, own);
	line_offers("top 1 ", NULL, own);
	line_offers("kpagemap ", NULL, own);
	line_offers("score naive ", "naive", own);
	line_offers("score ", "all\tall estimators", own);
	line_offers("score naive -- ", own, "naive");
	line_offers("score naive -- -", "--all", own);
	line_offers("score naive -- --truth ", "bpf", own);
	line_offers("score naive -- --truth=", "--truth=bpf", own);
	line_offers("score naive -- --freeze ", own, "naive");
	line_offers("check -- -", ":commands", "--all");
	line_offers("check -- ", ":commands", own);
	line_offers("check -- true ", ":files", ":commands");
	line_offers("watch -- ", ":commands", own);
	line_offers("diff ", ":dirs", NULL);
	line_offers("diff x ", own, NULL);
	line_offers("diff x 1 ", NULL, ":dirs");
	snprintf(word, sizeof(word), "%s\tcomplete_test", own);
	line_offers("check ", word, NULL);
	line_offers("check --name ", "complete_test", own);
	line_offers("check --unit ", NULL, "-");
	/* characters that are special in a shell or an expression */
	prctl(PR_SET_NAME, "an (odd) n-me");
	line_offers("check --name ", "an..odd..n-me", NULL);
	/* letters of the locale, as far as the kernel has not cut one */
	setlocale(LC_CTYPE, "C.UTF-8");
	prctl(PR_SET_NAME, "caf\xc3\xa9 \xc3\xa9\xc3\xa9");
	line_offers("check --name ", "caf\xc3\xa9.\xc3\xa9\xc3\xa9", NULL);
	prctl(PR_SET_NAME, "1\xd0\xb0\xd0\xb1\xd0\xb2 456789\xd0\xb3");
	line_offers("check --name ", "1\xd0\xb0\xd0\xb1\xd0\xb2.456789", NULL);
}

/* Each argument has offers or is a number. */
static void every_argument(void)
{
	for (size_t i = 0; i < ptu_nr_options; i++) {
		const struct ptu_option_row *row = &ptu_option_table[i];
		unsigned int command = 0;
		char line[64], *text;

		if (!row->argument || !strcmp(row->name, "unit") ||
		    !strcmp(row->name, "cgroup"))
			continue; /* machines may lack systemd */
		while (!(row->goes_with & 1u << command))
			command++;
		snprintf(line, sizeof(line), "%s --%s ",
			 ptu_command_table[command].name, row->name);
		text = offers(line);
		check((strcmp(text, "\n") != 0) ==
			      !strstr(" SECS SIZE RATE NUMBER ", row->argument),
		      "argument_of_%s_can_be_completed", row->name);
	}
}

/* Must run last: afterwards /proc is not read any more. */
static void recording(void)
{
	char own[32];

	snprintf(own, sizeof(own), "%d", (int)getpid());
	line_offers("check --from ../data/6.1/both ", "193", own);
	line_offers("check --from ../data/6.1/both ", NULL, "self");
	line_offers("score --from ../data/6.1/both naive ", "193", "self");
}

int main(void)
{
	commands_and_options();
	arguments();
	processes();
	every_argument();
	recording();
	return check_end();
}
