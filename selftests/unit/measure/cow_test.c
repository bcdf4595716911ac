// SPDX-License-Identifier: GPL-2.0-only
/* The pages that `cow` lists because two sources disagree. */
#include "measure/cow.c"

#include "support/unit.h"

UNIT_TEST(the_first_pages_that_differ_are_kept)
{
	struct ptu_cow_report report = { 0 };
	const struct reading reading = { .report = &report };
	const struct ptu_cow_verdict verdict = { .kind = PTU_COW_COPIED,
						 .by_flags = PTU_COW_SHARED };
	const struct ptu_page page = { .word = 42 };

	for (uint64_t i = 0; i < PTU_COW_SAMPLES + 2; i++) {
		keep_sample(&reading, (i + 1) * 4096, &page, &verdict);
		CHECK_EQ(report.nr_samples,
			 i < PTU_COW_SAMPLES ? i + 1 : PTU_COW_SAMPLES);
	}
	for (uint64_t i = 0; i < PTU_COW_SAMPLES; i++) {
		CHECK_EQ(report.samples[i].addr, (i + 1) * 4096);
		CHECK_EQ(report.samples[i].kind, PTU_COW_COPIED);
		CHECK_EQ(report.samples[i].by_flags, PTU_COW_SHARED);
		CHECK_EQ(report.samples[i].page.word, 42);
	}
}

UNIT_MAIN
