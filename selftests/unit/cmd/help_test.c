// SPDX-License-Identifier: GPL-2.0-only
/* Help and lists of columns: their content, and that they fit a screen. */
#include "cmd/help.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/syntax.h"
#include "support/check.h"
#include "support/printed.h"

#define SCREEN_LINES 45
#define SCREEN_COLUMNS 80

static char *text_of(void (*show)(const struct ptu_options *, FILE *),
		     struct ptu_options options)
{
	return OUTPUT_OF(show(&options, out));
}

static char *help_of(enum ptu_command command)
{
	return text_of(ptu_help, (struct ptu_options){ .command = command,
						       .is_named = true });
}

static bool fits(const char *text)
{
	unsigned int nr_lines = 0;

	while (*text) {
		size_t length = strcspn(text, "\n");

		if (length > SCREEN_COLUMNS) {
			printf("# line is too long: %.*s\n", (int)length, text);
			return false;
		}
		nr_lines++;
		text += length + 1;
	}
	if (nr_lines > SCREEN_LINES)
		printf("# text has %u lines: shorten it to SCREEN_LINES, %u, or raise that\n",
		       nr_lines, SCREEN_LINES);
	return nr_lines && nr_lines <= SCREEN_LINES;
}

static void each_command(void)
{
	char *all = text_of(ptu_help, (struct ptu_options){ 0 });

	check(fits(all), "list_of_commands_fits_a_screen");
	for (unsigned int i = 0; i < PTU_NR_COMMANDS; i++) {
		const char *name = ptu_command_table[i].name;
		char *text = help_of(i), line[64];

		snprintf(line, sizeof(line), "\n %s ", name);
		check(strstr(all, line) != NULL, "list_of_commands_has_%s",
		      name);
		check(strstr(text, ptu_command_table[i].summary) && fits(text),
		      "help_of_%s_fits_a_screen", name);
	}
}

/*
 * Does a line of the texts start with this word, as the row of an option or a column
 * does?
 */
static bool has_row(const char *text, const char *word)
{
	size_t length = strlen(word);

	for (text = strstr(text, word); text; text = strstr(text + 1, word)) {
		if (text[-1] == ' ' && text[length] == ' ')
			return true;
	}
	return false;
}

static void own_options(void)
{
	char *all = text_of(ptu_help, (struct ptu_options){ 0 });
	char *load = help_of(PTU_CMD_LOAD);
	char *check_help = help_of(PTU_CMD_CHECK);
	char *top = help_of(PTU_CMD_TOP);

	check(has_row(load, "--module") && !has_row(load, "--all") &&
		      !has_row(load, "--json"),
	      "help_of_load_has_its_options_alone");
	check(has_row(check_help, "--orphans") &&
		      !has_row(check_help, "--ranges") &&
		      !has_row(check_help, "--module"),
	      "help_of_check_has_its_options_alone");
	check(has_row(all, "--help") && has_row(all, "--version") &&
		      !has_row(all, "--json"),
	      "list_of_commands_has_options_of_all_alone");
	check(strstr(check_help,
		     "last one of pagemap, scan and written that") != NULL,
	      "help_of_check_has_each_estimator_that_can_be_the_default");
	check(strstr(check_help, "\n naive ") && !strstr(load, "naive"),
	      "estimators_stand_with_the_commands_that_take_them");
	check(strstr(check_help, "module, bpf, both or auto") &&
		      strstr(top, "module, bpf or auto"),
	      "truth_both_stands_with_the_commands_that_take_it");
	check(strstr(check_help, "--estimator NAME,...") &&
		      strstr(top, "--estimator NAME  "),
	      "several_estimators_stand_with_the_commands_that_take_them");
}

static void columns(void)
{
	char *of_check = text_of(ptu_help_columns,
				 (struct ptu_options){
					 .command = PTU_CMD_CHECK });
	char *of_pages = text_of(ptu_help_columns,
				 (struct ptu_options){ .command = PTU_CMD_CHECK,
						       .pages = true });
	char *of_estimate = text_of(ptu_help_columns,
				    (struct ptu_options){
					    .command = PTU_CMD_ESTIMATE });

	check(has_row(of_check, "KERNEL") && !has_row(of_check, "RESIDUAL"),
	      "columns_of_check_are_its_own");
	check(has_row(of_estimate, "RESIDUAL") &&
		      !has_row(of_estimate, "KERNEL"),
	      "columns_of_estimate_are_its_own");
	check(has_row(of_pages, "PROC") && !has_row(of_pages, "LEVEL"),
	      "columns_of_check_pages_are_its_own");
}

/* Each command whose table has --output must list its columns. */
static void every_table(void)
{
	for (unsigned int i = 0; i < PTU_NR_COMMANDS; i++) {
		const struct ptu_command_row *row = &ptu_command_table[i];

		check(!(1u << i & (PTU_SHOWS | PTU_WATCHES)) == !row->columns,
		      "%s_has_columns_if_it_shows_a_table", row->name);
	}
}

int main(void)
{
	each_command();
	own_options();
	columns();
	every_table();
	return check_end();
}
