// SPDX-License-Identifier: GPL-2.0-only
/* A set of page frames, however far apart they are. */
#include "model/frame_set.h"

#include <errno.h>
#include <sys/resource.h>

#include "support/unit.h"

UNIT_TEST(a_set_has_the_frames_that_were_added)
{
	struct ptu_frame_set set = { 0 };

	CHECK(!ptu_frame_set_has(&set, 0));
	CHECK_EQ(ptu_frame_set_add(&set, 63), 0);
	CHECK_EQ(ptu_frame_set_add(&set, 64), 0);
	CHECK_EQ(ptu_frame_set_add(&set, 63), 1);
	CHECK_EQ(ptu_frame_set_add(&set, 1 << 20), 0);
	CHECK_EQ(ptu_frame_set_add(&set, UINT64_MAX), -ERANGE);
	CHECK_EQ(set.nr, 3);
	CHECK(ptu_frame_set_has(&set, 63));
	CHECK(ptu_frame_set_has(&set, 64));
	CHECK(!ptu_frame_set_has(&set, 62));
	CHECK(!ptu_frame_set_has(&set, 65));
	CHECK(ptu_frame_set_has(&set, 1 << 20));
	CHECK(!ptu_frame_set_has(&set, UINT64_MAX));
	ptu_frame_set_remove(&set, 64);
	CHECK(!ptu_frame_set_has(&set, 64));
	CHECK_EQ(set.nr, 2);
	ptu_frame_set_clear(&set);
	CHECK_EQ(set.nr, 0);
	CHECK(!ptu_frame_set_has(&set, 63));
	ptu_frame_set_deinit(&set);
}

static long most_kib(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss;
}

/* As of a device, whose memory begins at 16 TiB, and at the end of 52 bits. */
UNIT_TEST(frames_far_above_ram_take_little_memory)
{
	struct ptu_frame_set set = { 0 };
	const uint64_t device = UINT64_C(1) << 32,
		       last = (UINT64_C(1) << 40) - 1;
	const long before = most_kib();

	CHECK_EQ(ptu_frame_set_add(&set, device), 0);
	CHECK_EQ(ptu_frame_set_add(&set, 5), 0);
	CHECK(ptu_frame_set_has(&set, device));
	/* a bit for each frame below it would be 512 MiB */
	CHECK(most_kib() - before < 128 << 10);
	CHECK_EQ(ptu_frame_set_add(&set, last), 0);
	CHECK(most_kib() - before < 128 << 10);
	CHECK_EQ(ptu_frame_set_add(&set, last + 1), -ERANGE);
	CHECK(ptu_frame_set_has(&set, 5) && ptu_frame_set_has(&set, device) &&
	      ptu_frame_set_has(&set, last));
	CHECK(!ptu_frame_set_has(&set, device - 1) &&
	      !ptu_frame_set_has(&set, last + 1));
	CHECK_EQ(ptu_frame_set_add(&set, last), 1);
	CHECK_EQ(set.nr, 3);
	CHECK(ptu_frame_set_end(&set) > last);
	ptu_frame_set_clear(&set);
	CHECK(!ptu_frame_set_has(&set, 5) && !ptu_frame_set_has(&set, last));
	CHECK_EQ(set.nr, 0);
	ptu_frame_set_deinit(&set);
}

UNIT_MAIN
