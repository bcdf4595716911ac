/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's tracepoints. */
#ifndef LIVE_TRACE_H
#define LIVE_TRACE_H

#include <stdbool.h>

#define LIVE_TRACING "/sys/kernel/tracing/"

/* Each returns 0, or what is not 0 where the kernel refuses. */
int live_trace_mount(void);
/* @events: a directory of LIVE_TRACING.  Nothing is traced before live_trace(). */
int live_trace_begin(const char *events, const char *filter);
/* On: with an empty trace.  Off: it can be read. */
int live_trace(bool on);
void live_trace_end(const char *events);

#endif
