// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rows of a report add up, the sums close to the byte, and the limits of flux are
 * kept.
 */
#include "compare/table_rows.h"

#include <stdlib.h>

#include "support/build.h"
#include "support/levels.h"
#include "support/unit.h"

#define A UINT64_C(0x7f0000000000)

static struct build b;
static struct ptu_tables claims;
static struct ptu_diffs diffs;
static struct ptu_process p;

/* The process as it is before a tally. */
static void process_init(void)
{
	ptu_process_deinit(&p);
	p = (struct ptu_process){ .pid = 4242 };
}

static void set_up(void)
{
	build_init(&b, 4, false);
	process_init();
}

static void tear_down(void)
{
	build_deinit(&b);
	ptu_tables_deinit(&claims);
	ptu_diffs_deinit(&diffs);
	process_init();
}

static struct ptu_diff *add(unsigned int level, uint64_t start, bool kernel,
			    unsigned int claim, enum ptu_why why)
{
	diffs.diffs = realloc(diffs.diffs,
			      (diffs.nr_diffs + 1) * sizeof(*diffs.diffs));
	if (!diffs.diffs)
		abort();
	diffs.diffs[diffs.nr_diffs] = (struct ptu_diff){
		.start = start,
		.level = level,
		.kernel = kernel,
		.why = why,
		.stable = true,
		.claim = claim,
		.record.pages = kernel,
	};
	return &diffs.diffs[diffs.nr_diffs++];
}

static void tally(void)
{
	struct ptu_snapshot kernel = build_snapshot(&b);

	process_init();
	if (ptu_tally_check(&diffs, &kernel, &b.geo, &p))
		abort();
	ptu_snapshot_deinit(&kernel);
}

UNIT_TEST(each_difference_is_in_the_row_of_its_level)
{
	const struct ptu_level_row *row = &p.levels[PTE];

	diffs.matched[PTE] = 10;
	diffs.matched[PMD] = 3;
	add(PTE, A, true, 0, PTU_WHY_EMPTY);
	add(PTE, A + 2 * MIB, true, 0, PTU_WHY_EMPTY);
	add(PTE, A + 4 * MIB, true, 0, PTU_WHY_UNEXPLAINED);
	add(PTE, A + 6 * MIB, true, PTU_POSSIBLE, PTU_WHY_SETTLED);
	add(PTE, A + 8 * MIB, true, 0, PTU_WHY_IN_FLUX);
	add(PTE, A + 10 * MIB, false, PTU_CERTAIN, PTU_WHY_HUGE_LEAF);
	add(PTE, A + 12 * MIB, false, PTU_CERTAIN, PTU_WHY_UNEXPLAINED);
	add(PTE, A + 14 * MIB, false, PTU_POSSIBLE, PTU_WHY_UNDECIDED);
	add(PTE, A + 16 * MIB, false, PTU_MAYBE, PTU_WHY_SETTLED);
	add(PMD, A + 18 * MIB, true, 0, PTU_WHY_UNEXPLAINED)->leaf = true;
	tally();
	CHECK_EQ(row->kernel, 10 + 5);
	CHECK_EQ(row->estimate, 10 + 2);
	CHECK_EQ(row->low, 12);
	CHECK_EQ(row->high, 10 + 2 + 3);
	CHECK_EQ(row->kernel_only, 5);
	CHECK_EQ(row->estimate_only, 2);
	CHECK_EQ(row->explained, 2 + 1 + 1);
	CHECK_EQ(row->in_flux, 1);
	CHECK_EQ(row->unexplained, 3);
	CHECK_EQ(row->undecided, 1);
	CHECK_EQ(p.levels[PMD].kernel, 3);
	CHECK_EQ(p.levels[PMD].unexplained, 0);
	/* a PTU_MAYBE that was settled as nothing is in no row of causes */
	CHECK_EQ(p.nr_causes, 4);
	CHECK_EQ(p.causes[2].why, PTU_WHY_SETTLED);
	CHECK_EQ(p.causes[2].tables, 1);
	/* three tables and the leaf */
	CHECK_EQ(p.nr_unexplained, 4);
	CHECK_EQ(ptu_process_unexplained(&p), 4);
}

/* All combinations of kernel, claim and cause, one table each. */
UNIT_TEST(the_rows_identities_hold_for_every_difference)
{
	static const enum ptu_why open[] = { PTU_WHY_UNEXPLAINED,
					     PTU_WHY_UNDECIDED };
	unsigned int kernel, claim, why;

	for (kernel = 0; kernel < 2; kernel++)
		for (claim = 0; claim <= PTU_MAYBE; claim++)
			for (why = 0; why < PTU_NR_WHYS; why++) {
				bool certain = claim == PTU_CERTAIN;
				bool alone = kernel != certain;
				const struct ptu_level_row *row;
				/* combinations that ptu_explain() never produces */
				if (claim == PTU_LEAF || (!kernel && !claim) ||
				    (why == open[0] && !alone) ||
				    (why == open[1] && (kernel || certain)))
					continue;
				tear_down();
				set_up();
				diffs.matched[PTE] = 7;
				add(PTE, A, kernel, claim, why);
				tally();
				row = &p.levels[PTE];
				CHECK_EQ(row->kernel,
					 row->estimate + row->kernel_only -
						 row->estimate_only);
				CHECK_EQ(row->kernel_only + row->estimate_only,
					 row->explained + row->in_flux +
						 row->unexplained -
						 row->undecided);
				CHECK_EQ(row->high, 7 + !!claim);
				CHECK_EQ(row->kernel, 7 + kernel);
			}
}

UNIT_TEST(a_cause_has_a_row_with_its_tables_bytes_and_range)
{
	add(PTE, A + 8 * MIB, true, 0, PTU_WHY_EMPTY);
	add(PTE, A, true, 0, PTU_WHY_EMPTY);
	add(PTE, A + 10 * MIB, true, 0, PTU_WHY_EMPTY);
	add(PTE, A + 2 * MIB, false, PTU_CERTAIN, PTU_WHY_HUGE_LEAF);
	add(PTE, A + 4 * MIB, true, 0, PTU_WHY_IN_FLUX);
	add(PMD, A + GIB, true, 0, PTU_WHY_HOLLOW)->record.pages = 2;
	add(PTE, A + 6 * MIB, true, 0, PTU_WHY_UNEXPLAINED);
	tally();
	CHECK_EQ(p.nr_causes, 4);
	CHECK_EQ(p.causes[0].why, PTU_WHY_HOLLOW);
	CHECK_EQ(p.causes[0].level, PMD);
	CHECK_EQ(p.causes[0].bytes, 8192);
	CHECK_EQ(p.causes[0].start, A + GIB);
	CHECK_EQ(p.causes[0].end, A + 2 * GIB);
	CHECK_EQ(p.causes[1].why, PTU_WHY_EMPTY);
	CHECK_EQ(p.causes[1].tables, 3);
	CHECK_EQ(p.causes[1].bytes, 12288);
	CHECK_EQ(p.causes[1].start, A);
	CHECK_EQ(p.causes[1].end, A + 12 * MIB);
	CHECK_EQ(p.causes[2].why, PTU_WHY_HUGE_LEAF);
	CHECK_EQ(p.causes[2].bytes, 4096);
	CHECK_EQ(p.causes[3].why, PTU_WHY_IN_FLUX);
}

UNIT_TEST(unexplained_table_is_listed_with_side_and_range)
{
	add(PTE, A, true, 0, PTU_WHY_UNEXPLAINED)->record.used = 3;
	add(PTE, A + 2 * MIB, false, PTU_POSSIBLE, PTU_WHY_UNDECIDED);
	add(PMD, A + 4 * MIB, false, PTU_LEAF, PTU_WHY_UNEXPLAINED)->leaf = true;
	add(PTE, A + 6 * MIB, true, 0, PTU_WHY_EMPTY);
	tally();
	CHECK_EQ(p.nr_unexplained, 3);
	CHECK_EQ(p.unexplained[0].start, A);
	CHECK_EQ(p.unexplained[0].end, A + 2 * MIB);
	CHECK_EQ(p.unexplained[0].side, PTU_SIDE_KERNEL);
	CHECK_EQ(p.unexplained[0].entries, 3);
	CHECK_EQ(p.unexplained[1].side, PTU_SIDE_ESTIMATE);
	CHECK_EQ(p.unexplained[1].why, PTU_WHY_UNDECIDED);
	CHECK_EQ(p.unexplained[2].leaf, true);
	CHECK_EQ(p.unexplained[2].end, A + 6 * MIB);
}

UNIT_TEST(bytes_and_leaves_are_those_of_the_kernel)
{
	build_deinit(&b);
	build_init(&b, 4, true);
	build_pte(&b, A, 1);
	build_pte(&b, A + 2 * MIB, 1);
	build_entries(&b, PMD, A + 4 * MIB, 3, PTAUDIT_K_LEAF, 0);
	build_entries(&b, PMD, A + 20 * MIB, 2, PTAUDIT_K_LEAF, 0);
	build_entries(&b, PMD, A + 30 * MIB, 2, PTAUDIT_K_SWAP, 0);
	build_entries(&b, PUD, A + GIB, 1, PTAUDIT_K_LEAF, 0);
	tally();
	CHECK_EQ(p.leaves[PMD], 5);
	CHECK_EQ(p.leaves[PUD], 1);
	CHECK_EQ(p.levels[PTE].bytes, 8192);
	CHECK_EQ(p.levels[PMD].bytes, 4096);
	CHECK_EQ(p.levels[PGD].bytes, 8192);
}

UNIT_TEST(deposits_of_all_pmd_tables_are_added)
{
	struct ptu_snapshot kernel;

	build_table(&b, PMD, A)->deposited = 3;
	build_table(&b, PMD, A + GIB)->deposited = 4;
	build_table(&b, PMD, A + 2 * GIB);
	kernel = build_snapshot(&b);
	CHECK_EQ(ptu_tally_tables(&kernel, &b.geo, &p), 0);
	CHECK_EQ(p.deposited_tables, 7);
	CHECK_EQ(p.levels[PMD].kernel, 3);
	CHECK_EQ(p.levels[PUD].kernel, 1);
	ptu_snapshot_deinit(&kernel);
}

UNIT_TEST(shared_tables_are_listed_by_address)
{
	struct ptaudit_table *first, *second;

	build_pte(&b, A, 1);
	second = build_entries(&b, PMD, A + 3 * GIB, 3, PTAUDIT_K_LEAF, 0);
	first = build_table(&b, PMD, A + GIB);
	first->flags = second->flags = PTAUDIT_T_HUGETLB;
	first->sharers = 4;
	second->sharers = 1;
	/* a table with the same flag, but not shared */
	build_table(&b, PMD, A + 5 * GIB)->flags = PTAUDIT_T_HUGETLB;
	tally();
	CHECK_EQ(p.nr_shared, 2);
	CHECK_EQ(p.shared[0].level, PMD);
	CHECK_EQ(p.shared[0].start, A + GIB);
	CHECK_EQ(p.shared[0].end, A + 2 * GIB);
	CHECK_EQ(p.shared[0].pfn, first->pfn);
	CHECK_EQ(p.shared[0].sharers, 4);
	CHECK_EQ(p.shared[0].pages, 1);
	CHECK_EQ(p.shared[1].start, A + 3 * GIB);
	CHECK_EQ(p.shared[1].pfn, second->pfn);
	CHECK_EQ(p.shared[1].sharers, 1);
}

/* The status if @in_flux of @tables tables are in flux. */
static enum ptu_status flux(unsigned int in_flux, unsigned int tables)
{
	tear_down();
	set_up();
	diffs.matched[PTE] = tables - in_flux;
	for (unsigned int i = 0; i < in_flux; i++)
		add(PTE, A + i * 2 * MIB, true, 0, PTU_WHY_IN_FLUX);
	tally();
	if ((p.status == PTU_STATUS_OK) != !p.error[0] ||
	    (p.error[0] &&
	     (!strstr(p.error, "4242") || !strstr(p.error, "kept changing"))))
		UNIT_FAIL("the error is '%s'", p.error);
	if (p.nr_unexplained)
		UNIT_FAIL("tables in flux were counted as unexplained");
	return p.status;
}

UNIT_TEST(eight_tables_or_5_percent_may_be_in_flux)
{
	CHECK_EQ(flux(0, 10), PTU_STATUS_OK);
	CHECK_EQ(flux(8, 8), PTU_STATUS_OK);
	CHECK_EQ(flux(9, 9), PTU_STATUS_UNSTABLE);
	CHECK_EQ(flux(9, 179), PTU_STATUS_UNSTABLE);
	CHECK_EQ(flux(9, 180), PTU_STATUS_OK);
	CHECK_EQ(flux(50, 1000), PTU_STATUS_OK);
	CHECK_EQ(flux(51, 1000), PTU_STATUS_UNSTABLE);
}

/*
 * The distance of VmPTE from the sum.  @counters: at the end of the first walk, and
 * before and after the second one.
 */
static uint64_t distance(const uint64_t counters[3], uint64_t vmpte_bytes)
{
	struct ptu_snapshot before = build_snapshot(&b);
	struct ptu_snapshot after = build_snapshot(&b);

	before.header.pgtables_bytes_after = counters[0];
	after.header.pgtables_bytes_before = counters[1];
	after.header.pgtables_bytes_after = counters[2];
	process_init();
	ptu_tally_vmpte(&before, &after, vmpte_bytes, &b.geo, &p);
	ptu_snapshot_deinit(&before);
	ptu_snapshot_deinit(&after);
	return p.vmpte_unexplained_bytes;
}

#define DISTANCE(c0, c1, c2, vmpte) \
	distance((const uint64_t[]){ c0, c1, c2 }, vmpte)

UNIT_TEST(the_sum_is_vmpte_to_the_byte_or_the_difference_is_printed)
{
	/* 2 PTE, 1 PMD, 1 PUD tables and 3 deposited ones; VmPTE does not count the PGD */
	const uint64_t sum = 7 * 4096;

	build_deinit(&b);
	build_init(&b, 4, true);
	build_pte(&b, A, 1);
	build_pte(&b, A + 2 * MIB, 0);
	build_entries(&b, PMD, A + 4 * MIB, 3, PTAUDIT_K_LEAF, 0)->deposited = 3;
	CHECK_EQ(DISTANCE(sum, sum, sum, sum), 0);
	CHECK(p.has_vmpte);
	CHECK_EQ(p.vmpte_bytes, sum);
	CHECK_EQ(p.tree_bytes, 4 * 4096);
	CHECK_EQ(p.deposited_tables, 3);
	CHECK_EQ(ptu_process_unexplained(&p), 0);

	CHECK_EQ(DISTANCE(sum + 4096, sum + 4096, sum + 4096, sum + 4096),
		 4096);
	CHECK_EQ(ptu_process_unexplained(&p), 1);
	CHECK_EQ(DISTANCE(sum - 4096, sum - 4096, sum - 4096, sum - 4096),
		 4096);
	CHECK_EQ(DISTANCE(sum + 1, sum + 1, sum + 1, sum + 1), 1);
}

UNIT_TEST(a_counter_that_moved_leaves_a_span)
{
	const uint64_t sum = 3 * 4096;

	build_pte(&b, A, 1);
	CHECK_EQ(DISTANCE(sum - 4096, sum, sum, sum - 4096), 0);
	CHECK_EQ(DISTANCE(sum, sum, sum + 8192, sum), 0);
	CHECK_EQ(DISTANCE(sum - 8192, sum + 4096, sum + 4096, sum + 4096), 0);
	CHECK_EQ(DISTANCE(sum - 8192, sum - 4096, sum - 8192, sum - 8192),
		 4096);
	CHECK_EQ(DISTANCE(sum + 8192, sum + 12288, sum + 8192, sum + 8192),
		 8192);
}

/* It is compared once more. */
UNIT_TEST(a_counter_that_is_in_its_span_again_did_not_leave_it)
{
	struct ptu_snapshot walk;

	build_pte(&b, A, 1);
	walk = build_snapshot(&b);
	walk.header.pgtables_bytes_before = 3 * 4096;
	walk.header.pgtables_bytes_after = 3 * 4096;
	process_init();
	ptu_tally_vmpte_moved(&p);
	CHECK(p.vmpte_left_span);
	ptu_tally_vmpte(&walk, &walk, 3 * 4096, &b.geo, &p);
	CHECK(!p.vmpte_left_span);
	ptu_snapshot_deinit(&walk);
}

/* A split makes a table of the tree of a deposited one. */
UNIT_TEST(tables_that_came_or_went_change_the_sum_but_a_split_does_not)
{
	struct ptaudit_table before[] = {
		{ .type = PTAUDIT_TABLE,
		  .level = PMD,
		  .pages = 1,
		  .deposited = 3 },
		{ .type = PTAUDIT_TABLE, .level = PTE, .pages = 1 },
	};
	struct ptaudit_table after[] = {
		{ .type = PTAUDIT_TABLE,
		  .level = PMD,
		  .pages = 1,
		  .deposited = 2 },
		{ .type = PTAUDIT_TABLE, .level = PTE, .pages = 1 },
		{ .type = PTAUDIT_TABLE, .level = PTE, .pages = 1 },
	};
	struct ptu_snapshot first = { .records = before, .nr_records = 2 };
	struct ptu_snapshot second = { .records = after, .nr_records = 3 };

	CHECK(ptu_vmpte_sums_equal(&first, &second, &b.geo));
	CHECK(ptu_vmpte_sums_equal(&second, &first, &b.geo));
	/* 1 + 3 + 1 tables, and 1 + 1 + 2 or 1 + 3 + 2 */
	after[0].deposited = 1;
	CHECK(!ptu_vmpte_sums_equal(&first, &second, &b.geo));
	after[0].deposited = 3;
	CHECK(!ptu_vmpte_sums_equal(&first, &second, &b.geo));
}

UNIT_TEST(a_p4d_table_is_not_in_vmpte)
{
	const uint64_t sum = 3 * 4096;

	build_deinit(&b);
	build_init(&b, 5, false);
	build_pte(&b, A, 1);
	CHECK_EQ(DISTANCE(sum, sum, sum, sum), 0);
	CHECK_EQ(DISTANCE(sum + 4096, sum + 4096, sum + 4096, sum + 4096),
		 4096);
}

UNIT_TEST(low_counts_certain_tables_and_high_counts_possible_ones_too)
{
	uint64_t low[PTAUDIT_NR_LEVELS], high[PTAUDIT_NR_LEVELS];

	build_claim(&claims, &b.geo, PTE, A, PTU_CERTAIN);
	build_claim(&claims, &b.geo, PTE, A + 2 * MIB, PTU_POSSIBLE);
	build_claim(&claims, &b.geo, PTE, A + GIB, PTU_MAYBE);
	build_claim(&claims, &b.geo, PMD, A + 4 * MIB, PTU_LEAF);
	ptu_tally_claims(&claims, low, high);
	CHECK_EQ(low[PTE], 1);
	CHECK_EQ(high[PTE], 3);
	CHECK_EQ(low[PMD], 1);
	CHECK_EQ(high[PMD], 2);
	CHECK_EQ(low[PGD], 1);
	CHECK_EQ(high[PGD], 1);
}

UNIT_TEST(without_a_kernel_side_vmpte_leaves_a_residual)
{
	struct ptu_vma vmas[] = { { .anon_huge_bytes = 4 * MIB },
				  { .anon_huge_bytes = 2 * MIB } };
	const struct ptu_vmas set = { .vmas = vmas, .nr_vmas = 2 };

	build_claim(&claims, &b.geo, PTE, A, PTU_CERTAIN);
	build_claim(&claims, &b.geo, PTE, A + 2 * MIB, PTU_POSSIBLE);
	ptu_tally_estimate(&claims, &set, &b.geo, 8 * 4096, &p);
	CHECK_EQ(p.levels[PTE].estimate, 1);
	CHECK_EQ(p.levels[PTE].high, 2);
	CHECK_EQ(p.levels[PTE].bytes, 4096);
	CHECK_EQ(p.tree_bytes, 3 * 4096);
	CHECK_EQ(p.deposited_tables, 3);
	CHECK_EQ(p.residual_bytes, 2 * 4096);
	process_init();
	ptu_tally_estimate(&claims, &set, &b.geo, 4 * 4096, &p);
	CHECK_EQ(p.residual_bytes, -2 * 4096);
}

/* A PGD of two pages, one table of each other level, and two deposited tables. */
UNIT_TEST(estimated_table_memory_has_both_pgd_pages_and_deposits)
{
	struct ptu_vma vma = { .anon_huge_bytes = 4 * MIB };
	const struct ptu_vmas set = { .vmas = &vma, .nr_vmas = 1 };
	const struct ptu_report report = { .page_bytes = 4096 };

	b.geo.pti = true;
	build_claim(&claims, &b.geo, PTE, A, PTU_CERTAIN);
	ptu_tally_estimate(&claims, &set, &b.geo, 5 * 4096, &p);
	CHECK_EQ(p.levels[PGD].bytes, 2 * 4096);
	CHECK_EQ(p.residual_bytes, 0);
	CHECK_EQ(ptu_process_table_bytes(&report, &p), (2 + 3 + 2) * 4096);
}

/* Three leaves in each of four mappings: which of them have a deposited table? */
UNIT_TEST(a_deposit_goes_with_each_anonymous_leaf)
{
	struct ptu_vma vmas[] = {
		/*
		 * the first: smaps was not read, or shows that two leaves are the huge zero
		 * page
		 */
		{ .start = A, .end = A + 6 * MIB, .anon_huge_bytes = 2 * MIB },
		/* a file: one page is a copy */
		{ .start = A + 6 * MIB,
		  .end = A + 12 * MIB,
		  .inode = 7,
		  .anon_huge_bytes = 2 * MIB },
		/* System V shared memory with the ID 0 */
		{ .start = A + 12 * MIB, .end = A + 18 * MIB, .device = 8 },
		{ .start = A + 18 * MIB,
		  .end = A + 24 * MIB,
		  .flags = PTU_VM_HUGETLB },
	};
	const struct ptu_vmas set = { .vmas = vmas, .nr_vmas = 4 };

	for (unsigned int i = 0; i < 12; i++)
		build_claim(&claims, &b.geo, PMD, A + i * 2 * MIB, PTU_LEAF);
	/* PMD and PUD table, and four deposited tables */
	ptu_tally_estimate(&claims, &set, &b.geo, 6 * 4096, &p);
	CHECK_EQ(p.deposited_tables, 4);
	CHECK_EQ(p.residual_bytes, 0);
}

UNIT_MAIN_WITH(set_up, tear_down)
