// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes each allocation of the module fail once, alone or together with all later ones:
 * the caller must get ENOMEM, and the next request must work.  witnesses.sh looks for
 * leaks afterwards.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "fixtures/files.h"
#include "inject.h"

#define ANSWER_BYTES (4 * MIB)
/* An upper bound of the allocations that one of these calls makes. */
#define NTH_MAX 2000

/* Static, so that the copy to user space allocates no page. */
static char buffer[ANSWER_BYTES];

struct result {
	unsigned int injected; /* allocations that failed */
	unsigned int refused;  /* calls that returned ENOMEM */
	unsigned int wrong;    /* calls that returned another error */
};

/*
 * Repeat the call with its first allocation failing, then its second, and so on, until
 * it makes fewer.  @call returns 0 or -errno.  @clean repeats the call or undoes it.  It
 * runs without a fault after each failure, and must succeed.  If an allocation has a
 * fallback, the call may succeed, but then completely.
 */
static struct result ladder(int (*call)(void), int (*clean)(void), bool onwards)
{
	struct result result = { 0 };

	for (unsigned int nth = 1; nth <= NTH_MAX; nth++) {
		bool reached;
		int err;

		inject_arm(nth, onwards);
		err = call();
		reached = inject_disarm();
		result.injected += reached;
		result.refused += reached && err == -ENOMEM;
		if (err && (!reached || err != -ENOMEM)) {
			live_note("allocation %u%s %s, and the call returned: %s",
				  nth, onwards ? " and all later ones" : "",
				  reached ? "failed" : "was not reached",
				  strerror(-err));
			result.wrong++;
		}
		err = clean();
		if (err) {
			live_note("the call after a failure of allocation %u returned: %s",
				  nth, strerror(-err));
			result.wrong++;
		}
		if (!reached)
			return result;
	}
	live_note("the call still allocates after %u allocations", NTH_MAX);
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

/* The shape of a target that has one page every 2 MiB; NULL for other targets. */
static const struct shape *apart;

/* Each table of the layout must occur once, in ascending order. */
static int check_apart(size_t bytes)
{
	const struct ptaudit_header *header = (const void *)buffer;
	const struct ptaudit_table *records =
		(const void *)(buffer + PTAUDIT_HEADER_SIZE);
	uint64_t next = apart->start;

	if (bytes !=
	    PTAUDIT_HEADER_SIZE + header->nr_records * PTAUDIT_RECORD_SIZE)
		return -EPROTO;
	for (uint64_t i = 0; i < header->nr_records; i++) {
		const struct ptaudit_table *r = &records[i];

		if (r->type != PTAUDIT_TABLE || r->level != PTAUDIT_PTE ||
		    r->start < apart->start || r->start >= apart->end)
			continue;
		if (r->start != next || r->present != 1)
			return -EPROTO;
		next += HUGE;
	}
	return next == apart->end ? 0 : -EPROTO;
}

/* The error of the last read; 0 if there was none. */
static int read_errno;

/* The first read makes the answer, which must be complete. */
static int call_read(void)
{
	ssize_t got = pread(fd, buffer, sizeof(buffer), 0);

	read_errno = got < 0 ? errno : 0;
	if (got < 0)
		return -errno;
	/* the numbers of a text have varying lengths */
	if (!got || (answer_bytes && (size_t)got != answer_bytes))
		return -EPROTO;
	return apart ? check_apart((size_t)got) : 0;
}

/* An answer or an error persists, and the same request works again. */
static int read_and_request(void)
{
	int first = -read_errno;
	int err = call_read() == first ? 0 : -EPROTO;

	if (!err)
		err = live_request(fd, request);
	if (!err)
		err = call_read();
	/* Leave a request without an answer for the next round. */
	return err ? err : live_request(fd, request);
}

FIXTURE(fail)
{
	struct target target;
	bool skipped;
};

FIXTURE_SETUP(fail)
{
	if (inject_missing()) {
		self->skipped = true;
		SKIP(return, "needs FAILSLAB");
	}
	memset(buffer, 1, sizeof(buffer));
	ASSERT_EQ(0, inject_prepare());
	ASSERT_EQ(0, inject_into_module());
	ASSERT_EQ(0, target_start(&self->target, build_pages, &shape));
}

FIXTURE_TEARDOWN(fail)
{
	if (self->skipped)
		return;
	inject_set("probability", "0");
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
		/* One allocation: the session. */
		EXPECT_LE(1, result.refused);
		TH_LOG("%s: %u allocations failed, %u calls refused", path,
		       result.injected, result.refused);
	}
}

/* Run the ladder of failing allocations on reads, with or without a range. */
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
	result = ladder(call_read, read_and_request, onwards);
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
		/*
		 * The allocations of the walk, and those of the records, which have a
		 * fallback.
		 */
		EXPECT_LE(onwards ? 2 : 1, result.refused);
		TH_LOG("%s%s: %u allocations failed, %u calls refused", file,
		       asked, result.injected, result.refused);
	}
}

static pid_t build_apart(const struct shape *s)
{
	live_map_small(s->start, s->end - s->start);
	live_touch_each(s->start, s->end, HUGE);
	return 0;
}

/*
 * The walk reserves records for later holds when it already has some: these must not
 * appear in the answer to the next read.
 */
TEST_F_TIMEOUT(fail, answer_after_a_failed_one_is_exact, 1200)
{
	const struct shape layout = { FAR, FAR + 1400 * HUGE };
	struct target target;

	if (self->skipped)
		return;
	ASSERT_EQ(0, target_start(&target, build_apart, &layout));
	apart = &layout;
	for (unsigned int i = 0; i < 2; i++) {
		const char *file = i ? LIVE_DEBUGFS "orphans" :
				       LIVE_DEBUGFS "tables";
		struct result result = read_ladder(target.pid, file, "", true);

		EXPECT_EQ(0, result.wrong);
		/* The allocations of the walk, of its first records, and of later ones. */
		EXPECT_LE(3, result.refused);
		TH_LOG("%s: %u allocations failed, %u calls refused", file,
		       result.injected, result.refused);
	}
	apart = NULL;
	target_stop(&target);
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
		/* The allocation of the walk.  A text needs no records. */
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

/* Open, read and close a file that needs no request. */
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
	/* for the last two, the kernel allocates while the module is not on the stack */
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

/* Exactly the files of the ABI must exist. */
static int check_files(void)
{
	static const char *const names[] = { "geometry",      "counts",
					     "tables",	      "orphans",
					     "kpagemap",      "pages",
					     "kpagemap_flags" };
	const unsigned int nr = sizeof(names) / sizeof(names[0]);
	unsigned int nr_there = 0, missing = 0;
	const struct dirent *entry;
	char name[96];
	DIR *dir = opendir(LIVE_DEBUGFS);

	while (dir && (entry = readdir(dir)))
		nr_there += entry->d_name[0] != '.';
	if (dir)
		closedir(dir);
	for (unsigned int i = 0; i < nr; i++) {
		snprintf(name, sizeof(name), LIVE_DEBUGFS "%s", names[i]);
		if (access(name, R_OK)) {
			live_note("%s is missing", names[i]);
			missing++;
		}
	}
	return missing || nr_there != nr ? -EPROTO : 0;
}

/* The module is either absent, or complete and can be removed. */
static int removed(void)
{
	struct stat stat_buf;
	int err = 0;

	if (!stat("/sys/module/ptaudit", &stat_buf))
		err = check_files();
	if (syscall(SYS_delete_module, "ptaudit", O_NONBLOCK) &&
	    errno != ENOENT)
		return -errno;
	if (!stat("/sys/module/ptaudit", &stat_buf) ||
	    !stat(INJECT_DEBUGFS "ptaudit", &stat_buf))
		return -EEXIST;
	return err;
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
		/* At least one allocation for the directory and one per file. */
		EXPECT_LE(5, result.refused);
		TH_LOG("insertion: %u allocations failed, %u calls refused",
		       result.injected, result.refused);
	}
	EXPECT_EQ(0, insert());
	EXPECT_EQ(0, check_files());
	close(fd);
}

TEST_HARNESS_MAIN
