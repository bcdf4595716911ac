// SPDX-License-Identifier: GPL-2.0-only
/* The command line: what is accepted, and the messages for what is not. */
#include "cmd/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "cmd/choose.h"
#include "support/check.h"

#define ARGS(...)                            \
	(char *[])                           \
	{                                    \
		"ptaudit", __VA_ARGS__, NULL \
	}

static int parse(char *argv[], struct ptu_options *ret, struct ptu_err *err)
{
	int argc = 0;

	while (argv[argc])
		argc++;
	memset(err, 0, sizeof(*err));
	optind = 1;
	return ptu_options_parse(argc, argv, ret, err);
}

static bool refused(char *argv[], const char *says)
{
	struct ptu_options options;
	struct ptu_err err;

	if (parse(argv, &options, &err) != -EINVAL) {
		printf("# the arguments were accepted\n");
		return false;
	}
	if (strstr(err.text, says))
		return true;
	printf("# the message is: %s\n", err.text);
	return false;
}

static void refusals(void)
{
	check(refused((char *[]){ "ptaudit", NULL }, "--help"),
	      "refused: no arguments");
	check(refused(ARGS("foo"), "unknown command 'foo'"),
	      "refused: an unknown command");
	check(refused(ARGS("estmate", "1"), "did you mean 'estimate'?"),
	      "an_unknown_command_suggests_the_nearest");
	check(refused(ARGS("foo", "1"), "--help"),
	      "without_a_near_command_help_is_named");
	check(refused(ARGS("help", "estmate"), "did you mean 'estimate'?"),
	      "help_of_an_unknown_command_suggests_the_nearest");
	check(refused(ARGS("--estimater=naive", "1"),
		      "unknown option --estimater; did you mean --estimator?"),
	      "an_unknown_option_suggests_the_nearest");
	/* --output and --output-all */
	check(refused(ARGS("--out", "PID", "1"), "2 options begin with --out;"),
	      "an_ambiguous_option_is_told_from_an_unknown_one");
	check(refused(ARGS("load", "-H"), "does not go with"),
	      "refused: --list-columns of a command without a table");
	check(refused(ARGS("whatif", "--do", "1"), "does not go with"),
	      "refused: --do of whatif");
	check(refused(ARGS("reclaim"), "no process"),
	      "refused: reclaim without a process");
	check(refused(ARGS("reclaim", "--max-fill", "1x", "1"), "not a size"),
	      "refused: a size with an unknown suffix");
	check(refused(ARGS("reclaim", "--max-fill", "-1", "1"), "not a size"),
	      "refused: a negative size");
	check(refused(ARGS("reclaim", "--max-fill", "16777216T", "1"),
		      "not a size"),
	      "refused: a size above 64 bits");
	check(refused(ARGS("score", "--", "1"), "needs estimators"),
	      "refused: score without estimators");
	check(refused(ARGS("score", "naive"), "no process"),
	      "refused: score without processes");
	check(refused(ARGS("score", "naive", "--", "1", "--", "2"),
		      "after one --"),
	      "refused: score with two separators");
	check(refused(ARGS("score", "naive", "--", "1", "pagemap"),
		      "'pagemap' is not a PID"),
	      "refused: an estimator after the separator of score");
	check(refused(ARGS("score", "--levels", "pte,pxd", "naive", "1"),
		      "there are pte"),
	      "refused: an unknown level");
	check(refused(ARGS("score", "--levels", "pte,", "naive", "1"),
		      "there are pte"),
	      "refused: an empty level");
	check(refused(ARGS("check", "--levels", "pte", "1"),
		      "does not go with"),
	      "levels_are_for_score");
	check(refused(ARGS("check"), "no process"), "no process");
	check(refused(ARGS("check", "x"), "'x' is not a PID; --name"),
	      "a name for a PID");
	check(refused(ARGS("map", "x"), "PIDs are decimal numbers"),
	      "a name where no name is taken");
	check(refused(ARGS("map", "--watch", "-r", "1"),
		      "exclude --json, --raw and --tables"),
	      "refused: --watch and --raw of map");
	check(refused(ARGS("map", "--diff", "-r", "a", "b"),
		      "exclude --json, --raw and --tables"),
	      "refused: --diff and --raw of map");
	check(refused(ARGS("check", "-5"), "unknown option -5"), "negative");
	check(refused(ARGS("check", "1x"), "not a PID"), "trailing letter");
	check(refused(ARGS("0"), "out of range"), "PID 0");
	check(refused(ARGS("4194305"), "out of range"), "a PID too large");
	check(refused(ARGS("--from", "d", "--", "true"),
		      "cannot run a command"),
	      "refused: a command in a recording");
	check(refused(ARGS("--from", "d", "--freeze"), "cannot be frozen"),
	      "refused: --freeze of a recording");
	check(refused(ARGS("99999999999999999999"), "out of range"),
	      "refused: a PID above 64 bits");
	check(refused(ARGS("check", ""), "not a PID"), "refused: an empty PID");
	check(refused(ARGS("--all", "1"), "exclude"),
	      "refused: PIDs and --all");
	check(refused(ARGS("1", "--", "true"), "exclude"),
	      "refused: PIDs and a command");
	check(refused(ARGS("--all", "--", "true"), "exclude"),
	      "refused: --all and a command");
	check(refused(ARGS("check", "--"), "no command"),
	      "refused: no command after --");
	check(refused(ARGS("--after", "1", "1"), "--after"),
	      "refused: --after with a PID");
	check(refused(ARGS("--after", "0", "--", "true"), "above 0"),
	      "refused: --after 0");
	check(refused(ARGS("--after", "1s", "--", "true"), "above 0"),
	      "refused: --after with a unit");
	check(refused(ARGS("--after", "99999999999999999999", "--", "a"),
		      "year"),
	      "refused: --after above 64 bits");
	check(refused(ARGS("--after", "31622401", "--", "a"), "year"),
	      "refused: --after above 366 days");
	check(refused(ARGS("top", "-d", "0"), "--interval needs"),
	      "refused: --interval 0");
	check(refused(ARGS("top", "-d", "31622401"), "--interval"),
	      "refused: --interval above 366 days");
	check(refused(ARGS("top", "-e", "naive", "--truth", "bpf"), "--truth"),
	      "refused: top with an estimator and the kernel's side");
	check(refused(ARGS("top", "--truth", "both"), "shows one side"),
	      "refused: top with both kernel sides");
	check(refused(ARGS("check", "--truth", "both", "--orphans", "1"),
		      "exclude"),
	      "refused: --orphans with both kernel sides");
	check(refused(ARGS("watch"), "no process"),
	      "refused: watch without a process");
	check(refused(ARGS("diff"), "needs two"),
	      "refused: diff without arguments");
	check(refused(ARGS("diff", "a"), "needs two"),
	      "refused: diff of one recording");
	check(refused(ARGS("diff", "a", "b", "c"), "needs two"),
	      "refused: diff of three recordings");
	check(refused(ARGS("diff", "a", "--", "b"), "needs two"),
	      "refused: diff of a command");
	check(refused(ARGS("watch", "-c", "0", "1"), "--count '0'"),
	      "refused: watch with --count 0");
	check(refused(ARGS("watch", "--over", "1x", "1"), "not a size"),
	      "refused: a rate with an unknown suffix");
	check(refused(ARGS("watch", "-e", "naive", "--truth", "bpf", "1"),
		      "--truth"),
	      "refused: watch with an estimator and the kernel's side");
	check(refused(ARGS("watch", "--", "true"), "takes no command"),
	      "refused: watch of a command");
	check(refused(ARGS("check", "-i", "1", "1"), "does not go with"),
	      "refused: --interval of check");
	check(refused(ARGS("load", "--all"), "does not go with"),
	      "refused: load with processes");
	check(refused(ARGS("load", "1"), "takes no processes"),
	      "refused: load with a PID");
	check(refused(ARGS("check", "--module", "x", "1"), "does not go with"),
	      "refused: --module of check");
	check(refused(ARGS("-J", "-r", "1"), "excludes"),
	      "refused: --json and --raw");
	check(refused(ARGS("-m", "--ktap", "1"), "excludes"),
	      "refused: --ktap and --mappings");
	check(refused(ARGS("-m", "--pages", "1"), "shows page tables"),
	      "refused: --pages and --mappings");
	check(refused(ARGS("--fill", "1"), "does not go with"),
	      "refused: --fill of check");
	check(refused(ARGS("estimate", "-ma"), "--mappings"),
	      "refused: --mappings of all processes as text");
	check(refused(ARGS("estimate", "-mr", "1"), "--mappings"),
	      "refused: --mappings and --raw");
	check(refused(ARGS("estimate", "-m", "--from", "d"), "--mappings"),
	      "refused: --mappings of a recording without a PID");
	check(refused(ARGS("estimate", "--orphans", "1"), "does not go with"),
	      "refused: --orphans of estimate");
	check(refused(ARGS("--orphans", "--from", "d"), "recording"),
	      "refused: --orphans of a recording");
	check(refused(ARGS("check", "--pages"), "no process"),
	      "refused: --pages without a process");
	check(refused(ARGS("--pages", "--all"), "--pages takes PIDs"),
	      "refused: --pages of all processes");
	check(refused(ARGS("--pages", "--", "ls"), "--pages takes PIDs"),
	      "refused: --pages of a command");
	check(refused(ARGS("--pages", "--from", "d", "1"), "--from"),
	      "refused: --pages of a recording");
	check(refused(ARGS("--pages", "--orphans", "1"), "--orphans"),
	      "refused: --pages and --orphans");
	check(refused(ARGS("--pages", "-e", "naive", "1"), "--estimator"),
	      "refused: --pages and an estimator");
	check(refused(ARGS("estimate", "--pages", "1"), "does not go with"),
	      "refused: --pages of estimate");
	check(refused(ARGS("--pages", "-JO", "1"), "excludes"),
	      "refused: --pages with --json and --output-all");
	check(refused(ARGS("-O", "-o", "PID", "1"), "exclude"),
	      "refused: -o and -O");
	check(refused(ARGS("--ktap", "-N", "3", "1"), "--ktap excludes"),
	      "refused: --ktap and --limit");
	check(refused(ARGS("top", "-J", "-O"), "(-r -O)"),
	      "refused: -J and -O");
	check(refused(ARGS("-Z", "1"), "unknown option -Z"),
	      "refused: an unknown option letter");
	check(refused(ARGS("--nope", "1"), "--nope"),
	      "refused: an unknown long option");
	check(refused(ARGS("--json=x", "1"), "no argument"),
	      "refused: an argument for an option that takes none");
	check(refused(ARGS("1", "-o"), "needs an argument"),
	      "refused: a missing argument of an option");
	check(refused(ARGS("cow"), "one PID"),
	      "refused: cow without a process");
	check(refused(ARGS("cow", "1", "2000-1000"), "before it starts"),
	      "refused: a range that ends before it starts");
	check(refused(ARGS("cow", "1", "x"), "not a range"),
	      "refused: an argument that is not a range");
	check(refused(ARGS("flags", "1", "1000-2000", "3"), "one PID"),
	      "refused: flags of two processes");
	check(refused(ARGS("flags", "--", "true"), "one PID"),
	      "refused: flags of a command");
	check(refused(ARGS("cow", "--ranges", "1"), "does not go with"),
	      "refused: --ranges of cow");
	check(refused(ARGS("cow", "--from", "d", "1"), "does not go with"),
	      "refused: cow of a recording");
	check(refused(ARGS("flags", "--all"), "does not go with"),
	      "refused: flags of all processes");
	check(refused(ARGS("kpagemap", "1"), "takes no processes"),
	      "refused: kpagemap with a process");
	check(refused(ARGS("kpagemap", "--", "true"), "takes no processes"),
	      "refused: kpagemap with a command");
	check(refused(ARGS("kpagemap", "--all"), "does not go with"),
	      "refused: kpagemap with --all");
	check(refused(ARGS("kpagemap", "-Jr"), "excludes"),
	      "refused: kpagemap with --json and --raw");
	check(refused(ARGS("kpagemap", "-Oo", "PG"), "exclude each other"),
	      "refused: --output and --output-all");
	check(refused(ARGS("footprint"), "no process"),
	      "refused: footprint without a process");
	check(refused(ARGS("footprint", "--all", "1"), "exclude each"),
	      "refused: footprint of --all and a PID");
	check(refused(ARGS("footprint", "--user", "u", "--cgroup", "c"),
		      "exclude each"),
	      "refused: footprint of --user and --cgroup");
	check(refused(ARGS("footprint", "--", "true"), "takes no command"),
	      "refused: footprint of a command");
	check(refused(ARGS("estimate", "--user", "u", "--all"), "exclude each"),
	      "refused: estimate of --user and --all");
	check(refused(ARGS("check", "--cgroup", "c", "1"), "exclude each"),
	      "refused: check of --cgroup and a PID");
	check(refused(ARGS("--user", "u", "--", "true"), "exclude each"),
	      "refused: check of --user and a command");
	check(refused(ARGS("--pages", "--user", "u"), "--pages takes PIDs"),
	      "refused: --pages of --user");
	check(refused(ARGS("estimate", "-m", "--cgroup", "c"), "--mappings"),
	      "refused: --mappings of --cgroup");
	check(refused(ARGS("--from", "d", "--user", "u"),
		      "reads a whole recording"),
	      "refused: --user in a recording");
	check(refused(ARGS("--from", "d", "--name", "u"),
		      "reads a whole recording"),
	      "refused: --name in a recording");
	check(refused(ARGS("--from", "d", "--unit", "u"),
		      "reads a whole recording"),
	      "refused: --unit in a recording");
	check(refused(ARGS("--from", "d", "self"), "reads a whole recording"),
	      "refused: self in a recording");
	check(refused(ARGS("reclaim", "--name", "a", "--unit", "b"),
		      "exclude each"),
	      "refused: reclaim of --name and --unit");
	check(refused(ARGS("top", "--name", "a", "--user", "b"),
		      "top takes one PID"),
	      "refused: top of --name and --user");
	check(refused(ARGS("--pages", "--name", "u"), "--pages takes PIDs"),
	      "refused: --pages of --name");
	check(refused(ARGS("estimate", "selfish"), "not a PID"),
	      "refused: a PID that only begins with self");
	check(refused(ARGS("--require-all", "1"), "always required"),
	      "refused: --require-all of a PID");
	check(refused(ARGS("cow", "--require-all", "1"), "does not go with"),
	      "refused: --require-all of cow");
	check(refused(ARGS("footprint", "--from", "d"), "does not go with"),
	      "refused: footprint of a recording");
	check(refused(ARGS("footprint", "-JO", "1"), "excludes"),
	      "refused: footprint with --json and --output-all");
	check(refused(ARGS("footprint", "-U"), "unknown option -U"),
	      "refused: -U, as --user has no letter");
}

/* These arguments must ask for help, for the command if it is named. */
static bool helps(char *argv[], bool named, enum ptu_command command)
{
	struct ptu_options options;
	struct ptu_err err;
	bool good;

	if (parse(argv, &options, &err)) {
		printf("# the message is: %s\n", err.text);
		return false;
	}
	good = options.help && options.is_named == named &&
	       (!named || options.command == command);
	ptu_options_deinit(&options);
	return good;
}

static void asks_for_help(void)
{
	struct ptu_options options;
	struct ptu_err err;

	check(helps(ARGS("--help"), false, 0), "help_without_a_command");
	check(helps(ARGS("help"), false, 0), "the_command_help_alone");
	check(helps(ARGS("cow", "--help"), true, PTU_CMD_COW),
	      "--help_after_a_command_is_its_own");
	check(helps(ARGS("cow", "-h"), true, PTU_CMD_COW),
	      "-h_after_a_command_is_its_own");
	check(helps(ARGS("help", "record"), true, PTU_CMD_RECORD),
	      "help_takes_a_command");
	check(helps(ARGS("check", "--json", "-h", "--nonsense"), true,
		    PTU_CMD_CHECK),
	      "nothing_behind_--help_is_read");
	check(!parse(ARGS("cow", "-H"), &options, &err) &&
		      options.command == PTU_CMD_COW && options.list_columns,
	      "columns_need_no_process");
	ptu_options_deinit(&options);
	check(!parse(ARGS("--list-columns", "--pages"), &options, &err) &&
		      options.command == PTU_CMD_CHECK && options.pages &&
		      options.list_columns,
	      "columns_of_pages");
	ptu_options_deinit(&options);
}

static void acceptances(void)
{
	struct ptu_options options;
	struct ptu_err err;

	check(!parse(ARGS("17"), &options, &err) &&
		      options.command == PTU_CMD_CHECK &&
		      options.nr_pids == 1 && options.pids[0] == 17,
	      "a number alone is check");
	ptu_options_deinit(&options);
	check(!parse(ARGS("4194304"), &options, &err) &&
		      options.pids[0] == 4194304,
	      "the last PID");
	ptu_options_deinit(&options);
	check(!parse(ARGS("score", "naive", "./a b", "--exact-only", "--",
			  "--all", "--levels=pte,pmd", "--json"),
		     &options, &err) &&
		      options.nr_scored == 2 &&
		      !strcmp(options.scored[0], "naive") &&
		      !strcmp(options.scored[1], "./a b") && options.all &&
		      options.exact_only && options.json && !options.argv &&
		      options.levels == (1u << PTAUDIT_PTE | 1u << PTAUDIT_PMD),
	      "estimators, and options behind --");
	ptu_options_deinit(&options);
	check(!parse(ARGS("score", "naive", "7", "--", "8"), &options, &err) &&
		      options.nr_scored == 1 && options.nr_pids == 2 &&
		      options.pids[1] == 8,
	      "PIDs on both sides of --");
	ptu_options_deinit(&options);
	check(!parse(ARGS("--after", "31622400", "--", "a"), &options, &err) &&
		      options.after_ns == 31622400LL * 1000000000,
	      "after 366 days");
	ptu_options_deinit(&options);
	check(!parse(ARGS("estimate", "1", "-Jf", "2"), &options, &err) == 0 &&
		      strstr(err.text, "-f") != NULL,
	      "--freeze has no letter");
	check(!parse(ARGS("estimate", "-Jnbm", "1"), &options, &err) &&
		      options.json && options.render.mappings,
	      "JSON without headings, in bytes, by mapping");
	ptu_options_deinit(&options);
	check(!parse(ARGS("estimate", "1", "-J", "--freeze", "2"), &options,
		     &err) &&
		      options.command == PTU_CMD_ESTIMATE && options.json &&
		      options.freeze && options.nr_pids == 2 &&
		      options.pids[1] == 2,
	      "options between PIDs");
	ptu_options_deinit(&options);
	check(!parse(ARGS("--pages", "--freeze", "1", "2"), &options, &err) &&
		      options.command == PTU_CMD_CHECK && options.pages &&
		      options.freeze && options.nr_pids == 2,
	      "pages of two processes");
	ptu_options_deinit(&options);
	check(!parse(ARGS("check", "--after", "2.25", "--", "ls", "--all"),
		     &options, &err) &&
		      options.after_ns == 2250000000LL && !options.all &&
		      !strcmp(options.argv[0], "ls") &&
		      !strcmp(options.argv[1], "--all"),
	      "what follows -- is the command's");
	ptu_options_deinit(&options);
	check(!parse(ARGS("-e", "--", "1"), &options, &err) && !options.argv &&
		      !strcmp(options.estimators, "--"),
	      "-- can be an argument");
	ptu_options_deinit(&options);
	check(!parse(ARGS("estimate", "-m", "1"), &options, &err) &&
		      options.render.mappings && !options.module_file,
	      "mappings by letter");
	ptu_options_deinit(&options);
	check(!parse(ARGS("cow", "-rn", "17", "1000-0x3000"), &options, &err) &&
		      options.command == PTU_CMD_COW && options.nr_pids == 1 &&
		      options.pids[0] == 17 && options.range.is_given &&
		      options.range.start == 0x1000 &&
		      options.range.end == 0x3000 && options.render.raw,
	      "copies in a range");
	ptu_options_deinit(&options);
	check(!parse(ARGS("flags", "--ranges", "-J", "17", "7f00"), &options,
		     &err) &&
		      options.command == PTU_CMD_FLAGS && options.ranges &&
		      options.json && options.range.start == 0x7f00 &&
		      !options.range.end,
	      "runs of flags in one mapping");
	ptu_options_deinit(&options);
	check(!parse(ARGS("kpagemap", "-rno", "FLAG,PG"), &options, &err) &&
		      options.command == PTU_CMD_KPAGEMAP &&
		      options.render.raw && options.render.no_headings &&
		      !strcmp(options.render.columns, "FLAG,PG"),
	      "kpagemap, columns");
	ptu_options_deinit(&options);
	check(!parse(ARGS("footprint", "-b", "17", "18"), &options, &err) &&
		      options.command == PTU_CMD_FOOTPRINT &&
		      options.nr_pids == 2 && options.pids[1] == 18 &&
		      options.render.bytes,
	      "the footprint of two");
	ptu_options_deinit(&options);
	check(!parse(ARGS("footprint", "--cgroup", "a/b"), &options, &err) &&
		      !strcmp(options.cgroup, "a/b") && !options.user &&
		      !options.all,
	      "the footprint of a cgroup");
	ptu_options_deinit(&options);
	check(!parse(ARGS("footprint", "-J", "--user", "root"), &options,
		     &err) &&
		      !strcmp(options.user, "root") && options.json,
	      "the footprint of a user");
	ptu_options_deinit(&options);
	check(!parse(ARGS("estimate", "--user", "0"), &options, &err) &&
		      !strcmp(options.user, "0") && !options.nr_pids &&
		      !options.require_all,
	      "an estimate of a user");
	ptu_options_deinit(&options);
	check(!parse(ARGS("--cgroup", "c", "--require-all"), &options, &err) &&
		      options.command == PTU_CMD_CHECK &&
		      !strcmp(options.cgroup, "c") && options.require_all,
	      "check of all of a cgroup");
	ptu_options_deinit(&options);
	check(!parse(ARGS("watch", "1"), &options, &err) &&
		      options.interval_ns == 1000000000LL &&
		      options.count == SIZE_MAX && !options.has_over,
	      "watch each second and for ever");
	ptu_options_deinit(&options);
	check(!parse(ARGS("watch", "--interval", "0.5", "-c", "3", "--over",
			  "2M", "-a"),
		     &options, &err) &&
		      options.interval_ns == 500000000LL &&
		      options.count == 3 && options.has_over &&
		      options.over_bytes == 2 << 20 && options.all,
	      "watch of all for three intervals");
	ptu_options_deinit(&options);
	check(!parse(ARGS("whatif", "--name", "^a$"), &options, &err) &&
		      !strcmp(options.name, "^a$"),
	      "whatif of a name");
	ptu_options_deinit(&options);
	check(!parse(ARGS("record", "--to", "d", "--unit", "ssh"), &options,
		     &err) &&
		      !strcmp(options.unit, "ssh"),
	      "a recording of a unit");
	ptu_options_deinit(&options);
	check(!parse(ARGS("top", "--all"), &options, &err) && options.all,
	      "top of all processes, said so");
	ptu_options_deinit(&options);
	check(!parse(ARGS("self"), &options, &err) &&
		      options.command == PTU_CMD_CHECK &&
		      options.nr_pids == 1 && options.pids[0] == getpid(),
	      "self alone is check");
	ptu_options_deinit(&options);
	check(!parse(ARGS("cow", "self", "1000"), &options, &err) &&
		      options.pids[0] == getpid() &&
		      options.range.start == 0x1000,
	      "copies of self in a mapping");
	ptu_options_deinit(&options);
	check(!parse(ARGS("record", "--to", "d", "--all", "--require-all"),
		     &options, &err) &&
		      options.all && options.require_all,
	      "a recording of all");
	ptu_options_deinit(&options);
	check(!parse(ARGS("load", "--module", "a.ko"), &options, &err) &&
		      options.command == PTU_CMD_LOAD &&
		      !strcmp(options.module_file, "a.ko"),
	      "load a file");
	ptu_options_deinit(&options);
	check(!parse(ARGS("--version"), &options, &err) && options.version,
	      "version");
	ptu_options_deinit(&options);
}

static void names_of_estimators(void)
{
	const struct ptu_estimator *chosen[PTU_MAX_ESTIMATORS];
	struct ptu_err err = { "" };
	size_t nr_chosen;

	check(ptu_choose_estimators("naive,pagmap", chosen, &nr_chosen, &err) ==
			      -EINVAL &&
		      strstr(err.text, "did you mean 'pagemap'?"),
	      "an_unknown_estimator_suggests_the_nearest");
	err.text[0] = '\0';
	check(ptu_choose_estimators("formula.py", chosen, &nr_chosen, &err) ==
			      -EINVAL &&
		      strstr(err.text, "there are naive, ") &&
		      strstr(err.text, ", and all"),
	      "without_a_near_estimator_all_are_named");
	err.text[0] = '\0';
	check(ptu_choose_estimators("naive,all", chosen, &nr_chosen, &err) ==
			      -EINVAL &&
		      strstr(err.text, "'all' excludes other names"),
	      "all_excludes_other_estimators");
}

int main(void)
{
	names_of_estimators();
	refusals();
	asks_for_help();
	acceptances();
	return check_end();
}
