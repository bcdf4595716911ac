// SPDX-License-Identifier: GPL-2.0-only
/*
 * What can be read of the pages of a process: it depends on the files that can be
 * opened, and on their contents.
 */
#include "acquire/fake_words.h"

#define OWN_PFN 0x4321

static struct ptu_pages files;
static struct ptu_err err;

static void set_up(void)
{
	memset(&files, 0, sizeof(files));
	fake = (struct fake){ .own_word = PTU_PM_PRESENT | OWN_PFN };
	frame_is(OWN_PFN, PTU_KPF_ANON | PTU_KPF_SWAPBACKED);
}

/* Close the files; no descriptor may be left, and none may be closed twice. */
static void close_pages(void)
{
	if (files.proc)
		ptu_pages_close(&files);
	for (int i = 0; i < NR_FILES; i++)
		if (fake.nr_open[i])
			UNIT_FAIL("file %d: %d descriptors are left", i,
				  fake.nr_open[i]);
}

/* Open the files, after those of an earlier call have been closed. */
static int open_pages(void)
{
	close_pages();
	memset(&files, 0, sizeof(files));
	err.text[0] = '\0';
	return ptu_pages_open(&fake_proc, PAGE, &files, &err);
}

UNIT_TEST(root_sees_everything)
{
	CHECK_EQ(open_pages(), 0);
	CHECK(files.has_scan && files.has_pfns && files.has_flags);
	CHECK(!files.is_recorded && !files.ksm_is_anon);
	CHECK_EQ(files.flags_error, 0);
	CHECK_EQ(files.page_bytes, PAGE);
	CHECK(files.proc == &fake_proc);
	CHECK_EQ(fake.nr_open[OWN_PAGEMAP], 0);
	CHECK_EQ(fake.nr_open[PAGEMAP], 1);
	CHECK_EQ(fake.nr_open[FLAGS], 1);
	CHECK_EQ(fake.nr_open[COUNTS], 1);
	CHECK_EQ(ptu_pages_need_flags(&files, "cow", &err), 0);
	close_pages();
	CHECK(!files.pages && !files.words);
}

/* Both flags on a page that is not merged: the kernel shows KSM for all of them. */
UNIT_TEST(ksm_is_tested_with_a_page_of_our_own)
{
	static const struct {
		uint64_t flags;
		bool expected;
	} cases[] = {
		{ PTU_KPF_ANON | PTU_KPF_KSM, true },
		{ PTU_KPF_ANON, false },
		{ PTU_KPF_KSM, false },
	};

	for (size_t i = 0; i < 3; i++) {
		fake.frames[0].flags = cases[i].flags;
		CHECK_EQ(open_pages(), 0);
		CHECK_EQ(files.ksm_is_anon, cases[i].expected);
	}
	/* kpageflags cannot be read, or ends before the frame */
	fake.frames[0].flags = PTU_KPF_ANON | PTU_KPF_KSM;
	fake.read_error[FLAGS] = -EIO;
	CHECK_EQ(open_pages(), 0);
	CHECK(!files.ksm_is_anon);
	fake.read_error[FLAGS] = 0;
	fake.end[FLAGS] = OWN_PFN;
	CHECK_EQ(open_pages(), 0);
	CHECK(!files.ksm_is_anon);
}

/* pagemap shows page frames, but none for the page that tests KSM. */
UNIT_TEST(ksm_without_a_page_to_test_is_not_for_all)
{
	fake.frames[0].flags = PTU_KPF_ANON | PTU_KPF_KSM;
	fake.again = true;
	fake.own_word_again = PTU_PM_PRESENT | OWN_PFN;
	CHECK_EQ(open_pages(), 0);
	CHECK(files.ksm_is_anon);
	fake.nr_own_opens = 0;
	fake.own_word_again = PTU_PM_SWAP | OWN_PFN;
	CHECK_EQ(open_pages(), 0);
	CHECK(files.has_flags && !files.ksm_is_anon);
	fake.nr_own_opens = 0;
	fake.open_error_again = -EMFILE;
	CHECK_EQ(open_pages(), -EMFILE);
}

static void is_hidden(void)
{
	CHECK_EQ(open_pages(), 0);
	CHECK(files.has_scan && !files.has_pfns && !files.has_flags);
	CHECK(!files.ksm_is_anon);
	CHECK_EQ(files.flags_error, -EPERM);
	CHECK_EQ(fake.nr_open[FLAGS], 0);
	CHECK_EQ(ptu_pages_need_flags(&files, "cow", &err), -EPERM);
	CHECK_STR(err.text,
		  "page frames are hidden from you: cow needs root, with CAP_SYS_ADMIN in the initial user namespace");
}

UNIT_TEST(page_frames_are_hidden)
{
	fake.own_word = PTU_PM_PRESENT | PTU_PM_EXCLUSIVE;
	is_hidden();
	fake.own_word = PTU_PM_SWAP | OWN_PFN;
	is_hidden();
	fake.own_word = PTU_PM_PRESENT | OWN_PFN;
	fake.end[OWN_PAGEMAP] = 1;
	is_hidden();
	fake.end[OWN_PAGEMAP] = 0;
	fake.read_error[OWN_PAGEMAP] = -EIO;
	is_hidden();
	fake.read_error[OWN_PAGEMAP] = 0;
	fake.open_error[OWN_PAGEMAP] = -EACCES;
	is_hidden();
	fake.open_error[OWN_PAGEMAP] = -EPERM;
	is_hidden();
}

UNIT_TEST(own_pagemap_that_cannot_be_opened_is_an_error)
{
	fake.open_error[OWN_PAGEMAP] = -EMFILE;
	CHECK_EQ(open_pages(), -EMFILE);
	CHECK(strstr(err.text, "/proc/self/pagemap: Too many open files"));
	CHECK(!files.proc);
}

UNIT_TEST(a_kernel_may_lack_kpageflags)
{
	fake.open_error[FLAGS] = -ENOENT;
	CHECK_EQ(open_pages(), 0);
	CHECK(files.has_pfns && !files.has_flags && !files.ksm_is_anon);
	CHECK_EQ(ptu_pages_need_flags(&files, "flags", &err), -ENOENT);
	CHECK(strstr(err.text, "CONFIG_PROC_PAGE_MONITOR"));
	fake.open_error[FLAGS] = 0;
	fake.open_error[COUNTS] = -EACCES;
	CHECK_EQ(open_pages(), 0);
	CHECK(files.has_pfns && !files.has_flags);
	CHECK_EQ(fake.nr_open[FLAGS], 0);
	CHECK_EQ(ptu_pages_need_flags(&files, "flags", &err), -EACCES);
	CHECK_STR(err.text,
		  "cannot open /proc/kpageflags and kpagecount: Permission denied");
}

UNIT_TEST(a_kernel_may_lack_pagemap_scan)
{
	fake.scan_error = -EOPNOTSUPP;
	CHECK_EQ(open_pages(), 0);
	CHECK(!files.has_scan && files.has_flags);
	fake.scan_error = -ESRCH;
	CHECK_EQ(open_pages(), -ESRCH);
	CHECK_STR(err.text, "process 77: pagemap refused");
	CHECK(!files.proc);
}

UNIT_TEST(a_pagemap_that_is_refused_is_an_error)
{
	fake.open_error[PAGEMAP] = -EACCES;
	CHECK_EQ(open_pages(), -EACCES);
	CHECK_STR(err.text, "process 77: pagemap refused");
	CHECK_EQ(fake.nr_scans, 0);
	CHECK(!files.proc);
}

/* A recording has the result for its kernel; no page of this process is read. */
UNIT_TEST(recording_has_pfns_and_flags)
{
	fake.is_recording = true;
	fake.open_error[OWN_PAGEMAP] = -ENOENT;
	fake.scan_error = -ENOENT;
	CHECK_EQ(open_pages(), 0);
	CHECK(files.is_recorded && files.has_pfns && files.has_flags);
	CHECK(!files.has_scan && !files.ksm_is_anon);
	CHECK_EQ(ptu_pages_need_flags(&files, "cow", &err), 0);
	fake.caps.ksm_is_anon = true;
	CHECK_EQ(open_pages(), 0);
	CHECK(files.ksm_is_anon);
}

UNIT_TEST(recording_without_flags_is_refused)
{
	fake.is_recording = true;
	fake.open_error[COUNTS] = -ENOENT;
	CHECK_EQ(open_pages(), -ENOENT);
	CHECK_STR(err.text,
		  "cannot read the recording's kpageflags and kpagecount: No such file or directory");
	CHECK(!files.proc);
	fake.caps_error = -ENODATA;
	CHECK_EQ(open_pages(), -ENODATA);
	CHECK(!files.proc);
}

UNIT_MAIN_WITH(set_up, close_pages)
