// SPDX-License-Identifier: LGPL-2.1-or-later
/* Wires counting and writing of metrics; must not do any of the counting. */
#define _GNU_SOURCE
#include "cmd/export.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "acquire/host.h"
#include "acquire/procfs.h"
#include "cmd/choose.h"
#include "cmd/group.h"
#include "measure/export.h"
#include "measure/system.h"
#include "render/openmetrics.h"

/* Groups unless --limit says otherwise. */
#define MOST_GROUPS 100

static double now_s(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int read_remainder(const struct ptu_options *options,
			  struct ptu_export_report *report, struct ptu_err *err)
{
	struct ptu_system_report system;
	int error = ptu_measure_system(options->truth, &system, err);

	if (error)
		return error;
	report->has_remainder = true;
	report->remainder_bytes = ptu_system_remainder(&system);
	ptu_system_report_deinit(&system);
	return 0;
}

static int measure(const struct ptu_options *options,
		   struct ptu_export_report *report, struct ptu_err *err)
{
	const double begin_s = now_s(CLOCK_MONOTONIC);
	struct ptu_kernel_side side = { 0 };
	struct ptu_geometry geo;
	struct ptu_export_ask ask = { .geo = &geo };
	int error;

	report->by = options->by ? options->by : "comm";
	error = ptu_group_choose(report->by, &ask.group, err);
	if (!error)
		error = ptu_host_read(&report->host, err);
	if (!error)
		error = ptu_proc_geometry(&geo, err);
	if (error)
		return error;
	error = ptu_choose_side(options, &geo, &side, &ask.side, err);
	if (!error && !ask.side)
		ask.estimator = ptu_best_estimator();
	if (!error)
		error = ptu_measure_export(&ask, report, err);
	ptu_side_close(&side);
	if (!error && options->remainder)
		error = read_remainder(options, report, err);
	ptu_export_limit(report, options->limit ? options->limit : MOST_GROUPS);
	report->end_s = now_s(CLOCK_REALTIME);
	report->took_s = now_s(CLOCK_MONOTONIC) - begin_s;
	return error;
}

/* All of it, on the disk; or an error. */
static int fill_file(const struct ptu_export_report *report, int fd,
		     struct ptu_err *err)
{
	FILE *out = fdopen(fd, "w");
	int error;

	if (!out) {
		close(fd);
		return -ENOMEM;
	}
	error = ptu_render_openmetrics(report, out, err);
	/* others read it: node-exporter is another user */
	if (!error && (fflush(out) || fchmod(fd, 0644) || fsync(fd)))
		error = -errno;
	if (fclose(out) && !error)
		error = -errno;
	return error;
}

/* A rename puts a file in place of whatever is there: /dev/null, too. */
static int may_replace(const char *path)
{
	struct stat stat;

	if (lstat(path, &stat))
		return errno == ENOENT ? 0 : -errno;
	return S_ISREG(stat.st_mode) ? 0 : -EINVAL;
}

static void sync_directory(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *directory = strndup(path, slash ? (size_t)(slash - path) : 0);
	int fd = !directory ? -1 :
			      open(*directory ? directory :
				   slash      ? "/" :
						".",
				   O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
	free(directory);
}

/* Beside @path, with a name that no collector of metrics reads. */
static int replace(const struct ptu_export_report *report, const char *path,
		   struct ptu_err *err)
{
	const char *slash = strrchr(path, '/');
	const int before = slash ? (int)(slash - path) + 1 : 0;
	char *temporary;
	int fd, error;

	if (asprintf(&temporary, "%.*s.%s.XXXXXX", before, path,
		     path + before) < 0)
		return -ENOMEM;
	fd = mkostemp(temporary, O_CLOEXEC);
	error = fd < 0 ? -errno : fill_file(report, fd, err);
	if (!error && rename(temporary, path))
		error = -errno;
	if (error && fd >= 0)
		unlink(temporary);
	free(temporary);
	if (!error)
		sync_directory(path);
	return error;
}

static int write_file(const struct ptu_export_report *report, const char *path,
		      struct ptu_err *err)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, too_large;
	sigset_t ends, before;
	int error = may_replace(path);

	if (error == -EINVAL)
		return ptu_err_set(err, error,
				   "%s is no regular file, and is not replaced; - is standard output",
				   path);
	/* who is ended in between must not leave half a file behind */
	sigemptyset(&ends);
	sigaddset(&ends, SIGHUP);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, &before);
	/* a limit of the size of files is an error of write() */
	sigaction(SIGXFSZ, &ignore, &too_large);
	if (!error)
		error = replace(report, path, err);
	if (error)
		ptu_err_set(err, error, "cannot write %s: %s", path,
			    strerror(-error));
	sigaction(SIGXFSZ, &too_large, NULL);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return error;
}

int ptu_export_command(const struct ptu_options *options, FILE *out,
		       struct ptu_err *err)
{
	struct ptu_export_report report = { 0 };
	int error = measure(options, &report, err);

	if (!error && strcmp(options->openmetrics, "-") != 0) {
		error = write_file(&report, options->openmetrics, err);
	} else if (!error) {
		error = ptu_render_openmetrics(&report, out, err);
		if (!error && fflush(out))
			error = ptu_err_set(err, -errno,
					    "writing the metrics failed: %m");
	}
	ptu_export_report_deinit(&report);
	return error;
}
