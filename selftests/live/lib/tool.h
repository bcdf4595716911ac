/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs the tool and checks its output. */
#ifndef LIVE_TOOL_H
#define LIVE_TOOL_H

#include <stdbool.h>
#include <sys/types.h>

#include "lib/expect.h"

struct tool_run {
	int status; /* exit status; -1 if it did not exit */
	char *out, *err;
};

int live_run(char *const argv[], struct tool_run *ret);
void live_run_deinit(struct tool_run *run);
const char *live_tool(void);
/*
 * Check `ptaudit check --json PID`: exit status, totals, counts.  The expected causes are
 * those of the estimator pagemap; if another estimator is the default, the tool runs once
 * more with pagemap.
 */
int live_check_tool(pid_t pid, const struct expect *expect, bool pagemap_too);

#endif
