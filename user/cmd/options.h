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

/* Default of --max-fill. */
#define PTU_MAX_FILL (64ull << 20)

/* Where a process would not hold still, of commands that have the option. */
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
 * @self: one of @pids is ptaudit itself
 * @require_all: fail if a selected process may not be read
 * @redact: record: replace paths and page frame numbers
 * @range: addresses of the single PID of cow and flags
 * @ranges: flags: print runs of pages
 * @argv: measure this command, NULL-terminated
 * @after_ns: measure it after this time, 0: at its exit
 * @freeze: stop processes while they are measured
 * @orphans: also compare the kernel's two walks
 * @fill: count the used entries of PTE tables
 * @pages: compare what is mapped, instead of page tables
 * @truth: where the kernel's side comes from
 * @json: JSON instead of text
 * @ktap: or KTAP
 * @estimators: as --estimator has it, or NULL
 * @module_file: as --module has it, or NULL
 * @from: the recording to read instead of /proc, or NULL
 * @to: the directory to record to, or NULL
 * @act: reclaim: do it
 * @max_fill_bytes: and take no more memory than this
 * @by: what top makes groups by, or NULL
 * @tables: map: each table in a line
 * @watch: map: look again and again
 * @diff: map: two moments, which are @sides
 * @html: map and check: the file that becomes a page, or NULL
 * @interval_ns: top goes on, with such pauses; 0: it does not; watch always does
 * @sides: [nr_sides] what diff and map compare: recordings, or a PID
 * @count: intervals after which watch ends, SIZE_MAX: never
 * @has_over: watch ends where growth is above @over_bytes a second
 * @over_bytes: that
 * @openmetrics: the file that export writes, "-" for standard output, or NULL
 * @remainder: export the remainder of system, too
 * @scored: [nr_scored] the estimators that score was given
 * @levels: a bit for each level that score looks at, 0: all
 * @exact_only: score takes explained differences for errors
 * @batch: top prints one table behind the other
 * @render: how text is shown
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
 * ptu_options_is_group() - Was --all, --user, --cgroup, --unit or --name given?
 */
bool ptu_options_is_group(const struct ptu_options *options);

#endif
