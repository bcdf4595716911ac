// SPDX-License-Identifier: LGPL-2.1-or-later
/* The tables of commands and options, and the parsers of option arguments. */
#include "cmd/syntax.h"

#include <errno.h>
#include <string.h>

#include "base/parse.h"
#include "model/geometry.h"
#include "render/render.h"

#define CHECKS (1u << PTU_CMD_CHECK)
#define ESTIMATES (1u << PTU_CMD_ESTIMATE)
#define LOADS (1u << PTU_CMD_LOAD)
#define FLAGS (1u << PTU_CMD_FLAGS)
#define WHATIFS (1u << PTU_CMD_WHATIF)
#define RECLAIMS (1u << PTU_CMD_RECLAIM)
#define INTERVALS (PTU_TOPS | PTU_WATCHES)
#define REQUIRES \
	(PTU_MEASURES | PTU_FOOTPRINTS | PTU_GIVES | PTU_RECORDS | PTU_SCORES)
#define GROUPS (REQUIRES | INTERVALS)
#define TABLES (PTU_SHOWS | PTU_WATCHES)
#define ANY (~0u)

static int take_seconds(struct ptu_options *options, const char *argument,
			struct ptu_err *err)
{
	return ptu_parse_seconds("--after", argument, &options->after_ns, err);
}

static int take_max_fill(struct ptu_options *options, const char *argument,
			 struct ptu_err *err)
{
	return ptu_parse_bytes(argument, &options->max_fill_bytes, err);
}

static int take_interval(struct ptu_options *options, const char *argument,
			 struct ptu_err *err)
{
	return ptu_parse_seconds("--interval", argument, &options->interval_ns,
				 err);
}

/* Parse a number above 0. */
static int take_number(const char *option, const char *argument,
		       const char *things, size_t *ret, struct ptu_err *err)
{
	pid_t number;

	/* a PID has the same limits */
	if (ptu_parse_pid(argument, &number, NULL))
		return ptu_err_set(err, -EINVAL,
				   "%s '%s' is not a number of %s", option,
				   argument, things);
	*ret = (size_t)number;
	return 0;
}

static int take_limit(struct ptu_options *options, const char *argument,
		      struct ptu_err *err)
{
	return take_number("--limit", argument, "rows", &options->render.limit,
			   err);
}

static int take_count(struct ptu_options *options, const char *argument,
		      struct ptu_err *err)
{
	return take_number("--count", argument, "intervals", &options->count,
			   err);
}

static int take_over(struct ptu_options *options, const char *argument,
		     struct ptu_err *err)
{
	options->has_over = true;
	return ptu_parse_bytes(argument, &options->over_bytes, err);
}

const char *const ptu_side_words[] = { [PTU_SIDE_AUTO] = "auto",
				       [PTU_SIDE_MODULE] = "module",
				       [PTU_SIDE_BPF] = "bpf",
				       [PTU_SIDE_BOTH] = "both",
				       NULL };

static int take_side(struct ptu_options *options, const char *argument,
		     struct ptu_err *err)
{
	unsigned int i;

	for (i = 0; ptu_side_words[i]; i++) {
		if (strcmp(argument, ptu_side_words[i]) != 0)
			continue;
		options->truth = i;
		return 0;
	}
	return ptu_err_set(err, -EINVAL,
			   "unknown --truth '%s'; there are module, bpf, both and auto",
			   argument);
}

static int take_levels(struct ptu_options *options, const char *argument,
		       struct ptu_err *err)
{
	const char *name = argument;

	for (;;) {
		size_t length = strcspn(name, ",");
		unsigned int level = 0;

		while (level < PTAUDIT_NR_LEVELS &&
		       (strlen(ptu_level_name(level)) != length ||
			strncmp(ptu_level_name(level), name, length) != 0))
			level++;
		if (level == PTAUDIT_NR_LEVELS)
			return ptu_err_set(err, -EINVAL,
					   "unknown level in --levels '%s'; there are pte, pmd, pud, p4d and pgd",
					   argument);
		options->levels |= 1u << level;
		if (!name[length])
			return 0;
		name += length + 1;
	}
}

/* clang-format off */
const struct ptu_command_row ptu_command_table[PTU_NR_COMMANDS] = {
	[PTU_CMD_CHECK] = {
		"check",
		"[check] [options] PID... | --all | --name REGEX | ... | -- COMMAND...\n"
		"check [options] --from DIR [PID...]\n"
		"check --pages [options] PID...",
		"compare the kernel's page tables with an estimate (the default)",
		"something is unexplained", ptu_render_check_columns },
	[PTU_CMD_ESTIMATE] = {
		"estimate",
		"estimate [options] PID... | --all | --name REGEX | ... | -- COMMAND...\n"
		"estimate [options] --from DIR [PID...]",
		"estimate page tables from /proc alone, without the module",
		NULL, ptu_render_estimate_columns },
	[PTU_CMD_COW] = {
		"cow", "cow [options] PID [ADDR[-END]]\n"
		       "cow [options] --from DIR PID [ADDR[-END]]",
		"which pages of private mappings are copies",
		"pagemap and kpageflags disagree", ptu_render_cow_columns },
	[PTU_CMD_FLAGS] = {
		"flags", "flags [options] PID [ADDR[-END]]\n"
			 "flags [options] --from DIR PID [ADDR[-END]]",
		"page flags of what the process maps, by name",
		NULL, ptu_render_flags_columns },
	[PTU_CMD_KPAGEMAP] = {
		"kpagemap", "kpagemap [options]",
		"the module's array of page frames against /proc",
		"a page frame is unexplained", ptu_render_kpagemap_columns },
	[PTU_CMD_FOOTPRINT] = {
		"footprint",
		"footprint [options] PID... | --all | --name REGEX | ...\n"
		"footprint [options] --from DIR [PID...]",
		"memory and tables of each process and of all together",
		NULL, ptu_render_footprint_columns },
	[PTU_CMD_TOP] = {
		"top", "top [options] [--user NAME | --name REGEX | ...]\n"
		       "top [options] PID\n"
		       "top [options] --from DIR [PID]",
		"which processes have most page tables, and why",
		NULL, ptu_render_top_columns },
	[PTU_CMD_MAP] = {
		"map", "map [options] PID\n"
		       "map [options] --from DIR [PID]\n"
		       "map --watch [options] PID\n"
		       "map --diff [options] DIR DIR|PID",
		"where the tables of an address space are, as a picture",
		NULL, ptu_render_map_columns },
	[PTU_CMD_WHATIF] = {
		"whatif",
		"whatif [options] PID... | --all | --name REGEX | ...\n"
		"whatif [options] --from DIR [PID...]",
		"which page tables could be freed, and how",
		NULL, ptu_render_whatif_columns },
	[PTU_CMD_RECLAIM] = {
		"reclaim",
		"reclaim [options] PID... | --all | --name REGEX | ...\n"
		"reclaim --do [--max-fill SIZE] PID... | --all | ...",
		"free page tables of shared memory; without --do, only list",
		"fewer tables were freed than predicted",
		ptu_render_whatif_columns },
	[PTU_CMD_WATCH] = {
		"watch",
		"watch [options] PID... | --all | --name REGEX | ... | -- COMMAND...",
		"how page tables grow, a line each interval",
		"something grew faster than --over",
		ptu_render_watch_columns },
	[PTU_CMD_DIFF] = {
		"diff",
		"diff [options] DIR DIR\n"
		"diff [options] DIR PID\n"
		"diff [options] PID DIR",
		"which tables came and went since a recording",
		"something differs", ptu_render_change_columns },
	[PTU_CMD_SYSTEM] = {
		"system",
		"system [options]\n"
		"system [options] --from DIR",
		"what PageTables of /proc/meminfo consists of",
		NULL, ptu_render_system_columns },
	[PTU_CMD_SCORE] = {
		"score",
		"score [options] ESTIMATOR... -- PID... | --all | --name REGEX | ...\n"
		"score [options] --from DIR ESTIMATOR... [PID...]",
		"how far estimators and formulas are from the kernel's tables",
		NULL, ptu_render_score_columns },
	[PTU_CMD_EXPORT] = {
		"export", "export [options] --openmetrics FILE|-",
		"page tables of groups of processes as metrics",
		NULL, NULL },
	[PTU_CMD_RECORD] = {
		"record", "record --to DIR PID... | --all | --name REGEX | ...",
		"write everything that is read of processes to a directory", NULL, NULL },
	[PTU_CMD_LOAD] = {
		"load", "load [--module FILE]",
		"load the kernel module", NULL, NULL },
	[PTU_CMD_UNLOAD] = {
		"unload", "unload",
		"unload the kernel module", NULL, NULL },
	[PTU_CMD_HELP] = {
		"help", "help [COMMAND]",
		"show the help of a command", NULL, NULL },
};

#define AT(member) offsetof(struct ptu_options, member), NULL
#define BY(function) 0, function

const struct ptu_option_row ptu_option_table[] = {
	{ "all", 'a', NULL, GROUPS, AT(all), "every process" },
	{ "user", 0, "NAME", GROUPS, AT(user),
	  "every process of a user, by name or UID" },
	{ "cgroup", 0, "PATH", GROUPS, AT(cgroup),
	  "every process of a cgroup (version 2) and below it" },
	{ "unit", 0, "NAME", GROUPS, AT(unit),
	  "every process of a unit of systemd" },
	{ "name", 0, "REGEX", GROUPS, AT(name),
	  "every process whose name the expression matches" },
	{ "tree", 0, NULL, GROUPS, AT(tree),
	  "the PIDs, and every process that they have started" },
	{ "require-all", 0, NULL, REQUIRES, AT(require_all),
	  "fail if reading one of the processes is denied" },
	{ "estimator", 'e', "NAME,...", PTU_MEASURES, AT(estimators),
	  "estimators to use, or all; the first is compared" },
	{ "estimator", 'e', "NAME", INTERVALS | PTU_MAPS | PTU_DIFFS,
	  AT(estimators), "the built-in estimator to use" },
	{ "from", 0, "DIR",
	  PTU_MEASURES | PTU_TOPS | PTU_MAPS | PTU_SCORES | WHATIFS |
		  PTU_FOOTPRINTS | PTU_PAGES | PTU_SYSTEMS,
	  AT(from),
	  "read a recording instead of /proc and the module" },
	{ "to", 0, "DIR", PTU_RECORDS, AT(to),
	  "a directory that is empty or does not exist yet" },
	{ "redact", 0, NULL, PTU_RECORDS, AT(redact),
	  "replace paths and page frame numbers" },
	{ "after", 0, "SECS", PTU_MEASURES, BY(take_seconds),
	  "measure the running command after this time" },
	{ "freeze", 0, NULL, PTU_MEASURES | PTU_SCORES, AT(freeze),
	  "stop each process while it is measured" },
	{ "orphans", 0, NULL, CHECKS, AT(orphans),
	  "also walk outside of mappings; compare both walks" },
	{ "pages", 0, NULL, CHECKS, AT(pages),
	  "compare the mapped pages instead of the tables" },
	{ "pages", 0, NULL, PTU_RECORDS, AT(pages),
	  "record page flags, for footprint, cow and flags" },
	{ "truth", 0, "WHICH", PTU_BOTH_SIDES, BY(take_side),
	  "what reads kernel tables: module, bpf, both or auto" },
	{ "truth", 0, "WHICH",
	  INTERVALS | PTU_MAPS | PTU_SYSTEMS | PTU_SCORES | PTU_EXPORTS,
	  BY(take_side),
	  "what reads kernel tables: module, bpf or auto" },
	{ "levels", 0, "LEVEL,...", PTU_SCORES, BY(take_levels),
	  "score only these levels" },
	{ "exact-only", 0, NULL, PTU_SCORES, AT(exact_only),
	  "count explained differences as errors, too" },
	{ "do", 0, NULL, RECLAIMS, AT(act),
	  "free tables: make the kernel create huge pages" },
	{ "max-fill", 0, "SIZE", RECLAIMS, BY(take_max_fill),
	  "memory that filling holes may take (default 64M)" },
	{ "json", 'J', NULL, TABLES, AT(json),
	  "use JSON output format" },
	{ "ktap", 0, NULL, CHECKS, AT(ktap),
	  "a test result for each process, as KTAP" },
	{ "raw", 'r', NULL, TABLES, AT(render.raw),
	  "use raw output format" },
	{ "noheadings", 'n', NULL, TABLES, AT(render.no_headings),
	  "don't print headings" },
	{ "output", 'o', "[+]COLS", TABLES, AT(render.columns),
	  "output columns" },
	{ "output-all", 'O', NULL, TABLES, AT(render.all_columns),
	  "output all columns" },
	{ "list-columns", 'H', NULL, TABLES, AT(list_columns),
	  "list the columns that --output takes" },
	{ "bytes", 'b', NULL, TABLES, AT(render.bytes),
	  "print sizes in bytes" },
	{ "mappings", 'm', NULL, PTU_MEASURES, AT(render.mappings),
	  "show the tables of each mapping" },
	{ "fill", 0, NULL, ESTIMATES, AT(fill),
	  "count the used entries of each PTE table" },
	{ "limit", 'N', "NUMBER", PTU_SHOWS | PTU_EXPORTS, BY(take_limit),
	  "show at most this many rows or groups" },
	{ "tables", 0, NULL, PTU_MAPS, AT(tables),
	  "a line for each table instead of the picture" },
	{ "watch", 0, NULL, PTU_MAPS, AT(watch),
	  "draw repeatedly; mark tables that came and went" },
	{ "diff", 0, NULL, PTU_MAPS, AT(diff),
	  "mark changes: two recordings, or one and a PID" },
	{ "html", 0, "FILE", CHECKS | PTU_MAPS, AT(html),
	  "write the picture as an HTML page" },
	{ "sort", 0, "COL", PTU_TOPS, AT(render.sort),
	  "sort by this column instead of TOTAL" },
	{ "sort", 0, "COL", PTU_SHOWS & ~PTU_TOPS, AT(render.sort),
	  "sort the rows by this column" },
	{ "by", 0, "WHAT", PTU_TOPS | PTU_EXPORTS, AT(by),
	  "a row for each comm, user, cgroup or unit" },
	{ "interval", 'd', "SECS", PTU_TOPS, BY(take_interval),
	  "seconds between two tables (3 on a terminal)" },
	{ "interval", 'i', "SECS", PTU_WATCHES | PTU_MAPS, BY(take_interval),
	  "seconds between two measurements (default 1)" },
	{ "count", 'c', "NUMBER", PTU_WATCHES | PTU_MAPS, BY(take_count),
	  "end after this many intervals" },
	{ "over", 0, "RATE", PTU_WATCHES, BY(take_over),
	  "end with status 1 if tables grow faster" },
	{ "batch", 0, NULL, PTU_TOPS, AT(batch),
	  "print tables instead of a live view" },
	{ "openmetrics", 0, "FILE", PTU_EXPORTS, AT(openmetrics),
	  "the file to write, or - for standard output" },
	{ "remainder", 0, NULL, PTU_EXPORTS, AT(remainder),
	  "account for PageTables, too, as system does" },
	{ "ranges", 0, NULL, FLAGS, AT(ranges),
	  "list runs of pages with the same flags" },
	{ "module", 0, "FILE", LOADS, AT(module_file),
	  "the module to load" },
	{ "help", 'h', NULL, ANY, AT(help), "display this help" },
	{ "version", 'V', NULL, ANY, AT(version), "display version" },
};
/* clang-format on */

const size_t ptu_nr_options = sizeof(ptu_option_table) /
			      sizeof(ptu_option_table[0]);

int ptu_option_take(struct ptu_options *options,
		    const struct ptu_option_row *row, const char *argument,
		    struct ptu_err *err)
{
	void *at = (char *)options + row->at;

	if (row->take)
		return row->take(options, argument, err);
	if (row->argument)
		*(const char **)at = argument;
	else
		*(bool *)at = true;
	return 0;
}

_Static_assert(sizeof(ptu_option_table) / sizeof(ptu_option_table[0]) <=
		       PTU_MAX_OPTIONS,
	       "PTU_MAX_OPTIONS is too small");
