// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reads the command line.  Must not act on it, nor print but what --help
 * wants.
 */
#include "cmd/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "cmd/options_fit.h"

/* Commands that an option goes with. */
#define CHECKS (1u << PTU_CMD_CHECK)
#define ESTIMATES (1u << PTU_CMD_ESTIMATE)
#define LOADS (1u << PTU_CMD_LOAD)
#define FLAGS (1u << PTU_CMD_FLAGS)
#define GROUPS (PTU_MEASURES | PTU_FOOTPRINTS)
#define ALL (PTU_MEASURES | PTU_RECORDS | PTU_FOOTPRINTS)
#define ANY (~0u)

/* clang-format off */
static const struct {
	const char *name;
	enum ptu_command command;
	const char *help;
} commands[] = {
	{ "check", PTU_CMD_CHECK,
	  "compare the kernel's page tables with an estimate (the default)" },
	{ "estimate", PTU_CMD_ESTIMATE,
	  "estimate page tables from /proc alone, without the module" },
	{ "cow", PTU_CMD_COW,
	  "which pages of private mappings are copies" },
	{ "flags", PTU_CMD_FLAGS,
	  "page flags of what the process maps, by name" },
	{ "kpagemap", PTU_CMD_KPAGEMAP,
	  "the module's array of page frames against /proc" },
	{ "footprint", PTU_CMD_FOOTPRINT,
	  "memory and tables of processes, each one and all as one" },
	{ "record", PTU_CMD_RECORD,
	  "write all that is read of processes into a directory" },
	{ "load", PTU_CMD_LOAD, "load the kernel module" },
	{ "unload", PTU_CMD_UNLOAD, "unload the kernel module" },
};

/* One table for getopt, the check of what goes together, and --help. */
static const struct {
	struct option option;
	unsigned int goes_with;
	const char *argument;
	const char *help;
} known[] = {
	{ { "all", no_argument, NULL, 'a' }, ALL, NULL, "every process" },
	{ { "user", required_argument, NULL, 'U' }, GROUPS, "NAME",
	  "every process of a user, by name or UID" },
	{ { "cgroup", required_argument, NULL, 'C' }, GROUPS, "PATH",
	  "every process of a cgroup (version 2), and of those below it" },
	{ { "require-all", no_argument, NULL, 'Q' }, ALL, NULL,
	  "fail if a process of these must not be read" },
	{ { "estimator", required_argument, NULL, 'e' }, PTU_MEASURES, "NAME,...",
	  "estimators to use, the first one for the comparison, or all;\n"
	  "                             a name with a / in it is a program of your own" },
	{ { "from", required_argument, NULL, 'F' }, PTU_MEASURES, "DIR",
	  "read a recording instead of /proc and the module" },
	{ { "to", required_argument, NULL, 'T' }, PTU_RECORDS, "DIR",
	  "where the recording goes; must be empty or not be there" },
	{ { "after", required_argument, NULL, 'A' }, PTU_MEASURES, "SECS",
	  "measure the command after so long, while it runs" },
	{ { "freeze", no_argument, NULL, 'f' }, PTU_MEASURES, NULL,
	  "stop each process while it is measured" },
	{ { "orphans", no_argument, NULL, 'P' }, CHECKS, NULL,
	  "walk also where no mapping is, and compare the two walks" },
	{ { "pages", no_argument, NULL, 'G' }, CHECKS, NULL,
	  "compare what is mapped, page by page, instead of page tables" },
	{ { "truth", required_argument, NULL, 'H' }, CHECKS, "WHICH",
	  "the kernel's side: the module, bpf, or auto, the first that works" },
	{ { "json", no_argument, NULL, 'J' }, PTU_SHOWS, NULL,
	  "use JSON output format" },
	{ { "raw", no_argument, NULL, 'r' }, PTU_SHOWS, NULL,
	  "use raw output format" },
	{ { "noheadings", no_argument, NULL, 'n' }, PTU_SHOWS, NULL,
	  "don't print headings" },
	{ { "output", required_argument, NULL, 'o' }, PTU_SHOWS, "[+]COLS",
	  "output columns" },
	{ { "output-all", no_argument, NULL, 'O' }, PTU_SHOWS, NULL,
	  "output all columns" },
	{ { "bytes", no_argument, NULL, 'b' }, PTU_SHOWS, NULL,
	  "print sizes in bytes" },
	{ { "mappings", no_argument, NULL, 'm' }, ESTIMATES, NULL,
	  "what is counted with each mapping" },
	{ { "ranges", no_argument, NULL, 'R' }, FLAGS, NULL,
	  "runs of pages with the same flags" },
	{ { "module", required_argument, NULL, 'M' }, LOADS, "FILE",
	  "the module to load" },
	{ { "help", no_argument, NULL, 'h' }, ANY, NULL,
	  "display this help" },
	{ { "version", no_argument, NULL, 'V' }, ANY, NULL,
	  "display version" },
};
/* clang-format on */

#define NR_KNOWN (sizeof(known) / sizeof(known[0]))
#define NR_COMMANDS (sizeof(commands) / sizeof(commands[0]))

/* The options that have a letter; the others are told by one, too. */
static const char letters[] = "+:ae:JrnOo:bmhV";

static bool has_letter(int letter)
{
	return !strchr("ACHMfFGPQRTU", letter);
}

static int parse_side(const char *word, enum ptu_side_choice *ret,
		      struct ptu_err *err)
{
	static const char *const words[] = { [PTU_SIDE_AUTO] = "auto",
					     [PTU_SIDE_MODULE] = "module",
					     [PTU_SIDE_BPF] = "bpf" };
	unsigned int i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(word, words[i]) != 0)
			continue;
		*ret = i;
		return 0;
	}
	return ptu_err_set(err, -EINVAL,
			   "unknown truth '%s'; there are module, bpf and auto",
			   word);
}

/* Give an option its effect. */
static int take(struct ptu_options *options, int letter, struct ptu_err *err)
{
	switch (letter) {
	case 'a':
		options->all = true;
		break;
	case 'e':
		options->estimators = optarg;
		break;
	case 'A':
		return ptu_parse_seconds(optarg, &options->after_ns, err);
	case 'f':
		options->freeze = true;
		break;
	case 'P':
		options->orphans = true;
		break;
	case 'G':
		options->pages = true;
		break;
	case 'H':
		return parse_side(optarg, &options->truth, err);
	case 'J':
		options->json = true;
		break;
	case 'r':
		options->render.raw = true;
		break;
	case 'n':
		options->render.no_headings = true;
		break;
	case 'o':
		options->render.columns = optarg;
		break;
	case 'O':
		options->render.all_columns = true;
		break;
	case 'b':
		options->render.bytes = true;
		break;
	case 'm':
		options->render.mappings = true;
		break;
	case 'R':
		options->ranges = true;
		break;
	case 'M':
		options->module_file = optarg;
		break;
	case 'F':
		options->from = optarg;
		break;
	case 'T':
		options->to = optarg;
		break;
	case 'U':
		options->user = optarg;
		break;
	case 'C':
		options->cgroup = optarg;
		break;
	case 'Q':
		options->require_all = true;
		break;
	case 'h':
		options->command = PTU_CMD_HELP;
		break;
	case 'V':
		options->command = PTU_CMD_VERSION;
		break;
	}
	return 0;
}

/* What getopt did not like: argv[optind - 1], or a letter in it. */
static int refuse(int what, char *argv[], struct ptu_err *err)
{
	const char *word = argv[optind - 1];
	bool is_long = !strncmp(word, "--", 2);

	if (what == ':' && is_long)
		return ptu_err_set(err, -EINVAL, "option %s wants an argument",
				   word);
	if (what == ':')
		return ptu_err_set(err, -EINVAL, "option -%c wants an argument",
				   optopt);
	if (optopt && !is_long)
		return ptu_err_set(err, -EINVAL,
				   "unknown option -%c; see ptaudit --help",
				   optopt);
	return ptu_err_set(err, -EINVAL, "%s option %s; see ptaudit --help",
			   optopt ? "no argument goes with" :
				    "unknown or ambiguous",
			   word);
}

/* A word that is no option: the command, or a PID. */
static int take_word(struct ptu_options *options, const char *word,
		     bool *has_command, struct ptu_err *err)
{
	pid_t pid = 0;
	int error;
	size_t i;

	if (!*has_command && !ptu_is_digits(word)) {
		for (i = 0; i < NR_COMMANDS; i++) {
			if (strcmp(word, commands[i].name) != 0)
				continue;
			options->command = commands[i].command;
			*has_command = true;
			return 0;
		}
		return ptu_err_set(err, -EINVAL,
				   "unknown command '%s'; there are check, estimate, cow, flags, kpagemap, footprint, record, load and unload",
				   word);
	}
	*has_command = true;
	if (options->nr_pids && 1u << options->command & PTU_PAGES &&
	    !options->range.is_given)
		return ptu_range_parse(word, &options->range, err);
	error = ptu_parse_pid(word, &pid, err);
	if (!error)
		options->pids[options->nr_pids++] = pid;
	return error;
}

/* Whether an option that was given goes with the command. */
static int check_fit(const struct ptu_options *options, const bool *given,
		     struct ptu_err *err)
{
	size_t i;

	for (i = 0; i < NR_KNOWN; i++) {
		if (given[i] && !(known[i].goes_with & 1u << options->command))
			return ptu_err_set(err, -EINVAL,
					   "option --%s does not go with the command %s",
					   known[i].option.name,
					   commands[options->command].name);
	}
	return ptu_options_fit(options, commands[options->command].name, err);
}

static size_t known_index(int letter)
{
	size_t i;

	for (i = 0; i < NR_KNOWN; i++) {
		if (known[i].option.val == letter)
			break;
	}
	return i;
}

static int parse(int argc, char *argv[], struct ptu_options *options,
		 struct ptu_err *err)
{
	struct option longs[NR_KNOWN + 1] = { 0 };
	bool given[NR_KNOWN] = { false };
	bool has_command = false;
	int error = 0;
	size_t i;

	for (i = 0; i < NR_KNOWN; i++)
		longs[i] = known[i].option;
	opterr = 0;
	while (!error && optind < argc) {
		int word = optind;
		int letter = getopt_long(argc, argv, letters, longs, NULL);

		if (letter == -1 && optind > word) { /* "--" */
			options->argv = argv + optind;
			break;
		} else if (letter == -1) {
			error = take_word(options, argv[optind++], &has_command,
					  err);
		} else if (letter == '?' || letter == ':') {
			error = refuse(letter, argv, err);
		} else {
			given[known_index(letter)] = true;
			error = take(options, letter, err);
			if (letter == 'h' || letter == 'V')
				return error;
		}
	}
	if (error)
		return error;
	if (argc < 2)
		return ptu_err_set(err, -EINVAL,
				   "nothing to do; see ptaudit --help");
	return check_fit(options, given, err);
}

int ptu_options_parse(int argc, char *argv[], struct ptu_options *ret,
		      struct ptu_err *err)
{
	struct ptu_options options = { .command = PTU_CMD_CHECK };
	int error;

	options.pids = calloc((size_t)argc + 1, sizeof(*options.pids));
	if (!options.pids)
		return ptu_err_set(err, -ENOMEM, "no memory for the arguments");
	error = parse(argc, argv, &options, err);
	if (error)
		ptu_options_deinit(&options);
	else
		*ret = options;
	return error;
}

void ptu_options_deinit(struct ptu_options *options)
{
	free(options->pids);
	options->pids = NULL;
	options->nr_pids = 0;
}

void ptu_options_help(FILE *out)
{
	size_t i;

	fputs("\nUsage:\n"
	      " ptaudit [check] [options] PID... | --all | --user NAME | --cgroup PATH\n"
	      " ptaudit [check] [options] -- COMMAND...\n"
	      " ptaudit check --pages [options] PID...\n"
	      " ptaudit estimate [options] PID... | --all | --user NAME | --cgroup PATH\n"
	      " ptaudit estimate [options] -- COMMAND...\n"
	      " ptaudit cow [options] PID [ADDR[-END]]\n"
	      " ptaudit flags [options] PID [ADDR[-END]]\n"
	      " ptaudit kpagemap [options]\n"
	      " ptaudit footprint [options] PID... | --all | --user NAME | --cgroup PATH\n"
	      " ptaudit record --to DIR PID... | --all\n"
	      " ptaudit check|estimate [options] --from DIR [PID...]\n"
	      " ptaudit load [--module FILE]\n"
	      " ptaudit unload\n"
	      "\nCount the page tables of processes, and check the count.\n"
	      "\nCommands:\n",
	      out);
	for (i = 0; i < NR_COMMANDS; i++)
		fprintf(out, " %-10s%s\n", commands[i].name, commands[i].help);
	fputs("\nOptions:\n", out);
	for (i = 0; i < NR_KNOWN; i++) {
		const struct option *option = &known[i].option;
		char name[32];

		snprintf(name, sizeof(name), "--%s%s%s", option->name,
			 known[i].argument ? " " : "",
			 known[i].argument ? known[i].argument : "");
		if (has_letter(option->val))
			fprintf(out, " -%c, %-22s%s\n", option->val, name,
				known[i].help);
		else
			fprintf(out, "     %-22s%s\n", name, known[i].help);
	}
}
