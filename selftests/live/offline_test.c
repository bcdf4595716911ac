// SPDX-License-Identifier: GPL-2.0-only
/*
 * Holes among page frames: memory that is taken offline, and comes back.  Needs a
 * kernel with memory hotplug.
 */
#define _GNU_SOURCE
#include "frames.h"

#define MEMORY "/sys/devices/system/memory/"

static uint64_t block_pages(void)
{
	char text[32];

	return strtoull(live_file(MEMORY "block_size_bytes", text,
				  sizeof(text)),
			NULL, 16) /
	       PAGE;
}

/* How much of a block is free. */
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

/* The kernel goes on trying until it is told to stop. */
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

/* Takes offline the freest block that lets itself. */
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
		live_note("block %lu: %lu of %lu pages are free", best, most,
			  pages);
		if (!set_state(best, "offline"))
			return (int64_t)best;
	}
	return -1;
}

TEST_F_TIMEOUT(frames, offline_memory_is_a_hole, 300)
{
	const uint64_t pages = block_pages();
	const bool marked = live_system()->version < 7000;
	int64_t block = take_offline(self->kpageflags, self->nr, pages);
	uint64_t holes = 0, silent = 0;
	const json_t *found;
	json_t *root;
	int status;
	char *err;

	ASSERT_LE(0, block);
	for (uint64_t i = 0; i < pages; i++) {
		const uint64_t pfn = (uint64_t)block * pages + i;
		const struct entry e = entry(self->kpagemap, pfn);

		holes += e.flags == HOLE && e.count == HOLE;
		silent += word(self->kpageflags, pfn) ==
			  (marked ? KPF_NOPAGE : 0);
	}
	root = compare(&status, &err);
	EXPECT_EQ(0, set_state((uint64_t)block, "online"));
	EXPECT_EQ(pages, holes);
	EXPECT_EQ(pages, silent);
	ASSERT_NE(NULL, root);
	EXPECT_EQ(0, status);
	found = json_object_get(root, "holes");
	EXPECT_EQ(pages, number(found, "pages"));
	EXPECT_EQ(pages, number(found, marked ? "marked" : "silent"));
	EXPECT_EQ(0, number(found, marked ? "silent" : "marked"));
	EXPECT_EQ(self->nr, number(root, "pages"));
	json_decref(root);
	free(err);
	/* the size stays, and the pages are back */
	EXPECT_EQ(16 + 16 * (off_t)self->nr,
		  lseek(self->kpagemap, 0, SEEK_END));
	for (uint64_t i = 0; i < pages; i += 61)
		EXPECT_NE(HOLE,
			  entry(self->kpagemap, (uint64_t)block * pages + i)
				  .flags);
}

TEST_HARNESS_MAIN
