// SPDX-License-Identifier: GPL-2.0-only
/* Frames are found again whatever their numbers, and the memory use has a bound. */
#include "compare/frame_table.h"

#include "support/unit.h"

static uint64_t sum, nr;

static void take(void *arg, struct ptu_frame_use *frame)
{
	sum += frame->in_set;
	nr++;
}

/* Store a number for each frame, then look the frames up in another order. */
static bool keeps(uint64_t (*number)(uint64_t i), uint64_t nr_frames)
{
	struct ptu_frame_uses frames = { 0 };
	bool ok = true;
	uint64_t i;

	for (i = 0; i < nr_frames; i++) {
		struct ptu_frame_use *frame = ptu_frame_uses_get(&frames,
								 number(i));

		ok &= frame && !frame->in_set;
		if (frame)
			frame->in_set = (uint32_t)i + 1;
	}
	for (i = nr_frames; i--;) {
		struct ptu_frame_use *frame = ptu_frame_uses_get(&frames,
								 number(i));

		ok &= frame && frame->in_set == i + 1;
	}
	sum = nr = 0;
	ptu_frame_uses_each(&frames, take, NULL);
	ok &= sum == nr_frames * (nr_frames + 1) / 2;
	ok &= nr == frames.nr_chunks * PTU_FRAME_USES_CHUNK;
	ptu_frame_uses_deinit(&frames);
	return ok && !frames.slots && !frames.nr_chunks;
}

static uint64_t dense(uint64_t i)
{
	return i;
}

static uint64_t by_huge_pages(uint64_t i)
{
	return i * 512 + 511;
}

static uint64_t by_hash_slots(uint64_t i)
{
	return i << 40;
}

static uint64_t at_the_top(uint64_t i)
{
	return (UINT64_C(1) << 55) - 1 - i;
}

UNIT_TEST(frames_are_found_again)
{
	CHECK(keeps(dense, 100000));
	CHECK(keeps(by_huge_pages, 20000));
	CHECK(keeps(by_hash_slots, 20000));
	CHECK(keeps(at_the_top, 1000));
}

UNIT_TEST(empty_set_has_no_frames)
{
	struct ptu_frame_uses frames = { 0 };

	nr = 0;
	ptu_frame_uses_each(&frames, take, NULL);
	CHECK_EQ(nr, 0);
	ptu_frame_uses_deinit(&frames);
}

UNIT_TEST(looking_for_a_frame_adds_none)
{
	struct ptu_frame_uses frames = { 0 };
	struct ptu_frame_use *chunk;
	uint64_t number = 0;
	size_t at = 0;

	CHECK(!ptu_frame_uses_find(&frames, 130));
	CHECK(ptu_frame_uses_get(&frames, 130));
	CHECK(ptu_frame_uses_find(&frames, 130) ==
	      ptu_frame_uses_get(&frames, 130));
	CHECK(ptu_frame_uses_find(&frames, 191));
	CHECK(!ptu_frame_uses_find(&frames, 192));
	CHECK(!ptu_frame_uses_find(&frames, 127));
	CHECK_EQ(frames.nr_chunks, 1);
	chunk = ptu_frame_uses_chunk(&frames, &at, &number);
	CHECK_EQ(number, 128);
	CHECK(chunk && chunk + 2 == ptu_frame_uses_find(&frames, 130));
	CHECK(!ptu_frame_uses_chunk(&frames, &at, &number));
	ptu_frame_uses_deinit(&frames);
}

/* A frame takes 16 bytes, and 64 frames at most 4 slots of 16 bytes. */
UNIT_TEST(memory_is_bounded)
{
	struct ptu_frame_uses frames = { 0 };
	uint64_t i;

	for (i = 0; i < 1000000; i++)
		CHECK(ptu_frame_uses_get(&frames, i));
	CHECK_EQ(frames.nr_chunks, 15625);
	CHECK(frames.nr_slots <= 4 * frames.nr_chunks);
	CHECK(frames.nr_slots >= 2 * frames.nr_chunks);
	CHECK_EQ(sizeof(struct ptu_frame_use), 16);
	ptu_frame_uses_deinit(&frames);
}

UNIT_MAIN
