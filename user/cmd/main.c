// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ptaudit: parse options, run the command, print the report.  The only place that
 * calls exit() and prints diagnostics; must not know how anything is measured.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acquire/child.h"
#include "acquire/kernel_side.h"
#include "acquire/module.h"
#include "acquire/procfs.h"
#include "acquire/recording.h"
#include "acquire/sharers.h"
#include "base/err.h"
#include "base/escape.h"
#include "base/version.h"
#include "base/written.h"
#include "cmd/check_pages.h"
#include "cmd/choose.h"
#include "cmd/complete.h"
#include "cmd/cow.h"
#include "cmd/diff.h"
#include "cmd/export.h"
#include "cmd/flags.h"
#include "cmd/footprint.h"
#include "cmd/help.h"
#include "cmd/kpagemap.h"
#include "cmd/load.h"
#include "cmd/map.h"
#include "cmd/options.h"
#include "cmd/page.h"
#include "cmd/record.h"
#include "cmd/score.h"
#include "cmd/select.h"
#include "cmd/system.h"
#include "cmd/top.h"
#include "cmd/watch.h"
#include "cmd/whatif.h"
#include "estimate/estimator.h"
#include "measure/map_check.h"
#include "measure/processes.h"
#include "measure/tables.h"
#include "render/render.h"

#define EXIT_TROUBLE 2

static void say(const char *sentence)
{
	char shown[PTU_ESCAPE_BYTES(PTU_ERR_LEN + 64)];

	fprintf(stderr, "ptaudit: %s\n",
		ptu_escape_sentence(sentence, shown, sizeof(shown)));
}

static int trouble(const struct ptu_err *err, int error)
{
	say(err->text[0] ? err->text : strerror(-error));
	return EXIT_TROUBLE;
}

static int survey_command(const struct ptu_options *options,
			  struct ptu_measure *measure,
			  struct ptu_report *report, struct ptu_run *run,
			  struct ptu_err *err)
{
	int error;

	error = ptu_run_start(options->argv, options->after_ns, run, err);
	if (error)
		return error;
	/* a command that is held at its exit stop need not be frozen */
	if (run->at_exit)
		measure->freeze = false;
	return ptu_survey_add(measure, run->pid, report, err);
}

static int survey_group(const struct ptu_options *options,
			const struct ptu_measure *measure,
			struct ptu_report *report, struct ptu_err *err)
{
	pid_t *pids = NULL;
	size_t nr_pids = 0;
	int error = ptu_select_group(options, &pids, &nr_pids, err);

	if (!error)
		error = ptu_survey_group(measure, pids, nr_pids, report, err);
	free(pids);
	return error;
}

static int survey(const struct ptu_options *options,
		  struct ptu_measure *measure, struct ptu_report *report,
		  struct ptu_run *run, struct ptu_err *err)
{
	if (report->is_all && !options->html)
		return survey_group(options, measure, report, err);
	if (options->argv)
		return survey_command(options, measure, report, run, err);
	if (options->html) {
		pid_t pid;
		int error = ptu_choose_pid(options, &pid, err);

		return error ? error :
			       ptu_survey_add(measure, pid, report, err);
	}
	return ptu_survey_named(measure, options->pids, options->nr_pids,
				report, err);
}

/*
 * Report denied processes in one sentence: an unprivileged user has many.
 * @known: ": what the rows of these processes show", or ""
 */
static void say_denied(const struct ptu_report *report, const char *known)
{
	size_t nr = ptu_report_with(report, PTU_STATUS_DENIED);

	if (nr)
		fprintf(stderr,
			"ptaudit: permission denied for %zu of %zu processes%s%s\n",
			nr, report->nr_processes, known,
			geteuid() ? "; root can measure all" : "");
}

/* Suggest --freeze.  Only commands that take the option call this. */
static void say_freeze(const struct ptu_options *options,
		       const struct ptu_report *report)
{
	if (!options->freeze && !options->from &&
	    ptu_report_with(report, PTU_STATUS_UNSTABLE))
		say(PTU_FREEZE_HINT);
}

/* The rows of a denied process in estimate and check. */
#define ONLY_STATUS ": only their VmPTE and VmRSS are known"

/* Say why processes were not measured, and whether a group has no measured process. */
static void say_failures(const struct ptu_report *report, const char *known)
{
	size_t i;

	say_denied(report, known);
	if (report->is_all &&
	    ptu_report_with(report, PTU_STATUS_GONE) == report->nr_processes)
		say("no process was measured: the group has only kernel threads, zombies, ended processes, or ptaudit itself");

	for (i = 0; i < report->nr_processes; i++) {
		const struct ptu_process *process = &report->processes[i];
		char name[32], sentence[PTU_ERR_LEN + 64];

		if (process->status == PTU_STATUS_OK ||
		    process->status == PTU_STATUS_DENIED ||
		    (process->status == PTU_STATUS_GONE && report->is_all))
			continue;
		snprintf(name, sizeof(name), "process %d", (int)process->pid);
		/* most messages already name the process */
		if (strstr(process->error, name)) {
			say(process->error);
			continue;
		}
		snprintf(sentence, sizeof(sentence), "%s: %s", name,
			 process->error[0] ? process->error :
					     ptu_status_name(process->status));
		say(sentence);
	}
}

static int render(const struct ptu_options *options,
		  const struct ptu_report *report,
		  const struct ptu_check_maps *maps, struct ptu_err *err)
{
	int error;

	if (options->json)
		error = ptu_render_json(report, &options->render, stdout, err);
	else if (options->ktap)
		error = ptu_render_ktap(report, stdout, err);
	else if (options->html)
		/* a process that could not be measured is reported without a page */
		error = report->processes[0].status == PTU_STATUS_OK ?
				ptu_page_write(options->html, &maps->sheet,
					       stdout, err) :
				0;
	else
		error = ptu_render_text(report, &options->render, stdout, err);
	return error;
}

/* --orphans needs the module: only the module walks the tables twice. */
static int kernel_side(const struct ptu_options *options,
		       const struct ptu_geometry *geo,
		       struct ptu_kernel_side *ret, struct ptu_err *err)
{
	enum ptu_side_choice choice = options->orphans ? PTU_SIDE_MODULE :
							 options->truth;
	int error = ptu_side_open(choice, geo, ret, err);

	if (!error && options->orphans)
		error = ptu_truth_has_orphans(err);
	return error;
}

static int measure_command(const struct ptu_options *options,
			   struct ptu_err *err)
{
	const struct ptu_estimator *estimators[PTU_MAX_ESTIMATORS];
	struct ptu_kernel_side side = { 0 };
	struct ptu_check_maps maps = { .sheet = { .nr_sides = 0 } };
	struct ptu_geometry geo;
	struct ptu_measure measure = {
		.geo = &geo,
		.side = &side,
		.estimators = estimators,
		.freeze = options->freeze,
		.orphans = options->orphans,
		.is_recording = options->from != NULL,
		.by_mapping = options->render.mappings,
		.fill = options->fill,
		.maps = options->html ? &maps : NULL,
	};
	bool is_check = options->command == PTU_CMD_CHECK;
	struct ptu_report report = { 0 };
	struct ptu_run run = { 0 };
	int status;
	int error;
	size_t i;

	if (options->from) {
		error = ptu_recording_use(options->from, err);
		if (error)
			return trouble(err, error);
	}
	error = ptu_choose_estimators(options->estimators, estimators,
				      &measure.nr_estimators, err);
	if (error)
		return trouble(err, error);
	for (i = 0; i < measure.nr_estimators; i++)
		if (options->from && estimators[i]->program)
			return trouble(err,
				       ptu_err_set(err, -EINVAL,
						   "%s cannot be used with a recording: it would measure this machine",
						   estimators[i]->name));
	error = ptu_proc_geometry(&geo, err);
	if (!error && is_check)
		error = kernel_side(options, &geo, &side, err);
	if (!error)
		error = ptu_survey_begin(&measure, is_check, &report, err);
	report.is_all = ptu_select_is_group(options);
	report.require_all = options->require_all;
	report.has_mappings = options->render.mappings;
	report.has_fill = is_check ? options->render.mappings : options->fill;
	if (!error && ptu_render_text_wants_fill(&report, &options->render))
		measure.fill = true;
	if (!error)
		error = ptu_render_text_check(&report, &options->render, err);
	if (!error && options->html)
		error = ptu_render_map_html_ready(err);
	if (error) {
		ptu_side_close(&side);
		return trouble(err, error);
	}

	error = survey(options, &measure, &report, &run, err);
	if (!error)
		error = ptu_survey_end(&report);
	if (!error)
		error = render(options, &report, &maps, err);
	if (error) {
		status = trouble(err, error);
	} else {
		say_failures(&report, ONLY_STATUS);
		say_freeze(options, &report);
		status = ptu_report_status(&report);
	}
	ptu_report_deinit(&report);
	ptu_check_maps_deinit(&maps);
	ptu_side_close(&side);
	ptu_err_clear(err);
	if (run.pid && ptu_run_end(&run, err))
		say(err->text);
	return status;
}

static int footprint_command(const struct ptu_options *options,
			     struct ptu_err *err)
{
	struct ptu_footprint_report report;
	int error = ptu_footprint_command(options, stdout, &report, err);
	int status;

	if (error)
		return trouble(err, error);
	say_failures(&report.base, "");
	status = ptu_report_status(&report.base);
	ptu_footprint_report_deinit(&report);
	return status;
}

static int whatif_command(const struct ptu_options *options,
			  struct ptu_err *err)
{
	struct ptu_whatif_report report;
	int error = ptu_whatif_command(options, stdout, &report, err);
	int status;

	if (error)
		return trouble(err, error);
	say_failures(&report.base, "");
	status = ptu_whatif_status(&report);
	ptu_whatif_report_deinit(&report);
	return status;
}

/* For each estimator, report processes that were not scored, with the first reason. */
static void say_unscored(const struct ptu_score_report *score)
{
	size_t i, k;

	if (score->nr_rows)
		say_denied(&score->rows[0].base, "");
	for (i = 0; i < score->nr_rows; i++) {
		const struct ptu_score_row *row = &score->rows[i];
		const struct ptu_process *process = row->base.processes;
		char sentence[PTU_ERR_LEN + 256];

		for (k = 0; k < row->base.nr_processes &&
			    !ptu_score_is_missing(&row->base, process);
		     k++)
			process++;
		if (k == row->base.nr_processes && row->processes)
			continue;
		snprintf(sentence, sizeof(sentence),
			 "%.128s: %" PRIu64 " of %zu processes not scored%s%s",
			 row->name, row->base.nr_processes - row->processes,
			 row->base.nr_processes,
			 k < row->base.nr_processes ? "; the first: " : "",
			 k < row->base.nr_processes ? process->error : "");
		say(sentence);
	}
}

static int score_command(const struct ptu_options *options, struct ptu_err *err)
{
	struct ptu_score_report score;
	int error = ptu_score_command(options, stdout, &score, err);
	int status;

	if (error)
		return trouble(err, error);
	say_unscored(&score);
	if (score.nr_rows)
		say_freeze(options, &score.rows[0].base);
	status = ptu_score_status(&score);
	ptu_score_report_deinit(&score);
	return status;
}

static int module_command(const struct ptu_options *options,
			  struct ptu_err *err)
{
	bool load = options->command == PTU_CMD_LOAD;
	bool already = false;
	int error;

	error = load ? ptu_modctl_load(options->module_file, &already, err) :
		       ptu_modctl_unload(&already, err);
	if (error)
		return trouble(err, error);
	if (already)
		say(load ? "the module is loaded already" :
			   "the module is not loaded");
	return 0;
}

/* Hidden processes are not even counted as denied. */
static void say_hidden(const struct ptu_options *options)
{
	/* these take all processes by default */
	const bool is_all = !options->nr_pids &&
			    (options->command == PTU_CMD_TOP ||
			     options->command == PTU_CMD_EXPORT);

	if (!options->from && (is_all || ptu_options_is_group(options)) &&
	    ptu_proc_hides_users())
		say("/proc is mounted with hidepid: processes of other users are left out");
}

/* A process that is not stopped changes the tables that it shares with the stopped one. */
static void say_not_frozen(const struct ptu_options *options)
{
	if (options->freeze && !ptu_sharers_known())
		say("--freeze stops each process alone, without those that share its address space: kcmp() does not work (CONFIG_KCMP, or seccomp)");
}

/* A tree has no row for a root that does not exist. */
static int check_roots(const struct ptu_options *options, struct ptu_err *err)
{
	struct ptu_proc proc;
	size_t i;

	for (i = 0; options->tree && !options->from && i < options->nr_roots;
	     i++) {
		int error = ptu_proc_open(options->roots[i], &proc, err);

		if (error == -ESRCH)
			return error;
		if (error)
			ptu_err_clear(err);
		else
			ptu_proc_close(&proc);
	}
	return 0;
}

/* Handle options that need no process. */
static void say_what_is(const struct ptu_options *options)
{
	if (options->help)
		ptu_help(options, stdout);
	else if (options->version)
		printf("ptaudit %s\n", PTU_VERSION);
	else
		ptu_help_columns(options, stdout);
}

static int run_main(int argc, char *argv[])
{
	struct ptu_options options;
	FILE *progress = isatty(STDERR_FILENO) ? stderr : NULL;
	struct ptu_err err = { .text = "" };
	int status = 0;
	int error;

	error = ptu_options_parse(argc, argv, &options, &err);
	if (error)
		return trouble(&err, error);
	if (options.help || options.version || options.list_columns) {
		say_what_is(&options);
		ptu_options_deinit(&options);
		return 0;
	}
	error = check_roots(&options, &err);
	if (error) {
		ptu_options_deinit(&options);
		return trouble(&err, error);
	}
	say_hidden(&options);
	say_not_frozen(&options);
	switch (options.command) {
	case PTU_CMD_CHECK:
	case PTU_CMD_ESTIMATE:
		if (options.pages)
			error = ptu_totals_command(&options, stdout, say,
						   &status, &err);
		else
			status = measure_command(&options, &err);
		break;
	case PTU_CMD_COW:
		error = ptu_cow_command(&options, stdout, &status, &err);
		break;
	case PTU_CMD_FLAGS:
		error = ptu_flags_command(&options, stdout, &err);
		break;
	case PTU_CMD_KPAGEMAP:
		error = ptu_kpagemap_command(&options, stdout, progress,
					     &status, &err);
		break;
	case PTU_CMD_FOOTPRINT:
		status = footprint_command(&options, &err);
		break;
	case PTU_CMD_TOP:
		error = ptu_top_command(&options, stdout, &err);
		break;
	case PTU_CMD_MAP:
		error = ptu_map_command(&options, stdout, &err);
		break;
	case PTU_CMD_DIFF:
		error = ptu_diff_command(&options, stdout, &status, &err);
		break;
	case PTU_CMD_WATCH:
		error = ptu_watch_command(&options, stdout, say, &status, &err);
		break;
	case PTU_CMD_WHATIF:
	case PTU_CMD_RECLAIM:
		status = whatif_command(&options, &err);
		break;
	case PTU_CMD_SYSTEM:
		error = ptu_system_command(&options, stdout, progress, &err);
		break;
	case PTU_CMD_SCORE:
		status = score_command(&options, &err);
		break;
	case PTU_CMD_EXPORT:
		error = ptu_export_command(&options, stdout, &err);
		break;
	case PTU_CMD_RECORD:
		error = ptu_record_command(&options, say, &status, &err);
		break;
	case PTU_CMD_LOAD:
	case PTU_CMD_UNLOAD:
		status = module_command(&options, &err);
		break;
	case PTU_CMD_HELP:
	case PTU_NR_COMMANDS:
		break; /* ptaudit help was handled above */
	}
	ptu_options_deinit(&options);
	return error ? trouble(&err, error) : status;
}

/* A full disk may only be detected here. */
static int close_output(int status)
{
	struct ptu_err err = { "" };
	int error = ptu_written(stdout, 0, &err);

	if (!error && fclose(stdout))
		error = ptu_err_set(&err, -errno,
				    "cannot write the output: %m");
	if (!error)
		return status;
	if (status != EXIT_TROUBLE)
		say(err.text);
	return EXIT_TROUBLE;
}

/*
 * Open /dev/null for each standard descriptor that is closed.  Otherwise open() would
 * return its number for the next file, and a report or a message would go into that
 * file.  The descriptor is read-only, so that writing to it still fails.
 */
static bool open_standard_descriptors(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != fd)
			return false;
	return true;
}

int main(int argc, char *argv[])
{
	int status;

	if (!open_standard_descriptors()) {
		say("a standard descriptor is closed, and /dev/null cannot be opened");
		exit(EXIT_TROUBLE);
	}
	/* the caller may ignore it: then waitpid() cannot find a child that has ended */
	signal(SIGCHLD, SIG_DFL);
	/* needed for the width of names; the format of numbers does not change */
	setlocale(LC_CTYPE, "");
	if (argc > 1 && !strcmp(argv[1], "--complete"))
		status = ptu_complete(argv + 2, (size_t)argc - 2, stdout);
	else
		status = run_main(argc, argv);
	status = close_output(status);
	exit(status);
}
