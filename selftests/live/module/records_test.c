// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel memory for the records of an answer: which cgroup is charged, and its
 * limit.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "fixtures/files.h"

/* This many records take 1 MiB. */
#define MANY 16384UL

static pid_t build_many(const struct shape *s)
{
	live_map_small(s->start, s->end - s->start);
	/* the zero page: one table each, and no other memory */
	for (uint64_t at = s->start; at < s->end; at += HUGE)
		(void)*(volatile char *)at;
	return 0;
}

/* A reader in a cgroup of its own, which executes one step at a time. */
struct reader {
	pid_t pid;
	int fd;
	struct memcg memcg;
};

enum step { REQUEST, READ, CLOSE, NR_STEPS };

/* The reader runs on one CPU, so that no charge stays unused in the stock of another CPU. */
static void obey(int orders, const char *path, pid_t target)
{
	char part[16];
	cpu_set_t one;
	int fd, ret;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	ret = sched_setaffinity(0, sizeof(one), &one);
	fd = open(path, O_RDWR);
	for (enum step step = REQUEST; step < NR_STEPS && !ret; step++) {
		if (step == REQUEST)
			ret = live_request_pid(fd, target);
		else if (step == READ)
			ret = read(fd, part, sizeof(part)) != sizeof(part) &&
			      errno != EFBIG;
		else
			ret = close(fd);
		if (send(orders, &ret, sizeof(ret), 0) != sizeof(ret) ||
		    recv(orders, part, 1, 0) != 1)
			break;
	}
	_exit(1);
}

/* Wait for the reader's next step.  Return: the bytes charged to its cgroup then, or -1. */
static int64_t charged_after(struct reader *reader, enum step step)
{
	int ret = -1;

	if (step != REQUEST && send(reader->fd, "", 1, MSG_NOSIGNAL) != 1)
		return -1;
	if (recv(reader->fd, &ret, sizeof(ret), 0) != sizeof(ret) || ret)
		return -1;
	return (int64_t)memcg_bytes(&reader->memcg);
}

/* Return: 0 or -errno. */
static int reader_start(struct reader *reader, const char *path, pid_t target)
{
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds))
		return -errno;
	reader->pid = memcg_fork(&reader->memcg);
	if (reader->pid < 0)
		return reader->pid;
	if (!reader->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(fds[0]);
		obey(fds[1], path, target);
	}
	close(fds[1]);
	reader->fd = fds[0];
	return 0;
}

static void reader_stop(struct reader *reader)
{
	kill(reader->pid, SIGKILL);
	waitpid(reader->pid, NULL, 0);
	memcg_remove(&reader->memcg);
	close(reader->fd);
}

/* The reader's cgroup is charged for the records, only as long as the file is open. */
TEST_F(files, records_are_charged_to_the_reader)
{
	static const struct shape many = { FAR, FAR + MANY * HUGE };
	const int64_t bytes = MANY * PTAUDIT_RECORD_SIZE;
	int64_t before, between, after;
	struct reader reader;
	struct target target;

	if (!memcg_is_there())
		SKIP(return, "needs /proc/kpagecgroup");
	ASSERT_EQ(0, target_start(&target, build_many, &many));
	ASSERT_EQ(0, reader_start(&reader, variant->path, target.pid));
	before = charged_after(&reader, REQUEST);
	between = charged_after(&reader, READ);
	after = charged_after(&reader, CLOSE);
	ASSERT_LT(0, before);
	ASSERT_LT(0, between);
	ASSERT_LT(0, after);
	live_until(between - (after = (int64_t)memcg_bytes(&reader.memcg)) >=
		   bytes / 2);
	TH_LOG("charged before the read: %" PRId64
	       " bytes; change by the read: %+" PRId64
	       ", by the close: %+" PRId64,
	       before, between - before, after - between);
	EXPECT_LE(bytes / 2, between - before);
	EXPECT_LE(bytes / 2, between - after);
	reader_stop(&reader);
	target_stop(&target);
}

#define LIMIT "/sys/module/ptaudit/parameters/max_answer_kib"

/* 16384 records of 64 bytes are 1 MiB. */
TEST_F(files, records_beyond_the_limit_are_efbig)
{
	static const struct shape many = { FAR, FAR + MANY * HUGE };
	struct answer answer = { 0 };
	struct counts counts = { 0 };
	struct target target;
	char text[16], byte;
	int err;

	ASSERT_EQ(MIB, MANY * PTAUDIT_RECORD_SIZE);
	EXPECT_STREQ("262144\n", live_file(LIMIT, text, sizeof(text)));
	ASSERT_EQ(0, target_start(&target, build_many, &many));
	ASSERT_EQ(0, live_set(LIMIT, "1024"));
	/* this process has few tables */
	EXPECT_EQ(0, live_request(self->tables, self->pid));
	err = live_answer(self->tables, &answer);
	EXPECT_EQ(0, err);
	EXPECT_EQ(16,
		  live_nr_tables(&answer, PTAUDIT_PTE, shape.start, shape.end));
	live_answer_deinit(&answer);

	EXPECT_EQ(0, live_request_pid(self->tables, target.pid));
	EXPECT_EQ(-1, read(self->tables, &byte, 1));
	EXPECT_EQ(EFBIG, errno);
	/* `counts` needs no records */
	EXPECT_EQ(0, live_request_pid(self->counts, target.pid));
	EXPECT_EQ(0, live_counts_fd(self->counts, &counts));
	EXPECT_LE(MANY, counts.tables[PTAUDIT_PTE]);
	/* the walk reserves records for the largest possible step, so 1024 KiB more are needed */
	EXPECT_EQ(0, live_set(LIMIT, "2048"));
	/* until the next request, the error stays the answer */
	EXPECT_EQ(-1, read(self->tables, &byte, 1));
	EXPECT_EQ(EFBIG, errno);
	EXPECT_EQ(0, live_request_pid(self->tables, target.pid));
	err = live_answer(self->tables, &answer);
	EXPECT_EQ(0, err);
	EXPECT_EQ(MANY,
		  live_nr_tables(&answer, PTAUDIT_PTE, many.start, many.end));
	EXPECT_EQ(0, live_set(LIMIT, "262144"));
	live_answer_deinit(&answer);
	target_stop(&target);
}

TEST_F(files, refused_records_are_given_back_at_once)
{
	static const struct shape many = { FAR, FAR + MANY * HUGE };
	const int64_t half = MIB / 2;
	int64_t before, refused;
	struct reader reader;
	struct target target;

	if (!memcg_is_there())
		SKIP(return, "needs /proc/kpagecgroup");
	ASSERT_EQ(0, target_start(&target, build_many, &many));
	ASSERT_EQ(0, live_set(LIMIT, "1024"));
	EXPECT_EQ(0, reader_start(&reader, variant->path, target.pid));
	before = charged_after(&reader, REQUEST);
	refused = charged_after(&reader, READ);
	EXPECT_EQ(0, live_set(LIMIT, "262144"));
	ASSERT_LT(0, before);
	ASSERT_LT(0, refused);
	live_until((refused = (int64_t)memcg_bytes(&reader.memcg)) - before <
		   half);
	EXPECT_GT(half, refused - before);
	reader_stop(&reader);
	target_stop(&target);
}

TEST_HARNESS_MAIN
