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
	char request[LIVE_REQUEST];

	live_make_request(request, pid, start, end);
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

/*
 * Source: module/debugfs.c, REQUEST_BYTES: with the NUL behind it.  Two addresses
 * of 18 characters and a PID of 10 need not as much.
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
				TH_LOG("%zd bytes were taken", length);
			}
			EXPECT_EQ(EINVAL, errno);
		}
}

/* It is refused without a lock that stays behind: the next ones are served. */
TEST_F(files, memory_that_is_not_there_is_efault)
{
	/* not a constant, which the compiler would warn of */
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

/* How many slots of @reach the range has in the table. */
static uint64_t slots(const struct ptaudit_table *table, uint64_t reach,
		      uint64_t start, uint64_t end)
{
	uint64_t table_end = table->start + 512 * reach;

	if (start < table->start)
		start = table->start;
	if (end > table_end)
		end = table_end;
	return (end + reach - 1) / reach - start / reach;
}

/* Mapped tables on both sides of it are not what the tables above count. */
TEST_F(files, range_leaves_out_what_is_beside_it)
{
	/* in tables: before, after and across the GiB's edge */
	static const struct {
		unsigned int first, behind, pmds;
	} ranges[] = { { 4, 6, 1 }, { 9, 12, 1 }, { 6, 11, 2 }, { 15, 16, 1 } };

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		uint64_t start = shape.start + ranges[i].first * HUGE;
		uint64_t end = shape.start + ranges[i].behind * HUGE;
		struct answer answer;

		ASSERT_EQ(0, ask_range(self->tables, self->target.pid, start,
				       end, &answer));
		for (size_t k = 0; k < answer.nr_records; k++) {
			const struct ptaudit_table *r = &answer.records[k];
			uint64_t used = 1;

			if (r->type != PTAUDIT_TABLE || r->level == PTAUDIT_PTE)
				continue;
			if (r->level == PTAUDIT_PMD)
				used = slots(r, HUGE, start, end);
			else if (r->level == PTAUDIT_PUD)
				used = slots(r, GIB, start, end);
			EXPECT_EQ(used, r->used)
			{
				TH_LOG("range %zu, level %u", i, r->level);
			}
			EXPECT_EQ(used, r->children);
			EXPECT_EQ(0, r->unwalked);
			EXPECT_EQ(PTAUDIT_T_PARTIAL,
				  r->flags & PTAUDIT_T_PARTIAL);
		}
		EXPECT_EQ(ranges[i].behind - ranges[i].first,
			  live_nr_tables(&answer, PTAUDIT_PTE, 0, UINT64_MAX));
		EXPECT_EQ(ranges[i].pmds,
			  live_nr_tables(&answer, PTAUDIT_PMD, 0, UINT64_MAX));
		EXPECT_EQ(1,
			  live_nr_tables(&answer, PTAUDIT_PUD, 0, UINT64_MAX));
		live_answer_deinit(&answer);
	}
}

/* User space ends with the half of all addresses, rounded up to a table. */
TEST_F(files, range_behind_user_space_is_einval)
{
	uint64_t end = live_system()->levels == 5 ? 1UL << 56 : 1UL << 47;
	int pages = open(LIVE_DEBUGFS "pages", O_RDWR);
	char fits[80], over[80];

	ASSERT_LE(0, pages);
	snprintf(fits, sizeof(fits), "%s 0x%" PRIx64 " 0x%" PRIx64, self->pid,
		 shape.start, end);
	snprintf(over, sizeof(over), "%s 0x%" PRIx64 " 0x%" PRIx64, self->pid,
		 shape.start, end + 1);
	EXPECT_EQ(0, live_request(self->tables, fits));
	EXPECT_EQ(-EINVAL, live_request(self->tables, over));
	EXPECT_EQ(0, live_request(pages, fits));
	EXPECT_EQ(-EINVAL, live_request(pages, over));
	close(pages);
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
