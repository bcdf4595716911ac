// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Make recordings.  Text files are stored unchanged; words of pagemap as runs; the
 * kernel's walks as bytes; all of it redacted on request.
 * Must not interpret them further than necessary.
 */
#include "acquire/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acquire/collapse.h"
#include "acquire/file.h"
#include "acquire/host.h"
#include "acquire/pagetables.h"
#include "acquire/procfs.h"
#include "acquire/scan.h"
#include "acquire/scan_pages.h"
#include "acquire/walk_recorded.h"
#include "acquire/words.h"
#include "model/maps.h"
#include "model/pagemap.h"

#define CHUNK_WORDS 65536u
#define FLAGS_LINE "flags\t\t: %s\n"

/* Path of a process's file in the recording. */
static const char *name_of(pid_t pid, const char *name, char ret[64])
{
	snprintf(ret, 64, "%d/%s", (int)pid, name);
	return ret;
}

static int write_bytes(struct ptu_record *record, const char *name,
		       const char *bytes, size_t nr_bytes, struct ptu_err *err)
{
	struct ptu_record_file file;
	int error = ptu_record_create(&record->dir, name, &file, err);

	if (error)
		return error;
	fwrite(bytes, 1, nr_bytes, file.out);
	return ptu_record_finish(&file, err);
}

/* Write the mappings unchanged, or redacted. */
static int write_maps(struct ptu_record *record, const char *name,
		      const char *text, struct ptu_err *err)
{
	char *redacted;
	int error;

	if (!record->is_redacted)
		return write_bytes(record, name, text, strlen(text), err);
	error = ptu_redact_maps(&record->redact, text, &redacted);
	if (error)
		return error;
	error = write_bytes(record, name, redacted, strlen(redacted), err);
	free(redacted);
	return error;
}

/* Copy a file of /proc unchanged; @ret, if not NULL, gets its text. */
static int copy_text(struct ptu_record *record, const struct ptu_proc *proc,
		     const char *name, char **ret, struct ptu_err *err)
{
	char path[64], *text;
	int error = ptu_file_read(proc->dirfd, name, 0, &text);

	if (error)
		return ptu_proc_refuse(proc, name, error, err);
	error = write_maps(record, name_of(proc->pid, name, path), text, err);
	if (ret && !error)
		*ret = text;
	else
		free(text);
	return error;
}

/*
 * The stat of the process, also if it is read through another thread: start time and
 * name are those of the main thread.
 */
static int copy_stat(struct ptu_record *record, const struct ptu_proc *proc,
		     struct ptu_err *err)
{
	char path[64], *text;
	int error;

	name_of(proc->pid, "stat", path);
	error = ptu_file_read(PTU_PROC_ROOT, path, 0, &text);
	if (error)
		return ptu_proc_refuse(proc, "stat", error, err);
	error = write_bytes(record, path, text, strlen(text), err);
	free(text);
	return error;
}

static bool has_walker(const struct ptu_record *record, enum ptu_walker walker)
{
	const enum ptu_side_choice which = record->side.which;

	return which == PTU_SIDE_BOTH ||
	       which == (walker == PTU_BY_BPF ? PTU_SIDE_BPF : PTU_SIDE_MODULE);
}

static int copy_walk(struct ptu_record *record, const struct ptu_proc *proc,
		     enum ptu_walker walker, enum ptu_walk walk,
		     struct ptu_err *err)
{
	char path[64], *bytes;
	size_t nr_bytes;
	int error;

	if (!has_walker(record, walker))
		return 0;
	error = ptu_side_fetch(&record->side, proc, walker == PTU_BY_BPF,
			       &bytes, &nr_bytes, err);
	if (error)
		return error;
	if (record->is_redacted)
		error = ptu_redact_walk(&record->redact, bytes, nr_bytes);
	if (!error)
		error = write_bytes(record,
				    name_of(proc->pid,
					    ptu_walk_file(walker, walk), path),
				    bytes, nr_bytes, err);
	free(bytes);
	return error;
}

/* BPF walks are nested within the module's walks, as in `check`. */
static int copy_walks(struct ptu_record *record, const struct ptu_proc *proc,
		      enum ptu_walk walk, struct ptu_err *err)
{
	const bool before = walk == PTU_WALK_BEFORE;
	int error = copy_walk(record, proc, before ? PTU_BY_MODULE : PTU_BY_BPF,
			      walk, err);

	if (error)
		return error;
	return copy_walk(record, proc, before ? PTU_BY_BPF : PTU_BY_MODULE,
			 walk, err);
}

/**
 * struct copying - the pagemap of a process on its way into the recording
 * @buffer: [CHUNK_WORDS]
 * @digest: sums the words up into slots
 */
struct copying {
	struct ptu_record *record;
	struct ptu_err *err;
	struct ptu_words words;
	struct ptu_words_writer writer;
	uint64_t *buffer;
	struct ptu_digest digest;
};

static struct ptu_redact *redact_of(struct ptu_record *record)
{
	return record->is_redacted ? &record->redact : NULL;
}

static int copy_range(struct copying *c, uint32_t vma, uint64_t start,
		      uint64_t end)
{
	const uint64_t page_bytes = c->record->geo->page_bytes;
	struct ptu_redact *redact = redact_of(c->record);
	uint64_t index = start / page_bytes, last = end / page_bytes;

	while (index < last) {
		size_t nr = last - index < CHUNK_WORDS ? last - index :
							 CHUNK_WORDS;
		ssize_t got = ptu_words_read(&c->words, index, c->buffer, nr);
		size_t i;
		int error;

		if (got < 0)
			return (int)got;
		if ((size_t)got != nr)
			return -EAGAIN;
		error = ptu_pagemap_digest(&c->digest, vma, index * page_bytes,
					   c->buffer, nr);
		if (!error)
			error = ptu_record_frames_take(&c->record->frames,
						       redact, c->buffer, nr,
						       c->err);
		if (error)
			return error;
		/* skip soft-dirty alone: holes in new mappings have it too */
		for (i = 0; i < nr; i++)
			if (c->buffer[i] == PTU_PM_SOFT_DIRTY)
				c->buffer[i] = 0;
		if (redact)
			ptu_redact_pagemap(redact, c->buffer, nr);
		ptu_words_write(&c->writer, index, c->buffer, nr);
		index += nr;
	}
	return c->record->redact.error;
}

/* If PAGEMAP_SCAN is available, read only the pages that have an entry. */
static int copy_vma(struct copying *c, uint32_t index,
		    const struct ptu_vma *vma)
{
	struct ptu_scan_region regions[PTU_SCAN_REGIONS];
	uint64_t start = vma->start;
	int i, nr, error = 0;

	while (!error && start < vma->end) {
		nr = ptu_scan_pages(c->words.fd, start, vma->end, regions,
				    &start);
		if (nr == -EOPNOTSUPP)
			return copy_range(c, index, start, vma->end);
		if (nr < 0)
			return nr;
		for (i = 0; !error && i < nr; i++)
			error = copy_range(c, index, regions[i].start,
					   regions[i].end);
	}
	return error;
}

static int copy_ranges(struct copying *c, const struct ptu_vmas *vmas)
{
	uint32_t i;
	int error = 0;

	c->buffer = malloc(CHUNK_WORDS * sizeof(*c->buffer));
	if (!c->buffer)
		return -ENOMEM;
	for (i = 0; !error && i < vmas->nr_vmas; i++)
		if (vmas->vmas[i].start < PTU_KERNEL_HALF)
			error = copy_vma(c, i, &vmas->vmas[i]);
	if (!error)
		error = ptu_pagemap_digest_end(&c->digest);
	ptu_words_write_end(&c->writer);
	free(c->buffer);
	return c->writer.nr_words > PTU_RECORDING_WORDS ? -EFBIG : error;
}

/* @slots: (out) summary of the words; initialized by the caller */
static int copy_pagemap(struct ptu_record *record, const struct ptu_proc *proc,
			const struct ptu_evidence *evidence,
			struct ptu_slots *slots, struct ptu_err *err)
{
	struct copying c = { .record = record, .err = err };
	struct ptu_record_file file;
	char path[64];
	int finished, error = ptu_words_open(proc->dirfd, "pagemap", &c.words);

	if (error)
		return ptu_proc_refuse(proc, "pagemap", error, err);
	if (ptu_proc_reads_long(evidence))
		c.words.deadline_ns = ptu_proc_deadline_ns(proc);
	ptu_pagemap_digest_init(&c.digest, record->geo, slots);
	error = ptu_record_create(&record->dir,
				  name_of(proc->pid, "pagemap", path), &file,
				  err);
	if (!error) {
		c.writer.out = file.out;
		error = copy_ranges(&c, &evidence->vmas);
		if (error && error != -EAGAIN && !err->text[0])
			error = ptu_proc_refuse(proc, "pagemap", error, err);
		finished = ptu_record_finish(&file, err);
		if (!error)
			error = finished;
	}
	ptu_words_close(&c.words);
	return error;
}

static int record_scan(struct ptu_record *record, pid_t pid,
		       const struct ptu_scan *scan, struct ptu_err *err)
{
	struct ptu_record_file file;
	char path[64];
	int error;

	if (!scan->is_there)
		return 0;
	if (scan->nr_slots > PTU_RECORDING_SLOTS)
		return ptu_err_set(err, -EFBIG,
				   "process %d: PAGEMAP_SCAN shows more than a recording can hold",
				   (int)pid);
	error = ptu_record_create(&record->dir, name_of(pid, "scan", path),
				  &file, err);
	if (error)
		return error;
	ptu_scan_record(scan, file.out);
	return ptu_record_finish(&file, err);
}

/*
 * Does the text show these mappings?
 * @text: (in) maps or smaps
 *
 * Return: 0 yes; -EAGAIN no; -errno.
 */
static int check_vmas(const struct ptu_vmas *vmas, const char *text,
		      struct ptu_err *err)
{
	struct ptu_vmas shown;
	int error = ptu_maps_parse(text, &shown, err);

	if (error)
		return error;
	error = ptu_vmas_same(vmas, &shown) ? 0 : -EAGAIN;
	ptu_vmas_deinit(&shown);
	return error;
}

/*
 * Record the process once; -EAGAIN if its mappings changed meanwhile.  A replay refuses a
 * recording whose files show different mappings.  Comparing maps before and after does not
 * suffice: a mapping can be made and removed in between.
 */
static int record_once(struct ptu_record *record, const struct ptu_proc *proc,
		       struct ptu_err *err)
{
	const unsigned int needs = PTU_NEEDS_SCAN | PTU_NEEDS_COUNTS;
	struct ptu_evidence evidence = { 0 };
	struct ptu_slots slots = { 0 };
	char *before = NULL, *smaps = NULL, *after = NULL;
	int error;

	error = copy_walks(record, proc, PTU_WALK_BEFORE, err);
	if (!error)
		error = copy_text(record, proc, "maps", &before, err);
	if (!error)
		error = ptu_proc_evidence(proc, record->geo, needs, 0,
					  UINT64_MAX, &evidence, err);
	if (!error)
		error = check_vmas(&evidence.vmas, before, err);
	if (!error)
		error = copy_pagemap(record, proc, &evidence, &slots, err);
	if (!error)
		error = ptu_record_frames_slots(&record->frames,
						redact_of(record), &slots, err);
	if (!error)
		error = record_scan(record, proc->pid, &evidence.scan, err);
	if (!error)
		error = copy_text(record, proc, "smaps", &smaps, err);
	if (!error)
		error = check_vmas(&evidence.vmas, smaps, err);
	if (!error)
		error = copy_text(record, proc, "status", NULL, err);
	if (!error)
		error = copy_stat(record, proc, err);
	if (!error) {
		error = ptu_file_read(proc->dirfd, "maps", 0, &after);
		if (error)
			error = ptu_proc_refuse(proc, "maps", error, err);
	}
	if (!error)
		error = copy_walks(record, proc, PTU_WALK_AFTER, err);
	if (!error && strcmp(before, after))
		error = -EAGAIN;
	ptu_evidence_deinit(&evidence);
	ptu_slots_deinit(&slots);
	free(before);
	free(smaps);
	free(after);
	return error;
}

static int add_once(struct ptu_record *record, pid_t pid, struct ptu_err *err)
{
	const size_t nr_files = record->dir.manifest.nr_files;
	const size_t nr_frames = record->frames.nr;
	struct ptu_proc_status status;
	struct ptu_proc proc;
	unsigned int try;
	int error = ptu_proc_open(pid, &proc, err);

	if (error)
		return error;
	/* check this first: a walk of such a process fails with another error */
	error = ptu_proc_has_memory(&proc, err);
	if (!error)
		error = ptu_proc_denied(&proc) ?
				ptu_proc_refuse(&proc, "maps", -EACCES, err) :
				-EAGAIN;
	for (try = 0; error == -EAGAIN && ptu_proc_try_again(&proc, try);
	     try++) {
		ptu_err_clear(err);
		error = record_once(record, &proc, err);
		if (!error)
			continue;
		ptu_record_dir_cut(&record->dir, nr_files);
		ptu_record_frames_cut(&record->frames, nr_frames);
	}
	if (error == -EAGAIN)
		ptu_proc_changed(&proc, try, err);
	/* the process may have ended before a walk, which then finds no mm */
	if (error == -EINVAL &&
	    (ptu_proc_status(&proc, &status, NULL) || !status.has_mm)) {
		/* a walk has named another reason; ptu_proc_has_memory() names the right one */
		if (try)
			ptu_err_clear(err);
		error = ptu_proc_gone(&proc, err);
	}
	ptu_proc_close(&proc);
	return error;
}

int ptu_record_add(struct ptu_record *record, pid_t pid, struct ptu_err *err)
{
	int error = add_once(record, pid, err);
	unsigned int try;

	/* the thread has ended, and another one lives */
	for (try = 1; try < PTU_OPEN_TRIES && error == -ESTALE; try++) {
		ptu_err_clear(err);
		error = add_once(record, pid, err);
	}
	return error;
}

static int record_caps(struct ptu_record *record, struct ptu_err *err)
{
	struct ptu_record_file file;
	struct ptu_scan_caps caps;
	int error = ptu_scan_calibrate(&caps, err);

	if (error <= 0)
		return error;
	ptu_scan_calibrate_wp(&caps);
	error = ptu_record_create(&record->dir, "scan-caps", &file, err);
	if (error)
		return error;
	ptu_scan_record_caps(&caps, file.out);
	return ptu_record_finish(&file, err);
}

static int record_host(struct ptu_record *record, struct ptu_err *err)
{
	struct ptu_record_file file;
	struct ptu_host host;
	int error = ptu_host_read(&host, err);

	if (!error)
		error = ptu_record_create(&record->dir, "about", &file, err);
	if (error)
		return error;
	ptu_host_write(&host, file.out);
	return ptu_record_finish(&file, err);
}

static int record_cpu_flags(struct ptu_record *record, struct ptu_err *err)
{
	struct ptu_record_file file;
	char *flags;
	int error = ptu_proc_cpu_flags(&flags, err);

	if (error)
		return error;
	error = ptu_record_create(&record->dir, "cpuinfo", &file, err);
	if (!error) {
		fprintf(file.out, FLAGS_LINE, flags);
		error = ptu_record_finish(&file, err);
	}
	free(flags);
	return error;
}

static int record_meminfo(struct ptu_record *record, const char *name,
			  struct ptu_err *err)
{
	char *text;
	int error = ptu_file_read(PTU_PROC_ROOT, PTU_MEMINFO, 0, &text);

	if (error)
		return ptu_err_set(err, error, "cannot read /proc/meminfo: %s",
				   strerror(-error));
	error = write_bytes(record, name, text, strlen(text), err);
	free(text);
	return error;
}

/* Record which walkers there are, and their geometry. */
static int record_geometry(struct ptu_record *record, struct ptu_err *err)
{
	char text[PTU_GEOMETRY_TEXT];
	enum ptu_walker walker;
	int error = 0;

	/* the module's geometry is the same, or it would have been refused */
	ptu_geometry_text(record->geo, text);
	for (walker = 0; !error && walker < PTU_NR_WALKERS; walker++)
		if (has_walker(record, walker))
			error = write_bytes(record,
					    ptu_walk_geometry_file(walker),
					    text, strlen(text), err);
	return error;
}

/*
 * Record what belongs to the machine, and not to a process: page-table geometry, kernel,
 * CPU flags, properties of PAGEMAP_SCAN, what madvise() frees, the boot ID, and meminfo.
 */
static int record_machine(struct ptu_record *record, struct ptu_err *err)
{
	const char *frees = ptu_collapse_record();
	char boot_id[64];
	int error = record_geometry(record, err);

	if (!error)
		error = record_host(record, err);
	if (!error)
		error = record_cpu_flags(record, err);
	if (!error)
		error = record_caps(record, err);
	if (!error)
		error = write_bytes(record, PTU_COLLAPSE_RECORDED, frees,
				    strlen(frees), err);
	if (!error)
		error = ptu_proc_boot_id(boot_id, sizeof(boot_id) - 1, err);
	if (error)
		return error;
	strcat(boot_id, "\n");
	error = write_bytes(record, "sys/kernel/random/boot_id", boot_id,
			    strlen(boot_id), err);
	return error ? error : record_meminfo(record, PTU_MEMINFO, err);
}

/* The kernel's side is optional: a recording without it can be estimated. */
static int open_side(struct ptu_record *record, enum ptu_side_choice choice,
		     struct ptu_err *err)
{
	int error = ptu_side_open(choice, record->geo, &record->side,
				  &record->without);

	if (!error || choice == PTU_SIDE_AUTO)
		return 0;
	return ptu_err_set(err, error, "%s", record->without.text);
}

static void deinit(struct ptu_record *record)
{
	ptu_side_close(&record->side);
	ptu_redact_deinit(&record->redact);
	ptu_record_frames_deinit(&record->frames);
}

int ptu_record_begin(const char *dir, const struct ptu_geometry *geo,
		     enum ptu_side_choice choice, bool is_redacted,
		     bool with_pages, struct ptu_record *ret,
		     struct ptu_err *err)
{
	struct ptu_record record = {
		.geo = geo,
		.is_redacted = is_redacted,
		.redact.block_pages = geo->nr_entries[PTAUDIT_PTE],
	};
	int error = ptu_record_frames_begin(with_pages, geo->page_bytes,
					    &record.frames, err);

	if (!error)
		error = open_side(&record, choice, err);
	if (!error)
		error = ptu_record_dir_open(dir, &record.dir, err);
	if (error) {
		deinit(&record);
		return error;
	}
	error = record_machine(&record, err);
	if (error)
		ptu_record_undo(&record);
	else
		*ret = record;
	return error;
}

int ptu_record_end(struct ptu_record *record, struct ptu_err *err)
{
	int error = record_meminfo(record, PTU_MEMINFO_AFTER, err);

	if (!error)
		error = ptu_record_frames_write(&record->frames, &record->dir,
						err);
	if (error) {
		ptu_record_undo(record);
		return error;
	}
	error = ptu_record_dir_close(&record->dir, err);
	deinit(record);
	return error;
}

void ptu_record_undo(struct ptu_record *record)
{
	ptu_record_dir_undo(&record->dir);
	deinit(record);
}
