// SPDX-License-Identifier: LGPL-2.1-or-later
/* Handles of the library and their measurements; must not know how to measure. */
#include "lib/handle.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acquire/file.h"
#include "acquire/kernel_side.h"
#include "acquire/procfs.h"
#include "acquire/recording.h"
#include "base/version.h"
#include "measure/choose.h"
#include "measure/map.h"
#include "measure/tables.h"

_Static_assert((int)PTAUDIT_LEVELS == (int)PTAUDIT_NR_LEVELS &&
		       (int)PTAUDIT_LEVEL_PTE == (int)PTAUDIT_PTE &&
		       (int)PTAUDIT_LEVEL_PGD == (int)PTAUDIT_PGD,
	       "levels");
_Static_assert((int)PTAUDIT_TRUTH_ANY == (int)PTU_SIDE_AUTO &&
		       (int)PTAUDIT_TRUTH_MODULE == (int)PTU_SIDE_MODULE &&
		       (int)PTAUDIT_TRUTH_BPF == (int)PTU_SIDE_BPF &&
		       (int)PTAUDIT_TRUTH_BOTH == (int)PTU_SIDE_BOTH,
	       "sides");

/**
 * struct source - data source of a handle
 * @recording: descriptor of the recording's directory; -1: /proc
 * @geo: the machine's geometry; valid if @is_ready
 * @estimator: NULL: the best one, set when @is_ready becomes true
 * @choice: requested kernel's side
 * @side: the kernel's side; valid if @has_side
 */
struct source {
	int recording;
	struct ptu_geometry geo;
	const struct ptu_estimator *estimator;
	enum ptu_side_choice choice;
	struct ptu_kernel_side side;
	bool is_ready;
	bool has_side;
};

struct ptaudit {
	struct source source;
	struct ptu_err err;
};

const char *ptaudit_version(void)
{
	return PTU_VERSION;
}

const char *ptaudit_level_name(unsigned int level)
{
	return level < PTAUDIT_NR_LEVELS ? ptu_level_name(level) : NULL;
}

const char *ptaudit_estimator_name(size_t index)
{
	size_t nr = 0;

	while (ptu_estimators[nr] && nr < index)
		nr++;
	return ptu_estimators[nr] ? ptu_estimators[nr]->name : NULL;
}

/* Return: the recording that this thread used before, to be passed to end(). */
static int begin(struct ptaudit *handle)
{
	ptu_err_clear(&handle->err);
	return ptu_file_swap_recording(handle->source.recording);
}

static int end(struct ptaudit *handle, int before, int error)
{
	ptu_file_swap_recording(before);
	if (!error)
		ptu_err_clear(&handle->err);
	return ptu_err_set(error ? &handle->err : NULL, error, "%s",
			   strerror(-error));
}

static int too_new(struct ptu_err *err)
{
	return ptu_err_set(err, -E2BIG,
			   "libptaudit %s does not know one of the options: it is older than its caller",
			   PTU_VERSION);
}

/*
 * Copy options of the size that the caller knows. Members that the caller does not
 * know become 0; members that the library does not know must be 0.
 */
static int take(const void *given, void *ret, size_t known_bytes,
		struct ptu_err *err)
{
	size_t bytes, i;

	memcpy(&bytes, given, sizeof(bytes));
	if (bytes < 2 * sizeof(bytes))
		return ptu_err_set(err, -EINVAL,
				   "a struct of %zu bytes has no room for options: .size was not set",
				   bytes);
	for (i = known_bytes; i < bytes; i++)
		if (((const char *)given)[i])
			return too_new(err);
	memset(ret, 0, known_bytes);
	memcpy(ret, given, bytes < known_bytes ? bytes : known_bytes);
	return 0;
}

static int take_flags(const struct ptaudit_ask *given, uint64_t allowed,
		      uint64_t *ret, struct ptu_err *err)
{
	const uint64_t known = PTAUDIT_ASK_FILL | PTAUDIT_ASK_KERNEL;
	struct ptaudit_ask ask = { .flags = 0 };
	int error = given ? take(given, &ask, sizeof(ask), err) : 0;

	if (!error && ask.flags & ~known)
		error = too_new(err);
	else if (!error && ask.flags & ~allowed)
		error = ptu_err_set(err, -EINVAL,
				    "flags %#llx are not valid for this call",
				    (unsigned long long)(ask.flags & ~allowed));
	*ret = ask.flags;
	return error;
}

int ptaudit_new(struct ptaudit **ret)
{
	struct ptaudit *handle = calloc(1, sizeof(*handle));

	if (!handle)
		return -ENOMEM;
	handle->source.recording = -1;
	*ret = handle;
	return 0;
}

static void source_deinit(struct source *source)
{
	if (source->has_side)
		ptu_side_close(&source->side);
	if (source->recording >= 0)
		close(source->recording);
}

void ptaudit_free(struct ptaudit *handle)
{
	if (!handle)
		return;
	source_deinit(&handle->source);
	free(handle);
}

/* Set up the source, and use the recording of @options if there is one. */
static int configure(const struct ptaudit_options *options, struct source *ret,
		     struct ptu_err *err)
{
	static const char sentence[] =
		"the library takes the name of one built-in estimator";
	const char *name = options->estimator;
	int error = 0;

	if (options->truth > PTAUDIT_TRUTH_BOTH)
		return ptu_err_set(err, -EINVAL, "unknown truth %u",
				   options->truth);
	/* an option of a later version that needs no larger struct */
	if (options->reserved)
		return too_new(err);
	ret->choice = (enum ptu_side_choice)options->truth;
	if (name)
		error = ptu_choose_built_in(name, sentence, &ret->estimator,
					    err);
	if (!error && options->recording)
		error = ptu_recording_use(options->recording, err);
	return error;
}

int ptaudit_configure(struct ptaudit *handle,
		      const struct ptaudit_options *options)
{
	struct source source = { .recording = -1 };
	struct ptaudit_options known;
	const int before = begin(handle);
	int error = take(options, &known, sizeof(known), &handle->err);

	ptu_file_swap_recording(-1);
	if (!error)
		error = configure(&known, &source, &handle->err);
	source.recording = ptu_file_swap_recording(before);
	if (error) {
		source_deinit(&source);
	} else {
		source_deinit(&handle->source);
		handle->source = source;
	}
	return end(handle, before, error);
}

const char *ptaudit_error(const struct ptaudit *handle)
{
	return handle->err.text;
}

int ptaudit_list(struct ptaudit *handle, pid_t *pids, size_t capacity,
		 size_t *ret_nr)
{
	const int before = begin(handle);
	pid_t *list = NULL;
	size_t nr = 0;
	int error = ptu_proc_list(&list, &nr, &handle->err);

	if (!error) {
		const size_t nr_given = nr < capacity ? nr : capacity;

		if (nr_given)
			memcpy(pids, list, nr_given * sizeof(*list));
		*ret_nr = nr;
		free(list);
	}
	return end(handle, before, error);
}

/* Called by the first measurement, not by ptaudit_new(), because it takes time. */
static int get_ready(struct source *source, bool with_side, struct ptu_err *err)
{
	int error = 0;

	if (!source->is_ready) {
		error = ptu_proc_geometry(&source->geo, err);
		if (!error && !source->estimator)
			error = ptu_best_estimator(&source->estimator, err);
		source->is_ready = !error;
	}
	if (!error && with_side && !source->has_side) {
		error = ptu_side_open(source->choice, &source->geo,
				      &source->side, err);
		source->has_side = !error;
	}
	return error;
}

static int measure_tables(struct source *source, pid_t pid, uint64_t flags,
			  struct ptaudit_report *report, struct ptu_err *err)
{
	struct ptu_process *p = &report->map.process;
	/* if no step fails, a status other than "ok" means that the process kept changing */
	int why = -EAGAIN;
	struct ptu_measure measure = {
		.geo = &source->geo,
		.side = &source->side,
		.estimators = &source->estimator,
		.nr_estimators = 1,
		.is_recording = source->recording >= 0,
		.by_mapping = true,
		.fill = flags & PTAUDIT_ASK_FILL,
		.error = &why,
	};
	int error = report->kind == PTU_LIB_CHECK ?
			    ptu_measure_check(&measure, pid, p) :
			    ptu_measure_estimate(&measure, pid, p);

	report->map.geo = source->geo;
	if (!error && p->status != PTU_STATUS_OK)
		error = ptu_err_set(err, why, "%s", p->error);
	return error;
}

static int measure_map(struct source *source, pid_t pid, uint64_t flags,
		       struct ptu_map_report *ret, struct ptu_err *err)
{
	const struct ptu_map_ask ask = {
		.geo = &source->geo,
		.side = flags & PTAUDIT_ASK_KERNEL ? &source->side : NULL,
		.estimator = source->estimator,
		.pid = pid,
	};

	return ptu_measure_map(&ask, ret, err);
}

static int measure(struct ptaudit *handle, enum ptu_lib_kind kind, pid_t pid,
		   const struct ptaudit_ask *ask, uint64_t allowed,
		   struct ptaudit_report **ret)
{
	const int before = begin(handle);
	struct ptaudit_report *report = calloc(1, sizeof(*report));
	struct source *source = &handle->source;
	struct ptu_err *err = &handle->err;
	uint64_t flags;
	int error = take_flags(ask, allowed, &flags, err);

	if (!error && !report)
		error = -ENOMEM;
	if (!error)
		error = get_ready(source,
				  kind == PTU_LIB_CHECK ||
					  flags & PTAUDIT_ASK_KERNEL,
				  err);
	if (!error) {
		report->kind = kind;
		error = kind == PTU_LIB_MAP ?
				measure_map(source, pid, flags, &report->map,
					    err) :
				measure_tables(source, pid, flags, report, err);
	}
	if (error)
		ptaudit_report_free(report);
	else
		*ret = report;
	return end(handle, before, error);
}

int ptaudit_estimate(struct ptaudit *handle, pid_t pid,
		     const struct ptaudit_ask *ask, struct ptaudit_report **ret)
{
	return measure(handle, PTU_LIB_ESTIMATE, pid, ask, PTAUDIT_ASK_FILL,
		       ret);
}

int ptaudit_check(struct ptaudit *handle, pid_t pid,
		  const struct ptaudit_ask *ask, struct ptaudit_report **ret)
{
	return measure(handle, PTU_LIB_CHECK, pid, ask, 0, ret);
}

int ptaudit_map(struct ptaudit *handle, pid_t pid,
		const struct ptaudit_ask *ask, struct ptaudit_report **ret)
{
	return measure(handle, PTU_LIB_MAP, pid, ask, PTAUDIT_ASK_KERNEL, ret);
}
