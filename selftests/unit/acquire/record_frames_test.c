// SPDX-License-Identifier: GPL-2.0-only
/* The page frames of a recording: which are recorded, in which numbers, and how they are read. */
#include "acquire/record_frames.h"

#include "acquire/file.h"
#include "acquire/words.h"
#include "model/page_flags.h"
#include "support/printed.h"
#include "support/tree.h"
#include "support/unit.h"

#define HEAD PTU_KPF_COMPOUND_HEAD
#define TAIL PTU_KPF_COMPOUND_TAIL
#define AT(pfn) (PTU_PM_PRESENT | (pfn))

/* Frames 0x400 to 0x40f are a folio of a file; those from 0x500 on are anonymous. */
static struct ptu_run_of_words flags[] = {
	{ 0x400, 1, HEAD | 4, 0 },
	{ 0x401, 15, TAIL | 4, 0 },
	{ 0x500, 64, PTU_KPF_ANON | TAIL, 0 },
	{ 0x800, 1, 0, 0 },
};
static struct ptu_run_of_words counts[] = { { 0x400, 16, 3, 0 },
					    { 0x500, 64, 0x1001, 1 },
					    { 0x800, 1, 0, 0 } };

static struct ptu_page pages[PTU_PAGES_CHUNK];
static uint64_t words[PTU_PAGES_CHUNK];
static struct ptu_err err;

static struct ptu_record_frames begin(void)
{
	struct ptu_record_frames frames = {
		.all = true,
		.files = { .pagemap = { .fd = -1 },
			   .flags = { .fd = -1, .runs = flags, .nr_runs = 4 },
			   .counts = { .fd = -1, .runs = counts, .nr_runs = 3 },
			   .pages = pages,
			   .words = words },
	};

	err.text[0] = '\0';
	return frames;
}

static void end(struct ptu_record_frames *frames)
{
	/* the files belong to the test */
	frames->all = false;
	ptu_record_frames_deinit(frames);
}

/* Is this the frame at the place in the list? */
static bool is(const struct ptu_record_frames *frames, size_t i, uint64_t pfn,
	       uint64_t kpf, uint64_t count)
{
	return i < frames->nr && frames->frames[i].pfn == pfn &&
	       frames->frames[i].flags == kpf &&
	       frames->frames[i].count == count;
}

UNIT_TEST(each_present_frame_is_recorded_once)
{
	const uint64_t map[] = { 0,	    AT(0x505),
				 AT(0x506), PTU_PM_SWAP | 0x507,
				 AT(0x505), AT(0x800) };
	struct ptu_record_frames frames = begin();

	CHECK_EQ(ptu_record_frames_take(&frames, NULL, map, 6, &err), 0);
	CHECK_EQ(frames.nr, 3);
	CHECK(is(&frames, 0, 0x505, PTU_KPF_ANON | TAIL, 0x1006));
	CHECK(is(&frames, 1, 0x506, PTU_KPF_ANON | TAIL, 0x1007));
	CHECK(is(&frames, 2, 0x800, 0, 0));
	end(&frames);
}

UNIT_TEST(a_long_range_is_taken_in_parts)
{
	static uint64_t map[2 * PTU_PAGES_CHUNK + 1];
	struct ptu_record_frames frames = begin();

	map[0] = AT(0x800);
	map[PTU_PAGES_CHUNK] = AT(0x505);
	map[2 * PTU_PAGES_CHUNK] = AT(0x506);
	CHECK_EQ(ptu_record_frames_take(&frames, NULL, map,
					2 * PTU_PAGES_CHUNK + 1, &err),
		 0);
	CHECK_EQ(frames.nr, 3);
	CHECK(is(&frames, 1, 0x505, PTU_KPF_ANON | TAIL, 0x1006));
	CHECK(is(&frames, 2, 0x506, PTU_KPF_ANON | TAIL, 0x1007));
	end(&frames);
}

UNIT_TEST(a_tail_of_a_file_brings_its_head_with_its_count)
{
	const uint64_t map[] = { AT(0x407), AT(0x408), AT(0x400), AT(0x40f) };
	struct ptu_record_frames frames = begin();

	CHECK_EQ(ptu_record_frames_take(&frames, NULL, map, 4, &err), 0);
	CHECK_EQ(frames.nr, 4);
	CHECK(is(&frames, 0, 0x407, TAIL | 4, 3));
	CHECK(is(&frames, 1, 0x400, HEAD | 4, 3));
	CHECK(is(&frames, 2, 0x408, TAIL | 4, 3));
	CHECK(is(&frames, 3, 0x40f, TAIL | 4, 3));
	end(&frames);
}

UNIT_TEST(frames_of_a_failed_attempt_are_read_again)
{
	const uint64_t map[] = { AT(0x500), AT(0x501) };
	struct ptu_record_frames frames = begin();

	CHECK_EQ(ptu_record_frames_take(&frames, NULL, map, 1, &err), 0);
	CHECK_EQ(ptu_record_frames_take(&frames, NULL, map, 2, &err), 0);
	ptu_record_frames_cut(&frames, 1);
	CHECK_EQ(frames.nr, 1);
	CHECK_EQ(ptu_record_frames_take(&frames, NULL, map, 2, &err), 0);
	CHECK_EQ(frames.nr, 2);
	CHECK(is(&frames, 1, 0x501, PTU_KPF_ANON | TAIL, 0x1002));
	end(&frames);
}

UNIT_TEST(the_head_is_recorded_again_after_a_failed_attempt)
{
	const uint64_t map[] = { AT(0x407), AT(0x408) };
	struct ptu_record_frames frames = begin();

	CHECK_EQ(ptu_record_frames_take(&frames, NULL, map, 1, &err), 0);
	CHECK_EQ(frames.nr, 2);
	ptu_record_frames_cut(&frames, 0);
	CHECK_EQ(ptu_record_frames_take(&frames, NULL, map + 1, 1, &err), 0);
	CHECK_EQ(frames.nr, 2);
	CHECK(is(&frames, 0, 0x408, TAIL | 4, 3));
	CHECK(is(&frames, 1, 0x400, HEAD | 4, 3));
	end(&frames);
}

/* A reader searches the runs, so they must be sorted. */
UNIT_TEST(frames_are_written_in_ascending_order)
{
	const uint64_t map[] = { AT(0x800), AT(0x506), AT(0x505) };
	struct ptu_record_frames frames = begin();
	char got[128] = "", wanted[128];
	struct ptu_record_dir dir;
	int fd;

	CHECK_EQ(ptu_record_frames_take(&frames, NULL, map, 3, &err), 0);
	/* without counts only kpageflags is written */
	frames.all = false;
	CHECK_EQ(ptu_record_dir_open(tree, &dir, &err), 0);
	CHECK_EQ(ptu_record_frames_write(&frames, &dir, &err), 0);
	fd = openat(tree_fd, "kpageflags", O_RDONLY);
	CHECK(read(fd, got, sizeof(got) - 1) > 0);
	close(fd);
	ptu_record_dir_undo(&dir);
	snprintf(wanted, sizeof(wanted), "505 2 %x 0\n800 1 0 0\n",
		 (unsigned int)(PTU_KPF_ANON | TAIL));
	CHECK_STR(got, wanted);
	end(&frames);
}

UNIT_TEST(redaction_gives_frames_the_numbers_of_pagemap)
{
	uint64_t map[] = { AT(0x800), AT(0x505) };
	struct ptu_record_frames frames = begin();
	struct ptu_redact redact = { .block_pages = 512 };

	CHECK_EQ(ptu_record_frames_take(&frames, &redact, map, 2, &err), 0);
	ptu_redact_pagemap(&redact, map, 2);
	/* blocks of 512 frames are numbered from 1 on */
	CHECK_EQ(map[0], AT(0x200));
	CHECK_EQ(map[1], AT(0x505));
	CHECK(is(&frames, 0, 0x200, 0, 0));
	CHECK(is(&frames, 1, 0x505, PTU_KPF_ANON | TAIL, 0x1006));
	ptu_redact_deinit(&redact);
	end(&frames);
}

UNIT_TEST(a_word_of_0_is_not_a_missing_word)
{
	struct printed *text = printed_begin();
	struct ptu_words_writer writer = { .out = text->out };
	struct ptu_words file;
	uint64_t word = 7;

	ptu_words_write_one(&writer, 0x10, 0);
	ptu_words_write_one(&writer, 0x11, 0);
	ptu_words_write_one(&writer, 0x12, 5);
	ptu_words_write_one(&writer, 0x20, 0);
	ptu_words_write_end(&writer);
	CHECK_STR(printed_end(text), "10 2 0 0\n12 1 5 0\n20 1 0 0\n");
	tree_write("kpagecount", text->text);
	CHECK(ptu_file_use_recording(tree) >= 0);
	CHECK_EQ(ptu_words_open(PTU_PROC_ROOT, "kpagecount", &file), 0);
	CHECK_EQ(ptu_words_read(&file, 0x20, &word, 1), 1);
	CHECK_EQ(word, 0);
	/* both runs, up to the gap */
	CHECK_EQ(ptu_words_known(&file, 0x10, 0x20), 3);
	CHECK_EQ(ptu_words_known(&file, 0x11, 1), 1);
	CHECK_EQ(ptu_words_known(&file, 0x13, 1), 0);
	CHECK_EQ(ptu_words_known(&file, 0x20, 2), 1);
	CHECK_EQ(ptu_words_known(&file, 0x21, 1), 0);
	ptu_words_close(&file);
	ptu_file_leave_recording();
}

UNIT_MAIN_WITH(tree_make, tree_remove)
