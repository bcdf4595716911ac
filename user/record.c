// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Makes recordings.  Text files are kept as the kernel wrote them; words of
 * pagemap and kpageflags as runs; the module's answers byte by byte.  Must not
 * interpret any of it beyond what it takes to find it.
 */
#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host.h"
#include "procfs.h"
#include "procfs_file.h"
#include "procfs_pagemap.h"
#include "scan.h"
#include "truth.h"

#define TRIES		10
#define CHUNK_WORDS	65536u
#define KERNEL_HALF	(UINT64_C(1) << 63)
#define FLAGS_LINE	"flags\t\t: %s\n"

/* The files of a process, in case of an error to be taken away again. */
static const char *const files[] = {
	"stat",	   "status", "maps",	      "smaps",
	"pagemap", "scan",   "tables-before", "tables-after",
};

static int cannot_write(const char *name, int error, struct ptu_err *err)
{
	return ptu_err_set(err, error, "cannot write the recording's %s: %s",
			   name, strerror(-error));
}

static int create(int dirfd, const char *name, FILE **ret, struct ptu_err *err)
{
	int fd = openat(dirfd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
			0644);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	if (!out) {
		int error = -errno;

		if (fd >= 0)
			close(fd);
		return cannot_write(name, error, err);
	}
	*ret = out;
	return 0;
}

static int finish(FILE *out, const char *name, struct ptu_err *err)
{
	int failed = ferror(out);

	if (fclose(out) || failed)
		return cannot_write(name, -EIO, err);
	return 0;
}

static int write_bytes(int dirfd, const char *name, const char *bytes,
		       size_t nr_bytes, struct ptu_err *err)
{
	FILE *out;
	int error = create(dirfd, name, &out, err);

	if (error)
		return error;
	fwrite(bytes, 1, nr_bytes, out);
	return finish(out, name, err);
}

/* A file of /proc as it is; its text is handed back where wanted. */
static int copy_text(const struct ptu_proc *proc, int dirfd, const char *name,
		     char **ret, struct ptu_err *err)
{
	char *text;
	int error = ptu_file_read(proc->dirfd, name, 0, &text);

	if (error)
		return ptu_err_set(err, error, "process %d: cannot read %s: %s",
				   (int)proc->pid, name, strerror(-error));
	error = write_bytes(dirfd, name, text, strlen(text), err);
	if (ret && !error)
		*ret = text;
	else
		free(text);
	return error;
}

static int copy_walk(const struct ptu_record *record, pid_t pid, int dirfd,
		     const char *name, struct ptu_err *err)
{
	size_t nr_bytes;
	char *bytes;
	int error;

	if (!record->with_kernel)
		return 0;
	error = ptu_truth_fetch(pid, 0, 0, &bytes, &nr_bytes, err);
	if (error)
		return error;
	error = write_bytes(dirfd, name, bytes, nr_bytes, err);
	free(bytes);
	return error;
}

static int copy_range(const struct ptu_words *file, uint64_t page_bytes,
		      const struct ptu_vma *vma, uint64_t *words,
		      struct ptu_words_writer *writer)
{
	uint64_t index = vma->start / page_bytes, end = vma->end / page_bytes;

	while (index < end) {
		size_t nr = end - index < CHUNK_WORDS ? end - index :
							CHUNK_WORDS;
		ssize_t got = ptu_words_read(file, index, words, nr);
		size_t i;

		if (got < 0)
			return (int)got;
		if ((size_t)got != nr)
			return -EAGAIN;
		/* all of a new mapping is soft-dirty, holes too: no news */
		for (i = 0; i < nr; i++)
			if (words[i] == PTU_PM_SOFT_DIRTY)
				words[i] = 0;
		ptu_words_write(writer, index, words, nr);
		index += nr;
	}
	return 0;
}

static int copy_pagemap(const struct ptu_record *record,
			const struct ptu_proc *proc, int dirfd,
			const struct ptu_vmas *vmas, struct ptu_err *err)
{
	uint64_t *words = malloc(CHUNK_WORDS * sizeof(*words));
	struct ptu_words_writer writer = { 0 };
	struct ptu_words file = { .fd = -1 };
	size_t i;
	int error = words ? 0 : -ENOMEM;

	if (!error)
		error = ptu_words_open(proc->dirfd, "pagemap", &file);
	if (!error)
		error = create(dirfd, "pagemap", &writer.out, err);
	for (i = 0; !error && i < vmas->nr_vmas; i++)
		if (vmas->vmas[i].start < KERNEL_HALF)
			error = copy_range(&file, record->geo->page_bytes,
					   &vmas->vmas[i], words, &writer);
	if (writer.out) {
		ptu_words_write_end(&writer);
		if (!error)
			error = finish(writer.out, "pagemap", err);
		else
			fclose(writer.out);
	}
	ptu_words_close(&file);
	free(words);
	if (error && error != -EAGAIN)
		ptu_err_set(err, error, "process %d: cannot record pagemap: %s",
			    (int)proc->pid, strerror(-error));
	return error;
}

/*
 * The words of kpageflags that estimators ask for, which only root gets; a
 * recording without them is a recording all the same.
 */
static int copy_kpageflags(const struct ptu_record *record,
			   const struct ptu_slots *slots, struct ptu_err *err)
{
	struct ptu_words file;
	FILE *out;
	size_t i;
	int fd;

	if (ptu_words_open(PTU_PROC_ROOT, "kpageflags", &file))
		return 0;
	fd = openat(record->dirfd, "kpageflags.unsorted",
		    O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	out = fd < 0 ? NULL : fdopen(fd, "a");
	if (!out) {
		int error = -errno;

		ptu_words_close(&file);
		return cannot_write("kpageflags", error, err);
	}
	for (i = 0; i < slots->nr_slots; i++) {
		uint64_t flags;

		if (slots->slots[i].flags & PTU_SLOT_PFN_RUN &&
		    ptu_words_read(&file, slots->slots[i].pfn, &flags, 1) == 1)
			fprintf(out, "%llx 1 %llx 0\n",
				(unsigned long long)slots->slots[i].pfn,
				(unsigned long long)flags);
	}
	ptu_words_close(&file);
	return finish(out, "kpageflags", err);
}

static int by_pfn(const void *a, const void *b)
{
	const struct ptu_run_of_words *x = a, *y = b;

	return x->index < y->index ? -1 : x->index > y->index;
}

/* Processes share folios: once all are recorded, each word stands once. */
static void sort_kpageflags(int dirfd)
{
	struct ptu_run_of_words *runs = NULL;
	struct ptu_words_writer writer = { 0 };
	size_t nr = 0, capacity = 0, i;
	unsigned long long pfn, flags;
	FILE *in;
	int fd = openat(dirfd, "kpageflags.unsorted", O_RDONLY | O_CLOEXEC);

	in = fd < 0 ? NULL : fdopen(fd, "r");
	if (!in)
		return;
	while (fscanf(in, "%llx 1 %llx 0\n", &pfn, &flags) == 2) {
		if (nr == capacity) {
			void *more;

			capacity = capacity ? 2 * capacity : 64;
			more = reallocarray(runs, capacity, sizeof(*runs));
			if (!more)
				break;
			runs = more;
		}
		runs[nr++] = (struct ptu_run_of_words){ .index = pfn,
							.word = flags };
	}
	fclose(in);
	qsort(runs, nr, sizeof(*runs), by_pfn);
	if (!create(dirfd, "kpageflags", &writer.out, NULL)) {
		for (i = 0; i < nr; i++)
			if (!i || runs[i].index != runs[i - 1].index)
				ptu_words_write(&writer, runs[i].index,
						&runs[i].word, 1);
		ptu_words_write_end(&writer);
		fclose(writer.out);
		unlinkat(dirfd, "kpageflags.unsorted", 0);
	}
	free(runs);
}

static int record_scan(const struct ptu_evidence *evidence, int dirfd,
		       struct ptu_err *err)
{
	FILE *out;
	int error;

	if (!evidence->scan.is_there)
		return 0;
	error = create(dirfd, "scan", &out, err);
	if (error)
		return error;
	ptu_scan_record(&evidence->scan, out);
	return finish(out, "scan", err);
}

/* Everything once; -EAGAIN if the mappings changed meanwhile. */
static int record_once(const struct ptu_record *record,
		       const struct ptu_proc *proc, int dirfd,
		       struct ptu_err *err)
{
	const unsigned int needs = PTU_NEEDS_PAGEMAP | PTU_NEEDS_SCAN |
				   PTU_NEEDS_COUNTS;
	struct ptu_evidence evidence = { 0 };
	char *before = NULL, *after = NULL;
	int error;

	error = copy_walk(record, proc->pid, dirfd, "tables-before", err);
	if (!error)
		error = copy_text(proc, dirfd, "maps", &before, err);
	if (!error)
		error = ptu_proc_evidence(proc, record->geo, needs, 0,
					  UINT64_MAX, &evidence, err);
	if (!error)
		error = copy_pagemap(record, proc, dirfd, &evidence.vmas, err);
	if (!error)
		error = copy_kpageflags(record, &evidence.slots, err);
	if (!error)
		error = record_scan(&evidence, dirfd, err);
	if (!error)
		error = copy_text(proc, dirfd, "smaps", NULL, err);
	if (!error)
		error = copy_text(proc, dirfd, "status", NULL, err);
	if (!error)
		error = copy_text(proc, dirfd, "stat", NULL, err);
	if (!error)
		error = copy_text(proc, dirfd, "maps", &after, err);
	if (!error)
		error = copy_walk(record, proc->pid, dirfd, "tables-after",
				  err);
	if (!error && strcmp(before, after))
		error = -EAGAIN;
	ptu_evidence_deinit(&evidence);
	free(before);
	free(after);
	return error;
}

int ptu_record_add(const struct ptu_record *record, pid_t pid,
		   struct ptu_err *err)
{
	struct ptu_proc proc;
	char name[16];
	unsigned int try;
	size_t i;
	int dirfd, error = ptu_proc_open(pid, &proc, err);

	if (error)
		return error;
	snprintf(name, sizeof(name), "%d", (int)pid);
	if (mkdirat(record->dirfd, name, 0755)) {
		ptu_proc_close(&proc);
		return cannot_write(name, -errno, err);
	}
	dirfd = openat(record->dirfd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	error = dirfd < 0 ? cannot_write(name, -errno, err) : -EAGAIN;
	for (try = 0; try < TRIES && error == -EAGAIN; try++)
		error = record_once(record, &proc, dirfd, err);
	if (error == -EAGAIN)
		ptu_err_set(err, error,
			    "process %d: its mappings changed under each of %d attempts to record them",
			    (int)pid, TRIES);
	if (error && dirfd >= 0) {
		for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
			unlinkat(dirfd, files[i], 0);
		unlinkat(record->dirfd, name, AT_REMOVEDIR);
	}
	if (dirfd >= 0)
		close(dirfd);
	ptu_proc_close(&proc);
	return error;
}

/* What ptu_proc_geometry() and ptu_proc_boot_id() read. */
static int record_machine(int dirfd, struct ptu_err *err)
{
	char boot_id[64], *flags;
	struct ptu_scan_caps caps;
	struct ptu_host host;
	FILE *out;
	int error = ptu_host_read(&host, err);

	if (!error)
		error = create(dirfd, "about", &out, err);
	if (error)
		return error;
	ptu_host_write(&host, out);
	error = finish(out, "about", err);
	if (!error)
		error = ptu_proc_cpu_flags(&flags, err);
	if (error)
		return error;
	error = create(dirfd, "cpuinfo", &out, err);
	if (!error) {
		fprintf(out, FLAGS_LINE, flags);
		error = finish(out, "cpuinfo", err);
	}
	free(flags);
	if (!error && !ptu_scan_calibrate(&caps, NULL)) {
		ptu_scan_calibrate_wp(&caps);
		error = create(dirfd, "scan-caps", &out, err);
		if (!error) {
			ptu_scan_record_caps(&caps, out);
			error = finish(out, "scan-caps", err);
		}
	}
	if (!error)
		error = ptu_proc_boot_id(boot_id, sizeof(boot_id) - 1, err);
	if (error)
		return error;
	if (mkdirat(dirfd, "sys", 0755) || mkdirat(dirfd, "sys/kernel", 0755) ||
	    mkdirat(dirfd, "sys/kernel/random", 0755))
		return cannot_write("sys", -errno, err);
	strcat(boot_id, "\n");
	return write_bytes(dirfd, "sys/kernel/random/boot_id", boot_id,
			   strlen(boot_id), err);
}

int ptu_record_begin(const char *dir, const struct ptu_geometry *geo,
		     struct ptu_record *ret, struct ptu_err *err)
{
	struct ptu_record record = { .geo = geo };
	struct ptu_err ignored = { "" };
	char *geometry;
	int error = 0;

	if (mkdir(dir, 0755) && errno != EEXIST)
		return ptu_err_set(err, -errno, "cannot make %s: %s", dir,
				   strerror(errno));
	if (rmdir(dir) || mkdir(dir, 0755))
		return ptu_err_set(err, -ENOTEMPTY,
				   "%s is there already and not empty", dir);
	record.dirfd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (record.dirfd < 0)
		return ptu_err_set(err, -errno, "cannot open %s: %s", dir,
				   strerror(errno));
	record.with_kernel = !ptu_truth_ready(geo, &ignored);
	if (record.with_kernel) {
		error = ptu_truth_geometry(&geometry, err);
		if (!error) {
			error = write_bytes(record.dirfd, "geometry", geometry,
					    strlen(geometry), err);
			free(geometry);
		}
	}
	if (!error)
		error = record_machine(record.dirfd, err);
	if (error)
		close(record.dirfd);
	else
		*ret = record;
	return error;
}

void ptu_record_end(struct ptu_record *record)
{
	sort_kpageflags(record->dirfd);
	close(record->dirfd);
}
