// SPDX-License-Identifier: GPL-2.0-only
/*
 * A recording is used only if it has all of its files and no others, with the sizes and checksums
 * of the manifest.  Each test makes a recording, and changes something.
 */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The error of each call, or 0. That of open() is only for @open_name. */
static struct {
	int fstat, fstatat, fdopendir, readdir, pread, malloc, calibrate;
	int open;
	const char *open_name;
	/* @size: what fstat() returns, if it is not 0; @is_cut: pread() finds the end at once */
	off_t size;
	bool is_cut;
} fake;

static int fake_fstat(int fd, struct stat *st)
{
	int ret = fake.fstat ? -1 : fstat(fd, st);

	if (fake.fstat)
		errno = fake.fstat;
	else if (fake.size)
		st->st_size = fake.size;
	return ret;
}

static int fake_fstatat(int dirfd, const char *name, struct stat *st, int flags)
{
	if (!fake.fstatat)
		return fstatat(dirfd, name, st, flags);
	errno = fake.fstatat;
	return -1;
}

static DIR *fake_fdopendir(int fd)
{
	if (!fake.fdopendir)
		return fdopendir(fd);
	errno = fake.fdopendir;
	return NULL;
}

static struct dirent *fake_readdir(DIR *dir)
{
	struct dirent *entry = readdir(dir);

	if (!entry && fake.readdir)
		errno = fake.readdir;
	return entry;
}

static void *fake_malloc(size_t bytes)
{
	return fake.malloc ? NULL : malloc(bytes);
}

#define ptu_file_pread fake_pread
#define ptu_file_open_recorded fake_open
#define ptu_scan_calibrate fake_calibrate
#define fstat fake_fstat
#define fstatat fake_fstatat
#define fdopendir fake_fdopendir
#define readdir fake_readdir
#define malloc fake_malloc
#include "acquire/recording.c"
#undef malloc
#undef readdir
#undef fdopendir
#undef fstatat
#undef fstat
#undef ptu_file_pread
#undef ptu_file_open_recorded

#include "acquire/temp_recording.h"
#include "support/stdin.h"

ssize_t ptu_file_pread(int fd, void *buffer, size_t bytes, off_t offset);
int ptu_file_open_recorded(int dirfd, const char *name, int flags);

ssize_t fake_pread(int fd, void *buffer, size_t bytes, off_t offset)
{
	if (fake.pread)
		return fake.pread;
	return fake.is_cut ? 0 : ptu_file_pread(fd, buffer, bytes, offset);
}

int fake_open(int dirfd, const char *name, int flags)
{
	if (fake.open && !strcmp(name, fake.open_name))
		return fake.open;
	return ptu_file_open_recorded(dirfd, name, flags);
}

int fake_calibrate(struct ptu_scan_caps *ret, struct ptu_err *ret_err)
{
	if (!ptu_file_is_recording())
		UNIT_FAIL("this machine is tested instead of the recorded one");
	memset(ret, 0, sizeof(*ret));
	if (fake.calibrate < 0)
		ptu_err_set(ret_err, fake.calibrate, "no caps");
	return fake.calibrate;
}

static void set_up(void)
{
	memset(&fake, 0, sizeof(fake));
	fake.calibrate = 1;
	begin_recording();
}

static void tear_down(void)
{
	memset(&fake, 0, sizeof(fake));
	end_recording();
}

UNIT_TEST(a_complete_recording_replaces_proc)
{
	char *text;

	make();
	CHECK_EQ(use(), 0);
	CHECK_STR(err.text, "");
	CHECK(ptu_file_is_recording());
	CHECK_EQ(ptu_file_read(PTU_PROC_ROOT, "7/stat", 0, &text), 0);
	CHECK_STR(text, "7 (a) S 1\n");
	free(text);
	ptu_recording_leave();
	CHECK(!ptu_file_is_recording());
}

UNIT_TEST(the_recorded_kernel_may_lack_pagemap_scan)
{
	make();
	fake.calibrate = 0;
	CHECK_EQ(use(), 0);
	fake.calibrate = -EBADMSG;
	REFUSED(-EBADMSG, "no caps");
}

/* The checksum is computed in pieces of 256 KiB. */
UNIT_TEST(long_files_are_compared_completely)
{
	static char bytes[(512 << 10) + 1];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * 7 + i / 1000);
	for (size_t i = 0; i < 2; i++) {
		drop("7/smaps");
		add("7/smaps", "");
		files[nr_files - 1].text = bytes;
		files[nr_files - 1].nr_bytes = sizeof(bytes) - i;
		make();
		CHECK_EQ(use(), 0);
	}
	bytes[300 << 10] ^= 1;
	tree_write_bytes("7/smaps", bytes, sizeof(bytes) - 1);
	DAMAGED("7/smaps has another checksum than in the manifest");
}

UNIT_TEST(a_changed_file_is_damage)
{
	make();
	tree_write("7/maps", "1000-3000\n");
	DAMAGED("7/maps has another checksum than in the manifest");
	tree_write("7/maps", "1000-2000\n\n");
	DAMAGED("7/maps has another size than in the manifest");
	tree_write("7/maps", "1000-200\n");
	DAMAGED("7/maps has another size than in the manifest");
}

/* The checksum of these four bytes is 0, like that of an empty file. */
UNIT_TEST(a_file_that_shrinks_while_it_is_read_is_damage)
{
	drop("7/pagemap");
	add("7/pagemap", "\x9d\x0a\xd9\x6d");
	make();
	CHECK_EQ(use(), 0);
	/* a file that shrinks to nothing has the right checksum, but is too short */
	nr_files = 1;
	files[0].name = "about";
	files[0].text = "\x9d\x0a\xd9\x6d";
	files[0].nr_bytes = 4;
	tree_remove();
	tree_make();
	make();
	fake.is_cut = true;
	DAMAGED("about has another checksum than in the manifest");
}

UNIT_TEST(a_missing_file_is_damage)
{
	make();
	unlinkat(tree_fd, "about", 0);
	DAMAGED("about is missing");
	make();
	/* the first file of the manifest */
	unlinkat(tree_fd, "7/maps", 0);
	DAMAGED("7/maps is missing");
	make();
	unlinkat(tree_fd, "7/status", 0);
	DAMAGED("7/status is missing");
}

UNIT_TEST(an_additional_file_is_damage)
{
	make();
	tree_write("7/mem", "");
	DAMAGED("7/mem is not in its manifest");
}

UNIT_TEST(names_in_messages_are_escaped)
{
	make();
	tree_write("a\033b", "");
	DAMAGED("a\\x1bb is not in its manifest");
	unlinkat(tree_fd, "a\033b", 0);
	add("a\033b", "");
	make();
	fake.open = -EACCES;
	fake.open_name = "a\033b";
	UNREADABLE(-EACCES, "a\\x1bb: Permission denied");
}

UNIT_TEST(a_file_of_more_than_1_gib_is_damage)
{
	make();
	tree_size("about", (1l << 30) + 1);
	DAMAGED("about is larger than 1 GiB");
}

/* A name has 127 bytes at most, with the names of its directories. */
UNIT_TEST(long_names_are_not_cut)
{
	char name[129], message[256];

	memset(name, 'a', sizeof(name));
	memcpy(name, "7/", 2);
	name[127] = '\0';
	add(name, "");
	make();
	CHECK_EQ(use(), 0);
	snprintf(message, sizeof(message),
		 "the recording is damaged: %s ... has too long a name", name);
	unlinkat(tree_fd, name, 0);
	name[127] = 'a';
	name[128] = '\0';
	tree_write(name, "");
	REFUSED(-EBADMSG, message);
}

UNIT_TEST(only_files_and_directories_belong_to_a_recording)
{
	make();
	CHECK(!symlinkat("7/maps", tree_fd, "link"));
	DAMAGED("link is neither a regular file nor a directory");
	unlinkat(tree_fd, "link", 0);
	CHECK(!mkfifoat(tree_fd, "7/fifo", 0600));
	DAMAGED("7/fifo is neither a regular file nor a directory");
}

UNIT_TEST(an_empty_directory_is_damage)
{
	make();
	mkdirat(tree_fd, "8", 0700);
	DAMAGED("8 is an empty directory");
	unlinkat(tree_fd, "8", AT_REMOVEDIR);
	mkdirat(tree_fd, "7/task", 0700);
	DAMAGED("7/task is an empty directory");
}

UNIT_TEST(a_recording_of_nothing_is_not_complete)
{
	nr_files = 0;
	make();
	DAMAGED("about is missing");
}

/* A file may have four directories above it. */
UNIT_TEST(deep_directories_are_not_read)
{
	add("a/b/c/d/f", "");
	make();
	CHECK_EQ(use(), 0);
	add("a/b/c/d/e/f", "");
	make();
	DAMAGED("a/b/c/d/e is not in its manifest");
}

UNIT_TEST(errors_of_the_system_are_no_damage)
{
	make();
	fake.fstat = EIO;
	CHECK_EQ(use(), -EIO);
	CHECK(strstr(err.text, ": Input/output error"));
	fake.fstat = 0;
	fake.fstatat = EACCES;
	CHECK_EQ(use(), -EACCES);
	CHECK(strstr(err.text, ": Permission denied"));
	fake.fstatat = 0;
	fake.readdir = EIO;
	CHECK_EQ(use(), -EIO);
	CHECK(strstr(err.text, ": Input/output error"));
	fake.readdir = 0;
	fake.pread = -EIO;
	CHECK_EQ(use(), -EIO);
	CHECK(strstr(err.text, ": Input/output error"));
	fake.pread = 0;
	fake.fdopendir = ENOMEM;
	UNREADABLE(-ENOMEM, ": Cannot allocate memory");
	fake.fdopendir = 0;
	fake.malloc = 1;
	REFUSED(-ENOMEM, "no memory to check the recording");
	fake.malloc = 0;
	CHECK_EQ(use(), 0);
}

UNIT_TEST(what_cannot_be_opened_is_named)
{
	static const struct {
		const char *name, *message;
	} all[] = {
		{ "manifest",
		  "cannot read the recording's manifest: Too many open files" },
		{ "",
		  "cannot read the recording's directory: Too many open files" },
		{ "smaps",
		  "cannot read the recording's 7/smaps: Too many open files" },
		{ "random",
		  "cannot read the recording's sys/kernel/random: Too many open files" },
	};

	make();
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		fake.open = -EMFILE;
		fake.open_name = all[i].name;
		REFUSED(-EMFILE, all[i].message);
	}
}

UNIT_TEST(a_recording_is_checked_although_standard_input_is_closed)
{
	int copy, whole, damaged_one;

	make();
	copy = stdin_close();
	whole = use();
	ptu_recording_leave();
	tree_write("7/mem", "");
	damaged_one = use();
	ptu_recording_leave();
	stdin_restore(copy);
	CHECK_EQ(whole, 0);
	CHECK_EQ(damaged_one, -EBADMSG);
	CHECK_STR(err.text,
		  "the recording is damaged: 7/mem is not in its manifest");
}

UNIT_TEST(the_directory_of_a_recording_must_exist)
{
	CHECK_EQ(ptu_recording_use("/proc/ptaudit/none", &err), -ENOENT);
	CHECK_STR(err.text,
		  "cannot open the recording /proc/ptaudit/none: No such file or directory");
	CHECK(!ptu_file_is_recording());
}

UNIT_TEST(without_a_manifest_a_recording_is_not_complete)
{
	char message[128];

	snprintf(message, sizeof(message),
		 "%s is not a complete recording: it has no file `manifest`",
		 tree);
	make();
	unlinkat(tree_fd, "manifest", 0);
	REFUSED(-ENOENT, message);
	mkdirat(tree_fd, "manifest", 0700);
	DAMAGED("manifest is not a regular file");
}

UNIT_TEST(the_manifest_has_64_mib_at_most)
{
	make();
	fake.size = 64 << 20;
	/* the size of the manifest is accepted, that of the first file is not */
	CHECK_EQ(use(), -EBADMSG);
	CHECK(strstr(err.text, " has another size than in the manifest"));
	fake.size++;
	DAMAGED("manifest is too large");
}

UNIT_TEST(the_manifest_is_text_in_the_form_of_record)
{
	make();
	tree_write_bytes("manifest", "a\0b", 3);
	UNREADABLE(-EIO, "manifest: Input/output error");
	tree_write("manifest", "ptaudit-manifest 2 0\n");
	DAMAGED("its manifest does not have the format that record writes");
	/* a file of two sizes */
	tree_write("manifest", "ptaudit-manifest 1 2\n00000000 1 about\n"
			       "00000000 2 about\n");
	DAMAGED("its manifest does not have the format that record writes");
}

UNIT_MAIN_WITH(set_up, tear_down)
