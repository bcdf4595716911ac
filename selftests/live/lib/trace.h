/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel tracepoints. */
#ifndef LIVE_TRACE_H
#define LIVE_TRACE_H

#include <stdbool.h>

#define LIVE_TRACING "/sys/kernel/tracing/"

/* Each returns 0, or another value if the kernel refuses. */
int live_trace_mount(void);
/*
 * Enable the events in @events, a directory below LIVE_TRACING.  Tracing starts with
 * live_trace(true).
 */
int live_trace_begin(const char *events, const char *filter);
/* true: start with an empty trace.  false: stop; the trace can be read. */
int live_trace(bool on);
void live_trace_end(const char *events);

#endif
