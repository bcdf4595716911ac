/* SPDX-License-Identifier: GPL-2.0-only */
/* A report of `whatif` made for tests: two processes and two files of shared memory. */
#ifndef WHATIF_REPORT_H
#define WHATIF_REPORT_H

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "render/render.h"
#include "support/printed.h"
#include "support/unit.h"

static struct ptu_whatif_mm mms[] = {
	{ .pid = 61,
	  .comm = "a\tb",
	  .named = true,
	  .pte_tables = 50,
	  .anon_tables = 20,
	  .empty_tables = 14,
	  .sealed_tables = 3,
	  .vmpte_bytes = 40960,
	  .vmpte_after_bytes = 16384 },
	{ .pid = 62,
	  .comm = "other",
	  .named = true,
	  .pte_tables = 7,
	  .anon_tables = 3,
	  .vmpte_bytes = 8192,
	  .vmpte_after_bytes = 8192 },
};
static char heap[] = "[heap]", nothing[] = "", file_path[] = "/dev/shm/x";
static struct ptu_whatif_empty empties[] = {
	{ .mm = 0,
	  .start = 0x200000,
	  .end = 0x1800000,
	  .tables = 11,
	  .call = PTU_BY_MADVISE,
	  .perms = "rw-p",
	  .path = heap },
	{ .mm = 0,
	  .start = 0x40000000,
	  .end = 0x40200000,
	  .tables = 1,
	  .call = PTU_BY_MUNMAP,
	  .perms = "rw-p",
	  .path = nothing },
	{ .mm = 0,
	  .start = 0x50000000,
	  .end = 0x50400000,
	  .tables = 2,
	  .call = PTU_BY_MADVISE_LOCKED,
	  .perms = "rw-p",
	  .path = nothing },
};
static struct ptu_whatif_file files[] = {
	{ .path = file_path,
	  .shown = 1,
	  .size_bytes = 4 << 20,
	  .nr_mms = 1,
	  .blocked = { [PTU_BLOCK_UFFD] = 1, [PTU_BLOCK_UNALIGNED] = 3 } },
	{ .device = 1,
	  .inode = 77,
	  .path = nothing,
	  .shown = 0,
	  .is_internal = true,
	  .size_bytes = 8 << 20,
	  .nr_mms = 2,
	  .tables = 6,
	  .empty_tables = 2,
	  .windows = 3,
	  .fill_bytes = 40960,
	  .swapped_bytes = 12288 },
};
/* nine holes of the second file, of which eight are listed */
static struct ptu_whatif_hole holes[10] = { { .file = 0 } };
static struct ptu_whatif_window windows[] = {
	{ .file = 0, .offset = 0x200000, .error = -ENOMEM },
	{ .file = 1,
	  .offset = 0x600000,
	  .error = -EAGAIN,
	  .block = PTU_BLOCK_LIMIT },
};
static pid_t unread[] = { 70, 71, 72, 73, 74, 75, 76, 77, 78 };
static struct ptu_whatif_report report = {
	.base = { .page_bytes = 4096 },
	.empties_known = true,
	.madvise_frees = true,
	.shared_known = true,
	.source = "scan",
	.shmem_enabled = "never",
	.slot_bytes = 2 << 20,
	.mms = mms,
	.nr_mms = 2,
	.empties = empties,
	.nr_empties = 3,
	.files = files,
	.nr_files = 2,
	.holes = holes,
	.nr_holes = 10,
	.windows = windows,
	.nr_windows = 2,
	.unread = unread,
	.nr_unread = 1,
	.nr_unopened = 4,
};

/* The report as text or JSON. */
static inline const char *text_with(bool as_json,
				    struct ptu_render_options options)
{
	struct ptu_err err = { "" };
	int error;
	const char *text = OUTPUT_OF(
		error = as_json ? ptu_render_whatif_json(&report, &options, out,
							 &err) :
				  ptu_render_whatif_text(&report, &options, out,
							 &err));

	if (error)
		UNIT_FAIL("cannot render: %s", err.text);
	return text;
}

static inline const char *text_of(bool as_json)
{
	return text_with(as_json, (struct ptu_render_options){ .raw = false });
}

/* For UNIT_MAIN_WITH(): each test starts with the same report, whatever others changed. */
static inline void whatif_begin(void)
{
	static struct ptu_whatif_report first_report;
	static struct ptu_whatif_mm first_mms[2];
	static struct ptu_whatif_file first_files[2];
	static struct ptu_whatif_window first_windows[2];

	for (size_t i = 1; i < 10; i++)
		holes[i] = (struct ptu_whatif_hole){ 1, i << 12,
						     (i << 12) + 0x800 };
	if (!first_report.mms) {
		first_report = report;
		memcpy(first_mms, mms, sizeof(mms));
		memcpy(first_files, files, sizeof(files));
		memcpy(first_windows, windows, sizeof(windows));
	}
	report = first_report;
	memcpy(mms, first_mms, sizeof(mms));
	memcpy(files, first_files, sizeof(files));
	memcpy(windows, first_windows, sizeof(windows));
}

#endif
