// SPDX-License-Identifier: GPL-2.0-only
/* The command line: what is accepted, and the messages for what is not. */
#include "cmd/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/choose.h"
#include "support/check.h"

#define MAX_WORDS 10

#define ARGS(...)                            \
	(char *[])                           \
	{                                    \
		"ptaudit", __VA_ARGS__, NULL \
	}

static struct ptu_options options;
static struct ptu_err err;

static int parse(char *argv[])
{
	int argc = 0;

	while (argv[argc])
		argc++;
	ptu_options_deinit(&options);
	options = (struct ptu_options){ 0 };
	err = (struct ptu_err){ "" };
	optind = 1;
	return ptu_options_parse(argc, argv, &options, &err);
}

/* Words are separated by one space; behind a space at the end there is an empty one. */
static bool refused(const char *line, const char *says)
{
	char *argv[MAX_WORDS] = { "ptaudit" };
	char *copy = strdup(line), *rest = *copy ? copy : NULL;
	int error;

	for (size_t i = 1; i < MAX_WORDS - 1 && rest; i++)
		argv[i] = strsep(&rest, " ");
	error = parse(argv);
	free(copy);
	if (error != -EINVAL) {
		printf("# the arguments were accepted\n");
		return false;
	}
	if (strstr(err.text, says))
		return true;
	printf("# the message is: %s\n", err.text);
	return false;
}

/* What each command line is refused for. */
static void refusals(void)
{
	static const struct {
		const char *line;
		const char *says;
	} cases[] = {
		/* commands and options that do not exist; the nearest one is suggested */
		{ "", "--help" },
		{ "foo", "unknown command 'foo'" },
		{ "estmate 1", "did you mean 'estimate'?" },
		{ "foo 1", "--help" },
		{ "help estmate", "did you mean 'estimate'?" },
		{ "--estimater=naive 1",
		  "unknown option --estimater; did you mean --estimator?" },
		{ "-Z 1", "unknown option -Z; see ptaudit --help" },
		/* the help without a command lists no options of commands */
		{ "top -Z 1", "unknown option -Z; see ptaudit top --help" },
		/* letters of other tools */
		{ "top -p 1",
		  "unknown option -p; PIDs are given without an option" },
		{ "check --pid=1",
		  "unknown option --pid; PIDs are given without an option" },
		{ "1 --pid 1", "--pid; PIDs are given" },
		{ "top -u root", "unknown option -u; did you mean --user?" },
		{ "footprint -s RSS 1",
		  "unknown option -s; did you mean --sort?" },
		/* load does not take --user */
		{ "load -u", "unknown option -u; see ptaudit load --help" },
		{ "top --zz 1", "unknown option --zz; see ptaudit top --help" },
		{ "top --json=x", "no argument; see ptaudit top --help" },
		{ "map --out PID 1",
		  "begin with --out; see ptaudit map --help" },
		{ "--nope 1", "--nope" },
		{ "--json=x 1", "no argument" },
		{ "1 -o", "needs an argument" },
		/* --output and --output-all */
		{ "--out PID 1", "2 options begin with --out;" },
		/* --user has no letter */
		{ "footprint -U", "unknown option -U" },
		/* options that the command does not take */
		{ "load -H", "does not go with" },
		{ "whatif --do 1", "does not go with" },
		{ "check --levels pte 1", "does not go with" },
		{ "check -i 1 1", "does not go with" },
		{ "load --all", "does not go with" },
		{ "check --module x 1", "does not go with" },
		{ "--fill 1", "does not go with" },
		{ "estimate --orphans 1", "does not go with" },
		{ "estimate --pages 1", "does not go with" },
		{ "cow --ranges 1", "does not go with" },
		{ "cow --pages 1", "does not go with" },
		{ "flags --all", "does not go with" },
		{ "kpagemap --all", "does not go with" },
		{ "cow --require-all 1", "does not go with" },
		{ "watch --from d 1", "does not go with" },
		/* arguments that it does not take, or lacks */
		{ "top -N 1x", "--limit '1x' is not a number of rows" },
		{ "watch -c 0 1", "--count '0' is not a number of intervals" },
		{ "reclaim", "no process" },
		{ "score -- 1", "needs estimators" },
		{ "record --to d -- true", "takes no command" },
		{ "score naive", "no process" },
		{ "score naive -- 1 -- 2", "after one --" },
		{ "check", "no process" },
		{ "check --", "no command" },
		{ "watch", "no process" },
		{ "diff", "needs two" },
		{ "diff a", "needs two" },
		{ "diff a b c", "needs two" },
		{ "diff a -- b", "needs two" },
		{ "record --to d -- true", "takes no command" },
		{ "watch --", "no command" },
		{ "watch 1 -- true", "exclude each other" },
		{ "load 1", "takes no processes" },
		{ "load ptaudit.ko",
		  "only options, not 'ptaudit.ko'; see ptaudit load --help" },
		{ "system x", "takes only options" },
		{ "system --from d --truth bpf", "excludes --truth" },
		{ "check --pages", "no process" },
		{ "cow", "one PID" },
		{ "flags 1 1000-2000 3", "one PID" },
		{ "flags -- true", "one PID" },
		{ "cow 1 -- true", "one PID" },
		{ "kpagemap 1", "takes no processes" },
		{ "kpagemap -- true", "takes no processes" },
		{ "footprint", "no process" },
		{ "footprint -- true", "takes no command" },
		{ "top --name a --user b", "top takes one PID" },
		{ "top 1 2", "top takes one PID" },
		{ "top -- true", "top takes one PID" },
		{ "map", "map needs one PID" },
		{ "map 1 2", "map needs one PID" },
		{ "map 1 -- true", "map needs one PID" },
		{ "map --diff a", "needs two" },
		{ "map --diff a b -- true", "needs two" },
		{ "map 1 --diff a b", "needs two" },
		{ "map --diff --from d a b", "needs two" },
		{ "record 1", "record needs --to" },
		{ "export", "export needs --openmetrics" },
		/* PIDs: decimal, from 1 to 4194304 */
		{ "score naive -- 1 pagemap", "'pagemap' is not a PID" },
		{ "check x", "'x' is not a PID; --name" },
		{ "map x", "PIDs are decimal numbers" },
		{ "check -5", "unknown option -5" },
		{ "check 1x", "not a PID" },
		{ "0", "out of range" },
		{ "4194305", "out of range" },
		{ "99999999999999999999", "out of range" },
		/* an empty argument, and one that only begins with self */
		{ "check ", "not a PID" },
		{ "estimate selfish", "not a PID" },
		/* sizes below 2^64, levels and ranges */
		{ "reclaim --max-fill 1x 1", "not a size" },
		{ "reclaim --max-fill -1 1", "not a size" },
		{ "reclaim --max-fill 16777216T 1", "not a size" },
		{ "score --levels pte,pxd naive 1", "there are pte" },
		{ "score --levels pte, naive 1", "there are pte" },
		{ "watch --over 1x 1", "not a size" },
		{ "cow 1 2000-1000", "before it starts" },
		{ "cow 1 x", "not a range" },
		/* times of more than 0 and of 366 days at most, and counts */
		{ "--after 1 1", "--after" },
		{ "--after 0 -- true", "above 0" },
		{ "--after 1s -- true", "above 0" },
		{ "--after 99999999999999999999 -- a", "year" },
		{ "--after 31622401 -- a", "year" },
		{ "top -d 0", "--interval needs" },
		{ "top -d 31622401", "--interval" },
		{ "watch -c 0 1", "--count '0'" },
		/* several selections of processes */
		{ "--all 1", "exclude" },
		{ "1 -- true", "exclude" },
		{ "--all -- true", "exclude" },
		{ "footprint --all 1", "exclude each" },
		{ "footprint --user u --cgroup c", "exclude each" },
		{ "estimate --user u --all", "exclude each" },
		{ "check --cgroup c 1", "exclude each" },
		{ "--user u -- true", "exclude each" },
		{ "reclaim --name a --unit b", "exclude each" },
		/* several outputs */
		{ "map --watch -r 1", "exclude --json, --raw and --tables" },
		{ "map --diff -r a b", "exclude --json, --raw and --tables" },
		{ "map --watch -J 1", "exclude --json, --raw and --tables" },
		{ "map --watch --tables 1",
		  "exclude --json, --raw and --tables" },
		{ "map --watch --html f 1", "--watch also excludes --html" },
		{ "map -i 1 1", "-i and -c go with --watch" },
		{ "map -c 1 1", "-i and -c go with --watch" },
		{ "map --diff -i 1 a b", "-i and -c go with --watch" },
		{ "map --diff -c 1 a b", "-i and -c go with --watch" },
		{ "map --tables -N 1 1", "it excludes -o, -O, -N and --sort" },
		{ "map --tables -o PID 1", "it excludes -o, -O" },
		{ "map --tables -O 1", "it excludes -o, -O" },
		{ "map --tables --sort PTE 1", "it excludes -o, -O" },
		{ "-J -r 1", "excludes" },
		{ "-m --ktap 1", "excludes" },
		{ "--pages -JO 1", "excludes" },
		{ "-O -o PID 1", "exclude" },
		{ "--ktap -N 3 1", "--ktap excludes" },
		{ "--ktap -J 1", "--ktap excludes --json" },
		{ "--ktap --pages 1", "--ktap excludes --json and --pages" },
		{ "--ktap -r 1", "--ktap excludes" },
		{ "--ktap -n 1", "--ktap excludes" },
		{ "--ktap -o LEVEL 1", "--ktap excludes" },
		{ "--ktap -O 1", "--ktap excludes" },
		{ "--ktap -b 1", "--ktap excludes" },
		{ "--ktap --sort LEVEL 1", "--ktap excludes" },
		/* a page is one process, without options for text */
		{ "--html f --all", "a page has one process" },
		{ "--html f 1 2", "a page has one process" },
		{ "--html f --pages 1", "--html excludes" },
		{ "--html f --orphans 1", "--html excludes" },
		{ "--html f --ktap 1", "--html excludes" },
		{ "--html f -J 1", "--html excludes" },
		{ "--html f -m 1", "--html excludes" },
		{ "map --html f --tables 1", "--html excludes" },
		{ "map --html f -N 1 1", "--html excludes" },
		{ "map --html f -r 1", "--html excludes" },
		{ "map --html f -n 1", "--html excludes" },
		{ "map --html f -b 1", "--html excludes" },
		{ "map --html f -o PTE 1", "--html excludes" },
		{ "map --html f -O 1", "--html excludes" },
		{ "map --html f --sort PTE 1", "--html excludes" },
		{ "map --diff --html f -b a b", "--html excludes" },
		{ "top -J -O", "(-r -O)" },
		{ "kpagemap -Jr", "excludes" },
		{ "kpagemap -Oo PG", "exclude each other" },
		{ "footprint -JO 1", "excludes" },
		/* recordings */
		{ "--from d -- true", "excludes --freeze and a command" },
		{ "--from d --freeze", "excludes --freeze" },
		{ "--orphans --from d", "recording" },
		{ "--from d --user u", "reads a recording" },
		{ "--from d --cgroup u", "reads a recording" },
		{ "--from d --unit u", "reads a recording" },
		{ "--from d self", "reads a recording" },
		{ "--from d --name u 1", "exclude each other" },
		{ "whatif --from d --user u", "reads a recording" },
		{ "reclaim --from d 1", "does not go with" },
		{ "top --from d --user u", "reads a recording" },
		{ "footprint --from d --cgroup c", "reads a recording" },
		{ "footprint --from d self", "reads a recording" },
		{ "cow --from d self", "reads a recording" },
		{ "flags --from d self", "reads a recording" },
		{ "cow --from d", "needs one PID" },
		{ "flags --from d -- true", "needs one PID" },
		{ "top --from d --by user", "--from goes with --by comm" },
		{ "map --watch --from d", "a recording does not change" },
		{ "map --watch --diff a b", "a recording does not change" },
		/* --pages */
		{ "-m --pages 1", "shows page tables" },
		{ "--pages --all", "--pages takes PIDs" },
		{ "--pages -- ls", "--pages takes PIDs" },
		{ "--pages --from d 1", "--from" },
		{ "--pages --orphans 1", "--orphans" },
		{ "--pages -e naive 1", "--estimator" },
		{ "--pages --user u", "--pages takes PIDs" },
		{ "--pages --name u", "--pages takes PIDs" },
		/* --mappings */
		{ "estimate -ma", "--mappings" },
		{ "estimate -mr 1", "--mappings" },
		{ "estimate -m --from d", "--mappings" },
		{ "estimate -m --cgroup c", "--mappings" },
		/* sides, and other combinations */
		{ "top -e naive --truth bpf", "--truth" },
		{ "top --truth both", "shows one side" },
		{ "check --truth both --orphans 1", "exclude" },
		{ "check --truth bpf --orphans 1", "need the module" },
		{ "check --truth both --pages 1", "need the module" },
		{ "map -e naive --truth bpf 1", "map shows one side" },
		{ "map --diff --truth bpf a b", "it excludes --truth" },
		{ "top --by user 1", "--by makes groups" },
		{ "watch -e naive --truth bpf 1", "--truth" },
		{ "--require-all 1", "always required" },
		{ "estimate --tree", "--tree needs PIDs" },
		{ "top --tree", "nothing for all processes" },
		{ "watch --tree", "--tree needs PIDs" },
		{ "estimate --tree -- true", "only watch takes a command" },
		{ "footprint --tree 1 --all", "exclude each other" },
		{ "top --tree 1 --all", "top takes one PID" },
		{ "check --pages --tree 1", "--pages takes PIDs" },
		{ "map --tree 1", "does not go with" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(refused(cases[i].line, cases[i].says),
		      "refused: ptaudit %s", cases[i].line);
}

/* These arguments must ask for help, for the command if it is named. */
static bool helps(char *argv[], bool named, enum ptu_command command)
{
	if (parse(argv)) {
		printf("# the message is: %s\n", err.text);
		return false;
	}
	return options.help && options.is_named == named &&
	       (!named || options.command == command);
}

static void asks_for_help(void)
{
	check(helps(ARGS("--help"), false, 0),
	      "--help_alone_is_the_general_help");
	check(helps(ARGS("--help", "cow"), true, PTU_CMD_COW),
	      "--help_before_a_command_is_its_own");
	check(helps(ARGS("--help", "nope"), false, 0),
	      "--help_before_another_word_is_the_general_help");
	check(helps(ARGS("help"), false, 0),
	      "the_command_help_alone_is_the_general_help");
	check(helps(ARGS("cow", "--help"), true, PTU_CMD_COW),
	      "--help_after_a_command_is_its_own");
	check(helps(ARGS("cow", "-h"), true, PTU_CMD_COW),
	      "-h_after_a_command_is_its_own");
	check(helps(ARGS("help", "record"), true, PTU_CMD_RECORD),
	      "help_takes_a_command");
	check(helps(ARGS("check", "--json", "-h", "--nonsense"), true,
		    PTU_CMD_CHECK),
	      "nothing_behind_--help_is_read");
	check(!parse(ARGS("cow", "-H")) && options.command == PTU_CMD_COW &&
		      options.list_columns,
	      "columns_need_no_process");
	check(!parse(ARGS("--list-columns", "--pages")) &&
		      options.command == PTU_CMD_CHECK && options.pages &&
		      options.list_columns,
	      "columns_of_pages_are_those_of_check");
}

static void acceptances(void)
{
	check(!parse(ARGS("17")) && options.command == PTU_CMD_CHECK &&
		      options.nr_pids == 1 && options.pids[0] == 17,
	      "a number alone is check");
	check(!parse(ARGS("4194304")) && options.pids[0] == 4194304,
	      "accepted: the highest PID");
	check(!parse(ARGS("score", "naive", "./a b", "--exact-only", "--",
			  "--all", "--levels=pte,pmd", "--json")) &&
		      options.nr_scored == 2 &&
		      !strcmp(options.scored[0], "naive") &&
		      !strcmp(options.scored[1], "./a b") && options.all &&
		      options.exact_only && options.json && !options.argv &&
		      options.levels == (1u << PTAUDIT_PTE | 1u << PTAUDIT_PMD),
	      "accepted: estimators, and options behind --");
	check(!parse(ARGS("score", "--freeze", "naive", "--", "8")) &&
		      options.freeze,
	      "accepted: score of frozen processes");
	check(!parse(ARGS("score", "naive", "7", "--", "8")) &&
		      options.nr_scored == 1 && options.nr_pids == 2 &&
		      options.pids[1] == 8,
	      "accepted: PIDs on both sides of --");
	check(!parse(ARGS("--after", "31622400", "--", "a")) &&
		      options.after_ns == 31622400LL * 1000000000,
	      "accepted: after 366 days");
	check(!parse(ARGS("estimate", "1", "-Jf", "2")) == 0 &&
		      strstr(err.text, "-f") != NULL,
	      "--freeze has no letter");
	check(!parse(ARGS("estimate", "-Jnbm", "1")) && options.json &&
		      options.render.mappings,
	      "accepted: JSON without headings, in bytes, by mapping");
	check(!parse(ARGS("estimate", "1", "-J", "--freeze", "2")) &&
		      options.command == PTU_CMD_ESTIMATE && options.json &&
		      options.freeze && options.nr_pids == 2 &&
		      options.pids[1] == 2,
	      "accepted: options between PIDs");
	check(!parse(ARGS("--pages", "--freeze", "1", "2")) &&
		      options.command == PTU_CMD_CHECK && options.pages &&
		      options.freeze && options.nr_pids == 2,
	      "accepted: pages of two processes");
	check(!parse(ARGS("check", "--after", "2.25", "--", "ls", "--all")) &&
		      options.after_ns == 2250000000LL && !options.all &&
		      !strcmp(options.argv[0], "ls") &&
		      !strcmp(options.argv[1], "--all"),
	      "what follows -- is the command's");
	check(!parse(ARGS("-e", "--", "1")) && !options.argv &&
		      !strcmp(options.estimators, "--"),
	      "-- can be the argument of an option");
	check(!parse(ARGS("estimate", "-m", "1")) && options.render.mappings &&
		      !options.module_file,
	      "accepted: mappings by letter");
	check(!parse(ARGS("cow", "-rn", "17", "1000-0x3000")) &&
		      options.command == PTU_CMD_COW && options.nr_pids == 1 &&
		      options.pids[0] == 17 && options.range.is_given &&
		      options.range.start == 0x1000 &&
		      options.range.end == 0x3000 && options.render.raw,
	      "accepted: copies in a range");
	check(!parse(ARGS("flags", "--ranges", "-J", "17", "7f00")) &&
		      options.command == PTU_CMD_FLAGS && options.ranges &&
		      options.json && options.range.start == 0x7f00 &&
		      !options.range.end,
	      "accepted: runs of flags in one mapping");
	check(!parse(ARGS("kpagemap", "-rno", "FLAG,PG")) &&
		      options.command == PTU_CMD_KPAGEMAP &&
		      options.render.raw && options.render.no_headings &&
		      !strcmp(options.render.columns, "FLAG,PG"),
	      "accepted: chosen columns of kpagemap");
	check(!parse(ARGS("footprint", "-b", "17", "18")) &&
		      options.command == PTU_CMD_FOOTPRINT &&
		      options.nr_pids == 2 && options.pids[1] == 18 &&
		      options.render.bytes,
	      "accepted: the footprint of two processes");
	check(!parse(ARGS("footprint", "--cgroup", "a/b")) &&
		      !strcmp(options.cgroup, "a/b") && !options.user &&
		      !options.all,
	      "accepted: the footprint of a cgroup");
	check(!parse(ARGS("footprint", "-J", "--user", "root")) &&
		      !strcmp(options.user, "root") && options.json,
	      "accepted: the footprint of a user");
	check(!parse(ARGS("estimate", "--user", "0")) &&
		      !strcmp(options.user, "0") && !options.nr_pids &&
		      !options.require_all,
	      "accepted: an estimate of a user");
	check(!parse(ARGS("--cgroup", "c", "--require-all")) &&
		      options.command == PTU_CMD_CHECK &&
		      !strcmp(options.cgroup, "c") && options.require_all,
	      "accepted: check of all of a cgroup");
	check(!parse(ARGS("watch", "1")) &&
		      options.interval_ns == 1000000000LL &&
		      options.count == SIZE_MAX && !options.has_over,
	      "accepted: watch each second and for ever");
	check(!parse(ARGS("watch", "--interval", "0.5", "-c", "3", "--over",
			  "2M", "-a")) &&
		      options.interval_ns == 500000000LL &&
		      options.count == 3 && options.has_over &&
		      options.over_bytes == 2 << 20 && options.all,
	      "accepted: watch of all for three intervals");
	check(!parse(ARGS("watch", "-c", "2", "--", "make", "-c")) &&
		      options.count == 2 && !strcmp(options.argv[1], "-c"),
	      "accepted: watch of a command");
	check(!parse(ARGS("watch", "--tree", "--", "make")) && options.tree &&
		      !options.nr_roots,
	      "accepted: watch of all that a command starts");
	check(!parse(ARGS("top", "7", "--tree", "8")) && !options.nr_pids &&
		      options.nr_roots == 2 && options.roots[0] == 7 &&
		      options.roots[1] == 8,
	      "accepted: top of two trees");
	check(!parse(ARGS("whatif", "--name", "^a$")) &&
		      !strcmp(options.name, "^a$"),
	      "accepted: whatif of a name");
	check(!parse(ARGS("record", "--to", "d", "--unit", "ssh")) &&
		      !strcmp(options.unit, "ssh"),
	      "accepted: a recording of a unit");
	check(!parse(ARGS("top", "--all")) && options.all,
	      "accepted: top with --all, which is its default");
	check(!parse(ARGS("self")) && options.command == PTU_CMD_CHECK &&
		      options.nr_pids == 1 && options.pids[0] == getpid(),
	      "self alone is check");
	check(!parse(ARGS("cow", "self", "1000")) &&
		      options.pids[0] == getpid() &&
		      options.range.start == 0x1000,
	      "accepted: copies of self in a mapping");
	check(!parse(ARGS("record", "--to", "d", "--all", "--require-all")) &&
		      options.all && options.require_all,
	      "accepted: a recording of all");
	check(!parse(ARGS("record", "--to", "d", "--all", "--pages", "--truth",
			  "both")) &&
		      options.pages,
	      "accepted: a recording of all, with their pages");
	check(!parse(ARGS("load", "--module", "a.ko")) &&
		      options.command == PTU_CMD_LOAD &&
		      !strcmp(options.module_file, "a.ko"),
	      "accepted: load of a given file");
	check(!parse(ARGS("--version")) && options.version,
	      "accepted: --version");
	check(!parse(ARGS("--version", "--nonsense")) && options.version,
	      "nothing behind --version is read");
	check(!parse(ARGS("diff", "a", "7")) && options.nr_sides == 2 &&
		      !strcmp(options.sides[0], "a") &&
		      !strcmp(options.sides[1], "7") && !options.nr_pids,
	      "accepted: the sides of diff, in their order");
	check(!parse(ARGS("map", "--watch", "--truth", "bpf", "1")) &&
		      options.interval_ns == 1000000000LL &&
		      options.truth == PTU_SIDE_BPF &&
		      options.count == SIZE_MAX && options.nr_pids == 1,
	      "accepted: a map each second and for ever");
	check(!parse(ARGS("top", "-d", "2.5", "-N", "3", "--from", "d", "--by",
			  "comm")) &&
		      options.interval_ns == 2500000000LL &&
		      options.render.limit == 3 && !strcmp(options.by, "comm"),
	      "accepted: three groups of a recording");
	check(!parse(ARGS("reclaim", "--max-fill", "3K", "1")) &&
		      options.max_fill_bytes == 3 << 10 && !options.act,
	      "accepted: 3 KiB to fill holes");
	check(!parse(ARGS("reclaim", "--max-fill", "17179869183G", "1")) &&
		      options.max_fill_bytes == UINT64_MAX - (1 << 30) + 1,
	      "accepted: all GiB that 64 bits can count");
}

static void names_of_estimators(void)
{
	const struct ptu_estimator *chosen[PTU_MAX_ESTIMATORS];
	char many[6 * (PTU_MAX_ESTIMATORS + 1)] = "";
	size_t nr_chosen, i, nr_named = 0;

	check(ptu_choose_estimators("naive,pagmap", chosen, &nr_chosen, &err) ==
			      -EINVAL &&
		      strstr(err.text, "did you mean 'pagemap'?"),
	      "an_unknown_estimator_suggests_the_nearest");
	err.text[0] = '\0';
	check(ptu_choose_estimators("formula.py", chosen, &nr_chosen, &err) ==
			      -EINVAL &&
		      strstr(err.text, "; there are ") &&
		      strstr(err.text, ", and all"),
	      "without_a_near_estimator_there_is_a_list");
	for (i = 0; ptu_estimators[i]; i++)
		nr_named += strstr(err.text, ptu_estimators[i]->name) != NULL;
	check(i && nr_named == i, "the_list_names_each_estimator");
	err.text[0] = '\0';
	check(ptu_choose_estimators("naive,all", chosen, &nr_chosen, &err) ==
			      -EINVAL &&
		      strstr(err.text, "'all' excludes other names"),
	      "all_excludes_other_estimators");
	/* PTU_MAX_ESTIMATORS names, then one more */
	for (i = 0; i < PTU_MAX_ESTIMATORS; i++)
		strcat(many, i ? ",naive" : "naive");
	check(!ptu_choose_estimators(many, chosen, &nr_chosen, &err) &&
		      nr_chosen == PTU_MAX_ESTIMATORS,
	      "as_many_estimators_as_there_is_room_for");
	strcat(many, ",naive");
	check(ptu_choose_estimators(many, chosen, &nr_chosen, &err) == -EINVAL,
	      "one_estimator_too_many");
}

int main(void)
{
	names_of_estimators();
	refusals();
	asks_for_help();
	acceptances();
	ptu_options_deinit(&options);
	return check_end();
}
