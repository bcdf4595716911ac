// SPDX-License-Identifier: LGPL-2.1-or-later
/* Collect page frames and write each once; must not know which process has them. */
#include "acquire/record_frames.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acquire/file.h"
#include "acquire/page_caps.h"
#include "acquire/procfs.h"
#include "acquire/words.h"
#include "base/array.h"
#include "model/page_flags.h"

int ptu_record_frames_begin(bool all, uint64_t page_bytes,
			    struct ptu_record_frames *ret, struct ptu_err *err)
{
	struct ptu_record_frames frames = { .all = all };
	struct ptu_proc self;
	int error = 0;

	if (all)
		error = ptu_proc_open(getpid(), &self, err);
	if (all && !error) {
		error = ptu_pages_open(&self, page_bytes, &frames.files, err);
		ptu_proc_close(&self);
	}
	if (error)
		return error;
	if (all)
		error = ptu_pages_need_flags(&frames.files, "record --pages",
					     err);
	if (error)
		ptu_record_frames_deinit(&frames);
	else
		*ret = frames;
	return error;
}

void ptu_record_frames_deinit(struct ptu_record_frames *frames)
{
	if (frames->all)
		ptu_pages_close(&frames->files);
	free(frames->frames);
	ptu_frame_set_deinit(&frames->known);
	memset(frames, 0, sizeof(*frames));
}

static int add(struct ptu_record_frames *frames, struct ptu_redact *redact,
	       uint64_t pfn, uint64_t flags, uint64_t count)
{
	int known;

	if (redact)
		pfn = ptu_redact_pfn(redact, pfn);
	if (ptu_array_grow(&frames->frames, frames->nr, &frames->capacity,
			   sizeof(*frames->frames)))
		return -ENOMEM;
	known = ptu_frame_set_add(&frames->known, pfn);
	if (known)
		return known < 0 ? known : 0;
	frames->frames[frames->nr++] = (struct ptu_record_frame){
		.pfn = pfn, .flags = flags, .count = count
	};
	return redact ? redact->error : 0;
}

/* The head of a folio whose tail a process maps may not be mapped: footprint needs it. */
static int add_head(struct ptu_record_frames *frames, struct ptu_redact *redact,
		    uint64_t pfn, struct ptu_err *err)
{
	struct ptu_page head = { .word = PTU_PM_PRESENT };
	uint64_t flags;
	int error = ptu_pages_file_head(&frames->files, pfn, &pfn, &flags, err);

	if (error || !flags)
		return error;
	head.word |= pfn;
	error = ptu_pages_flags(&frames->files, &head, 1, err);
	return error ? error : add(frames, redact, pfn, head.flags, head.count);
}

static int add_page(struct ptu_record_frames *frames, struct ptu_redact *redact,
		    const struct ptu_page *page, struct ptu_err *err)
{
	const uint64_t large = PTU_KPF_COMPOUND_HEAD | PTU_KPF_COMPOUND_TAIL;
	uint64_t pfn = page->word & PTU_PM_PFN_MASK;
	int error = add(frames, redact, pfn, page->flags, page->count);

	if (error || page->flags & (PTU_KPF_ANON | PTU_KPF_HUGE) ||
	    !(page->flags & large))
		return error;
	if (page->flags & PTU_KPF_COMPOUND_TAIL && pfn != frames->last_pfn + 1)
		error = add_head(frames, redact, pfn, err);
	frames->last_pfn = pfn;
	return error;
}

int ptu_record_frames_take(struct ptu_record_frames *frames,
			   struct ptu_redact *redact, const uint64_t *words,
			   size_t nr_words, struct ptu_err *err)
{
	struct ptu_page *pages = frames->files.pages;
	size_t i, nr;
	int error = 0;

	if (!frames->all)
		return 0;
	for (; !error && nr_words; words += nr, nr_words -= nr) {
		nr = nr_words < PTU_PAGES_CHUNK ? nr_words : PTU_PAGES_CHUNK;
		for (i = 0; i < nr; i++)
			pages[i] = (struct ptu_page){ .word = words[i] };
		error = ptu_pages_flags(&frames->files, pages, nr, err);
		for (i = 0; !error && i < nr; i++)
			if (pages[i].word & PTU_PM_PRESENT)
				error = add_page(frames, redact, &pages[i],
						 err);
	}
	return error;
}

int ptu_record_frames_slots(struct ptu_record_frames *frames,
			    struct ptu_redact *redact,
			    const struct ptu_slots *slots, struct ptu_err *err)
{
	struct ptu_words file;
	size_t i;
	int error;

	if (frames->all)
		return 0;
	error = ptu_words_open(PTU_PROC_ROOT, "kpageflags", &file);
	if (error == -EACCES || error == -EPERM || error == -ENOENT ||
	    error == -ENODATA)
		return 0;
	if (error)
		return ptu_err_set(err, error, "cannot read kpageflags: %s",
				   strerror(-error));
	for (i = 0; !error && i < slots->nr_slots; i++) {
		uint64_t flags;

		if (slots->slots[i].flags & PTU_SLOT_PFN_RUN &&
		    ptu_words_read(&file, slots->slots[i].pfn, &flags, 1) == 1)
			error = add(frames, redact, slots->slots[i].pfn, flags,
				    0);
	}
	ptu_words_close(&file);
	return error ? ptu_err_set(err, error, "no memory for kpageflags") : 0;
}

void ptu_record_frames_cut(struct ptu_record_frames *frames, size_t nr)
{
	/* the removed frames may include the head of a folio whose tail comes next */
	frames->last_pfn = 0;
	while (frames->nr > nr)
		ptu_frame_set_remove(&frames->known,
				     frames->frames[--frames->nr].pfn);
}

static int by_pfn(const void *a, const void *b)
{
	const struct ptu_record_frame *x = a, *y = b;

	return x->pfn < y->pfn ? -1 : x->pfn > y->pfn;
}

/* Write kpageflags, or kpagecount. */
static int write_words(const struct ptu_record_frames *frames, bool is_counts,
		       struct ptu_record_dir *dir, struct ptu_err *err)
{
	struct ptu_words_writer writer = { 0 };
	struct ptu_record_file file;
	size_t i;
	int error = ptu_record_create(dir,
				      is_counts ? "kpagecount" : "kpageflags",
				      &file, err);

	if (error)
		return error;
	writer.out = file.out;
	for (i = 0; i < frames->nr; i++) {
		const struct ptu_record_frame *frame = &frames->frames[i];

		ptu_words_write_one(&writer, frame->pfn,
				    is_counts ? frame->count : frame->flags);
	}
	ptu_words_write_end(&writer);
	return ptu_record_finish(&file, err);
}

static int write_caps(const struct ptu_record_frames *frames,
		      struct ptu_record_dir *dir, struct ptu_err *err)
{
	struct ptu_page_caps caps = { .ksm_is_anon = frames->files.ksm_is_anon };
	struct ptu_record_file file;
	int error = ptu_page_counts(frames->files.page_bytes, &caps.counts,
				    err);

	if (!error)
		error = ptu_record_create(dir, PTU_PAGE_CAPS, &file, err);
	if (error)
		return error;
	ptu_page_caps_record(&caps, file.out);
	return ptu_record_finish(&file, err);
}

int ptu_record_frames_write(struct ptu_record_frames *frames,
			    struct ptu_record_dir *dir, struct ptu_err *err)
{
	int error;

	if (!frames->all && !frames->nr)
		return 0;
	if (frames->nr > PTU_RECORDING_WORDS)
		return ptu_err_set(err, -EFBIG,
				   "the processes have more page frames than a recording can hold");
	if (frames->nr)
		qsort(frames->frames, frames->nr, sizeof(*frames->frames),
		      by_pfn);
	error = write_words(frames, false, dir, err);
	if (!error && frames->all)
		error = write_words(frames, true, dir, err);
	return error || !frames->all ? error : write_caps(frames, dir, err);
}
