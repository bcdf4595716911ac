// SPDX-License-Identifier: GPL-2.0-only
/*
 * Holes in the page frames: memory is taken offline and online again.  Needs a kernel
 * with memory hotplug.
 */
#define _GNU_SOURCE
#include "fixtures/frames.h"

#define MEMORY "/sys/devices/system/memory/"

static uint64_t block_pages(void)
{
	char text[32];

	return strtoull(live_file(MEMORY "block_size_bytes", text,
				  sizeof(text)),
			NULL, 16) /
	       PAGE;
}

/* Number of free pages in a block. */
static uint64_t count_free(int kpageflags, uint64_t start, uint64_t nr)
{
	uint64_t *words = calloc(nr, 8), ret = 0;

	if (pread(kpageflags, words, nr * 8, (off_t)start * 8) ==
	    (ssize_t)(nr * 8))
		for (uint64_t i = 0; i < nr; i++)
			ret += (words[i] & KPF_BUDDY) != 0;
	free(words);
	return ret;
}

/* The kernel retries until a signal stops it. */
static int set_state(uint64_t block, const char *state)
{
	char path[80];
	int status = -1;
	pid_t pid;

	snprintf(path, sizeof(path), MEMORY "memory%lu/state", block);
	pid = fork();
	if (!pid)
		_exit(live_set(path, state) ? 1 : 0);
	for (unsigned int i = 0; i < 400; i++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return status;
		pause_ms(50);
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return -1;
}

/* Take one block offline.  The blocks with the most free pages are tried first. */
static int64_t take_offline(int kpageflags, uint64_t nr_pages, uint64_t pages)
{
	bool tried[4096] = { false };
	const uint64_t nr = nr_pages / pages < 4096 ? nr_pages / pages : 4096;

	for (unsigned int i = 0; i < 6; i++) {
		uint64_t best = 0, most = 0;

		for (uint64_t block = 0; block < nr; block++) {
			uint64_t found = tried[block] ?
						 0 :
						 count_free(kpageflags,
							    block * pages,
							    pages);

			if (found > most) {
				most = found;
				best = block;
			}
		}
		if (!most)
			break;
		tried[best] = true;
		live_note("trying memory block %lu: %lu of its %lu pages are free",
			  best, most, pages);
		if (!set_state(best, "offline"))
			return (int64_t)best;
	}
	return -1;
}

/*
 * When memory goes offline, the module waits for the readers of its struct pages, after
 * each notification.  Each block causes two notifications.  The first one asks for
 * permission.  Source: mm/memory_hotplug.c, offline_pages() (5.10 to 7.2).
 */
#define KPROBES LIVE_TRACING "kprobe_events"
#define EVENTS LIVE_TRACING "events/ptaudit_test/"

static int probes_on(void)
{
	return live_trace_mount() |
	       live_set(KPROBES, "p:ptaudit_test/announced memory_notify\n"
				 "p:ptaudit_test/waits synchronize_rcu "
				 "caller=+0($stack):x64\n") |
	       live_trace_begin(EVENTS, "common_pid != 0") | live_trace(true);
}

/* Removing the probes removes their events from the trace. */
static void probes_off(void)
{
	live_trace_end(EVENTS);
	close(open(KPROBES, O_WRONLY | O_TRUNC));
}

/* The address range of the module's code. */
static bool find_module(uint64_t *start, uint64_t *end)
{
	FILE *file = fopen("/proc/modules", "r");
	char line[256];
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file))
		found = sscanf(line, "ptaudit %lu %*s %*s %*s 0x%lx", end,
			       start) == 2;
	if (file)
		fclose(file);
	if (found)
		*end += *start;
	return found;
}

/* Count all notifications, and those before the module's last wait. */
static int read_probes(unsigned int *announced, unsigned int *before)
{
	FILE *trace = fopen(LIVE_TRACING "trace", "r");
	uint64_t start, end, caller;
	char line[256], *field;
	int ret = -1;

	*announced = *before = 0;
	if (!find_module(&start, &end) || !trace)
		goto out;
	while (fgets(line, sizeof(line), trace)) {
		if (strstr(line, " announced: "))
			++*announced;
		field = strstr(line, "caller=0x");
		if (!field)
			continue;
		caller = strtoull(field + strlen("caller="), NULL, 16);
		if (caller >= start && caller < end)
			*before = *announced;
	}
	ret = 0;
out:
	if (trace)
		fclose(trace);
	return ret;
}

TEST_F_TIMEOUT(frames, offline_memory_is_a_hole, 300)
{
	const uint64_t pages = block_pages();
	const bool marked = live_system()->version < 7000;
	unsigned int announced, before;
	uint64_t holes = 0, silent = 0;
	int64_t block;
	const json_t *found;
	json_t *root;
	int status, err;
	char *words;

	ASSERT_EQ(0, probes_on());
	block = take_offline(self->kpageflags, self->nr, pages);
	live_trace(false);
	err = read_probes(&announced, &before);
	probes_off();
	ASSERT_LE(0, block);
	ASSERT_EQ(0, err);
	EXPECT_LE(2, announced);
	EXPECT_EQ(announced, before);
	for (uint64_t i = 0; i < pages; i++) {
		const uint64_t pfn = (uint64_t)block * pages + i;
		const struct entry e = entry(self->kpagemap, pfn);

		holes += e.flags == HOLE && e.count == HOLE;
		silent += word(self->kpageflags, pfn) ==
			  (marked ? KPF_NOPAGE : 0);
	}
	root = compare(&status, &words);
	EXPECT_EQ(0, set_state((uint64_t)block, "online"));
	EXPECT_EQ(pages, holes);
	EXPECT_EQ(pages, silent);
	ASSERT_NE(NULL, root);
	EXPECT_EQ(0, status);
	found = json_object_get(root, "holes");
	EXPECT_EQ(pages, live_number(found, "pages"));
	EXPECT_EQ(pages, live_number(found, marked ? "marked" : "silent"));
	EXPECT_EQ(0, live_number(found, marked ? "silent" : "marked"));
	EXPECT_EQ(self->nr, live_number(root, "pages"));
	json_decref(root);
	free(words);
	/* the size is unchanged, and the pages are back */
	EXPECT_EQ(16 + 16 * (off_t)self->nr,
		  lseek(self->kpagemap, 0, SEEK_END));
	for (uint64_t i = 0; i < pages; i += 61)
		EXPECT_NE(HOLE,
			  entry(self->kpagemap, (uint64_t)block * pages + i)
				  .flags);
}

TEST_HARNESS_MAIN
