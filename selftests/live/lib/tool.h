/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tool says. */
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
 * `ptaudit check --json PID`: exit status, totals, counts.  Causes are those of
 * the estimator pagemap; where another is the default, one more run is by it.
 */
int live_check_tool(pid_t pid, const struct expect *expect, bool pagemap_too);

#endif
