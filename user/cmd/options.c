// SPDX-License-Identifier: LGPL-2.1-or-later
/* Parse the command line.  Must not act on it, nor print. */
#include "cmd/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "base/parse.h"
#include "cmd/options_fit.h"
#include "cmd/syntax.h"

#define NS_PER_SEC 1000000000LL

/* Value of row 0 from getopt_long(): above all letters. */
#define ROW_BASE 256

/**
 * struct getopt_tables - the option table in the form for getopt_long()
 * @letters: "+:", then the letters
 * @longs: terminated by one without a name
 */
struct getopt_tables {
	char letters[2 + 2 * PTU_MAX_OPTIONS + 1];
	struct option longs[PTU_MAX_OPTIONS + 1];
};

static void fill_tables(struct getopt_tables *tables)
{
	char *letter;
	size_t i;

	memset(tables, 0, sizeof(*tables));
	letter = stpcpy(tables->letters, "+:");
	for (i = 0; i < ptu_nr_options; i++) {
		const struct ptu_option_row *row = &ptu_option_table[i];

		tables->longs[i].name = row->name;
		tables->longs[i].has_arg = row->argument ? required_argument :
							   no_argument;
		tables->longs[i].val = ROW_BASE + (int)i;
		if (!row->letter)
			continue;
		*letter++ = row->letter;
		if (row->argument)
			*letter++ = ':';
	}
}

/* Index of the row for a return value of getopt_long(). */
static size_t row_of(int found)
{
	size_t i = 0;

	if (found >= ROW_BASE)
		return (size_t)(found - ROW_BASE);
	while (ptu_option_table[i].letter != found)
		i++;
	return i;
}

/* Does the command accept an option of this name?  A name may have two rows. */
static bool goes_with(const char *name, enum ptu_command command)
{
	size_t i;

	for (i = 0; i < ptu_nr_options; i++) {
		if (!strcmp(ptu_option_table[i].name, name) &&
		    ptu_option_table[i].goes_with & 1u << command)
			return true;
	}
	return false;
}

/* The first option of the command that begins with the letter, or NULL. */
static const char *name_with(char letter, enum ptu_command command)
{
	size_t i;

	for (i = 0; i < ptu_nr_options; i++) {
		const char *name = ptu_option_table[i].name;

		if (*name == letter && goes_with(name, command))
			return name;
	}
	return NULL;
}

/* Report a word that no option, or more than one option, begins with. */
static int refuse_name(const char *word, const char *help, struct ptu_err *err)
{
	struct ptu_nearest nearest = { .word = word + 2 };
	size_t nr_begin = 0;
	size_t i;

	nearest.length = strcspn(nearest.word, "=");
	for (i = 0; i < ptu_nr_options; i++) {
		nr_begin += !strncmp(ptu_option_table[i].name, nearest.word,
				     nearest.length);
		ptu_nearest_try(&nearest, ptu_option_table[i].name);
	}
	if (nr_begin)
		return ptu_err_set(err, -EINVAL,
				   "%zu options begin with %.*s; %s", nr_begin,
				   (int)nearest.length + 2, word, help);
	if (nearest.name)
		return ptu_err_set(err, -EINVAL,
				   "unknown option %.*s; did you mean --%s?",
				   (int)nearest.length + 2, word, nearest.name);
	return ptu_err_set(err, -EINVAL, "unknown option %.*s; %s",
			   (int)nearest.length + 2, word, help);
}

/* Report an error of getopt: in argv[optind - 1], or in a letter of it. */
static int refuse(int what, char *argv[], const struct ptu_options *options,
		  struct ptu_err *err)
{
	const char *word = argv[optind - 1];
	bool is_long = !strncmp(word, "--", 2);
	const char *name;
	char help[64] = "see ptaudit --help";

	if (options->is_named)
		snprintf(help, sizeof(help), "see ptaudit %s --help",
			 ptu_command_table[options->command].name);
	if (what == ':' && is_long)
		return ptu_err_set(err, -EINVAL, "option %s needs an argument",
				   word);
	if (what == ':')
		return ptu_err_set(err, -EINVAL, "option -%c needs an argument",
				   optopt);
	/* -p and --pid of other tools */
	if (!(1u << options->command & PTU_WITHOUT_PROCESSES) &&
	    (is_long ? !optopt && !strncmp(word, "--pid", 5) : optopt == 'p'))
		snprintf(help, sizeof(help),
			 "PIDs are given without an option");
	else if (!is_long && (name = name_with((char)optopt, options->command)))
		snprintf(help, sizeof(help), "did you mean --%s?", name);
	if (!optopt)
		return refuse_name(word, help, err);
	if (!is_long)
		return ptu_err_set(err, -EINVAL, "unknown option -%c; %s",
				   optopt, help);
	return ptu_err_set(err, -EINVAL, "option %s takes no argument; %s",
			   word, help);
}

static int take_command(struct ptu_options *options, const char *word,
			struct ptu_err *err)
{
	struct ptu_nearest nearest = { .word = word, .length = strlen(word) };
	char hint[PTU_NEAREST_HINT];
	unsigned int i;

	for (i = 0; i < PTU_NR_COMMANDS; i++) {
		ptu_nearest_try(&nearest, ptu_command_table[i].name);
		if (strcmp(word, ptu_command_table[i].name) != 0)
			continue;
		/* the next word names the command */
		if (i == PTU_CMD_HELP) {
			options->help = true;
			return 0;
		}
		options->command = i;
		options->is_named = true;
		return 0;
	}
	return ptu_err_set(err, -EINVAL, "unknown command '%s'; %s", word,
			   ptu_nearest_hint(&nearest, "see ptaudit --help",
					    hint));
}

/*
 * Process a word that is not an option: the command, a PID, a range, or an
 * estimator.
 * @behind: it comes after "--"
 */
static int take_word(struct ptu_options *options, const char *word, bool behind,
		     struct ptu_err *err)
{
	pid_t pid = 0;
	int error;

	if (!options->is_named && !options->nr_pids && !ptu_is_digits(word) &&
	    strcmp(word, "self") != 0)
		return take_command(options, word, err);
	if (options->command == PTU_CMD_DIFF || options->diff) {
		if (options->nr_sides < 2)
			options->sides[options->nr_sides] = word;
		options->nr_sides++;
		return 0;
	}
	if (options->nr_pids && 1u << options->command & PTU_PAGES &&
	    !options->range.is_given)
		return ptu_range_parse(word, &options->range, err);
	if (options->command == PTU_CMD_SCORE && !behind &&
	    !ptu_is_digits(word)) {
		options->scored[options->nr_scored++] = word;
		return 0;
	}
	if (!strcmp(word, "self")) {
		pid = getpid();
		options->self = true;
		error = 0;
	} else if (!ptu_is_digits(word) &&
		   1u << options->command & PTU_WITHOUT_PROCESSES) {
		return ptu_err_set(err, -EINVAL,
				   "the command %s takes only options, not '%s'; see ptaudit %s --help",
				   ptu_command_table[options->command].name,
				   word,
				   ptu_command_table[options->command].name);
	} else if (!ptu_is_digits(word) &&
		   goes_with("name", options->command)) {
		return ptu_err_set(err, -EINVAL,
				   "'%s' is not a PID; --name chooses processes by their names",
				   word);
	} else {
		error = ptu_parse_pid(word, &pid, err);
	}
	if (!error)
		options->pids[options->nr_pids++] = pid;
	return error;
}

/* Check that the given options are valid for the command. */
static int check_fit(const struct ptu_options *options, const bool *given,
		     struct ptu_err *err)
{
	const char *command = ptu_command_table[options->command].name;
	size_t i;

	for (i = 0; i < ptu_nr_options; i++) {
		if (given[i] &&
		    !goes_with(ptu_option_table[i].name, options->command))
			return ptu_err_set(err, -EINVAL,
					   "option --%s does not go with the command %s",
					   ptu_option_table[i].name, command);
	}
	if (options->list_columns)
		return 0;
	return ptu_options_fit(options, command, err);
}

static int parse(int argc, char *argv[], struct ptu_options *options,
		 struct ptu_err *err)
{
	bool given[PTU_MAX_OPTIONS] = { false };
	struct getopt_tables tables;
	bool behind = false;
	int error = 0;

	fill_tables(&tables);
	opterr = 0;
	while (!error && optind < argc) {
		int word = optind;
		int found = getopt_long(argc, argv, tables.letters,
					tables.longs, NULL);

		if (found == -1 && optind > word && !behind &&
		    options->command == PTU_CMD_SCORE) {
			behind = true; /* PIDs follow the "--" of score */
		} else if (found == -1 && optind > word) { /* "--" */
			options->argv = argv + optind;
			break;
		} else if (found == -1) {
			error = take_word(options, argv[optind++], behind, err);
		} else if (found == '?' || found == ':') {
			error = refuse(found, argv, options, err);
		} else {
			given[row_of(found)] = true;
			error = ptu_option_take(options,
						&ptu_option_table[row_of(found)],
						optarg, err);
			/* a word that is no command: the general help */
			if (options->help && !options->is_named &&
			    optind < argc)
				(void)take_command(options, argv[optind], NULL);
			if (options->help || options->version)
				return error;
		}
	}
	if (error || options->help)
		return error;
	if ((options->command == PTU_CMD_WATCH || options->watch) &&
	    !options->interval_ns)
		options->interval_ns = NS_PER_SEC;
	if (argc < 2)
		return ptu_err_set(err, -EINVAL,
				   "nothing to do; see ptaudit --help");
	if (options->tree) {
		options->roots = options->pids;
		options->nr_roots = options->nr_pids;
		options->pids = NULL;
		options->nr_pids = 0;
	}
	return check_fit(options, given, err);
}

int ptu_options_parse(int argc, char *argv[], struct ptu_options *ret,
		      struct ptu_err *err)
{
	struct ptu_options options = { .command = PTU_CMD_CHECK,
				       .max_fill_bytes = PTU_MAX_FILL,
				       .count = SIZE_MAX };
	int error;

	options.pids = calloc((size_t)argc + 1, sizeof(*options.pids));
	options.scored = calloc((size_t)argc + 1, sizeof(*options.scored));
	if (!options.pids || !options.scored) {
		ptu_options_deinit(&options);
		return ptu_err_set(err, -ENOMEM, "no memory for the arguments");
	}
	error = parse(argc, argv, &options, err);
	if (error)
		ptu_options_deinit(&options);
	else
		*ret = options;
	return error;
}

bool ptu_options_is_group(const struct ptu_options *options)
{
	return options->all || options->user || options->cgroup ||
	       options->unit || options->name || options->tree;
}

void ptu_options_deinit(struct ptu_options *options)
{
	free(options->pids);
	options->pids = NULL;
	options->nr_pids = 0;
	free(options->roots);
	options->roots = NULL;
	options->nr_roots = 0;
	free(options->scored);
	options->scored = NULL;
	options->nr_scored = 0;
}
