// SPDX-License-Identifier: GPL-2.0-only
/*
 * Adjacent mappings are joined, the worst one is named in a sentence, and rows are
 * sorted.
 */
#include "compare/top_why.h"

#include <stdlib.h>

#include "support/build.h"
#include "support/unit.h"

#define PAGE 4096

/*
 * A mapping with @tables PTE tables, of which @empty are empty; the others have one
 * entry each.
 */
static struct ptu_mapping_row row(uint64_t start, uint64_t end,
				  const char *path, unsigned int tables,
				  unsigned int empty)
{
	struct ptu_mapping_row ret = {
		.start = start, .end = end, .perms = "rw-p", .path = path
	};

	ret.low[PTAUDIT_PTE] = ret.high[PTAUDIT_PTE] = tables;
	for (unsigned int i = 0; i < tables; i++)
		ptu_fill_add(&ret.fill, i >= empty, 512);
	return ret;
}

UNIT_TEST(neighbours_of_one_kind_share_a_row)
{
	const struct ptu_mapping_row rows[] = {
		row(GIB, GIB + MIB, "/lib/a", 1, 0),
		row(GIB + MIB, GIB + 2 * MIB, "/lib/a", 2, 1),
		row(GIB + 2 * MIB, GIB + 3 * MIB, "", 3, 3),
		/* a guard page without tables must not separate them */
		row(GIB + 3 * MIB, GIB + 4 * MIB, "", 0, 0),
		row(GIB + 4 * MIB, 2 * GIB, "", 4, 0),
		/* as far away as the reach of a PMD table */
		row(3 * GIB, 3 * GIB + MIB, "", 5, 5),
		/* in no mapping */
		{ .start = 4 * GIB, .end = 5 * GIB, .high = { 1 }, .path = "" },
	};
	struct ptu_top_row *joined;
	size_t nr;

	CHECK(!ptu_top_join(rows, 7, &four_levels, true, &joined, &nr));
	CHECK_EQ(nr, 4);
	CHECK_STR(joined[0].name, "/lib/a");
	CHECK_EQ(joined[0].start, GIB);
	CHECK_EQ(joined[0].end, GIB + 2 * MIB);
	CHECK_EQ(joined[0].mapped_bytes, 2 * MIB);
	CHECK_EQ(joined[0].nr_mappings, 2);
	CHECK_EQ(joined[0].total_bytes, 3 * PAGE);
	CHECK_EQ(joined[0].empty_tables, 1);
	CHECK_STR(joined[1].name, "[anon]");
	CHECK_EQ(joined[1].end, 2 * GIB);
	CHECK_EQ(joined[1].total_bytes, 7 * PAGE);
	CHECK_EQ(joined[1].empty_tables, 3);
	CHECK_EQ(joined[1].mapped_bytes, GIB - 2 * MIB);
	CHECK_EQ(joined[1].nr_mappings, 3);
	CHECK_EQ(joined[2].start, 3 * GIB);
	CHECK_EQ(joined[2].empty_tables, 5);
	CHECK_EQ(joined[3].nr_mappings, 0);
	free(joined);
}

static void why(const struct ptu_mapping_row *rows, size_t nr_rows,
		struct ptu_top_row *ret)
{
	struct ptu_top_row *joined;
	size_t nr;

	if (ptu_top_join(rows, nr_rows, &four_levels, true, &joined, &nr)) {
		UNIT_FAIL("no memory");
		return;
	}
	ptu_top_say_why(joined, nr, 0, PAGE, ret);
	free(joined);
}

UNIT_TEST(the_sentence_names_the_mapping_with_most_unused_entries)
{
	const struct ptu_mapping_row rows[] = {
		row(GIB, GIB + 2 * MIB, "[heap]", 1, 0),
		row(0x7f33cc800000, 0x7f33cc800000 + 2 * GIB, "", 100, 96),
	};
	const struct ptu_mapping_row half[] = {
		row(GIB, GIB + MIB + MIB / 2, "[heap]", 2, 1),
	};
	struct ptu_mapping_row hollow[] = {
		rows[1],
		row(0x7f43cc800000, 0x7f43cc800000 + 2 * GIB, "[heap]", 0, 0),
	};
	struct ptu_top_row ret = { .has_empty = true };

	why(rows, 2, &ret);
	CHECK_STR(ret.why, "96 % empty: [anon] 0x7f33cc800000, 2G");
	/* 96 of 100 PTE tables and all 20 above them: 116 of 120 */
	hollow[0].fill.hollow = 20;
	why(hollow, 1, &ret);
	CHECK_STR(ret.why, "96 % empty: [anon] 0x7f33cc800000, 2G");
	/* no PTE table, but those above */
	hollow[1].low[PTAUDIT_PMD] = hollow[1].high[PTAUDIT_PMD] = 600;
	hollow[1].fill.hollow = 600;
	why(hollow, 2, &ret);
	CHECK_STR(ret.why, "100 % empty: [heap] 0x7f43cc800000, 2G");
	/* one entry of 512 is 0.2 % */
	why(rows, 1, &ret);
	CHECK_STR(ret.why, "0.2 % full: [heap] 0x40000000, 2M");
	/* half of the tables are empty; sizes are exact below 10 MiB */
	why(half, 1, &ret);
	CHECK_STR(ret.why, "50 % empty: [heap] 0x40000000, 1536K");
}

/* If the number of one mapping is unknown, so is the sum of the row. */
UNIT_TEST(neighbours_add_up_their_deposits)
{
	struct ptu_mapping_row rows[] = {
		row(GIB, GIB + 2 * MIB, "", 1, 0),
		row(GIB + 2 * MIB, GIB + 4 * MIB, "", 1, 0),
		row(GIB + 4 * MIB, GIB + 6 * MIB, "/lib/a", 1, 0),
		row(GIB + 6 * MIB, GIB + 8 * MIB, "/lib/a", 1, 0),
		row(GIB + 8 * MIB, GIB + 9 * MIB, "[heap]", 1, 0),
	};
	struct ptu_top_row *joined;
	size_t nr;

	rows[0].deposited = 3;
	rows[1].deposited = 20;
	rows[2].deposited_unsure = true;
	/* also by an estimator that does not see empty tables */
	CHECK(!ptu_top_join(rows, 5, &four_levels, false, &joined, &nr));
	CHECK_EQ(nr, 3);
	CHECK(joined[0].has_deposited);
	CHECK_EQ(joined[0].deposited_tables, 23);
	CHECK(!joined[1].has_deposited);
	CHECK(joined[2].has_deposited);
	CHECK_EQ(joined[2].deposited_tables, 0);
	CHECK(ptu_top_order(PTU_TOP_MAPPINGS, joined, nr, "DEPOSITED"));
	CHECK_STR(joined[0].name, "[anon]");
	CHECK_STR(joined[1].name, "[heap]");
	CHECK_STR(joined[2].name, "/lib/a");
	free(joined);
}

UNIT_TEST(uncounted_entries_are_not_reported_as_missing_tables)
{
	struct ptu_mapping_row rows[] = {
		row(GIB, GIB + 8 * MIB, "[heap]", 0, 0),
	};
	struct ptu_top_row ret = { .total_bytes = 4 * PAGE };

	why(rows, 1, &ret);
	CHECK_STR(ret.why, "no PTE tables: huge pages, or nothing mapped");
	rows[0].low[PTAUDIT_PTE] = rows[0].high[PTAUDIT_PTE] = 4;
	rows[0].fill.tables = ret.fill.tables = 4;
	why(rows, 1, &ret);
	CHECK_STR(ret.why, "the estimator does not count used entries");
}

UNIT_TEST(gaps_between_neighbours_are_not_mapped)
{
	const struct ptu_mapping_row rows[] = {
		row(GIB, GIB + 2 * MIB, "", 1, 1),
		row(GIB + 512 * MIB, GIB + 513 * MIB, "", 1, 1),
		/* without tables, and with a gap before it */
		row(GIB + 600 * MIB, GIB + 602 * MIB, "", 0, 0),
	};
	struct ptu_top_row ret = { .has_empty = true }, *joined;
	size_t nr;

	CHECK(!ptu_top_join(rows, 3, &four_levels, true, &joined, &nr));
	CHECK_EQ(nr, 1);
	CHECK_EQ(joined[0].end - joined[0].start, 602 * MIB);
	CHECK_EQ(joined[0].mapped_bytes, (2 + 1 + 2) * MIB);
	free(joined);
	why(rows, 3, &ret);
	CHECK_STR(ret.why, "100 % empty: [anon] 0x40000000, 5M");
}

/* Stacks of 8 MiB, each behind a guard page, as glibc maps them. */
UNIT_TEST(the_sentence_has_the_number_of_many_mappings)
{
	struct ptu_mapping_row rows[18];
	struct ptu_top_row ret = { .has_empty = true };
	uint64_t end = GIB;

	for (size_t i = 0; i < 18; i += 2) {
		rows[i] = row(end, end + PAGE, "", 0, 0);
		end += 8 * MIB;
		rows[i + 1] = row(end - 8 * MIB + PAGE, end, "", 1, 0);
	}
	/* 8 stacks, and 7 guard pages between them: 64 MiB without a page */
	why(rows, 16, &ret);
	CHECK_STR(ret.why, "0.2 % full: [anon] 0x40001000, 63M");
	/* and a guard page more */
	why(rows, 17, &ret);
	CHECK_STR(ret.why, "0.2 % full: [anon] 0x40001000, 64M");
	/* one more of each */
	why(rows, 18, &ret);
	CHECK_STR(ret.why, "0.2 % full: [anon] 0x40001000, 71M in 17 mappings");
}

UNIT_TEST(full_tables_are_blamed_on_the_largest_mapping)
{
	struct ptu_mapping_row rows[] = {
		row(GIB, GIB + 2 * MIB, "[heap]", 1, 0),
		row(2 * GIB, 2 * GIB + 8 * MIB, "/dev/zero", 0, 0),
	};
	/* the five tables, and five that no row has: deposits and the PGD */
	struct ptu_top_row ret = { .has_empty = true,
				   .total_bytes = 10 * PAGE };

	memcpy(rows[1].perms, "rw-s", 5);
	rows[1].low[PTAUDIT_PTE] = rows[1].high[PTAUDIT_PTE] = 4;
	/*
	 * 511 entries of the heap and 128 here are unused: 639 of 2560, less than a quarter
	 */
	for (unsigned int i = 0; i < 4; i++)
		ptu_fill_add(&rows[1].fill, i ? 512 : 384, 512);
	why(rows, 2, &ret);
	/* 4 of 10 tables; 1920 of 2048 entries are 93.75 %, rounded */
	CHECK_STR(ret.why,
		  "40 % of its tables: /dev/zero 0x80000000, 8M shared, 93.8 % full");
	/* only these five tables were read */
	ret.is_part = true;
	why(rows, 2, &ret);
	CHECK_STR(ret.why,
		  "of the part that was read, 80 %: /dev/zero 0x80000000, 8M shared, 93.8 % full");
	/* TOTAL is older than the tables: the process has grown */
	ret.is_part = false;
	ret.total_bytes = 3 * PAGE;
	why(rows, 2, &ret);
	CHECK_STR(ret.why,
		  "100 % of its tables: /dev/zero 0x80000000, 8M shared, 93.8 % full");
	/* one entry fewer: 640 of 2560 are a quarter, and the heap has most of them */
	memset(&rows[1].fill, 0, sizeof(rows[1].fill));
	for (unsigned int i = 0; i < 4; i++)
		ptu_fill_add(&rows[1].fill, i ? 512 : 383, 512);
	why(rows, 2, &ret);
	CHECK_STR(ret.why, "0.2 % full: [heap] 0x40000000, 2M");
}

UNIT_TEST(tables_that_are_full_of_markers_are_not_said_to_be_full_of_pages)
{
	struct ptu_mapping_row rows[] = {
		row(GIB, GIB + 4 * MIB, "", 0, 0),
	};
	struct ptu_top_row ret = { .has_empty = true, .total_bytes = 2 * PAGE };

	rows[0].low[PTAUDIT_PTE] = rows[0].high[PTAUDIT_PTE] = 2;
	ptu_fill_add(&rows[0].fill, 512, 512);
	ptu_fill_add(&rows[0].fill, 384, 512);
	rows[0].fill.markers = 896;
	why(rows, 1, &ret);
	CHECK_STR(ret.why,
		  "100 % of its tables: [anon] 0x40000000, 4M, 87.5 % full of markers");
	rows[0].fill.markers = 448;
	why(rows, 1, &ret);
	CHECK_STR(ret.why,
		  "100 % of its tables: [anon] 0x40000000, 4M, 87.5 % full, mostly of markers");
	rows[0].fill.markers = 447;
	why(rows, 1, &ret);
	CHECK_STR(ret.why,
		  "100 % of its tables: [anon] 0x40000000, 4M, 87.5 % full");
	/* one guard page in a table, as of the stack of a thread */
	memset(&rows[0].fill, 0, sizeof(rows[0].fill));
	ptu_fill_add(&rows[0].fill, 1, 512);
	ptu_fill_add(&rows[0].fill, 1, 512);
	rows[0].fill.markers = 2;
	why(rows, 1, &ret);
	CHECK_STR(ret.why, "0.2 % full of markers: [anon] 0x40000000, 4M");
}

/* Half of the largest mapping's tables are deposited; a file does not show whose these are. */
UNIT_TEST(the_share_of_a_mapping_includes_its_deposits)
{
	struct ptu_mapping_row rows[] = {
		row(GIB, GIB + 40 * MIB, "", 0, 0),
		row(4 * GIB, 4 * GIB + 12 * MIB, "/lib/a", 0, 0),
	};
	struct ptu_top_row ret = { .has_empty = true,
				   .total_bytes = 32 * PAGE,
				   .deposited_tables = 10 };

	rows[0].low[PTAUDIT_PTE] = rows[0].high[PTAUDIT_PTE] = 10;
	rows[0].deposited = rows[0].leaves = 10;
	for (unsigned int i = 0; i < 10; i++)
		ptu_fill_add(&rows[0].fill, 512, 512);
	rows[1].low[PTAUDIT_PTE] = rows[1].high[PTAUDIT_PTE] = 12;
	for (unsigned int i = 0; i < 12; i++)
		ptu_fill_add(&rows[1].fill, 512, 512);
	why(rows, 2, &ret);
	/* 20 of 32 tables, which are more than the 12 of the file */
	CHECK_STR(ret.why,
		  "62 % of its tables: [anon] 0x40000000, 40M, 100.0 % full");
	ret.is_part = true;
	why(rows, 2, &ret);
	CHECK_STR(ret.why,
		  "of the part that was read, 62 %: [anon] 0x40000000, 40M, 100.0 % full");
	rows[0].deposited_unsure = true;
	why(rows, 2, &ret);
	CHECK_STR(ret.why,
		  "of the part that was read, 54 %: /lib/a 0x100000000, 12M, 100.0 % full");
}

/* Huge pages of hugetlb and of shared memory have no deposited tables. */
UNIT_TEST(deposits_are_blamed_on_the_mapping_that_has_most_of_them)
{
	struct ptu_mapping_row rows[] = {
		row(GIB, GIB + 2 * MIB, "[heap]", 1, 0),
		row(2 * GIB, 2 * GIB + 10 * MIB, "[stack]", 0, 0),
		row(4 * GIB, 4 * GIB + 30 * MIB, "", 1, 1),
		row(8 * GIB, 8 * GIB + 80 * MIB, "/anon_hugepage", 0, 0),
	};
	struct ptu_top_row ret = { .has_empty = true,
				   .total_bytes = 40 * PAGE,
				   .deposited_tables = 20 };

	rows[1].leaves = rows[1].deposited = 5;
	rows[2].leaves = rows[2].deposited = 15;
	rows[3].leaves = 40;
	why(rows, 4, &ret);
	CHECK_STR(ret.why,
		  "50 % deposited for huge pages: [anon] 0x100000000, 30M");
	/* one table more: deposits are less than half of all */
	ret.total_bytes += PAGE;
	why(rows, 3, &ret);
	CHECK_STR(ret.why, "100 % empty: [anon] 0x100000000, 30M");
	/* TOTAL is older than the deposits: the process has grown */
	ret.total_bytes = 19 * PAGE;
	why(rows, 3, &ret);
	CHECK_STR(ret.why,
		  "100 % deposited for huge pages: [anon] 0x100000000, 30M");
	/* a process of huge pages alone */
	ret.total_bytes = 40 * PAGE;
	why(&rows[1], 1, &ret);
	CHECK_STR(ret.why,
		  "50 % deposited for huge pages: [stack] 0x80000000, 10M");
}

/* As Node.js does: a PTE table for half a MiB, and a PMD table for each of them. */
UNIT_TEST(many_regions_far_apart_are_counted)
{
	struct ptu_mapping_row rows[17];
	struct ptu_top_row ret = { .has_empty = true,
				   .total_bytes = 64 * PAGE };

	for (unsigned int i = 0; i < 16; i++) {
		rows[i] = row((i + 1) * 512 * GIB,
			      (i + 1) * 512 * GIB + MIB / 2, "", 1, 0);
		rows[i].low[PTAUDIT_PMD] = rows[i].high[PTAUDIT_PMD] = 1;
	}
	/* two tables above one PTE table, although one of them holds nothing */
	rows[5].low[PTAUDIT_PUD] = rows[5].high[PTAUDIT_PUD] = 1;
	rows[5].fill.hollow = 1;
	/* the largest and least used row has one PMD table above 30 PTE tables */
	rows[16] = row(9000 * GIB, 9001 * GIB, "[heap]", 30, 0);
	rows[16].low[PTAUDIT_PMD] = rows[16].high[PTAUDIT_PMD] = 1;
	why(rows, 17, &ret);
	CHECK_STR(ret.why,
		  "51 % of its tables: 16 regions far apart, like [anon] 0x30000000000, 512K");
	/* the regions have 33 of 64 tables; with two more in the heap, 33 of 66 */
	rows[16].low[PTAUDIT_PTE] = rows[16].high[PTAUDIT_PTE] = 32;
	why(rows, 17, &ret);
	CHECK(strstr(ret.why, "16 regions far apart") != NULL);
	rows[16].low[PTAUDIT_PTE] = rows[16].high[PTAUDIT_PTE] = 33;
	why(rows, 17, &ret);
	CHECK_STR(ret.why, "0.2 % full: [heap] 0x8ca00000000, 1G");
	rows[16].low[PTAUDIT_PTE] = rows[16].high[PTAUDIT_PTE] = 0;
	ret.is_part = true;
	why(rows, 17, &ret);
	CHECK_STR(ret.why,
		  "of the part that was read, 97 %: 16 regions far apart, like [anon] 0x30000000000, 512K");
	/* every process has some regions far apart */
	why(rows, 15, &ret);
	CHECK(!strstr(ret.why, "regions"));
	/* upper tables that hold nothing do not make a row distant */
	rows[0].fill.hollow = 1;
	why(rows, 16, &ret);
	CHECK(!strstr(ret.why, "regions"));
}

UNIT_TEST(entries_unknown_to_an_estimate_count_as_unused)
{
	struct ptu_top_row ret = { .vmpte_bytes = 100 * PAGE };

	ptu_top_say_why(NULL, 0, 97 * PAGE, PAGE, &ret);
	CHECK(ret.has_empty);
	CHECK_EQ(ret.empty_tables, 97);
	CHECK_EQ(ret.fill.in_class[PTU_FILL_EMPTY], 97);
	CHECK_EQ(ret.fill.tables, 97);
	CHECK_EQ(ret.fill.counted, 97);
	CHECK_EQ(ret.fill.room, 97 * 512);
	CHECK(strstr(ret.why, "97 % in tables without pages, which") != NULL);
	/* naive does not count the entries of the 3 tables that it sees */
	memset(&ret.fill, 0, sizeof(ret.fill));
	ret.has_empty = false;
	ret.fill.tables = 3;
	ptu_top_say_why(NULL, 0, 97 * PAGE, PAGE, &ret);
	CHECK_EQ(ret.empty_tables, 97);
	CHECK_EQ(ret.fill.tables, 100);
	CHECK_EQ(ret.fill.counted, 0);
	CHECK_EQ(ret.fill.room, 0);
	/* VmPTE was read first, and the process has grown */
	ret.has_empty = false;
	ptu_top_say_why(NULL, 0, 101 * PAGE, PAGE, &ret);
	CHECK(!strncmp(ret.why, "100 % in ", 9));
	memset(&ret, 0, sizeof(ret));
	ret.vmpte_bytes = 100 * PAGE;
	ptu_top_say_why(NULL, 0, 50 * PAGE, PAGE, &ret);
	CHECK(!ret.has_empty);
	/* an estimator that sees empty PTE tables */
	ret.has_empty = true;
	ret.empty_tables = 4;
	ptu_top_say_why(NULL, 0, 51 * PAGE, PAGE, &ret);
	/* some of the others may map memory of a device */
	CHECK_EQ(ret.empty_tables, 4);
	CHECK_EQ(ret.fill.tables, 0);
	CHECK_STR(ret.why,
		  "51 % in upper tables that hold nothing, or tables of PFN mappings, which /proc does not show");
}

UNIT_MAIN
