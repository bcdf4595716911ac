// SPDX-License-Identifier: GPL-2.0-only
/* The evidence of a process whose mappings change while they are read. */
#include "acquire/fake_evidence.h"

#define HEAP UINT64_C(0x555500000000)

static void set_up(void)
{
	evidence_begin();
	evidence.maps.vmas[0].start = HEAP;
	evidence.maps.vmas[1] = (struct ptu_vma){ .start = A,
						  .end = A + 4096,
						  .perms = "rw-p" };
	evidence.maps.nr = 2;
	evidence.again = evidence.maps;
	evidence.tries = 9;
}

/* The heap has @pages(n) pages at the n-th reading. */
static int read_it(unsigned int (*pages)(unsigned int reading),
		   unsigned int needs)
{
	evidence.pages = pages;
	return read_all(needs);
}

static unsigned int rests(unsigned int reading)
{
	return 10;
}

static unsigned int grows(unsigned int reading)
{
	return 10 + reading;
}

static unsigned int grows_at_first(unsigned int reading)
{
	return reading < 3 ? 10 + reading : 20;
}

/* Each other reading has one page more. */
static unsigned int comes_and_goes(unsigned int reading)
{
	return 10 + reading % 2;
}

UNIT_TEST(mappings_that_rest_are_read_twice)
{
	CHECK_EQ(read_it(rests, PTU_TAKES_CHANGES), 0);
	CHECK_EQ(e.changed.nr_spans, 0);
	CHECK_EQ(evidence.nr_readings, 2);
}

UNIT_TEST(mappings_that_change_once_are_read_again)
{
	CHECK_EQ(read_it(grows_at_first, 0), 0);
	CHECK_EQ(e.changed.nr_spans, 0);
	/* the readings have 10 and 11, 12 and 20, 20 and 20 pages */
	CHECK_EQ(evidence.nr_readings, 6);
	CHECK_EQ(e.vmas.vmas[0].end, HEAP + 20 * 4096);
}

UNIT_TEST(changing_mappings_are_eagain_by_default)
{
	CHECK_EQ(read_it(grows, 0), -EAGAIN);
	CHECK_EQ(evidence.nr_readings, 2 * 9);
	CHECK_STR(err.text, "changed in 9 attempts");
}

/* The third attempt: readings 4 and 5. */
UNIT_TEST(changed_range_is_reported_on_request)
{
	CHECK_EQ(read_it(grows, PTU_TAKES_CHANGES), 0);
	CHECK_EQ(evidence.nr_readings, 6);
	CHECK_EQ(e.vmas.vmas[0].end, HEAP + 14 * 4096);
	CHECK_EQ(e.changed.nr_spans, 1);
	CHECK_EQ(e.changed.spans[0].start, HEAP + 14 * 4096);
	CHECK_EQ(e.changed.spans[0].end, HEAP + 15 * 4096);
}

/* The last reading of an attempt decides, not another one after it. */
UNIT_TEST(a_page_that_comes_and_goes_is_reported)
{
	CHECK_EQ(read_it(comes_and_goes, PTU_TAKES_CHANGES), 0);
	CHECK_EQ(evidence.nr_readings, 6);
	CHECK_EQ(e.changed.nr_spans, 1);
	CHECK_EQ(e.changed.spans[0].start, HEAP + 10 * 4096);
	CHECK_EQ(e.changed.spans[0].end, HEAP + 11 * 4096);
}

/* One reading of 65,000 mappings can use all the time. */
UNIT_TEST(without_time_for_a_second_attempt_the_first_one_counts)
{
	evidence.tries = 1;
	CHECK_EQ(read_it(grows, PTU_TAKES_CHANGES), 0);
	CHECK_EQ(evidence.nr_readings, 2);
	CHECK_EQ(e.changed.nr_spans, 1);
	CHECK_EQ(e.changed.spans[0].start, HEAP + 10 * 4096);
}

UNIT_TEST(changes_outside_the_range_do_not_matter)
{
	evidence.pages = grows;
	CHECK_EQ(read_range(0, A, A + SLOT), 0);
	CHECK_EQ(evidence.nr_readings, 2);
	CHECK_EQ(e.changed.nr_spans, 0);
}

static struct ptu_evidence scanned(struct ptu_scan_slot *slots, size_t nr_slots,
				   struct ptu_span *changed)
{
	static struct ptu_vma vma = { .start = A, .end = A + 0x600000 };

	return (struct ptu_evidence){
		.geo = &four_levels,
		.vmas = { .vmas = &vma, .nr_vmas = 1 },
		.scan = { .slots = slots, .nr_slots = nr_slots },
		.changed = { .spans = changed, .nr_spans = changed ? 1 : 0 },
	};
}

/*
 * A huge page is used only if the kind of its mapping is known; a table does not need
 * that.
 */
UNIT_TEST(a_huge_page_where_mappings_changed_is_left_out)
{
	struct ptu_scan_slot slots[] = {
		{ .start = A, .first = A, .huge = true, .populated = true },
		{ .start = A + 0x200000, .first = A + 0x200000, .huge = true },
		{ .start = A + 0x400000, .first = A + 0x400000 },
	};
	struct ptu_span changed = { A + 0x3ff000, A + 0x500000 };
	struct ptu_evidence scan = scanned(slots, 3, &changed);

	drop_unplaced(&scan);
	CHECK_EQ(scan.scan.nr_slots, 2);
	CHECK_EQ(scan.scan.slots[0].start, A);
	CHECK_EQ(scan.scan.slots[1].start, A + 0x400000);
}

UNIT_TEST(a_page_in_no_mapping_shows_a_change)
{
	struct ptu_scan_slot slots[] = {
		{ .start = A + 0x200000, .first = A + 0x200000 },
		{ .start = A + 0x400000, .first = A + 0x5ff000, .huge = true },
		{ .start = A + 0x600000, .first = A + 0x600000, .huge = true },
		{ .start = A + 0xa00000, .first = A + 0xa00000 },
	};
	struct ptu_evidence scan = scanned(slots, 4, NULL);

	CHECK_EQ(note_unplaced(&scan), 0);
	CHECK_EQ(scan.changed.nr_spans, 2);
	CHECK_EQ(scan.changed.spans[0].start, A + 0x600000);
	CHECK_EQ(scan.changed.spans[0].end, A + 0x800000);
	CHECK_EQ(scan.changed.spans[1].start, A + 0xa00000);
	CHECK_EQ(scan.changed.spans[1].end, A + 0xc00000);
	ptu_spans_deinit(&scan.changed);
}

UNIT_MAIN_WITH(set_up, evidence_end)
