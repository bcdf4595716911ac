// SPDX-License-Identifier: GPL-2.0-only
/* The module's files: which requests are accepted, and how an answer is read. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>

#include "fixtures/files.h"

TEST_F(files, read_without_request_is_einval)
{
	char byte;

	EXPECT_EQ(-1, read(self->counts, &byte, 1));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, read(self->tables, &byte, 1));
	EXPECT_EQ(EINVAL, errno);
}

TEST_F(files, malformed_requests_are_einval)
{
	static const char *const both[] = {
		"",
		"\n",
		" ",
		"x",
		"0",
		"-1",
		"1x",
		"0x1",
		"1.5",
		"1\n2",
		"99999999999999999999",
		"1 2",
		"1 0x0 0x1000 0x2000",
		"1 0x2000 0x1000",
		"1 0x1000 0x1000",
		"1 zero 0x1000",
		"1 0x0 0x10000000000000000",
		"1 0x0 0xfffffffffffff000",
		"1 0xffff880000000000 0xffff880000200000",
	};
	char longest[200];

	for (size_t i = 0; i < sizeof(both) / sizeof(both[0]); i++) {
		EXPECT_EQ(-EINVAL, live_request(self->tables, both[i]))
		{
			TH_LOG("%s accepts the request '%s'", variant->path,
			       both[i]);
		}
		EXPECT_EQ(-EINVAL, live_request(self->counts, both[i]))
		{
			TH_LOG("counts accepts the request '%s'", both[i]);
		}
	}
	EXPECT_EQ(-EINVAL, live_request(self->counts, "1 0x0 0x200000"));
	memset(longest, ' ', sizeof(longest) - 1);
	longest[0] = '1';
	longest[sizeof(longest) - 1] = '\0';
	EXPECT_EQ(-EINVAL, live_request(self->tables, longest));
	/* A NUL byte inside a request, and after a newline. */
	EXPECT_EQ(-1, write(self->tables, "1\0", 2));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(0, live_request(self->tables, "1\n"));
}

/*
 * Source: module/debugfs.c, REQUEST_BYTES, which includes the terminating NUL.  The
 * longest valid request is shorter: two addresses of 18 characters and a PID of 10.
 */
TEST_F(files, request_has_79_bytes_at_most)
{
	const int fds[] = { self->tables, self->counts };
	char text[100];

	memset(text, ' ', sizeof(text));
	text[0] = '1';
	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		for (ssize_t length = 78; length <= 82; length++) {
			ssize_t ret = write(fds[i], text, (size_t)length);

			if (length <= 79) {
				EXPECT_EQ(length, ret);
				continue;
			}
			EXPECT_EQ(-1, ret)
			{
				TH_LOG("a request of %zd bytes was accepted",
				       length);
			}
			EXPECT_EQ(EINVAL, errno);
		}
}

/* The failed write must leave no lock held: the next requests work. */
TEST_F(files, memory_that_is_not_there_is_efault)
{
	/* volatile: the compiler would warn of a constant NULL */
	char *volatile nowhere = NULL;
	struct answer answer;
	struct counts counts;

	EXPECT_EQ(-1, write(self->tables, nowhere, 4));
	EXPECT_EQ(EFAULT, errno);
	ASSERT_EQ(0, live_request(self->tables, self->pid));
	EXPECT_EQ(-1, read(self->tables, nowhere, 4));
	EXPECT_EQ(EFAULT, errno);
	ASSERT_EQ(0, live_answer(self->tables, &answer));
	EXPECT_EQ(16,
		  live_nr_tables(&answer, PTAUDIT_PTE, shape.start, shape.end));
	live_answer_deinit(&answer);

	EXPECT_EQ(-1, write(self->counts, nowhere, 4));
	EXPECT_EQ(EFAULT, errno);
	ASSERT_EQ(0, live_request(self->counts, self->pid));
	EXPECT_EQ(-1, read(self->counts, nowhere, 4));
	EXPECT_EQ(EFAULT, errno);
	ASSERT_EQ(0, live_counts_fd(self->counts, &counts));
	EXPECT_EQ(self->target.pid, counts.pid);
}

/* more bytes than any answer in this test */
#define ROOM (1 * MIB)

/* Read the complete answer, to compare later reads with it. */
static ssize_t read_whole(int fd, char **ret)
{
	*ret = calloc(1, ROOM);
	return pread(fd, *ret, ROOM, 0);
}

/* Past the end there is no data, also at offsets of more than 32 bits. */
TEST_F(files, nothing_is_behind_the_end)
{
	static const uint64_t far[] = { 1UL << 32, 1UL << 33, 1UL << 60 };
	char *whole, bytes[128];
	ssize_t size;

	ASSERT_EQ(0, live_request(self->tables, self->pid));
	size = read_whole(self->tables, &whole);
	ASSERT_LT(PTAUDIT_HEADER_SIZE, size);
	ASSERT_GT(ROOM, size);
	EXPECT_EQ(1, pread(self->tables, bytes, sizeof(bytes), size - 1));
	EXPECT_EQ(whole[size - 1], bytes[0]);
	EXPECT_EQ(0, pread(self->tables, bytes, sizeof(bytes), size));
	EXPECT_EQ(0, pread(self->tables, bytes, sizeof(bytes), size + 7));
	for (size_t i = 0; i < sizeof(far) / sizeof(far[0]); i++) {
		/* start of the header, start of the records, last byte, end */
		const off_t at[] = { 0, PTAUDIT_HEADER_SIZE, size - 1, size };

		for (size_t k = 0; k < sizeof(at) / sizeof(at[0]); k++) {
			EXPECT_EQ(0, pread(self->tables, bytes, sizeof(bytes),
					   (off_t)far[i] + at[k]))
			{
				TH_LOG("0x%" PRIx64 " and %ld", far[i], at[k]);
			}
		}
	}
	EXPECT_EQ(-1, pread(self->tables, bytes, sizeof(bytes), -1));
	EXPECT_EQ(EINVAL, errno);
	free(whole);
}

/*
 * Read into a buffer that ends at unmapped memory after @room bytes, then read the rest
 * into another one.  The second read must continue after the bytes that the first one
 * returned. Return: the result of the first read(), or -errno.
 */
static ssize_t read_in_two(int fd, size_t room, const char *whole, ssize_t size)
{
	char *page = live_map(FAR, PAGE, 0), *rest = calloc(1, ROOM);
	char *first = page + PAGE - room;
	ssize_t got, done, then;
	off_t at;

	if (lseek(fd, 0, SEEK_SET))
		return -EIO;
	got = read(fd, first, (size_t)size);
	if (got < 0)
		got = -errno;
	done = got < 0 ? 0 : got;
	at = lseek(fd, 0, SEEK_CUR);
	then = read(fd, rest, ROOM);
	if (at != done || done > (ssize_t)room || memcmp(first, whole, done) ||
	    then != size - done || memcmp(rest, whole + done, then)) {
		live_note("a read with room for %zu bytes returned %zd and left position %ld; the next one returned %zd; the answer has %zd bytes",
			  room, got, at, then, size);
		got = -EPROTO;
	}
	munmap(page, PAGE);
	free(rest);
	return got;
}

/* The header is copied before the records, in one piece. */
TEST_F(files, read_with_little_room_returns_what_fits)
{
	char *whole;
	ssize_t size;

	ASSERT_EQ(0, live_request(self->tables, self->pid));
	size = read_whole(self->tables, &whole);
	ASSERT_LT(PTAUDIT_HEADER_SIZE + PTAUDIT_RECORD_SIZE, size);
	ASSERT_GT(ROOM, size);
	EXPECT_EQ(PTAUDIT_HEADER_SIZE,
		  read_in_two(self->tables, PTAUDIT_HEADER_SIZE, whole, size));
	EXPECT_EQ(PTAUDIT_HEADER_SIZE,
		  read_in_two(self->tables,
			      PTAUDIT_HEADER_SIZE + PTAUDIT_RECORD_SIZE, whole,
			      size));
	/* no byte was copied, so the position must not move */
	EXPECT_EQ(-EFAULT, read_in_two(self->tables, PTAUDIT_HEADER_SIZE - 1,
				       whole, size));
	EXPECT_EQ(-EFAULT, read_in_two(self->tables, 0, whole, size));
	free(whole);

	/* a text is copied as far as there is room */
	ASSERT_EQ(0, live_request(self->counts, self->pid));
	size = read_whole(self->counts, &whole);
	ASSERT_LT(64, size);
	EXPECT_EQ(64, read_in_two(self->counts, 64, whole, size));
	EXPECT_EQ(-EFAULT, read_in_two(self->counts, 0, whole, size));
	free(whole);
}

TEST_F(files, refused_request_leaves_no_older_one)
{
	char byte;

	ASSERT_EQ(0, live_request(self->counts, self->pid));
	ASSERT_EQ(1, read(self->counts, &byte, 1));
	ASSERT_EQ(-EINVAL, live_request(self->counts, "nonsense"));
	EXPECT_EQ(-1, read(self->counts, &byte, 1));
	EXPECT_EQ(EINVAL, errno);
}

TEST_F(files, kernel_thread_is_einval)
{
	/* kthreadd */
	EXPECT_EQ(-EINVAL, live_request(self->counts, "2"));
	EXPECT_EQ(-EINVAL, live_request(self->tables, "2"));
}

TEST_F(files, one_byte_at_a_time_is_the_same_answer)
{
	char *slow, byte;
	size_t bytes = 0, expected;
	struct answer fast;

	ASSERT_EQ(0, live_request(self->tables, self->pid));
	ASSERT_EQ(0, live_answer(self->tables, &fast));
	ASSERT_EQ(0, lseek(self->tables, 0, SEEK_SET));
	expected = PTAUDIT_HEADER_SIZE + fast.nr_records * PTAUDIT_RECORD_SIZE;
	slow = calloc(1, expected + 1);
	while (bytes <= expected && read(self->tables, &byte, 1) == 1)
		slow[bytes++] = byte;
	ASSERT_EQ(expected, bytes);
	EXPECT_EQ(0, memcmp(slow + PTAUDIT_HEADER_SIZE, fast.records,
			    bytes - PTAUDIT_HEADER_SIZE));
	free(slow);
	live_answer_deinit(&fast);
}

TEST_F(files, new_request_starts_anew)
{
	struct counts counts;
	char own[16];
	char byte;

	ASSERT_EQ(0, live_request(self->counts, self->pid));
	ASSERT_EQ(1, read(self->counts, &byte, 1));
	snprintf(own, sizeof(own), "%d\n", getpid());
	/* A new request resets the position to 0. */
	ASSERT_EQ(0, live_request(self->counts, own));
	ASSERT_EQ(0, lseek(self->counts, 0, SEEK_CUR));
	ASSERT_EQ(0, live_counts_fd(self->counts, &counts));
	EXPECT_EQ(getpid(), counts.pid);
}

TEST_F(files, shell_can_write_and_read_on_one_descriptor)
{
	struct tool_run run;
	char *argv[] = { (char[]){ "sh" }, (char[]){ "-c" },
			 (char[]){ "exec 3<>" LIVE_DEBUGFS "counts;"
				   "echo $$ >&3; cat <&3" },
			 NULL };

	ASSERT_EQ(0, live_run(argv, &run));
	EXPECT_EQ(0, run.status);
	EXPECT_EQ(0, strncmp(run.out, "pid ", 4));
	EXPECT_NE(NULL, strstr(run.out, "\nwalk_ns "));
	live_run_deinit(&run);
}

TEST_F(files, two_readers_do_not_interfere)
{
	int other = open(LIVE_DEBUGFS "counts", O_RDWR);
	struct counts first, second;
	char own[16];

	ASSERT_LE(0, other);
	snprintf(own, sizeof(own), "%d", getpid());
	ASSERT_EQ(0, live_request(self->counts, self->pid));
	ASSERT_EQ(0, live_request(other, own));
	ASSERT_EQ(0, live_counts_fd(self->counts, &first));
	ASSERT_EQ(0, live_counts_fd(other, &second));
	EXPECT_EQ(self->target.pid, first.pid);
	EXPECT_EQ(getpid(), second.pid);
	EXPECT_NE(first.mm, second.mm);
	close(other);
}

TEST_HARNESS_MAIN
