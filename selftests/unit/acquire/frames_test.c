// SPDX-License-Identifier: GPL-2.0-only
/* The files about page frames: the module's, which is a memfd here, and those of /proc. */
#define _GNU_SOURCE
#include "acquire/frames.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "acquire/file.h"
#include "acquire/module.h"
#include "support/unit.h"

#define PAGE 4096
#define NR_FRAMES 20

/* The descriptors of kpageflags and kpagecount, which are not opened. */
enum { FLAGS = 1000, COUNTS };

static const uint8_t header[16] = { 1, 12, 8, 16 };

/* The bytes of kpagemap: header, and two words for each frame. */
static uint8_t bytes[16 + 16 * NR_FRAMES];
static size_t nr_bytes;
/* Words of kpageflags and kpagecount, and -errno of opening and reading each. */
static uint64_t nr_words[2];
static int open_error[3], read_error[2];
static int nr_open;

static struct ptu_frames files;
static struct ptu_frame frames[NR_FRAMES];
static size_t nr;
static struct ptu_err err;

int ptu_truth_open(const char *name, struct ptu_err *error)
{
	int fd;

	if (open_error[2])
		return open_error[2];
	fd = memfd_create(name, MFD_CLOEXEC);
	if (strcmp(name, "kpagemap") ||
	    write(fd, bytes, nr_bytes) != (ssize_t)nr_bytes)
		UNIT_FAIL("cannot write %s", name);
	return fd;
}

int ptu_truth_text(const char *name, char **ret, struct ptu_err *error)
{
	if (strcmp(name, "kpagemap_flags"))
		return ptu_err_set(error, -ENOENT, "no file %s", name);
	*ret = strdup("0 locked\n4 dirty\n");
	return 0;
}

int ptu_words_open(int dirfd, const char *name, struct ptu_words *ret)
{
	int i = !strcmp(name, "kpagecount");

	if (dirfd != PTU_PROC_ROOT || (!i && strcmp(name, "kpageflags")))
		return -ENOTDIR;
	if (open_error[i])
		return open_error[i];
	*ret = (struct ptu_words){ .fd = FLAGS + i };
	nr_open++;
	return 0;
}

void ptu_words_close(struct ptu_words *file)
{
	nr_open -= file->fd >= FLAGS;
}

ssize_t ptu_words_read(const struct ptu_words *file, uint64_t index,
		       uint64_t *words, size_t nr_wanted)
{
	const int i = file->fd - FLAGS;
	size_t at;

	if (read_error[i])
		return read_error[i];
	for (at = 0; at < nr_wanted && index < nr_words[i]; at++)
		words[at] = 1000 * (uint64_t)(i + 1) + index++;
	return (ssize_t)at;
}

static int open_files(void)
{
	return ptu_frames_open(PAGE, &files, &err);
}

static void set_up(void)
{
	uint64_t words[2];

	memcpy(bytes, header, sizeof(header));
	for (size_t i = 0; i < NR_FRAMES; i++) {
		words[0] = 3000 + i;
		words[1] = 4000 + i;
		memcpy(bytes + 16 + 16 * i, words, sizeof(words));
	}
	nr_bytes = sizeof(bytes);
	nr_words[0] = nr_words[1] = 25;
	memset(open_error, 0, sizeof(open_error));
	memset(read_error, 0, sizeof(read_error));
	memset(frames, 0, sizeof(frames));
	nr_open = 0;
	nr = 0;
	err.text[0] = '\0';
}

UNIT_TEST(sizes_of_both_sides_are_found)
{
	static const uint64_t sizes[] = { 0, 1, 2, 25, 1000003, 1 << 20 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		nr_words[0] = sizes[i];
		CHECK_EQ(open_files(), 0);
		CHECK_EQ(files.nr_frames, NR_FRAMES);
		CHECK_EQ(files.nr_flags, sizes[i]);
		CHECK_EQ(nr_open, 2);
		ptu_frames_close(&files);
		CHECK_EQ(nr_open, 0);
	}
}

UNIT_TEST(file_with_only_a_header_has_no_frames)
{
	nr_bytes = 16;
	CHECK_EQ(open_files(), 0);
	CHECK_EQ(files.nr_frames, 0);
	CHECK_EQ(ptu_frames_read(&files, 0, frames, 5, &nr, &err), 0);
	CHECK_EQ(nr, 0);
	ptu_frames_close(&files);
}

UNIT_TEST(other_header_is_refused)
{
	size_t at;

	for (at = 0; at < 16; at++) {
		bytes[at] ^= 1;
		CHECK_EQ(open_files(), -EPROTO);
		CHECK_EQ(nr_open, 0);
		bytes[at] ^= 1;
	}
	nr_bytes = 15;
	err.text[0] = '\0';
	CHECK_EQ(open_files(), -EPROTO);
	CHECK_STR(err.text, "kpagemap has no header");
	nr_bytes = 0;
	CHECK_EQ(open_files(), -EPROTO);
}

UNIT_TEST(file_that_cannot_be_opened_is_an_error)
{
	open_error[2] = -EPERM;
	CHECK_EQ(open_files(), -EPERM);

	set_up();
	open_error[0] = -ENOENT;
	CHECK_EQ(open_files(), -ENOENT);
	CHECK_STR(err.text,
		  "cannot open /proc/kpageflags: this kernel does not have it (CONFIG_PROC_PAGE_MONITOR)");
	CHECK_EQ(nr_open, 0);

	set_up();
	open_error[1] = -EACCES;
	CHECK_EQ(open_files(), -EACCES);
	CHECK_STR(err.text, "cannot open /proc/kpagecount: Permission denied");
	CHECK_EQ(nr_open, 0);
}

UNIT_TEST(frames_are_read_from_three_files)
{
	CHECK_EQ(open_files(), 0);
	CHECK_EQ(ptu_frames_read(&files, 3, frames, 10, &nr, &err), 0);
	CHECK_EQ(nr, 10);
	for (size_t i = 0; i < 10; i++) {
		CHECK_EQ(frames[i].flags, 3003 + i);
		CHECK_EQ(frames[i].count, 4003 + i);
		CHECK_EQ(frames[i].kpf, 1003 + i);
		CHECK_EQ(frames[i].mapcount, 2003 + i);
	}
	/* the end of kpagemap */
	CHECK_EQ(ptu_frames_read(&files, 15, frames, 10, &nr, &err), 0);
	CHECK_EQ(nr, 5);
	CHECK_EQ(frames[4].mapcount, 2019);
	CHECK_EQ(ptu_frames_read(&files, 20, frames, 10, &nr, &err), 0);
	CHECK_EQ(nr, 0);
	ptu_frames_close(&files);
}

UNIT_TEST(one_frame_is_read_from_each_side)
{
	struct ptu_frame frame = { 1, 2, 3, 4 };

	CHECK_EQ(open_files(), 0);
	CHECK_EQ(ptu_frames_module(&files, 19, &frame, &err), 0);
	CHECK_EQ(frame.flags, 3019);
	CHECK_EQ(frame.count, 4019);
	CHECK_EQ(frame.kpf, 3);
	CHECK_EQ(frame.mapcount, 4);
	CHECK_EQ(ptu_frames_proc(&files, 7, &frame, &err), 0);
	CHECK_EQ(frame.flags, 3019);
	CHECK_EQ(frame.count, 4019);
	CHECK_EQ(frame.kpf, 1007);
	CHECK_EQ(frame.mapcount, 2007);

	/* no more than one frame is read */
	CHECK_EQ(ptu_frames_module(&files, 3, &frame, &err), 0);
	CHECK_EQ(frame.count, 4003);
	CHECK_EQ(ptu_frames_module(&files, 20, &frame, &err), -EIO);
	CHECK_STR(err.text, "kpagemap ends before page frame 0x14");
	ptu_frames_close(&files);
}

UNIT_TEST(file_that_ends_before_kpagemap_is_an_error)
{
	struct ptu_frame frame;

	for (int i = 0; i < 2; i++) {
		set_up();
		nr_words[i] = 17;
		CHECK_EQ(open_files(), 0);
		CHECK_EQ(ptu_frames_read(&files, 10, frames, 7, &nr, &err), 0);
		CHECK_EQ(ptu_frames_read(&files, 10, frames, 8, &nr, &err),
			 -EIO);
		CHECK(strstr(err.text,
			     i ? "/proc/kpagecount ends at page frame 0x11," :
				 "/proc/kpageflags ends at page frame 0x11,"));
		CHECK_EQ(ptu_frames_proc(&files, 17, &frame, &err), -EIO);
		ptu_frames_close(&files);
	}
}

UNIT_TEST(failed_read_is_an_error)
{
	struct ptu_frame frame;

	for (int i = 0; i < 2; i++) {
		set_up();
		CHECK_EQ(open_files(), 0);
		read_error[i] = -EIO;
		CHECK_EQ(ptu_frames_read(&files, 0, frames, 2, &nr, &err),
			 -EIO);
		CHECK(strstr(err.text, i ? "cannot read /proc/kpagecount: " :
					   "cannot read /proc/kpageflags: "));
		CHECK_EQ(ptu_frames_proc(&files, 0, &frame, &err), -EIO);
		ptu_frames_close(&files);
	}
}

UNIT_TEST(half_an_entry_is_an_error)
{
	nr_bytes -= 8;
	CHECK_EQ(open_files(), 0);
	CHECK_EQ(files.nr_frames, NR_FRAMES - 1);
	CHECK_EQ(ptu_frames_read(&files, 0, frames, 20, &nr, &err), -EIO);
	CHECK_STR(err.text,
		  "cannot read the module's kpagemap: Input/output error");
	CHECK_EQ(ptu_frames_module(&files, 19, frames, &err), -EIO);
	ptu_frames_close(&files);
}

UNIT_TEST(names_are_those_of_the_module)
{
	struct ptu_kpagemap_names names;

	CHECK_EQ(ptu_frames_names(&names, &err), 0);
	CHECK_EQ(names.nr_names, 2);
	CHECK_STR(names.names[1].name, "dirty");
}

UNIT_MAIN_WITH(set_up, NULL)
