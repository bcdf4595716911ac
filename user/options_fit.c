// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What cannot be asked for at once.
 */
#include "options_fit.h"

#include <errno.h>

/* How something is shown. */
static int fit_shown(const struct ptu_options *options, struct ptu_err *err)
{
	if (options->json &&
	    (options->render.raw || options->render.no_headings ||
	     options->render.columns || options->render.all_columns ||
	     options->render.bytes || options->render.mappings))
		return ptu_err_set(err, -EINVAL,
				   "--json excludes the options that shape text (-r -n -o -O -b -m)");
	if (options->render.columns && options->render.all_columns)
		return ptu_err_set(err, -EINVAL,
				   "--output and --output-all exclude each other");
	return 0;
}

static int fit_footprint(const struct ptu_options *options, struct ptu_err *err)
{
	if (options->argv || (options->nr_pids != 0) + options->all +
					     (options->user != NULL) +
					     (options->cgroup != NULL) !=
				     1)
		return ptu_err_set(err, -EINVAL,
				   "footprint wants one of PIDs, --all, --user and --cgroup");
	return fit_shown(options, err);
}

int ptu_options_fit(const struct ptu_options *options, const char *command,
		    struct ptu_err *err)
{
	if (1u << options->command & PTU_PAGES &&
	    (options->nr_pids != 1 || options->argv))
		return ptu_err_set(err, -EINVAL,
				   "the command %s wants one PID, and perhaps ADDR or ADDR-END",
				   command);
	if (!(1u << options->command & (PTU_SHOWS | PTU_RECORDS) &
	      ~PTU_FRAMES)) {
		if (options->nr_pids || options->argv)
			return ptu_err_set(err, -EINVAL,
					   "the command %s takes no processes",
					   command);
		return fit_shown(options, err);
	}
	if (options->pages &&
	    (options->from || options->orphans || options->estimators))
		return ptu_err_set(err, -EINVAL,
				   "--pages compares pages, not tables, and of running processes: it excludes --from, --orphans and --estimator");
	if (options->pages && (options->all || options->argv))
		return ptu_err_set(err, -EINVAL,
				   "--pages takes PIDs, not --all nor a command");
	if (options->argv && !options->argv[0])
		return ptu_err_set(err, -EINVAL,
				   "there is no command after --");
	if (1u << options->command & PTU_FOOTPRINTS)
		return fit_footprint(options, err);
	if ((options->nr_pids != 0) + options->all + (options->argv != NULL) >
	    1)
		return ptu_err_set(err, -EINVAL,
				   "PIDs, --all and a command after -- exclude each other");
	if (options->command == PTU_CMD_RECORD &&
	    (options->argv || !options->to))
		return ptu_err_set(err, -EINVAL,
				   "record wants --to DIR, and PIDs or --all");
	if (options->from && (options->argv || options->freeze))
		return ptu_err_set(err, -EINVAL,
				   "a recording cannot run a command, nor be frozen");
	if (options->from && options->orphans)
		return ptu_err_set(err, -EINVAL,
				   "--orphans asks the running kernel: a recording has only the walk by mappings");
	if (!options->nr_pids && !options->all && !options->argv &&
	    !options->from)
		return ptu_err_set(err, -EINVAL,
				   "no process given; name PIDs, --all, or a command after --");
	if (options->after_ns && !options->argv)
		return ptu_err_set(err, -EINVAL,
				   "--after goes with a command after --");
	if (options->render.mappings && (options->render.raw || options->all ||
					 (options->from && !options->nr_pids)))
		return ptu_err_set(err, -EINVAL,
				   "--mappings goes with PIDs or a command, and not with --raw; --json always has the mappings");
	return fit_shown(options, err);
}
