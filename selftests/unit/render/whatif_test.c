// SPDX-License-Identifier: GPL-2.0-only
/* `whatif` and `reclaim` as text, from a report made by the test. */
#include "render/render.h"

#include <stdlib.h>
#include <string.h>

#include "support/whatif_report.h"

static const char *const of_all[] = {
	"2 processes, 57 PTE tables (estimator: scan)\n",
	/* 14 tables of a page each */
	"empty PTE tables: 14 (56 KiB)\n"
	"  PID 61 a\\x09b: 14 (56 KiB) in 3 ranges\n"
	"  the ranges: ptaudit whatif PID\n"
	"  madvise: madvise(MADV_DONTNEED) over these whole 2048 KiB slots frees 11 tables on this kernel\n"
	"  madvise-locked: madvise(MADV_DONTNEED_LOCKED) over these whole 2048 KiB slots frees 2 tables on this kernel\n",
	"mappings in the slot frees 1 table\n"
	"  sealed: 3 more empty tables (12 KiB) stay: mseal() forbids the calls that would free them\n",
	"shared memory that could be read: 6 PTE tables (24 KiB) that huge pages make unnecessary, for 40 KiB of memory\n"
	"  (anonymous): 6 tables of 2 processes, 3 huge pages, fills 40 KiB (12 KiB from swap), more than is freed; 2 of the tables are empty\n",
	"shmem_enabled, now never\n",
	"    for the existing memory: ptaudit reclaim --do\n"
	"    fills bytes 0x1000-0x1800 of the file\n",
	"    fills bytes 0x8000-0x8800 of the file\n"
	"    and 1 more; --json has all\n",
	"  /dev/shm/x: 0 tables of 1 process, 0 huge pages, fills 0 KiB\n"
	"    when the memory is created again: huge= of the tmpfs mount, by mount -o remount,huge=within_size MOUNTPOINT\n"
	"    fills bytes 0x0-0x0 of the file\n"
	"    stays: 3 tables: ",
	"    stays: 1 table: userfaultfd watches the mapping\n",
	"  4 shared mappings could not be read: this needs CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE in the initial user namespace\n",
	"  1 further process (PID 70) could not be read: tables that",
	"anonymous memory: huge pages free none of 23 PTE tables",
	NULL,
};

static const char *const of_one[] = {
	"1 process, 50 PTE tables (estimator: scan)\n",
	"  PID 61 0x200000-0x1800000 11 tables, madvise: [heap]\n"
	"  PID 61 0x40000000-0x40200000 1 table, munmap: (anonymous)\n",
	"anonymous memory: huge pages free none of 20 PTE tables",
	NULL,
};

/* 40 KiB and 8 KiB, then 16 KiB and 8 KiB */
static const char *const of_result[] = {
	"predicted 6 tables, freed 5; VmPTE of 2 processes 48 KiB -> 24 KiB; filled 36 KiB; 1.250 s\n"
	"2 tables that were not predicted were freed, too; the kernel may allocate them again\n"
	"no huge page at byte 0x200000 of /dev/shm/x: Cannot allocate memory\n",
	NULL,
};

static void has_all(const char *text, const char *const *expected)
{
	for (; *expected; expected++)
		if (!strstr(text, *expected))
			UNIT_FAIL("no \"%s\" in:\n%s", *expected, text);
}

UNIT_TEST(text_of_whatif_has_each_way_to_free_tables)
{
	has_all(text_of(false), of_all);
	mms[1].named = false;
	has_all(text_of(false), of_one);
}

UNIT_TEST(tables_that_were_not_examined_are_counted)
{
	CHECK(!strstr(text_of(false), "not examined"));
	mms[0].changed_tables = 1;
	CHECK(strstr(text_of(false),
		     "\nnot examined: 1 further table, because mappings in its address range changed meanwhile\n"));
	mms[1].changed_tables = 4;
	CHECK(strstr(text_of(false),
		     "\nnot examined: 5 further tables, because mappings in their address range changed meanwhile\n"));
	report.is_reclaim = true;
	CHECK(strstr(text_of(false), "changed meanwhile\nnothing was changed"));
}

/* 32 tables are scattered if 16 or fewer suffice. 3 tables are not if 2 are needed. */
UNIT_TEST(scattered_anonymous_memory_has_the_tables_of_dense_memory)
{
	CHECK(!strstr(text_of(false), "scattered"));
	mms[0].anon_counted = 32;
	mms[0].anon_entries = 15 * 512 + 1;
	mms[1].anon_counted = 3;
	mms[1].anon_entries = 513;
	CHECK(strstr(text_of(false),
		     "deposits one for each huge page there\n"
		     "  scattered: 7681 pages in 32 of these tables; 16 (64 KiB) would suffice side by side; only the"));
	CHECK(strstr(text_of(true), "\"counted_tables\": 35"));
	CHECK(strstr(text_of(true), "\"entries\": 8194"));
	CHECK(strstr(text_of(true), "\"dense_tables\": 18"));
	mms[0].anon_entries = 16 * 512 + 1;
	CHECK(!strstr(text_of(false), "scattered"));
	CHECK(strstr(text_of(true), "\"dense_tables\": 19"));
}

UNIT_TEST(tables_of_markers_have_a_line)
{
	CHECK(!strstr(text_of(false), "markers: "));
	mms[0].marker_tables = 1;
	CHECK(strstr(text_of(false),
		     "deposits one for each huge page there\n"
		     "  markers: 1 more table (4 KiB) maps no page: it holds only guard regions or protection by userfaultfd\n"));
	mms[1].marker_tables = 255;
	CHECK(strstr(text_of(false),
		     "  markers: 256 more tables (1024 KiB) map no page: they hold only guard regions"));
	CHECK(strstr(text_of(true), "\"marker_tables\": 256"));
	mms[0].named = false;
	CHECK(strstr(text_of(true), "\"marker_tables\": 255"));
}

UNIT_TEST(tables_of_zero_pages_have_a_line)
{
	CHECK(!strstr(text_of(false), "zero pages: "));
	mms[0].zero_tables = 5;
	mms[1].zero_tables = 3;
	CHECK(strstr(text_of(false),
		     "deposits one for each huge page there\n"
		     "  zero pages: 8 of these tables (32 KiB) map no memory: the program has read there, but not written; madvise(MADV_DONTNEED) over"));
	report.madvise_frees = false;
	CHECK(strstr(text_of(false), "not written; munmap() frees them\n"));
	mms[1].named = false;
	CHECK(strstr(text_of(true), "\"zero_tables\": 5"));
}

UNIT_TEST(tables_that_are_not_shown_have_a_line)
{
	mms[0].unseen_tables = 15;
	CHECK(!strstr(text_of(false), "not found"));
	mms[1].unseen_tables = 1;
	CHECK(strstr(text_of(false),
		     "\nnot found: 16 further tables in VmPTE (64 KiB): tables that hold nothing, which munmap()"));
	CHECK(strstr(text_of(true), "\"unseen_tables\": 15"));
}

/* Small programs have some tables more than their pages need: fewer than 16 are not worth a line. */
UNIT_TEST(a_few_scattered_tables_have_no_line)
{
	mms[0].anon_counted = 16;
	mms[0].anon_entries = 1;
	CHECK(!strstr(text_of(false), "scattered"));
	mms[0].anon_counted = 17;
	CHECK(strstr(text_of(false),
		     "  scattered: 1 page in 17 of these tables; 1 (4 KiB) would suffice side by side"));
	/* 8 and 8 in two processes */
	mms[0].anon_counted = mms[1].anon_counted = 9;
	mms[1].anon_entries = 1;
	CHECK(strstr(text_of(false), "  scattered: 2 pages in 18 of"));
}

UNIT_TEST(deposited_tables_stay)
{
	CHECK(strstr(text_of(false),
		     "deposits one for each huge page there\n"));
	mms[0].anon_huge_pages = 250;
	mms[1].anon_huge_pages = 6;
	CHECK(strstr(text_of(false),
		     "deposits one for each huge page there, now 256 (1024 KiB)\n"));
	mms[1].named = false;
	CHECK(strstr(text_of(false), "huge page there, now 250 (1000 KiB)\n"));
}

/* Dense memory of one process does not hide what another one scatters. */
UNIT_TEST(the_processes_that_scatter_most_are_listed)
{
	mms[0].anon_counted = 90;
	mms[0].anon_entries = 90 * 512;
	mms[1].anon_counted = 40;
	mms[1].anon_entries = 40;
	CHECK(strstr(text_of(false),
		     "  scattered: 40 pages in 40 of these tables; 1 (4 KiB) would suffice side by side; only the"));
	CHECK(strstr(text_of(false),
		     "move them\n    PID 62 other: 40 pages in 40 tables; 1 would suffice side by side\n"));
	/* 39 tables in excess, and 4 of 43: less than a tenth */
	mms[0].anon_counted = 5;
	mms[0].anon_entries = 1;
	CHECK(!strstr(text_of(false), "    PID 61 "));
	mms[0].anon_counted = 6;
	CHECK(strstr(text_of(false),
		     "    PID 61 a\\x09b: 1 page in 6 tables; 1 would suffice side by side\n"
		     "    PID 62 other: 40 pages in 40"));
	mms[1].named = false;
	CHECK(!strstr(text_of(false), "    PID 61 "));
}

UNIT_TEST(without_the_files_shared_memory_is_not_known)
{
	report.shared_known = false;
	CHECK(strstr(text_of(false),
		     "\nshared memory: not known; a recording does not have its files\n"
		     "anonymous memory: "));
	CHECK(strstr(text_of(true), "\"shared_known\": false"));
}

/* 20 of them are listed. */
UNIT_TEST(what_is_not_listed_is_counted)
{
	struct ptu_whatif_empty many[23];
	struct ptu_whatif_mm owners[23];
	const char *text;

	for (unsigned int i = 0; i < 23; i++) {
		owners[i] = mms[0];
		owners[i].pid = 100 + (int)i;
		many[i] = empties[0];
		many[i].mm = i;
	}
	report.mms = owners;
	report.nr_mms = 23;
	report.empties = many;
	report.nr_empties = 23;
	text = text_of(false);
	CHECK(strstr(text, "  PID 119 a"));
	CHECK(!strstr(text, "  PID 120 a"));
	CHECK(strstr(text, "  and 3 more; --json has all\n"));
	/* the ranges of a single process */
	report.nr_mms = 1;
	for (unsigned int i = 0; i < 23; i++)
		many[i].mm = 0;
	text = text_of(false);
	CHECK(strstr(text, "  and 3 more; --json has all\n"));
}

UNIT_TEST(ways_are_rows_of_a_table)
{
	static struct ptu_whatif_unmap unmaps[] = {
		{ .nr_mms = 2,
		  .tables = 9,
		  .madvise_tables = 8,
		  .upper_tables = 2,
		  .path = heap },
		{ .mm = 1, .nr_mms = 1, .upper_tables = 7, .path = file_path },
	};
	static struct ptu_whatif_doubled doubled = { .mm = 1,
						     .start = 0x1000,
						     .end = 0x3000,
						     .tables = 3,
						     .path = nothing };
	struct ptu_render_options options = { .no_headings = true,
					      .raw = true,
					      .sort = "TABLES" };

	report.unmaps = unmaps;
	report.nr_unmaps = 2;
	report.doubled = &doubled;
	report.nr_doubled = 1;
	files[1].hugetlb_tables = 5;
	/* a file with a path cannot become hugetlb memory, so it has no line */
	files[0].hugetlb_tables = 5;
	/* tables: 11 + 0, 9 + 2, 6 for 40 KiB, 5 for 8 MiB, 3, 2; a file with 0 tables has no line */
	CHECK_STR(text_with(false, options),
		  "11 44K 0 madvise 61 0x200000 0x1800000 [heap]\n"
		  "9 44K 0 munmap-file - - - [heap]\n"
		  "6 24K 40K huge-pages - - - (anonymous)\n"
		  "5 20K 8M hugetlb - - - (anonymous)\n"
		  "3 12K 0 munmap-twice 62 0x1000 0x3000 (anonymous)\n"
		  "2 8K 0 madvise-locked 61 0x50000000 0x50400000 (anonymous)\n"
		  "1 4K 0 munmap 61 0x40000000 0x40200000 (anonymous)\n"
		  "0 28K 0 munmap-file 62 - - /dev/shm/x\n");
	/* the default order is that of SIZE, so that --limit shows the largest rows */
	options = (struct ptu_render_options){ .no_headings = true,
					       .raw = true,
					       .limit = 3 };
	CHECK_STR(text_with(false, options),
		  "11 44K 0 madvise 61 0x200000 0x1800000 [heap]\n"
		  "9 44K 0 munmap-file - - - [heap]\n"
		  "0 28K 0 munmap-file 62 - - /dev/shm/x\n");
	options = (struct ptu_render_options){ .columns = "PID,SIZE,WAY",
					       .limit = 3 };
	has_all(text_with(true, options),
		(const char *const[]){
			"\"output\": \"PID,SIZE,WAY\"",
			"\"ways\": [\n    {\n      \"pid\": 61,\n      \"bytes\": 45056,\n      \"way\": \"madvise\"\n    },\n"
			"    {\n      \"pid\": null,\n      \"bytes\": 45056,\n      \"way\": \"munmap-file\"\n    },\n"
			"    {\n      \"pid\": 62,\n      \"bytes\": 28672,\n      \"way\": \"munmap-file\"\n    }\n  ],",
			"\"shared_tables\": 6,", NULL });
	CHECK(!strstr(text_with(true, options), "\"unmap\""));
	CHECK(strstr(text_of(false),
		     "  9 PTE tables and 2 above (44 KiB) of 2 processes: [heap]\n"
		     "    madvise(MADV_DONTNEED) over its whole shared mappings frees 8 of these"
		     " PTE tables, and keeps addresses and data\n"
		     "  0 PTE tables and 7 above (28 KiB) of 1 process: /dev/shm/x\n"));
	/* reclaim is about shared memory alone */
	report.is_reclaim = true;
	options = (struct ptu_render_options){ .columns = "PROCESSES,UPPER",
					       .no_headings = true,
					       .raw = true };
	CHECK_STR(text_with(false, options), "2 0\n");
	files[1].nr_mms = 1;
	files[1].mm = 1;
	options.columns = "TABLES,WAY,PID,COMM";
	CHECK_STR(text_with(false, options), "6 huge-pages 62 other\n");
}

UNIT_TEST(a_dry_run_of_reclaim_says_why_nothing_would_happen)
{
	report.is_reclaim = true;
	CHECK(strstr(text_of(false),
		     "\nnothing was changed; --do frees the tables\n"));
	CHECK(!strstr(text_of(false), "anonymous memory"));
	strcpy(report.refusal, "for a reason");
	CHECK(strstr(text_of(false), "--do would do nothing: for a reason\n"));
	report.refusal[0] = '\0';
	report.nr_files = 1;
	CHECK(strstr(text_of(false),
		     "\nnothing was changed; --do would free no table\n"));
}

UNIT_TEST(text_of_reclaim_has_its_results)
{
	report.is_reclaim = report.is_acting = true;
	report.reclaim = (struct ptu_reclaim_result){
		.done = true,
		.returned_tables = 5,
		.more_tables = 2,
		.windows = 2,
		.failed_windows = 1,
		.filled_bytes = 36864,
		.took_ns = 1250000000,
	};
	has_all(text_of(false), of_result);
	CHECK(!strstr(text_of(false), "0x600000"));
}

UNIT_MAIN_WITH(whatif_begin, NULL)
