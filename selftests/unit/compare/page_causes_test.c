// SPDX-License-Identifier: GPL-2.0-only
/*
 * Differences between the module's totals and those of /proc: with its evidence each
 * cause is found, and without it the difference is unexplained.
 */
#include "compare/page_causes.h"
#include "compare/page_rows.h"

#include "support/unit.h"

#define PAGE 4096
#define HUGE (512 * PAGE)
#define AT UINT64_C(0x7f0000000000)

/*
 * A mapping on which both sides agree: 10 anonymous pages, which appear in several
 * totals.
 */
struct scene {
	struct ptu_vma vma;
	struct ptu_totals kernel;
	struct ptu_seen seen;
};

static struct scene s;

/* Both sides count @nr. */
static void set(enum ptaudit_pages_key key, enum ptu_total total, uint64_t nr)
{
	s.kernel.nr[key] = nr;
	s.seen.nr[total] = nr;
}

static void agree(void)
{
	unsigned int key;

	s = (struct scene){
		.vma = { .start = AT, .end = AT + HUGE, .perms = "rw-p" }
	};

	for (key = 0; key < PTAUDIT_NR_PAGES_KEYS; key++)
		s.kernel.known[key] = true;
	s.kernel.mm = 1;
	s.seen.leaf_pages = 512;
	set(PTAUDIT_P_PRESENT, PTU_TOTAL_PRESENT, 10);
	set(PTAUDIT_P_ANON, PTU_TOTAL_ANON, 10);
	set(PTAUDIT_P_PTE_PAGES, PTU_TOTAL_PTE_PAGES, 10);
	set(PTAUDIT_P_MAPPED_ONCE, PTU_TOTAL_MAPPED_ONCE, 8);
	set(PTAUDIT_P_ANON_ONCE, PTU_TOTAL_ANON_ONCE, 8);
	set(PTAUDIT_P_EXCLUSIVE, PTU_TOTAL_EXCLUSIVE, 6);
	s.seen.nr[PTU_TOTAL_RSS] = 10;
	s.seen.nr[PTU_TOTAL_COW_COPIED] = 8;
	s.seen.nr[PTU_TOTAL_COW_SHARED] = 2;
	s.seen.leaves_known = true;
}

static enum ptu_totals_why why_of(enum ptu_total total)
{
	enum ptu_totals_why why[PTU_NR_TOTALS];

	ptu_totals_judge(&s.kernel, &s.seen, &s.vma, why);
	return why[total];
}

#define CHECK_WHY(total, why) \
	CHECK_EQ(why_of(PTU_TOTAL_##total), PTU_TOTALS_##why)

/* Number of totals with this verdict. */
static unsigned int nr_why(enum ptu_totals_why why)
{
	unsigned int total, nr = 0;

	for (total = 0; total < PTU_NR_TOTALS; total++)
		nr += why_of(total) == why;
	return nr;
}

UNIT_TEST(sides_that_agree_have_no_difference)
{
	CHECK_EQ(nr_why(PTU_TOTALS_AGREE), PTU_NR_TOTALS);
}

UNIT_TEST(a_page_more_or_less_is_unexplained)
{
	unsigned int total;

	for (total = 0; total < PTU_NR_TOTALS; total++) {
		agree();
		s.seen.nr[total]++;
		CHECK_EQ(why_of(total), PTU_TOTALS_UNEXPLAINED);
		CHECK_EQ(nr_why(PTU_TOTALS_AGREE), PTU_NR_TOTALS - 1);
		if (!--s.seen.nr[total])
			continue;
		s.seen.nr[total]--;
		CHECK_EQ(why_of(total), PTU_TOTALS_UNEXPLAINED);
	}
}

UNIT_TEST(a_kind_counted_as_another_is_two_differences)
{
	s.kernel.nr[PTAUDIT_P_ANON] = 7;
	s.kernel.nr[PTAUDIT_P_ZERO] = 3;
	CHECK_WHY(ANON, UNEXPLAINED);
	CHECK_WHY(ZERO, UNEXPLAINED);
	CHECK_WHY(PRESENT, AGREE);
}

UNIT_TEST(figures_that_the_kernel_lacks_are_not_compared)
{
	s.kernel.known[PTAUDIT_P_EXCLUSIVE] = false;
	s.seen.nr[PTU_TOTAL_EXCLUSIVE] = 3;
	CHECK_WHY(EXCLUSIVE, UNKNOWN);
}

UNIT_TEST(a_mapping_of_page_frames_is_passed_over)
{
	memset(s.seen.nr, 0, sizeof(s.seen.nr));
	s.vma.flags = PTU_VM_PFNMAP;
	CHECK_EQ(nr_why(PTU_TOTALS_UNEXPLAINED), 0);
	CHECK_WHY(PRESENT, PFNMAP);
	CHECK_WHY(SWAP, AGREE);
	/* first without the flag, then with a page that /proc shows */
	s.vma.flags = 0;
	CHECK_WHY(PRESENT, UNEXPLAINED);
	s.vma.flags = PTU_VM_PFNMAP;
	s.seen.nr[PTU_TOTAL_FILE] = 1;
	CHECK_EQ(nr_why(PTU_TOTALS_PFNMAP), 0);
	CHECK_WHY(PRESENT, UNEXPLAINED);
}

UNIT_TEST(absent_entries_of_hugetlb_mappings_have_a_cause)
{
	s.kernel.nr[PTAUDIT_P_HUGETLB_OTHER] = 512;
	CHECK_WHY(HUGETLB_OTHER, UNEXPLAINED);
	s.vma.flags = PTU_VM_HUGETLB;
	CHECK_WHY(HUGETLB_OTHER, HUGETLB_ABSENT);
	s.kernel.nr[PTAUDIT_P_HUGETLB_UFFD_WP] = 512;
	CHECK_WHY(HUGETLB_UFFD_WP, UNEXPLAINED);
}

/*
 * 512 pages of one folio mapped by PTEs, of which 100 are exclusive; and six small
 * pages.
 */
static void large(void)
{
	agree();
	s.kernel.nr[PTAUDIT_P_EXCLUSIVE] = 106;
	s.kernel.nr[PTAUDIT_P_EXCLUSIVE_LARGE] = 100;
	s.seen.anon_large = 512;
}

UNIT_TEST(exclusive_pages_of_large_folios_have_a_cause)
{
	large();
	CHECK_WHY(EXCLUSIVE, LARGE_FOLIO);
	/* more exclusive pages than pages in large folios */
	s.seen.anon_large = 99;
	CHECK_WHY(EXCLUSIVE, UNEXPLAINED);
	/* one of the small exclusive pages is missing */
	large();
	s.seen.nr[PTU_TOTAL_EXCLUSIVE] = 5;
	CHECK_WHY(EXCLUSIVE, UNEXPLAINED);
	/* the exclusive pages are not in large folios */
	large();
	s.kernel.nr[PTAUDIT_P_EXCLUSIVE_LARGE] = 0;
	CHECK_WHY(EXCLUSIVE, UNEXPLAINED);
}

UNIT_TEST(exclusive_pages_of_leaves_are_told_where_they_are_known)
{
	large();
	s.kernel.nr[PTAUDIT_P_EXCLUSIVE] = 6 + 512;
	s.kernel.nr[PTAUDIT_P_EXCLUSIVE_LARGE] = 0;
	s.kernel.nr[PTAUDIT_P_EXCLUSIVE_PMD] = 512;
	s.seen.whole = 1;
	CHECK_WHY(EXCLUSIVE, UNEXPLAINED);
	s.seen.leaves_known = false;
	CHECK_WHY(EXCLUSIVE, LARGE_FOLIO);
	/* and another folio, which PTEs map */
	s.kernel.nr[PTAUDIT_P_EXCLUSIVE] += 100;
	s.kernel.nr[PTAUDIT_P_EXCLUSIVE_LARGE] = 100;
	s.seen.anon_large = 1024;
	CHECK_WHY(EXCLUSIVE, LARGE_FOLIO);
}

/* Seven pages that are mapped once are in folios whose mapcount is an average. */
static void average(void)
{
	agree();
	s.kernel.nr[PTAUDIT_P_INEXACT] = 9;
	s.kernel.nr[PTAUDIT_P_MAPPED_ONCE] = 1;
	s.kernel.nr[PTAUDIT_P_ANON_ONCE] = 1;
	s.seen.large = 9;
	s.seen.once_large = s.seen.anon_once_large = 7;
	s.seen.cow_copied_large = 7;
}

UNIT_TEST(average_mapcounts_of_large_folios_have_a_cause)
{
	average();
	CHECK_WHY(MAPPED_ONCE, AVERAGE);
	CHECK_WHY(ANON_ONCE, AVERAGE);
	CHECK_WHY(COW_COPIED, AVERAGE);
	CHECK_WHY(COW_SHARED, AVERAGE);
	CHECK_EQ(nr_why(PTU_TOTALS_UNEXPLAINED), 0);
	/* a kernel with a mapcount per page */
	s.kernel.nr[PTAUDIT_P_INEXACT] = 0;
	CHECK_EQ(nr_why(PTU_TOTALS_UNEXPLAINED), 4);
	/* the two sides see different folios */
	average();
	s.seen.large = 8;
	CHECK_EQ(nr_why(PTU_TOTALS_UNEXPLAINED), 4);
	s.seen.large = 10;
	CHECK_EQ(nr_why(PTU_TOTALS_UNEXPLAINED), 4);
	/* one small page is missing */
	average();
	s.kernel.nr[PTAUDIT_P_MAPPED_ONCE] = 2;
	CHECK_WHY(MAPPED_ONCE, UNEXPLAINED);
}

UNIT_TEST(pmd_leaves_of_device_memory_have_a_cause)
{
	set(PTAUDIT_P_PRESENT, PTU_TOTAL_PRESENT, 522);
	set(PTAUDIT_P_SPECIAL, PTU_TOTAL_SPECIAL, 512);
	s.seen.nr[PTU_TOTAL_COW_ORIGINAL] = 512;
	s.kernel.nr[PTAUDIT_P_PMD_PAGES] = 512;
	s.kernel.nr[PTAUDIT_P_SPECIAL_PMD] = 512;
	s.seen.nr[PTU_TOTAL_PTE_PAGES] = 522;
	CHECK_WHY(PMD_PAGES, DEVICE_LEAF);
	CHECK_WHY(PTE_PAGES, DEVICE_LEAF);
	CHECK_EQ(nr_why(PTU_TOTALS_UNEXPLAINED), 0);
	s.kernel.nr[PTAUDIT_P_SPECIAL_PMD] = 0;
	CHECK_EQ(nr_why(PTU_TOTALS_UNEXPLAINED), 2);
}

UNIT_TEST(pud_leaves_of_device_memory_have_a_cause)
{
	const uint64_t nr = 512 * 512;

	set(PTAUDIT_P_PRESENT, PTU_TOTAL_PRESENT, 10 + nr);
	set(PTAUDIT_P_SPECIAL, PTU_TOTAL_SPECIAL, nr);
	s.seen.nr[PTU_TOTAL_COW_ORIGINAL] = nr;
	s.kernel.nr[PTAUDIT_P_PUD_PAGES] = nr;
	s.seen.nr[PTU_TOTAL_PTE_PAGES] = 10 + nr;
	CHECK_WHY(PUD_PAGES, DEVICE_LEAF);
	CHECK_WHY(PTE_PAGES, DEVICE_LEAF);
	CHECK_EQ(nr_why(PTU_TOTALS_UNEXPLAINED), 0);
	/* more pages in device leaves than special pages */
	set(PTAUDIT_P_SPECIAL, PTU_TOTAL_SPECIAL, nr - 1);
	CHECK_WHY(PUD_PAGES, UNEXPLAINED);
}

/* Two huge pages, one of them without access; smaps counts the other one. */
UNIT_TEST(leaves_without_access_have_a_cause)
{
	set(PTAUDIT_P_PRESENT, PTU_TOTAL_PRESENT, 1034);
	set(PTAUDIT_P_ANON, PTU_TOTAL_ANON, 1034);
	s.seen.nr[PTU_TOTAL_COW_SHARED] = 1026;
	s.kernel.nr[PTAUDIT_P_PMD_PAGES] = 1024;
	s.kernel.nr[PTAUDIT_P_PROTNONE_PMD] = 512;
	s.seen.nr[PTU_TOTAL_PMD_PAGES] = 512;
	s.seen.nr[PTU_TOTAL_PTE_PAGES] = 522;
	s.seen.nr[PTU_TOTAL_RSS] = 522;
	CHECK_WHY(PMD_PAGES, PROTNONE_LEAF);
	CHECK_WHY(PTE_PAGES, PROTNONE_LEAF);
	CHECK_WHY(RSS, PROTNONE_LEAF);
	CHECK_EQ(nr_why(PTU_TOTALS_UNEXPLAINED), 0);
	s.kernel.nr[PTAUDIT_P_PROTNONE_PMD] = 1024;
	CHECK_EQ(nr_why(PTU_TOTALS_UNEXPLAINED), 3);
}

UNIT_TEST(device_memory_in_rss_has_a_cause)
{
	set(PTAUDIT_P_PRESENT, PTU_TOTAL_PRESENT, 15);
	set(PTAUDIT_P_PTE_PAGES, PTU_TOTAL_PTE_PAGES, 15);
	set(PTAUDIT_P_SPECIAL, PTU_TOTAL_SPECIAL, 5);
	s.seen.nr[PTU_TOTAL_COW_ORIGINAL] = 5;
	CHECK_WHY(RSS, AGREE);
	s.seen.nr[PTU_TOTAL_RSS] = 15;
	CHECK_WHY(RSS, DEVICE_RSS);
	CHECK_EQ(nr_why(PTU_TOTALS_UNEXPLAINED), 0);
	s.seen.nr[PTU_TOTAL_RSS] = 14;
	CHECK_WHY(RSS, UNEXPLAINED);
	/* /proc sees a page of regular memory instead of a special one */
	s.seen.nr[PTU_TOTAL_RSS] = 15;
	s.seen.nr[PTU_TOTAL_SPECIAL] = 4;
	CHECK_WHY(RSS, UNEXPLAINED);
}

UNIT_TEST(a_leaf_counted_as_one_page_is_unexplained)
{
	set(PTAUDIT_P_PRESENT, PTU_TOTAL_PRESENT, 522);
	s.seen.nr[PTU_TOTAL_PMD_PAGES] = 512;
	s.kernel.nr[PTAUDIT_P_PRESENT] = 11;
	s.kernel.nr[PTAUDIT_P_PMD_PAGES] = 1;
	CHECK_WHY(PRESENT, UNEXPLAINED);
	CHECK_WHY(PMD_PAGES, UNEXPLAINED);
}

UNIT_TEST(a_ksm_flag_of_every_anonymous_page_has_a_cause)
{
	s.seen.nr[PTU_TOTAL_KSM] = 10;
	CHECK_WHY(KSM, UNEXPLAINED);
	s.seen.ksm_is_anon = true;
	CHECK_WHY(KSM, KSM_FLAG);
	/* not all anonymous pages have the flag KSM */
	s.seen.nr[PTU_TOTAL_KSM] = 9;
	CHECK_WHY(KSM, UNEXPLAINED);
	/* the module counts another number of anonymous pages */
	s.seen.nr[PTU_TOTAL_KSM] = 10;
	s.kernel.nr[PTAUDIT_P_ANON] = 11;
	CHECK_WHY(KSM, UNEXPLAINED);
	/* kpageflags has one more page without the flag KSM */
	s.kernel.nr[PTAUDIT_P_ANON] = 10;
	s.seen.nr[PTU_TOTAL_ANON] = 11;
	CHECK_WHY(KSM, UNEXPLAINED);
}

UNIT_TEST(leaves_that_are_being_migrated_have_a_cause)
{
	s.kernel.nr[PTAUDIT_P_PRESENT] = s.seen.nr[PTU_TOTAL_PRESENT] = 522;
	s.kernel.nr[PTAUDIT_P_PMD_PAGES] = 512;
	s.kernel.nr[PTAUDIT_P_ABSENT_PMD] = 512;
	s.seen.nr[PTU_TOTAL_PMD_PAGES] = 1024;
	s.seen.nr[PTU_TOTAL_PTE_PAGES] = 0;
	CHECK_WHY(PMD_PAGES, MOVING_LEAF);
	CHECK_WHY(PTE_PAGES, MOVING_LEAF);
	/* a different number, and none */
	s.kernel.nr[PTAUDIT_P_ABSENT_PMD] = 511;
	CHECK_WHY(PMD_PAGES, UNEXPLAINED);
	CHECK_WHY(PTE_PAGES, UNEXPLAINED);
	s.kernel.nr[PTAUDIT_P_ABSENT_PMD] = 0;
	CHECK_WHY(PMD_PAGES, UNEXPLAINED);
	/* the pages mapped by PTEs are missing as well */
	s.kernel.nr[PTAUDIT_P_ABSENT_PMD] = 512;
	s.kernel.nr[PTAUDIT_P_PTE_PAGES] = 9;
	CHECK_WHY(PTE_PAGES, UNEXPLAINED);
}

UNIT_TEST(poisoned_pages_in_rss_have_a_cause)
{
	set(PTAUDIT_P_HWPOISON, PTU_TOTAL_MOVING, 2);
	CHECK_WHY(RSS, AGREE);
	s.seen.nr[PTU_TOTAL_RSS] = 12;
	CHECK_WHY(RSS, HWPOISON);
	s.seen.nr[PTU_TOTAL_RSS] = 11;
	CHECK_WHY(RSS, UNEXPLAINED);
}

/* A process with two mappings, measured repeatedly. */
static struct ptu_vma vmas[2];
static struct ptu_totals_mapping mappings[2];
static struct ptu_totals_set two;
static struct ptu_totals_process process;

/* Let each of the three readings of mapping @i return the totals of the scene. */
static void bracket(unsigned int i)
{
	mappings[i].before = s.kernel;
	mappings[i].seen = s.seen;
	mappings[i].after = s.kernel;
}

static void set_up(void)
{
	struct ptu_totals sum = { .mm = 1 };

	agree();
	vmas[0] = vmas[1] = s.vma;
	vmas[1].start += HUGE;
	vmas[1].end += HUGE;
	memset(mappings, 0, sizeof(mappings));
	mappings[1].vma = 1;
	bracket(0);
	bracket(1);
	ptu_totals_add(&sum, &s.kernel);
	ptu_totals_add(&sum, &s.kernel);
	two = (struct ptu_totals_set){
		.vmas = { .vmas = vmas, .nr_vmas = 2 },
		.mappings = mappings,
		.nr = 2,
		.whole_before = sum,
		.whole_after = sum,
	};
	process = (struct ptu_totals_process){ 0 };
}

UNIT_TEST(mappings_sum_up_to_the_process)
{
	CHECK_EQ(ptu_totals_settle(&two), 0);
	ptu_totals_sum_up(&two, &process);
	CHECK_EQ(process.status, PTU_STATUS_OK);
	CHECK_EQ(process.unexplained, 0);
	CHECK(process.whole_checked);
	CHECK_EQ(process.mappings, 2);
	CHECK_EQ(process.rows[PTU_TOTAL_ANON].kernel, 20);
	CHECK_EQ(process.rows[PTU_TOTAL_ANON].proc, 20);
}

UNIT_TEST(a_difference_that_stays_is_unexplained)
{
	s.seen.nr[PTU_TOTAL_ANON] = 9;
	bracket(1);
	CHECK_EQ(ptu_totals_settle(&two), 1);
	CHECK(mappings[0].settled);
	CHECK_EQ(ptu_totals_settle(&two), 1);
	ptu_totals_sum_up(&two, &process);
	CHECK_EQ(process.status, PTU_STATUS_OK);
	CHECK_EQ(process.unexplained, 1);
	CHECK_EQ(process.rows[PTU_TOTAL_ANON].unexplained, 1);
	CHECK_EQ(process.nr_diffs, 1);
	CHECK_EQ(process.diffs[0].start, AT + HUGE);
	CHECK_STR(process.diffs[0].name, "anon");
}

UNIT_TEST(differences_of_two_mappings_do_not_cancel)
{
	s.seen.nr[PTU_TOTAL_ANON] += 1;
	bracket(0);
	s.seen.nr[PTU_TOTAL_ANON] -= 2;
	bracket(1);
	ptu_totals_settle(&two);
	CHECK_EQ(ptu_totals_settle(&two), 2);
	ptu_totals_sum_up(&two, &process);
	CHECK_EQ(process.rows[PTU_TOTAL_ANON].kernel,
		 process.rows[PTU_TOTAL_ANON].proc);
	CHECK_EQ(process.unexplained, 2);
	CHECK_EQ(process.causes[PTU_TOTALS_UNEXPLAINED][PTU_TOTAL_ANON].pages,
		 2);
	CHECK_EQ(process.causes[PTU_TOTALS_UNEXPLAINED][PTU_TOTAL_ANON].mappings,
		 2);
}

UNIT_TEST(a_figure_that_the_kernel_lacks_is_unknown_in_the_sum)
{
	s.kernel.known[PTAUDIT_P_EXCLUSIVE] = false;
	bracket(0);
	bracket(1);
	ptu_totals_settle(&two);
	ptu_totals_sum_up(&two, &process);
	CHECK(!process.rows[PTU_TOTAL_EXCLUSIVE].known);
	CHECK(process.rows[PTU_TOTAL_ANON].known);
	CHECK(!process.kernel.known[PTAUDIT_P_EXCLUSIVE]);
	CHECK(process.kernel.known[PTAUDIT_P_ANON]);
}

/* The whole changed in the first bracket; the second one has only one of the mappings. */
UNIT_TEST(only_a_bracket_of_all_mappings_is_compared_with_the_whole)
{
	two.whole_after.nr[PTAUDIT_P_FILE] += 3;
	s.seen.nr[PTU_TOTAL_ANON] = 9;
	bracket(1);
	CHECK_EQ(ptu_totals_settle(&two), 1);
	two.whole_after = two.whole_before;
	CHECK_EQ(ptu_totals_settle(&two), 1);
	ptu_totals_sum_up(&two, &process);
	CHECK(!process.whole_checked);
}

UNIT_TEST(a_difference_that_changes_is_in_flux)
{
	s.seen.nr[PTU_TOTAL_ANON] = 9;
	bracket(0);
	ptu_totals_settle(&two);
	s.seen.nr[PTU_TOTAL_ANON] = 8;
	bracket(0);
	CHECK_EQ(ptu_totals_settle(&two), 1);
	ptu_totals_sum_up(&two, &process);
	CHECK_EQ(process.unexplained, 0);
	CHECK_EQ(process.rows[PTU_TOTAL_ANON].in_flux, 2);
	CHECK_EQ(process.status, PTU_STATUS_OK);
}

UNIT_TEST(bracket_whose_answers_differ_settles_nothing)
{
	mappings[0].before.nr[PTAUDIT_P_SWAP] = 1;
	CHECK_EQ(ptu_totals_settle(&two), 1);
	ptu_totals_sum_up(&two, &process);
	CHECK(!process.whole_checked);
	/* the sides agree, except at the moment of the first answer */
	CHECK_EQ(process.unexplained, 0);
}

/* The difference is there again, but its mapping changed meanwhile. */
UNIT_TEST(bracket_whose_answers_differ_does_not_confirm_a_difference)
{
	s.seen.nr[PTU_TOTAL_ANON] = 9;
	bracket(0);
	CHECK_EQ(ptu_totals_settle(&two), 1);
	mappings[0].before.nr[PTAUDIT_P_SWAP] = 1;
	CHECK_EQ(ptu_totals_settle(&two), 1);
	ptu_totals_sum_up(&two, &process);
	CHECK_EQ(process.unexplained, 0);
	CHECK_EQ(process.rows[PTU_TOTAL_ANON].in_flux, 1);
}

/* The process has executed another program, whose counts are the same by chance. */
UNIT_TEST(answers_of_two_address_spaces_differ)
{
	struct ptu_totals other = s.kernel;

	CHECK(ptu_totals_same(&s.kernel, &other));
	other.mm++;
	CHECK(!ptu_totals_same(&s.kernel, &other));
}

UNIT_TEST(too_much_in_flux_is_no_measurement)
{
	s.seen.nr[PTU_TOTAL_ANON] = 1; /* 9 of 20 pages; the limit is 8 */
	s.seen.nr[PTU_TOTAL_SWAP]++;
	bracket(0);
	ptu_totals_settle(&two);
	ptu_totals_sum_up(&two, &process);
	CHECK_EQ(process.rows[PTU_TOTAL_ANON].in_flux, 9);
	CHECK_EQ(process.status, PTU_STATUS_UNSTABLE);
}

UNIT_TEST(process_is_compared_with_the_sum_of_its_mappings)
{
	two.whole_before.nr[PTAUDIT_P_FILE] += 3;
	two.whole_after.nr[PTAUDIT_P_FILE] += 3;
	CHECK_EQ(ptu_totals_settle(&two), 0);
	ptu_totals_sum_up(&two, &process);
	CHECK_EQ(process.unexplained, 3);
	CHECK_EQ(process.diffs[0].end, 0);
	CHECK_STR(process.diffs[0].name, "file");
}

UNIT_TEST(every_cause_has_a_name_and_a_sentence)
{
	unsigned int why;

	for (why = PTU_TOTALS_PFNMAP; why < PTU_NR_TOTALS_WHY; why++) {
		CHECK(strcmp(ptu_totals_why_name(why), "?"));
		CHECK(*ptu_totals_why_sentence(why));
	}
}

UNIT_MAIN_WITH(set_up, NULL)
