// SPDX-License-Identifier: GPL-2.0-only
/*
 * How the module's files are opened and read, and the messages of failures. The test
 * replaces the system calls, because no module is loaded.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* errno of each call, 0: success. */
static int open_errno, write_errno, read_errno, statfs_errno, stat_errno,
	access_errno;
static uid_t user;
static long fs_type;
/* Arguments of the last open(), write(), and stat() or access(). */
static char opened[128], asked[128], looked_for[128];
static int open_flags;
/* The contents of each file, and the most bytes that one read() returns. */
static char contents[200000];
static size_t nr_contents, read_most;
static unsigned int nr_interrupted, nr_closed;
static size_t at;

static int result(int error)
{
	errno = error;
	return error ? -1 : 0;
}

static int fake_open(const char *path, int flags)
{
	strcpy(opened, path);
	open_flags = flags;
	at = 0;
	/* 0 is a descriptor like any other */
	return result(open_errno);
}

static ssize_t fake_write(int fd, const void *bytes, size_t nr)
{
	if (fd || result(write_errno))
		return -1;
	memcpy(asked, bytes, nr);
	asked[nr] = '\0';
	return (ssize_t)nr;
}

static ssize_t fake_read(int fd, void *bytes, size_t nr)
{
	size_t left = nr_contents - at;

	if (nr_interrupted) {
		nr_interrupted--;
		return result(EINTR);
	}
	if (fd || result(read_errno))
		return -1;
	nr = nr < left ? nr : left;
	nr = nr < read_most ? nr : read_most;
	memcpy(bytes, contents + at, nr);
	at += nr;
	return (ssize_t)nr;
}

static int fake_close(int fd)
{
	nr_closed += !fd;
	return 0;
}

static int fake_statfs(const char *path, struct statfs *ret)
{
	ret->f_type = fs_type;
	return result(statfs_errno);
}

static int fake_stat(const char *path, struct stat *ret)
{
	strcpy(looked_for, path);
	return result(stat_errno);
}

static int fake_access(const char *path)
{
	strcpy(looked_for, path);
	return result(access_errno);
}

#define open(path, flags) fake_open(path, flags)
#define write(fd, bytes, nr) fake_write(fd, bytes, nr)
#define read(fd, bytes, nr) fake_read(fd, bytes, nr)
#define close(fd) fake_close(fd)
#define statfs(path, ret) fake_statfs(path, ret)
#define stat(path, ret) fake_stat(path, ret)
#define access(path, mode) fake_access(path)
#define geteuid() user
#include "acquire/module.c"
#undef open
#undef write
#undef read
#undef close
#undef statfs
#undef stat
#undef access
#undef geteuid

#include "support/build.h"
#include "support/pages_answer.h"
#include "support/unit.h"

#define FILES "/sys/kernel/debug/ptaudit/"

static struct ptu_err err;

static void set_up(void)
{
	open_errno = write_errno = read_errno = statfs_errno = 0;
	stat_errno = access_errno = 0;
	user = 0;
	fs_type = 0x64626720;
	nr_contents = 0;
	read_most = sizeof(contents);
	nr_interrupted = nr_closed = 0;
	asked[0] = opened[0] = looked_for[0] = '\0';
	err.text[0] = '\0';
}

UNIT_TEST(answers_of_any_length_are_read_whole)
{
	/* around the first and the second buffer of 64 KiB */
	static const size_t lengths[] = { 0,	  1,	  65534,  65535,
					  65536,  65537,  131070, 131071,
					  131072, 131073, 200000 };
	static const size_t most[] = { 200000, 65535, 1000 };
	size_t i, k;

	for (i = 0; i < sizeof(contents); i++)
		contents[i] = (char)(i * 7 + i / 256 + 1);
	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		for (k = 0; k < sizeof(most) / sizeof(most[0]); k++) {
			size_t nr_bytes = 1;
			char *bytes;
			bool equal;

			nr_contents = lengths[i];
			read_most = most[k];
			nr_interrupted = 2;
			CHECK_EQ(ptu_truth_fetch(1, 0, 0, &bytes, &nr_bytes,
						 &err),
				 0);
			equal = nr_bytes == nr_contents && !bytes[nr_bytes] &&
				!memcmp(bytes, contents, nr_bytes);
			free(bytes);
			CHECK(equal);
		}
	}
}

UNIT_TEST(request_has_the_pid_and_perhaps_a_range)
{
	static const struct {
		uint64_t start, end;
		const char *expected;
	} cases[] = {
		{ 0, 0, "4242" },
		{ 0x200000, 0x7f0000000000, "4242 0x200000 0x7f0000000000" },
		{ 0, 0x200000, "4242 0 0x200000" },
	};
	size_t nr_bytes, i;
	char *bytes;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CHECK_EQ(ptu_truth_fetch(4242, cases[i].start, cases[i].end,
					 &bytes, &nr_bytes, &err),
			 0);
		free(bytes);
		CHECK_STR(asked, cases[i].expected);
		CHECK_STR(opened, FILES "tables");
		CHECK_EQ(open_flags, O_RDWR | O_CLOEXEC);
		CHECK_EQ(nr_closed, i + 1);
	}
}

UNIT_TEST(refused_requests_are_explained)
{
	static const struct {
		int error;
		const char *text;
	} cases[] = {
		{ ESRCH, "process 9 ended" },
		{ EINVAL,
		  "process 9 has no memory of its own: it is a kernel thread or a zombie" },
		{ ESTALE, "process 9 started another program meanwhile" },
		{ EFBIG,
		  "process 9 has more page tables than the module may describe at once: raise /sys/module/ptaudit/parameters/max_answer_kib" },
		{ EIO, "the module cannot walk process 9: Input/output error" },
	};
	size_t nr_bytes, i;
	char *bytes;

	for (i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		/* the module answers at the first read; it checks the PID at the write */
		set_up();
		*(i % 2 ? &write_errno : &read_errno) = cases[i / 2].error;
		CHECK_EQ(ptu_truth_fetch(9, 0, 0, &bytes, &nr_bytes, &err),
			 -cases[i / 2].error);
		CHECK_STR(err.text, cases[i / 2].text);
		CHECK_EQ(nr_closed, 1);
	}
}

UNIT_TEST(refused_files_are_explained)
{
	static const struct {
		int open, statfs, stat;
		uid_t user;
		long fs;
		int expected;
		const char *text;
	} cases[] = {
		{ EACCES, 0, 0, 1000, 0x64626720, EPERM,
		  "the module needs root" },
		{ ENOENT, ENOENT, 0, 0, 0x64626720, ENOENT,
		  "debugfs, which is not mounted" },
		{ ENOENT, 0, 0, 0, 0x62656572, ENOENT,
		  "debugfs, which is not mounted" },
		{ ENOENT, 0, ENOENT, 0, 0x64626720, ENOENT,
		  "the module is not loaded" },
		/* mounting debugfs does not help without the module */
		{ ENOENT, 0, ENOENT, 0, 0x62656572, ENOENT,
		  "the module is not loaded" },
		{ ENOENT, 0, 0, 0, 0x64626720, ENOENT,
		  "cannot open a file below /sys/kernel/debug/ptaudit: No such file" },
		{ EPERM, 0, 0, 0, 0x64626720, EPERM, "it is locked down" },
		{ EACCES, 0, 0, 0, 0x64626720, EACCES, "it is locked down" },
		{ EMFILE, 0, 0, 0, 0x64626720, EMFILE,
		  "cannot open a file below /sys/kernel/debug/ptaudit: Too many" },
	};
	size_t nr_bytes, i;
	char *bytes;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		set_up();
		open_errno = cases[i].open;
		statfs_errno = cases[i].statfs;
		stat_errno = cases[i].stat;
		user = cases[i].user;
		fs_type = cases[i].fs;
		CHECK_EQ(ptu_truth_fetch(9, 0, 0, &bytes, &nr_bytes, &err),
			 -cases[i].expected);
		CHECK(strstr(err.text, cases[i].text));
		err.text[0] = '\0';
		CHECK_EQ(ptu_truth_geometry(&bytes, &err), -cases[i].expected);
		CHECK(strstr(err.text, cases[i].text));
		CHECK_EQ(nr_closed, 0);
		/* without debugfs, sysfs shows whether the module is loaded */
		if (cases[i].stat)
			CHECK_STR(looked_for,
				  cases[i].fs == 0x64626720 ?
					  "/sys/kernel/debug/ptaudit" :
					  "/sys/module/ptaudit");
	}
}

UNIT_TEST(files_about_page_frames_are_opened_for_reading)
{
	char *text;

	CHECK_EQ(ptu_truth_open("kpagemap", &err), 0);
	CHECK_STR(opened, FILES "kpagemap");
	CHECK_EQ(open_flags, O_RDONLY | O_CLOEXEC);

	strcpy(contents, "0 locked\n");
	nr_contents = strlen(contents);
	CHECK_EQ(ptu_truth_text("kpagemap_flags", &text, &err), 0);
	CHECK_STR(text, "0 locked\n");
	free(text);
	CHECK_STR(opened, FILES "kpagemap_flags");
	CHECK_EQ(nr_closed, 1);

	read_errno = EIO;
	CHECK_EQ(ptu_truth_text("kpagemap_flags", &text, &err), -EIO);
	CHECK_STR(err.text,
		  "cannot read the module's kpagemap_flags: Input/output error");
}

UNIT_TEST(refused_files_about_page_frames_are_explained)
{
	open_errno = EACCES;
	user = 1000;
	CHECK_EQ(ptu_truth_open("kpagemap", &err), -EACCES);
	CHECK(strstr(err.text, "kpagemap needs root"));

	/* a module of another version: it has `tables` */
	set_up();
	open_errno = ENOENT;
	CHECK_EQ(ptu_truth_open("kpagemap", &err), -ENOENT);
	CHECK_STR(err.text,
		  "the loaded module has no file kpagemap: load the module of this version");
	CHECK_STR(looked_for, FILES "tables");

	set_up();
	open_errno = access_errno = stat_errno = ENOENT;
	CHECK_EQ(ptu_truth_open("kpagemap", &err), -ENOENT);
	CHECK(strstr(err.text, "the module is not loaded"));

	/* `tables` exists, but the error is not ENOENT */
	set_up();
	open_errno = EPERM;
	CHECK_EQ(ptu_truth_open("kpagemap", &err), -EPERM);
	CHECK(strstr(err.text, "it is locked down"));
}

UNIT_TEST(module_of_another_geometry_is_refused)
{
	struct ptu_geometry geo;
	size_t length;
	char *text;

	CHECK_EQ(ptu_geometry_init(4096, "x86_64", "", &geo, &err), 0);
	ptu_geometry_text(&geo, contents);
	nr_contents = length = strlen(contents);
	CHECK_EQ(ptu_truth_ready(&geo, &err), 0);
	/* the last open() tests the permission to write requests */
	CHECK_STR(opened, FILES "tables");
	CHECK_EQ(open_flags, O_RDWR | O_CLOEXEC);
	CHECK_EQ(nr_closed, 2);
	CHECK_EQ(ptu_truth_geometry(&text, &err), 0);
	free(text);
	CHECK_STR(opened, FILES "geometry");
	CHECK_EQ(open_flags, O_RDONLY | O_CLOEXEC);

	contents[length - 2] ^= 1;
	CHECK_EQ(ptu_truth_ready(&geo, &err), -EPROTO);
	CHECK(strstr(err.text, "do not agree on the geometry"));
}

UNIT_TEST(files_of_older_modules_are_missing)
{
	CHECK_EQ(ptu_truth_has_orphans(&err), 0);
	CHECK_STR(looked_for, FILES "orphans");
	CHECK_EQ(ptu_truth_has_pages(&err), 0);
	CHECK_STR(looked_for, FILES "pages");
	access_errno = ENOENT;
	CHECK_EQ(ptu_truth_has_orphans(&err), -ENOENT);
	CHECK(strstr(err.text, "--orphans"));
	err.text[0] = '\0';
	CHECK_EQ(ptu_truth_has_pages(&err), -ENOENT);
	CHECK(strstr(err.text, "--pages"));
}

UNIT_TEST(answer_must_be_about_the_process_of_proc)
{
	const struct ptu_proc proc = { .pid = 9, .start_time = 500 };

	CHECK_EQ(check_process(&proc, 9, 500, &err), 0);
	CHECK_EQ(check_process(&proc, 9, 0, &err), -EPROTO);
	err.text[0] = '\0';
	CHECK_EQ(check_process(&proc, 8, 500, &err), -EXDEV);
	CHECK_STR(err.text,
		  "process 9: the module walked process 8 of this PID namespace instead");
	err.text[0] = '\0';
	CHECK_EQ(check_process(&proc, 9, 501, &err), -EXDEV);
	CHECK(strstr(err.text, "started 501 ticks after boot, not 500"));
}

/* The answer of `tables` or `orphans` about a process: one PTE table, and those above. */
static void answer_tables(int pid, uint64_t start_ticks, uint32_t flags)
{
	struct build b;
	void *bytes;

	build_init(&b, 4, false);
	/* older headers end before the start time */
	b.header.header_size = sizeof(b.header);
	b.header.ns_pid = pid;
	b.header.start_ticks = start_ticks;
	b.header.flags |= flags;
	build_pte(&b, UINT64_C(0x7f0000000000), 5);
	bytes = build_image(&b, &nr_contents);
	memcpy(contents, bytes, nr_contents);
	free(bytes);
	build_deinit(&b);
}

UNIT_TEST(answers_of_tables_and_orphans_are_parsed_and_checked)
{
	const struct ptu_proc proc = { .pid = 9, .start_time = 500 };
	struct ptu_snapshot got;
	int is_orphans;

	for (is_orphans = 0; is_orphans < 2; is_orphans++) {
		const uint32_t flags = is_orphans ? PTAUDIT_H_ORPHANS : 0;
#define ASK()                                                               \
	(is_orphans ?                                                       \
		 ptu_truth_orphans(&proc, 0, 0, &four_levels, &got, &err) : \
		 ptu_truth_read(&proc, 0, 0, PTU_WALK_AFTER, &four_levels,  \
				&got, &err))

		answer_tables(9, 500, flags);
		CHECK_EQ(ASK(), 0);
		CHECK_EQ(got.header.ns_pid, 9);
		CHECK_EQ(got.header.nr_records, got.nr_records);
		CHECK(got.nr_records >= 4);
		ptu_snapshot_deinit(&got);
		CHECK_STR(opened,
			  is_orphans ? FILES "orphans" : FILES "tables");

		answer_tables(9, 501, flags);
		CHECK_EQ(ASK(), -EXDEV);
		/* damaged */
		contents[0] ^= 1;
		CHECK_EQ(ASK(), -EPROTO);
		read_errno = ESRCH;
		CHECK_EQ(ASK(), -ESRCH);
		read_errno = 0;
	}
}

UNIT_TEST(answer_of_pages_is_parsed_and_checked)
{
	static const char answer[] =
		"pid 1007\ntgid 1006\ntid 1008\nns_pid 9\nns_tgid 9\nns_tid 9\n"
		"start_boottime_ns 910000000\nstart_ticks 500\n"
		"mm 0x00000000000000ab\nstart 0x1000\nend 0x9000\n" PAGES_OF_ANSWER
		"lock_windows 1\nhold_ns_max 2\nwalk_ns 3\n";
	struct ptu_proc proc = { .pid = 9, .start_time = 500 };
	struct ptu_totals got;

	strcpy(contents, answer);
	nr_contents = strlen(contents);
	CHECK_EQ(ptu_truth_pages(&proc, 0x1000, 0x9000, &got, &err), 0);
	CHECK_STR(opened, FILES "pages");
	CHECK_STR(asked, "9 0x1000 0x9000");
	CHECK_EQ(got.nr[PTAUDIT_P_SWAP], 20);
	proc.start_time = 499;
	CHECK_EQ(ptu_truth_pages(&proc, 0x1000, 0x9000, &got, &err), -EXDEV);
	proc.start_time = 500;
	nr_contents -= 5;
	CHECK_EQ(ptu_truth_pages(&proc, 0x1000, 0x9000, &got, &err), -EPROTO);
	open_errno = EPERM;
	CHECK_EQ(ptu_truth_pages(&proc, 0x1000, 0x9000, &got, &err), -EPERM);
}

UNIT_MAIN_WITH(set_up, NULL)
