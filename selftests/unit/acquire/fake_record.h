/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replaces the functions by which acquire/record.c reads the machine and a process, and includes
 * that file; the recording is written into a temporary directory.  Each of these functions is a
 * step: its name is appended to a text, and a test chooses one that fails.
 */
#ifndef FAKE_RECORD_H
#define FAKE_RECORD_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acquire/file.h"
#include "support/build.h"
#include "support/tree.h"
#include "support/unit.h"

/* What a recording can hold. */
#undef PTU_RECORDING_WORDS
#define PTU_RECORDING_WORDS 70000
#undef PTU_RECORDING_SLOTS
#define PTU_RECORDING_SLOTS 2

#define ptu_file_read fake_file_read
#define ptu_record_create fake_create
#define ptu_record_finish fake_finish
/* file.h has declared the real one already. */
int fake_file_read(int dirfd, const char *name, size_t limit, char **ret);

#include "acquire/record.c"
#undef ptu_record_create
#undef ptu_record_finish

int ptu_record_create(struct ptu_record_dir *dir, const char *name,
		      struct ptu_record_file *ret, struct ptu_err *err);
int ptu_record_finish(struct ptu_record_file *file, struct ptu_err *err);

#define PID 7
#define DIRFD 70
#define PAGEMAP_FD 71
#define A UINT64_C(0x7f0000000000)
#define FIRST (A / 4096)
#define AT(pfn) (PTU_PM_PRESENT | (pfn))
/* The words of the pagemap that a test defines. */
#define NR_WORDS 70002

/* What a call of ptu_scan_pages() finds. */
struct fake_scan {
	struct ptu_scan_region regions[2];
	int nr;
	uint64_t done;
};

static struct {
	/* the step that fails, its error, and how many times it succeeds before */
	const char *failing;
	int error;
	unsigned int successes;
	/* a file that cannot be created, or not be finished */
	const char *no_file, *unfinished;
	/* number of attempts during which maps changes; number of readings of maps */
	unsigned int nr_changes, nr_maps, nr_meminfo;
	/* number of attempts in which smaps, or the evidence, shows other mappings */
	unsigned int nr_other_smaps, nr_other_vmas;
	struct ptu_vma vmas[4];
	size_t nr_vmas;
	uint64_t words[NR_WORDS];
	bool no_scan, is_long, is_short, is_denied, has_mm;
	struct fake_scan scans[4];
	unsigned int nr_scans;
	bool scan_is_there;
	size_t nr_slots;
	int calibrate;
	const struct ptu_geometry *geo;
	const char *boot_id;
	enum ptu_side_choice which;
	unsigned int tries;
	int nr_open, nr_words_open, nr_sides, nr_frames_begun;
	char text[4096];
} rec;

static struct ptu_record record;
static struct ptu_err err;
static char to[sizeof(tree) + 8];

#define NOTE(...)                             \
	snprintf(rec.text + strlen(rec.text), \
		 sizeof(rec.text) - strlen(rec.text), __VA_ARGS__)

/* A step of recording, such as "fetch module". */
__attribute__((format(printf, 1, 2))) static int step(const char *format, ...)
{
	char name[64];
	va_list args;

	va_start(args, format);
	vsnprintf(name, sizeof(name), format, args);
	va_end(args);
	NOTE("%s; ", name);
	if (!rec.failing || strcmp(rec.failing, name))
		return 0;
	if (rec.successes) {
		rec.successes--;
		return 0;
	}
	return rec.error;
}

/* The same with a message, which the real function also sets. */
static int step_with(struct ptu_err *ret_err, const char *name)
{
	int error = step("%s", name);

	return error ? ptu_err_set(ret_err, error, "%s failed", name) : 0;
}

const char *ptu_collapse_record(void)
{
	return "frees\n";
}

/* What smaps shows of each mapping behind its size. */
#define SMAPS_FIELDS                                                         \
	"KernelPageSize: 4 kB\nRss: 4 kB\nPss: 4 kB\nAnonHugePages: 0 kB\n"  \
	"ShmemPmdMapped: 0 kB\nFilePmdMapped: 0 kB\nPrivate_Hugetlb: 0 kB\n" \
	"Swap: 0 kB\nVmFlags: rd\n"

/* The mappings as maps or smaps shows them; the first one begins @shift bytes higher. */
static const char *text_of_vmas(uint64_t shift, bool is_smaps)
{
	static char text[2048];
	size_t used = 0;

	for (size_t i = 0; i < rec.nr_vmas; i++, shift = 0) {
		const unsigned long long start = rec.vmas[i].start + shift;
		const unsigned long long end = rec.vmas[i].end;

		snprintf(text + used, sizeof(text) - used,
			 "%llx-%llx r--p 00000000 08:01 5 /secret/a\n", start,
			 end);
		used = strlen(text);
		if (is_smaps)
			snprintf(text + used, sizeof(text) - used,
				 "Size: %llu kB\n" SMAPS_FIELDS,
				 (end - start) / 1024);
		used = strlen(text);
	}
	return text;
}

/* Return a shift of the mappings for as many calls as @nr has; 0 afterwards. */
static uint64_t shifted(unsigned int *nr)
{
	return *nr && (*nr)-- ? 4096 : 0;
}

int fake_file_read(int dirfd, const char *name, size_t limit, char **ret)
{
	const char *text = "";
	int error = step("read %s", name);

	const bool is_of_process = !strchr(name, '/') &&
				   strcmp(name, "meminfo");

	if (limit || dirfd != (is_of_process ? DIRFD : PTU_PROC_ROOT))
		UNIT_FAIL("%s of another process is read", name);
	if (error)
		return error;
	if (!strcmp(name, "maps"))
		text = text_of_vmas(rec.nr_maps++ % 2 ?
					    shifted(&rec.nr_changes) :
					    0,
				    false);
	else if (!strcmp(name, "smaps"))
		text = text_of_vmas(shifted(&rec.nr_other_smaps), true);
	else if (!strcmp(name, "status"))
		text = "Name:\ta\n";
	else if (!strcmp(name, "meminfo"))
		text = rec.nr_meminfo++ ? "PageTables: 2 kB\n" :
					  "PageTables: 1 kB\n";
	else if (!strcmp(name, "7/stat"))
		text = "7 (a) S\n";
	else
		return -ENOENT;
	*ret = strdup(text);
	return 0;
}

int ptu_host_read(struct ptu_host *ret, struct ptu_err *ret_err)
{
	memset(ret, 0, sizeof(*ret));
	return step_with(ret_err, "host");
}

void ptu_host_write(const struct ptu_host *host, FILE *out)
{
	fputs("this machine\n", out);
}

int ptu_proc_boot_id(char *ret, size_t ret_bytes, struct ptu_err *ret_err)
{
	snprintf(ret, ret_bytes, "%s", rec.boot_id);
	return step_with(ret_err, "boot");
}

int ptu_proc_cpu_flags(char **ret, struct ptu_err *ret_err)
{
	int error = step_with(ret_err, "flags");

	if (!error)
		*ret = strdup("fpu la57");
	return error;
}

int ptu_proc_changed(const struct ptu_proc *proc, unsigned int tries,
		     struct ptu_err *ret_err)
{
	ret_err->text[0] = '\0';
	return ptu_err_set(ret_err, -EAGAIN, "changed in %u attempts", tries);
}

int ptu_proc_open(pid_t pid, struct ptu_proc *ret, struct ptu_err *ret_err)
{
	int error = step_with(ret_err, "open");

	if (error)
		return error;
	*ret = (struct ptu_proc){ .pid = pid, .tid = pid, .dirfd = DIRFD };
	rec.nr_open++;
	return 0;
}

void ptu_proc_close(struct ptu_proc *proc)
{
	if (proc->dirfd != DIRFD)
		UNIT_FAIL("another process is closed");
	rec.nr_open--;
}

bool ptu_proc_denied(const struct ptu_proc *proc)
{
	return rec.is_denied;
}

int ptu_proc_has_memory(const struct ptu_proc *proc, struct ptu_err *ret_err)
{
	return step_with(ret_err, "memory");
}

int ptu_proc_gone(const struct ptu_proc *proc, struct ptu_err *ret_err)
{
	NOTE("gone; ");
	return ptu_err_set(ret_err, -ESRCH, "gone");
}

int ptu_proc_status(const struct ptu_proc *proc, struct ptu_proc_status *ret,
		    struct ptu_err *ret_err)
{
	*ret = (struct ptu_proc_status){ .has_mm = rec.has_mm };
	return step_with(ret_err, "status");
}

bool ptu_proc_try_again(const struct ptu_proc *proc, unsigned int tries)
{
	return tries < rec.tries;
}

int ptu_proc_refuse(const struct ptu_proc *proc, const char *name, int error,
		    struct ptu_err *ret_err)
{
	return ptu_err_set(ret_err, error, "%s refused", name);
}

bool ptu_proc_reads_long(const struct ptu_evidence *evidence)
{
	if (evidence->vmas.nr_vmas != rec.nr_vmas)
		UNIT_FAIL("other mappings are copied");
	return rec.is_long;
}

uint64_t ptu_proc_deadline_ns(const struct ptu_proc *proc)
{
	return 5000;
}

int ptu_proc_evidence(const struct ptu_proc *proc,
		      const struct ptu_geometry *geo, unsigned int needs,
		      uint64_t start, uint64_t end, struct ptu_evidence *ret,
		      struct ptu_err *ret_err)
{
	struct ptu_vmas vmas;
	int error = step_with(ret_err, "evidence");

	if (geo != &four_levels || start || end != UINT64_MAX ||
	    needs != (PTU_NEEDS_SCAN | PTU_NEEDS_COUNTS))
		UNIT_FAIL("other evidence is read");
	if (error)
		return error;
	error = ptu_maps_parse(text_of_vmas(shifted(&rec.nr_other_vmas), false),
			       &vmas, ret_err);
	*ret = (struct ptu_evidence){
		.geo = geo,
		.vmas = vmas,
		.scan = { .is_there = rec.scan_is_there,
			  .nr_slots = rec.nr_slots },
	};
	return error;
}

int fake_create(struct ptu_record_dir *dir, const char *name,
		struct ptu_record_file *ret, struct ptu_err *ret_err)
{
	if (rec.no_file && !strcmp(rec.no_file, name))
		return ptu_err_set(ret_err, -ENOSPC, "no %s", name);
	return ptu_record_create(dir, name, ret, ret_err);
}

int fake_finish(struct ptu_record_file *file, struct ptu_err *ret_err)
{
	const struct ptu_manifest *manifest = &file->dir->manifest;
	const char *name = manifest->files[manifest->nr_files - 1].name;
	int error = ptu_record_finish(file, ret_err);

	if (rec.unfinished && !strcmp(rec.unfinished, name))
		return ptu_err_set(ret_err, -ENOSPC, "no end of %s", name);
	return error;
}

int ptu_record_frames_begin(bool all, uint64_t page_bytes,
			    struct ptu_record_frames *ret,
			    struct ptu_err *ret_err)
{
	*ret = (struct ptu_record_frames){ .all = all };
	if (page_bytes != 4096)
		UNIT_FAIL("the page size is %llu",
			  (unsigned long long)page_bytes);
	rec.nr_frames_begun++;
	return step_with(ret_err, all ? "all frames" : "frames");
}

void ptu_record_frames_deinit(struct ptu_record_frames *frames)
{
	rec.nr_frames_begun--;
}

/* A frame is recorded for each call. */
int ptu_record_frames_take(struct ptu_record_frames *frames,
			   struct ptu_redact *redact, const uint64_t *words,
			   size_t nr_words, struct ptu_err *ret_err)
{
	char name[32];

	if (redact != (record.is_redacted ? &record.redact : NULL))
		UNIT_FAIL("frames get other numbers");
	if (nr_words && words[0] >> 55 == PTU_PM_PRESENT >> 55 &&
	    words[0] < AT(0x1000))
		UNIT_FAIL("the words are redacted already");
	frames->nr++;
	snprintf(name, sizeof(name), "take %zu", nr_words);
	return step_with(ret_err, name);
}

int ptu_record_frames_slots(struct ptu_record_frames *frames,
			    struct ptu_redact *redact,
			    const struct ptu_slots *slots,
			    struct ptu_err *ret_err)
{
	if (redact != (record.is_redacted ? &record.redact : NULL))
		UNIT_FAIL("frames get other numbers");
	for (size_t i = 0; i < slots->nr_slots && i < 2; i++)
		NOTE("slot %llx of %u has %u; ",
		     (unsigned long long)slots->slots[i].start,
		     slots->slots[i].vma, slots->slots[i].present);
	return step_with(ret_err, "slots");
}

void ptu_record_frames_cut(struct ptu_record_frames *frames, size_t nr)
{
	NOTE("cut to %zu; ", nr);
	frames->nr = nr;
}

int ptu_record_frames_write(struct ptu_record_frames *frames,
			    struct ptu_record_dir *dir, struct ptu_err *ret_err)
{
	return step_with(ret_err, "write frames");
}

int ptu_redact_walk(struct ptu_redact *redact, char *bytes, size_t nr_bytes)
{
	if (redact != &record.redact)
		UNIT_FAIL("walks get other numbers");
	memset(bytes, 'x', nr_bytes);
	return step("redact");
}

int ptu_scan_calibrate(struct ptu_scan_caps *ret, struct ptu_err *ret_err)
{
	memset(ret, 0, sizeof(*ret));
	return rec.calibrate;
}

void ptu_scan_calibrate_wp(struct ptu_scan_caps *caps)
{
	caps->wp_hole_is_seen = true;
}

void ptu_scan_record_caps(const struct ptu_scan_caps *caps, FILE *out)
{
	fprintf(out, "wp %d\n", caps->wp_hole_is_seen);
}

int ptu_scan_pages(int pagemap_fd, uint64_t start, uint64_t end,
		   struct ptu_scan_region *ret, uint64_t *ret_done)
{
	const struct fake_scan *scan = &rec.scans[rec.nr_scans];

	if (rec.no_scan)
		return -EOPNOTSUPP;
	rec.nr_scans++;
	if (pagemap_fd != PAGEMAP_FD)
		UNIT_FAIL("another pagemap is scanned");
	NOTE("scan %llx %llx; ", (unsigned long long)(start - A) / 4096,
	     (unsigned long long)(end - A) / 4096);
	if (scan->nr > 0)
		memcpy(ret, scan->regions, sizeof(scan->regions));
	*ret_done = scan->done;
	return scan->nr;
}

void ptu_scan_record(const struct ptu_scan *scan, FILE *out)
{
	fprintf(out, "%zu slots\n", scan->nr_slots);
}

int ptu_side_open(enum ptu_side_choice choice, const struct ptu_geometry *geo,
		  struct ptu_kernel_side *ret, struct ptu_err *ret_err)
{
	int error = step_with(ret_err, "side");

	if (geo != rec.geo)
		UNIT_FAIL("the side has another geometry");
	if (error)
		return error;
	ret->geo = geo;
	ret->which = choice == PTU_SIDE_AUTO ? rec.which : choice;
	return 0;
}

void ptu_side_close(struct ptu_kernel_side *side)
{
	rec.nr_sides--;
}

int ptu_side_fetch(const struct ptu_kernel_side *side,
		   const struct ptu_proc *proc, bool by_bpf, char **bytes,
		   size_t *nr_bytes, struct ptu_err *ret_err)
{
	const char *name = by_bpf ? "fetch bpf" : "fetch module";
	int error = step_with(ret_err, name);

	if (error)
		return error;
	*bytes = strdup(name);
	*nr_bytes = strlen(name);
	return 0;
}

int ptu_words_open(int dirfd, const char *name, struct ptu_words *ret)
{
	int error = step("open %s", name);

	if (dirfd != DIRFD)
		UNIT_FAIL("another pagemap is opened");
	if (error)
		return error;
	*ret = (struct ptu_words){ .fd = PAGEMAP_FD };
	rec.nr_words_open++;
	return 0;
}

ssize_t ptu_words_read(const struct ptu_words *file, uint64_t index,
		       uint64_t *words, size_t nr_words)
{
	int error = step("read %llx %zu", (unsigned long long)index - FIRST,
			 nr_words);

	if (file->deadline_ns != (rec.is_long ? 5000 : 0) ||
	    index - FIRST + nr_words > NR_WORDS)
		UNIT_FAIL("other words are read");
	if (error)
		return error;
	memcpy(words, rec.words + (index - FIRST), nr_words * sizeof(*words));
	return (ssize_t)nr_words - rec.is_short;
}

void ptu_words_close(struct ptu_words *file)
{
	rec.nr_words_open--;
}

/* A process with a mapping of four pages, each of which is in memory. */
static void record_set_up(void)
{
	tree_make();
	snprintf(to, sizeof(to), "%s/r", tree);
	memset(&rec, 0, sizeof(rec));
	memset(&record, 0, sizeof(record));
	err.text[0] = '\0';
	rec.geo = &four_levels;
	rec.boot_id = "1-2-3";
	rec.calibrate = rec.tries = 1;
	rec.nr_sides = 1;
	rec.no_scan = true;
	rec.vmas[0] = (struct ptu_vma){ .start = A, .end = A + 4 * 4096 };
	rec.nr_vmas = 1;
	for (size_t i = 0; i < NR_WORDS; i++)
		rec.words[i] = AT(0x1000 + i);
}

static inline int begin(enum ptu_side_choice choice, bool is_redacted)
{
	return ptu_record_begin(to, &four_levels, choice, is_redacted, false,
				&record, &err);
}

static inline bool exists(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", to, name);
	return !access(path, F_OK);
}

/* The text of a file of the recording, up to the next call; "" if it does not exist. */
static inline const char *text_of(const char *name)
{
	static char text[256];
	char path[128];
	size_t n = 0;
	FILE *in;

	snprintf(path, sizeof(path), "%s/%s", to, name);
	in = fopen(path, "r");
	if (in) {
		n = fread(text, 1, sizeof(text) - 1, in);
		fclose(in);
	}
	text[n] = '\0';
	return text;
}

#endif
