// SPDX-License-Identifier: GPL-2.0-only
/*
 * How often kpagemap's comparison reads a frame, and what it concludes.  The frames are in
 * an array of the test, which can change them before each read.
 */
#include "measure/frames.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "acquire/frames.h"
#include "base/clock.h"
#include "support/unit.h"

#define BIT(n) (UINT64_C(1) << (n))
#define LOCKED BIT(0)
#define UPTODATE BIT(3)
/* PG_head of the kernel of this test, and the flags of kpageflags. */
#define PG_HEAD BIT(6)
#define KPF_HEAD BIT(15)
#define KPF_TAIL BIT(16)

#define MOST 2000

enum call { OPEN, NAMES, READ, MODULE, PROC, NR_CALLS };

static struct ptu_frame memory[MOST];
static size_t nr_frames;
/* The calls so far, and those that fail from a number on; 0: none. */
static unsigned int calls[NR_CALLS], failing[NR_CALLS];
/*
 * If set, it is called before each frame is read.  A test changes the frames in it.
 * @nr: number of earlier readings of this kind
 */
static void (*change)(enum call call, unsigned int nr, uint64_t pfn);
static unsigned int nr_closed;
static uint64_t shown, shown_all;
/* The waits between readings. */
static unsigned int nr_waits;
static long waited_ns;

static struct ptu_kpagemap_report report;
static struct ptu_err err;

static int called(enum call call)
{
	unsigned int nr = ++calls[call];

	return failing[call] && nr >= failing[call] ? -EIO : 0;
}

int ptu_frames_open(uint64_t page_bytes, struct ptu_frames *ret,
		    struct ptu_err *error)
{
	*ret = (struct ptu_frames){ .nr_frames = nr_frames,
				    .nr_flags = nr_frames + 7 };
	return called(OPEN);
}

int ptu_frames_names(struct ptu_kpagemap_names *ret, struct ptu_err *error)
{
	int failed = called(NAMES);

	return failed ?
		       failed :
		       ptu_kpagemap_names_parse("0 locked\n3 uptodate\n6 head\n",
						ret, error);
}

int ptu_frames_read(const struct ptu_frames *files, uint64_t pfn,
		    struct ptu_frame *frames, size_t nr, size_t *ret,
		    struct ptu_err *error)
{
	size_t left = nr_frames - pfn;

	/* fewer than the caller can take: several calls are needed */
	*ret = left < nr / 8 ? left : nr / 8;
	memcpy(frames, memory + pfn, *ret * sizeof(*frames));
	return called(READ);
}

int ptu_frames_module(const struct ptu_frames *files, uint64_t pfn,
		      struct ptu_frame *ret, struct ptu_err *error)
{
	if (change)
		change(MODULE, calls[MODULE], pfn);
	ret->flags = memory[pfn].flags;
	ret->count = memory[pfn].count;
	return called(MODULE);
}

int ptu_frames_proc(const struct ptu_frames *files, uint64_t pfn,
		    struct ptu_frame *ret, struct ptu_err *error)
{
	if (change)
		change(PROC, calls[PROC], pfn);
	ret->kpf = memory[pfn].kpf;
	ret->mapcount = memory[pfn].mapcount;
	return called(PROC);
}

void ptu_frames_close(struct ptu_frames *files)
{
	nr_closed++;
}

int nanosleep(const struct timespec *pause, struct timespec *left)
{
	nr_waits++;
	waited_ns += pause->tv_nsec;
	return 0;
}

static void show(void *arg, uint64_t done, uint64_t all)
{
	CHECK(arg == &shown);
	CHECK(done >= shown);
	shown = done;
	shown_all = all;
}

static int measure(void)
{
	const struct ptu_watcher watcher = { show, &shown };

	return ptu_measure_frames(&watcher, &report, &err);
}

static const uint64_t *ends(void)
{
	return report.compared.ends;
}

/* 16 frames on which both sides agree: used once and mapped once. */
static void set_up(void)
{
	memset(&report, 0, sizeof(report));
	memset(&err, 0, sizeof(err));
	memset(calls, 0, sizeof(calls));
	memset(failing, 0, sizeof(failing));
	change = NULL;
	nr_closed = 0;
	shown = shown_all = 0;
	nr_waits = 0;
	waited_ns = 0;
	nr_frames = 16;
	for (size_t i = 0; i < MOST; i++)
		memory[i] = (struct ptu_frame){ UPTODATE, 1, UPTODATE, 1 };
}

/* A compound page of 4 frames from frame 4 on. */
static void make_compound(void)
{
	memory[4].flags |= PG_HEAD;
	memory[4].kpf |= KPF_HEAD;
	for (size_t i = 5; i < 8; i++)
		memory[i].kpf |= KPF_TAIL;
}

UNIT_TEST(frames_that_agree_are_read_once)
{
	uint64_t start_ns = ptu_now_ns();

	nr_frames = 1500;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(report.compared.frames, 1500);
	CHECK_EQ(ends()[PTU_KPAGEMAP_AGREED], 1500);
	CHECK_EQ(report.compared.by_flag[3].set, 1500);
	/* 1024 frames, 476, and the end */
	CHECK_EQ(calls[READ], 3);
	CHECK_EQ(calls[MODULE] + calls[PROC], 0);
	CHECK_EQ(report.nr_flags, 1507);
	CHECK_EQ(report.nr_samples, 0);
	CHECK(report.duration_ns > 0);
	CHECK(report.duration_ns <= ptu_now_ns() - start_ns);
	CHECK(report.boot_id[0]);
	CHECK_EQ(shown, 1500);
	CHECK_EQ(shown_all, 1500);
	CHECK_EQ(nr_closed, 1);
}

static void use_again(enum call call, unsigned int nr, uint64_t pfn)
{
	if (call == PROC && !nr)
		memory[pfn].count = 4;
}

UNIT_TEST(lasting_difference_is_read_eight_times)
{
	change = use_again;
	memory[9].flags |= LOCKED;
	memory[11].count = 0;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(ends()[PTU_KPAGEMAP_AGREED], 14);
	CHECK_EQ(ends()[PTU_KPAGEMAP_UNEXPLAINED], 2);
	/* a reading: /proc before, the frame and its head in the module, /proc, and again */
	CHECK_EQ(calls[PROC], 2 * 8 * 3);
	CHECK_EQ(calls[MODULE], 2 * 8 * 4);
	CHECK_EQ(report.nr_samples, 2);
	CHECK_EQ(report.samples[0].pfn, 9);
	CHECK_EQ(report.samples[0].frame.flags, LOCKED | UPTODATE);
	CHECK_EQ(report.samples[0].frame.kpf, UPTODATE);
	/* the frame as it was read last */
	CHECK_EQ(report.samples[0].frame.count, 4);
	CHECK_EQ(report.samples[0].verdict.differ, LOCKED);
	CHECK_EQ(report.samples[1].pfn, 11);
	CHECK_EQ(report.samples[1].verdict.broken, BIT(PTU_KPAGEMAP_MAPPED));
	/* after each reading but the first, the square of its number, times 10 us */
	CHECK_EQ(nr_waits, 2 * 7);
	CHECK_EQ(waited_ns, 2 * 10000 * (4 + 9 + 16 + 25 + 36 + 49 + 64));
}

static void unlock_at_once(enum call call, unsigned int nr, uint64_t pfn)
{
	if (!nr)
		memory[pfn].flags = UPTODATE;
}

UNIT_TEST(difference_that_is_gone_is_a_change)
{
	memory[9].flags |= LOCKED;
	change = unlock_at_once;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(ends()[PTU_KPAGEMAP_CHANGED], 1);
	CHECK_EQ(ends()[PTU_KPAGEMAP_AGREED], 15);
	CHECK_EQ(calls[PROC], 3);
	CHECK_EQ(report.nr_samples, 0);
}

/* The frame that changes before each reading of the module, and how. */
static uint64_t changes_at;
static struct ptu_frame changes_by;

static void change_always(enum call call, unsigned int nr, uint64_t pfn)
{
	if (call == MODULE) {
		memory[changes_at].flags += changes_by.flags;
		memory[changes_at].count += changes_by.count;
	}
}

static void change_tail(enum call call, unsigned int nr, uint64_t pfn)
{
	if (call == PROC && pfn == 7)
		memory[7].kpf ^= KPF_TAIL;
}

static void change_head(enum call call, unsigned int nr, uint64_t pfn)
{
	/* ends after it was found; is there again when it is searched for, by way of frame 6 */
	if (call == MODULE)
		memory[4].kpf &= ~KPF_HEAD;
	else if (pfn == 6)
		memory[4].kpf |= KPF_HEAD;
}

UNIT_TEST(reading_during_a_change_decides_nothing)
{
	static const struct {
		void (*change)(enum call call, unsigned int nr, uint64_t pfn);
		uint64_t at;
		struct ptu_frame by;
	} cases[] = {
		{ change_always, 7, { .flags = BIT(50) } },
		{ change_always, 7, { .count = 1 } },
		/* an odd number of changes in a reading */
		{ change_tail, 0, { 0 } },
		{ change_head, 0, { 0 } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		set_up();
		make_compound();
		memory[7].kpf |= LOCKED;
		change = cases[i].change;
		changes_at = cases[i].at;
		changes_by = cases[i].by;
		CHECK_EQ(measure(), 0);
		CHECK_EQ(ends()[PTU_KPAGEMAP_IN_FLUX], 1);
		CHECK_EQ(ends()[PTU_KPAGEMAP_AGREED], 15);
		CHECK_EQ(report.nr_samples, 0);
		/* 64 readings to learn the rule for tails, and 64 to judge */
		CHECK_EQ(calls[MODULE], 2 * 64 * 4);
		CHECK_EQ(nr_waits, 62 + 63);
	}
}

/* Only the head changes: between the two readings of the module, once in each look. */
static void change_head_words(enum call call, unsigned int nr, uint64_t pfn)
{
	if (call == MODULE && pfn == 4 && nr % 4 == 3) {
		memory[4].flags ^= changes_by.flags;
		memory[4].count += changes_by.count;
		memory[7].count = memory[4].count + 1;
	}
}

UNIT_TEST(change_of_the_head_decides_nothing)
{
	make_compound();
	memory[7].kpf |= LOCKED;
	change = change_head_words;
	changes_by = (struct ptu_frame){ .flags = BIT(50) };
	CHECK_EQ(measure(), 0);
	CHECK_EQ(ends()[PTU_KPAGEMAP_IN_FLUX], 1);
}

UNIT_TEST(change_of_the_count_of_the_head_decides_nothing)
{
	make_compound();
	memory[7].kpf |= LOCKED;
	change = change_head_words;
	changes_by = (struct ptu_frame){ .count = 1 };
	CHECK_EQ(measure(), 0);
	CHECK_EQ(ends()[PTU_KPAGEMAP_IN_FLUX], 1);
}

UNIT_TEST(tail_is_compared_with_its_head)
{
	make_compound();
	/* frame 6 is the nearest candidate for the head of frame 7, but is a tail itself */
	memory[6].count = memory[7].count = 5;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(ends()[PTU_KPAGEMAP_UNEXPLAINED], 2);
	CHECK_EQ(report.samples[0].pfn, 6);
	CHECK_EQ(report.samples[1].pfn, 7);
	CHECK_EQ(report.samples[1].verdict.broken, BIT(PTU_KPAGEMAP_TAIL));
	/*
	 * One reading to learn the rule for tails, and eight more.  Each has three reads of
	 * the frame or its head, and one of each candidate: one for frame 6, two for 7.
	 */
	CHECK_EQ(calls[PROC], 9 * (3 + 1) + 9 * (3 + 2));
}

UNIT_TEST(head_of_the_last_chunk_is_known)
{
	nr_frames = 1028;
	memory[1020].flags |= PG_HEAD;
	memory[1020].kpf |= KPF_HEAD;
	memory[1020].count = 3;
	for (size_t i = 1021; i < 1028; i++) {
		memory[i].kpf |= KPF_TAIL;
		memory[i].count = 3;
	}
	CHECK_EQ(measure(), 0);
	CHECK_EQ(ends()[PTU_KPAGEMAP_AGREED], 1028);
	CHECK_EQ(calls[PROC], 0);
}

UNIT_TEST(tail_shows_whose_flags_kpageflags_has)
{
	make_compound();
	/* the kernel shows the head's flags for frame 5; one reading decides */
	memory[4].flags |= LOCKED;
	memory[4].kpf |= LOCKED;
	memory[5].kpf |= LOCKED;
	memory[6].kpf |= LOCKED;
	memory[7].kpf |= LOCKED;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(report.compared.tails, PTU_KPAGEMAP_TAILS_HEAD);
	CHECK_EQ(ends()[PTU_KPAGEMAP_AGREED], 16);
	CHECK_EQ(calls[MODULE], 4);
	CHECK_EQ(report.compared.head_frames, 3);
}

static void settle_later(enum call call, unsigned int nr, uint64_t pfn)
{
	/* not during the first two readings */
	if (call == MODULE && pfn == 5 && nr < 8)
		memory[5].flags ^= BIT(50);
}

UNIT_TEST(tail_that_changes_does_not_show_the_rule_yet)
{
	make_compound();
	memory[4].flags |= LOCKED;
	memory[4].kpf |= LOCKED;
	change = settle_later;
	CHECK_EQ(measure(), 0);
	/* the flags of the tails are their own */
	CHECK_EQ(report.compared.tails, PTU_KPAGEMAP_TAILS_OWN);
	CHECK_EQ(ends()[PTU_KPAGEMAP_AGREED], 16);
	CHECK_EQ(calls[MODULE], 3 * 4);
	CHECK_EQ(nr_waits, 0);
}

UNIT_TEST(only_256_unexplained_frames_are_read_again)
{
	nr_frames = 400;
	for (size_t i = 100; i < 400; i++)
		memory[i].flags |= LOCKED;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(ends()[PTU_KPAGEMAP_UNEXPLAINED], 300);
	CHECK_EQ(ends()[PTU_KPAGEMAP_AGREED], 100);
	CHECK_EQ(calls[PROC], 256 * 8 * 3);
	CHECK_EQ(report.nr_samples, 16);
	CHECK_EQ(report.samples[15].pfn, 115);
	CHECK_EQ(report.compared.by_flag[0].ends[PTU_KPAGEMAP_UNEXPLAINED],
		 300);
}

static void count_each(enum call call, unsigned int nr, uint64_t pfn)
{
	if (call == MODULE)
		memory[pfn].count++;
}

UNIT_TEST(more_than_eight_frames_in_flux_are_no_result)
{
	for (size_t i = 0; i < 8; i++)
		memory[i].kpf |= LOCKED;
	change = count_each;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(ends()[PTU_KPAGEMAP_IN_FLUX], 8);

	set_up();

	for (size_t i = 0; i < 9; i++)
		memory[i].kpf |= LOCKED;
	change = count_each;
	CHECK_EQ(measure(), -EBUSY);
	CHECK_STR(err.text,
		  "9 of 16 page frames kept changing while they were read: there is no result");
	CHECK_EQ(nr_closed, 1);
}

UNIT_TEST(failed_reads_end_the_comparison)
{
	static const struct {
		enum call call;
		unsigned int nr;
	} cases[] = {
		{ OPEN, 1 },   { NAMES, 1 },  { READ, 1 },   { READ, 2 },
		{ MODULE, 1 }, { MODULE, 2 }, { MODULE, 3 }, { MODULE, 4 },
		{ PROC, 1 },   { PROC, 2 },   { PROC, 3 },   { PROC, 4 },
		{ PROC, 5 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		set_up();
		make_compound();
		memory[7].count = 5;
		failing[cases[i].call] = cases[i].nr;
		CHECK_EQ(measure(), -EIO);
		/* nothing was read after the failure */
		CHECK_EQ(calls[cases[i].call], cases[i].nr);
		CHECK_EQ(nr_closed, cases[i].call != OPEN);
	}
}

UNIT_TEST(failed_read_while_the_rule_is_learned_is_an_error)
{
	make_compound();
	memory[4].flags |= LOCKED;
	memory[4].kpf |= LOCKED;
	failing[PROC] = 1;
	CHECK_EQ(measure(), -EIO);
	CHECK_EQ(calls[PROC], 1);
}

UNIT_TEST(file_without_frames_is_an_error)
{
	nr_frames = 0;
	CHECK_EQ(measure(), -EPROTO);
	CHECK_STR(err.text, "kpagemap has no page frame");
	CHECK_EQ(nr_closed, 1);
}

UNIT_MAIN_WITH(set_up, NULL)
