// SPDX-License-Identifier: GPL-2.0-only
/* Finds where two readings of the mappings differ. */
#include "model/vma_changes.h"

#include "support/unit.h"

#define A UINT64_C(0x7f0000000000)
#define KIB UINT64_C(1024)

/* Anonymous memory; addresses in KiB from A. */
#define ANON(from, to, rights)                                                \
	{                                                                     \
		.start = A + (from)*KIB, .end = A + (to)*KIB, .perms = rights \
	}

#define VMAS(...)                                                      \
	&(struct ptu_vmas)                                             \
	{                                                              \
		.vmas = (struct ptu_vma[]){ __VA_ARGS__ },             \
		.nr_vmas = sizeof((struct ptu_vma[]){ __VA_ARGS__ }) / \
			   sizeof(struct ptu_vma)                      \
	}

/* @expected: pairs of start and end, in KiB from A. */
static void check(const struct ptu_vmas *a, const struct ptu_vmas *b,
		  const unsigned int *expected, size_t nr_expected)
{
	struct ptu_spans got = { 0 };

	CHECK_EQ(ptu_vmas_changes(a, b, 0, UINT64_MAX, &got), 0);
	ptu_spans_sort(&got);
	CHECK_EQ(got.nr_spans, nr_expected / 2);
	for (size_t i = 0; i < got.nr_spans; i++) {
		CHECK_EQ(got.spans[i].start, A + expected[2 * i] * KIB);
		CHECK_EQ(got.spans[i].end, A + expected[2 * i + 1] * KIB);
	}
	ptu_spans_deinit(&got);
}

#define CHECK_CHANGES(a, b, ...)                                         \
	do {                                                             \
		const unsigned int want[] = { __VA_ARGS__ };             \
		check(a, b, want, sizeof(want) / sizeof(*want));         \
		if (!unit_failed)                                        \
			check(b, a, want, sizeof(want) / sizeof(*want)); \
	} while (0)

UNIT_TEST(unchanged_mappings_have_no_change)
{
	CHECK_CHANGES(VMAS(ANON(0, 8, "rw-p"), ANON(12, 16, "r--p")),
		      VMAS(ANON(0, 8, "rw-p"), ANON(12, 16, "r--p")));
}

UNIT_TEST(grown_mapping_has_changed_in_its_new_part)
{
	CHECK_CHANGES(VMAS(ANON(0, 8, "rw-p")), VMAS(ANON(0, 20, "rw-p")), 8,
		      20);
	CHECK_CHANGES(VMAS(ANON(4, 8, "rw-p")), VMAS(ANON(0, 20, "rw-p")), 0, 4,
		      8, 20);
}

UNIT_TEST(split_or_merged_mappings_are_the_same_memory)
{
	CHECK_CHANGES(VMAS(ANON(0, 8, "rw-p"), ANON(8, 16, "rw-p")),
		      VMAS(ANON(0, 16, "rw-p")));
}

UNIT_TEST(other_rights_are_another_mapping)
{
	CHECK_CHANGES(VMAS(ANON(0, 16, "rw-p")),
		      VMAS(ANON(0, 4, "rw-p"), ANON(4, 8, "r--p"),
			   ANON(8, 16, "rw-p")),
		      4, 8);
}

UNIT_TEST(added_and_removed_mappings_are_changes)
{
	CHECK_CHANGES(VMAS(ANON(0, 4, "rw-p"), ANON(8, 12, "rw-p")),
		      VMAS(ANON(8, 12, "rw-p"), ANON(16, 20, "rw-p")), 0, 4, 16,
		      20);
	/* adjacent changes are one range */
	CHECK_CHANGES(VMAS(ANON(0, 4, "rw-p")), VMAS(ANON(4, 8, "rw-p")), 0, 8);
}

static struct ptu_vma of_file(uint64_t inode, uint64_t device,
			      uint64_t offset_bytes)
{
	struct ptu_vma vma = ANON(0, 8, "r--s");

	vma.inode = inode;
	vma.device = device;
	vma.offset_bytes = offset_bytes;
	return vma;
}

UNIT_TEST(mapping_of_another_file_or_offset_is_a_change)
{
	const struct ptu_vma file = of_file(5, 1, 4096);

	CHECK_CHANGES(VMAS(file), VMAS(of_file(5, 1, 4096)));
	CHECK_CHANGES(VMAS(file), VMAS(of_file(6, 1, 4096)), 0, 8);
	CHECK_CHANGES(VMAS(file), VMAS(of_file(5, 2, 4096)), 0, 8);
	CHECK_CHANGES(VMAS(file), VMAS(of_file(5, 1, 8192)), 0, 8);
	/* System V shared memory with the ID 0 */
	CHECK_CHANGES(VMAS(of_file(0, 1, 4096)), VMAS(of_file(0, 1, 8192)), 0,
		      8);
}

/*
 * The second half of a mapping as a mapping of its own: it maps the same part of the
 * file.
 */
UNIT_TEST(split_file_mapping_is_no_change)
{
	struct ptu_vma first = of_file(5, 1, 4096), second = first;

	first.end = second.start = A + 4 * KIB;
	second.offset_bytes = 4096 + 4 * KIB;
	CHECK_CHANGES(VMAS(of_file(5, 1, 4096)), VMAS(first, second));
}

UNIT_TEST(vsyscall_in_only_one_reading_is_no_change)
{
	const struct ptu_vma vsyscall = { .start = 0xffffffffff600000,
					  .end = 0xffffffffff601000,
					  .perms = "--xp" };

	CHECK_CHANGES(VMAS(ANON(0, 4, "rw-p"), vsyscall),
		      VMAS(ANON(0, 4, "rw-p")));
}

UNIT_TEST(changes_outside_the_requested_range_are_ignored)
{
	struct ptu_spans got = { 0 };

	CHECK_EQ(ptu_vmas_changes(VMAS(ANON(0, 100, "rw-p")),
				  VMAS(ANON(0, 100, "r--p")), A + 8 * KIB,
				  A + 12 * KIB, &got),
		 0);
	CHECK_EQ(got.nr_spans, 1);
	CHECK_EQ(got.spans[0].start, A + 8 * KIB);
	CHECK_EQ(got.spans[0].end, A + 12 * KIB);
	ptu_spans_deinit(&got);
}

UNIT_TEST(spans_are_found_by_their_edges)
{
	struct ptu_spans spans = { 0 };

	CHECK_EQ(ptu_spans_add(&spans, 300, 400), 0);
	CHECK_EQ(ptu_spans_add(&spans, 100, 200), 0);
	CHECK_EQ(ptu_spans_add(&spans, 350, 450), 0);
	CHECK_EQ(ptu_spans_add(&spans, 500, 500), 0);
	ptu_spans_sort(&spans);
	CHECK_EQ(spans.nr_spans, 2);
	CHECK(!ptu_spans_touch(&spans, 0, 100));
	CHECK(ptu_spans_touch(&spans, 0, 101));
	CHECK(ptu_spans_touch(&spans, 199, 200));
	CHECK(!ptu_spans_touch(&spans, 200, 300));
	CHECK(ptu_spans_touch(&spans, 120, 130));
	CHECK(ptu_spans_touch(&spans, 449, 1000));
	CHECK(!ptu_spans_touch(&spans, 450, 1000));
	ptu_spans_deinit(&spans);
}

UNIT_MAIN
