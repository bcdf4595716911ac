/* SPDX-License-Identifier: GPL-2.0-only */
/* Injects failures into allocations of one task. */
#ifndef DEBUG_INJECT_H
#define DEBUG_INJECT_H

#include <stdbool.h>

#define INJECT_DEBUGFS "/sys/kernel/debug/"

/* True if this kernel cannot inject failures. */
bool inject_missing(void);
/* Each returns 0 or -errno. */
int inject_prepare(void);
int inject_into_module(void);
int inject_into_init(void);
int inject_into_task(void);
/* Apply one setting to both failslab and fail_page_alloc. */
int inject_set(const char *name, const char *text);
/* Let the nth allocation from now on fail; with @onwards all later ones as well. */
void inject_arm(unsigned int nth, bool onwards);
/* Stop the injection.  Return: whether the nth allocation was reached. */
bool inject_disarm(void);

#endif
