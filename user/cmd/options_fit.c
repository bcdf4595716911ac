// SPDX-License-Identifier: LGPL-2.1-or-later
/* Refuse invalid combinations of options. */
#include "cmd/options_fit.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "cmd/syntax.h"

/* Options for tables of text. */
static bool shapes_text(const struct ptu_render_options *render)
{
	return render->raw || render->no_headings || render->columns ||
	       render->all_columns || render->bytes || render->sort ||
	       render->limit;
}

/* Check the options for the output format. */
static int fit_shown(const struct ptu_options *options, struct ptu_err *err)
{
	if (options->pages && options->render.mappings)
		return ptu_err_set(err, -EINVAL,
				   "--mappings and --pages exclude each other: only --mappings shows page tables");
	if (options->ktap && (options->json || options->pages))
		return ptu_err_set(err, -EINVAL,
				   "--ktap excludes --json and --pages");
	/* JSON ignores -n and -b; -r is another format; -O is the default */
	if (options->json &&
	    (options->render.raw || options->render.all_columns))
		return ptu_err_set(err, -EINVAL,
				   "--json excludes the options that shape text (-r -O)");
	if (options->ktap && shapes_text(&options->render))
		return ptu_err_set(err, -EINVAL,
				   "--ktap excludes the options that shape text (-r -n -o -O -b -N --sort)");
	if (options->ktap && options->render.mappings)
		return ptu_err_set(err, -EINVAL, "--ktap excludes --mappings");
	if (options->render.columns && options->render.all_columns)
		return ptu_err_set(err, -EINVAL,
				   "--output and --output-all exclude each other");
	return 0;
}

/* Number of ways in which processes were selected. */
static int nr_ways(const struct ptu_options *options)
{
	return (options->nr_pids + options->nr_roots != 0) + options->all +
	       (options->user != NULL) + (options->cgroup != NULL) +
	       (options->unit != NULL) + (options->name != NULL) +
	       (options->argv != NULL);
}

#define FROM_EXCLUDES \
	"--from reads a recording, or the processes of it that PIDs, --name or --tree choose: it excludes --user, --cgroup, --unit and self"

static bool from_fits(const struct ptu_options *options)
{
	return !options->from || !(options->self || options->user ||
				   options->cgroup || options->unit);
}

/* Check that processes are selected in exactly one way. */
static int fit_chosen(const struct ptu_options *options, const char *command,
		      struct ptu_err *err)
{
	int ways = nr_ways(options);

	if (ways > 1)
		return ptu_err_set(err, -EINVAL,
				   "PIDs, --all, --user, --cgroup, --unit, --name and a command after -- exclude each other");
	if (options->tree && !options->nr_roots &&
	    !(options->argv && options->command == PTU_CMD_WATCH))
		return ptu_err_set(err, -EINVAL,
				   "--tree needs PIDs; only watch takes a command after -- with it");
	if (1u << options->command &
		    (PTU_FOOTPRINTS | PTU_GIVES | PTU_RECORDS) &&
	    options->argv)
		return ptu_err_set(err, -EINVAL,
				   "the command %s takes no command after --",
				   command);
	if (!from_fits(options))
		return ptu_err_set(err, -EINVAL, "%s", FROM_EXCLUDES);
	if (!ways && !options->from)
		return ptu_err_set(err, -EINVAL,
				   "no process given: %s needs PIDs, or an option that selects processes, such as --all",
				   command);
	if (options->require_all && !ptu_options_is_group(options))
		return ptu_err_set(err, -EINVAL,
				   "--require-all needs --all, --user, --cgroup, --unit, --name or --tree: PIDs are always required");
	return 0;
}

/* top ranks all processes, a selection of them, or the mappings of one. */
static int fit_top(const struct ptu_options *options, struct ptu_err *err)
{
	if (options->argv || options->nr_pids > 1 || nr_ways(options) > 1 ||
	    (options->tree && !options->nr_roots))
		return ptu_err_set(err, -EINVAL,
				   "top takes one PID, or --user, --cgroup, --unit, --name or --tree, or nothing for all processes");
	if (options->estimators && options->truth != PTU_SIDE_AUTO)
		return ptu_err_set(err, -EINVAL,
				   "--estimator and --truth exclude each other: top shows one side");
	if (options->nr_pids && options->by)
		return ptu_err_set(err, -EINVAL,
				   "--by makes groups of processes: it excludes a PID");
	if (!from_fits(options))
		return ptu_err_set(err, -EINVAL, "%s", FROM_EXCLUDES);
	if (options->from && options->by && strcmp(options->by, "comm") != 0)
		return ptu_err_set(err, -EINVAL,
				   "a recording has no cgroups and no names of users: --from goes with --by comm");
	return fit_shown(options, err);
}

/* Are there no other format options? They do not apply to an HTML page. */
static bool html_fits(const struct ptu_options *options)
{
	return !(options->json || options->ktap || options->tables ||
		 options->render.mappings || shapes_text(&options->render));
}

/* A page shows one process, with both sides table by table. */
static int fit_check_page(const struct ptu_options *options,
			  struct ptu_err *err)
{
	if (ptu_options_is_group(options) || options->nr_pids > 1)
		return ptu_err_set(err, -EINVAL,
				   "a page has one process: --html goes with one PID, a command or a recording");
	if (!html_fits(options) || options->pages || options->orphans)
		return ptu_err_set(err, -EINVAL,
				   "--html excludes --json, --ktap, --pages, --orphans, --mappings and the options that shape text");
	return 0;
}

/* Check the options for two maps of one process at two moments. */
static int fit_map_change(const struct ptu_options *options,
			  struct ptu_err *err)
{
	if (options->json || options->render.raw || options->tables ||
	    (options->watch && options->html))
		return ptu_err_set(err, -EINVAL,
				   "--watch and --diff draw a picture: they exclude --json, --raw and --tables, and --watch also excludes --html; the commands watch and diff have --json and --raw");
	if (options->watch && (options->from || options->diff))
		return ptu_err_set(err, -EINVAL,
				   "a recording does not change: --watch needs a PID, and excludes --from and --diff");
	if (options->watch)
		return 0;
	if (options->nr_sides != 2 || options->nr_pids || options->argv ||
	    options->from)
		return ptu_err_set(err, -EINVAL,
				   "--diff needs two recordings, or one recording and a PID");
	if (options->truth != PTU_SIDE_AUTO)
		return ptu_err_set(err, -EINVAL,
				   "--diff compares estimates: it excludes --truth");
	return 0;
}

/* map shows one process, running or recorded. */
static int fit_map(const struct ptu_options *options, struct ptu_err *err)
{
	int error = 0;

	if (!options->watch &&
	    (options->interval_ns || options->count != SIZE_MAX))
		return ptu_err_set(err, -EINVAL,
				   "-i and -c go with --watch: a map is drawn once");
	if (options->watch || options->diff)
		error = fit_map_change(options, err);
	if (error)
		return error;
	if (options->diff)
		return !options->html || html_fits(options) ?
			       fit_shown(options, err) :
			       ptu_err_set(err, -EINVAL,
					   "--html excludes -N and the options that shape text");
	if (options->argv || options->nr_pids > 1 ||
	    (!options->nr_pids && !options->from))
		return ptu_err_set(err, -EINVAL,
				   "map needs one PID, or --from DIR and optionally a PID");
	if (options->estimators && options->truth != PTU_SIDE_AUTO)
		return ptu_err_set(err, -EINVAL,
				   "--estimator and --truth exclude each other: map shows one side");
	if (options->html && !html_fits(options))
		return ptu_err_set(err, -EINVAL,
				   "--html excludes --json, --tables, -N and the options that shape text");
	if (options->tables && !options->json &&
	    (options->render.limit || options->render.columns ||
	     options->render.all_columns || options->render.sort))
		return ptu_err_set(err, -EINVAL,
				   "--tables has columns of its own, and a line for each table: it excludes -o, -O, -N and --sort");
	return fit_shown(options, err);
}

int ptu_options_fit(const struct ptu_options *options, const char *command,
		    struct ptu_err *err)
{
	/* for record, --pages is one more thing to record */
	const bool compares_pages = options->pages &&
				    options->command == PTU_CMD_CHECK;
	int error;

	if (options->truth == PTU_SIDE_BOTH &&
	    !(1u << options->command & PTU_BOTH_SIDES))
		return ptu_err_set(err, -EINVAL,
				   "--truth both is for check and record: the command %s shows one side",
				   command);
	if (options->command == PTU_CMD_EXPORT && !options->openmetrics)
		return ptu_err_set(err, -EINVAL,
				   "export needs --openmetrics FILE, or - for standard output");
	if (options->command == PTU_CMD_SYSTEM && options->from &&
	    options->truth != PTU_SIDE_AUTO)
		return ptu_err_set(err, -EINVAL,
				   "--from takes VmPTE of a recording: it excludes --truth");
	if (options->command == PTU_CMD_TOP)
		return fit_top(options, err);
	if (options->command == PTU_CMD_MAP)
		return fit_map(options, err);
	if (options->command == PTU_CMD_DIFF)
		return options->nr_sides == 2 && !options->argv ?
			       fit_shown(options, err) :
			       ptu_err_set(err, -EINVAL,
					   "diff needs two recordings, or one recording and a PID");
	if (1u << options->command & PTU_PAGES &&
	    (options->nr_pids != 1 || options->argv))
		return ptu_err_set(err, -EINVAL,
				   "the command %s needs one PID, and optionally ADDR or ADDR-END",
				   command);
	if (!(1u << options->command & (PTU_SHOWS | PTU_RECORDS | PTU_WATCHES) &
	      ~(PTU_FRAMES | PTU_SYSTEMS))) {
		if (options->nr_pids || options->argv)
			return ptu_err_set(err, -EINVAL,
					   "the command %s takes no processes",
					   command);
		return fit_shown(options, err);
	}
	if (compares_pages &&
	    (options->from || options->orphans || options->estimators))
		return ptu_err_set(err, -EINVAL,
				   "--pages compares the pages of running processes: it excludes --from, --orphans and --estimator");
	if ((options->truth == PTU_SIDE_BPF ||
	     options->truth == PTU_SIDE_BOTH) &&
	    (options->orphans || compares_pages))
		return ptu_err_set(err, -EINVAL,
				   "--orphans and --pages need the module: they exclude --truth bpf and --truth both");
	if (compares_pages && (ptu_options_is_group(options) || options->argv))
		return ptu_err_set(err, -EINVAL,
				   "--pages takes PIDs, not --all, --user, --cgroup, --unit, --name, --tree nor a command");
	if (options->command == PTU_CMD_SCORE &&
	    (!options->nr_scored || options->argv))
		return ptu_err_set(err, -EINVAL,
				   "score needs estimators, and processes after one --, as in: score naive -- --all");
	if (options->argv && !options->argv[0])
		return ptu_err_set(err, -EINVAL,
				   "there is no command after --");
	if (options->command == PTU_CMD_RECORD &&
	    (!options->to || !*options->to))
		return ptu_err_set(err, -EINVAL,
				   "record needs --to DIR, and PIDs or an option that chooses processes");
	if (options->from && (options->argv || options->freeze))
		return ptu_err_set(err, -EINVAL,
				   "--from reads a recording: it excludes --freeze and a command after --");
	if (options->from && options->orphans)
		return ptu_err_set(err, -EINVAL,
				   "--orphans walks the running kernel: a recording has only the walk by mappings");
	error = fit_chosen(options, command, err);
	if (!error && options->command == PTU_CMD_CHECK && options->html)
		error = fit_check_page(options, err);
	if (error)
		return error;
	if (options->command == PTU_CMD_WATCH && options->estimators &&
	    options->truth != PTU_SIDE_AUTO)
		return ptu_err_set(err, -EINVAL,
				   "--estimator and --truth exclude each other: watch shows one side");
	if (options->after_ns && !options->argv)
		return ptu_err_set(err, -EINVAL,
				   "--after needs a command after --");
	if (options->render.mappings && !options->json &&
	    (options->render.raw || ptu_options_is_group(options) ||
	     (options->from && !options->nr_pids)))
		return ptu_err_set(err, -EINVAL,
				   "--mappings goes with PIDs or a command, and not with --raw; --json has the mappings of all processes");
	return fit_shown(options, err);
}
