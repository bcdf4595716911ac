// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page frames: which words agree, and how differences are classified.  Bit numbers are
 * those of the kernels, defined independently of the tool's code.
 */
#include "compare/frames.h"

#include <errno.h>

#include "support/unit.h"

#define BIT(n) (UINT64_C(1) << (n))

/* Of 6.12, including some flags that kpageflags does not use. */
static const char names_612[] =
	"0 locked\n1 writeback\n2 referenced\n3 uptodate\n3 reported\n4 dirty\n"
	"5 lru\n6 head\n7 waiters\n8 active\n9 workingset\n10 owner_priv_1\n"
	"10 swapcache\n10 checked\n11 owner_2\n11 mappedtodisk\n12 arch_1\n"
	"13 reserved\n14 private\n15 private_2\n16 reclaim\n17 swapbacked\n"
	"18 unevictable\n19 mlocked\n20 hwpoison\n21 young\n22 idle\n"
	"23 arch_2\n";

/* Of 6.1, where slab and error are flags. */
static const char names_61[] =
	"0 locked\n1 referenced\n2 uptodate\n3 dirty\n4 lru\n5 active\n"
	"6 workingset\n7 waiters\n8 error\n9 slab\n10 owner_priv_1\n"
	"10 swapcache\n11 arch_1\n12 reserved\n13 private\n14 private_2\n"
	"15 writeback\n16 head\n17 mappedtodisk\n18 reclaim\n19 swapbacked\n"
	"20 unevictable\n21 mlocked\n22 uncached\n23 hwpoison\n24 arch_2\n";

/* Flags that kpageflags shows unchanged: the bit in 6.12 and the bit in kpageflags. */
static const struct {
	unsigned int pg;
	unsigned int kpf;
} shown_612[] = {
	{ 0, 0 },   { 2, 2 },	{ 3, 3 },   { 4, 4 },	{ 5, 5 },   { 8, 6 },
	{ 1, 8 },   { 16, 9 },	{ 17, 14 }, { 6, 15 },	{ 18, 18 }, { 20, 19 },
	{ 22, 25 }, { 13, 32 }, { 19, 33 }, { 11, 34 }, { 14, 35 }, { 15, 36 },
	{ 10, 37 }, { 12, 38 }, { 23, 41 },
};

#define NR_SHOWN (sizeof(shown_612) / sizeof(shown_612[0]))

#define KPF_SLAB BIT(7)
#define KPF_BUDDY BIT(10)
#define KPF_MMAP BIT(11)
#define KPF_ANON BIT(12)
#define KPF_SWAPCACHE BIT(13)
#define KPF_HEAD BIT(15)
#define KPF_TAIL BIT(16)
#define KPF_HUGE BIT(17)
#define KPF_HWPOISON BIT(19)
#define KPF_NOPAGE BIT(20)
#define KPF_OWNER_PRIVATE BIT(37)

/* Bits of zone, node and section, which are not flags. */
#define FIELDS UINT64_C(0x57ffffc000000000)

static struct ptu_kpagemap kpm;
static struct ptu_kpagemap_verdict verdict;

static void init(const char *text)
{
	struct ptu_kpagemap_names names;
	struct ptu_err err;

	CHECK_EQ(ptu_kpagemap_names_parse(text, &names, &err), 0);
	ptu_kpagemap_init(&kpm, &names);
}

static void set_up(void)
{
	init(names_612);
}

/* Judge a page that is its own head. */
static void judge(const struct ptu_frame *page)
{
	ptu_kpagemap_judge(&kpm, page, page, &verdict);
}

static void judge_tail(const struct ptu_frame *tail,
		       const struct ptu_frame *head)
{
	ptu_kpagemap_judge(&kpm, tail, head, &verdict);
}

/* Uptodate, on the LRU, swap-backed, mapped twice. */
static const struct ptu_frame anon_612 = {
	.flags = FIELDS | BIT(3) | BIT(5) | BIT(17),
	.count = 3,
	.kpf = BIT(3) | BIT(5) | KPF_MMAP | KPF_ANON | BIT(14),
	.mapcount = 2,
};

static const struct ptu_frame hole_612 = {
	.flags = UINT64_MAX,
	.count = UINT64_MAX,
	.kpf = KPF_NOPAGE,
};

UNIT_TEST(names_are_read)
{
	struct ptu_kpagemap_names names;
	struct ptu_err err;

	CHECK_EQ(ptu_kpagemap_names_parse("0 locked\n63 a_9\n", &names, &err),
		 0);
	CHECK_EQ(names.nr_names, 2);
	CHECK_EQ(names.names[0].bit, 0);
	CHECK_STR(names.names[0].name, "locked");
	CHECK_EQ(names.names[1].bit, 63);
	CHECK_STR(names.names[1].name, "a_9");
}

UNIT_TEST(malformed_flag_names_are_refused)
{
	static const char *const bad[] = {
		"",
		"0 locked",
		"locked 0\n",
		"64 locked\n",
		"-1 locked\n",
		"0  locked\n",
		"0 \n",
		"0\n",
		"\n",
		"0 LOCKED\n",
		"0 locked \n",
		"000 locked\n",
		"0 a_name_that_is_longer_than_any_that_there_is\n",
		"0 locked\n1 dir\tty\n",
	};
	struct ptu_kpagemap_names names = { .nr_names = 77 };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ptu_err err = { .text = "" };

		if (ptu_kpagemap_names_parse(bad[i], &names, &err) != -EPROTO ||
		    !err.text[0] || names.nr_names != 77)
			UNIT_FAIL("'%s' was accepted, or refused without a sentence",
				  bad[i]);
	}
}

UNIT_TEST(more_names_than_fit_are_refused)
{
	static char text[9 * (PTU_KPAGEMAP_NAMES + 1) + 1];
	struct ptu_kpagemap_names names;
	struct ptu_err err;

	for (unsigned int i = 0; i <= PTU_KPAGEMAP_NAMES; i++)
		strcat(text, "1 locked\n");
	CHECK_EQ(ptu_kpagemap_names_parse(text, &names, &err), -EPROTO);
	text[9 * PTU_KPAGEMAP_NAMES] = '\0';
	CHECK_EQ(ptu_kpagemap_names_parse(text, &names, &err), 0);
	CHECK_EQ(names.nr_names, PTU_KPAGEMAP_NAMES);
}

/* A change of any byte of the header is refused. */
UNIT_TEST(header_is_checked)
{
	uint8_t header[16] = { 1, 12, 8, 16 };
	struct ptu_err err;

	CHECK_EQ(ptu_kpagemap_check_header(header, 4096, &err), 0);
	CHECK_EQ(ptu_kpagemap_check_header(header, 65536, &err), -EPROTO);
	for (unsigned int i = 0; i < 16; i++) {
		header[i] ^= 4;
		CHECK_EQ(ptu_kpagemap_check_header(header, 4096, &err),
			 -EPROTO);
		header[i] ^= 4;
	}
	header[1] = 76; /* 12 modulo 64 */
	CHECK_EQ(ptu_kpagemap_check_header(header, 4096, &err), -EPROTO);
}

UNIT_TEST(flags_are_found_by_name)
{
	unsigned int i, nr = 0;

	for (i = 0; i < NR_SHOWN; i++)
		CHECK_EQ(kpm.flags[shown_612[i].kpf].bits,
			 BIT(shown_612[i].pg));
	CHECK_EQ(kpm.flags[13].bits, BIT(10) | BIT(17));
	for (i = 0; i < 64; i++)
		nr += kpm.flags[i].bits != 0;
	CHECK_EQ(nr, NR_SHOWN + 1);
	/* a kpageflags bit without a flag in 6.12 has a reason */
	CHECK(kpm.flags[7].reason && kpm.flags[1].reason);
	CHECK(!kpm.flags[0].reason);
	CHECK_STR(kpm.flags[34].pg, "owner_2");
	init(names_61);
	CHECK_EQ(kpm.flags[7].bits, BIT(9));
	CHECK_EQ(kpm.flags[1].bits, BIT(8));
	CHECK_EQ(kpm.flags[34].bits, BIT(17));
	CHECK_STR(kpm.flags[34].pg, "mappedtodisk");
	CHECK_EQ(kpm.flags[39].bits, BIT(22));
	CHECK(kpm.flags[25].reason && !kpm.flags[25].bits);
}

UNIT_TEST(a_page_agrees)
{
	judge(&anon_612);
	CHECK(ptu_kpagemap_agrees(&verdict));
	CHECK_EQ(verdict.head, 0);
	CHECK_EQ(verdict.applies, 1u << PTU_KPAGEMAP_MAPPED);
	CHECK(!verdict.is_hole);
}

/* Each flag that is flipped on one side is named, and no other. */
UNIT_TEST(a_flipped_flag_is_found)
{
	for (unsigned int i = 0; i < NR_SHOWN; i++) {
		struct ptu_frame page = anon_612;

		page.kpf ^= BIT(shown_612[i].kpf);
		judge(&page);
		CHECK_EQ(verdict.differ, BIT(shown_612[i].kpf));
		page = anon_612;
		page.flags ^= BIT(shown_612[i].pg);
		judge(&page);
		CHECK(verdict.differ & BIT(shown_612[i].kpf));
		CHECK_EQ(verdict.differ & ~BIT(shown_612[i].kpf),
			 shown_612[i].pg == 10 ? KPF_SWAPCACHE : 0);
		/* flipped on both sides: they agree again */
		page.kpf ^= verdict.differ;
		judge(&page);
		CHECK(ptu_kpagemap_agrees(&verdict));
	}
}

/* Without one of its two bits, swapcache cannot be told from owner_priv_1. */
UNIT_TEST(a_flag_of_two_bits_is_left_out_if_one_is_not_named)
{
	init("0 locked\n10 swapcache\n10 owner_priv_1\n");
	CHECK_EQ(kpm.flags[13].bits, 0);
	CHECK_EQ(kpm.flags[13].rule, PTU_KPAGEMAP_LEFT_OUT);
	CHECK_EQ(kpm.flags[37].bits, BIT(10));
}

UNIT_TEST(swapcache_takes_both_bits)
{
	struct ptu_frame page = { .flags = BIT(10), .kpf = KPF_OWNER_PRIVATE };

	judge(&page);
	CHECK(ptu_kpagemap_agrees(&verdict));
	page.kpf |= KPF_SWAPCACHE;
	judge(&page);
	CHECK_EQ(verdict.differ, KPF_SWAPCACHE);
	page.flags |= BIT(17);
	page.kpf |= BIT(14);
	judge(&page);
	CHECK(ptu_kpagemap_agrees(&verdict));
}

/* The head has uptodate and lru; the tail's own word has writeback, which is an order. */
static const struct ptu_frame head_612 = {
	.flags = FIELDS | BIT(3) | BIT(5) | BIT(6),
	.count = 2,
	.kpf = BIT(3) | BIT(5) | KPF_HEAD,
};

static const struct ptu_frame tail_612 = {
	.flags = FIELDS | BIT(1),
	.count = 2,
	.kpf = BIT(3) | BIT(5) | KPF_TAIL,
};

UNIT_TEST(one_tail_page_shows_the_rule_for_flags_of_tail_pages)
{
	struct ptu_frame own = tail_612;

	own.kpf = BIT(8) | KPF_TAIL;
	/* before the kernel's rule is learnt, neither agrees */
	judge_tail(&tail_612, &head_612);
	CHECK(!ptu_kpagemap_agrees(&verdict));
	judge_tail(&own, &head_612);
	CHECK(!ptu_kpagemap_agrees(&verdict));
	ptu_kpagemap_learn(&kpm, &tail_612, &head_612);
	CHECK_EQ(kpm.tails, PTU_KPAGEMAP_TAILS_HEAD);
	judge_tail(&tail_612, &head_612);
	CHECK(ptu_kpagemap_agrees(&verdict));
	CHECK_EQ(verdict.head, BIT(3) | BIT(5) | BIT(8));
	judge_tail(&own, &head_612);
	CHECK_EQ(verdict.differ, BIT(3) | BIT(5) | BIT(8));
	/* the learnt rule stays */
	ptu_kpagemap_learn(&kpm, &own, &head_612);
	CHECK_EQ(kpm.tails, PTU_KPAGEMAP_TAILS_HEAD);

	init(names_612);
	ptu_kpagemap_learn(&kpm, &own, &head_612);
	CHECK_EQ(kpm.tails, PTU_KPAGEMAP_TAILS_OWN);
	judge_tail(&own, &head_612);
	CHECK(ptu_kpagemap_agrees(&verdict));
	CHECK_EQ(verdict.head, 0);
	judge_tail(&tail_612, &head_612);
	CHECK_EQ(verdict.differ, BIT(3) | BIT(5) | BIT(8));
}

UNIT_TEST(a_tail_page_that_fits_both_rules_or_neither_shows_no_rule)
{
	struct ptu_frame tail = tail_612, head = head_612;

	tail.flags = FIELDS | BIT(3) | BIT(5);
	ptu_kpagemap_learn(&kpm, &tail, &head);
	CHECK_EQ(kpm.tails, PTU_KPAGEMAP_TAILS_UNKNOWN);
	tail = tail_612;
	tail.kpf = BIT(3) | KPF_TAIL; /* only one of the head's two flags */
	ptu_kpagemap_learn(&kpm, &tail, &head);
	CHECK_EQ(kpm.tails, PTU_KPAGEMAP_TAILS_UNKNOWN);
	head.kpf &= ~KPF_HEAD;
	ptu_kpagemap_learn(&kpm, &tail_612, &head);
	CHECK_EQ(kpm.tails, PTU_KPAGEMAP_TAILS_UNKNOWN);
	tail = tail_612;
	tail.kpf &= ~KPF_TAIL;
	ptu_kpagemap_learn(&kpm, &tail, &head_612);
	CHECK_EQ(kpm.tails, PTU_KPAGEMAP_TAILS_UNKNOWN);
}

UNIT_TEST(poison_is_the_pages_own_but_in_hugetlb)
{
	struct ptu_frame tail = tail_612, head = head_612;

	ptu_kpagemap_learn(&kpm, &tail, &head);
	tail.flags |= BIT(20);
	tail.kpf |= KPF_HWPOISON;
	judge_tail(&tail, &head);
	CHECK(ptu_kpagemap_agrees(&verdict));
	tail.kpf |= KPF_HUGE;
	judge_tail(&tail, &head);
	CHECK_EQ(verdict.differ, KPF_HWPOISON);
	head.flags |= BIT(20);
	judge_tail(&tail, &head);
	CHECK(ptu_kpagemap_agrees(&verdict));
	tail.flags &= ~BIT(20);
	judge_tail(&tail, &head);
	CHECK(ptu_kpagemap_agrees(&verdict));
	tail.kpf &= ~KPF_HUGE;
	judge_tail(&tail, &head);
	CHECK_EQ(verdict.differ, KPF_HWPOISON);
}

/* 6.1: the flag slab is on the head, and kpageflags shows it for all pages. */
UNIT_TEST(slab_is_the_pages_own_or_the_heads)
{
	struct ptu_frame head = { .flags = BIT(9) | BIT(16),
				  .count = 1,
				  .kpf = KPF_SLAB | KPF_HEAD };
	struct ptu_frame tail = { .count = 1, .kpf = KPF_SLAB | KPF_TAIL };

	init(names_61);
	judge(&head);
	CHECK(ptu_kpagemap_agrees(&verdict));
	judge_tail(&tail, &head);
	CHECK(ptu_kpagemap_agrees(&verdict));
	CHECK_EQ(verdict.head, KPF_SLAB);
	head.flags &= ~BIT(9);
	judge_tail(&tail, &head);
	CHECK_EQ(verdict.differ, KPF_SLAB);
}

/* A tail page's own word may have PG_head: shared vmemmap pages. */
UNIT_TEST(head_is_not_compared_for_tail_pages)
{
	struct ptu_frame tail = tail_612;

	ptu_kpagemap_learn(&kpm, &tail, &head_612);
	tail.flags |= BIT(6) | BIT(22);
	judge_tail(&tail, &head_612);
	CHECK(ptu_kpagemap_agrees(&verdict));
	CHECK_EQ(verdict.compared & (KPF_HEAD | BIT(25)), 0);
}

UNIT_TEST(holes_agree_if_both_sides_show_no_page)
{
	struct ptu_frame hole = hole_612;

	judge(&hole);
	CHECK(ptu_kpagemap_agrees(&verdict) && verdict.is_hole);
	hole.kpf = 0; /* as in 7.2 */
	judge(&hole);
	CHECK(ptu_kpagemap_agrees(&verdict) && verdict.is_hole);
	hole.mapcount = 1;
	judge(&hole);
	CHECK(verdict.hole);
	hole = hole_612;
	hole.kpf |= BIT(5);
	judge(&hole);
	CHECK(verdict.hole);
	/* a page in one file and a hole in the other, and the reverse */
	hole.kpf = anon_612.kpf;
	judge(&hole);
	CHECK(verdict.hole);
	hole = anon_612;
	hole.kpf = KPF_NOPAGE;
	judge(&hole);
	CHECK(verdict.hole && !verdict.is_hole);
	/* one word of a hole alone: a page with strange flags */
	hole = hole_612;
	hole.count = 0;
	judge(&hole);
	CHECK(verdict.hole && !verdict.is_hole);
	hole = hole_612;
	hole.flags = 0;
	judge(&hole);
	CHECK(verdict.hole && !verdict.is_hole);
}

UNIT_TEST(each_rule_about_counts_is_checked)
{
	struct ptu_frame page = anon_612, tail = tail_612;

	ptu_kpagemap_learn(&kpm, &tail, &head_612);
	page.count = 2;
	judge(&page);
	CHECK(ptu_kpagemap_agrees(&verdict));
	page.count = 1; /* below its mapcount */
	judge(&page);
	CHECK_EQ(verdict.broken, 1u << PTU_KPAGEMAP_MAPPED);
	CHECK_EQ(verdict.differ, 0);
	page = (struct ptu_frame){ .kpf = KPF_BUDDY };
	judge(&page);
	CHECK(ptu_kpagemap_agrees(&verdict));
	CHECK_EQ(verdict.applies, 1u << PTU_KPAGEMAP_BUDDY);
	page.count = 1; /* free and in use at once */
	judge(&page);
	CHECK_EQ(verdict.broken, 1u << PTU_KPAGEMAP_BUDDY);
	judge_tail(&tail, &head_612);
	CHECK(ptu_kpagemap_agrees(&verdict));
	CHECK_EQ(verdict.applies, 1u << PTU_KPAGEMAP_TAIL);
	tail.count = 0; /* its own count; page_count() would be the head's */
	judge_tail(&tail, &head_612);
	CHECK_EQ(verdict.broken, 1u << PTU_KPAGEMAP_TAIL);
	tail.mapcount = 1;
	judge_tail(&tail, &head_612);
	CHECK_EQ(verdict.broken,
		 1u << PTU_KPAGEMAP_TAIL | 1u << PTU_KPAGEMAP_MAPPED);
}

/*
 * The head is the nearest frame below that is not a tail page, for each page of each
 * folio size.
 */
UNIT_TEST(heads_are_found)
{
	unsigned int order;

	for (order = 1; order <= 10; order++) {
		const uint64_t size = UINT64_C(1) << order;
		const uint64_t head = UINT64_C(0x5a5a5) << order;
		uint64_t pfn;

		for (pfn = head + 1; pfn < head + size; pfn++) {
			uint64_t candidate = 0, last = pfn;
			unsigned int nr = 0;

			do {
				CHECK(ptu_kpagemap_head_candidate(pfn, nr++,
								  &candidate));
				CHECK(candidate < last);
				last = candidate;
			} while (candidate > head);
			CHECK_EQ(candidate, head);
			CHECK(nr <= order);
		}
	}
}

/* The largest folio has 16 GiB: its last page has 22 candidates. */
UNIT_TEST(head_of_the_greatest_folio_is_found)
{
	const uint64_t head = UINT64_C(3) << 22;
	uint64_t candidate;

	CHECK(ptu_kpagemap_head_candidate(head + (1 << 22) - 1, 21,
					  &candidate));
	CHECK_EQ(candidate, head);
	CHECK(!ptu_kpagemap_head_candidate(head + (1 << 22) - 1, 22,
					   &candidate));
}

UNIT_MAIN_WITH(set_up, NULL)
