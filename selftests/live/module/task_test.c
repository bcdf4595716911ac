// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module must hold a reference to the task while it takes the task's mm.  Balanced
 * reference counts do not show when a reference is held.  A kprobe records the count at
 * each call of get_task_mm(): it must be the same as for /proc/PID/statm, which holds a
 * reference. Source: fs/proc/base.c, proc_single_show(); fs/proc/array.c,
 * proc_pid_statm() (5.10 to 7.2).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/files.h"

#define KPROBES LIVE_TRACING "kprobe_events"
#define EVENTS LIVE_TRACING "events/ptaudit_test/"
#define ROUNDS 16

/* The callers of get_task_mm(), in this order in each round. */
enum call { STATM, REQUEST, ANSWER, NR_CALLS };

/* Return: false if the kernel does not support kprobe arguments by BTF (6.12 does). */
static bool probe_on(void)
{
	return !live_trace_mount() &&
	       !live_set(KPROBES, "p:ptaudit_test/get get_task_mm "
				  "usage=task->usage.refs.counter:u32");
}

static void probe_off(void)
{
	live_trace_end(EVENTS);
	close(open(KPROBES, O_WRONLY | O_TRUNC));
}

/* Return: 0, or -errno of the call that failed. */
static int do_rounds(int fd, pid_t pid)
{
	char path[64], text[128];
	int err = 0;

	snprintf(path, sizeof(path), "/proc/%d/statm", pid);
	for (unsigned int i = 0; i < ROUNDS && !err; i++) {
		if (!*live_file(path, text, sizeof(text)))
			return -EIO;
		err = live_request_pid(fd, pid);
		if (!err && read(fd, text, 1) != 1)
			err = -errno;
	}
	return err;
}

/*
 * Take the lowest count for each caller: other tasks may hold more references for a
 * moment, but the caller's own is always included.  Return: the number of calls.
 */
static unsigned int read_trace(unsigned long fewest[NR_CALLS])
{
	FILE *trace = fopen(LIVE_TRACING "trace", "r");
	unsigned int nr = 0;
	char line[256];

	for (enum call call = STATM; call < NR_CALLS; call++)
		fewest[call] = ULONG_MAX;
	while (trace && fgets(line, sizeof(line), trace)) {
		const char *field = strstr(line, " usage=");
		unsigned long usage;

		if (!field)
			continue;
		usage = strtoul(field + strlen(" usage="), NULL, 0);
		if (usage < fewest[nr % NR_CALLS])
			fewest[nr % NR_CALLS] = usage;
		nr++;
	}
	if (trace)
		fclose(trace);
	return nr;
}

TEST_F(files, task_is_held_while_its_mm_is_taken)
{
	unsigned long fewest[NR_CALLS];
	char ours[32];
	int err;

	if (!probe_on())
		SKIP(return, "needs kprobe arguments by BTF");
	snprintf(ours, sizeof(ours), "common_pid == %d", getpid());
	err = live_trace_begin(EVENTS, ours) | live_trace(true);
	if (!err)
		err = do_rounds(self->tables, self->target.pid);
	live_trace(false);
	EXPECT_EQ(NR_CALLS * ROUNDS, read_trace(fewest));
	probe_off();
	ASSERT_EQ(0, err);
	TH_LOG("references to the task while its mm is taken: %lu for statm, %lu for a request, %lu for an answer",
	       fewest[STATM], fewest[REQUEST], fewest[ANSWER]);
	EXPECT_LT(1, fewest[STATM]);
	EXPECT_EQ(fewest[STATM], fewest[REQUEST]);
	EXPECT_EQ(fewest[STATM], fewest[ANSWER]);
}

TEST_HARNESS_MAIN
