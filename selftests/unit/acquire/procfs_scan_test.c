// SPDX-License-Identifier: GPL-2.0-only
/* The requests of PAGEMAP_SCAN that ptaudit makes, and the answers after which it reads smaps. */
#include "acquire/fake_evidence.h"
#include "support/stdin.h"

#define ALL " 0 7ffffffff000; "
#define HUGE_AT(addr)                                           \
	{                                                       \
		.start = (addr), .first = (addr), .huge = true, \
		.populated = true                               \
	}
#define PAGE_AT(addr)                                               \
	{                                                           \
		.start = (addr), .first = (addr), .populated = true \
	}
#define EMPTY_AT(addr)                           \
	{                                        \
		.start = (addr), .first = (addr) \
	}

#define SCAN(...)                                                      \
	do {                                                           \
		const struct ptu_scan_slot slots_[] = { __VA_ARGS__ }; \
                                                                       \
		memcpy(evidence.scan, slots_, sizeof(slots_));         \
		evidence.nr_scan = sizeof(slots_) / sizeof(slots_[0]); \
	} while (0)

UNIT_TEST(the_user_half_is_scanned_except_its_last_page)
{
	SCAN(PAGE_AT(A), PAGE_AT(A + SLOT));
	CHECK_EQ(read_all(PTU_NEEDS_SCAN), 0);
	CHECK_STR(evidence.text,
		  "maps; calibrate; open; scan" ALL "settle to open; again; ");
	CHECK(e.scan.is_there);
	CHECK_EQ(e.scan.nr_slots, 2);
	CHECK_EQ(e.scan.slots[1].start, A + SLOT);
	CHECK_EQ(read_range(PTU_NEEDS_SCAN, A + SLOT, A + 2 * SLOT), 0);
	CHECK_STR(evidence.text,
		  "maps; calibrate; open; scan 7f0000200000 7f0000400000; settle to open; again; ");
	/* the end of the user half is the end of a slot */
	CHECK_EQ(read_range(PTU_NEEDS_SCAN, A, TASK_END + 4096), 0);
	CHECK_STR(evidence.text,
		  "maps; calibrate; open; scan 7f0000000000 7ffffffff000; settle to open; again; ");
}

UNIT_TEST(a_kernel_without_pagemap_scan_is_no_error)
{
	evidence.calibrate = 0;
	CHECK_EQ(read_all(PTU_NEEDS_SCAN), 0);
	CHECK_STR(evidence.text, "maps; calibrate; again; ");
	CHECK(!e.scan.is_there);
	evidence.calibrate = -ENOMEM;
	CHECK_EQ(read_all(PTU_NEEDS_SCAN), -ENOMEM);
	CHECK_STR(evidence.text, "maps; calibrate; ");
}

UNIT_TEST(each_need_has_its_requests)
{
	CHECK_EQ(read_all(PTU_NEEDS_SCAN | PTU_NEEDS_COUNTS), 0);
	CHECK_STR(evidence.text, "maps; calibrate; open; scan" ALL
				 "count 7ffffffff000; settle to open; again; ");
	CHECK_EQ(read_all(PTU_NEEDS_SCAN | PTU_NEEDS_POPULATED), 0);
	CHECK_STR(evidence.text,
		  "maps; calibrate; open; scan" ALL "settle all; again; ");
	CHECK_EQ(read_all(PTU_NEEDS_SCAN | PTU_NEEDS_EMPTY), 0);
	CHECK_STR(evidence.text, "maps; calibrate; open; scan" ALL
				 "settle to open; settle few; again; ");
}

/* Holes under userfaultfd-wp look like empty tables, so they matter only if a slot seems empty. */
UNIT_TEST(userfaultfd_is_looked_for_if_a_slot_seems_empty)
{
	SCAN(PAGE_AT(A), HUGE_AT(A + SLOT));
	CHECK_EQ(read_all(PTU_NEEDS_SCAN), 0);
	CHECK(!strstr(evidence.text, "wp"));
	/* a hugetlb mapping without a page */
	evidence.scan[1].populated = false;
	CHECK_EQ(read_all(PTU_NEEDS_SCAN), 0);
	CHECK(!strstr(evidence.text, "wp"));
	SCAN(EMPTY_AT(A), PAGE_AT(A + SLOT));
	CHECK_EQ(read_all(PTU_NEEDS_SCAN), 0);
	CHECK(strstr(evidence.text, "wp; "));
	SCAN(PAGE_AT(A), EMPTY_AT(A + SLOT));
	CHECK_EQ(read_all(PTU_NEEDS_SCAN), 0);
	CHECK_STR(evidence.text, "maps; calibrate; open; scan" ALL
				 "wp; settle to open; again; ");
}

UNIT_TEST(errors_of_the_scan_end_the_attempt)
{
	evidence.scan_error = -EIO;
	CHECK_EQ(read_all(PTU_NEEDS_SCAN | PTU_NEEDS_COUNTS), -EIO);
	CHECK_STR(evidence.text, "maps; calibrate; open; scan" ALL);
	CHECK_STR(err.text, "PAGEMAP_SCAN failed: Input/output error");
	evidence.scan_error = -ESRCH;
	CHECK_EQ(read_all(PTU_NEEDS_SCAN), -ESRCH);
	CHECK_STR(err.text, "process 77: pagemap refused");
	evidence.scan_error = 0;
	evidence.count_error = -EIO;
	CHECK_EQ(read_all(PTU_NEEDS_SCAN | PTU_NEEDS_COUNTS), -EIO);
	CHECK_STR(evidence.text,
		  "maps; calibrate; open; scan" ALL "count 7ffffffff000; ");
	evidence.count_error = 0;
	evidence.settle_error = -EIO;
	evidence.settle_failing = PTU_SETTLE_TO_OPEN;
	CHECK_EQ(read_all(PTU_NEEDS_SCAN | PTU_NEEDS_EMPTY), -EIO);
	CHECK_STR(evidence.text,
		  "maps; calibrate; open; scan" ALL "settle to open; ");
	evidence.settle_failing = PTU_SETTLE_FEW;
	CHECK_EQ(read_all(PTU_NEEDS_SCAN | PTU_NEEDS_EMPTY), -EIO);
	evidence.open_error = -EACCES;
	CHECK_EQ(read_all(PTU_NEEDS_SCAN), -EACCES);
	CHECK_STR(evidence.text, "maps; calibrate; open; ");
	CHECK_STR(err.text, "process 77: pagemap refused");
}

/* The descriptor of an earlier attempt would be lower. */
UNIT_TEST(pagemap_is_closed_after_the_scan)
{
	int before = open("/dev/null", O_RDONLY | O_CLOEXEC), after;

	close(before);
	SCAN(HUGE_AT(A));
	evidence.maps.vmas[0].inode = 9;
	evidence.again = evidence.smaps = evidence.maps;
	evidence.smaps.vmas[0].has_smaps = true;
	CHECK_EQ(read_all(PTU_NEEDS_SCAN), 0);
	CHECK(strstr(evidence.text, "settle protected"));
	after = open("/dev/null", O_RDONLY | O_CLOEXEC);
	close(after);
	CHECK_EQ(after, before);
}

UNIT_TEST(pagemap_is_scanned_although_standard_input_is_closed)
{
	int copy, error;

	SCAN(HUGE_AT(A));
	evidence.maps.vmas[0].inode = 9;
	evidence.again = evidence.smaps = evidence.maps;
	evidence.smaps.vmas[0].has_smaps = true;
	copy = stdin_close();
	error = read_all(PTU_NEEDS_SCAN);
	stdin_restore(copy);
	CHECK_EQ(error, 0);
	CHECK_STR(evidence.text,
		  "maps; calibrate; open; scan" ALL
		  "settle to open; smaps; open; settle protected; again; ");
}

UNIT_TEST(the_scan_of_a_recording_is_replayed)
{
	fake.is_recording = true;
	SCAN(PAGE_AT(A));
	CHECK_EQ(read_range(PTU_NEEDS_SCAN, 0, A + SLOT), 0);
	CHECK_STR(evidence.text,
		  "maps; calibrate; replay 0 7f0000200000; again; ");
	CHECK(e.scan.is_there);
	CHECK_EQ(e.scan.nr_slots, 1);
	evidence.replay_error = -EBADMSG;
	CHECK_EQ(read_all(PTU_NEEDS_SCAN), -EBADMSG);
}

/* Is smaps read? */
static bool wants_smaps(void)
{
	if (read_all(PTU_NEEDS_SCAN))
		UNIT_FAIL("it cannot be read: %s", err.text);
	return strstr(evidence.text, "smaps; ") != NULL;
}

UNIT_TEST(a_huge_page_of_a_file_may_be_hugetlb)
{
	SCAN(PAGE_AT(A), HUGE_AT(A + SLOT));
	CHECK(!wants_smaps());
	/* System V shared memory with the ID 0 has the inode 0 */
	evidence.maps.vmas[0].device = 9;
	evidence.again = evidence.smaps = evidence.maps;
	evidence.smaps.vmas[0].has_smaps = true;
	CHECK(wants_smaps());
	CHECK_STR(evidence.text,
		  "maps; calibrate; open; scan" ALL
		  "settle to open; smaps; open; settle protected; again; ");
	/* only pages, in the same mapping */
	SCAN(PAGE_AT(A), PAGE_AT(A + SLOT));
	CHECK(!wants_smaps());
}

UNIT_TEST(a_huge_page_behind_all_mappings_needs_no_smaps)
{
	const struct ptu_scan_slot slot = HUGE_AT(A + 2 * SLOT);

	evidence.maps.vmas[0].inode = 9;
	evidence.again = evidence.maps;
	SCAN(slot);
	evidence.tries = 1;
	CHECK_EQ(read_all(PTU_NEEDS_SCAN | PTU_TAKES_CHANGES), 0);
	CHECK(!strstr(evidence.text, "smaps"));
	/* its mapping is unknown, so it is left out */
	CHECK_EQ(e.scan.nr_slots, 0);
	CHECK_EQ(e.changed.nr_spans, 1);
	CHECK_EQ(e.changed.spans[0].start, A + 2 * SLOT);
	CHECK_EQ(e.changed.spans[0].end, A + 3 * SLOT);
}

/* Every slot of the mapping is shown, so it may be registered. */
UNIT_TEST(an_empty_slot_may_be_a_hole_under_userfaultfd)
{
	SCAN(PAGE_AT(A), EMPTY_AT(A + SLOT));
	CHECK(!wants_smaps());
	evidence.wp_hole_is_seen = true;
	CHECK(wants_smaps());
	/* the kernel does not show the first slot, so it shows no holes: the other one is a table */
	SCAN(EMPTY_AT(A + SLOT));
	CHECK(!wants_smaps());
	SCAN(EMPTY_AT(A), EMPTY_AT(A + SLOT));
	CHECK(wants_smaps());
	SCAN(PAGE_AT(A), PAGE_AT(A + SLOT));
	CHECK(!wants_smaps());
}

UNIT_TEST(slots_that_smaps_shows_as_protected_are_scanned_again)
{
	evidence.wp_hole_is_seen = true;
	SCAN(PAGE_AT(A), EMPTY_AT(A + SLOT));
	evidence.settle_error = -EIO;
	evidence.settle_failing = PTU_SETTLE_PROTECTED;
	CHECK_EQ(read_all(PTU_NEEDS_SCAN), -EIO);
	CHECK_STR(err.text, "PAGEMAP_SCAN failed: Input/output error");
	evidence.settle_error = 0;
	fake.is_recording = true;
	CHECK_EQ(read_all(PTU_NEEDS_SCAN), 0);
	CHECK_STR(evidence.text,
		  "maps; calibrate; replay" ALL "smaps; again; ");
}

/* Without a scan there is nothing to scan again. */
UNIT_TEST(smaps_alone_needs_no_scan)
{
	evidence.slots[0] = (struct ptu_slot){ .start = A,
					       .present = 512,
					       .flags = PTU_SLOT_PFN_HIDDEN };
	evidence.nr_slots = 1;
	CHECK_EQ(read_all(PTU_NEEDS_LEAVES), 0);
	CHECK(strstr(evidence.text, "smaps; again; "));
}

UNIT_TEST(the_pagemap_is_refused_when_it_is_scanned_again)
{
	struct reader r = { .proc = &fake_proc,
			    .evidence = { .scan = { .is_there = true } },
			    .err = &err };

	evidence.open_error = -EACCES;
	CHECK_EQ(settle_protected(&r), -EACCES);
	CHECK_STR(err.text, "process 77: pagemap refused");
	CHECK_STR(evidence.text, "open; ");
}

/* In a recording, nothing was mapped and unmapped meanwhile. */
UNIT_TEST(a_recorded_huge_page_is_never_unplaced)
{
	fake.is_recording = true;
	SCAN(HUGE_AT(A + 2 * SLOT));
	CHECK_EQ(read_all(PTU_NEEDS_SCAN), 0);
	CHECK_EQ(e.scan.nr_slots, 1);
}

/* The gap before the mapping belongs to no mapping either. */
UNIT_TEST(a_huge_page_below_a_mapping_is_unplaced)
{
	SCAN(HUGE_AT(A - SLOT), HUGE_AT(A));
	CHECK_EQ(read_all(PTU_NEEDS_SCAN), -EAGAIN);
	CHECK_STR(err.text, "changed in 1 attempts");
	CHECK_EQ(read_all(PTU_NEEDS_SCAN | PTU_TAKES_CHANGES), 0);
	CHECK_EQ(e.scan.nr_slots, 1);
	CHECK_EQ(e.scan.slots[0].start, A);
}

/* The message of an attempt that failed does not remain. */
UNIT_TEST(an_attempt_begins_without_a_message)
{
	strcpy(err.text, "an earlier one");
	CHECK_EQ(read_all(0), 0);
	CHECK_STR(err.text, "");
	evidence_end();
	CHECK_EQ(ptu_proc_evidence(&fake_proc, &four_levels, 0, 0, UINT64_MAX,
				   &e, NULL),
		 0);
}

UNIT_MAIN_WITH(evidence_begin, evidence_end)
