// SPDX-License-Identifier: GPL-2.0-only
/* Requests for a range: which tables the answer has, and what their records say. */
#define _GNU_SOURCE
#include <errno.h>

#include "fixtures/files.h"

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

TEST_F(files, range_has_the_tables_that_it_meets)
{
	struct answer answer;
	size_t nr[PTAUDIT_NR_LEVELS] = { 0 };

	/* Two pages in two tables: the range is rounded out to both tables. */
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

/* Number of entries of the table, each with this reach, that the range covers. */
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

/* The upper tables must not count mapped tables on either side of the range. */
TEST_F(files, range_leaves_out_what_is_beside_it)
{
	/* indices of tables: below, above and across the GiB boundary */
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

/* User space ends at half of the address space, rounded up to a table. */
TEST_F(files, range_behind_user_space_is_einval)
{
	uint64_t end = live_system()->levels == 5 ? 1UL << 56 : 1UL << 47;
	int pages = open(LIVE_DEBUGFS "pages", O_RDWR);
	char fits[LIVE_REQUEST], over[LIVE_REQUEST];

	ASSERT_LE(0, pages);
	live_make_request(fits, self->target.pid, shape.start, end);
	live_make_request(over, self->target.pid, shape.start, end + 1);
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
 * The orphans walk goes through the P4D table, because neighbours within its 256 TiB use
 * it.
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

/*
 * Upper tables that exist only because of mappings beside the range: the orphans walk
 * goes through them and flags them as outside, because no VMA of the range needs them.
 * The PGD, which every mm has, is never flagged.
 */
TEST_F(files, range_beside_mappings_has_tables_that_are_outside)
{
	const bool is_orphans = strstr(variant->path, "orphans");
	const struct {
		uint64_t start, end;
		unsigned int ptes; /* PTE tables in the range; 0: no VMA either */
	} ranges[] = {
		{ FAR + GIB + 100 * HUGE, FAR + GIB + 101 * HUGE, 0 },
		{ FAR, FAR + HUGE, 0 },
		{ shape.end, shape.end + HUGE, 0 },
		{ shape.start - HUGE, shape.start, 0 },
		{ shape.end - HUGE, shape.end + HUGE, 1 },
		{ shape.start - HUGE, shape.start + HUGE, 1 },
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		const unsigned int ptes = ranges[i].ptes;
		/* one table per upper level, or only the PGD */
		const unsigned int uppers = ptes || is_orphans ?
						    live_system()->levels - 1 :
						    1;
		unsigned int nr = 0;
		struct answer answer;

		ASSERT_EQ(0,
			  ask_range(self->tables, self->target.pid,
				    ranges[i].start, ranges[i].end, &answer));
		EXPECT_EQ(0, live_check_records(&answer));
		for (size_t k = 0; k < answer.nr_records; k++) {
			const struct ptaudit_table *r = &answer.records[k];
			uint8_t flags = PTAUDIT_T_PARTIAL;

			if (r->type != PTAUDIT_TABLE || r->level == PTAUDIT_PTE)
				continue;
			nr++;
			if (!ptes && r->level != PTAUDIT_PGD)
				flags |= PTAUDIT_T_OUTSIDE;
			EXPECT_EQ(flags, r->flags)
			{
				TH_LOG("range %zu, level %u", i, r->level);
			}
			if (r->level == PTAUDIT_PMD) {
				EXPECT_EQ(ptes, r->children);
			}
		}
		EXPECT_EQ(uppers, nr)
		{
			TH_LOG("range %zu", i);
		}
		EXPECT_EQ(ptes,
			  live_nr_tables(&answer, PTAUDIT_PTE, 0, UINT64_MAX));
		live_answer_deinit(&answer);
	}
}

/* The layout has a second GiB, with one page, at BESIDE. */
#define BESIDE (FAR + 2 * GIB + 100 * HUGE)

static pid_t build_two_gib(const struct shape *s)
{
	build_pages(s);
	live_map_small(BESIDE, PAGE);
	live_touch(BESIDE, BESIDE + PAGE);
	return 0;
}

/*
 * The range ends inside the reach of a PUD entry.  No mapping of the range uses that
 * entry, but a table beyond the end of the range populates it.
 */
TEST(entry_that_a_range_ends_in_counts)
{
	const struct shape pages = { FAR + GIB, FAR + GIB + HUGE };
	uint64_t end = BESIDE - 50 * HUGE;
	struct target target;
	struct answer answer;
	unsigned int seen = 0;
	int fd = open(LIVE_DEBUGFS "tables", O_RDWR);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, target_start(&target, build_two_gib, &pages));
	ASSERT_EQ(0, ask_range(fd, target.pid, pages.start, end, &answer));
	for (size_t i = 0; i < answer.nr_records; i++) {
		const struct ptaudit_table *r = &answer.records[i];

		if (r->type != PTAUDIT_TABLE || r->level != PTAUDIT_PUD)
			continue;
		seen++;
		EXPECT_EQ(2, r->used);
		EXPECT_EQ(1, r->children);
		EXPECT_EQ(1, r->unwalked);
	}
	EXPECT_EQ(1, seen);
	live_answer_deinit(&answer);
	target_stop(&target);
	close(fd);
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
