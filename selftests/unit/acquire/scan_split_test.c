// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scanning in pieces must give the same result as scanning at once: each slot of a
 * mapping is scanned once, and the results are in order, whichever thread had them.
 */
#define _GNU_SOURCE
#include "acquire/scan_split.c"
#include "base/pieces.c"
#include "base/workers.c"

#include "support/build.h"
#include "support/unit.h"

#define A UINT64_C(0x7f0000000000)
#define MAX_VMAS 64

/*
 * Every third slot of a mapping shows something; @is_slow leaves time for a second
 * thread.
 */
static struct ptu_vmas mapped;
static bool is_slow;
static int fails_at = -1;
static atomic_int nr_calls;

static bool is_mapped(uint64_t slot)
{
	size_t i = ptu_vmas_find(&mapped, slot);

	return i < mapped.nr_vmas && mapped.vmas[i].start < slot + 2 * MIB;
}

static void burn_ns(uint64_t ns)
{
	uint64_t begin = cpu_ns();

	while (cpu_ns() - begin < ns)
		;
}

int ptu_scan_slots(int pagemap_fd, const struct ptu_geometry *geo,
		   uint64_t start, uint64_t end, struct ptu_scan *ret)
{
	uint64_t slot;

	/* what the kernel can do is known to every thread */
	if (!ret->caps.any_sees_empty)
		abort();
	if (is_slow)
		burn_ns(ALONE_NS / 4);
	if (atomic_fetch_add(&nr_calls, 1) == fails_at)
		return -EIO;
	for (slot = start; slot < end; slot += 2 * MIB) {
		if (!is_mapped(slot) || slot / (2 * MIB) % 3)
			continue;
		if (ret->nr_slots == ret->capacity) {
			ret->capacity = ret->capacity ? 2 * ret->capacity : 16;
			ret->slots = realloc(ret->slots,
					     ret->capacity *
						     sizeof(*ret->slots));
			if (!ret->slots)
				abort();
		}
		ret->slots[ret->nr_slots++] = (struct ptu_scan_slot){
			.start = slot,
		};
	}
	return 0;
}

void ptu_scan_deinit(struct ptu_scan *scan)
{
	free(scan->slots);
	memset(scan, 0, sizeof(*scan));
}

/* The mappings and the range that ptu_scan_split() gets. */
static struct build b;
static struct ptu_vma vmas[MAX_VMAS];
static size_t nr_vmas;
static uint64_t range_start;
static uint64_t range_end;

static void set_up(void)
{
	build_init(&b, 4, false);
	nr_vmas = 0;
	range_start = 0;
	range_end = UINT64_C(1) << 47;
	is_slow = false;
	fails_at = -1;
	nr_calls = 0;
}

static void tear_down(void)
{
	build_deinit(&b);
}

static void map(uint64_t start, uint64_t end)
{
	vmas[nr_vmas++] = (struct ptu_vma){ .start = start, .end = end };
}

static int scan(struct ptu_scan *ret)
{
	mapped = (struct ptu_vmas){ .vmas = vmas, .nr_vmas = nr_vmas };
	*ret = (struct ptu_scan){ .is_there = true,
				  .caps.any_sees_empty = true };
	return ptu_scan_split(-1, &b.geo, &mapped, range_start, range_end, ret);
}

/* Look up each slot of the mappings: the scan must have found exactly these, in order. */
static void check_all(void)
{
	struct ptu_scan got;
	uint64_t last = 0;
	size_t i, nr = 0;

	CHECK_EQ(scan(&got), 0);
	for (i = 0; i < nr_vmas; i++) {
		uint64_t slot = vmas[i].start / (2 * MIB) * (2 * MIB);

		if (slot < range_start)
			slot = range_start;
		for (; slot < vmas[i].end && slot < range_end;
		     slot += 2 * MIB) {
			if (slot / (2 * MIB) % 3 || (last && slot <= last))
				continue;
			CHECK(nr < got.nr_slots);
			CHECK_EQ(got.slots[nr].start, slot);
			last = slot;
			nr++;
		}
	}
	CHECK_EQ(got.nr_slots, nr);
	CHECK(got.is_there);
	CHECK(got.caps.any_sees_empty);
	ptu_scan_deinit(&got);
}

UNIT_TEST(small_mappings_are_one_piece)
{
	map(A + 4096, A + 8192);
	map(A + MIB, A + 3 * MIB);
	map(A + 40 * MIB, A + 41 * MIB);
	check_all();
	CHECK_EQ(nr_calls, 1);
}

UNIT_TEST(mappings_that_share_a_slot_are_asked_about_once)
{
	/* every third slot shows something: at one of the three borders it is the shared slot */
	for (unsigned int k = 0; k < 3; k++) {
		uint64_t at = A + k * 6 * GIB;
		uint64_t border = at + GIB + k * 2 * MIB + MIB;

		map(at, border);
		map(border, at + 2 * GIB);
	}
	check_all();
}

UNIT_TEST(a_large_mapping_is_cut_but_not_without_end)
{
	map(A, A + 64 * GIB + 6 * MIB);
	check_all();
	CHECK_EQ(nr_calls, VMA_PIECES);
}

UNIT_TEST(two_threads_find_the_same_slots_as_one)
{
	is_slow = true;
	for (unsigned int i = 0; i < 20; i++)
		map(A + i * GIB + i * 4096, A + i * GIB + i * 30 * MIB + MIB);
	check_all();
}

UNIT_TEST(split_scan_stays_in_the_range)
{
	range_start = A + 6 * MIB;
	range_end = A + GIB;
	map(A, A + 4 * GIB);
	check_all();
}

UNIT_TEST(without_mappings_there_is_no_scan)
{
	check_all();
	CHECK_EQ(nr_calls, 0);
}

UNIT_TEST(an_error_of_either_thread_is_an_error)
{
	int at;

	for (at = 0; at < VMA_PIECES; at++) {
		struct ptu_scan got;

		tear_down();
		set_up();
		is_slow = true;
		fails_at = at;
		map(A, A + 64 * GIB);
		CHECK_EQ(scan(&got), -EIO);
		CHECK_EQ(got.nr_slots, 0);
	}
}

UNIT_MAIN_WITH(set_up, tear_down)
