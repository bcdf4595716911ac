// SPDX-License-Identifier: GPL-2.0-only
/* The head of a large folio is found from any of its pages, and from no other page. */
#include "acquire/fake_words.h"

#define HEAD (PTU_KPF_COMPOUND_HEAD | PTU_KPF_THP)
#define TAIL (PTU_KPF_COMPOUND_TAIL | PTU_KPF_THP)
#define NO_FOLIO PTU_KPF_ANON
#define UNTOUCHED 42

static const struct ptu_pages files = {
	.flags.fd = FIRST_FD + FLAGS,
	.counts.fd = FIRST_FD + COUNTS,
};

static struct ptu_err err;

static void set_up(void)
{
	fake = (struct fake){ .other_flags = TAIL };
	err.text[0] = '\0';
}

/* Return the flags of the head; -1: the search failed. */
static uint64_t head_of(uint64_t pfn)
{
	uint64_t flags = UNTOUCHED;

	return ptu_pages_head(&files, pfn, &flags, &err) ? UINT64_MAX : flags;
}

/* Each page of a folio of 2^@order pages leads to its head. */
static void folio_has_head(unsigned int order)
{
	const uint64_t pages = UINT64_C(1) << order;
	const uint64_t first = 3 * pages;
	uint64_t pfn;

	set_up();
	frame_is(first, HEAD | order);
	for (pfn = first + 1; pfn<first + pages; pfn += order> 10 ? 1021 : 1)
		CHECK_EQ(head_of(pfn), HEAD | order);
	CHECK_EQ(head_of(first + pages - 1), HEAD | order);
}

UNIT_TEST(head_of_each_size_is_found)
{
	unsigned int order;

	/* the largest one has 1 GiB */
	for (order = 1; order <= 18; order++)
		folio_has_head(order);
}

/* Adjacent folios of 4 pages: each page leads to the head of its own folio. */
UNIT_TEST(head_of_another_folio_is_not_taken)
{
	frame_is(64, HEAD | 1);
	frame_is(68, HEAD | 2);
	frame_is(72, HEAD | 3);
	CHECK_EQ(head_of(71), HEAD | 2);
	CHECK_EQ(head_of(69), HEAD | 2);
	CHECK_EQ(head_of(67), HEAD | 1);
}

/* The folio was split: the pages below this page belong to no folio. */
UNIT_TEST(a_page_that_has_left_its_folio_has_no_head)
{
	frame_is(64, HEAD);
	frame_is(66, NO_FOLIO);
	CHECK_EQ(head_of(67), 0);
	CHECK_EQ(head_of(65), HEAD);
}

UNIT_TEST(unreadable_flags_are_an_error)
{
	uint64_t flags = UNTOUCHED, pfn = UNTOUCHED;

	fake.read_error[FLAGS] = -EIO;
	CHECK_EQ(ptu_pages_head(&files, 67, &flags, &err), -EIO);
	CHECK_STR(err.text, "cannot read /proc/kpageflags: Input/output error");
	CHECK_EQ(flags, 0);
	err.text[0] = '\0';
	CHECK_EQ(ptu_pages_file_head(&files, 67, &pfn, &flags, &err), -EIO);
	CHECK_STR(err.text, "cannot read /proc/kpageflags: Input/output error");
	CHECK_EQ(flags, 0);
	CHECK_EQ(pfn, UNTOUCHED);
	/* in a recording, each word between page and head must exist */
	fake.read_error[FLAGS] = 0;
	fake.unknown[FLAGS] = 66;
	CHECK_EQ(ptu_pages_head(&files, 67, &flags, &err), -EBADMSG);
	CHECK_EQ(ptu_pages_file_head(&files, 67, &pfn, &flags, &err), 0);
}

static void file_head_is(uint64_t pfn, uint64_t expected,
			 uint64_t expected_flags)
{
	uint64_t flags = UNTOUCHED, head = UNTOUCHED;

	CHECK_EQ(ptu_pages_file_head(&files, pfn, &head, &flags, &err), 0);
	CHECK_EQ(head, expected);
	CHECK_EQ(flags, expected_flags);
	CHECK_STR(err.text, "");
}

/* The nearest head below the page, or the page itself, within 512 pages. */
UNIT_TEST(head_of_a_file_folio_is_found)
{
	frame_is(1000, HEAD | 1);
	frame_is(1004, HEAD | 2);
	file_head_is(1003, 1000, HEAD | 1);
	file_head_is(1004, 1004, HEAD | 2);
	file_head_is(1005, 1004, HEAD | 2);
	file_head_is(1004 + 511, 1004, HEAD | 2);
	file_head_is(1004 + 512, UNTOUCHED, 0);
	file_head_is(999, UNTOUCHED, 0);
}

/* Below frame 512 there are fewer frames than a folio has. */
UNIT_TEST(head_of_a_file_folio_is_found_at_the_start_of_memory)
{
	frame_is(0, HEAD | 1);
	file_head_is(0, 0, HEAD | 1);
	file_head_is(1, 0, HEAD | 1);
	file_head_is(511, 0, HEAD | 1);
	file_head_is(512, UNTOUCHED, 0);
}

/* kpageflags ends: the frames behind its end have no page. */
UNIT_TEST(head_of_a_file_folio_is_found_at_the_end_of_memory)
{
	frame_is(1000, HEAD | 1);
	fake.end[FLAGS] = 1001;
	file_head_is(1003, 1000, HEAD | 1);
	fake.end[FLAGS] = 1000;
	file_head_is(1003, UNTOUCHED, 0);
	fake.end[FLAGS] = 1;
	file_head_is(1003, UNTOUCHED, 0);
}

UNIT_MAIN_WITH(set_up, NULL)
