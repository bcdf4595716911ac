// SPDX-License-Identifier: GPL-2.0-only
/*
 * The evidence of a process whose mappings change while they are read.  The test
 * provides the readings; procfs_evidence.c reads no real process here.
 */
#include "acquire/procfs_evidence.c"

#include "support/build.h"
#include "support/unit.h"

#define A UINT64_C(0x7f0000000000)
#define HEAP UINT64_C(0x555500000000)

/* Number of one-page mappings after the heap's at the n-th reading. */
static unsigned int (*heap_pages)(unsigned int reading);
static unsigned int nr_readings;
static unsigned int tries_in_time = PTU_RETRIES;

static int read_vmas(struct ptu_vmas *ret)
{
	const unsigned int pages = heap_pages(nr_readings++);

	*ret = (struct ptu_vmas){ .vmas = calloc(2, sizeof(*ret->vmas)),
				  .nr_vmas = 2 };
	if (!ret->vmas)
		return -ENOMEM;
	ret->vmas[0] = (struct ptu_vma){ .start = HEAP,
					 .end = HEAP + pages * 4096,
					 .perms = "rw-p" };
	ret->vmas[1] = (struct ptu_vma){ .start = A,
					 .end = A + 4096,
					 .perms = "rw-p" };
	return 0;
}

int ptu_proc_maps(const struct ptu_proc *proc, struct ptu_vmas *ret,
		  struct ptu_err *err)
{
	return read_vmas(ret);
}

int ptu_proc_some_maps(const struct ptu_proc *proc, struct ptu_vmas *ret,
		       struct ptu_err *err)
{
	return read_vmas(ret);
}

int ptu_proc_maps_again(const struct ptu_proc *proc,
			const struct ptu_vmas *known, struct ptu_vmas *ret,
			struct ptu_err *err)
{
	int error = read_vmas(ret);

	if (error || !ptu_vmas_same(known, ret))
		return error ? error : 1;
	ptu_vmas_deinit(ret);
	return 0;
}

int ptu_proc_smaps(const struct ptu_proc *proc, struct ptu_vmas *ret,
		   struct ptu_err *err)
{
	abort();
}

int ptu_proc_refuse(const struct ptu_proc *proc, const char *name, int error,
		    struct ptu_err *err)
{
	abort();
}

int ptu_proc_same(const struct ptu_proc *proc, struct ptu_err *err)
{
	abort();
}

bool ptu_proc_try_again(const struct ptu_proc *proc, unsigned int tries)
{
	return tries < tries_in_time;
}

int ptu_proc_changed(const struct ptu_proc *proc, unsigned int tries,
		     struct ptu_err *err)
{
	if (tries != PTU_RETRIES)
		abort();
	return -EAGAIN;
}

uint64_t ptu_proc_deadline_ns(const struct ptu_proc *proc)
{
	abort();
}

static struct ptu_evidence e;

static void tear_down(void)
{
	ptu_evidence_deinit(&e);
	e = (struct ptu_evidence){ 0 };
}

static int read_it(unsigned int needs, uint64_t start, uint64_t end)
{
	const struct ptu_proc proc = { .pid = 4242, .tid = 4242 };

	nr_readings = 0;
	return ptu_proc_evidence(&proc, &four_levels, needs, start, end, &e,
				 NULL);
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
	heap_pages = rests;
	CHECK_EQ(read_it(PTU_TAKES_CHANGES, 0, UINT64_MAX), 0);
	CHECK_EQ(e.changed.nr_spans, 0);
	CHECK_EQ(nr_readings, 2);
}

UNIT_TEST(mappings_that_change_once_are_read_again)
{
	heap_pages = grows_at_first;
	CHECK_EQ(read_it(0, 0, UINT64_MAX), 0);
	CHECK_EQ(e.changed.nr_spans, 0);
	/* the readings have 10 and 11, 12 and 20, 20 and 20 pages */
	CHECK_EQ(nr_readings, 6);
	CHECK_EQ(e.vmas.vmas[0].end, HEAP + 20 * 4096);
}

UNIT_TEST(changing_mappings_are_eagain_by_default)
{
	heap_pages = grows;
	CHECK_EQ(read_it(0, 0, UINT64_MAX), -EAGAIN);
	CHECK_EQ(nr_readings, 2 * PTU_RETRIES);
}

/* The third attempt: readings 4 and 5. */
UNIT_TEST(changed_range_is_reported_on_request)
{
	heap_pages = grows;
	CHECK_EQ(read_it(PTU_TAKES_CHANGES, 0, UINT64_MAX), 0);
	CHECK_EQ(nr_readings, 6);
	CHECK_EQ(e.vmas.vmas[0].end, HEAP + 14 * 4096);
	CHECK_EQ(e.changed.nr_spans, 1);
	CHECK_EQ(e.changed.spans[0].start, HEAP + 14 * 4096);
	CHECK_EQ(e.changed.spans[0].end, HEAP + 15 * 4096);
}

/* The last reading of an attempt decides, not another one after it. */
UNIT_TEST(a_page_that_comes_and_goes_is_reported)
{
	heap_pages = comes_and_goes;
	CHECK_EQ(read_it(PTU_TAKES_CHANGES, 0, UINT64_MAX), 0);
	CHECK_EQ(nr_readings, 6);
	CHECK_EQ(e.changed.nr_spans, 1);
	CHECK_EQ(e.changed.spans[0].start, HEAP + 10 * 4096);
	CHECK_EQ(e.changed.spans[0].end, HEAP + 11 * 4096);
}

/* One reading of 65,000 mappings can use all the time. */
UNIT_TEST(without_time_for_a_second_attempt_the_first_one_counts)
{
	int error;

	heap_pages = grows;
	tries_in_time = 1;
	error = read_it(PTU_TAKES_CHANGES, 0, UINT64_MAX);
	tries_in_time = PTU_RETRIES;
	CHECK_EQ(error, 0);
	CHECK_EQ(nr_readings, 2);
	CHECK_EQ(e.changed.nr_spans, 1);
	CHECK_EQ(e.changed.spans[0].start, HEAP + 10 * 4096);
}

UNIT_TEST(changes_outside_the_range_do_not_matter)
{
	heap_pages = grows;
	CHECK_EQ(read_it(0, A, A + 0x200000), 0);
	CHECK_EQ(nr_readings, 2);
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

UNIT_MAIN_WITH(NULL, tear_down)
