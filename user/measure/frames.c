// SPDX-License-Identifier: LGPL-2.1-or-later
/* Read the module's kpagemap and /proc's files, and compare them. */
#include "measure/frames.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "acquire/frames.h"
#include "acquire/host.h"
#include "acquire/procfs.h"
#include "base/clock.h"
#include "compare/frames.h"

/*
 * After this number of unexplained frames, the module must be broken.  Further frames
 * that differ are not read again, and count as unexplained.
 */
#define PROVE 256

struct reading {
	struct ptu_frames files;
	struct ptu_kpagemap_report *report;
	struct ptu_err *err;
};

/* Find the head of a tail page from /proc alone; @ret is its frame. */
static int find_head(const struct reading *reading, uint64_t pfn,
		     uint64_t *ret_pfn, struct ptu_frame *ret)
{
	unsigned int nr;
	int error = 0;

	for (nr = 0; ptu_kpagemap_head_candidate(pfn, nr, ret_pfn); nr++) {
		error = ptu_frames_proc(&reading->files, *ret_pfn, ret,
					reading->err);
		if (error || !ptu_kpagemap_is_tail(ret))
			break;
	}
	return error;
}

/* One reading of a frame, with kpagemap read before and after. */
struct look {
	struct ptu_frame page;
	struct ptu_frame head;
	bool held;
};

static int read_module(const struct reading *reading, uint64_t pfn,
		       uint64_t head_pfn, struct ptu_frame *page,
		       struct ptu_frame *head)
{
	int error = ptu_frames_module(&reading->files, pfn, page, reading->err);

	if (!error)
		error = ptu_frames_module(&reading->files, head_pfn, head,
					  reading->err);
	return error;
}

static int read_look(const struct reading *reading, uint64_t pfn,
		     struct look *ret)
{
	struct ptu_frame page_after = { 0 }, head_after = { 0 };
	struct look look = { .held = false };
	uint64_t head_pfn = pfn;
	int error = ptu_frames_proc(&reading->files, pfn, &look.page,
				    reading->err);
	bool was_tail = ptu_kpagemap_is_tail(&look.page);

	if (!error && was_tail)
		error = find_head(reading, pfn, &head_pfn, &look.head);
	if (!error)
		error = read_module(reading, pfn, head_pfn, &look.page,
				    &look.head);
	if (!error)
		error = ptu_frames_proc(&reading->files, pfn, &look.page,
					reading->err);
	if (!error)
		error = ptu_frames_proc(&reading->files, head_pfn, &look.head,
					reading->err);
	if (!error)
		error = read_module(reading, pfn, head_pfn, &page_after,
				    &head_after);
	if (error)
		return error;
	look.held = look.page.flags == page_after.flags &&
		    look.page.count == page_after.count &&
		    look.head.flags == head_after.flags &&
		    look.head.count == head_after.count &&
		    ptu_kpagemap_is_tail(&look.page) == was_tail &&
		    (!was_tail || ptu_kpagemap_is_head(&look.head));
	*ret = look;
	return 0;
}

/* Wait an increasing time, so that readings do not coincide with periodic changes. */
static void wait_a_little(unsigned int nr_looks)
{
	const struct timespec pause = {
		.tv_nsec = 10000L * (long)(nr_looks * nr_looks % 97),
	};

	if (nr_looks > 1)
		nanosleep(&pause, NULL);
}

static void keep_sample(struct ptu_kpagemap_report *report, uint64_t pfn,
			const struct ptu_frame *frame,
			const struct ptu_kpagemap_verdict *verdict)
{
	if (report->nr_samples == PTU_KPAGEMAP_SAMPLES)
		return;
	report->samples[report->nr_samples++] = (struct ptu_kpagemap_sample){
		.pfn = pfn,
		.frame = *frame,
		.verdict = *verdict,
	};
}

/* Read a frame on which the sides differ until the result is final. */
static int investigate(const struct reading *reading, uint64_t pfn,
		       const struct ptu_frame *page,
		       const struct ptu_kpagemap_verdict *first)
{
	struct ptu_kpagemap *compared = &reading->report->compared;
	struct ptu_kpagemap_bracket bracket = { .last = *first };
	enum ptu_kpagemap_end end = PTU_KPAGEMAP_UNEXPLAINED;
	struct look look = { .page = *page };
	struct ptu_frame last = *page;
	bool decided = compared->ends[PTU_KPAGEMAP_UNEXPLAINED] >= PROVE;

	while (!decided) {
		struct ptu_kpagemap_verdict verdict;
		int error = read_look(reading, pfn, &look);

		if (error)
			return error;
		if (look.held)
			last = look.page;
		ptu_kpagemap_judge(compared, &look.page,
				   ptu_kpagemap_is_tail(&look.page) ?
					   &look.head :
					   &look.page,
				   &verdict);
		decided = ptu_kpagemap_look(&bracket, look.held, &verdict,
					    &end);
		wait_a_little(bracket.looks);
	}
	if (end == PTU_KPAGEMAP_UNEXPLAINED)
		keep_sample(reading->report, pfn, &last, &bracket.last);
	ptu_kpagemap_settle(compared, &last, first, &bracket.last, end);
	return 0;
}

/* Try to find out from this frame whose flags kpageflags shows for tail pages. */
static int learn(const struct reading *reading, uint64_t pfn)
{
	struct ptu_kpagemap *compared = &reading->report->compared;
	unsigned int nr_looks;
	int error = 0;

	for (nr_looks = 0; !error && nr_looks < PTU_KPAGEMAP_LOOKS &&
			   compared->tails == PTU_KPAGEMAP_TAILS_UNKNOWN;
	     nr_looks++) {
		struct look look;

		error = read_look(reading, pfn, &look);
		if (!error && look.held) {
			ptu_kpagemap_learn(compared, &look.page, &look.head);
			break;
		}
		wait_a_little(nr_looks);
	}
	return error;
}

/* @head: (in, out) the last frame that is not a tail page */
static int take(const struct reading *reading, uint64_t pfn,
		const struct ptu_frame *page, struct ptu_frame *head)
{
	struct ptu_kpagemap *compared = &reading->report->compared;
	struct ptu_kpagemap_verdict verdict;
	int error;

	if (!ptu_kpagemap_is_tail(page))
		*head = *page;
	if (ptu_kpagemap_take(compared, page, head, &verdict))
		return 0;
	if (ptu_kpagemap_is_tail(page) &&
	    compared->tails == PTU_KPAGEMAP_TAILS_UNKNOWN) {
		error = learn(reading, pfn);
		if (error)
			return error;
		if (ptu_kpagemap_take(compared, page, head, &verdict))
			return 0;
	}
	return investigate(reading, pfn, page, &verdict);
}

static int compare(const struct reading *reading, struct ptu_frame *frames,
		   const struct ptu_watcher *watcher)
{
	struct ptu_frame head = { 0 };
	uint64_t pfn = 0;
	size_t nr = 0, i;
	int error;

	do {
		error = ptu_frames_read(&reading->files, pfn, frames,
					PTU_FRAMES_CHUNK, &nr, reading->err);
		for (i = 0; !error && i < nr; i++)
			error = take(reading, pfn + i, &frames[i], &head);
		pfn += nr;
		watcher->show(watcher->arg, pfn, reading->files.nr_frames);
	} while (!error && nr);
	ptu_kpagemap_finish(&reading->report->compared);
	if (!error && !reading->report->compared.frames)
		error = ptu_err_set(reading->err, -EPROTO,
				    "kpagemap has no page frame");
	return error;
}

int ptu_measure_frames(const struct ptu_watcher *watcher,
		       struct ptu_kpagemap_report *report, struct ptu_err *err)
{
	struct reading reading = { .report = report, .err = err };
	struct ptu_frame *frames;
	uint64_t start_ns = ptu_now_ns();
	int error = ptu_host_read(&report->host, err);

	if (!error)
		error = ptu_proc_boot_id(report->boot_id,
					 sizeof(report->boot_id), err);
	if (!error)
		error = ptu_frames_open(report->host.page_bytes, &reading.files,
					err);
	if (error)
		return error;
	frames = malloc(PTU_FRAMES_CHUNK * sizeof(*frames));
	error = frames ? ptu_frames_names(&report->names, err) :
			 ptu_err_set(err, -ENOMEM, "no memory for page frames");
	if (!error) {
		ptu_kpagemap_init(&report->compared, &report->names);
		error = compare(&reading, frames, watcher);
	}
	report->nr_flags = reading.files.nr_flags;
	report->duration_ns = ptu_now_ns() - start_ns;
	free(frames);
	ptu_frames_close(&reading.files);
	if (!error && ptu_kpagemap_would_not_hold(&report->compared))
		error = ptu_err_set(err, -EBUSY,
				    "%" PRIu64 " of %" PRIu64
				    " page frames kept changing while they were read: there is no result",
				    report->compared.ends[PTU_KPAGEMAP_IN_FLUX],
				    report->compared.frames);
	return error;
}
