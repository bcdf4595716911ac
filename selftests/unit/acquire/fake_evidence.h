/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replaces the functions that acquire/procfs_evidence.c calls, and includes that file.  A test
 * defines the mappings of each reading, the slots of pagemap and those of PAGEMAP_SCAN.  Each
 * call is appended to a text, which the test compares.
 */
#ifndef FAKE_EVIDENCE_H
#define FAKE_EVIDENCE_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "acquire/fake_words.h"
#include "acquire/procfs_evidence.c"
#include "support/build.h"

#define SLOT UINT64_C(0x200000)
/* Where the mappings of these tests are. */
#define A UINT64_C(0x7f0000000000)
#define TASK_END UINT64_C(0x7ffffffff000)
#define DEADLINE_NS 5000

/* A file of mappings, and the error of reading it. */
struct fake_maps {
	struct ptu_vma vmas[4];
	size_t nr;
	int error;
};

static struct {
	/* maps with names, without names, once more at the end of the attempt, and smaps */
	struct fake_maps maps, some, again, smaps;
	/* number of pages of the first mapping at the n-th reading; NULL: as above */
	unsigned int (*pages)(unsigned int reading);
	unsigned int nr_readings;
	struct ptu_slot slots[8];
	size_t nr_slots;
	struct ptu_scan_slot scan[8];
	size_t nr_scan;
	struct ptu_words_end end;
	int split_error, calibrate, open_error, replay_error, scan_error;
	int count_error, settle_error;
	unsigned int settle_failing;
	/* what ptu_scan_calibrate_wp() finds out */
	bool wp_hole_is_seen;
	unsigned int tries;
	char text[512];
} evidence;

static struct ptu_evidence e;
static struct ptu_err err;

#define NOTE(...)                                       \
	snprintf(evidence.text + strlen(evidence.text), \
		 sizeof(evidence.text) - strlen(evidence.text), __VA_ARGS__)

static int copy_vmas(const struct fake_maps *maps, struct ptu_vmas *ret)
{
	const size_t bytes = maps->nr * sizeof(maps->vmas[0]);

	if (maps->error)
		return maps->error;
	*ret = (struct ptu_vmas){ .vmas = malloc(bytes + 1),
				  .nr_vmas = maps->nr };
	memcpy(ret->vmas, maps->vmas, bytes);
	if (evidence.pages)
		ret->vmas[0].end = ret->vmas[0].start +
				   evidence.pages(evidence.nr_readings) *
					   UINT64_C(4096);
	evidence.nr_readings++;
	return 0;
}

int ptu_proc_maps(const struct ptu_proc *proc, struct ptu_vmas *ret,
		  struct ptu_err *ret_err)
{
	NOTE("maps; ");
	return copy_vmas(&evidence.maps, ret);
}

/* The first reading of an attempt, if maps was not read. */
int ptu_proc_some_maps(const struct ptu_proc *proc, struct ptu_vmas *ret,
		       struct ptu_err *ret_err)
{
	NOTE("some; ");
	return copy_vmas(&evidence.some, ret);
}

/* The last reading of an attempt. */
int ptu_proc_maps_again(const struct ptu_proc *proc,
			const struct ptu_vmas *known, struct ptu_vmas *ret,
			struct ptu_err *ret_err)
{
	int error;

	NOTE("again; ");
	error = copy_vmas(&evidence.again, ret);
	if (error || !ptu_vmas_same(known, ret))
		return error ? error : 1;
	ptu_vmas_deinit(ret);
	return 0;
}

int ptu_proc_smaps(const struct ptu_proc *proc, struct ptu_vmas *ret,
		   struct ptu_err *ret_err)
{
	NOTE("smaps; ");
	return copy_vmas(&evidence.smaps, ret);
}

bool ptu_proc_try_again(const struct ptu_proc *proc, unsigned int tries)
{
	return tries < evidence.tries;
}

int ptu_proc_changed(const struct ptu_proc *proc, unsigned int tries,
		     struct ptu_err *ret_err)
{
	ret_err->text[0] = '\0';
	return ptu_err_set(ret_err, -EAGAIN, "changed in %u attempts", tries);
}

uint64_t ptu_proc_deadline_ns(const struct ptu_proc *proc)
{
	return DEADLINE_NS;
}

int ptu_file_open(int dirfd, const char *name, int flags)
{
	if (dirfd != PAGEMAP_OF_PROC || strcmp(name, "pagemap") || flags)
		return -EBADF;
	NOTE("open; ");
	return evidence.open_error ? evidence.open_error :
				     open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int ptu_words_split(const struct ptu_words *file,
		    const struct ptu_geometry *geo, const struct ptu_vmas *vmas,
		    uint64_t start, uint64_t end, struct ptu_slots *ret,
		    struct ptu_words_end *ret_end)
{
	const size_t bytes = evidence.nr_slots * sizeof(ret->slots[0]);

	if (file->fd != FIRST_FD + PAGEMAP || geo != &four_levels ||
	    vmas->nr_vmas != evidence.maps.nr)
		UNIT_FAIL("the pagemap of another process is read");
	NOTE("pagemap %llx %llx", (unsigned long long)start,
	     (unsigned long long)end);
	if (file->deadline_ns)
		NOTE(" until %llu", (unsigned long long)file->deadline_ns);
	NOTE("; ");
	*ret_end = evidence.end;
	if (evidence.split_error)
		return evidence.split_error;
	*ret = (struct ptu_slots){ .slots = malloc(bytes + 1),
				   .nr_slots = evidence.nr_slots };
	memcpy(ret->slots, evidence.slots, bytes);
	return 0;
}

int ptu_scan_calibrate(struct ptu_scan_caps *ret, struct ptu_err *ret_err)
{
	NOTE("calibrate; ");
	*ret = (struct ptu_scan_caps){ .wp_hole_is_seen = true };
	return evidence.calibrate;
}

void ptu_scan_calibrate_wp(struct ptu_scan_caps *caps)
{
	NOTE("wp; ");
	caps->wp_hole_is_seen = evidence.wp_hole_is_seen;
}

static int fake_scan(uint64_t start, uint64_t end, struct ptu_scan *ret,
		     int error)
{
	const size_t bytes = evidence.nr_scan * sizeof(ret->slots[0]);

	NOTE(" %llx %llx; ", (unsigned long long)start,
	     (unsigned long long)end);
	if (error)
		return error;
	ret->slots = malloc(bytes + 1);
	ret->nr_slots = evidence.nr_scan;
	memcpy(ret->slots, evidence.scan, bytes);
	return 0;
}

int ptu_scan_replay(int dirfd, const struct ptu_geometry *geo,
		    const struct ptu_vmas *vmas, uint64_t start, uint64_t end,
		    struct ptu_scan *ret, struct ptu_err *ret_err)
{
	if (dirfd != PAGEMAP_OF_PROC || geo != &four_levels || !vmas->nr_vmas)
		UNIT_FAIL("the scan of another process is read");
	NOTE("replay");
	return fake_scan(start, end, ret, evidence.replay_error);
}

int ptu_scan_split(int fd, const struct ptu_geometry *geo,
		   const struct ptu_vmas *vmas, uint64_t start, uint64_t end,
		   struct ptu_scan *ret)
{
	if (fd < 0 || geo != &four_levels || !vmas->nr_vmas || !ret->is_there)
		UNIT_FAIL("another process is scanned");
	NOTE("scan");
	return fake_scan(start, end, ret, evidence.scan_error);
}

int ptu_scan_count(int fd, const struct ptu_geometry *geo, uint64_t end,
		   struct ptu_scan *scan)
{
	if (fd < 0)
		UNIT_FAIL("another process is counted");
	NOTE("count %llx; ", (unsigned long long)end);
	return evidence.count_error;
}

int ptu_scan_settle(int fd, enum ptu_settle which, struct ptu_evidence *ret)
{
	static const char *const names[] = { "all", "to open", "few",
					     "protected" };

	if (fd < 0)
		UNIT_FAIL("another process is scanned again");
	NOTE("settle %s; ", names[which]);
	return evidence.settle_error && which == evidence.settle_failing ?
		       evidence.settle_error :
		       0;
}

/* A process with one mapping of two slots, which rests. */
static void evidence_begin(void)
{
	const struct ptu_vma vma = { .start = A,
				     .end = A + 2 * SLOT,
				     .perms = "rw-p" };

	memset(&fake, 0, sizeof(fake));
	memset(&evidence, 0, sizeof(evidence));
	evidence.maps.vmas[0] = vma;
	evidence.maps.nr = 1;
	evidence.some = evidence.again = evidence.smaps = evidence.maps;
	evidence.calibrate = 1;
	evidence.tries = 1;
	err.text[0] = '\0';
}

static void evidence_end(void)
{
	ptu_evidence_deinit(&e);
	memset(&e, 0, sizeof(e));
}

static inline int read_range(unsigned int needs, uint64_t start, uint64_t end)
{
	evidence.text[0] = '\0';
	evidence_end();
	return ptu_proc_evidence(&fake_proc, &four_levels, needs, start, end,
				 &e, &err);
}

static inline int read_all(unsigned int needs)
{
	return read_range(needs, 0, UINT64_MAX);
}

#endif
