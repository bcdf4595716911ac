/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replaces the functions that acquire/pages.c calls.  The test defines the words of both pagemaps
 * (of the process and of the reader), of kpageflags and of kpagecount, and the regions of
 * PAGEMAP_SCAN.
 */
#ifndef FAKE_WORDS_H
#define FAKE_WORDS_H

#include <errno.h>
#include <string.h>

#include "acquire/file.h"
#include "acquire/page_caps.h"
#include "acquire/pages.h"
#include "acquire/scan_pages.h"
#include "model/page_flags.h"
#include "model/pagemap.h"
#include "support/unit.h"

#define PAGE UINT64_C(4096)
#define PAGEMAP_OF_PROC 33

enum fake_file { PAGEMAP, OWN_PAGEMAP, FLAGS, COUNTS, NR_FILES };

/* Number of the descriptor of the first file. */
#define FIRST_FD 1000

/* @call: number of the call that returns the region; the first call has number 0 */
struct fake_region {
	int call;
	struct ptu_scan_region region;
};

static struct fake {
	bool is_recording;
	/* -errno of the calls; a short file ends at this index, if it is not 0 */
	int open_error[NR_FILES], read_error[NR_FILES];
	uint64_t end[NR_FILES];
	/* index from which on a recording has no words, if it is not 0 */
	uint64_t unknown[NR_FILES];
	int nr_open[NR_FILES], nr_reads[NR_FILES];
	/* pagemap: [nr_words] from the index on; all others are 0 */
	const uint64_t *words;
	uint64_t index, nr_words;
	/* the word in the reader's own pagemap; if @again, another one is read later */
	uint64_t own_word, own_word_again;
	bool again;
	int open_error_again;
	/* kpageflags of some page frames, and of all others */
	struct {
		uint64_t pfn, flags;
	} frames[8];
	size_t nr_frames;
	uint64_t other_flags;
	/* PAGEMAP_SCAN: what it returns, and the end of the range that each call covers */
	int scan_error;
	struct fake_region regions[8];
	size_t nr_regions;
	uint64_t scan_step, scan_start, scan_end;
	int nr_scans, nr_own_opens;
	struct ptu_page_caps caps;
	int caps_error, same_error;
} fake;

static const struct ptu_proc fake_proc = { .pid = 77,
					   .tid = 77,
					   .dirfd = PAGEMAP_OF_PROC };

static inline void frame_is(uint64_t pfn, uint64_t flags)
{
	fake.frames[fake.nr_frames].pfn = pfn;
	fake.frames[fake.nr_frames++].flags = flags;
}

bool ptu_file_is_recording(void)
{
	return fake.is_recording;
}

int ptu_proc_refuse(const struct ptu_proc *proc, const char *what, int error,
		    struct ptu_err *err)
{
	return ptu_err_set(err, error, "process %d: %s refused", (int)proc->pid,
			   what);
}

int ptu_proc_same(const struct ptu_proc *proc, struct ptu_err *err)
{
	return fake.same_error;
}

int ptu_page_caps_replay(struct ptu_page_caps *ret, struct ptu_err *err)
{
	*ret = fake.caps;
	return fake.caps_error;
}

int ptu_scan_pages(int pagemap_fd, uint64_t start, uint64_t end,
		   struct ptu_scan_region *ret, uint64_t *ret_done)
{
	const int call = fake.nr_scans++;
	int nr = 0;

	if (pagemap_fd != FIRST_FD + PAGEMAP)
		return -EBADF;
	/* as the kernel does */
	if (start % PAGE || end % PAGE)
		return -EINVAL;
	if (fake.scan_error)
		return fake.scan_error;
	fake.scan_start = start;
	fake.scan_end = end;
	*ret_done = fake.scan_step && start + fake.scan_step < end ?
			    start + fake.scan_step :
			    end;
	for (size_t i = 0; i < fake.nr_regions; i++)
		if (fake.regions[i].call == call)
			ret[nr++] = fake.regions[i].region;
	return nr;
}

int ptu_words_open(int dirfd, const char *name, struct ptu_words *ret)
{
	static const char *const names[] = { "pagemap", "self/pagemap",
					     "kpageflags", "kpagecount" };

	for (int i = 0; i < NR_FILES; i++) {
		if (strcmp(names[i], name) != 0 ||
		    dirfd != (i == PAGEMAP ? PAGEMAP_OF_PROC : PTU_PROC_ROOT))
			continue;
		if (fake.open_error[i])
			return fake.open_error[i];
		if (i == OWN_PAGEMAP && fake.again && fake.nr_own_opens++ &&
		    fake.open_error_again)
			return fake.open_error_again;
		*ret = (struct ptu_words){ .fd = FIRST_FD + i };
		fake.nr_open[i]++;
		return 0;
	}
	return -ENOTDIR;
}

void ptu_words_close(struct ptu_words *file)
{
	if (file->fd != -1 && file->fd < FIRST_FD)
		UNIT_FAIL("descriptor %d was closed", file->fd);
	if (file->fd >= FIRST_FD)
		fake.nr_open[file->fd - FIRST_FD]--;
	file->fd = -1;
}

static inline uint64_t fake_word(int file, uint64_t index)
{
	if (file == OWN_PAGEMAP)
		return fake.nr_own_opens > 1 ? fake.own_word_again :
					       fake.own_word;
	if (file == COUNTS)
		return index + 1000;
	if (file == PAGEMAP)
		return index - fake.index < fake.nr_words ?
			       fake.words[index - fake.index] :
			       0;
	for (size_t i = 0; i < fake.nr_frames; i++)
		if (fake.frames[i].pfn == index)
			return fake.frames[i].flags;
	return fake.other_flags ? fake.other_flags : index * 256 + 8;
}

ssize_t ptu_words_read(const struct ptu_words *file, uint64_t index,
		       uint64_t *words, size_t nr_words)
{
	const int i = file->fd - FIRST_FD;
	size_t nr;

	if (i < 0 || i >= NR_FILES)
		return -EBADF;
	fake.nr_reads[i]++;
	if (fake.read_error[i])
		return fake.read_error[i];
	for (nr = 0; nr < nr_words && (!fake.end[i] || index < fake.end[i]);
	     nr++)
		words[nr] = fake_word(i, index++);
	return (ssize_t)nr;
}

size_t ptu_words_known(const struct ptu_words *file, uint64_t index,
		       size_t nr_words)
{
	const uint64_t end = fake.unknown[file->fd - FIRST_FD];

	return !end || index + nr_words <= end ? nr_words :
	       index < end		       ? end - index :
						 0;
}

uint64_t ptu_words_skip(const struct ptu_words *file, uint64_t index)
{
	if (!fake.is_recording)
		return index;
	while (index < fake.index + fake.nr_words && !fake_word(PAGEMAP, index))
		index++;
	return index < fake.index + fake.nr_words ? index : UINT64_MAX;
}

#endif
