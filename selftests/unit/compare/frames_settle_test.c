// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counts of page frames on which the two sides differ at the first reading, and of tail
 * pages.
 */
#include "compare/frames.h"
#include "support/unit.h"

#define BIT(n) (UINT64_C(1) << (n))

static const char names[] = "0 locked\n1 dirty\n2 lru\n3 active\n4 head\n";

/* The same flags in kpageflags. */
#define KPF_LOCKED BIT(0)
#define KPF_DIRTY BIT(4)
#define KPF_LRU BIT(5)
#define KPF_HEAD BIT(15)
#define KPF_TAIL BIT(16)
#define KPF_NOPAGE BIT(20)

#define MAPPED (1u << PTU_KPAGEMAP_MAPPED)
#define BUDDY (1u << PTU_KPAGEMAP_BUDDY)
#define TAIL (1u << PTU_KPAGEMAP_TAIL)

static struct ptu_kpagemap kpm;

static const struct ptu_frame page = { .flags = BIT(2), .kpf = KPF_LRU };
/* As in 6.12: a tail page shows its head's flags. */
static const struct ptu_frame tail = { .flags = BIT(1),
				       .kpf = KPF_LRU | KPF_TAIL };
static const struct ptu_frame head = { .flags = BIT(2) | BIT(4),
				       .kpf = KPF_LRU | KPF_HEAD };

static void set_up(void)
{
	struct ptu_kpagemap_names parsed;
	struct ptu_err err;

	CHECK_EQ(ptu_kpagemap_names_parse(names, &parsed, &err), 0);
	ptu_kpagemap_init(&kpm, &parsed);
}

static void settle(struct ptu_kpagemap_verdict first,
		   struct ptu_kpagemap_verdict last, enum ptu_kpagemap_end end)
{
	set_up();
	ptu_kpagemap_settle(&kpm, &page, &first, &last, end);
	ptu_kpagemap_finish(&kpm);
}

/* Number of frames that were compared, and their results in the order of the enum. */
static void ends_are(const struct ptu_kpagemap_tally *tally, uint64_t agreed,
		     uint64_t changed, uint64_t in_flux, uint64_t unexplained)
{
	CHECK_EQ(tally->ends[PTU_KPAGEMAP_AGREED], agreed);
	CHECK_EQ(tally->ends[PTU_KPAGEMAP_CHANGED], changed);
	CHECK_EQ(tally->ends[PTU_KPAGEMAP_IN_FLUX], in_flux);
	CHECK_EQ(tally->ends[PTU_KPAGEMAP_UNEXPLAINED], unexplained);
}

UNIT_TEST(a_flag_that_differed_once_has_changed)
{
	const uint64_t both = KPF_LOCKED | KPF_DIRTY;

	settle((struct ptu_kpagemap_verdict){ .compared = both,
					      .differ = KPF_DIRTY },
	       (struct ptu_kpagemap_verdict){ .compared = both },
	       PTU_KPAGEMAP_CHANGED);
	CHECK_EQ(kpm.frames, 1);
	CHECK_EQ(kpm.ends[PTU_KPAGEMAP_CHANGED], 1);
	ends_are(&kpm.by_flag[0], 1, 0, 0, 0);
	ends_are(&kpm.by_flag[4], 0, 1, 0, 0);
	/* the frame has lru, which was not compared */
	CHECK_EQ(kpm.by_flag[5].set, 1);
	ends_are(&kpm.by_flag[5], 0, 0, 0, 0);
	CHECK_EQ(kpm.by_flag[4].set, 0);
	CHECK_EQ(kpm.by_hole.set, 0);
}

/* The mapcount was too high once, the other two counts remain wrong. */
UNIT_TEST(each_count_has_its_own_outcome)
{
	settle((struct ptu_kpagemap_verdict){ .applies = MAPPED | BUDDY | TAIL,
					      .broken = MAPPED | BUDDY },
	       (struct ptu_kpagemap_verdict){ .applies = MAPPED | BUDDY | TAIL,
					      .broken = BUDDY | TAIL },
	       PTU_KPAGEMAP_UNEXPLAINED);
	ends_are(&kpm.by_count[PTU_KPAGEMAP_MAPPED], 0, 1, 0, 0);
	ends_are(&kpm.by_count[PTU_KPAGEMAP_BUDDY], 0, 0, 0, 1);
	ends_are(&kpm.by_count[PTU_KPAGEMAP_TAIL], 0, 0, 0, 1);
	CHECK_EQ(kpm.by_count[PTU_KPAGEMAP_TAIL].set, 1);
}

UNIT_TEST(a_count_that_was_right_in_the_end_has_changed)
{
	for (unsigned int i = 0; i < PTU_KPAGEMAP_NR_COUNTS; i++) {
		const unsigned int other = (i + 1) % PTU_KPAGEMAP_NR_COUNTS;

		settle((struct ptu_kpagemap_verdict){ .applies = 1u << i,
						      .broken = 1u << i },
		       (struct ptu_kpagemap_verdict){ .applies = 1u << i |
								 1u << other },
		       PTU_KPAGEMAP_CHANGED);
		ends_are(&kpm.by_count[i], 0, 1, 0, 0);
		ends_are(&kpm.by_count[other], 1, 0, 0, 0);
		CHECK_EQ(kpm.by_count[(i + 2) % PTU_KPAGEMAP_NR_COUNTS].set, 0);
	}
	/* the rule does not apply any more, so it has no result */
	settle((struct ptu_kpagemap_verdict){ .applies = BUDDY,
					      .broken = BUDDY },
	       (struct ptu_kpagemap_verdict){ .applies = 0 },
	       PTU_KPAGEMAP_CHANGED);
	CHECK_EQ(kpm.by_count[PTU_KPAGEMAP_BUDDY].set, 0);
	ends_are(&kpm.by_count[PTU_KPAGEMAP_BUDDY], 0, 0, 0, 0);
}

/* Memory was added or removed: the frame counts as a hole, and has flags if it is a page. */
UNIT_TEST(a_hole_that_came_or_went_is_counted)
{
	const struct ptu_kpagemap_verdict hole = { .is_hole = true };
	const struct ptu_kpagemap_verdict half = { .hole = true };
	const struct ptu_kpagemap_verdict found = { .compared = KPF_DIRTY,
						    .applies = BUDDY };

	settle(found, hole, PTU_KPAGEMAP_CHANGED);
	CHECK_EQ(kpm.by_hole.set, 1);
	ends_are(&kpm.by_hole, 0, 1, 0, 0);
	ends_are(&kpm.by_flag[4], 0, 0, 0, 0);
	CHECK_EQ(kpm.by_flag[5].set, 0);
	settle(half, found, PTU_KPAGEMAP_CHANGED);
	CHECK_EQ(kpm.by_hole.set, 1);
	ends_are(&kpm.by_hole, 0, 1, 0, 0);
	ends_are(&kpm.by_flag[4], 1, 0, 0, 0);
	CHECK_EQ(kpm.by_count[PTU_KPAGEMAP_BUDDY].set, 1);
	settle(found, half, PTU_KPAGEMAP_IN_FLUX);
	CHECK_EQ(kpm.by_hole.set, 1);
	ends_are(&kpm.by_hole, 0, 0, 1, 0);
	CHECK_EQ(kpm.by_count[PTU_KPAGEMAP_BUDDY].set, 0);
	settle(found, found, PTU_KPAGEMAP_CHANGED);
	CHECK_EQ(kpm.by_hole.set, 0);
}

/* Some holes are marked, two are not: these do not agree any more. */
UNIT_TEST(holes_without_the_mark_no_longer_agree)
{
	struct ptu_frame hole = { UINT64_MAX, UINT64_MAX, 0, 0 };
	struct ptu_kpagemap_verdict verdict;

	CHECK(ptu_kpagemap_take(&kpm, &page, &page, &verdict));
	for (unsigned int i = 0; i < 5; i++) {
		hole.kpf = i < 2 ? 0 : KPF_NOPAGE;
		CHECK(ptu_kpagemap_take(&kpm, &hole, &hole, &verdict));
	}
	CHECK_EQ(kpm.ends[PTU_KPAGEMAP_AGREED], 6);
	ptu_kpagemap_finish(&kpm);
	CHECK_EQ(kpm.frames, 6);
	CHECK_EQ(kpm.ends[PTU_KPAGEMAP_AGREED], 4);
	CHECK_EQ(kpm.ends[PTU_KPAGEMAP_UNEXPLAINED], 2);
	ends_are(&kpm.by_hole, 3, 0, 0, 2);
}

/* Three tail pages show lru of the head, and not their own dirty. */
UNIT_TEST(flags_of_the_head_are_counted)
{
	struct ptu_kpagemap_verdict verdict;

	ptu_kpagemap_learn(&kpm, &tail, &head);
	CHECK(ptu_kpagemap_take(&kpm, &page, &page, &verdict));
	CHECK(ptu_kpagemap_take(&kpm, &head, &head, &verdict));
	for (unsigned int i = 0; i < 3; i++)
		CHECK(ptu_kpagemap_take(&kpm, &tail, &head, &verdict));
	ptu_kpagemap_finish(&kpm);
	CHECK_EQ(kpm.head_frames, 3);
	CHECK_EQ(kpm.by_flag[4].head, 3);
	CHECK_EQ(kpm.by_flag[5].head, 3);
	CHECK_EQ(kpm.by_flag[0].head, 0);
	CHECK_EQ(kpm.by_flag[5].set, 5);
}

/* A flag that differs is counted neither for the page nor for its head. */
UNIT_TEST(a_flag_that_differs_does_not_count_as_one_of_the_head)
{
	const struct ptu_kpagemap_verdict last = { .compared = KPF_LRU |
							       KPF_DIRTY,
						   .head = KPF_LRU,
						   .differ = KPF_DIRTY };
	struct ptu_kpagemap_verdict only = last;

	settle(last, last, PTU_KPAGEMAP_UNEXPLAINED);
	CHECK_EQ(kpm.head_frames, 1);
	CHECK_EQ(kpm.by_flag[4].head, 0);
	CHECK_EQ(kpm.by_flag[5].head, 1);
	/* lru has just changed */
	only.differ = KPF_LRU;
	settle(only,
	       (struct ptu_kpagemap_verdict){ .compared = KPF_LRU,
					      .head = KPF_LRU },
	       PTU_KPAGEMAP_CHANGED);
	CHECK_EQ(kpm.head_frames, 0);
	CHECK_EQ(kpm.by_flag[5].head, 0);
}

/*
 * A frame that is equal to the one before takes a short cut, which must also set each
 * member of the verdict: the caller's struct is not initialized.
 */
UNIT_TEST(frames_in_a_run_have_a_whole_verdict)
{
	struct ptu_kpagemap_verdict first, second;

	ptu_kpagemap_learn(&kpm, &tail, &head);
	CHECK(ptu_kpagemap_take(&kpm, &tail, &head, &first));
	memset(&second, 0xff, sizeof(second));
	second.hole = second.is_hole = true;
	CHECK(ptu_kpagemap_take(&kpm, &tail, &head, &second));
	CHECK_EQ(second.compared, first.compared);
	CHECK_EQ(second.head, KPF_LRU | KPF_DIRTY);
	CHECK_EQ(second.differ, 0);
	CHECK(!second.hole && !second.is_hole);
	CHECK_EQ(second.applies, TAIL);
	CHECK_EQ(second.broken, 0);
}

/* The head has lost all flags meanwhile: the tail page is not like the one before. */
UNIT_TEST(a_head_without_flags_ends_a_run)
{
	struct ptu_kpagemap_verdict verdict;
	struct ptu_frame other = head;

	ptu_kpagemap_learn(&kpm, &tail, &head);
	CHECK(ptu_kpagemap_take(&kpm, &tail, &head, &verdict));
	other.flags = 0;
	CHECK(!ptu_kpagemap_take(&kpm, &tail, &other, &verdict));
	CHECK_EQ(verdict.differ, KPF_LRU);
}

UNIT_TEST(eight_frames_or_5_percent_may_be_in_flux)
{
	static const struct {
		uint64_t frames, most;
	} cases[] = { { 8, 8 },	   { 160, 8 },	{ 179, 8 },  { 180, 9 },
		      { 200, 10 }, { 419, 20 }, { 420, 21 }, { 20000, 1000 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		kpm.frames = cases[i].frames;
		kpm.ends[PTU_KPAGEMAP_IN_FLUX] = cases[i].most;
		CHECK(!ptu_kpagemap_would_not_hold(&kpm));
		kpm.ends[PTU_KPAGEMAP_IN_FLUX]++;
		CHECK(ptu_kpagemap_would_not_hold(&kpm));
	}
}

UNIT_MAIN_WITH(set_up, NULL)
