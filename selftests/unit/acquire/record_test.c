// SPDX-License-Identifier: GPL-2.0-only
/* The files of a process in a recording, their order, and what is left after an error. */
#include "acquire/fake_record.h"

#define NR_OF_MACHINE 6

static bool is_begun;

/* Remove the recording; none of its files may be open. */
static void end(void)
{
	is_begun = false;
	if (rec.nr_open || rec.nr_words_open)
		UNIT_FAIL("%d processes and %d pagemaps are open", rec.nr_open,
			  rec.nr_words_open);
	ptu_record_undo(&record);
	if (!access(to, F_OK))
		UNIT_FAIL("the recording was not removed");
	err.text[0] = '\0';
}

static void tear_down(void)
{
	if (is_begun)
		end();
	tree_remove();
}

/* Begin a new recording instead of the previous one. */
static void begin_new(enum ptu_side_choice which, bool is_redacted)
{
	if (is_begun)
		end();
	if (begin(which, is_redacted))
		abort();
	is_begun = true;
}

/* Record the process in a new recording. */
static int add_to(enum ptu_side_choice which, bool is_redacted)
{
	begin_new(which, is_redacted);
	rec.text[0] = '\0';
	rec.nr_maps = 0;
	return ptu_record_add(&record, PID, &err);
}

static int add(void)
{
	return add_to(PTU_SIDE_AUTO, false);
}

UNIT_TEST(each_file_of_a_process_is_copied)
{
	CHECK_EQ(add(), 0);
	CHECK_STR(rec.text,
		  "open; memory; read maps; evidence; open pagemap; read 0 4; "
		  "take 4; slot 7f0000000000 of 0 has 4; slots; read smaps; "
		  "read status; read 7/stat; read maps; ");
	CHECK_STR(text_of("7/maps"),
		  "7f0000000000-7f0000004000 r--p 00000000 08:01 5 /secret/a\n");
	CHECK_STR(text_of("7/smaps"),
		  "7f0000000000-7f0000004000 r--p 00000000 08:01 5 /secret/a\nSize: 16 kB\n" SMAPS_FIELDS);
	CHECK_STR(text_of("7/status"), "Name:\ta\n");
	CHECK_STR(text_of("7/stat"), "7 (a) S\n");
	CHECK_STR(text_of("7/pagemap"), "7f0000000 4 8000000000001000 1\n");
	CHECK(!exists("7/scan"));
	CHECK_EQ(record.dir.manifest.nr_files, NR_OF_MACHINE + 5);
	CHECK_EQ(record.frames.nr, 1);
}

UNIT_TEST(paths_and_frames_are_redacted)
{
	CHECK_EQ(add_to(PTU_SIDE_MODULE, true), 0);
	CHECK_STR(text_of("7/maps"),
		  "7f0000000000-7f0000004000 r--p 00000000 08:01 5 /redacted/1\n");
	CHECK_STR(text_of("7/smaps"),
		  "7f0000000000-7f0000004000 r--p 00000000 08:01 5 /redacted/1\nSize: 16 kB\n" SMAPS_FIELDS);
	CHECK_STR(text_of("7/status"), "Name:\ta\n");
	/* the first block of 512 frames has the number 1 */
	CHECK_STR(text_of("7/pagemap"), "7f0000000 4 8000000000000200 1\n");
	CHECK_STR(text_of("7/tables-before"), "xxxxxxxxxxxx");
	rec.failing = "redact";
	rec.error = -EBADMSG;
	CHECK_EQ(add_to(PTU_SIDE_MODULE, true), -EBADMSG);
	CHECK_EQ(record.dir.manifest.nr_files, NR_OF_MACHINE + 1);
}

UNIT_TEST(walks_by_bpf_are_within_those_of_the_module)
{
	CHECK_EQ(add_to(PTU_SIDE_BOTH, false), 0);
	CHECK_STR(rec.text,
		  "open; memory; fetch module; fetch bpf; read maps; evidence; "
		  "open pagemap; read 0 4; take 4; "
		  "slot 7f0000000000 of 0 has 4; slots; read smaps; "
		  "read status; read 7/stat; read maps; fetch bpf; "
		  "fetch module; ");
	CHECK_STR(text_of("7/tables-before"), "fetch module");
	CHECK_STR(text_of("7/tables-after"), "fetch module");
	CHECK_STR(text_of("7/tables-bpf-before"), "fetch bpf");
	CHECK_STR(text_of("7/tables-bpf-after"), "fetch bpf");
	CHECK_EQ(add_to(PTU_SIDE_BPF, false), 0);
	CHECK(exists("7/tables-bpf-before"));
	CHECK(!exists("7/tables-before"));
	CHECK_EQ(add_to(PTU_SIDE_MODULE, false), 0);
	CHECK(!exists("7/tables-bpf-after"));
	CHECK(exists("7/tables-after"));
}

/* One mapping follows another one; [vsyscall] begins at the kernel half. */
UNIT_TEST(only_the_user_half_is_copied)
{
	rec.vmas[1] = (struct ptu_vma){ .start = A + 512 * 4096,
					.end = A + 513 * 4096 };
	rec.vmas[2] = (struct ptu_vma){ .start = PTU_KERNEL_HALF,
					.end = PTU_KERNEL_HALF + 4096 };
	rec.nr_vmas = 3;
	CHECK_EQ(add(), 0);
	CHECK(strstr(rec.text, "read 0 4; take 4; read 200 1; take 1; "
			       "slot 7f0000000000 of 0 has 4; "
			       "slot 7f0000200000 of 1 has 1; slots; "));
	CHECK_STR(text_of("7/pagemap"), "7f0000000 4 8000000000001000 1\n"
					"7f0000200 1 8000000000001200 0\n");
}

/* Soft-dirty alone is also shown where there is no page. */
UNIT_TEST(words_of_holes_are_left_out)
{
	rec.words[0] = 0;
	rec.words[1] = PTU_PM_SOFT_DIRTY;
	rec.words[2] = PTU_PM_SOFT_DIRTY | AT(0x33);
	rec.words[3] = PTU_PM_SOFT_DIRTY;
	CHECK_EQ(add(), 0);
	CHECK_STR(text_of("7/pagemap"), "7f0000002 1 8080000000000033 0\n");
}

/* A piece has 65536 words. */
UNIT_TEST(a_long_mapping_is_copied_in_pieces)
{
	rec.vmas[0].end = A + 65536 * 4096ul;
	CHECK_EQ(add(), 0);
	CHECK(strstr(rec.text, "read 0 65536; take 65536; slot "));
	rec.vmas[0].end = A + 65539 * 4096ul;
	CHECK_EQ(add(), 0);
	CHECK(strstr(rec.text, "read 0 65536; take 65536; "
			       "read 10000 3; take 3; slot "));
	CHECK_STR(text_of("7/pagemap"), "7f0000000 10003 8000000000001000 1\n");
}

UNIT_TEST(only_pages_that_pagemap_scan_shows_are_copied)
{
	rec.no_scan = false;
	rec.vmas[0].end = A + 64 * 4096;
	rec.scans[0] = (struct fake_scan){
		.regions = { { A + 4096, A + 3 * 4096, false },
			     { A + 8 * 4096, A + 9 * 4096, false } },
		.nr = 2,
		.done = A + 16 * 4096,
	};
	rec.scans[1] = (struct fake_scan){ .done = A + 32 * 4096 };
	rec.scans[2] = (struct fake_scan){
		.regions = { { A + 32 * 4096, A + 64 * 4096, false } },
		.nr = 1,
		.done = A + 64 * 4096,
	};
	CHECK_EQ(add(), 0);
	CHECK(strstr(rec.text,
		     "scan 0 40; read 1 2; take 2; read 8 1; take 1; "
		     "scan 10 40; scan 20 40; read 20 32; take 32; slot "));
	CHECK_STR(text_of("7/pagemap"), "7f0000001 2 8000000000001001 1\n"
					"7f0000008 1 8000000000001008 0\n"
					"7f0000020 20 8000000000001020 1\n");
	rec.nr_scans = 0;
	rec.scans[1].nr = -EIO;
	CHECK_EQ(add(), -EIO);
	CHECK_STR(err.text, "pagemap refused");
}

UNIT_TEST(an_error_in_a_region_ends_the_mapping)
{
	rec.no_scan = false;
	rec.scans[0] = (struct fake_scan){
		.regions = { { A, A + 4096, false },
			     { A + 2 * 4096, A + 3 * 4096, false } },
		.nr = 2,
		.done = A + 3 * 4096,
	};
	rec.failing = "read 0 1";
	rec.error = -EIO;
	CHECK_EQ(add(), -EIO);
	CHECK(strstr(rec.text, "scan 0 4; read 0 1; cut"));
}

UNIT_TEST(a_mapping_that_fails_is_the_last_one)
{
	rec.vmas[1] = (struct ptu_vma){ .start = A + 512 * 4096,
					.end = A + 513 * 4096 };
	rec.nr_vmas = 2;
	rec.failing = "read 0 4";
	rec.error = -EIO;
	CHECK_EQ(add(), -EIO);
	CHECK(strstr(rec.text, "open pagemap; read 0 4; cut"));
}

UNIT_TEST(a_large_pagemap_is_read_until_the_deadline)
{
	rec.is_long = true;
	CHECK_EQ(add(), 0);
}

/* The limit of this test is 70000 words. A hole does not count. */
UNIT_TEST(a_recording_has_a_limit_of_words)
{
	rec.vmas[0].end = A + 70001 * 4096ul;
	rec.words[5] = 0;
	CHECK_EQ(add(), 0);
	rec.words[5] = AT(5);
	CHECK_EQ(add(), -EFBIG);
	CHECK_STR(err.text, "pagemap refused");
	CHECK(!exists("7/pagemap"));
}

UNIT_TEST(a_scan_is_recorded_up_to_its_limit)
{
	rec.scan_is_there = true;
	rec.nr_slots = 2;
	CHECK_EQ(add(), 0);
	CHECK_STR(text_of("7/scan"), "2 slots\n");
	rec.nr_slots = 3;
	CHECK_EQ(add(), -EFBIG);
	CHECK_STR(err.text,
		  "process 7: PAGEMAP_SCAN shows more than a recording can hold");
}

UNIT_TEST(a_pagemap_that_ends_early_is_read_again)
{
	rec.is_short = true;
	rec.tries = 3;
	CHECK_EQ(add(), -EAGAIN);
	CHECK_STR(err.text, "changed in 3 attempts");
	CHECK(!strstr(rec.text, "slots"));
	/* not one word of the mapping's only page is read */
	rec.vmas[0].end = A + 4096;
	CHECK_EQ(add(), -EAGAIN);
	CHECK_STR(err.text, "changed in 3 attempts");
}

UNIT_TEST(mappings_that_change_are_recorded_again)
{
	rec.tries = 3;
	rec.nr_changes = 2;
	CHECK_EQ(add(), 0);
	CHECK_EQ(record.dir.manifest.nr_files, NR_OF_MACHINE + 5);
	CHECK_EQ(rec.nr_maps, 6);
	/* the frames of the first two attempts are forgotten */
	CHECK_EQ(record.frames.nr, 1);
	rec.nr_changes = 3;
	CHECK_EQ(add(), -EAGAIN);
	CHECK_STR(err.text, "changed in 3 attempts");
	CHECK_EQ(record.dir.manifest.nr_files, NR_OF_MACHINE);
	CHECK_EQ(record.frames.nr, 0);
	CHECK(!exists("7"));
}

/* The mappings change and change back between two readings of maps. */
UNIT_TEST(all_files_show_the_same_mappings)
{
	rec.tries = 3;
	rec.nr_other_vmas = 1;
	CHECK_EQ(add(), 0);
	CHECK_EQ(rec.nr_maps, 3);
	rec.nr_other_smaps = 2;
	CHECK_EQ(add(), 0);
	CHECK_EQ(rec.nr_maps, 4);
	CHECK_STR(text_of("7/smaps"),
		  "7f0000000000-7f0000004000 r--p 00000000 08:01 5 /secret/a\nSize: 16 kB\n" SMAPS_FIELDS);
	CHECK_EQ(record.frames.nr, 1);
	rec.nr_other_smaps = 3;
	CHECK_EQ(add(), -EAGAIN);
	CHECK_STR(err.text, "changed in 3 attempts");
}

/* The files and frames of an earlier process remain. */
UNIT_TEST(only_the_process_that_fails_is_removed)
{
	CHECK_EQ(add(), 0);
	rec.failing = "read smaps";
	rec.error = -EIO;
	CHECK_EQ(ptu_record_add(&record, 8, &err), -EIO);
	CHECK_EQ(record.dir.manifest.nr_files, NR_OF_MACHINE + 5);
	CHECK_EQ(record.frames.nr, 1);
	CHECK(exists("7/maps"));
	CHECK(!exists("8"));
}

UNIT_TEST(the_message_of_an_earlier_attempt_does_not_remain)
{
	rec.tries = 2;
	rec.failing = "evidence";
	rec.error = -EAGAIN;
	begin_new(PTU_SIDE_AUTO, false);
	strcpy(err.text, "an earlier one");
	CHECK_EQ(ptu_record_add(&record, PID, &err), -EAGAIN);
	CHECK_STR(err.text, "changed in 2 attempts");
	rec.failing = NULL;
	rec.text[0] = '\0';
	CHECK_EQ(ptu_record_add(&record, PID, &err), 0);
	CHECK_STR(err.text, "");
}

/* After @successes calls the step fails. Nothing of the process remains in the recording. */
static void fails(const char *failing, unsigned int successes, int error,
		  const char *message, const char *last_step)
{
	size_t bytes;

	rec.failing = failing;
	rec.successes = successes;
	rec.error = error;
	rec.scan_is_there = true;
	CHECK_EQ(add_to(PTU_SIDE_BOTH, false), error);
	CHECK_STR(err.text, message);
	bytes = strlen(rec.text);
	CHECK(bytes > strlen(last_step));
	CHECK_STR(rec.text + bytes - strlen(last_step), last_step);
	CHECK_EQ(record.dir.manifest.nr_files, NR_OF_MACHINE + 2);
	CHECK_EQ(record.frames.nr, 0);
	CHECK(!exists("7"));
}

UNIT_TEST(each_error_ends_the_attempt)
{
#define CUT "cut to 0; "
	fails("fetch module", 0, -EIO, "fetch module failed",
	      "memory; fetch module; " CUT);
	fails("fetch module", 1, -EIO, "fetch module failed",
	      "fetch bpf; fetch module; " CUT);
	fails("fetch bpf", 0, -EIO, "fetch bpf failed",
	      "fetch module; fetch bpf; " CUT);
	fails("fetch bpf", 1, -EIO, "fetch bpf failed",
	      "read maps; fetch bpf; " CUT);
	fails("read maps", 0, -EIO, "maps refused", "read maps; " CUT);
	fails("read maps", 1, -EIO, "maps refused",
	      "read 7/stat; read maps; " CUT);
	fails("evidence", 0, -EIO, "evidence failed", "evidence; " CUT);
	fails("open pagemap", 0, -EIO, "pagemap refused", "open pagemap; " CUT);
	fails("read 0 4", 0, -EIO, "pagemap refused", "read 0 4; " CUT);
	fails("take 4", 0, -EIO, "take 4 failed", "take 4; " CUT);
	fails("slots", 0, -EIO, "slots failed", "slots; " CUT);
	fails("read smaps", 0, -EIO, "smaps refused", "read smaps; " CUT);
	fails("read status", 0, -EIO, "status refused", "read status; " CUT);
	fails("read 7/stat", 0, -EIO, "stat refused", "read 7/stat; " CUT);
}

UNIT_TEST(a_file_that_cannot_be_written_ends_the_attempt)
{
	static const char *const all[] = {
		"7/tables-before",
		"7/tables-bpf-before",
		"7/maps",
		"7/pagemap",
		"7/scan",
		"7/smaps",
		"7/status",
		"7/stat",
		"7/tables-bpf-after",
		"7/tables-after",
	};

	rec.scan_is_there = true;
	for (size_t i = 0; i < 2 * 10; i++) {
		char message[64];

		rec.no_file = i < 10 ? all[i] : NULL;
		rec.unfinished = i < 10 ? NULL : all[i - 10];
		snprintf(message, sizeof(message),
			 i < 10 ? "no %s" : "no end of %s", all[i % 10]);
		CHECK_EQ(add_to(PTU_SIDE_BOTH, i % 3 == 1), -ENOSPC);
		CHECK_STR(err.text, message);
		CHECK(!exists("7"));
	}
}

/* The error of reading comes first. */
UNIT_TEST(a_pagemap_is_finished_after_an_error)
{
	rec.failing = "read 0 4";
	rec.error = -EIO;
	rec.unfinished = "7/pagemap";
	CHECK_EQ(add(), -EIO);
	CHECK_STR(err.text, "pagemap refused");
}

UNIT_TEST(an_error_of_redacting_ends_the_attempt)
{
	begin_new(PTU_SIDE_AUTO, true);
	record.redact.error = -ENOMEM;
	CHECK_EQ(ptu_record_add(&record, PID, &err), -ENOMEM);
}

UNIT_TEST(a_process_without_memory_is_not_recorded)
{
	rec.failing = "open";
	rec.error = -ESRCH;
	CHECK_EQ(add(), -ESRCH);
	CHECK_STR(rec.text, "open; ");
	rec.failing = "memory";
	rec.error = -EINVAL;
	rec.has_mm = true;
	CHECK_EQ(add(), -EINVAL);
	CHECK_STR(err.text, "memory failed");
	CHECK_STR(rec.text, "open; memory; status; ");
	/* a zombie, which has a message of its own */
	rec.has_mm = false;
	CHECK_EQ(add(), -ESRCH);
	CHECK_STR(err.text, "memory failed");
}

UNIT_TEST(a_process_of_another_user_is_refused_before_it_is_walked)
{
	rec.is_denied = true;
	CHECK_EQ(add_to(PTU_SIDE_BOTH, false), -EACCES);
	CHECK_STR(err.text, "maps refused");
	CHECK_STR(rec.text, "open; memory; ");
}

/* A walk answers that there is no memory if the process has ended before. */
UNIT_TEST(a_process_without_memory_has_ended)
{
	rec.failing = "fetch module";
	rec.error = -EINVAL;
	CHECK_EQ(add_to(PTU_SIDE_MODULE, false), -ESRCH);
	CHECK(strstr(rec.text, "status; gone; "));
	CHECK_STR(err.text, "gone");
	rec.has_mm = true;
	CHECK_EQ(add_to(PTU_SIDE_MODULE, false), -EINVAL);
	CHECK(!strstr(rec.text, "gone"));
	/* other errors do not depend on it */
	rec.has_mm = false;
	rec.error = -EIO;
	CHECK_EQ(add_to(PTU_SIDE_MODULE, false), -EIO);
	CHECK(!strstr(rec.text, "status; "));
}

UNIT_TEST(the_process_is_opened_again_after_the_end_of_a_thread)
{
	rec.failing = "evidence";
	rec.error = -ESTALE;
	CHECK_EQ(add(), -ESTALE);
	CHECK_EQ(rec.nr_maps, PTU_OPEN_TRIES);
	rec.failing = "open";
	rec.error = -ESTALE;
	rec.successes = 0;
	CHECK_EQ(add(), -ESTALE);
	CHECK_STR(rec.text, "open; open; open; open; open; ");
	CHECK_STR(err.text, "open failed");
	rec.error = -EIO;
	CHECK_EQ(add(), -EIO);
	CHECK_STR(rec.text, "open; ");
}

UNIT_MAIN_WITH(record_set_up, tear_down)
