// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each allocation that the module makes fails once, alone and with all that
 * follow: the caller is told ENOMEM, and the next request works.  What is left
 * behind is for witnesses.sh to find.
 * Source: lib/fault-inject.c, Documentation/fault-injection/fault-injection.rst.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "files.h"

#define INJECT "/sys/kernel/debug/"
#define ANSWER_BYTES (4 * MIB)
/* More allocations than any of these calls makes. */
#define NTH_MAX 2000

/* So that the copy to user space faults in no page of its own. */
static char buffer[ANSWER_BYTES];

static int fail_nth_fd = -1, make_it_fail_fd = -1;

static int set_both(const char *name, const char *text)
{
	static const char *const kinds[] = { "failslab", "fail_page_alloc" };
	char path[96];
	int err = 0;

	for (unsigned int i = 0; i < 2 && !err; i++) {
		snprintf(path, sizeof(path), INJECT "%s/%s", kinds[i], name);
		err = live_set(path, text);
	}
	return err;
}

/* Only what is called from the module's code counts, and fails. */
static int inject_into_module(void)
{
	char line[512], name[64], text[32];
	unsigned long base, bytes;
	int err = -ENOENT;
	FILE *file = fopen("/proc/modules", "r");

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "%63s %lu %*s %*s %*s 0x%lx", name, &bytes,
			   &base) == 3 &&
		    !strcmp(name, "ptaudit")) {
			err = 0;
			break;
		}
	if (file)
		fclose(file);
	snprintf(text, sizeof(text), "0x%lx", base);
	if (!err)
		err = set_both("require-start", text);
	snprintf(text, sizeof(text), "0x%lx", base + bytes);
	if (!err)
		err = set_both("require-end", text);
	return err ? err : set_both("stacktrace-depth", "32");
}

/* Only what the kernel does for the module's init function, and that itself. */
static int inject_into_init(void)
{
	char line[256], name[128], text[2][32];
	unsigned long addr, start = 0, end = -1UL;
	FILE *file = fopen("/proc/kallsyms", "r");
	int err;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "%lx %*c %127s", &addr, name) == 2 &&
		    !strcmp(name, "do_init_module"))
			start = addr;
	if (file)
		rewind(file);
	/* The function ends where the next one starts. */
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "%lx", &addr) == 1 && addr > start &&
		    addr < end)
			end = addr;
	if (file)
		fclose(file);
	if (!start)
		return -ENOENT;
	snprintf(text[0], sizeof(text[0]), "0x%lx", start);
	snprintf(text[1], sizeof(text[1]), "0x%lx", end);
	err = set_both("require-start", text[0]);
	return err ? err : set_both("require-end", text[1]);
}

/*
 * Whatever the kernel does for this task: a function of the module that ends in a call
 * of the kernel's is not on the stack any more when that allocates.
 */
static int inject_into_task(void)
{
	int err = set_both("require-start", "0");

	return err ? err : set_both("require-end", "0xffffffffffffffff");
}

static int prepare(void)
{
	static const char *const all[][2] = {
		{ "task-filter", "Y" },	    { "probability", "100" },
		{ "interval", "1" },	    { "times", "-1" },
		{ "space", "0" },	    { "verbose", "0" },
		{ "ignore-gfp-wait", "N" },
	};
	int err = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]) && !err; i++)
		err = set_both(all[i][0], all[i][1]);
	if (!err)
		err = live_set(INJECT "fail_page_alloc/ignore-gfp-highmem",
			       "N");
	if (!err)
		err = live_set(INJECT "fail_page_alloc/min-order", "0");
	memset(buffer, 1, sizeof(buffer));
	fail_nth_fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	make_it_fail_fd = open("/proc/self/make-it-fail", O_RDWR | O_CLOEXEC);
	return err ? err : fail_nth_fd < 0 || make_it_fail_fd < 0 ? -errno : 0;
}

/* From now on the nth allocation fails; with @onwards, all behind it as well. */
static void arm(unsigned int nth, bool onwards)
{
	char text[16];
	int bytes = snprintf(text, sizeof(text), "%u", nth);

	if (onwards && pwrite(make_it_fail_fd, "1", 1, 0) != 1)
		_exit(98);
	if (pwrite(fail_nth_fd, text, (size_t)bytes, 0) != bytes)
		_exit(98);
}

/* Was it reached? */
static bool disarm(void)
{
	char text[16] = "";

	if (pread(fail_nth_fd, text, sizeof(text) - 1, 0) < 1 ||
	    pwrite(fail_nth_fd, "0", 1, 0) != 1 ||
	    pwrite(make_it_fail_fd, "0", 1, 0) != 1)
		_exit(98);
	return !strtoul(text, NULL, 10);
}

struct result {
	unsigned int injected; /* allocations that failed */
	unsigned int refused;  /* calls that said ENOMEM for it */
	unsigned int wrong;    /* calls that said anything else */
};

/*
 * Makes the call with its 1st allocation failing, its 2nd, and so on, until it
 * has fewer.  @call: 0 or -errno; @clean: the same or what undoes it, with no
 * fault: it has to work after each failure.  An allocation may have a fallback
 * and the call may succeed: if so, completely.
 */
static struct result ladder(int (*call)(void), int (*clean)(void), bool onwards)
{
	struct result result = { 0 };

	for (unsigned int nth = 1; nth <= NTH_MAX; nth++) {
		bool reached;
		int err;

		arm(nth, onwards);
		err = call();
		reached = disarm();
		result.injected += reached;
		result.refused += reached && err == -ENOMEM;
		if (err && (!reached || err != -ENOMEM)) {
			live_note("allocation %u%s %s: %s", nth,
				  onwards ? " and all behind it" : "",
				  reached ? "failed" : "was not reached",
				  strerror(-err));
			result.wrong++;
		}
		err = clean();
		if (err) {
			live_note("after a failure of allocation %u: %s", nth,
				  strerror(-err));
			result.wrong++;
		}
		if (!reached)
			return result;
	}
	live_note("no end after %u allocations", NTH_MAX);
	result.wrong++;
	return result;
}

static const char *path;
static int fd;
static size_t answer_bytes;

static int call_open(void)
{
	fd = open(path, O_RDWR | O_CLOEXEC);
	return fd < 0 ? -errno : 0;
}

static int reopen(void)
{
	int err = 0;

	if (fd >= 0)
		close(fd);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		err = -errno;
	close(fd);
	fd = -1;
	return err;
}

static char request[80];

static int call_write(void)
{
	return live_request(fd, request);
}

/* The answer is made in the first read; it has to be whole. */
static int call_read(void)
{
	ssize_t got = pread(fd, buffer, sizeof(buffer), 0);

	if (got < 0)
		return -errno;
	/* The lengths of a text's numbers vary. */
	if (answer_bytes)
		return (size_t)got == answer_bytes ? 0 : -EPROTO;
	return got ? 0 : -EPROTO;
}

static int request_and_read(void)
{
	int err = live_request(fd, request);

	if (!err)
		err = call_read();
	/* And one that has no answer yet, for the next round. */
	return err ? err : live_request(fd, request);
}

FIXTURE(fail)
{
	struct target target;
	bool skipped;
};

FIXTURE_SETUP(fail)
{
	if (access(INJECT "failslab/stacktrace-depth", R_OK) ||
	    access("/proc/self/fail-nth", R_OK)) {
		self->skipped = true;
		SKIP(return, "needs FAILSLAB");
	}
	ASSERT_EQ(0, prepare());
	ASSERT_EQ(0, inject_into_module());
	ASSERT_EQ(0, target_start(&self->target, build_pages, &shape));
}

FIXTURE_TEARDOWN(fail)
{
	if (self->skipped)
		return;
	set_both("probability", "0");
	target_stop(&self->target);
}

TEST_F_TIMEOUT(fail, open_says_enomem, 600)
{
	static const char *const files[] = { LIVE_DEBUGFS "counts",
					     LIVE_DEBUGFS "tables",
					     LIVE_DEBUGFS "orphans",
					     LIVE_DEBUGFS "pages" };

	if (self->skipped)
		return;
	for (unsigned int i = 0; i < 8; i++) {
		struct result result;

		path = files[i / 2];
		fd = -1;
		result = ladder(call_open, reopen, i % 2);
		EXPECT_EQ(0, result.wrong);
		/* The session. */
		EXPECT_LE(1, result.refused);
		TH_LOG("%s: %u allocations failed, %u calls refused", path,
		       result.injected, result.refused);
	}
}

/* Reads, with a range or without, after each of its allocations has failed. */
static struct result read_ladder(pid_t pid, const char *file, const char *range,
				 bool onwards)
{
	struct result result = { .wrong = 1 };
	ssize_t got;

	path = file;
	snprintf(request, sizeof(request), "%d%s", pid, range);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0 || live_request(fd, request))
		return result;
	got = pread(fd, buffer, sizeof(buffer), 0);
	if (got <= 0 || got == sizeof(buffer))
		return result;
	answer_bytes = 0;
	if (strcmp(file, LIVE_DEBUGFS "counts") &&
	    strcmp(file, LIVE_DEBUGFS "pages"))
		answer_bytes = (size_t)got;
	if (live_request(fd, request))
		return result;
	result = ladder(call_read, request_and_read, onwards);
	close(fd);
	return result;
}

TEST_F_TIMEOUT(fail, records_say_enomem, 1200)
{
	static const char *const files[] = { LIVE_DEBUGFS "tables",
					     LIVE_DEBUGFS "orphans" };
	char range[48];

	if (self->skipped)
		return;
	snprintf(range, sizeof(range), " 0x%" PRIx64 " 0x%" PRIx64, shape.start,
		 shape.end);
	for (unsigned int i = 0; i < 8; i++) {
		const char *file = files[i / 4], *asked = i & 2 ? range : "";
		bool onwards = i & 1;
		struct result result = read_ladder(self->target.pid, file,
						   asked, onwards);

		EXPECT_EQ(0, result.wrong);
		/* The walk; and the records, which only fail altogether. */
		EXPECT_LE(onwards ? 2 : 1, result.refused);
		TH_LOG("%s%s: %u allocations failed, %u calls refused", file,
		       asked, result.injected, result.refused);
	}
}

TEST_F_TIMEOUT(fail, texts_say_enomem, 600)
{
	if (self->skipped)
		return;
	for (unsigned int i = 0; i < 4; i++) {
		const char *file = i / 2 ? LIVE_DEBUGFS "pages" :
					   LIVE_DEBUGFS "counts";
		struct result result = read_ladder(self->target.pid, file, "",
						   i % 2);

		EXPECT_EQ(0, result.wrong);
		/* The walk; there are no records. */
		EXPECT_LE(1, result.refused);
		TH_LOG("%s: %u allocations failed, %u calls refused", file,
		       result.injected, result.refused);
	}
}

TEST_F_TIMEOUT(fail, write_needs_no_memory_of_the_module, 600)
{
	struct result result;

	if (self->skipped)
		return;
	path = LIVE_DEBUGFS "counts";
	snprintf(request, sizeof(request), "%d", self->target.pid);
	fd = open(path, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, fd);
	result = ladder(call_write, call_write, true);
	EXPECT_EQ(0, result.wrong);
	EXPECT_EQ(0, result.refused);
	close(fd);
}

/* All at once, of the files that need no request. */
static int call_file(void)
{
	ssize_t got;
	int err = 0, file = open(path, O_RDONLY | O_CLOEXEC);

	if (file < 0)
		return -errno;
	got = pread(file, buffer, PAGE, 0);
	if (got < 0)
		err = -errno;
	else if (!got)
		err = -EPROTO;
	close(file);
	return err;
}

TEST_F_TIMEOUT(fail, files_without_request_say_enomem, 600)
{
	/* Those that seq_file answers for the module make none in its code. */
	static const struct {
		const char *path;
		int (*inject)(void);
	} files[] = {
		{ LIVE_DEBUGFS "kpagemap", inject_into_module },
		{ LIVE_DEBUGFS "geometry", inject_into_task },
		{ LIVE_DEBUGFS "kpagemap_flags", inject_into_task },
	};

	if (self->skipped)
		return;
	for (unsigned int i = 0; i < 6; i++) {
		struct result result;

		path = files[i / 2].path;
		ASSERT_EQ(0, files[i / 2].inject());
		result = ladder(call_file, call_file, i % 2);
		EXPECT_EQ(0, result.wrong);
		EXPECT_LE(1, result.refused);
		TH_LOG("%s: %u allocations failed, %u calls refused", path,
		       result.injected, result.refused);
	}
}

static int insert(void)
{
	int err = 0;

	if (syscall(SYS_finit_module, fd, "", 0))
		err = -errno;
	return err;
}

/* Nothing of it is there, or all of it, and that can be taken away. */
static int removed(void)
{
	struct stat stat_buf;

	if (syscall(SYS_delete_module, "ptaudit", O_NONBLOCK) &&
	    errno != ENOENT)
		return -errno;
	if (!stat("/sys/module/ptaudit", &stat_buf) ||
	    !stat(INJECT "ptaudit", &stat_buf))
		return -EEXIST;
	return 0;
}

TEST_F_TIMEOUT(fail, insertion_says_enomem, 3000)
{
	struct result result;

	if (self->skipped)
		return;
	ASSERT_EQ(0, inject_into_init());
	ASSERT_EQ(0, removed());
	fd = open(getenv("PTAUDIT_MODULE"), O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, fd);
	for (unsigned int i = 0; i < 2; i++) {
		result = ladder(insert, removed, i);
		EXPECT_EQ(0, result.wrong);
		/* The directory and each file, at the least. */
		EXPECT_LE(5, result.refused);
		TH_LOG("insertion: %u allocations failed, %u calls refused",
		       result.injected, result.refused);
	}
	EXPECT_EQ(0, insert());
	close(fd);
}

TEST_HARNESS_MAIN
