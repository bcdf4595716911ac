/* SPDX-License-Identifier: GPL-2.0-only */
/* Allocations that fail on purpose; the failures are those of one task. */
#ifndef DEBUG_INJECT_H
#define DEBUG_INJECT_H

#include <stdbool.h>

#define INJECT_DEBUGFS "/sys/kernel/debug/"

/* Can this kernel do it? */
bool inject_missing(void);
/* Each returns 0 or -errno. */
int inject_prepare(void);
int inject_into_module(void);
int inject_into_init(void);
int inject_into_task(void);
/* The same setting of failslab and fail_page_alloc. */
int inject_set(const char *name, const char *text);
/* From now on the nth allocation fails; with @onwards, all behind it as well. */
void inject_arm(unsigned int nth, bool onwards);
/* Was it reached? */
bool inject_disarm(void);

#endif
