// SPDX-License-Identifier: GPL-2.0-only
/* Page totals: the module's answer is parsed, and the words of /proc are summed up. */
#include "compare/page_kinds.h"

#include <errno.h>

#include "support/pages_answer.h"
#include "support/unit.h"

/* Bit numbers of the kernel's documentation, defined independently of the tool's code. */
#define BIT(n) (UINT64_C(1) << (n))
#define WP BIT(57)
#define GUARD BIT(58)
#define FILE_PAGE BIT(61)
#define SWAP BIT(62)
#define PRESENT BIT(63)
#define KPF_ANON BIT(12)
#define KPF_SWAPBACKED BIT(14)
#define KPF_HEAD BIT(15)
#define KPF_TAIL BIT(16)
#define KPF_HUGE BIT(17)
#define KPF_NOPAGE BIT(20)
#define KPF_KSM BIT(21)
#define KPF_THP BIT(22)
#define KPF_ZERO BIT(24)
#define KPF_EXCLUSIVE BIT(34)

#define PAGE 4096
#define HUGE (512 * PAGE)
#define AT UINT64_C(0x7f0000000000)

static const char whole_answer[] =
	"pid 1007\ntgid 1006\ntid 1008\nns_pid 7\nns_tgid 6\nns_tid 8\n"
	"start_boottime_ns 910000000\nstart_ticks 93\n"
	"mm 0x00000000000000ab\nstart 0x1000\nend 0x9000\n" PAGES_OF_ANSWER
	"lock_windows 1\nhold_ns_max 2\nwalk_ns 3\n";

static int parse(const char *text, struct ptu_totals *ret)
{
	struct ptu_err err;

	return ptu_totals_parse(text, ret, &err);
}

/* Parse the answer with one text replaced by another. */
static int parse_with(const char *what, const char *instead,
		      struct ptu_totals *ret)
{
	const char *at = strstr(whole_answer, what);
	char text[2048];

	if (!at)
		return 1;
	snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - whole_answer),
		 whole_answer, instead, at + strlen(what));
	return parse(text, ret);
}

UNIT_TEST(an_answer_is_read_key_by_key)
{
	struct ptu_totals t;

	CHECK_EQ(parse(whole_answer, &t), 0);
	CHECK_EQ(t.mm, 0xab);
	CHECK_EQ(t.start, 0x1000);
	CHECK_EQ(t.end, 0x9000);
	CHECK_EQ(t.nr[PTAUDIT_P_PRESENT], 15);
	CHECK_EQ(t.nr[PTAUDIT_P_SHMEM], 3);
	CHECK_EQ(t.nr[PTAUDIT_P_OTHER], 27);
	CHECK_EQ(t.nr[PTAUDIT_P_HUGETLB_OTHER], 31);
	CHECK(t.known[PTAUDIT_P_EXCLUSIVE]);
}

UNIT_TEST(malformed_pages_answer_is_refused)
{
	struct ptu_totals t;

	CHECK_EQ(parse("", &t), -EPROTO);
	CHECK_EQ(parse_with("anon 5\n", "", &t), -EPROTO);
	CHECK_EQ(parse_with("walk_ns 3\n", "", &t), -EPROTO);
	CHECK_EQ(parse_with("ksm 1\n", "ksm 1\nksm 1\n", &t), -EPROTO);
	CHECK_EQ(parse_with("ksm 1\n", "ksm 1\nnews 1\n", &t), -EPROTO);
	CHECK_EQ(parse_with("ksm 1\n", "ksm -1\n", &t), -EPROTO);
	CHECK_EQ(parse_with("ksm 1\n", "ksm 1 \n", &t), -EPROTO);
	CHECK_EQ(parse_with("ksm 1\n", "ksm\n", &t), -EPROTO);
	CHECK_EQ(parse_with("ksm 1\n", "ksm 99999999999999999999999\n", &t),
		 -EPROTO);
	CHECK_EQ(parse_with("walk_ns 3\n", "walk_ns 3", &t), -EPROTO);
}

UNIT_TEST(an_answer_that_does_not_add_up_is_refused)
{
	struct ptu_totals t;

	CHECK_EQ(parse_with("present 15\n", "present 16\n", &t), -EPROTO);
	CHECK_EQ(parse_with("zero 2\n", "zero 3\n", &t), -EPROTO);
	CHECK_EQ(parse_with("pmd_pages 1\n", "pmd_pages 2\n", &t), -EPROTO);
	CHECK_EQ(parse_with("hugetlb 6\n", "hugetlb 5\n", &t), -EPROTO);
	CHECK_EQ(parse_with("hugetlb_anon 5\n", "hugetlb_anon 7\n", &t),
		 -EPROTO);
	CHECK_EQ(parse_with("anon_once 2\n", "anon_once 6\n", &t), -EPROTO);
	CHECK_EQ(parse_with("mapped_once 6\n", "mapped_once 1\n", &t), -EPROTO);
	CHECK_EQ(parse_with("exclusive 2\n", "exclusive 0\n", &t), -EPROTO);
}

UNIT_TEST(answer_of_older_kernel_without_exclusive_counts_is_accepted)
{
	struct ptu_totals t;
	bool known;

	CHECK_EQ(parse_with("exclusive 2\nexclusive_pmd 0\nexclusive_large 1\n",
			    "", &t),
		 0);
	CHECK(!t.known[PTAUDIT_P_EXCLUSIVE]);
	ptu_totals_value(&t, true, PTU_TOTAL_EXCLUSIVE, &known);
	CHECK(!known);
	ptu_totals_value(&t, true, PTU_TOTAL_ANON, &known);
	CHECK(known);
}

UNIT_TEST(totals_are_sums_of_the_modules_keys)
{
	struct ptu_totals t;
	bool known;

	CHECK_EQ(parse(whole_answer, &t), 0);
	/* anon, file, shmem, migration, device */
	CHECK_EQ(ptu_totals_value(&t, true, PTU_TOTAL_RSS, &known),
		 5 + 4 + 3 + 21 + 22);
	CHECK_EQ(ptu_totals_value(&t, true, PTU_TOTAL_MOVING, &known),
		 21 + 22 + 23 + 27);
	CHECK_EQ(ptu_totals_value(&t, true, PTU_TOTAL_COW_ORIGINAL, &known),
		 4 + 3 + 2 + 1 + 1);
	CHECK_EQ(ptu_totals_value(&t, true, PTU_TOTAL_COW_COPIED, &known),
		 2 + 3);
	CHECK_EQ(ptu_totals_value(&t, true, PTU_TOTAL_COW_SHARED, &known),
		 3 + 2);
	CHECK_EQ(ptu_totals_value(&t, true, PTU_TOTAL_COW_SWAPPED, &known), 20);
	/* pages of a shared mapping are no copies */
	CHECK_EQ(ptu_totals_value(&t, false, PTU_TOTAL_COW_COPIED, &known), 0);
	CHECK_EQ(ptu_totals_value(&t, false, PTU_TOTAL_COW_SWAPPED, &known), 0);
}

static struct ptu_vma vma(const char *perms, unsigned int flags)
{
	struct ptu_vma vma = { .start = AT,
			       .end = AT + 4 * HUGE,
			       .flags = flags,
			       .kernel_page_bytes = flags & PTU_VM_HUGETLB ?
							    HUGE :
							    PAGE };

	strcpy(vma.perms, perms);
	return vma;
}

/* A mapping, and what was seen of it. */
static struct ptu_vma v;
static struct ptu_seen s;

static void begin(struct ptu_vma mapping)
{
	v = mapping;
	ptu_seen_begin(&s, &v, "", PAGE, 512, true);
}

static void set_up(void)
{
	begin(vma("rw-p", 0));
}

static void add(uint64_t addr, uint64_t word, uint64_t flags, uint64_t count)
{
	const struct ptu_page page = { .word = word,
				       .flags = flags,
				       .count = count,
				       .zero = flags & KPF_ZERO };

	ptu_seen_add(&s, addr, &page, flags);
}

UNIT_TEST(a_page_is_of_one_kind)
{
	add(AT, PRESENT | 1, KPF_ANON | KPF_SWAPBACKED, 1);
	add(AT + PAGE, PRESENT | 2, KPF_ANON | KPF_KSM, 3);
	add(AT + 2 * PAGE, PRESENT | FILE_PAGE | 3, 0, 1);
	add(AT + 3 * PAGE, PRESENT | FILE_PAGE | 4, KPF_SWAPBACKED, 2);
	add(AT + 4 * PAGE, PRESENT | 5, KPF_ZERO, 0);
	add(AT + 5 * PAGE, PRESENT | 6, KPF_NOPAGE, 0);
	add(AT + 6 * PAGE, 0, 0, 0);
	add(AT + 7 * PAGE, BIT(55), 0, 0);
	/* a frame without any mapping */
	add(AT + 8 * PAGE, PRESENT | FILE_PAGE | 7, 0, 0);
	ptu_seen_end(&s, &v);
	CHECK_EQ(s.nr[PTU_TOTAL_PRESENT], 7);
	CHECK_EQ(s.nr[PTU_TOTAL_ANON], 2);
	CHECK_EQ(s.nr[PTU_TOTAL_KSM], 1);
	CHECK_EQ(s.nr[PTU_TOTAL_FILE], 1);
	CHECK_EQ(s.nr[PTU_TOTAL_SHMEM], 1);
	CHECK_EQ(s.nr[PTU_TOTAL_ZERO], 1);
	CHECK_EQ(s.nr[PTU_TOTAL_SPECIAL], 2);
	CHECK_EQ(s.nr[PTU_TOTAL_MAPPED_ONCE], 2);
	CHECK_EQ(s.nr[PTU_TOTAL_ANON_ONCE], 1);
	CHECK_EQ(s.nr[PTU_TOTAL_PTE_PAGES], 7);
	CHECK_EQ(s.nr[PTU_TOTAL_PMD_PAGES], 0);
	CHECK_EQ(s.nr[PTU_TOTAL_COW_ORIGINAL], 5);
}

UNIT_TEST(the_first_page_of_a_folio_tells_shmem)
{
	const struct ptu_page tail = { .word = PRESENT | FILE_PAGE | 9,
				       .flags = KPF_TAIL,
				       .count = 1 };

	begin(vma("rw-s", 0));
	ptu_seen_add(&s, AT, &tail, KPF_HEAD | KPF_SWAPBACKED);
	ptu_seen_add(&s, AT + PAGE, &tail, KPF_HEAD);
	CHECK_EQ(s.nr[PTU_TOTAL_SHMEM], 1);
	CHECK_EQ(s.nr[PTU_TOTAL_FILE], 1);
	CHECK_EQ(s.large, 2);
	CHECK_EQ(s.once_large, 2);
	/* the mapping is not private */
	CHECK_EQ(s.nr[PTU_TOTAL_COW_ORIGINAL], 0);
}

UNIT_TEST(pages_of_large_folios_are_counted_by_what_is_known_of_them)
{
	static const struct {
		uint64_t word, flags, count;
	} pages[] = {
		{ PRESENT | 9, KPF_TAIL | KPF_ANON, 1 },
		{ PRESENT | 10, KPF_TAIL | KPF_ANON, 1 },
		{ PRESENT | 11, KPF_TAIL | KPF_ANON, 1 },
		{ PRESENT | 12, KPF_TAIL | KPF_ANON, 2 },
		{ PRESENT | 13, KPF_TAIL | KPF_ANON, 2 },
		{ PRESENT | FILE_PAGE | 20, KPF_TAIL, 1 },
		{ PRESENT | 30, KPF_ANON, 1 }, /* not in a large folio */
	};

	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++)
		add(AT + i * PAGE, pages[i].word, pages[i].flags,
		    pages[i].count);
	CHECK_EQ(s.large, 6);
	CHECK_EQ(s.anon_large, 5);
	CHECK_EQ(s.once_large, 4);
	CHECK_EQ(s.anon_once_large, 3);
	CHECK_EQ(s.nr[PTU_TOTAL_ANON_ONCE], 4);
}

#define TYPE(type, offset) (SWAP | (uint64_t)(offset) << 5 | (type))

UNIT_TEST(entries_that_are_not_present_are_counted_by_kind)
{
	add(AT, TYPE(0, 1), 0, 0);	   /* a swap entry, also in slot 1 */
	add(AT + PAGE, TYPE(22, 4), 0, 0); /* the last swap type */
	add(AT + 2 * PAGE, TYPE(29, 0x1234) | WP, 0, 0); /* migration */
	/* migration in 5.10 and 6.1 */
	add(AT + 3 * PAGE, TYPE(31, 0x1234), 0, 0);
	/* a marker of 6.1, and one of 6.12 and 7.2 */
	add(AT + 4 * PAGE, TYPE(30, 1) | WP, 0, 0);
	add(AT + 5 * PAGE, TYPE(31, 1) | WP, 0, 0);
	add(AT + 6 * PAGE, TYPE(31, 4) | GUARD, 0, 0);
	/* pagemap of 6.13 has no bit for guards */
	add(AT + 7 * PAGE, TYPE(31, 4), 0, 0);
	add(AT + 8 * PAGE, TYPE(31, 2), 0, 0);
	ptu_seen_end(&s, &v);
	CHECK_EQ(s.nr[PTU_TOTAL_SWAP], 2);
	CHECK_EQ(s.nr[PTU_TOTAL_COW_SWAPPED], 2);
	CHECK_EQ(s.nr[PTU_TOTAL_MOVING], 2);
	CHECK_EQ(s.nr[PTU_TOTAL_UFFD_WP], 2);
	CHECK_EQ(s.nr[PTU_TOTAL_GUARD], 2);
	CHECK_EQ(s.nr[PTU_TOTAL_POISON], 1);
	CHECK_EQ(s.nr[PTU_TOTAL_PRESENT], 0);
}

/* A large folio whose first page is the mapping's first. */
static void add_folio(uint64_t addr, uint64_t pfn, unsigned int pages,
		      uint64_t flags, uint64_t head_flags)
{
	for (unsigned int i = 0; i < pages; i++)
		add(addr + i * PAGE, PRESENT | (pfn + i),
		    flags | (i ? KPF_TAIL : KPF_HEAD | head_flags), 1);
}

UNIT_TEST(the_first_page_speaks_for_a_huge_leaf)
{
	v.huge_bytes = v.anon_huge_bytes = 2 * HUGE;
	add_folio(AT, 512, 512, KPF_ANON | KPF_THP, KPF_EXCLUSIVE);
	add_folio(AT + HUGE, 1024, 512, KPF_ANON | KPF_THP, 0);
	ptu_seen_end(&s, &v);
	CHECK_EQ(s.whole, 2);
	CHECK_EQ(s.whole_exclusive, 1);
	CHECK(s.leaves_known);
	CHECK_EQ(s.nr[PTU_TOTAL_EXCLUSIVE], 512);
	CHECK_EQ(s.nr[PTU_TOTAL_PMD_PAGES], 1024);
	CHECK_EQ(s.nr[PTU_TOTAL_PTE_PAGES], 0);
}

UNIT_TEST(exclusive_pages_of_a_folio_mapped_by_ptes_are_unknown)
{
	add_folio(AT, 512, 512, KPF_ANON | KPF_THP, KPF_EXCLUSIVE);
	add(AT + HUGE, PRESENT | 7, KPF_ANON | KPF_EXCLUSIVE, 1);
	ptu_seen_end(&s, &v);
	CHECK_EQ(s.whole, 1);
	CHECK(!s.leaves_known);
	CHECK_EQ(s.anon_large, 512);
	CHECK_EQ(s.nr[PTU_TOTAL_EXCLUSIVE], 1);
	CHECK_EQ(s.nr[PTU_TOTAL_PTE_PAGES], 513);
}

UNIT_TEST(a_run_that_is_broken_is_no_leaf)
{
	/* a page in the middle is missing; the folio is not aligned with the addresses */
	add_folio(AT, 512, 100, KPF_ANON, 0);
	add_folio(AT + 101 * PAGE, 613, 411, KPF_ANON, 0);
	add_folio(AT + HUGE + PAGE, 1024, 512, KPF_ANON, 0);
	add_folio(AT + 3 * HUGE, 2049, 512, KPF_ANON, 0);
	CHECK_EQ(s.whole, 0);
}

/* All pages of a folio in order, but with a gap between their addresses. */
UNIT_TEST(a_run_with_a_gap_is_no_leaf)
{
	for (unsigned int i = 0; i < 512; i++)
		add(AT + (i + (i >= 100)) * PAGE, PRESENT | (512 + i),
		    KPF_ANON | (i ? KPF_TAIL : KPF_HEAD), 1);
	CHECK_EQ(s.whole, 0);
}

UNIT_TEST(hugetlb_is_apart)
{
	begin(vma("rw-p", PTU_VM_HUGETLB));
	add_folio(AT, 512, 512, KPF_ANON | KPF_HUGE, KPF_EXCLUSIVE);
	add_folio(AT + HUGE, 1024, 512, KPF_ANON | KPF_HUGE, 0);
	add(AT + 2 * HUGE, WP, 0, 0);
	ptu_seen_end(&s, &v);
	CHECK_EQ(s.nr[PTU_TOTAL_HUGETLB], 1024);
	CHECK_EQ(s.nr[PTU_TOTAL_HUGETLB_PMD], 1024);
	CHECK_EQ(s.nr[PTU_TOTAL_HUGETLB_ANON], 1024);
	CHECK_EQ(s.nr[PTU_TOTAL_HUGETLB_ANON_ONCE], 1024);
	CHECK_EQ(s.nr[PTU_TOTAL_HUGETLB_EXCLUSIVE], 512);
	CHECK_EQ(s.nr[PTU_TOTAL_HUGETLB_UFFD_WP], 1);
	CHECK_EQ(s.nr[PTU_TOTAL_COW_COPIED], 1024);
	CHECK_EQ(s.cow_copied_large, 0);
	CHECK_EQ(s.nr[PTU_TOTAL_PRESENT], 0);
	CHECK_EQ(s.nr[PTU_TOTAL_ANON], 0);
	CHECK_EQ(s.nr[PTU_TOTAL_UFFD_WP], 0);
}

/* Two pages of 2 MiB; the PMD table of one of them is shared. */
UNIT_TEST(page_of_a_shared_table_is_not_mapped_once)
{
	begin(vma("rw-s", PTU_VM_HUGETLB | PTU_VM_MAYSHARE));
	v.private_hugetlb_bytes = HUGE;
	add_folio(AT, 512, 512, KPF_HUGE, 0);
	add_folio(AT + HUGE, 1024, 512, KPF_HUGE, 0);
	ptu_seen_end(&s, &v);
	CHECK_EQ(s.nr[PTU_TOTAL_HUGETLB], 1024);
	CHECK_EQ(s.nr[PTU_TOTAL_HUGETLB_ONCE], 512);
	/* the tables of a private mapping are never shared */
	begin(vma("rw-p", PTU_VM_HUGETLB));
	v.private_hugetlb_bytes = 0;
	add_folio(AT, 512, 512, KPF_HUGE, 0);
	ptu_seen_end(&s, &v);
	CHECK_EQ(s.nr[PTU_TOTAL_HUGETLB_ONCE], 512);
}

/* PAGEMAP_SCAN shows which entry has the zero page; without it, the flags do. */
UNIT_TEST(the_flag_of_the_zero_page_decides_only_without_a_scan)
{
	const struct ptu_page page = { .word = PRESENT | 7, .flags = KPF_ZERO };
	int has_scan;

	for (has_scan = 0; has_scan < 2; has_scan++) {
		ptu_seen_begin(&s, &v, "", PAGE, 512, has_scan);
		ptu_seen_add(&s, AT, &page, KPF_ZERO);
		CHECK_EQ(s.nr[PTU_TOTAL_COW_ORIGINAL], !has_scan);
		CHECK_EQ(s.nr[PTU_TOTAL_COW_SHARED], has_scan);
	}
}

UNIT_TEST(the_huge_zero_page_is_mapped_by_leaves)
{
	for (unsigned int i = 0; i < 512; i++)
		add(AT + i * PAGE, PRESENT | FILE_PAGE | (512 + i),
		    KPF_ZERO | KPF_THP, 0);
	ptu_seen_end(&s, &v);
	CHECK_EQ(s.nr[PTU_TOTAL_ZERO], 512);
	CHECK_EQ(s.nr[PTU_TOTAL_PMD_PAGES], 512);
	CHECK_EQ(s.nr[PTU_TOTAL_PTE_PAGES], 0);
	CHECK_EQ(s.nr[PTU_TOTAL_RSS], 0);
}

UNIT_TEST(every_total_has_a_name_of_its_own)
{
	unsigned int a, b;

	for (a = 0; a < PTU_NR_TOTALS; a++)
		for (b = 0; b < a; b++)
			CHECK(strcmp(ptu_total_name(a), ptu_total_name(b)));
	CHECK_STR(ptu_total_name(PTU_TOTAL_COW_SHARED), "cow_copied_shared");
	CHECK_STR(ptu_total_name(PTU_NR_TOTALS), "?");
}

UNIT_MAIN_WITH(set_up, NULL)
