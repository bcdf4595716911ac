// SPDX-License-Identifier: GPL-2.0-only
/* Records kernel tracepoints. */
#define _GNU_SOURCE
#include "lib/lib.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <unistd.h>

/* debugfs shows tracefs as well, but not on every kernel (TRACEFS_AUTOMOUNT_DEPRECATED). */
int live_trace_mount(void)
{
	if (mount("tracefs", LIVE_TRACING, "tracefs", 0, NULL) &&
	    errno != EBUSY)
		return -errno;
	return 0;
}

static int set(const char *events, const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "%s%s", events, name);
	return live_set(path, text);
}

/*
 * Select events by a filter and do not record task names.  set_event_pid and record-cmd
 * patch scheduler tracepoints in and out at wake-ups, and QEMU was seen to run a
 * breakpoint there that had already been removed.
 */
int live_trace_begin(const char *events, const char *filter)
{
	return live_set(LIVE_TRACING "tracing_on", "0") |
	       live_set(LIVE_TRACING "current_tracer", "nop") |
	       live_set(LIVE_TRACING "options/record-cmd", "0") |
	       set(events, "filter", filter) | set(events, "enable", "1");
}

/* Opening the file with O_TRUNC discards the trace. */
static int empty_trace(void)
{
	int fd = open(LIVE_TRACING "trace", O_WRONLY | O_TRUNC);

	return fd < 0 ? -errno : close(fd);
}

int live_trace(bool on)
{
	return (on ? empty_trace() : 0) |
	       live_set(LIVE_TRACING "tracing_on", on ? "1" : "0");
}

void live_trace_end(const char *events)
{
	live_trace(false);
	set(events, "enable", "0");
	set(events, "filter", "0");
}
