// SPDX-License-Identifier: GPL-2.0-only
/* `whatif` and `reclaim` as text: how much is listed, and what is said under which condition. */
#include "support/times.h"
#include "support/whatif_report.h"

/* With one address space the ranges are listed: up to 20. */
UNIT_TEST(as_many_ranges_are_listed_as_fit)
{
	struct ptu_whatif_empty many[21];
	const char *text;

	for (unsigned int i = 0; i < 21; i++) {
		many[i] = empties[0];
		many[i].start = i << 21;
	}
	report.nr_mms = 1;
	report.empties = many;
	report.nr_empties = 20;
	text = text_of(false);
	CHECK_EQ(times(text, "  PID 61 0x"), 20);
	CHECK(!strstr(text, "\n  and "));
	report.nr_empties = 21;
	text = text_of(false);
	CHECK_EQ(times(text, "  PID 61 0x"), 20);
	CHECK(strstr(text, "  and 1 more; --json has all\n"));
}

UNIT_TEST(as_many_processes_are_listed_as_fit)
{
	struct ptu_whatif_empty many[42];
	struct ptu_whatif_mm owners[21];
	const char *text;

	/* two ranges each */
	for (unsigned int i = 0; i < 42; i++) {
		owners[i / 2] = mms[0];
		many[i] = empties[0];
		many[i].mm = i / 2;
	}
	report.mms = owners;
	report.nr_mms = 21;
	report.empties = many;
	report.nr_empties = 40;
	text = text_of(false);
	CHECK_EQ(times(text, " in 2 ranges\n"), 20);
	CHECK(!strstr(text, "\n  and "));
	report.nr_empties = 42;
	text = text_of(false);
	CHECK_EQ(times(text, " in 2 ranges\n"), 20);
	CHECK(strstr(text, "  and 1 more; --json has all\n"));
	report.nr_empties = 0;
	CHECK(!strstr(text_of(false), "the ranges: "));
}

UNIT_TEST(as_many_unread_processes_are_named_as_fit)
{
	report.nr_unread = 8;
	CHECK(strstr(text_of(false),
		     "  8 further processes (PIDs 70 71 72 73 74 75 76 77) could not be read: tables that map"));
	report.nr_unread = 9;
	CHECK(strstr(text_of(false),
		     "  9 further processes (PIDs 70 71 72 73 74 75 76 77 ...; --json has all) could not be read: tables"));
}

UNIT_TEST(as_many_ways_to_unmap_are_listed_as_fit)
{
	struct ptu_whatif_doubled twice[21];
	struct ptu_whatif_unmap unmaps[6];
	const char *text;

	for (unsigned int i = 0; i < 21; i++)
		twice[i] = (struct ptu_whatif_doubled){ .start = 0x3000,
							.end = 0x5000,
							.kept_start = 0x7000,
							.tables = 1,
							.upper_tables = 2,
							.path = heap };
	for (unsigned int i = 0; i < 6; i++)
		unmaps[i] = (struct ptu_whatif_unmap){ .nr_mms = 3,
						       .tables = 1,
						       .path = heap };
	CHECK(!strstr(text_of(false), "unmapping: "));
	CHECK(!strstr(text_of(false), "fewer mappings: "));
	report.unmaps = unmaps;
	report.doubled = twice;
	report.nr_unmaps = 5;
	report.nr_doubled = 20;
	text = text_of(false);
	CHECK_EQ(times(text,
		       "  1 PTE table and 0 above (4 KiB) of 3 processes: [heap]\n"),
		 5);
	CHECK_EQ(times(text,
		       "  PID 61 0x3000-0x5000 1 PTE table and 2 above, the same as at 0x7000: [heap]\n"),
		 20);
	CHECK(!strstr(strstr(text, "unmapping: "), " more"));
	CHECK(!strstr(text, "whole shared mappings"));
	CHECK_EQ(times(text,
		       "  this loses what private mappings have written, "),
		 1);
	report.nr_unmaps = 6;
	report.nr_doubled = 21;
	text = text_of(false);
	CHECK_EQ(times(text, " of 3 processes: [heap]\n"), 5);
	CHECK_EQ(times(text, ", the same as at "), 20);
	CHECK(strstr(text, "  and 1 more; --json has all\n  this loses "));
	CHECK(strstr(strstr(text, "fewer mappings: "),
		     "  and 1 more; --json has all\n"));
}

/* A file without a PTE table is neither listed nor counted. */
UNIT_TEST(as_many_files_are_listed_as_fit)
{
	struct ptu_whatif_file many[24];
	const char *text;

	/* in the output they come in the opposite order */
	for (unsigned int i = 0; i < 24; i++)
		many[i] = (struct ptu_whatif_file){ .path = file_path,
						    .shown = 23 - i,
						    .size_bytes = 2 << 20,
						    .tables = 1,
						    .nr_mms = i + 1 };
	many[4].nr_mms = many[3].nr_mms = many[2].nr_mms = 0;
	report.files = many;
	report.nr_files = 24;
	report.nr_holes = 0;
	text = text_of(false);
	CHECK_EQ(times(text, "  /dev/shm/x: 1 table of "), 20);
	CHECK(strstr(text, ": 1 table of 24 processes, "));
	CHECK(strstr(text, ": 1 table of 2 processes, 0 huge pages"));
	CHECK(!strstr(text, ": 1 table of 1 process, "));
	CHECK(strstr(text, "  and 1 more; --json has all\n"));
	many[0].nr_mms = 0;
	CHECK(!strstr(text_of(false), "\n  and "));
}

/* Huge pages can never map these files, so their names are not printed. */
UNIT_TEST(files_smaller_than_a_huge_page_share_a_line)
{
	CHECK(!strstr(text_of(false), "smaller than a huge page"));
	files[0].size_bytes = (2 << 20) - 1;
	files[0].blocked[PTU_BLOCK_NONE] = 4;
	CHECK(strstr(text_of(false),
		     "  1 file smaller than a huge page: 4 tables stay\n"));
	CHECK(!strstr(text_of(false), "/dev/shm/x"));
	files[1] = files[0];
	files[1].shown = 0;
	files[1].blocked[PTU_BLOCK_UFFD] = 2;
	CHECK(strstr(text_of(false),
		     "  2 files smaller than a huge page: 9 tables stay\n"));
	CHECK(!strstr(text_of(false), "stays: "));
	files[1].nr_mms = 0;
	CHECK(strstr(text_of(false), "  1 file smaller than"));
	files[0].tables = 1;
	CHECK(strstr(text_of(false), "  /dev/shm/x: 1 table of"));
	/* small files are not among the files that "and N more" counts */
	CHECK(!strstr(text_of(false), "\n  and "));
}

/* One file is named; several ones are added up by reason, apart for both settings. */
UNIT_TEST(files_without_a_freed_table_are_added_up)
{
	struct ptu_whatif_file many[5];
	const char *text;

	for (unsigned int i = 0; i < 5; i++)
		many[i] = (struct ptu_whatif_file){
			.path = file_path,
			.shown = i,
			.size_bytes = 2 << 20,
			.nr_mms = 1,
			.is_internal = i < 3,
			.blocked = { [PTU_BLOCK_UFFD] = i + 1 },
		};
	report.files = many;
	report.nr_files = 5;
	report.nr_holes = 0;
	many[2].blocked[PTU_BLOCK_UNALIGNED] = 7;
	/* internal: 1 + 2 + 3 tables, and 7; in a tmpfs: 4 + 5 */
	text = text_of(false);
	CHECK(strstr(text,
		     "  3 files (memfd, System V or shared anonymous memory), of which no table would be freed: 13 tables stay\n"
		     "    when the memory is created again: /sys/kernel/mm/transparent_hugepage/shmem_enabled, "));
	CHECK(strstr(text, "    stays: 7 tables: mapped at addresses that do"));
	CHECK(strstr(text, "    stays: 6 tables: userfaultfd watches"));
	CHECK(strstr(text,
		     "  2 files in a tmpfs, of which no table would be freed: 9 tables stay\n"
		     "    stays: 9 tables: userfaultfd watches"));
	CHECK(!strstr(text, file_path));
	many[3].nr_mms = 0;
	text = text_of(false);
	CHECK(strstr(text, "  /dev/shm/x: 0 tables of 1 process, "
			   "0 huge pages, fills 0 KiB\n"
			   "    stays: 5 tables: userfaultfd watches"));
	/* hugetlb memory would have no tables: a name for each of them */
	many[1].hugetlb_tables = many[2].hugetlb_tables = 1;
	many[4].tables = 1;
	text = text_of(false);
	CHECK_EQ(times(text, "  /dev/shm/x: "), 4);
	CHECK_EQ(times(text, "    as hugetlb memory: 1 table "), 2);
}

UNIT_TEST(as_many_holes_are_listed_as_fit)
{
	report.nr_holes = 9;
	/* the first one is in another file */
	CHECK_EQ(times(text_of(false), "-0x8800 of the file\n"), 1);
	CHECK(!strstr(text_of(false), " more; --json"));
	report.nr_holes = 10;
	CHECK_EQ(times(text_of(false), "    fills bytes "), 9);
}

UNIT_TEST(filling_more_than_is_freed_is_said)
{
	files[1].fill_bytes = files[1].tables * 4096;
	CHECK(!strstr(text_of(false), "more than is freed"));
	files[1].fill_bytes++;
	CHECK(strstr(text_of(false), "more than is freed"));
}

/* 5 of the 11 tables that huge pages cannot replace would not exist as hugetlb memory. */
UNIT_TEST(memory_without_a_path_can_be_hugetlb_memory)
{
	struct ptu_whatif_file *file = &files[1];

	CHECK(!strstr(text_of(false), "as hugetlb memory"));
	file->hugetlb_tables = 5;
	file->blocked[PTU_BLOCK_NONE] = 4;
	file->blocked[PTU_BLOCK_PRIVATE] = 2;
	file->blocked[PTU_BLOCK_ROOM] = 5;
	/* 8 MiB are four huge pages */
	CHECK(strstr(text_of(false),
		     "    as hugetlb memory: 5 tables (20 KiB) fewer, with vm.nr_hugepages of 4; up to 6 more, "));
	/* the first and the last reason are printed; tables without a reason do not stay */
	CHECK(strstr(text_of(false), "    stays: 2 tables: "));
	CHECK(strstr(text_of(false), "    stays: 5 tables: "));
	CHECK(!strstr(text_of(false), "    stays: 4 tables: "));
	file->hugetlb_tables = 11;
	CHECK(strstr(text_of(false),
		     "    as hugetlb memory: 11 tables (44 KiB) fewer, with vm.nr_hugepages of 4\n"));
	/* the first line has the sum over all files if it is larger than that of huge pages */
	CHECK(strstr(text_of(false),
		     " make unnecessary, for 40 KiB of memory; as hugetlb memory 11 (44 KiB)\n"));
	file->hugetlb_tables = 6;
	CHECK(strstr(text_of(false),
		     " make unnecessary, for 40 KiB of memory\n"));
	file->hugetlb_tables = 11;
	/* one huge page, then less */
	file->size_bytes = 2 << 20;
	CHECK(strstr(text_of(false), "vm.nr_hugepages of 1\n"));
	file->size_bytes--;
	CHECK(!strstr(text_of(false), "as hugetlb memory"));
	file->size_bytes = 8 << 20;
	file->is_internal = false;
	CHECK(!strstr(text_of(false), "as hugetlb memory"));
}

#define MOUNT_OPTION                             \
	"huge= of the tmpfs mount, by mount -o " \
	"remount,huge=within_size MOUNTPOINT\n"

UNIT_TEST(a_setting_is_named_where_it_would_help)
{
	struct ptu_whatif_file *file = &files[0];
	const struct ptu_whatif_file before = *file;

	/* at this size the next file could be mapped with the right alignment */
	CHECK(strstr(text_of(false), MOUNT_OPTION));
	file->size_bytes = 2 << 20;
	CHECK(strstr(text_of(false), MOUNT_OPTION));
	file->size_bytes--;
	CHECK(!strstr(text_of(false), MOUNT_OPTION));
	file->tables = 1;
	CHECK(strstr(text_of(false),
		     MOUNT_OPTION "    for the existing memory: "));
	*file = before;
	file->blocked[PTU_BLOCK_UNALIGNED] = 0;
	CHECK(!strstr(text_of(false), MOUNT_OPTION));
	*file = before;
	report.shmem_enabled[0] = '\0';
	CHECK(strstr(text_of(false), "shmem_enabled, now absent\n"));
}

UNIT_TEST(reclaim_is_named_unless_it_would_do_nothing)
{
	CHECK_EQ(times(text_of(false), "ptaudit reclaim --do\n"), 1);
	strcpy(report.refusal, "r");
	CHECK(!strstr(text_of(false), "ptaudit reclaim --do\n"));
	report.refusal[0] = '\0';
	report.is_reclaim = true;
	CHECK(!strstr(text_of(false), "ptaudit reclaim --do\n"));
}

/* All files together fill more than the default of --max-fill, which is 64 MiB. */
UNIT_TEST(reclaim_is_named_with_the_limit_that_it_needs)
{
	struct ptu_whatif_file *file = &report.files[0];

	file->fill_bytes += (64 << 20) - ptu_whatif_fill_bytes(&report);
	CHECK_EQ(times(text_of(false), "ptaudit reclaim --do\n"), 1);
	file->fill_bytes += 4096;
	CHECK_EQ(times(text_of(false),
		       "ptaudit reclaim --do --max-fill 65540K\n"),
		 1);
}

/* Before reclaim acts, it says what it predicts; afterwards, what it did. */
UNIT_TEST(only_a_dry_run_of_reclaim_says_that_nothing_was_changed)
{
	CHECK(!strstr(text_of(false), "nothing was changed"));
	report.is_reclaim = true;
	CHECK(strstr(text_of(false), "nothing was changed"));
	report.is_acting = true;
	CHECK(!strstr(text_of(false), "nothing was changed"));
	CHECK(strstr(text_of(false), "shared memory that could be read: "));
	report.nr_unopened = 0;
	CHECK(strstr(text_of(false), "shared memory: "));
}

UNIT_TEST(empty_tables_may_not_be_known)
{
	report.empties_known = false;
	CHECK(strstr(text_of(false), "\nempty PTE tables: not known;"));
	CHECK(!strstr(text_of(false), "data that is written"));
	report.empties_known = true;
	CHECK(strstr(text_of(false), "  data that is written between"));
	report.nr_empties = 0;
	CHECK(strstr(text_of(false), "\nempty PTE tables: 0 (0 KiB)\n"));
	CHECK(!strstr(text_of(false), "data that is written"));
	CHECK(!strstr(text_of(false), "madvise"));
	CHECK(!strstr(text_of(false), "only munmap()"));
}

UNIT_TEST(a_later_kernel_is_named_where_madvise_frees_no_tables)
{
	CHECK(strstr(text_of(false), "slot frees 1 table\n"));
	report.madvise_frees = false;
	CHECK(strstr(text_of(false),
		     "slot frees 1 table (6.14 and later: also MADV_DONTNEED)\n"));
	report.madvise_frees = true;
	mms[0].sealed_tables = 0;
	CHECK(!strstr(text_of(false), "  sealed: "));
	mms[0].sealed_tables = 1;
	CHECK(strstr(text_of(false), "  sealed: 1 more empty table (4 KiB)"));
}

UNIT_TEST(sizes_are_bytes_if_wanted)
{
	const char *text = text_with(false, (struct ptu_render_options){
						    .bytes = true });

	CHECK(strstr(text, "empty PTE tables: 14 (57344 bytes)\n"));
	CHECK(strstr(text, "unnecessary, for 40960 bytes of memory\n"));
}

UNIT_TEST(nothing_is_said_without_a_process)
{
	mms[0].named = mms[1].named = false;
	CHECK_STR(text_of(false), "");
}

UNIT_TEST(columns_and_sort_keys_are_checked)
{
	struct ptu_render_options options = { .columns = "WAY,TABLES" };
	const char *listed = OUTPUT_OF(ptu_render_whatif_columns(out));
	struct ptu_err err;

	CHECK_EQ(ptu_render_whatif_check(&options, &err), 0);
	options.sort = "NONE";
	CHECK_EQ(ptu_render_whatif_check(&options, &err), -EINVAL);
	CHECK(strstr(listed, " WAY  "));
	CHECK(strstr(listed, " TABLES  "));
}

/* The second run of the kernel may free less, and fail at other places. */
/* The end of a process frees its tables, too. */
UNIT_TEST(process_that_has_ended_is_no_success_of_reclaim)
{
	report.is_reclaim = report.is_acting = true;
	report.reclaim = (struct ptu_reclaim_result){ .done = true };
	CHECK(strstr(text_of(false),
		     "; VmPTE of 2 processes 48 KiB -> 24 KiB; filled"));
	mms[1].vmpte_after_bytes = 0;
	CHECK(strstr(text_of(false),
		     "; VmPTE of 1 process 40 KiB -> 16 KiB, 1 more has ended; filled"));
	mms[0].vmpte_after_bytes = 0;
	CHECK(strstr(text_of(false),
		     "; VmPTE of 0 processes 0 KiB -> 0 KiB, 2 more have ended; filled"));
}

UNIT_TEST(results_of_reclaim_have_their_plurals_and_errors)
{
	const char *text;

	report.is_reclaim = report.is_acting = true;
	report.nr_mms = 1;
	report.reclaim = (struct ptu_reclaim_result){ .done = true,
						      .took_ns = 5000000 };
	text = text_of(false);
	CHECK(strstr(text, "; VmPTE of 1 process 40 KiB -> 16 KiB; "));
	CHECK(strstr(text, "; 0.005 s\nno huge page at byte 0x200000 "));
	windows[0].error = 0;
	CHECK(!strstr(text_of(false), "no huge page"));
	CHECK_STR(text_with(false,
			    (struct ptu_render_options){ .no_headings = true }),
		  "");
}

UNIT_MAIN_WITH(whatif_begin, NULL)
