// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files of the module as such: what is a request, what is an answer, and
 * which tables a range has.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>

#include "files.h"

static int ask(int fd, const char *request, struct answer *ret)
{
	int err = live_request(fd, request);

	return err ? err : live_answer(fd, ret);
}

static int ask_range(int fd, pid_t pid, uint64_t start, uint64_t end,
		     struct answer *ret)
{
	char request[80];

	snprintf(request, sizeof(request), "%d 0x%" PRIx64 " 0x%" PRIx64, pid,
		 start, end);
	return ask(fd, request, ret);
}

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
			TH_LOG("%s takes '%s'", variant->path, both[i]);
		}
		EXPECT_EQ(-EINVAL, live_request(self->counts, both[i]))
		{
			TH_LOG("counts takes '%s'", both[i]);
		}
	}
	EXPECT_EQ(-EINVAL, live_request(self->counts, "1 0x0 0x200000"));
	memset(longest, ' ', sizeof(longest) - 1);
	longest[0] = '1';
	longest[sizeof(longest) - 1] = '\0';
	EXPECT_EQ(-EINVAL, live_request(self->tables, longest));
	/* A NUL inside a request, and a newline behind one. */
	EXPECT_EQ(-1, write(self->tables, "1\0", 2));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(0, live_request(self->tables, "1\n"));
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
	size_t bytes = 0;
	struct answer fast;

	ASSERT_EQ(0, live_request(self->tables, self->pid));
	ASSERT_EQ(0, live_answer(self->tables, &fast));
	ASSERT_EQ(0, lseek(self->tables, 0, SEEK_SET));
	slow = calloc(fast.nr_records + 2, PTAUDIT_RECORD_SIZE);
	while (read(self->tables, &byte, 1) == 1)
		slow[bytes++] = byte;
	ASSERT_EQ(PTAUDIT_HEADER_SIZE + fast.nr_records * PTAUDIT_RECORD_SIZE,
		  bytes);
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
	/* The position goes back to 0 by itself. */
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

TEST_F(files, two_readers_do_not_meet)
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

TEST_F(files, range_has_the_tables_that_it_meets)
{
	struct answer answer;
	size_t nr[PTAUDIT_NR_LEVELS] = { 0 };

	/* Two pages of two tables: rounded out to both. */
	ASSERT_EQ(0, ask_range(self->tables, self->target.pid,
			       shape.start + HUGE - PAGE,
			       shape.start + HUGE + PAGE, &answer));
	EXPECT_EQ(shape.start, answer.header.range_start);
	EXPECT_EQ(shape.start + 2 * HUGE, answer.header.range_end);
	for (size_t i = 0; i < answer.nr_records; i++) {
		const struct ptaudit_table *r = &answer.records[i];

		if (r->type != PTAUDIT_TABLE)
			continue;
		nr[r->level]++;
		EXPECT_EQ(r->level == PTAUDIT_PTE ? 0 : PTAUDIT_T_PARTIAL,
			  r->flags & PTAUDIT_T_PARTIAL)
		{
			TH_LOG("level %u", r->level);
		}
		if (r->level == PTAUDIT_PTE)
			EXPECT_EQ(512, r->present);
		if (r->level == PTAUDIT_PMD) {
			EXPECT_EQ(2, r->used);
			EXPECT_EQ(2, r->children);
		} else if (r->level > PTAUDIT_PMD) {
			EXPECT_EQ(1, r->children);
		}
	}
	EXPECT_EQ(2, nr[PTAUDIT_PTE]);
	EXPECT_EQ(1, nr[PTAUDIT_PMD]);
	EXPECT_EQ(1, nr[PTAUDIT_PUD]);
	EXPECT_EQ(live_system()->levels == 5, nr[PTAUDIT_P4D]);
	EXPECT_EQ(1, nr[PTAUDIT_PGD]);
	live_answer_deinit(&answer);
}

TEST_F(files, ranges_side_by_side_have_each_pte_table_once)
{
	size_t nr = 0;

	for (uint64_t at = shape.start; at < shape.end; at += 4 * HUGE) {
		struct answer answer;

		ASSERT_EQ(0, ask_range(self->tables, self->target.pid, at,
				       at + 4 * HUGE, &answer));
		for (size_t i = 0; i < answer.nr_records; i++)
			nr += answer.records[i].type == PTAUDIT_TABLE &&
			      answer.records[i].level == PTAUDIT_PTE;
		live_answer_deinit(&answer);
	}
	EXPECT_EQ(16, nr);
}

/*
 * The walk of all entries goes through the P4D table of its neighbours, whose
 * reach is 256 TiB.
 */
TEST_F(files, range_without_mappings_has_a_pgd_only)
{
	struct answer answer;

	ASSERT_EQ(0, ask_range(self->tables, self->target.pid, FAR + TIB,
			       FAR + 2 * TIB, &answer));
	EXPECT_EQ(PTAUDIT_PGD, answer.records[0].level);
	for (size_t i = 0; i < answer.nr_records; i++) {
		bool is_p4d = answer.header.flags & PTAUDIT_H_ORPHANS &&
			      answer.records[i].level == PTAUDIT_P4D;

		if (!is_p4d)
			EXPECT_EQ(PTAUDIT_PGD, answer.records[i].level);
	}
	live_answer_deinit(&answer);
}

TEST_F(files, whole_range_is_the_answer_without_one)
{
	uint64_t end = live_system()->levels == 5 ? 1UL << 56 : 1UL << 47;
	struct answer ranged, whole;

	ASSERT_EQ(0, ask(self->tables, self->pid, &whole));
	ASSERT_EQ(0,
		  ask_range(self->tables, self->target.pid, 0, end, &ranged));
	ASSERT_EQ(whole.nr_records, ranged.nr_records);
	EXPECT_EQ(0, memcmp(whole.records, ranged.records,
			    whole.nr_records * sizeof(whole.records[0])));
	live_answer_deinit(&whole);
	live_answer_deinit(&ranged);
}

TEST_HARNESS_MAIN
