// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The command record: select the processes to record, and report what is missing.
 * Must not know which data of a process is read.
 */
#include "cmd/record.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acquire/procfs.h"
#include "acquire/record.h"
#include "cmd/select.h"

#define STATUS_MISSING 2

/**
 * struct outcome - result for the selected processes
 * @say: prints a sentence about something that is not in the recording
 * @nr_recorded: number of recorded processes
 * @nr_denied: number of processes that ptaudit has no permission to read
 * @denied: their PIDs, as far as they fit
 * @status: exit status of the command
 */
struct outcome {
	void (*say)(const char *sentence);
	size_t nr_recorded;
	size_t nr_denied;
	char denied[256];
	int status;
};

static void add_denied(struct outcome *outcome, pid_t pid)
{
	size_t used = strlen(outcome->denied);
	char name[16];

	outcome->nr_denied++;
	snprintf(name, sizeof(name), " %d", (int)pid);
	if (used + strlen(name) + sizeof(" ...") <= sizeof(outcome->denied))
		strcpy(outcome->denied + used, name);
	else if (outcome->denied[used - 1] != '.')
		strcpy(outcome->denied + used, " ...");
}

/*
 * Record one process of a group.  If the process has ended, or access to it is refused,
 * go on with the next one.  A write error ends the recording.
 */
static int add_one_of_group(struct ptu_record *record, pid_t pid,
			    struct outcome *outcome, struct ptu_err *err)
{
	int error = ptu_record_add(record, pid, err);

	if (error == -ENOMEM || record->dir.is_broken)
		return error;
	if (!error) {
		outcome->nr_recorded++;
	} else if (error == -EACCES || error == -EPERM) {
		add_denied(outcome, pid);
	} else if (error != -ESRCH) {
		outcome->say(err->text[0] ? err->text : strerror(-error));
		outcome->status = STATUS_MISSING;
	}
	ptu_err_clear(err);
	return 0;
}

static int record_group(const struct ptu_options *options,
			struct ptu_record *record, struct outcome *outcome,
			struct ptu_err *err)
{
	size_t nr_pids = 0, i;
	pid_t *pids = NULL;
	int error = ptu_select_group(options, &pids, &nr_pids, err);

	for (i = 0; !error && i < nr_pids; i++) {
		struct ptu_proc proc;

		if (ptu_proc_open(pids[i], &proc, NULL))
			continue;
		ptu_proc_close(&proc);
		if (proc.kthread || ptu_proc_is_zombie(&proc) ||
		    pids[i] == getpid())
			continue;
		error = add_one_of_group(record, pids[i], outcome, err);
	}
	free(pids);
	if (!error && outcome->nr_denied) {
		char sentence[sizeof(outcome->denied) + 128];

		snprintf(sentence, sizeof(sentence),
			 "permission denied for %zu of %zu processes, which are not recorded:%s",
			 outcome->nr_denied,
			 outcome->nr_denied + outcome->nr_recorded,
			 outcome->denied);
		outcome->say(sentence);
		if (options->require_all)
			outcome->status = STATUS_MISSING;
	}
	if (!error && !outcome->nr_recorded)
		error = ptu_err_set(err, -ENOENT,
				    "no process could be recorded");
	return error;
}

static int record_pids(struct ptu_record *record, const pid_t *pids,
		       size_t nr_pids, struct ptu_err *err)
{
	size_t i, k;
	int error = 0;

	for (i = 0; !error && i < nr_pids; i++) {
		for (k = 0; pids[k] != pids[i]; k++)
			;
		if (k == i) /* the first time that this PID is named */
			error = ptu_record_add(record, pids[i], err);
	}
	return error;
}

/* Report why neither the module nor BPF could be used. */
static void say_without(const struct ptu_record *record,
			void (*say)(const char *))
{
	char sentence[PTU_ERR_LEN + 64];

	if (record->side.which != PTU_SIDE_AUTO)
		return;
	snprintf(sentence, sizeof(sentence),
		 "recorded without a walk by the module or BPF: %s",
		 record->without.text);
	say(sentence);
}

int ptu_record_command(const struct ptu_options *options,
		       void (*say)(const char *), int *ret_status,
		       struct ptu_err *err)
{
	struct outcome outcome = { .say = say };
	struct ptu_geometry geo;
	struct ptu_record record;
	int error = ptu_proc_geometry(&geo, err);

	if (!error)
		error = ptu_record_begin(options->to, &geo, options->truth,
					 options->redact, options->pages,
					 &record, err);
	if (error)
		return error;
	if (ptu_select_is_group(options))
		error = record_group(options, &record, &outcome, err);
	else
		error = record_pids(&record, options->pids, options->nr_pids,
				    err);
	if (error)
		ptu_record_undo(&record);
	else
		error = ptu_record_end(&record, err);
	if (!error)
		say_without(&record, say);
	*ret_status = outcome.status;
	return error;
}
