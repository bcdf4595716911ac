// SPDX-License-Identifier: LGPL-2.1-or-later
/* Print help from the tables of commands and options; must not know single ones. */
#include "cmd/help.h"

#include <string.h>

#include "cmd/syntax.h"
#include "estimate/estimator.h"
#include "render/render.h"
#include "render/tui/tui.h"

/* Print a line for each form of the command. */
static void show_usage(const char *usage, FILE *out)
{
	while (*usage) {
		size_t length = strcspn(usage, "\n");

		fprintf(out, " ptaudit %.*s\n", (int)length, usage);
		usage += length + (usage[length] == '\n');
	}
}

static void show_options(unsigned int commands, FILE *out)
{
	size_t i;

	fputs("\nOptions:\n", out);
	for (i = 0; i < ptu_nr_options; i++) {
		const struct ptu_option_row *row = &ptu_option_table[i];
		char letter[] = "-x,";
		char name[32];

		if ((row->goes_with & commands) != commands)
			continue;
		letter[1] = row->letter;
		snprintf(name, sizeof(name), "--%s%s%s", row->name,
			 row->argument ? " " : "",
			 row->argument ? row->argument : "");
		fprintf(out, " %3s %-21s %s\n", row->letter ? letter : "", name,
			row->help);
	}
}

static void show_estimators(FILE *out)
{
	size_t i;

	fputs("\nEstimators (default: the last one of pagemap, scan and written that works):\n",
	      out);
	for (i = 0; ptu_estimators[i]; i++)
		fprintf(out, " %-10s%s\n", ptu_estimators[i]->name,
			ptu_estimators[i]->summary);
	fputs(" ./PROGRAM any executable: gets the PID, prints lines of 'level address'\n",
	      out);
}

static void help_command(unsigned int command, FILE *out)
{
	const struct ptu_command_row *row = &ptu_command_table[command];
	int nr_columns;

	fputs("Usage:\n", out);
	show_usage(row->usage, out);
	fprintf(out, "\n%s: %s.\n", row->name, row->summary);
	show_options(1u << command, out);
	if (1u << command & (PTU_MEASURES | PTU_SCORES))
		show_estimators(out);
	if (1u << command & PTU_TOPS && ptu_tui_note())
		fprintf(out, "\n%s\n", ptu_tui_note());
	nr_columns = fprintf(out, "\nExit status: 0 done, %s%s%s2 failed",
			     row->status ? "1 " : "",
			     row->status ? row->status : "",
			     row->status ? ", " : "");
	/* after a long text the reference goes to a line of its own */
	fprintf(out, "%sman ptaudit-%s\n", nr_columns < 60 ? "; " : ".\n",
		row->name);
}

static void help_all(FILE *out)
{
	unsigned int i;

	fputs("Usage:\n"
	      " ptaudit COMMAND [options] [PROCESSES]\n"
	      " ptaudit [check] [options] PROCESSES\n"
	      "\nCount the page tables of processes, and check the count.\n"
	      "\nCommands:\n",
	      out);
	for (i = 0; i < PTU_NR_COMMANDS; i++)
		fprintf(out, " %-10s%s\n", ptu_command_table[i].name,
			ptu_command_table[i].summary);
	show_options(~0u, out);
	fputs("\nptaudit COMMAND --help shows the options of a command.\n"
	      "For more details see ptaudit(8).\n",
	      out);
}

void ptu_help(const struct ptu_options *options, FILE *out)
{
	if (options->is_named)
		help_command(options->command, out);
	else
		help_all(out);
}

void ptu_help_columns(const struct ptu_options *options, FILE *out)
{
	if (options->pages)
		ptu_render_totals_columns(out);
	else if (options->ranges)
		ptu_render_flag_runs_columns(out);
	else if (options->render.mappings)
		ptu_render_mapping_columns(out);
	else
		ptu_command_table[options->command].columns(out);
}
