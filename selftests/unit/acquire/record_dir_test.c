// SPDX-License-Identifier: GPL-2.0-only
/* Writing a file of a recording when each write() takes only a few bytes. */
#define _GNU_SOURCE
#include <errno.h>
#include <unistd.h>

/* The number of bytes that a call takes; the error of the next call. */
static size_t most;
static int next_error;
static unsigned int nr_writes;

static ssize_t short_write(int fd, const void *bytes, size_t nr_bytes)
{
	nr_writes++;
	if (next_error) {
		errno = next_error;
		next_error = 0;
		return -1;
	}
	return write(fd, bytes, nr_bytes < most ? nr_bytes : most);
}

#define write short_write
#include "acquire/record_dir.c"
#undef write

#include "support/tree.h"
#include "support/unit.h"

static struct ptu_record_dir dir;
static struct ptu_err err;
/* What is written: bytes that differ from their neighbours. */
static char text[1000];

static void set_up(void)
{
	char path[sizeof(tree) + 2];

	tree_make();
	snprintf(path, sizeof(path), "%s/r", tree);
	err.text[0] = '\0';
	if (ptu_record_dir_open(path, &dir, &err))
		abort();
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)(i * 7 % 251);
	most = 300;
	next_error = 0;
	nr_writes = 0;
}

static void tear_down(void)
{
	ptu_record_dir_cut(&dir, 0);
	close_dir(&dir);
	tree_remove();
}

static int record(void)
{
	struct ptu_record_file file;
	int error = ptu_record_create(&dir, "a/f", &file, &err);

	if (error)
		return error;
	fwrite(text, 1, sizeof(text), file.out);
	return ptu_record_finish(&file, &err);
}

UNIT_TEST(short_writes_are_continued)
{
	char back[sizeof(text) + 1];
	int fd;

	/* the first write() is interrupted by a signal; four more write the text */
	next_error = EINTR;
	CHECK_EQ(record(), 0);
	CHECK_EQ(nr_writes, 1 + 4);
	fd = openat(tree_fd, "r/a/f", O_RDONLY);
	CHECK_EQ(read(fd, back, sizeof(back)), sizeof(text));
	close(fd);
	CHECK(!memcmp(back, text, sizeof(text)));
	CHECK_EQ(dir.manifest.files[0].bytes, sizeof(text));
	CHECK_EQ(dir.manifest.files[0].crc,
		 crc32_z(0, (const Bytef *)text, sizeof(text)));
}

UNIT_TEST(failed_write_is_an_error)
{
	next_error = ENOSPC;
	CHECK_EQ(record(), -ENOSPC);
	CHECK_STR(err.text,
		  "cannot write the recording's a/f: No space left on device");
	CHECK(dir.is_broken);
}

UNIT_TEST(directories_that_everybody_can_change_are_refused)
{
	fchmod(tree_fd, 0775);
	CHECK_EQ(refuse_open_to_all(tree_fd, "", tree, &err), 0);
	fchmod(tree_fd, 01777);
	CHECK_EQ(refuse_open_to_all(tree_fd, "", tree, &err), 0);
	fchmod(tree_fd, 0757);
	CHECK_EQ(refuse_open_to_all(tree_fd, "", tree, &err), -EPERM);
}

UNIT_MAIN_WITH(set_up, tear_down)
