// SPDX-License-Identifier: GPL-2.0-only
/* An open file of the module carries no state from one request to the next. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>

#include "fixtures/files.h"

#define ASKED 16

/*
 * Read the text of `pages`.  Return: the length of the part that is constant for a
 * process at rest.
 */
static ssize_t ask_pages(int fd, const char *request, char *text,
			 size_t text_bytes)
{
	int err = live_request(fd, request);
	const char *costs;
	ssize_t got;

	if (err)
		return err;
	got = read(fd, text, text_bytes - 1);
	if (got < 0)
		return -errno;
	text[got] = '\0';
	costs = strstr(text, "\nlock_windows ");
	return costs ? costs - text : -EPROTO;
}

/* If counts were added up, the second answer would be twice the first. */
TEST_F(files, pages_asked_again_are_the_same)
{
	int fd = open(LIVE_DEBUGFS "pages", O_RDWR);
	char request[LIVE_REQUEST], line[32], first[4096], text[4096];
	ssize_t bytes;

	ASSERT_LE(0, fd);
	live_make_request(request, self->target.pid, shape.start, shape.end);
	bytes = ask_pages(fd, request, first, sizeof(first));
	ASSERT_LT(0, bytes);
	snprintf(line, sizeof(line), "\npresent %lu\n",
		 (shape.end - shape.start) / PAGE);
	EXPECT_NE(NULL, strstr(first, line));
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(bytes, ask_pages(fd, request, text, sizeof(text)))
		{
			TH_LOG("the first answer is %s a later one %s", first,
			       text);
		}
		EXPECT_EQ(0, memcmp(first, text, (size_t)bytes));
	}
	close(fd);
}

struct costs {
	uint64_t lock_windows, hold_ns_max;
};

/*
 * Each answer has its own costs.  If the module carried them on, the count would rise
 * with each answer and the maximum would never fall.
 */
static int check_costs(const struct costs costs[ASKED])
{
	unsigned int rises = 0, falls = 0;
	int failures = 0;

	for (unsigned int i = 1; i < ASKED; i++) {
		rises += costs[i].lock_windows > costs[i - 1].lock_windows;
		falls += costs[i].hold_ns_max < costs[i - 1].hold_ns_max;
	}
	if (rises == ASKED - 1) {
		live_note("lock_windows rose with each answer, up to %" PRIu64,
			  costs[ASKED - 1].lock_windows);
		failures++;
	}
	if (!falls && live_clock_counts_ns()) {
		live_note("hold_ns_max never fell from one answer to the next");
		failures++;
	}
	return failures;
}

TEST_F(files, costs_are_of_one_answer)
{
	struct costs of_tables[ASKED], of_counts[ASKED];

	for (unsigned int i = 0; i < ASKED; i++) {
		struct answer answer;
		struct counts counts;

		ASSERT_EQ(0, live_request(self->tables, self->pid));
		ASSERT_EQ(0, live_answer(self->tables, &answer));
		of_tables[i] = (struct costs){ answer.header.lock_windows,
					       answer.header.hold_ns_max };
		EXPECT_EQ(16, live_nr_tables(&answer, PTAUDIT_PTE, shape.start,
					     shape.end));
		live_answer_deinit(&answer);
		ASSERT_EQ(0, live_request(self->counts, self->pid));
		ASSERT_EQ(0, live_counts_fd(self->counts, &counts));
		of_counts[i] = (struct costs){ counts.lock_windows,
					       counts.hold_ns_max };
	}
	EXPECT_EQ(0, check_costs(of_tables));
	EXPECT_EQ(0, check_costs(of_counts));
}

#define MANY 1024UL
#define ROOM (1 * MIB)
/* A part of the answer about MANY tables. */
#define COPIED (MANY * PTAUDIT_RECORD_SIZE / 2 / PAGE * PAGE)

static pid_t build_apart(const struct shape *s)
{
	live_map_small(s->start, s->end - s->start);
	live_touch_each(s->start, s->end, HUGE);
	return 0;
}

/* A thread that reads a complete answer, or writes a request. */
struct caller {
	int fd;
	const char *request; /* NULL: read */
	char *data;
	pid_t tid; /* 0: not started */
	int err;
	struct answer answer;
};

static void *call(void *arg)
{
	struct caller *caller = arg;

	__atomic_store_n(&caller->tid, (pid_t)syscall(SYS_gettid),
			 __ATOMIC_SEQ_CST);
	if (caller->request)
		caller->err = live_request(caller->fd, caller->request);
	else
		caller->err = live_answer_at_once(caller->fd, caller->data,
						  ROOM, &caller->answer);
	return NULL;
}

static bool start_to_sleep(struct caller *caller, pthread_t *ret, long number)
{
	if (pthread_create(ret, NULL, call, caller) ||
	    !live_until(__atomic_load_n(&caller->tid, __ATOMIC_SEQ_CST)))
		return false;
	return live_sleeps_in(caller->tid, number);
}

static int check_answer(const struct answer *answer, pid_t pid, size_t expected)
{
	size_t nr = live_nr_tables(answer, PTAUDIT_PTE, FAR, FAR + TIB);

	if (answer->header.pid != pid || nr != expected) {
		live_note("an answer is about process %d with %zu tables",
			  answer->header.pid, nr);
		return 1;
	}
	return live_check_records(answer);
}

/*
 * A thread writes a request while another one's read is stopped by a missing page of its
 * buffer.  The answer may not mix two requests, and the read may not use memory that the
 * request has freed.
 */
TEST_F_TIMEOUT(files, request_waits_for_a_read_that_is_stopped, 240)
{
	static const struct shape many = { FAR, FAR + MANY * HUGE };
	struct caller writer = { .fd = self->tables, .request = self->pid };
	struct caller reader = { .fd = self->tables };
	pthread_t read_thread, write_thread;
	struct target target;
	struct answer answer;
	int uffd;

	reader.data = mmap(NULL, ROOM, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, reader.data);
	ASSERT_EQ(0, target_start(&target, build_apart, &many));
	/* not before: the target must not have the descriptor, too */
	uffd = live_uffd(0);
	ASSERT_LE(0, uffd);
	live_uffd_register(uffd, (uint64_t)reader.data + COPIED, ROOM - COPIED,
			   UFFDIO_REGISTER_MODE_MISSING);
	ASSERT_EQ(0, live_request_pid(self->tables, target.pid));
	ASSERT_TRUE(start_to_sleep(&reader, &read_thread, SYS_pread64));
	EXPECT_TRUE(start_to_sleep(&writer, &write_thread, SYS_write));
	close(uffd); /* the kernel then provides the page */
	pthread_join(read_thread, NULL);
	pthread_join(write_thread, NULL);
	ASSERT_EQ(0, reader.err);
	EXPECT_EQ(0, check_answer(&reader.answer, target.pid, MANY));
	EXPECT_EQ(0, writer.err);
	ASSERT_EQ(0, live_answer(self->tables, &answer));
	EXPECT_EQ(0, check_answer(&answer, self->target.pid, 16));
	live_answer_deinit(&reader.answer);
	live_answer_deinit(&answer);
	target_stop(&target);
}

TEST_HARNESS_MAIN
