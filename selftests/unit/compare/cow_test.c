// SPDX-License-Identifier: GPL-2.0-only
/* Which words of pagemap, kpageflags and kpagecount identify a page as a copy. */
#include "compare/cow.h"

#include "support/unit.h"

/* Bit numbers from pagemap.rst, defined independently of the tool's code. */
#define BIT(n) (UINT64_C(1) << (n))
#define WP BIT(57)
#define GUARD BIT(58)
#define FILE_PAGE BIT(61)
#define SWAP BIT(62)
#define PRESENT BIT(63)
#define EXCLUSIVE BIT(56)
#define SOFT_DIRTY BIT(55)
#define KPF_MMAP BIT(11)
#define KPF_ANON BIT(12)
#define KPF_SWAPBACKED BIT(14)
#define KPF_HUGE BIT(17)
#define KPF_NOPAGE BIT(20)
#define KPF_THP BIT(22)
#define KPF_ZERO BIT(24)
#define KPF_RESERVED BIT(32)

static const struct ptu_cow_known nothing = { 0 };
static const struct ptu_cow_known pfnzero = { .pfnzero = true };
static const struct ptu_cow_known root_old = { .types = true, .flags = true };
static const struct ptu_cow_known root_new = { .pfnzero = true,
					       .types = true,
					       .flags = true };

static struct ptu_cow_verdict judge(uint64_t word, bool zero, uint64_t flags,
				    uint64_t count,
				    const struct ptu_cow_known *known)
{
	const struct ptu_page page = {
		.word = word, .flags = flags, .count = count, .zero = zero
	};

	return ptu_cow_judge(&page, known);
}

/* The verdict in words: the kind, and each member that is true. */
static const char *page(uint64_t word, bool zero, uint64_t flags,
			uint64_t count, const struct ptu_cow_known *known)
{
	static const char *const kinds[] = {
		[PTU_COW_UNTOUCHED] = "untouched",
		[PTU_COW_ORIGINAL] = "original",
		[PTU_COW_COPIED] = "copied",
		[PTU_COW_SHARED] = "shared",
		[PTU_COW_SWAPPED] = "swapped",
	};
	const struct ptu_cow_verdict verdict = judge(word, zero, flags, count,
						     known);
	static char text[80];

	snprintf(text, sizeof(text), "%s%s%s%s%s", kinds[verdict.kind],
		 verdict.maybe_zero ? ", maybe zero" : "",
		 verdict.maybe_marker ? ", maybe a marker" : "",
		 verdict.marker ? ", a marker" : "",
		 verdict.disagree ? ", disagree" : "");
	return text;
}

/* The same if only the entry of pagemap is known. */
static const char *entry(uint64_t word, const struct ptu_cow_known *known)
{
	return page(word, false, 0, 0, known);
}

UNIT_TEST(without_an_entry_a_page_is_untouched)
{
	CHECK_STR(entry(0, &nothing), "untouched");
	/* a complete mapping can be soft-dirty, including its holes */
	CHECK_STR(entry(SOFT_DIRTY, &nothing), "untouched");
}

UNIT_TEST(bits_61_and_56_tell_originals_and_copies)
{
	CHECK_STR(entry(PRESENT | FILE_PAGE, &nothing), "original");
	CHECK_STR(entry(PRESENT | FILE_PAGE | EXCLUSIVE, &nothing), "original");
	CHECK_STR(entry(PRESENT | EXCLUSIVE, &nothing), "copied");
}

UNIT_TEST(a_page_that_others_map_may_be_the_zero_page)
{
	CHECK_STR(entry(PRESENT, &nothing), "shared, maybe zero");
	CHECK_STR(entry(PRESENT, &pfnzero), "shared");
	CHECK_STR(page(PRESENT, true, 0, 0, &pfnzero), "original");
	/* the zero page was written to before the entry was read */
	CHECK_STR(page(PRESENT | EXCLUSIVE, true, 0, 0, &pfnzero), "copied");
}

UNIT_TEST(pages_of_the_kernel_are_no_copies)
{
	const struct ptu_cow_known special = { .pfnzero = true,
					       .special = true };

	CHECK_STR(entry(PRESENT, &special), "original");
	CHECK_STR(page(PRESENT, false, KPF_RESERVED, 0, &root_new), "original");
	CHECK_STR(page(PRESENT, false, KPF_NOPAGE, 0, &root_new), "original");
}

UNIT_TEST(flags_settle_what_pagemap_cannot)
{
	CHECK_STR(page(PRESENT, false, KPF_ZERO | KPF_RESERVED, 0, &root_old),
		  "original");
	CHECK_STR(page(PRESENT, false, KPF_ANON | KPF_MMAP, 2, &root_old),
		  "shared");
}

UNIT_TEST(pagemap_and_kpageflags_agree_on_copies)
{
	CHECK(!judge(PRESENT | EXCLUSIVE, false, KPF_ANON | KPF_SWAPBACKED, 1,
		     &root_new)
		       .disagree);
	CHECK(!judge(PRESENT | FILE_PAGE, false, KPF_MMAP, 7, &root_new)
		       .disagree);
	/* shmem is swap-backed, but not a copy */
	CHECK(!judge(PRESENT | FILE_PAGE, false, KPF_MMAP | KPF_SWAPBACKED, 1,
		     &root_new)
		       .disagree);
	/* the huge zero page has bit 61 */
	CHECK(!judge(PRESENT | FILE_PAGE, false, KPF_ZERO | KPF_THP, 0,
		     &root_new)
		       .disagree);
	CHECK(!judge(PRESENT, true, KPF_ZERO | KPF_RESERVED, 0, &root_new)
		       .disagree);
}

UNIT_TEST(each_contradiction_is_seen)
{
	/* bit 61 is set but the frame is anonymous, and the reverse */
	CHECK(judge(PRESENT | FILE_PAGE, false, KPF_ANON, 1, &root_new)
		      .disagree);
	CHECK(judge(PRESENT | EXCLUSIVE, false, KPF_MMAP, 1, &root_new)
		      .disagree);
	CHECK(judge(PRESENT, false, KPF_MMAP, 3, &root_old).disagree);
	/* bit 56 contradicts the count */
	CHECK(judge(PRESENT | EXCLUSIVE, false, KPF_ANON, 2, &root_new)
		      .disagree);
	CHECK(judge(PRESENT, false, KPF_ANON, 1, &root_new).disagree);
	CHECK(judge(PRESENT, false, KPF_ANON, 1, &root_old).disagree);
	/* PAGEMAP_SCAN reports the zero page and kpageflags does not, and the reverse */
	CHECK(judge(PRESENT, true, KPF_MMAP, 1, &root_new).disagree);
	CHECK(judge(PRESENT, true, KPF_ANON, 2, &root_new).disagree);
	CHECK(judge(PRESENT, false, KPF_ZERO, 0, &root_new).disagree);
	CHECK(judge(PRESENT | EXCLUSIVE, false, KPF_ZERO, 0, &root_new)
		      .disagree);
}

UNIT_TEST(count_decides_for_pages_of_large_folios)
{
	CHECK_STR(page(PRESENT | EXCLUSIVE, false, KPF_ANON | KPF_THP, 2,
		       &root_new),
		  "shared");
	CHECK_STR(page(PRESENT, false, KPF_ANON | KPF_HUGE, 1, &root_new),
		  "copied");
	/* the contradiction of the kinds is still detected */
	CHECK(judge(PRESENT | FILE_PAGE, false, KPF_ANON | KPF_THP, 1,
		    &root_new)
		      .disagree);
}

UNIT_TEST(swap_is_a_copy_and_a_marker_is_none)
{
	CHECK_STR(entry(SWAP, &nothing), "swapped");
	CHECK_STR(entry(SWAP | GUARD, &nothing), "untouched, a marker");
	CHECK_STR(entry(GUARD, &nothing), "untouched, a marker");
	CHECK_STR(entry(WP, &nothing), "untouched, a marker");
	/* a marker, or a write-protected page that was swapped out */
	CHECK_STR(entry(SWAP | WP, &pfnzero), "swapped, maybe a marker");
}

UNIT_TEST(the_type_of_an_entry_tells_swap_from_the_rest)
{
	/* the swap type of a marker is 31, in Debian's 6.1 it is 30; its offset is small */
	CHECK_STR(entry(SWAP | WP | 1 << 5 | 31, &root_new),
		  "untouched, a marker");
	CHECK_STR(entry(SWAP | WP | 1 << 5 | 30, &root_new),
		  "untouched, a marker");
	/* a poison marker */
	CHECK_STR(entry(SWAP | 2 << 5 | 31, &root_new), "untouched, a marker");
	CHECK_STR(entry(SWAP | WP | 7 << 5 | 0, &root_new), "swapped");
	CHECK_STR(entry(SWAP | 7 << 5 | 22, &root_new), "swapped");
	/* migrating: an anonymous page, and a page of a file */
	CHECK_STR(entry(SWAP | 0x1234 << 5 | 25, &root_new), "copied");
	CHECK_STR(entry(SWAP | FILE_PAGE | 0x1234 << 5 | 25, &root_new),
		  "original");
	CHECK_STR(entry(SWAP | FILE_PAGE, &nothing), "original");
}

/* Pages 0 and 2 are written, page 3 is read, page 1 is untouched. */
UNIT_TEST(pages_of_a_mapping_are_counted_by_kind)
{
	static const uint64_t words[] = { PRESENT | EXCLUSIVE, 0,
					  PRESENT | EXCLUSIVE,
					  PRESENT | FILE_PAGE };
	struct ptu_cow_count count, total = { 0 };

	ptu_cow_begin(&count, 4);
	for (size_t i = 0; i < 4; i++) {
		struct ptu_cow_verdict verdict = judge(words[i], false, 0, 0,
						       &nothing);

		ptu_cow_add(&count, &verdict);
	}
	ptu_cow_sum(&total, &count);
	ptu_cow_sum(&total, &count);
	CHECK_EQ(count.pages, 4);
	CHECK_EQ(count.kinds[PTU_COW_UNTOUCHED], 1);
	CHECK_EQ(count.kinds[PTU_COW_ORIGINAL], 1);
	CHECK_EQ(count.kinds[PTU_COW_COPIED], 2);
	CHECK_EQ(count.kinds[PTU_COW_SHARED], 0);
	CHECK_EQ(count.kinds[PTU_COW_SWAPPED], 0);
	CHECK_EQ(total.pages, 8);
	CHECK_EQ(total.kinds[PTU_COW_COPIED], 4);
	CHECK_EQ(total.kinds[PTU_COW_UNTOUCHED], 2);
}

UNIT_TEST(every_count_adds_up)
{
	const struct ptu_cow_verdict verdict = { .kind = PTU_COW_SWAPPED,
						 .maybe_zero = true,
						 .maybe_marker = true,
						 .marker = true,
						 .disagree = true };
	struct ptu_cow_count count, total = { 0 };

	ptu_cow_begin(&count, 5);
	ptu_cow_add(&count, &verdict);
	ptu_cow_add(&count, &verdict);
	ptu_cow_sum(&total, &count);
	ptu_cow_sum(&total, &count);
	CHECK_EQ(total.kinds[PTU_COW_SWAPPED], 4);
	CHECK_EQ(total.kinds[PTU_COW_UNTOUCHED], 6);
	CHECK_EQ(total.maybe_zero, 4);
	CHECK_EQ(total.maybe_markers, 4);
	CHECK_EQ(total.markers, 4);
	CHECK_EQ(total.disagree, 4);
}

/* The reader omits pages without an entry. */
UNIT_TEST(the_kinds_add_up_for_every_entry)
{
	struct ptu_cow_count count;
	uint64_t word = 1, sum = 0;

	ptu_cow_begin(&count, 5000);
	for (unsigned int i = 0; i < 4096; i++) {
		struct ptu_cow_verdict verdict;

		word = word * UINT64_C(6364136223846793005) + 1;
		verdict = judge(word, word & 2, word << 7, word % 3,
				i % 2 ? &root_new : &nothing);
		ptu_cow_add(&count, &verdict);
	}
	for (unsigned int i = 0; i < PTU_NR_COW_KINDS; i++)
		sum += count.kinds[i];
	CHECK_EQ(sum, 5000);
	CHECK(count.kinds[PTU_COW_UNTOUCHED] >= 5000 - 4096);
}

UNIT_MAIN
