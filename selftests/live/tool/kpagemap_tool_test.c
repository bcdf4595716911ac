// SPDX-License-Identifier: GPL-2.0-only
/*
 * `ptaudit kpagemap`: its figures agree with kpageflags and kpagecount, it refuses users
 * without privileges, and it shows a progress bar on a terminal, as `ptaudit system` does.
 */
#define _GNU_SOURCE
#include <inttypes.h>

#include "fixtures/frames.h"

/* Number of reserved pages by kpageflags.  It does not change while the machine runs. */
static uint64_t count_reserved(int kpageflags, uint64_t nr)
{
	static uint64_t words[4096];
	uint64_t ret = 0, pfn = 0;
	ssize_t n;

	while (pfn < nr &&
	       (n = pread(kpageflags, words, sizeof(words), pfn * 8)) > 0) {
		for (ssize_t i = 0; i < n / 8 && pfn < nr; i++, pfn++)
			ret += (words[i] & KPF_RESERVED) != 0;
	}
	return ret;
}

/*
 * Number of the first @nr frames that are not in a hole.  A section with any memory
 * counts completely.  Machines with more than 3 GiB of memory have a hole below 4 GiB,
 * for devices.
 */
static uint64_t count_pages(uint64_t nr)
{
	static bool sections[4096];
	uint64_t first, last, ret = 0;
	FILE *iomem = fopen("/proc/iomem", "r");
	char line[256];

	live_must_be(iomem && nr <= SECTION * 4096, "/proc/iomem");
	while (fgets(line, sizeof(line), iomem)) {
		if (line[0] == ' ' || !strstr(line, ": System RAM") ||
		    sscanf(line, "%" SCNx64 "-%" SCNx64, &first, &last) != 2)
			continue;
		for (first /= SECTION * PAGE; first <= last / (SECTION * PAGE);
		     first++)
			sections[first] = true;
	}
	fclose(iomem);
	for (uint64_t pfn = 0; pfn < nr; pfn++)
		ret += sections[pfn / SECTION];
	return ret;
}

TEST_F_TIMEOUT(frames, kpagemap_agrees_with_proc, 240)
{
	uint64_t reserved = count_reserved(self->kpageflags, self->nr);
	uint64_t nr_pages = count_pages(self->nr);
	unsigned int nr_flags = 0;
	json_t *root, *row;
	int status = -1;
	char *err = NULL;
	size_t i;

	root = compare(&status, &err);
	ASSERT_NE(NULL, root);
	EXPECT_EQ(0, status);
	/* no progress bar without a terminal */
	EXPECT_EQ(0, strcmp("", err));
	EXPECT_EQ(self->nr, live_number(root, "pages"));
	EXPECT_EQ(self->nr, sum_of_ends(root));
	EXPECT_EQ(0, live_number(root, "unexplained"));
	json_array_foreach(json_object_get(root, "flags"), i, row)
	{
		const char *name = json_string_value(
			json_object_get(row, "flag"));
		const bool no_tails = !strcmp(name, "COMPOUND_HEAD") ||
				      !strcmp(name, "IDLE");

		nr_flags++;
		EXPECT_EQ(0, live_number(row, "unexplained"));
		EXPECT_EQ(true, no_tails ? sum_of_ends(row) <= nr_pages :
					   sum_of_ends(row) == nr_pages)
		{
			TH_LOG("%s: %lu", name, sum_of_ends(row));
		}
		if (!strcmp(name, "RESERVED"))
			EXPECT_EQ(reserved, live_number(row, "set"));
	}
	/* kpageflags makes at least these flags from the flags word */
	EXPECT_LE(18, nr_flags);
	json_array_foreach(json_object_get(root, "counts"), i, row)
	{
		EXPECT_LT(0, live_number(row, "pages"));
		EXPECT_EQ(live_number(row, "pages"), sum_of_ends(row));
		EXPECT_EQ(0, live_number(row, "unexplained"));
	}
	EXPECT_EQ(3, i);
	json_decref(root);
	free(err);
}

/* The tool must find out whether a tail page shows its own flags or those of the head. */
TEST_F_TIMEOUT(frames, tail_pages_have_flags_as_on_this_kernel, 240)
{
	char *page = live_map(FAR, HUGE, 0);
	json_t *root;
	int status = -1;
	char *err = NULL;

	if (live_thp_missing())
		SKIP(return, "needs %s", live_thp_missing());
	ASSERT_EQ(0, live_set("/sys/kernel/mm/transparent_hugepage/enabled",
			      "madvise"));
	live_must(madvise(page, HUGE, MADV_HUGEPAGE));
	page[0] = 1;
	ASSERT_NE(0, word(self->kpageflags, pfn_of(page) + 7) & KPF_TAIL);
	root = compare(&status, &err);
	ASSERT_NE(NULL, root);
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, strcmp(live_system()->version < 6012 ? "own" : "head",
			    json_string_value(json_object_get(root, "tails"))));
	if (live_system()->version >= 6012)
		EXPECT_LE(511, live_number(root, "tails_other_than_head"));
	json_decref(root);
	free(err);
}

TEST_F(frames, kpagemap_needs_root)
{
	struct tool_run run;

	ASSERT_EQ(0, setresuid(65534, 65534, 0));
	ASSERT_EQ(0, LIVE_RUN(&run, "kpagemap"));
	ASSERT_EQ(0, setresuid(0, 0, 0));
	EXPECT_EQ(2, run.status);
	EXPECT_EQ(0, strcmp("", run.out));
	EXPECT_NE(NULL, strstr(run.err, "root"));
	live_run_deinit(&run);
}

/* Standard error is a terminal here.  In the first test it is a pipe, and there is no bar. */
TEST_F_TIMEOUT(frames, progress_is_shown_on_a_terminal, 240)
{
	static const char *const commands[] = { "kpagemap", "system" };
	static char text[1 << 17];
	int status, fd;
	ssize_t n;
	pid_t pid;

	for (size_t i = 0; i < 2; i++) {
		int terminal = posix_openpt(O_RDWR | O_NOCTTY);
		size_t used = 0;

		ASSERT_LE(0, terminal);
		ASSERT_EQ(0, grantpt(terminal));
		ASSERT_EQ(0, unlockpt(terminal));
		pid = fork();
		if (!pid) {
			fd = open(ptsname(terminal), O_RDWR | O_NOCTTY);
			dup2(fd, STDERR_FILENO);
			dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
			close(fd);
			execl(live_tool(), "ptaudit", commands[i], NULL);
			_exit(127);
		}
		/* read() fails once the other side is closed */
		while ((n = read(terminal, text + used,
				 sizeof(text) - used - 1)) > 0)
			used += (size_t)n;
		text[used] = '\0';
		EXPECT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_EQ(0, status);
		EXPECT_NE(NULL, strstr(text, "100%"));
		EXPECT_NE(NULL, strstr(text, "\r\033[K"));
		close(terminal);
	}
}

TEST_HARNESS_MAIN
