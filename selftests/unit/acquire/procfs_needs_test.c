// SPDX-License-Identifier: GPL-2.0-only
/*
 * An estimator states its needs, and these decide which files are read: maps, pagemap and
 * kpageflags.  smaps is read only if the pagemap has a slot that may be a huge page.
 */
#include "acquire/fake_evidence.h"

#define ALL_PAGEMAP "pagemap 0 ffffffffffffffff"

/* Each mapping is within the range of the evidence, or partly, or not at all. */
static bool is_long(uint64_t start, uint64_t end, uint64_t from, uint64_t to)
{
	struct ptu_vma vmas[] = { { .start = start, .end = end },
				  { .start = TASK_END, .end = TASK_END + 1 } };
	const struct ptu_evidence range = {
		.vmas = { .vmas = vmas, .nr_vmas = 2 }, .start = from, .end = to
	};

	return ptu_proc_reads_long(&range);
}

#define B UINT64_C(0x100000000000)
#define TIB_END (B + (UINT64_C(1) << 40))

UNIT_TEST(more_than_a_tib_takes_long)
{
	CHECK(!is_long(B, TIB_END, 0, TASK_END));
	CHECK(is_long(B, TIB_END + 1, 0, TASK_END));
	CHECK(is_long(B, TIB_END, 0, TASK_END + 1));
	/* a larger mapping of which the range has a TiB, and a byte more */
	CHECK(!is_long(B - SLOT, TIB_END + SLOT, B, TIB_END));
	CHECK(is_long(B - SLOT, TIB_END + SLOT, B, TIB_END + 1));
	CHECK(is_long(B - SLOT, TIB_END + SLOT, B - 1, TIB_END));
	/* it is below the range, and above it */
	CHECK(!is_long(B, TIB_END + 1, TIB_END + SLOT, TASK_END));
	CHECK(!is_long(B, TIB_END + 1, 0, B - SLOT));
}

UNIT_TEST(nothing_but_the_mappings_is_read_without_need)
{
	CHECK_EQ(read_all(0), 0);
	CHECK_STR(evidence.text, "maps; again; ");
	CHECK_EQ(e.vmas.nr_vmas, 1);
	CHECK_EQ(e.vmas.vmas[0].start, A);
	CHECK_EQ(e.start, 0);
	CHECK_EQ(e.end, UINT64_MAX);
	CHECK(e.geo == &four_levels);
}

UNIT_TEST(the_range_has_whole_slots)
{
	CHECK_EQ(read_range(0, A, A + SLOT), 0);
	CHECK_EQ(e.start, A);
	CHECK_EQ(e.end, A + SLOT);
	CHECK_EQ(read_range(0, A + SLOT - 1, A + SLOT + 1), 0);
	CHECK_EQ(e.start, A);
	CHECK_EQ(e.end, A + 2 * SLOT);
	/* the last slot of all addresses has no end that fits in 64 bits */
	CHECK_EQ(read_range(0, A, UINT64_MAX - SLOT), 0);
	CHECK_EQ(e.end, 0 - SLOT);
	CHECK_EQ(read_range(0, A, UINT64_MAX - SLOT + 1), 0);
	CHECK_EQ(e.end, UINT64_MAX);
}

UNIT_TEST(names_are_not_read_if_they_are_not_needed)
{
	CHECK_EQ(read_all(PTU_NEEDS_NO_NAMES), 0);
	CHECK_STR(evidence.text, "some; again; ");
	/* all of it may be [vsyscall], or the process is a zombie */
	evidence.some.nr = 0;
	CHECK_EQ(read_all(PTU_NEEDS_NO_NAMES), 0);
	CHECK_STR(evidence.text, "some; maps; again; ");
	evidence.some.error = -EACCES;
	CHECK_EQ(read_all(PTU_NEEDS_NO_NAMES), -EACCES);
	CHECK_STR(evidence.text, "some; ");
	fake.is_recording = true;
	CHECK_EQ(read_all(PTU_NEEDS_NO_NAMES), 0);
	CHECK_STR(evidence.text, "maps; again; ");
}

UNIT_TEST(mappings_that_cannot_be_read_end_the_attempt)
{
	evidence.maps.error = -EACCES;
	CHECK_EQ(read_all(PTU_NEEDS_PAGEMAP), -EACCES);
	CHECK_STR(evidence.text, "maps; ");
	evidence.maps.error = 0;
	evidence.again.error = -ESRCH;
	CHECK_EQ(read_all(PTU_NEEDS_PAGEMAP), -ESRCH);
	CHECK_STR(evidence.text, "maps; " ALL_PAGEMAP "; again; ");
}

UNIT_TEST(pagemap_is_read_in_the_range)
{
	evidence.slots[0].start = A;
	evidence.nr_slots = 1;
	CHECK_EQ(read_all(PTU_NEEDS_PAGEMAP), 0);
	CHECK_STR(evidence.text, "maps; " ALL_PAGEMAP "; again; ");
	CHECK_EQ(e.slots.nr_slots, 1);
	CHECK_EQ(e.slots.slots[0].start, A);
	CHECK_EQ(read_range(PTU_NEEDS_LEAVES, A + 1, A + SLOT), 0);
	CHECK_STR(evidence.text,
		  "maps; pagemap 7f0000000000 7f0000200000; again; ");
	CHECK_EQ(fake.nr_open[PAGEMAP], 0);
}

UNIT_TEST(a_large_pagemap_is_read_until_the_deadline)
{
	evidence.maps.vmas[0].start = B;
	evidence.maps.vmas[0].end = TIB_END;
	evidence.again = evidence.maps;
	CHECK_EQ(read_all(PTU_NEEDS_PAGEMAP), 0);
	CHECK_STR(evidence.text, "maps; " ALL_PAGEMAP "; again; ");
	evidence.maps.vmas[0].start -= 4096;
	evidence.again = evidence.maps;
	CHECK_EQ(read_all(PTU_NEEDS_PAGEMAP), 0);
	CHECK_STR(evidence.text, "maps; " ALL_PAGEMAP " until 5000; again; ");
}

UNIT_TEST(pagemap_is_refused)
{
	fake.open_error[PAGEMAP] = -EACCES;
	CHECK_EQ(read_all(PTU_NEEDS_PAGEMAP), -EACCES);
	CHECK_STR(err.text, "process 77: pagemap refused");
	CHECK_STR(evidence.text, "maps; ");
	fake.open_error[PAGEMAP] = 0;
	evidence.split_error = -EIO;
	CHECK_EQ(read_all(PTU_NEEDS_PAGEMAP), -EIO);
	CHECK_STR(err.text, "process 77: pagemap refused");
	CHECK_STR(evidence.text, "maps; " ALL_PAGEMAP "; ");
	CHECK_EQ(fake.nr_open[PAGEMAP], 0);
}

/* An exec replaces the memory, and the process remains. */
UNIT_TEST(a_pagemap_that_ends_early_is_read_again)
{
	struct reader r = { .proc = &fake_proc,
			    .evidence = { .geo = &four_levels },
			    .err = &err };

	evidence.maps.nr = 0;
	evidence.split_error = -ENODATA;
	evidence.end = (struct ptu_words_end){ .addr = A,
					       .nr_wanted = 512,
					       .nr_got = 3 };
	CHECK_EQ(read_pagemap(&r), -EAGAIN);
	CHECK_STR(err.text,
		  "process 77: pagemap ends after 3 of 512 entries from 0x7f0000000000 on");
	fake.same_error = -ESRCH;
	CHECK_EQ(read_pagemap(&r), -ESRCH);
	CHECK_EQ(read_all(PTU_NEEDS_PAGEMAP), -ESRCH);
	fake.same_error = 0;
	evidence.tries = 2;
	CHECK_EQ(read_all(PTU_NEEDS_PAGEMAP), -EAGAIN);
	CHECK_STR(err.text, "changed in 2 attempts");
}

/* Can a slot of 512 entries with these counts and flags be a single entry above? */
static bool leaf(uint64_t device, unsigned int present, unsigned int nonpresent,
		 unsigned int markers, unsigned int flags)
{
	struct ptu_vma vma = { .device = device };
	const struct ptu_evidence of_vma = { .geo = &four_levels,
					     .vmas = { &vma, 1 } };
	const struct ptu_slot slot = { .present = present,
				       .nonpresent = nonpresent,
				       .markers = markers,
				       .flags = flags };

	return may_be_leaf(&of_vma, &slot);
}

UNIT_TEST(a_slot_of_consecutive_frames_may_be_a_huge_page)
{
	CHECK(leaf(0, 512, 0, 0, PTU_SLOT_PFN_RUN));
	CHECK(leaf(0, 512, 0, 0, PTU_SLOT_PFN_HIDDEN));
	CHECK(!leaf(0, 512, 0, 0, 0));
	CHECK(!leaf(0, 512, 0, 0, PTU_SLOT_SWAP_RUN));
	CHECK(!leaf(0, 511, 0, 0, PTU_SLOT_PFN_RUN));
	CHECK(!leaf(0, 512, 0, 0, PTU_SLOT_PFN_RUN | PTU_SLOT_NOT_THP));
	CHECK(leaf(0, 512, 0, 0, PTU_SLOT_PFN_RUN | PTU_SLOT_THP));
}

UNIT_TEST(a_slot_of_swap_may_be_a_huge_page)
{
	CHECK(leaf(0, 0, 512, 0, PTU_SLOT_SWAP_RUN));
	CHECK(!leaf(0, 0, 512, 0, 0));
	CHECK(!leaf(0, 0, 512, 0, PTU_SLOT_PFN_RUN));
	CHECK(!leaf(0, 0, 511, 0, PTU_SLOT_SWAP_RUN));
}

UNIT_TEST(a_slot_of_markers_may_be_hugetlb)
{
	CHECK(leaf(5, 0, 0, 512, 0));
	CHECK(!leaf(0, 0, 0, 512, 0));
	CHECK(!leaf(5, 0, 0, 511, 0));
}

/* A slot that is no huge page, and one that may be. */
static const struct ptu_slot partial = { .start = A, .present = 1 };
static const struct ptu_slot full = { .start = A + SLOT,
				      .present = 512,
				      .flags = PTU_SLOT_PFN_HIDDEN };

UNIT_TEST(smaps_is_read_if_a_slot_may_be_a_huge_page)
{
	evidence.slots[0] = partial;
	evidence.slots[1] = full;
	evidence.nr_slots = 1;
	CHECK_EQ(read_all(PTU_NEEDS_LEAVES), 0);
	CHECK_STR(evidence.text, "maps; " ALL_PAGEMAP "; again; ");
	evidence.nr_slots = 2;
	evidence.smaps.vmas[0].has_smaps = true;
	evidence.smaps.vmas[0].flags = PTU_VM_HUGE;
	CHECK_EQ(read_all(PTU_NEEDS_PAGEMAP), 0);
	CHECK_STR(evidence.text, "maps; " ALL_PAGEMAP "; again; ");
	CHECK(!e.vmas.vmas[0].has_smaps);
	CHECK_EQ(read_all(PTU_NEEDS_LEAVES), 0);
	CHECK_STR(evidence.text, "maps; " ALL_PAGEMAP "; smaps; again; ");
	CHECK(e.vmas.vmas[0].has_smaps);
	CHECK_EQ(e.vmas.vmas[0].flags, PTU_VM_HUGE);
}

/* Read the pagemap, whose first slot is full and must be read together with smaps. */
static int read_smaps_too(unsigned int needs)
{
	evidence.slots[0] = full;
	evidence.nr_slots = 1;
	return read_all(needs | PTU_NEEDS_LEAVES);
}

UNIT_TEST(smaps_that_cannot_be_read_ends_the_attempt)
{
	evidence.smaps.error = -EACCES;
	CHECK_EQ(read_smaps_too(0), -EACCES);
	CHECK_STR(evidence.text, "maps; " ALL_PAGEMAP "; smaps; ");
}

UNIT_TEST(mappings_that_differ_in_smaps_have_changed)
{
	evidence.smaps.vmas[0].end += SLOT;
	CHECK_EQ(read_smaps_too(PTU_TAKES_CHANGES), 0);
	CHECK_EQ(e.changed.nr_spans, 1);
	CHECK_EQ(e.changed.spans[0].start, A + 2 * SLOT);
	CHECK_EQ(e.changed.spans[0].end, A + 3 * SLOT);
	CHECK_EQ(read_smaps_too(0), -EAGAIN);
}

/* Its pages may be huge pages of hugetlbfs, of which only smaps tells. */
UNIT_TEST(a_mapping_of_a_file_without_smaps_has_changed)
{
	struct ptu_vma file = { .start = A + 4 * SLOT,
				.end = A + 5 * SLOT,
				.device = 9,
				.perms = "rw-p" };

	evidence.maps.vmas[1] = file;
	evidence.maps.nr = 2;
	evidence.again = evidence.smaps = evidence.maps;
	evidence.smaps.vmas[0].has_smaps = true;
	evidence.smaps.vmas[1].has_smaps = true;
	CHECK_EQ(read_smaps_too(PTU_TAKES_CHANGES), 0);
	CHECK_EQ(e.changed.nr_spans, 0);
	/* neither mapping has smaps, but only the second one has a file */
	evidence.smaps.vmas[0].has_smaps = false;
	evidence.smaps.vmas[1].has_smaps = false;
	CHECK_EQ(read_smaps_too(PTU_TAKES_CHANGES), 0);
	CHECK_EQ(e.changed.nr_spans, 1);
	CHECK_EQ(e.changed.spans[0].start, A + 4 * SLOT);
	CHECK_EQ(e.changed.spans[0].end, A + 5 * SLOT);
}

UNIT_TEST(maps_and_smaps_of_a_recording_agree)
{
	fake.is_recording = true;
	CHECK_EQ(read_smaps_too(PTU_TAKES_CHANGES), 0);
	evidence.smaps.vmas[0].start += SLOT;
	evidence.smaps.vmas[0].end += SLOT;
	CHECK_EQ(read_smaps_too(PTU_TAKES_CHANGES), -EBADMSG);
	CHECK_STR(err.text,
		  "the recording is damaged: 77/maps and 77/smaps contradict each other, first at 0x7f0000000000");
	CHECK_STR(evidence.text, "maps; " ALL_PAGEMAP "; smaps; ");
}

/* The mappings that differ are found before the one of a file, which is lower. */
UNIT_TEST(changed_ranges_are_ascending)
{
	evidence.maps.vmas[1] = evidence.maps.vmas[0];
	evidence.maps.vmas[0].start -= 4 * SLOT;
	evidence.maps.vmas[0].end -= 4 * SLOT;
	evidence.maps.vmas[0].inode = 9;
	evidence.maps.nr = 2;
	evidence.again = evidence.smaps = evidence.maps;
	evidence.smaps.vmas[1].end += SLOT;
	CHECK_EQ(read_smaps_too(PTU_TAKES_CHANGES), 0);
	CHECK_EQ(e.changed.nr_spans, 2);
	CHECK_EQ(e.changed.spans[0].start, A - 4 * SLOT);
	CHECK_EQ(e.changed.spans[1].start, A + 2 * SLOT);
	fake.is_recording = true;
	CHECK_EQ(read_smaps_too(PTU_TAKES_CHANGES), -EBADMSG);
	CHECK(strstr(err.text, "first at 0x7effff800000"));
}

/* The bits of include/uapi/linux/kernel-page-flags.h */
#define HEAD (1u << 15)
#define TAIL (1u << 16)
#define HUGETLB (1u << 17)
#define NOPAGE (1u << 20)
#define THP (1u << 22)
#define ZERO_PAGE (1u << 24)
#define LRU (1u << 5)

UNIT_TEST(kpageflags_shows_large_folios)
{
	static const struct {
		unsigned int kpf, slot;
	} all[] = {
		{ LRU, PTU_SLOT_NOT_THP },
		{ HEAD | LRU, PTU_SLOT_THP },
		{ TAIL, PTU_SLOT_THP },
		{ HUGETLB, PTU_SLOT_THP },
		{ THP | LRU, PTU_SLOT_THP },
		{ THP | ZERO_PAGE, PTU_SLOT_ZERO },
		{ NOPAGE, 0 },
		{ NOPAGE | THP, 0 },
	};

	for (size_t i = 0; i < 8; i++) {
		evidence.slots[i] = (struct ptu_slot){
			.start = A + i * SLOT,
			.pfn = 512 * (i + 1),
			.flags = PTU_SLOT_PFN_RUN
		};
		frame_is(512 * (i + 1), all[i].kpf);
	}
	evidence.nr_slots = 8;
	CHECK_EQ(read_all(PTU_NEEDS_PAGEMAP), 0);
	for (size_t i = 0; i < 8; i++)
		CHECK_EQ(e.slots.slots[i].flags,
			 PTU_SLOT_PFN_RUN | all[i].slot);
	CHECK_EQ(fake.nr_reads[FLAGS], 8);
	CHECK_EQ(fake.nr_open[FLAGS], 0);
}

UNIT_TEST(kpageflags_is_read_for_consecutive_frames_only)
{
	evidence.slots[0] = full;
	evidence.slots[1] = full;
	evidence.slots[1].flags = PTU_SLOT_PFN_RUN;
	evidence.nr_slots = 2;
	fake.other_flags = LRU;
	CHECK_EQ(read_all(PTU_NEEDS_PAGEMAP), 0);
	CHECK_EQ(e.slots.slots[0].flags, PTU_SLOT_PFN_HIDDEN);
	CHECK_EQ(e.slots.slots[1].flags, PTU_SLOT_PFN_RUN | PTU_SLOT_NOT_THP);
	CHECK_EQ(fake.nr_reads[FLAGS], 1);
	/* no folio can be large, so smaps is not needed */
	evidence.slots[0] = evidence.slots[1];
	CHECK_EQ(read_all(PTU_NEEDS_LEAVES), 0);
	CHECK_STR(evidence.text, "maps; " ALL_PAGEMAP "; again; ");
}

UNIT_TEST(without_kpageflags_a_slot_may_still_be_a_huge_page)
{
	evidence.slots[0] = full;
	evidence.slots[0].flags = PTU_SLOT_PFN_RUN;
	evidence.nr_slots = 1;
	fake.open_error[FLAGS] = -EACCES;
	CHECK_EQ(read_all(PTU_NEEDS_LEAVES), 0);
	CHECK_EQ(e.slots.slots[0].flags, PTU_SLOT_PFN_RUN);
	CHECK_EQ(fake.nr_reads[FLAGS], 0);
	CHECK_STR(evidence.text, "maps; " ALL_PAGEMAP "; smaps; again; ");
	fake.open_error[FLAGS] = 0;
	fake.read_error[FLAGS] = -EIO;
	CHECK_EQ(read_all(PTU_NEEDS_LEAVES), 0);
	CHECK_EQ(e.slots.slots[0].flags, PTU_SLOT_PFN_RUN);
	CHECK_EQ(fake.nr_open[FLAGS], 0);
}

UNIT_MAIN_WITH(evidence_begin, evidence_end)
