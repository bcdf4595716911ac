// SPDX-License-Identifier: GPL-2.0-only
/* A recording begins with files about the machine, and is complete or removed at its end. */
#include "acquire/fake_record.h"

#define COUNTED                                                \
	(rec.nr_sides || rec.nr_frames_begun || rec.nr_open || \
	 rec.nr_words_open)

static void tear_down(void)
{
	tree_remove();
}

UNIT_TEST(the_files_about_the_machine_are_written)
{
	CHECK_EQ(begin(PTU_SIDE_AUTO, false), 0);
	CHECK_STR(text_of("about"), "this machine\n");
	CHECK_STR(text_of("cpuinfo"), "flags\t\t: fpu la57\n");
	CHECK_STR(text_of("scan-caps"), "wp 1\n");
	CHECK_STR(text_of("madvise-frees"), "frees\n");
	CHECK_STR(text_of("sys/kernel/random/boot_id"), "1-2-3\n");
	CHECK_STR(text_of("meminfo"), "PageTables: 1 kB\n");
	CHECK_EQ(record.dir.manifest.nr_files, 6);
	CHECK(record.geo == &four_levels);
	CHECK_STR(rec.text, "frames; side; host; flags; boot; read meminfo; ");
	CHECK_EQ(ptu_record_end(&record, &err), 0);
	CHECK_STR(text_of("meminfo-after"), "PageTables: 2 kB\n");
	CHECK(exists("manifest"));
	CHECK(exists("about"));
	CHECK(!COUNTED);
}

/* The buffer has 64 bytes: 62, the line end and the terminating zero. */
UNIT_TEST(the_longest_boot_id_has_room_for_its_line_end)
{
	rec.boot_id =
		"123456789012345678901234567890123456789012345678901234567890"
		"12345";
	CHECK_EQ(begin(PTU_SIDE_AUTO, false), 0);
	CHECK_STR(text_of("sys/kernel/random/boot_id"),
		  "12345678901234567890123456789012345678901234567890123456789012\n");
	ptu_record_undo(&record);
}

UNIT_TEST(each_side_has_a_file_of_its_geometry)
{
	static const struct {
		enum ptu_side_choice which;
		bool module, bpf;
	} all[] = {
		{ PTU_SIDE_AUTO, false, false },
		{ PTU_SIDE_MODULE, true, false },
		{ PTU_SIDE_BPF, false, true },
		{ PTU_SIDE_BOTH, true, true },
	};

	for (size_t i = 0; i < 4; i++) {
		rec.nr_sides = 1;
		CHECK_EQ(begin(all[i].which, false), 0);
		CHECK_EQ(exists("geometry"), all[i].module);
		CHECK_EQ(exists("geometry-bpf"), all[i].bpf);
		if (all[i].module)
			CHECK(strstr(text_of("geometry"), "4096"));
		if (all[i].bpf)
			CHECK(strstr(text_of("geometry-bpf"), "4096"));
		ptu_record_undo(&record);
		CHECK(!COUNTED);
	}
}

UNIT_TEST(a_side_is_optional_unless_the_user_chooses_it)
{
	rec.failing = "side";
	rec.error = -ENOENT;
	CHECK_EQ(begin(PTU_SIDE_AUTO, false), 0);
	CHECK_STR(err.text, "");
	CHECK_STR(record.without.text, "side failed");
	CHECK(!exists("geometry"));
	ptu_record_undo(&record);
	rec.nr_sides = 1;
	CHECK_EQ(begin(PTU_SIDE_BPF, false), -ENOENT);
	CHECK_STR(err.text, "side failed");
	CHECK(access(to, F_OK));
	CHECK(!COUNTED);
}

UNIT_TEST(a_kernel_without_pagemap_scan_has_no_caps)
{
	rec.calibrate = 0;
	CHECK_EQ(begin(PTU_SIDE_AUTO, false), 0);
	CHECK(!exists("scan-caps"));
	CHECK(exists("madvise-frees"));
	ptu_record_undo(&record);
	rec.calibrate = -ENOMEM;
	CHECK_EQ(begin(PTU_SIDE_AUTO, false), -ENOMEM);
	CHECK(access(to, F_OK));
}

UNIT_TEST(pages_are_recorded_on_request)
{
	CHECK_EQ(ptu_record_begin(to, &four_levels, PTU_SIDE_AUTO, true, true,
				  &record, &err),
		 0);
	CHECK_STR(rec.text,
		  "all frames; side; host; flags; boot; read meminfo; ");
	CHECK(record.frames.all);
	CHECK(record.is_redacted);
	ptu_record_undo(&record);
}

UNIT_TEST(redaction_keeps_the_place_of_a_frame_in_the_reach_of_a_table)
{
	struct ptu_geometry geo = four_levels;

	/* as with pages of 16 KiB on arm64 */
	geo.nr_entries[PTAUDIT_PTE] = 2048;
	rec.geo = &geo;
	CHECK_EQ(ptu_record_begin(to, &geo, PTU_SIDE_AUTO, true, false, &record,
				  &err),
		 0);
	CHECK_EQ(ptu_redact_pfn(&record.redact, 3 * 2048 + 1600) % 2048, 1600);
	ptu_record_undo(&record);
}

UNIT_TEST(nothing_remains_of_a_machine_that_cannot_be_read)
{
	static const char *const all[] = { "frames", "host", "flags", "boot" };

	for (size_t i = 0; i < 4; i++) {
		char message[32];

		rec.nr_sides = 1;
		rec.nr_frames_begun = 0;
		err.text[0] = '\0';
		rec.failing = all[i];
		rec.error = -EIO;
		snprintf(message, sizeof(message), "%s failed", all[i]);
		CHECK_EQ(begin(PTU_SIDE_AUTO, false), -EIO);
		CHECK_STR(err.text, message);
		CHECK(access(to, F_OK));
		CHECK(!COUNTED);
	}
}

UNIT_TEST(nothing_remains_if_a_file_cannot_be_written)
{
	static const char *const all[] = {
		"geometry",
		"geometry-bpf",
		"about",
		"cpuinfo",
		"scan-caps",
		"madvise-frees",
		"sys/kernel/random/boot_id",
		"meminfo",
	};

	for (size_t i = 0; i < 2 * 8; i++) {
		rec.no_file = i < 8 ? all[i] : NULL;
		rec.unfinished = i < 8 ? NULL : all[i - 8];
		err.text[0] = '\0';
		CHECK_EQ(begin(PTU_SIDE_BOTH, false), -ENOSPC);
		CHECK(strstr(err.text, all[i % 8]));
		CHECK(access(to, F_OK));
	}
}

UNIT_TEST(a_directory_that_is_not_empty_is_not_used)
{
	tree_write("r/f", "");
	CHECK_EQ(begin(PTU_SIDE_AUTO, false), -ENOTEMPTY);
	CHECK(exists("f"));
	CHECK(!exists("about"));
	CHECK(!COUNTED);
}

UNIT_TEST(meminfo_must_be_readable_at_both_moments)
{
	rec.failing = "read meminfo";
	rec.error = -EACCES;
	CHECK_EQ(begin(PTU_SIDE_AUTO, false), -EACCES);
	CHECK_STR(err.text, "cannot read /proc/meminfo: Permission denied");
	CHECK(access(to, F_OK));
	CHECK(!COUNTED);
	rec.successes = 1;
	rec.nr_sides = 1;
	CHECK_EQ(begin(PTU_SIDE_AUTO, false), 0);
	CHECK_EQ(ptu_record_end(&record, &err), -EACCES);
	CHECK(access(to, F_OK));
	CHECK(!COUNTED);
}

UNIT_TEST(a_recording_whose_frames_cannot_be_written_is_removed)
{
	CHECK_EQ(begin(PTU_SIDE_AUTO, false), 0);
	rec.failing = "write frames";
	rec.error = -EFBIG;
	CHECK_EQ(ptu_record_end(&record, &err), -EFBIG);
	CHECK(access(to, F_OK));
	CHECK(!COUNTED);
}

UNIT_MAIN_WITH(record_set_up, tear_down)
