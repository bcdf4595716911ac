// SPDX-License-Identifier: GPL-2.0-only
/* Has the kernel write down what its tracepoints see. */
#define _GNU_SOURCE
#include "lib/lib.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <unistd.h>

/* debugfs shows it, too, but not on every kernel (TRACEFS_AUTOMOUNT_DEPRECATED). */
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
 * By a filter and without names of tasks: set_event_pid and record-cmd would have
 * tracepoints of the scheduler patched into and out of its wake-ups, and QEMU was
 * seen to run a breakpoint there that was gone.
 */
int live_trace_begin(const char *events, const char *filter)
{
	return live_set(LIVE_TRACING "tracing_on", "0") |
	       live_set(LIVE_TRACING "current_tracer", "nop") |
	       live_set(LIVE_TRACING "options/record-cmd", "0") |
	       set(events, "filter", filter) | set(events, "enable", "1");
}

/* What was there is gone with opening it so. */
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
