// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * List the words that can come next, from the tables used to parse the command line.
 * Must not measure.  An invalid command line has no next word and gives no message.
 */
#include "cmd/complete.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <wctype.h>

#include "acquire/procfs.h"
#include "acquire/recording.h"
#include "base/escape.h"
#include "base/names.h"
#include "cmd/group.h"
#include "cmd/help.h"
#include "cmd/syntax.h"
#include "estimate/estimator.h"
#include "report/top.h"

/* Commands that take several PIDs. */
#define MANY_PIDS \
	(PTU_MEASURES | PTU_FOOTPRINTS | PTU_GIVES | PTU_WATCHES | PTU_RECORDS)
#define ONE_PID (PTU_PAGES | PTU_TOPS | PTU_MAPS)

/**
 * struct line - a command line and its possible continuations
 * @options: result of the words so far, as far as they affect what may follow
 * @row: the option whose argument is next, or NULL
 * @nr_operands: words so far that are neither the command nor an option
 * @is_behind: "--" has appeared
 * @nr_behind: words after "--"
 * @typed: the incomplete last word
 * @skip: length of its prefix that every offer has: "--name=", or a list up to a comma
 * @offered: words that were already offered
 */
struct line {
	struct ptu_options options;
	const struct ptu_option_row *row;
	size_t nr_operands;
	bool is_behind;
	size_t nr_behind;
	const char *typed;
	size_t skip;
	struct ptu_names offered;
	FILE *out;
	bool failed;
};

static void offer(struct line *line, const char *word, const char *meaning)
{
	const size_t before = line->offered.nr;
	size_t at;

	if (!*word || ptu_names_keep(&line->offered, word, strlen(word), &at))
		line->failed |= *word != '\0';
	else if (line->offered.nr != before)
		fprintf(line->out, "%.*s%s%s%s\n", (int)line->skip, line->typed,
			word, meaning ? "\t" : "", meaning ? meaning : "");
}

static void offer_words(struct line *line, const char *const *words)
{
	for (; *words; words++)
		offer(line, *words, NULL);
}

/* The word is a list: complete the part after its last comma. */
static const char *in_list(struct line *line)
{
	const char *comma = strrchr(line->typed + line->skip, ',');

	if (comma)
		line->skip = (size_t)(comma + 1 - line->typed);
	fputs(":more\n", line->out);
	return line->typed + line->skip;
}

static void offer_estimators(struct line *line)
{
	size_t i;

	for (i = 0; ptu_estimators[i]; i++)
		offer(line, ptu_estimators[i]->name,
		      ptu_estimators[i]->summary);
}

static void estimators(struct line *line)
{
	if (!(1u << line->options.command & PTU_MEASURES)) {
		offer_estimators(line);
		return;
	}
	if (strchr(in_list(line), '/')) {
		fputs(":list-of-files\n", line->out);
		return;
	}
	offer(line, "all", "all estimators");
	offer_estimators(line);
}

/* Parse a line of --list-columns: blanks, the name, blanks, the meaning. */
static void column(struct line *line, char *text)
{
	char *name = text + strspn(text, " ");
	char *end = name + strcspn(name, " ");
	const char *meaning = end + strspn(end, " ");

	*end = '\0';
	offer(line, name, meaning);
}

static void offer_columns(struct line *line)
{
	char *text = NULL, *rest = NULL, *at;
	size_t bytes;
	FILE *list = open_memstream(&text, &bytes);

	if (!list) {
		line->failed = true;
		return;
	}
	ptu_help_columns(&line->options, list);
	fclose(list);
	for (at = strtok_r(text, "\n", &rest); at;
	     at = strtok_r(NULL, "\n", &rest))
		column(line, at);
	free(text);
}

static void columns(struct line *line)
{
	line->skip += line->typed[line->skip] == '+';
	in_list(line);
	offer_columns(line);
}

static void sides(struct line *line)
{
	const bool both = 1u << line->options.command & PTU_BOTH_SIDES;
	size_t i;

	for (i = 0; ptu_side_words[i]; i++) {
		if (both || i != PTU_SIDE_BOTH)
			offer(line, ptu_side_words[i], NULL);
	}
}

static void groups(struct line *line)
{
	offer_words(line, ptu_group_words);
}

static void levels(struct line *line)
{
	unsigned int level;

	in_list(line);
	for (level = 0; level < PTAUDIT_NR_LEVELS; level++)
		offer(line, ptu_level_name(level), NULL);
}

static void orders(struct line *line)
{
	const enum ptu_top_kind kind = line->nr_operands ? PTU_TOP_MAPPINGS :
				       line->options.by	 ? PTU_TOP_GROUPS :
							   PTU_TOP_PROCESSES;
	size_t i;

	if (line->options.command != PTU_CMD_TOP) {
		offer_columns(line);
		return;
	}
	for (i = 0; ptu_top_order_name(kind, i); i++)
		offer(line, ptu_top_order_name(kind, i), NULL);
}

static void each_process(struct line *line,
			 void (*found)(struct line *line,
				       const struct ptu_proc *proc))
{
	pid_t *pids = NULL;
	size_t nr_pids = 0, i;

	if (line->options.from && ptu_recording_use(line->options.from, NULL))
		return;
	if (ptu_proc_list(&pids, &nr_pids, NULL))
		return;
	for (i = 0; i < nr_pids; i++) {
		struct ptu_proc proc;

		if (ptu_proc_open(pids[i], &proc, NULL))
			continue;
		if (!proc.kthread)
			found(line, &proc);
		ptu_proc_close(&proc);
	}
	free(pids);
}

static void pid(struct line *line, const struct ptu_proc *proc)
{
	char number[16], comm[PTU_ESCAPE_BYTES(sizeof(proc->comm))];

	snprintf(number, sizeof(number), "%d", (int)proc->pid);
	offer(line, number, ptu_escape(proc->comm, true, comm, sizeof(comm)));
}

/*
 * Replace blanks and characters that are special in a shell or an expression by ".".  End at
 * the first byte that is not part of a character: no expression matches it.  The expression
 * need not match the rest of the name.
 */
static void name(struct line *line, const struct ptu_proc *proc)
{
	char shown[sizeof(proc->comm)];
	const char *at = proc->comm;
	size_t used = 0;
	wchar_t c;
	int bytes;

	while (*at && (bytes = mbtowc(&c, at, MB_CUR_MAX)) > 0) {
		const bool is_plain = iswalnum((wint_t)c) ||
				      (bytes == 1 && strchr("-_:/@", *at));

		memcpy(shown + used, is_plain ? at : ".",
		       is_plain ? (size_t)bytes : 1);
		used += is_plain ? (size_t)bytes : 1;
		at += bytes;
	}
	shown[used] = '\0';
	offer(line, shown, NULL);
}

/* Offer the user, cgroup or unit of a process, if its name can be typed. */
static void group(struct line *line, const struct ptu_proc *proc)
{
	struct ptu_proc_status status;
	struct ptu_top_row row = { 0 };
	ptu_group_of group_of;
	char found[256];
	size_t i;

	if (ptu_group_choose(line->row->name, &group_of, NULL) ||
	    ptu_proc_status(proc, &status, NULL))
		return;
	row.uid = status.uid;
	group_of(proc, &row, found);
	for (i = 0; found[i]; i++) {
		if (!isgraph((unsigned char)found[i]))
			return;
	}
	if (strcmp(found, "-") != 0)
		offer(line, found, NULL);
}

static void by_group(struct line *line)
{
	each_process(line, group);
}

static void names(struct line *line)
{
	each_process(line, name);
}

static void files(struct line *line)
{
	fputs(":files\n", line->out);
}

static void directories(struct line *line)
{
	fputs(":dirs\n", line->out);
}

/* Completions for the arguments of options; numbers have none. */
static const struct {
	const char *option;
	void (*offer)(struct line *line);
} arguments[] = {
	{ "by", groups },
	{ "cgroup", by_group },
	{ "estimator", estimators },
	{ "from", directories },
	{ "html", files },
	{ "levels", levels },
	{ "module", files },
	{ "name", names },
	{ "openmetrics", files },
	{ "output", columns },
	{ "sort", orders },
	{ "to", directories },
	{ "truth", sides },
	{ "unit", by_group },
	{ "user", by_group },
};

static void argument(struct line *line)
{
	size_t i;

	for (i = 0; i < sizeof(arguments) / sizeof(arguments[0]); i++) {
		if (!strcmp(arguments[i].option, line->row->name))
			arguments[i].offer(line);
	}
}

/* Find the command's option by its letter, or by the name before a "=". */
static const struct ptu_option_row *find(const struct line *line, char letter,
					 const char *long_name)
{
	const size_t length = long_name ? strcspn(long_name, "=") : 0;
	size_t i;

	for (i = 0; i < ptu_nr_options; i++) {
		const struct ptu_option_row *row = &ptu_option_table[i];

		if (row->goes_with & 1u << line->options.command &&
		    (long_name ?
			     strlen(row->name) == length &&
				     !strncmp(row->name, long_name, length) :
			     row->letter && row->letter == letter))
			return row;
	}
	return NULL;
}

/*
 * Process a complete word of an option.  The option may affect what may follow; an invalid
 * argument does not.
 */
static void pass_option(struct line *line, const char *word)
{
	const struct ptu_option_row *row;
	const char *equals = strchr(word, '=');

	if (word[1] == '-') {
		row = find(line, 0, word + 2);
		if (row && row->argument && !equals)
			line->row = row;
		else if (row)
			ptu_option_take(&line->options, row,
					equals ? equals + 1 : NULL, NULL);
		return;
	}
	while (*++word) {
		row = find(line, *word, NULL);
		if (!row)
			continue;
		/* if the word has a rest, it is the argument */
		if (row->argument && !word[1])
			line->row = row;
		else
			ptu_option_take(&line->options, row, word + 1, NULL);
		if (row->argument)
			return;
	}
}

/* Behind the "--" of score are options and PIDs, behind that of others a command. */
static bool is_in_command(const struct line *line)
{
	return line->is_behind && line->options.command != PTU_CMD_SCORE;
}

static void pass(struct line *line, const char *word)
{
	unsigned int i;

	if (is_in_command(line)) {
		line->nr_behind++;
	} else if (line->row) {
		ptu_option_take(&line->options, line->row, word, NULL);
		line->row = NULL;
	} else if (!strcmp(word, "--")) {
		line->is_behind = true;
	} else if (word[0] == '-' && word[1]) {
		pass_option(line, word);
	} else if (!line->options.is_named && !line->nr_operands) {
		for (i = 0; i < PTU_NR_COMMANDS; i++) {
			if (strcmp(word, ptu_command_table[i].name) != 0)
				continue;
			line->options.command = i;
			line->options.is_named = true;
		}
		line->nr_operands += !line->options.is_named;
	} else {
		line->nr_operands++;
	}
}

static void options(struct line *line)
{
	size_t i;

	for (i = 0; i < ptu_nr_options; i++) {
		const struct ptu_option_row *row = &ptu_option_table[i];
		char word[40];

		snprintf(word, sizeof(word), "--%s", row->name);
		if (row->goes_with & 1u << line->options.command)
			offer(line, word, row->help);
	}
}

static void commands(struct line *line)
{
	unsigned int i;

	for (i = 0; i < PTU_NR_COMMANDS; i++)
		offer(line, ptu_command_table[i].name,
		      ptu_command_table[i].summary);
}

static void behind(struct line *line)
{
	if (1u << line->options.command & PTU_RUNS)
		fputs(line->nr_behind ? ":files\n" : ":commands\n", line->out);
}

static void operand(struct line *line)
{
	const unsigned int command = 1u << line->options.command;
	const bool is_first = !line->nr_operands;

	if (!line->options.is_named && is_first)
		commands(line);
	if (line->options.command == PTU_CMD_HELP && is_first)
		commands(line);
	if (command & PTU_SCORES && !line->is_behind) {
		offer(line, "all", "all estimators");
		offer_estimators(line);
		fputs(":files\n", line->out);
	}
	if (command & MANY_PIDS || (command & ONE_PID && is_first) ||
	    (command & PTU_SCORES && (line->options.from || line->is_behind)) ||
	    (command & PTU_DIFFS && line->nr_operands < 2)) {
		each_process(line, pid);
		if (!line->options.from)
			offer(line, "self", "ptaudit itself");
	}
	if (command & PTU_DIFFS && line->nr_operands < 2)
		directories(line);
}

int ptu_complete(char *words[], size_t nr_words, FILE *out)
{
	struct line line = { .options = { .command = PTU_CMD_CHECK },
			     .typed = nr_words ? words[nr_words - 1] : "",
			     .out = out };
	const char *equals = strchr(line.typed, '=');
	size_t i;

	for (i = 0; i + 1 < nr_words; i++)
		pass(&line, words[i]);
	if (!is_in_command(&line) && !line.row &&
	    !strncmp(line.typed, "--", 2) && equals) {
		line.row = find(&line, 0, line.typed + 2);
		if (line.row && line.row->argument) {
			line.skip = (size_t)(equals + 1 - line.typed);
			argument(&line);
		}
	} else if (is_in_command(&line)) {
		behind(&line);
	} else if (line.row) {
		argument(&line);
	} else if (line.typed[0] == '-') {
		options(&line);
	} else {
		operand(&line);
	}
	ptu_names_deinit(&line.offered);
	return line.failed ? 2 : 0;
}
