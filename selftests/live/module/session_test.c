// SPDX-License-Identifier: GPL-2.0-only
/* An open file of the module carries no state from one request to the next. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

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
#define ENOUGH 20

static pid_t build_apart(const struct shape *s)
{
	live_map_small(s->start, s->end - s->start);
	live_touch_each(s->start, s->end, HUGE);
	return 0;
}

/* Two threads that use one descriptor. */
struct pair {
	int fd;
	pid_t few, many; /* with 16 and MANY tables from FAR on */
	bool stop;
	unsigned int written;
};

static void *write_on(void *arg)
{
	struct pair *pair = arg;
	char requests[4][16] = { "", "", "nonsense", "" };

	snprintf(requests[0], sizeof(requests[0]), "%d", pair->many);
	snprintf(requests[1], sizeof(requests[1]), "%d", pair->few);
	snprintf(requests[3], sizeof(requests[3]), "%d", pair->many);
	for (unsigned int i = 0;
	     !__atomic_load_n(&pair->stop, __ATOMIC_RELAXED); i++) {
		int err = live_request(pair->fd, requests[i % 4]);

		if (err != (i % 4 == 2 ? -EINVAL : 0)) {
			live_note("the request '%s' returned: %s",
				  requests[i % 4], strerror(-err));
			return pair;
		}
		__atomic_add_fetch(&pair->written, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static int check_answer(const struct pair *pair, const struct answer *answer)
{
	size_t nr = live_nr_tables(answer, PTAUDIT_PTE, FAR, FAR + TIB);
	size_t expected = answer->header.pid == pair->many ? MANY : 16;

	if (answer->header.pid != pair->many &&
	    answer->header.pid != pair->few) {
		live_note("an answer is about process %d, which was not asked for",
			  answer->header.pid);
		return 1;
	}
	if (nr != expected) {
		live_note("an answer about process %d has %zu tables, not %zu",
			  answer->header.pid, nr, expected);
		return 1;
	}
	return live_check_records(answer);
}

/*
 * One thread writes requests as fast as it can, the other reads complete answers.  No
 * answer may mix two requests, and no read may use memory that the next request has
 * freed.
 */
TEST_F(files, two_threads_on_one_descriptor)
{
	static const struct shape many = { FAR, FAR + MANY * HUGE };
	uint64_t until_ns = live_now_ns() + 5000000000;
	uint64_t deadline_ns = live_deadline_ns(60);
	struct pair pair = { .fd = self->tables, .few = self->target.pid };
	unsigned int answers = 0, refused = 0;
	char *data = malloc(ROOM);
	struct target target;
	pthread_t writer;
	int failures = 0;
	void *failed;

	ASSERT_NE(NULL, data);
	ASSERT_EQ(0, target_start(&target, build_apart, &many));
	pair.many = target.pid;
	ASSERT_EQ(0, pthread_create(&writer, NULL, write_on, &pair));
	while (!failures &&
	       (live_now_ns() < until_ns || answers < ENOUGH ||
		__atomic_load_n(&pair.written, __ATOMIC_RELAXED) < ENOUGH) &&
	       live_now_ns() < deadline_ns) {
		struct answer answer;
		int err = live_answer_at_once(self->tables, data, ROOM,
					      &answer);

		if (!err) {
			answers++;
			failures += check_answer(&pair, &answer);
			live_answer_deinit(&answer);
		} else if (err == -EINVAL) {
			refused++; /* the last request was invalid */
		} else {
			live_note("cannot read the answer: %s", strerror(-err));
			failures++;
		}
	}
	__atomic_store_n(&pair.stop, true, __ATOMIC_RELAXED);
	pthread_join(writer, &failed);
	live_note("%u requests, %u answers, %u reads after an invalid request",
		  pair.written, answers, refused);
	EXPECT_EQ(0, failures);
	EXPECT_EQ(NULL, failed);
	EXPECT_LE(ENOUGH, answers);
	EXPECT_LE(ENOUGH, pair.written);
	target_stop(&target);
	free(data);
}

TEST_HARNESS_MAIN
