// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page frames: how they are counted, and how frames are classified on which the two
 * sides differ.
 */
#include <errno.h>

#include "compare/frames.h"
#include "support/unit.h"

#define BIT(n) (UINT64_C(1) << (n))
#define NR 64

static const char names[] = "0 locked\n1 dirty\n2 lru\n3 active\n4 head\n"
			    "5 uptodate\n6 referenced\n7 reclaim\n";

/* The kpageflags numbers of the eight flags above. */
static const unsigned int kpf_of[8] = { 0, 4, 5, 6, 15, 3, 2, 9 };

#define KPF_TAIL BIT(16)
#define KPF_NOPAGE BIT(20)

static struct ptu_kpagemap kpm;
static struct ptu_frame frames[NR];

static void init(void)
{
	struct ptu_kpagemap_names parsed;
	struct ptu_err err;

	CHECK_EQ(ptu_kpagemap_names_parse(names, &parsed, &err), 0);
	ptu_kpagemap_init(&kpm, &parsed);
}

/* Two frames in a row never have the same flags. */
static struct ptu_frame frame(unsigned int i)
{
	const uint64_t flags = i * 37 % 256 & ~BIT(4);
	struct ptu_frame ret = { .flags = flags, .count = i % 7 + 2 };
	unsigned int bit;

	for (bit = 0; bit < 8; bit++) {
		if (flags >> bit & 1)
			ret.kpf |= BIT(kpf_of[bit]);
	}
	ret.mapcount = i % 3;
	return ret;
}

static void set_up(void)
{
	init();
	for (unsigned int i = 0; i < NR; i++)
		frames[i] = frame(i);
}

static uint64_t sum(const struct ptu_kpagemap_tally *tally)
{
	uint64_t ret = 0;

	for (unsigned int i = 0; i < PTU_KPAGEMAP_NR_ENDS; i++)
		ret += tally->ends[i];
	return ret;
}

/* Take the frames as the command does, from the start; they never change. */
static void take_all(void)
{
	init();
	for (unsigned int i = 0; i < NR; i++) {
		struct ptu_kpagemap_bracket bracket = { .looks = 0 };
		struct ptu_kpagemap_verdict first, verdict;
		enum ptu_kpagemap_end end;

		if (ptu_kpagemap_take(&kpm, &frames[i], &frames[i], &first))
			continue;
		do
			ptu_kpagemap_judge(&kpm, &frames[i], &frames[i],
					   &verdict);
		while (!ptu_kpagemap_look(&bracket, true, &verdict, &end));
		ptu_kpagemap_settle(&kpm, &frames[i], &first, &bracket.last,
				    end);
	}
	ptu_kpagemap_finish(&kpm);
}

UNIT_TEST(frames_that_agree_are_counted_by_flag)
{
	unsigned int i, bit;

	/* each frame of a run of equal ones must be counted */
	for (i = 20; i < 40; i++)
		frames[i] = frame(20);
	take_all();
	CHECK_EQ(kpm.frames, NR);
	CHECK_EQ(kpm.ends[PTU_KPAGEMAP_AGREED], NR);
	CHECK_EQ(kpm.ends[PTU_KPAGEMAP_UNEXPLAINED], 0);
	for (bit = 0; bit < 8; bit++) {
		const struct ptu_kpagemap_tally *tally =
			&kpm.by_flag[kpf_of[bit]];
		uint64_t set = 0;

		for (i = 0; i < NR; i++)
			set += frames[i].flags >> bit & 1;
		CHECK_EQ(tally->set, set);
		CHECK_EQ(tally->ends[PTU_KPAGEMAP_AGREED], NR);
		CHECK_EQ(sum(tally), NR);
	}
	CHECK_EQ(sum(&kpm.by_count[PTU_KPAGEMAP_MAPPED]),
		 kpm.by_count[PTU_KPAGEMAP_MAPPED].set);
	CHECK_EQ(kpm.unknown, 0);
}

/*
 * A flip of any flag of any frame on either side is unexplained, counted once, and
 * named.
 */
UNIT_TEST(any_flipped_flag_is_unexplained)
{
	unsigned int i, bit, side;

	for (i = 0; i < NR; i++) {
		for (bit = 0; bit < 8; bit++) {
			for (side = 0; side < 2; side++) {
				const struct ptu_frame was = frames[i];

				if (side)
					frames[i].flags ^= BIT(bit);
				else
					frames[i].kpf ^= BIT(kpf_of[bit]);
				take_all();
				CHECK_EQ(kpm.frames, NR);
				CHECK_EQ(kpm.ends[PTU_KPAGEMAP_UNEXPLAINED], 1);
				CHECK_EQ(kpm.ends[PTU_KPAGEMAP_AGREED], NR - 1);
				CHECK_EQ(kpm.by_flag[kpf_of[bit]]
						 .ends[PTU_KPAGEMAP_UNEXPLAINED],
					 1);
				CHECK_EQ(sum(&kpm.by_flag[kpf_of[bit]]), NR);
				CHECK_EQ(kpm.by_flag[kpf_of[(bit + 1) % 8]]
						 .ends[PTU_KPAGEMAP_UNEXPLAINED],
					 0);
				frames[i] = was;
			}
		}
	}
}

UNIT_TEST(a_count_below_the_mapcount_is_unexplained)
{
	unsigned int i, mapped = 0;

	for (i = 0; i < NR; i++)
		mapped += frames[i].mapcount != 0;
	frames[31].mapcount = 4;
	frames[31].count = 3;
	mapped += frame(31).mapcount == 0;
	take_all();
	CHECK_EQ(kpm.ends[PTU_KPAGEMAP_UNEXPLAINED], 1);
	CHECK_EQ(kpm.by_count[PTU_KPAGEMAP_MAPPED].set, mapped);
	CHECK_EQ(kpm.by_count[PTU_KPAGEMAP_MAPPED].ends[PTU_KPAGEMAP_AGREED],
		 mapped - 1);
	CHECK_EQ(kpm.by_count[PTU_KPAGEMAP_MAPPED]
			 .ends[PTU_KPAGEMAP_UNEXPLAINED],
		 1);
	/* the flags still agree */
	CHECK_EQ(kpm.by_flag[0].ends[PTU_KPAGEMAP_AGREED], NR);
}

/* A run of pages with equal flags must not hide a wrong count. */
UNIT_TEST(wrong_count_is_found_in_a_run_of_equal_frames)
{
	for (unsigned int i = 0; i < NR; i++)
		frames[i] = (struct ptu_frame){ .kpf = BIT(10) };
	frames[33].count = 1;
	take_all();
	CHECK_EQ(kpm.ends[PTU_KPAGEMAP_UNEXPLAINED], 1);
	CHECK_EQ(kpm.by_count[PTU_KPAGEMAP_BUDDY].set, NR);
	CHECK_EQ(kpm.by_count[PTU_KPAGEMAP_BUDDY].ends[PTU_KPAGEMAP_UNEXPLAINED],
		 1);
	CHECK_EQ(kpm.by_flag[10].set, NR);
}

/* A run must not hide a flag on either side, or the flags of another head. */
UNIT_TEST(runs_of_equal_pages_hide_no_flag)
{
	struct ptu_kpagemap_verdict verdict;
	struct ptu_frame page = frame(9), other = frame(9);
	struct ptu_frame tail = { .flags = BIT(1),
				  .count = 1,
				  .kpf = BIT(5) | KPF_TAIL };
	struct ptu_frame head = { .flags = BIT(2) | BIT(4),
				  .count = 1,
				  .kpf = BIT(5) | BIT(15) };

	for (unsigned int i = 0; i < 5; i++)
		CHECK(ptu_kpagemap_take(&kpm, &page, &page, &verdict));
	other.kpf ^= BIT(4);
	CHECK(!ptu_kpagemap_take(&kpm, &other, &page, &verdict));
	CHECK_EQ(verdict.differ, BIT(4));
	other = page;
	other.flags ^= BIT(2);
	CHECK(!ptu_kpagemap_take(&kpm, &other, &page, &verdict));
	CHECK_EQ(verdict.differ, BIT(5));

	ptu_kpagemap_learn(&kpm, &tail, &head);
	CHECK_EQ(kpm.tails, PTU_KPAGEMAP_TAILS_HEAD);
	for (unsigned int i = 0; i < 5; i++)
		CHECK(ptu_kpagemap_take(&kpm, &tail, &head, &verdict));
	head.flags ^= BIT(0);
	CHECK(!ptu_kpagemap_take(&kpm, &tail, &head, &verdict));
	CHECK_EQ(verdict.differ, BIT(0));
}

static const struct ptu_kpagemap_verdict locked = { .compared = 1,
						    .differ = 1 };
static const struct ptu_kpagemap_verdict fine = { .compared = 1 };

UNIT_TEST(frame_that_agrees_when_read_again_has_changed)
{
	struct ptu_kpagemap_bracket bracket = { .looks = 0 };
	enum ptu_kpagemap_end end = PTU_KPAGEMAP_AGREED;

	for (unsigned int i = 0; i < PTU_KPAGEMAP_SAME - 1; i++)
		CHECK(!ptu_kpagemap_look(&bracket, true, &locked, &end));
	CHECK(ptu_kpagemap_look(&bracket, true, &fine, &end));
	CHECK_EQ(end, PTU_KPAGEMAP_CHANGED);
}

/* Both sides agree, but the frame changed during each look: this proves nothing. */
UNIT_TEST(frame_that_never_holds_still_is_in_flux)
{
	struct ptu_kpagemap_bracket bracket = { .looks = 0 };
	enum ptu_kpagemap_end end = PTU_KPAGEMAP_AGREED;

	for (unsigned int i = 0; i < PTU_KPAGEMAP_LOOKS - 1; i++)
		CHECK(!ptu_kpagemap_look(&bracket, false, &fine, &end));
	CHECK(ptu_kpagemap_look(&bracket, false, &fine, &end));
	CHECK_EQ(end, PTU_KPAGEMAP_IN_FLUX);
}

UNIT_TEST(constant_difference_is_unexplained)
{
	struct ptu_kpagemap_bracket bracket = { .looks = 0 };
	enum ptu_kpagemap_end end = PTU_KPAGEMAP_AGREED;

	for (unsigned int i = 0; i < PTU_KPAGEMAP_SAME - 1; i++) {
		CHECK(!ptu_kpagemap_look(&bracket, true, &locked, &end));
		/* a look during which the frame changed does not count */
		CHECK(!ptu_kpagemap_look(&bracket, false, &fine, &end));
	}
	CHECK(ptu_kpagemap_look(&bracket, true, &locked, &end));
	CHECK_EQ(end, PTU_KPAGEMAP_UNEXPLAINED);
}

/* No kind of difference occurs eight times in a row. */
UNIT_TEST(alternating_differences_are_in_flux)
{
	static const struct ptu_kpagemap_verdict ways[][2] = {
		{ { .compared = 7, .differ = 1 },
		  { .compared = 7, .differ = 2 } },
		{ { .applies = 3, .broken = 1 },
		  { .applies = 3, .broken = 2 } },
		{ { .compared = 7, .differ = 1 },
		  { .compared = 7, .differ = 1, .hole = true } },
	};
	unsigned int i, way;

	for (way = 0; way < 3; way++) {
		struct ptu_kpagemap_bracket bracket = { .looks = 0 };
		enum ptu_kpagemap_end end = PTU_KPAGEMAP_AGREED;

		for (i = 0; i < PTU_KPAGEMAP_LOOKS - 1; i++)
			CHECK(!ptu_kpagemap_look(&bracket, true,
						 &ways[way][i / 5 % 2], &end));
		CHECK(ptu_kpagemap_look(&bracket, true, &ways[way][i / 5 % 2],
					&end));
		CHECK_EQ(end, PTU_KPAGEMAP_IN_FLUX);
	}
}

/* dirty differed and then agreed, lru keeps differing, the other flags agree. */
UNIT_TEST(each_flag_of_a_page_has_its_own_outcome)
{
	struct ptu_kpagemap_verdict first, last;
	struct ptu_frame page = frame(5);

	page.kpf ^= BIT(4) | BIT(5);
	CHECK(!ptu_kpagemap_take(&kpm, &page, &page, &first));
	CHECK_EQ(kpm.frames, 0);
	page.kpf ^= BIT(4);
	ptu_kpagemap_judge(&kpm, &page, &page, &last);
	ptu_kpagemap_settle(&kpm, &page, &first, &last,
			    PTU_KPAGEMAP_UNEXPLAINED);
	ptu_kpagemap_finish(&kpm);
	CHECK_EQ(kpm.frames, 1);
	CHECK_EQ(kpm.ends[PTU_KPAGEMAP_UNEXPLAINED], 1);
	CHECK_EQ(kpm.by_flag[4].ends[PTU_KPAGEMAP_CHANGED], 1);
	CHECK_EQ(sum(&kpm.by_flag[4]), 1);
	CHECK_EQ(kpm.by_flag[5].ends[PTU_KPAGEMAP_UNEXPLAINED], 1);
	CHECK_EQ(sum(&kpm.by_flag[5]), 1);
	CHECK_EQ(kpm.by_flag[0].ends[PTU_KPAGEMAP_AGREED], 1);
}

/* dirty differed, but was not compared again: the flag must not count as changed. */
UNIT_TEST(flag_that_is_not_compared_again_has_not_changed)
{
	const struct ptu_kpagemap_verdict first = { .compared = BIT(4),
						    .differ = BIT(4) };
	const struct ptu_kpagemap_verdict last = { .compared = BIT(5),
						   .differ = BIT(5) };
	struct ptu_frame page = frame(5);

	ptu_kpagemap_settle(&kpm, &page, &first, &last,
			    PTU_KPAGEMAP_UNEXPLAINED);
	ptu_kpagemap_finish(&kpm);
	CHECK_EQ(sum(&kpm.by_flag[4]), 0);
	CHECK_EQ(kpm.by_flag[5].ends[PTU_KPAGEMAP_UNEXPLAINED], 1);
}

/* Only kpageflags shows no page there: no flag of the frame was compared. */
UNIT_TEST(a_hole_of_one_side_has_no_flags)
{
	struct ptu_kpagemap_verdict verdict;
	struct ptu_frame page = frame(5);

	page.kpf = KPF_NOPAGE;
	CHECK(!ptu_kpagemap_take(&kpm, &page, &page, &verdict));
	ptu_kpagemap_settle(&kpm, &page, &verdict, &verdict,
			    PTU_KPAGEMAP_UNEXPLAINED);
	ptu_kpagemap_finish(&kpm);
	CHECK_EQ(kpm.by_hole.ends[PTU_KPAGEMAP_UNEXPLAINED], 1);
	CHECK_EQ(kpm.by_flag[20].set, 0);
}

UNIT_TEST(holes_are_counted_by_how_they_are_shown)
{
	for (unsigned int i = 10; i < 15; i++)
		frames[i] = (struct ptu_frame){ UINT64_MAX, UINT64_MAX,
						KPF_NOPAGE, 0 };
	take_all();
	CHECK_EQ(kpm.holes_marked, 5);
	CHECK_EQ(kpm.by_flag[20].set, 5);
	CHECK_EQ(kpm.ends[PTU_KPAGEMAP_AGREED], NR);
	CHECK_EQ(kpm.by_hole.set, 5);
	CHECK_EQ(kpm.by_flag[0].ends[PTU_KPAGEMAP_AGREED], NR - 5);
	/* no hole is marked: a kernel that marks none */
	for (unsigned int i = 10; i < 15; i++)
		frames[i].kpf = 0;
	take_all();
	CHECK_EQ(kpm.holes_silent, 5);
	CHECK_EQ(kpm.ends[PTU_KPAGEMAP_AGREED], NR);
	/* one hole is marked: then all of them should be */
	frames[12].kpf = KPF_NOPAGE;
	take_all();
	CHECK_EQ(kpm.ends[PTU_KPAGEMAP_UNEXPLAINED], 4);
	CHECK_EQ(kpm.by_hole.ends[PTU_KPAGEMAP_UNEXPLAINED], 4);
	CHECK_EQ(kpm.by_hole.ends[PTU_KPAGEMAP_AGREED], 1);
	/* kpageflags shows a page at one of the holes */
	frames[12].kpf = frame(12).kpf;
	take_all();
	CHECK_EQ(kpm.ends[PTU_KPAGEMAP_UNEXPLAINED], 1);
	CHECK_EQ(kpm.by_hole.ends[PTU_KPAGEMAP_UNEXPLAINED], 1);
}

UNIT_TEST(unknown_flags_of_kpageflags_are_kept)
{
	frames[3].kpf |= BIT(27) | BIT(60);
	take_all();
	CHECK_EQ(kpm.unknown, BIT(27) | BIT(60));
	CHECK_EQ(kpm.ends[PTU_KPAGEMAP_AGREED], NR);
}

UNIT_MAIN_WITH(set_up, NULL)
