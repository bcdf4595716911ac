/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs the tool and checks its output. */
#ifndef LIVE_TOOL_H
#define LIVE_TOOL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/expect.h"

struct tool_run {
	int status; /* exit status; -1 if it did not exit */
	char *out, *err;
};

int live_run(char *const argv[], struct tool_run *ret);
/* Run `ptaudit WORD WORD...`; NULL ends the words. */
#define LIVE_RUN(run, ...) \
	live_run((char *[]){ (char *)live_tool(), __VA_ARGS__, NULL }, run)
void live_run_deinit(struct tool_run *run);
const char *live_tool(void);

/*
 * The number under a key of an object; LIVE_NO_NUMBER if there is none.  No test expects
 * LIVE_NO_NUMBER, or the sum of two, three or four of it.
 */
int64_t live_number(const json_t *object, const char *key);
#define LIVE_NO_NUMBER (-INT64_C(0x1bad1bad1bad1bad))

/*
 * Check `ptaudit check --json PID`: exit status, totals, counts.  The expected causes are
 * those of the estimator pagemap; if another estimator is the default, the tool runs once
 * more with pagemap.
 */
int live_check_tool(pid_t pid, const struct expect *expect, bool pagemap_too);

#endif
