// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opening and reading files of /proc and of a recording, whose files nobody trusts: no symbolic
 * link is followed, and nothing blocks.  The system calls can fail, or read a few bytes only.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct {
	/* the number of the next calls that a signal interrupts */
	unsigned int interrupts;
	/* what a call reads at most, if it is not 0; the error of the next read */
	size_t most;
	int read_error, fstat_error, fdopendir_error;
	/* the number of the next allocations that succeed, or a large number */
	unsigned int allocations;
	/* the flags of the last openat() */
	int flags;
	char opened[160];
} fake;

static int is_interrupted(void)
{
	if (!fake.interrupts)
		return 0;
	fake.interrupts--;
	errno = EINTR;
	return 1;
}

static int fake_openat(int dirfd, const char *name, int flags)
{
	if (is_interrupted())
		return -1;
	fake.flags = flags;
	snprintf(fake.opened, sizeof(fake.opened), "%s", name);
	return openat(dirfd, name, flags);
}

static ssize_t fake_pread(int fd, void *buffer, size_t bytes, off_t offset)
{
	if (is_interrupted())
		return -1;
	if (fake.most && fake.most < bytes)
		bytes = fake.most;
	if (!fake.read_error)
		return pread(fd, buffer, bytes, offset);
	errno = fake.read_error;
	return -1;
}

static ssize_t fake_read(int fd, void *buffer, size_t bytes)
{
	if (is_interrupted())
		return -1;
	if (fake.most && fake.most < bytes)
		bytes = fake.most;
	if (!fake.read_error)
		return read(fd, buffer, bytes);
	errno = fake.read_error;
	return -1;
}

static int fake_fstat(int fd, struct stat *st)
{
	errno = fake.fstat_error;
	return fake.fstat_error ? -1 : fstat(fd, st);
}

static DIR *fake_fdopendir(int fd)
{
	errno = fake.fdopendir_error;
	return fake.fdopendir_error ? NULL : fdopendir(fd);
}

static void *fake_malloc(size_t bytes)
{
	return fake.allocations && fake.allocations-- ? malloc(bytes) : NULL;
}

static void *fake_realloc(void *memory, size_t bytes)
{
	return fake.allocations && fake.allocations-- ? realloc(memory, bytes) :
							NULL;
}

#define openat fake_openat
#define pread fake_pread
#define read fake_read
#define fstat fake_fstat
#define fdopendir fake_fdopendir
#define malloc fake_malloc
#define realloc fake_realloc
#include "acquire/file.c"
#undef openat
#undef pread
#undef read
#undef fstat
#undef fdopendir
#undef malloc
#undef realloc

#include "support/stdin.h"
#include "support/tree.h"
#include "support/unit.h"

/* The first descriptor that is free; it is the same again after all others were closed. */
static int first_free;

static int next_fd(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	close(fd);
	return fd;
}

static void set_up(void)
{
	tree_make();
	memset(&fake, 0, sizeof(fake));
	fake.allocations = 1000;
	first_free = next_fd();
}

static void tear_down(void)
{
	const int fd = ptu_file_swap_recording(-1);

	if (fd >= 0)
		close(fd);
	if (next_fd() != first_free)
		UNIT_FAIL("descriptor %d was not closed", first_free);
	tree_remove();
}

/* Close the file. Return: whether it had this text. */
static bool is_text(int fd, const char *text)
{
	char got[64] = "";
	ssize_t n = fd < 0 ? -1 : read(fd, got, sizeof(got) - 1);

	if (fd >= 0)
		close(fd);
	return n >= 0 && !strcmp(got, text);
}

UNIT_TEST(a_recording_replaces_proc)
{
	int fd;

	tree_write("f", "recorded");
	tree_write("7/f", "of 7");
	CHECK(!ptu_file_is_recording());
	fd = ptu_file_use_recording(tree);
	CHECK(fd >= 0);
	CHECK(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	CHECK(ptu_file_is_recording());
	CHECK(is_text(ptu_file_open(PTU_PROC_ROOT, "f", 0), "recorded"));
	CHECK(is_text(ptu_file_open(PTU_PROC_ROOT, "7/f", 0), "of 7"));
	CHECK(is_text(ptu_file_open(tree_fd, "f", 0), "recorded"));
	CHECK_EQ(ptu_file_swap_recording(-1), fd);
	CHECK(!ptu_file_is_recording());
	CHECK(fcntl(fd, F_GETFD) >= 0);
	CHECK_EQ(ptu_file_swap_recording(fd), -1);
	CHECK(ptu_file_is_recording());
	ptu_file_leave_recording();
	CHECK(!ptu_file_is_recording());
	CHECK(fcntl(fd, F_GETFD) < 0);
	ptu_file_leave_recording();
}

UNIT_TEST(a_recording_is_a_directory_that_exists)
{
	char name[sizeof(tree) + 4];

	snprintf(name, sizeof(name), "%s/f", tree);
	CHECK_EQ(ptu_file_use_recording(name), -ENOENT);
	CHECK(!ptu_file_is_recording());
	tree_write("f", "");
	CHECK_EQ(ptu_file_use_recording(name), -ENOTDIR);
}

/* Call a function while standard input is closed.  The error of an earlier call has no effect. */
static bool without_stdin(bool (*run)(void))
{
	const int copy = stdin_close();
	bool ret;

	errno = EINTR;
	ret = run();
	stdin_restore(copy);
	return ret;
}

static bool use_it(void)
{
	const int fd = ptu_file_use_recording(tree);
	const bool ret = !fd && ptu_file_is_recording() &&
			 is_text(ptu_file_open(PTU_PROC_ROOT, "f", 0),
				 "recorded");

	ptu_file_leave_recording();
	return ret && fcntl(fd, F_GETFD) < 0;
}

UNIT_TEST(a_recording_may_have_the_descriptor_0)
{
	tree_write("f", "recorded");
	CHECK(without_stdin(use_it));
}

/* The directory of f gets the descriptor 0; a is opened after ".", and gets another one. */
static bool open_above(void)
{
	const char *last;
	int above = ptu_file_open_above(tree_fd, "f", &last);
	const bool ret = !above && !strcmp(last, "f");

	close(above);
	above = ptu_file_open_above(tree_fd, "a/f", &last);
	if (above >= 0)
		close(above);
	return ret && above > 0 && !strcmp(last, "f");
}

static bool open_recorded(void)
{
	return is_text(ptu_file_open_recorded(tree_fd, "f", 0), "recorded") &&
	       is_text(ptu_file_open_recorded(tree_fd, "a/f", 0), "below") &&
	       ptu_file_open_recorded(tree_fd, "a/fifo", 0) == -EBADMSG;
}

UNIT_TEST(a_file_of_a_recording_may_have_the_descriptor_0)
{
	tree_write("f", "recorded");
	tree_write("a/f", "below");
	CHECK(!mkfifoat(tree_fd, "a/fifo", 0600));
	CHECK(without_stdin(open_above));
	CHECK(without_stdin(open_recorded));
}

static size_t taken;

static int take(void *arg, const char *lines)
{
	if (arg != &taken)
		UNIT_FAIL("the argument was lost");
	taken += strlen(lines);
	return 0;
}

static bool read_it(void)
{
	char *got = NULL;
	const bool ret = !ptu_file_read(tree_fd, "f", 0, &got) && got &&
			 !strcmp(got, "text");

	free(got);
	return ret;
}

static bool read_lines(void)
{
	taken = 0;
	return !ptu_file_lines(tree_fd, "f", take, &taken) && taken == 4;
}

static bool list_it(void)
{
	DIR *dir = NULL;
	const int error = ptu_file_list(tree_fd, "a", &dir);

	if (dir)
		closedir(dir);
	return !error && dir;
}

UNIT_TEST(a_file_that_is_read_may_have_the_descriptor_0)
{
	tree_write("f", "text");
	tree_write("a/f", "");
	CHECK(without_stdin(read_it));
	CHECK(without_stdin(read_lines));
	CHECK(without_stdin(list_it));
}

UNIT_TEST(names_are_relative_to_proc)
{
	char *text;

	CHECK_EQ(ptu_file_read(PTU_PROC_ROOT, "self/comm", 0, &text), 0);
	CHECK_STR(fake.opened, "/proc/self/comm");
	CHECK_EQ(fake.flags, O_RDONLY | O_CLOEXEC);
	free(text);
	tree_write("f", "text");
	CHECK(is_text(ptu_file_open(tree_fd, "f", 0), "text"));
	CHECK_STR(fake.opened, "f");
	CHECK_EQ(ptu_file_open(tree_fd, "f", O_DIRECTORY), -ENOTDIR);
	CHECK_EQ(fake.flags, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
	CHECK_EQ(ptu_file_open(tree_fd, "none", 0), -ENOENT);
}

/* The path has 127 bytes at most, with "/proc/". */
UNIT_TEST(a_name_that_is_too_long_is_not_cut)
{
	char name[123];

	memset(name, 'a', sizeof(name));
	name[121] = '\0';
	CHECK_EQ(ptu_file_open(PTU_PROC_ROOT, name, 0), -ENAMETOOLONG);
	CHECK_STR(fake.opened, "");
	name[120] = '\0';
	CHECK_EQ(ptu_file_open(PTU_PROC_ROOT, name, 0), -ENOENT);
	CHECK_EQ(strlen(fake.opened), 126);
}

UNIT_TEST(interrupted_calls_are_repeated)
{
	char buffer[8];
	char *text;
	int fd;

	tree_write("f", "text");
	fake.interrupts = 2;
	fd = ptu_file_open(tree_fd, "f", 0);
	CHECK(fd >= 0);
	fake.interrupts = 2;
	CHECK_EQ(ptu_file_pread(fd, buffer, 4, 0), 4);
	close(fd);
	fake.interrupts = 5;
	CHECK_EQ(ptu_file_read(tree_fd, "f", 0, &text), 0);
	CHECK_STR(text, "text");
	free(text);
}

UNIT_TEST(the_directory_above_a_file_is_opened)
{
	const char *last;
	int fd;

	tree_write("a/b/f", "text");
	fd = ptu_file_open_above(tree_fd, "a/b/f", &last);
	CHECK(fd >= 0);
	CHECK_STR(last, "f");
	CHECK(is_text(openat(fd, last, O_RDONLY), "text"));
	close(fd);
	fd = ptu_file_open_above(tree_fd, "f", &last);
	CHECK_STR(last, "f");
	CHECK(is_text(openat(fd, "a/b/f", O_RDONLY), "text"));
	close(fd);
	/* a directory that nobody may read can be opened */
	CHECK_EQ(fake.flags, O_PATH | O_DIRECTORY | O_CLOEXEC);
	CHECK_EQ(ptu_file_open_above(tree_fd, "a/c/f", &last), -ENOENT);
	CHECK_EQ(ptu_file_open_above(tree_fd, "a/b/f/g", &last), -ENOTDIR);
}

UNIT_TEST(a_component_has_63_bytes_at_most)
{
	char name[68];
	const char *last;
	int fd;

	memset(name, 'a', sizeof(name));
	strcpy(name + 63, "/f");
	tree_write(name, "text");
	fd = ptu_file_open_above(tree_fd, name, &last);
	CHECK(fd >= 0);
	CHECK_STR(last, "f");
	close(fd);
	name[63] = 'a';
	strcpy(name + 64, "/f");
	tree_write(name, "text");
	CHECK_EQ(ptu_file_open_above(tree_fd, name, &last), -ENAMETOOLONG);
}

UNIT_TEST(no_symbolic_link_of_a_recording_is_followed)
{
	const char *last;

	tree_write("a/f", "text");
	CHECK(!symlinkat("a", tree_fd, "link"));
	CHECK(!symlinkat("f", tree_fd, "a/link"));
	CHECK_EQ(ptu_file_open_above(tree_fd, "link/f", &last), -ENOTDIR);
	CHECK_EQ(ptu_file_open_recorded(tree_fd, "link/f", 0), -ENOTDIR);
	CHECK_EQ(ptu_file_open_recorded(tree_fd, "a/link", 0), -ELOOP);
}

UNIT_TEST(only_regular_files_of_a_recording_are_opened)
{
	tree_write("a/f", "text");
	CHECK(is_text(ptu_file_open_recorded(tree_fd, "a/f", 0), "text"));
	/* opening a FIFO would wait for its writer */
	CHECK_EQ(fake.flags,
		 O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	CHECK(!mkfifoat(tree_fd, "fifo", 0600));
	CHECK_EQ(ptu_file_open_recorded(tree_fd, "fifo", 0), -EBADMSG);
	CHECK_EQ(ptu_file_open_recorded(tree_fd, "a", 0), -EBADMSG);
	CHECK_EQ(ptu_file_open_recorded(tree_fd, "none", 0), -ENOENT);
	CHECK_EQ(ptu_file_open_recorded(tree_fd, "none/f", 0), -ENOENT);
	fake.fstat_error = EIO;
	CHECK_EQ(ptu_file_open_recorded(tree_fd, "a/f", 0), -EIO);
}

UNIT_TEST(directories_of_a_recording_are_opened)
{
	int fd;

	tree_write("a/f", "text");
	fd = ptu_file_open_recorded(tree_fd, "a", O_DIRECTORY);
	CHECK(is_text(openat(fd, "f", O_RDONLY), "text"));
	close(fd);
	fd = ptu_file_open_recorded(tree_fd, "", O_DIRECTORY);
	CHECK(is_text(openat(fd, "a/f", O_RDONLY), "text"));
	close(fd);
	CHECK_EQ(ptu_file_open_recorded(tree_fd, "a/f", O_DIRECTORY), -ENOTDIR);
}

UNIT_TEST(a_file_of_a_recording_has_a_gib_at_most)
{
	int fd;

	tree_size("f", 1 << 30);
	fd = ptu_file_open_recorded(tree_fd, "f", 0);
	CHECK(fd >= 0);
	close(fd);
	tree_size("f", (1 << 30) + 1);
	CHECK_EQ(ptu_file_open_recorded(tree_fd, "f", 0), -EFBIG);
}

UNIT_TEST(short_reads_are_continued_at_an_offset)
{
	char buffer[16] = "";
	int fd;

	tree_write("f", "0123456789");
	fd = ptu_file_open(tree_fd, "f", 0);
	fake.most = 3;
	CHECK_EQ(ptu_file_pread(fd, buffer, 7, 2), 7);
	CHECK_STR(buffer, "2345678");
	memset(buffer, 0, sizeof(buffer));
	CHECK_EQ(ptu_file_pread(fd, buffer, 9, 5), 5);
	CHECK_STR(buffer, "56789");
	/* the error of an earlier call is not that of this one */
	errno = EINTR;
	CHECK_EQ(ptu_file_pread(fd, buffer, 9, 10), 0);
	fake.read_error = EIO;
	CHECK_EQ(ptu_file_pread(fd, buffer, 9, 5), -EIO);
	close(fd);
}

static char *text;

/* Read a file of so many bytes; the text is freed by the next call. */
static int read_bytes(size_t nr_bytes, size_t limit)
{
	char *bytes = malloc(nr_bytes + 1);
	int error;

	memset(bytes, 'a', nr_bytes);
	if (nr_bytes)
		bytes[nr_bytes - 1] = 'z';
	tree_write_bytes("f", bytes, nr_bytes);
	free(bytes);
	free(text);
	text = NULL;
	/* the error of an earlier call must not be returned at the end of the file */
	errno = EIO;
	error = ptu_file_read(tree_fd, "f", limit, &text);
	return error;
}

UNIT_TEST(a_text_of_any_length_is_read)
{
	static const size_t all[] = { 1,      65534,  65535, 65536,
				      131071, 131072, 300000 };

	for (size_t i = 0; i < 2 * 7; i++) {
		const size_t bytes = all[i % 7];

		fake.most = i < 7 ? 0 : 50000;
		CHECK_EQ(read_bytes(bytes, 0), 0);
		CHECK_EQ(strlen(text), bytes);
		CHECK_EQ(text[bytes - 1], 'z');
	}
	CHECK_EQ(read_bytes(0, 0), 0);
	CHECK_STR(text, "");
	read_bytes(0, 0);
	free(text);
	text = NULL;
}

UNIT_TEST(a_limit_cuts_the_text)
{
	CHECK_EQ(read_bytes(10, 4), 0);
	CHECK_STR(text, "aaaa");
	CHECK_EQ(read_bytes(4, 4), 0);
	CHECK_STR(text, "aaaz");
	CHECK_EQ(read_bytes(3, 4), 0);
	CHECK_STR(text, "aaz");
	fake.most = 1;
	CHECK_EQ(read_bytes(10, 4), 0);
	CHECK_STR(text, "aaaa");
	free(text);
	text = NULL;
}

UNIT_TEST(text_with_a_nul_is_an_error)
{
	tree_write_bytes("f", "ab\0c", 4);
	CHECK_EQ(ptu_file_read(tree_fd, "f", 0, &text), -EIO);
	/* the NUL is behind the limit */
	CHECK_EQ(ptu_file_read(tree_fd, "f", 2, &text), 0);
	CHECK_STR(text, "ab");
	free(text);
	text = NULL;
}

UNIT_TEST(errors_of_reading_are_returned)
{
	CHECK_EQ(ptu_file_read(tree_fd, "none", 0, &text), -ENOENT);
	tree_write("f", "text");
	fake.read_error = EIO;
	CHECK_EQ(ptu_file_read(tree_fd, "f", 0, &text), -EIO);
	CHECK(!text);
}

UNIT_TEST(lack_of_memory_is_an_error)
{
	fake.allocations = 0;
	CHECK_EQ(read_bytes(10, 0), -ENOMEM);
	fake.allocations = 1;
	CHECK_EQ(read_bytes(70000, 0), -ENOMEM);
	CHECK(!text);
}

UNIT_TEST(lines_need_memory_and_a_file_that_can_be_read)
{
	taken = 0;
	CHECK_EQ(ptu_file_lines(tree_fd, "none", take, &taken), -ENOENT);
	read_bytes(70000, 0);
	free(text);
	text = NULL;
	fake.allocations = 0;
	CHECK_EQ(ptu_file_lines(tree_fd, "f", take, &taken), -ENOMEM);
	fake.allocations = 1;
	CHECK_EQ(ptu_file_lines(tree_fd, "f", take, &taken), -ENOMEM);
	CHECK_EQ(taken, 0);
	fake.allocations = 2;
	CHECK_EQ(ptu_file_lines(tree_fd, "f", take, &taken), 0);
	CHECK_EQ(taken, 70000);
	/* each call reads one byte */
	tree_write("f", "a\nbc\n");
	taken = 0;
	fake.allocations = 9;
	fake.most = 1;
	CHECK_EQ(ptu_file_lines(tree_fd, "f", take, &taken), 0);
	CHECK_EQ(taken, 5);
	fake.read_error = EIO;
	CHECK_EQ(ptu_file_lines(tree_fd, "f", take, &taken), -EIO);
}

UNIT_TEST(a_directory_is_listed)
{
	struct dirent *entry;
	unsigned int nr = 0;
	DIR *dir;

	tree_write("a/f", "");
	CHECK_EQ(ptu_file_list(tree_fd, "a", &dir), 0);
	while ((entry = readdir(dir)))
		nr += !strcmp(entry->d_name, "f");
	closedir(dir);
	CHECK_EQ(nr, 1);
	CHECK_EQ(ptu_file_list(tree_fd, "b", &dir), -ENOENT);
	CHECK_EQ(ptu_file_list(tree_fd, "a/f", &dir), -ENOTDIR);
	fake.fdopendir_error = ENOMEM;
	CHECK_EQ(ptu_file_list(tree_fd, "a", &dir), -ENOMEM);
}

UNIT_MAIN_WITH(set_up, tear_down)
