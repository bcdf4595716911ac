// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading in pieces must give the same result as reading at once: each slot of each
 * mapping once and in order, whichever worker read it.  An error is the one at the
 * lowest address.  The test decides the order in which the workers run; one test uses
 * real threads.
 */
#define _GNU_SOURCE
#define ptu_workers_run run_in_threads
#include "base/workers.c"
#undef ptu_workers_run

static void ptu_workers_run(bool (*step)(void *arg, enum ptu_worker worker),
			    void *arg);

#include "acquire/pagemap.c"
#include "base/pieces.c"

#include "support/build.h"
#include "support/unit.h"

#define A UINT64_C(0x7f0000000000)
#define PAGE 4096u
#define SLOT (2 * MIB)
#define CHUNK (256 * MIB)
#define MAX_VMAS 64
#define PRESENT (UINT64_C(1) << 63)

/* The order in which the workers run. */
static enum { ALONE, IN_TURN, RANDOM, ALL_BUT_FIRST, THREADS } turns;
static bool (*the_step)(void *arg, enum ptu_worker worker);
static void *the_arg;

/* Addresses at which reading fails or ends; 0: nowhere. */
static uint64_t fails_at, fails_above_at, ends_at;
static bool is_recording;
static atomic_ullong nr_read; /* number of words read */
static atomic_int nr_reads;

static uint64_t seed;

static uint64_t random_below(uint64_t limit)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (seed >> 33) % limit;
}

/* Two of three slots are empty; the third one has this number of pages at its start. */
static unsigned int nr_pages_of(uint64_t slot)
{
	uint64_t number = slot / SLOT;

	return number % 3 ? 0 : 1 + number / 3 % 512;
}

static void ptu_workers_run(bool (*step)(void *arg, enum ptu_worker worker),
			    void *arg)
{
	bool has_more[PTU_NR_WORKERS] = { true, turns != ALONE };

	the_step = step;
	the_arg = arg;
	if (turns == THREADS) {
		run_in_threads(step, arg);
		return;
	}
	for (unsigned int i = 0; has_more[PTU_CALLER] || has_more[PTU_HELPER];
	     i++) {
		unsigned int who = i % 2;

		if (turns == RANDOM)
			who = (unsigned int)random_below(2);
		if (turns == ALL_BUT_FIRST && i)
			who = has_more[PTU_HELPER];
		if (has_more[who])
			has_more[who] = step(arg, who);
	}
}

ssize_t ptu_words_read(const struct ptu_words *file, uint64_t index,
		       uint64_t *words, size_t nr_words)
{
	const uint64_t start = index * PAGE, end = start + nr_words * PAGE;
	uint64_t begin = cpu_ns();

	atomic_fetch_add(&nr_reads, 1);
	atomic_fetch_add(&nr_read, nr_words);
	while (turns == THREADS && cpu_ns() - begin < ALONE_NS / 4)
		;
	if (fails_above_at && fails_above_at >= start && fails_above_at < end) {
		/*
		 * the other worker gets an error at a higher address before this one returns
		 * its error
		 */
		fails_above_at = 0;
		the_step(the_arg, PTU_HELPER);
		return -EIO;
	}
	if (fails_at && end > fails_at)
		return fails_above_at ? -EIO : -ENXIO;
	for (size_t i = 0; i < nr_words; i++) {
		uint64_t addr = start + i * PAGE;

		words[i] = addr % SLOT / PAGE < nr_pages_of(addr) ? PRESENT : 0;
	}
	if (ends_at && end > ends_at)
		return ends_at > start ? (ssize_t)((ends_at - start) / PAGE) :
					 0;
	return (ssize_t)nr_words;
}

uint64_t ptu_words_skip(const struct ptu_words *file, uint64_t index)
{
	if (is_recording)
		while (index % 512 >= nr_pages_of(index * PAGE))
			index = (index / 512 + 1) * 512;
	return index;
}

/* The mappings, the range to read, and where the file ended. */
static struct build b;
static struct ptu_vma vmas[MAX_VMAS];
static struct ptu_vmas all;
static uint64_t range_start;
static uint64_t range_end;
static struct ptu_words_end early;

static void set_up(void)
{
	build_init(&b, 4, false);
	all = (struct ptu_vmas){ .vmas = vmas };
	range_start = 0;
	range_end = UINT64_MAX;
	turns = ALONE;
	fails_at = fails_above_at = ends_at = 0;
	is_recording = false;
	nr_read = 0;
	nr_reads = 0;
}

static void tear_down(void)
{
	build_deinit(&b);
}

static void map(uint64_t start, uint64_t end)
{
	vmas[all.nr_vmas++] = (struct ptu_vma){ .start = start, .end = end };
}

static int split(struct ptu_slots *ret)
{
	static const struct ptu_words file = { .fd = -1 };

	*ret = (struct ptu_slots){ 0 };
	return ptu_words_split(&file, &b.geo, &all, range_start, range_end, ret,
			       &early);
}

static uint64_t later(uint64_t one, uint64_t other)
{
	return one > other ? one : other;
}

/* Look up each slot of the mappings: the result must be exactly these, in order. */
static void check_slots(void)
{
	struct ptu_slots got;
	uint64_t words = 0;
	size_t i, nr = 0;

	CHECK_EQ(split(&got), 0);
	for (i = 0; i < all.nr_vmas; i++) {
		const uint64_t start = later(vmas[i].start, range_start);
		const uint64_t end = vmas[i].end < range_end ? vmas[i].end :
							       range_end;
		uint64_t slot = start / SLOT * SLOT;

		if (start >= UINT64_C(1) << 63 || start >= end)
			continue;
		words += (end - start) / PAGE;
		for (; slot < end; slot += SLOT) {
			uint64_t to = slot + nr_pages_of(slot) * PAGE;

			if (to > end)
				to = end;
			if (to <= later(slot, start))
				continue;
			CHECK(nr < got.nr_slots);
			CHECK_EQ(got.slots[nr].start, slot);
			CHECK_EQ(got.slots[nr].vma, i);
			CHECK_EQ(got.slots[nr].present,
				 (to - later(slot, start)) / PAGE);
			CHECK_EQ(got.slots[nr].nonpresent, 0);
			CHECK_EQ(got.slots[nr].markers, 0);
			CHECK_EQ(got.slots[nr].flags,
				 got.slots[nr].present == 512 ?
					 PTU_SLOT_PFN_HIDDEN :
					 0);
			nr++;
		}
	}
	CHECK_EQ(got.nr_slots, nr);
	if (!is_recording)
		CHECK_EQ(nr_read, words);
	nr_read = 0;
	ptu_slots_deinit(&got);
}

static void check_in_turns(void)
{
	for (turns = ALONE; turns < THREADS; turns++)
		check_slots();
}

UNIT_TEST(small_mappings_are_one_piece)
{
	map(A + PAGE, A + 2 * PAGE);
	map(A + MIB, A + 3 * MIB);
	map(A + 3 * MIB, A + 3 * MIB + PAGE);
	map(A + 100 * GIB, A + 100 * GIB + 200 * MIB);
	turns = ALL_BUT_FIRST;
	check_slots();
	CHECK_EQ(nr_reads, 4);
	check_in_turns();
}

UNIT_TEST(a_large_mapping_is_found_in_order)
{
	map(A + PAGE, A + 4 * GIB + 5 * PAGE);
	check_in_turns();
}

UNIT_TEST(two_mappings_in_one_slot_stay_two)
{
	/* the boundaries are at the ends of pieces, and next to them */
	for (unsigned int k = 0; k < 6; k++) {
		uint64_t at = A + k * GIB;
		uint64_t border = at + CHUNK + k * SLOT + MIB;

		map(at, border);
		map(border, border + PAGE);
		map(border + PAGE, at + GIB);
	}
	check_in_turns();
}

UNIT_TEST(random_mappings_are_found_in_order)
{
	unsigned int i, k;

	for (i = 0; i < 30; i++) {
		uint64_t at = A + PAGE * random_below(1000);

		seed = i;
		tear_down();
		set_up();
		is_recording = i % 4 == 3;
		for (k = 0; k < 1 + i; k++) {
			uint64_t to = at + PAGE +
				      PAGE * random_below(k % 5 ? 700 : 200000);

			map(at, to);
			at = to +
			     PAGE * (random_below(2) ? random_below(2000) : 0);
		}
		if (i % 3 == 1) {
			range_start = A + 3 * SLOT;
			range_end = A + GIB + 5 * SLOT;
		}
		check_in_turns();
	}
}

UNIT_TEST(threads_find_the_same)
{
	map(A + PAGE, A + 8 * GIB + MIB);
	map(A + 8 * GIB + MIB, A + 9 * GIB);
	turns = THREADS;
	check_slots();
}

UNIT_TEST(pieces_cover_all_and_are_few)
{
	static const uint64_t sizes[] = { PAGE,	    CHUNK, 64 * GIB,
					  65 * GIB, TIB,   16 * TIB + MIB,
					  100 * TIB };
	unsigned int i, k;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct split *s = calloc(1, sizeof(*s));

		tear_down();
		set_up();
		map(16 * PAGE, 17 * PAGE);
		map(GIB + PAGE, GIB + PAGE + sizes[i]);
		map(A + GIB + PAGE, A + GIB + 30 * PAGE);
		s->geo = &b.geo;
		s->vmas = &all;
		cut(s, 0, PTU_KERNEL_HALF);
		CHECK(s->nr_pieces >= 1);
		/* a piece has a 256th of the range, in steps of 256 MiB, or less */
		CHECK(s->nr_pieces <= 257);
		CHECK(sizes[i] < 64 * GIB || s->nr_pieces >= 120);
		CHECK_EQ(s->pieces[0].start, 0);
		for (k = 1; k < s->nr_pieces; k++) {
			CHECK_EQ(s->pieces[k].start, s->pieces[k - 1].end);
			CHECK(s->pieces[k].start > s->pieces[k - 1].start);
			CHECK(s->pieces[k].start % SLOT == 0 ||
			      s->pieces[k].start == vmas[1].start ||
			      s->pieces[k].start == vmas[2].start);
		}
		CHECK_EQ(s->pieces[k - 1].end, UINT64_C(1) << 63);
		free(s);
	}
}

UNIT_TEST(the_kernels_half_is_not_read)
{
	map(A, A + MIB);
	map(UINT64_C(0xffffffffff600000), UINT64_C(0xffffffffff601000));
	check_in_turns();
}

UNIT_TEST(without_mappings_nothing_is_read)
{
	check_in_turns();
	CHECK_EQ(nr_reads, 0);
}

UNIT_TEST(error_ends_the_reading)
{
	unsigned int i;

	for (i = 0; i < 8; i++)
		for (turns = ALONE; turns < THREADS; turns++) {
			unsigned int how = turns;
			struct ptu_slots got;

			tear_down();
			set_up();
			turns = how;
			map(A, A + 8 * CHUNK);
			fails_at = A + i * CHUNK + SLOT;
			CHECK_EQ(split(&got), -ENXIO);
			CHECK_EQ(nr_reads, i + 1);
			CHECK(!got.slots && !got.nr_slots);
		}
}

UNIT_TEST(the_error_at_the_lowest_address_counts)
{
	struct ptu_slots got;

	map(A, A + 8 * CHUNK);
	fails_above_at = A + 3 * CHUNK + SLOT;
	fails_at = A + 4 * CHUNK + SLOT;
	CHECK_EQ(split(&got), -EIO);
	CHECK_EQ(nr_reads, 5);
	CHECK(!got.slots);
}

UNIT_TEST(short_read_reports_where_the_file_ended)
{
	for (turns = ALONE; turns < THREADS; turns++) {
		unsigned int how = turns;
		struct ptu_slots got;

		tear_down();
		set_up();
		turns = how;
		map(A, A + 3 * CHUNK + 7 * PAGE);
		map(A + 4 * CHUNK, A + 9 * CHUNK);
		ends_at = A + 2 * CHUNK + 100 * PAGE;
		CHECK_EQ(split(&got), -ENODATA);
		CHECK_EQ(early.addr, A + 2 * CHUNK);
		CHECK_EQ(early.nr_wanted, 65536);
		CHECK_EQ(early.nr_got, 100);
		ends_at = A + 3 * CHUNK;
		CHECK_EQ(split(&got), -ENODATA);
		CHECK_EQ(early.addr, A + 3 * CHUNK);
		CHECK_EQ(early.nr_wanted, 7);
		CHECK_EQ(early.nr_got, 0);
		CHECK(!got.slots);
	}
}

UNIT_MAIN_WITH(set_up, tear_down)
