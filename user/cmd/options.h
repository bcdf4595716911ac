/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parse and check the command line. */
#ifndef PTU_CMD_OPTIONS_H
#define PTU_CMD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "acquire/kernel_side.h"
#include "base/err.h"
#include "model/range.h"
#include "render/render.h"

/* The hint for a process that kept changing. Only commands with --freeze show it. */
#define PTU_FREEZE_HINT "--freeze stops each process while it is measured"

enum ptu_command {
	PTU_CMD_CHECK,
	PTU_CMD_ESTIMATE,
	PTU_CMD_COW,
	PTU_CMD_FLAGS,
	PTU_CMD_KPAGEMAP,
	PTU_CMD_FOOTPRINT,
	PTU_CMD_TOP,
	PTU_CMD_MAP,
	PTU_CMD_WHATIF,
	PTU_CMD_RECLAIM,
	PTU_CMD_WATCH,
	PTU_CMD_DIFF,
	PTU_CMD_SYSTEM,
	PTU_CMD_SCORE,
	PTU_CMD_EXPORT,
	PTU_CMD_RECORD,
	PTU_CMD_LOAD,
	PTU_CMD_UNLOAD,
	PTU_CMD_HELP,
	PTU_NR_COMMANDS
};

/**
 * struct ptu_options - the parsed command line
 * @command: the command
 * @is_named: its name was given; otherwise it is check
 * @help: print the help of the command, or of all if none was given
 * @version: print the version
 * @list_columns: print the columns of the command
 * @all: select all processes
 * @pids: [nr_pids] select these processes
 * @user: select the processes of this user: a name or a UID
 * @cgroup: select the processes of this cgroup
 * @unit: select the processes of this systemd unit
 * @name: select processes whose comm matches this regular expression
 * @tree: also select the processes that these, or the command, have started
 * @roots: [nr_roots] with @tree: the PIDs, which are not in @pids then
 * @self: one of the PIDs is ptaudit itself
 * @require_all: fail without permission to read one of the selected processes
 * @redact: record: replace paths and page frame numbers
 * @range: addresses of the single PID of cow and flags
 * @ranges: flags: print runs of pages
 * @argv: measure this command, NULL-terminated
 * @after_ns: measure it after this time, 0: at its exit
 * @freeze: stop processes while they are measured
 * @orphans: also compare the kernel's two walks
 * @fill: count the used entries of PTE tables
 * @pages: check: compare what is mapped, instead of page tables; record: also record
 *	the flags and counts of pages
 * @truth: where the kernel's side comes from
 * @json: JSON instead of text
 * @ktap: KTAP instead of text
 * @estimators: argument of --estimator, or NULL
 * @module_file: argument of --module, or NULL
 * @from: the recording to read instead of /proc, or NULL
 * @to: the directory to record to, or NULL
 * @act: reclaim: free the tables
 * @max_fill_bytes: reclaim: memory that filling holes may take
 * @by: top: kind of the groups, or NULL
 * @tables: map: print one line per table
 * @watch: map: repeat the map
 * @diff: map: compare the two @sides
 * @html: map and check: HTML file to write, or NULL
 * @interval_ns: time between two outputs; top: 0 means only one output
 * @sides: [nr_sides] arguments of diff and map: recordings, or a PID
 * @count: watch: number of intervals; SIZE_MAX: no end
 * @has_over: watch ends if growth exceeds @over_bytes per second
 * @over_bytes: see @has_over
 * @openmetrics: output file of export, "-" for standard output, or NULL
 * @remainder: export the remainder of system, too
 * @scored: [nr_scored] score: names of estimators
 * @levels: score: one bit per level, 0: all levels
 * @exact_only: score: explained differences count as errors
 * @batch: top: print tables instead of the live view
 * @render: format of the text
 */
struct ptu_options {
	enum ptu_command command;
	bool is_named;
	bool help;
	bool version;
	bool list_columns;
	bool all;
	pid_t *pids;
	size_t nr_pids;
	const char *user;
	const char *cgroup;
	const char *unit;
	const char *name;
	bool tree;
	pid_t *roots;
	size_t nr_roots;
	bool self;
	bool require_all;
	bool redact;
	struct ptu_range range;
	bool ranges;
	char **argv;
	long long after_ns;
	bool freeze;
	bool orphans;
	bool fill;
	bool pages;
	enum ptu_side_choice truth;
	bool json;
	bool ktap;
	const char *estimators;
	const char *module_file;
	const char *from;
	const char *to;
	bool act;
	unsigned long long max_fill_bytes;
	const char *by;
	bool tables;
	bool watch;
	bool diff;
	const char *html;
	const char *openmetrics;
	bool remainder;
	long long interval_ns;
	const char *sides[2];
	size_t nr_sides;
	size_t count;
	bool has_over;
	unsigned long long over_bytes;
	const char **scored;
	size_t nr_scored;
	unsigned int levels;
	bool exact_only;
	bool batch;
	struct ptu_render_options render;
};

/**
 * ptu_options_parse() - Parse the command line.
 *
 * With @ret->help, @ret->version or @ret->list_columns the other options need not
 * be complete and are to be ignored.
 *
 * @ret: (out) points into @argv; free with ptu_options_deinit(); untouched on
 *	failure
 *
 * Return: 0; -EINVAL with a sentence; -ENOMEM.
 */
ptu_must_check int ptu_options_parse(int argc, char *argv[],
				     struct ptu_options *ret,
				     struct ptu_err *err);

void ptu_options_deinit(struct ptu_options *options);

/**
 * ptu_options_is_group() - Was --all, --user, --cgroup, --unit, --name or --tree given?
 */
bool ptu_options_is_group(const struct ptu_options *options);

#endif
