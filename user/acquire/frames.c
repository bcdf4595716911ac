// SPDX-License-Identifier: LGPL-2.1-or-later
/* Open and read the files about page frames; must not interpret them. */
#include "acquire/frames.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acquire/file.h"
#include "acquire/module.h"

#define WORDS_OF_ENTRY (PTU_KPAGEMAP_ENTRY_BYTES / sizeof(uint64_t))

static int open_words(const char *name, struct ptu_words *ret,
		      struct ptu_err *err)
{
	int error = ptu_words_open(PTU_PROC_ROOT, name, ret);

	if (!error)
		return 0;
	return ptu_err_set(err, error, "cannot open /proc/%s: %s", name,
			   error == -ENOENT ?
				   "this kernel does not have it (CONFIG_PROC_PAGE_MONITOR)" :
				   strerror(-error));
}

/* kpageflags reports no size to stat() or lseek(): find its end by reading. */
static uint64_t nr_words(const struct ptu_words *file)
{
	uint64_t low = 0, high = UINT64_C(1) << 50, word;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (ptu_words_read(file, middle, &word, 1) == 1)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int check_header(struct ptu_frames *files, uint64_t page_bytes,
			struct ptu_err *err)
{
	uint8_t header[PTU_KPAGEMAP_HEADER_BYTES];
	ssize_t bytes = ptu_file_pread(files->kpagemap, header, sizeof(header),
				       0);
	off_t end = lseek(files->kpagemap, 0, SEEK_END);

	if (bytes < 0)
		return ptu_err_set(err, (int)bytes,
				   "cannot read the module's kpagemap: %s",
				   strerror((int)-bytes));
	if (bytes != sizeof(header) || end < (off_t)sizeof(header))
		return ptu_err_set(err, -EPROTO, "kpagemap has no header");
	files->nr_frames = ((uint64_t)end - sizeof(header)) /
			   PTU_KPAGEMAP_ENTRY_BYTES;
	return ptu_kpagemap_check_header(header, page_bytes, err);
}

int ptu_frames_open(uint64_t page_bytes, struct ptu_frames *ret,
		    struct ptu_err *err)
{
	struct ptu_frames files = { .flags.fd = -1, .counts.fd = -1 };
	int error;

	files.kpagemap = ptu_truth_open("kpagemap", err);
	if (files.kpagemap < 0)
		return files.kpagemap;
	error = check_header(&files, page_bytes, err);
	if (!error)
		error = open_words("kpageflags", &files.flags, err);
	if (!error)
		error = open_words("kpagecount", &files.counts, err);
	if (!error) {
		files.nr_flags = nr_words(&files.flags);
		files.buffer = malloc(PTU_FRAMES_CHUNK *
				      PTU_KPAGEMAP_ENTRY_BYTES);
		if (!files.buffer)
			error = ptu_err_set(err, -ENOMEM,
					    "no memory for page frames");
	}
	if (error)
		ptu_frames_close(&files);
	else
		*ret = files;
	return error;
}

void ptu_frames_close(struct ptu_frames *files)
{
	close(files->kpagemap);
	ptu_words_close(&files->flags);
	ptu_words_close(&files->counts);
	free(files->buffer);
	files->buffer = NULL;
}

int ptu_frames_names(struct ptu_kpagemap_names *ret, struct ptu_err *err)
{
	char *text;
	int error = ptu_truth_text("kpagemap_flags", &text, err);

	if (error)
		return error;
	error = ptu_kpagemap_names_parse(text, ret, err);
	free(text);
	return error;
}

/* @words: (out) buffer of @nr_frames words per kpagemap entry */
static int read_entries(const struct ptu_frames *files, uint64_t pfn,
			uint64_t *words, size_t nr_frames, size_t *ret,
			struct ptu_err *err)
{
	ssize_t bytes = ptu_file_pread(files->kpagemap, words,
				       nr_frames * PTU_KPAGEMAP_ENTRY_BYTES,
				       (off_t)(PTU_KPAGEMAP_HEADER_BYTES +
					       pfn * PTU_KPAGEMAP_ENTRY_BYTES));

	if (bytes >= 0 && bytes % PTU_KPAGEMAP_ENTRY_BYTES)
		bytes = -EIO;
	if (bytes < 0)
		return ptu_err_set(err, (int)bytes,
				   "cannot read the module's kpagemap: %s",
				   strerror((int)-bytes));
	*ret = (size_t)bytes / PTU_KPAGEMAP_ENTRY_BYTES;
	return 0;
}

static int read_words(const struct ptu_words *file, const char *name,
		      uint64_t pfn, uint64_t *words, size_t nr_frames,
		      struct ptu_err *err)
{
	ssize_t nr = ptu_words_read(file, pfn, words, nr_frames);

	if (nr < 0)
		return ptu_err_set(err, (int)nr, "cannot read /proc/%s: %s",
				   name, strerror((int)-nr));
	if ((size_t)nr != nr_frames)
		return ptu_err_set(err, -EIO,
				   "/proc/%s ends at page frame 0x%llx, but kpagemap does not",
				   name, (unsigned long long)pfn + nr);
	return 0;
}

int ptu_frames_read(const struct ptu_frames *files, uint64_t pfn,
		    struct ptu_frame *frames, size_t nr_frames, size_t *ret,
		    struct ptu_err *err)
{
	uint64_t *words = files->buffer;
	size_t nr = 0, i;
	int error = read_entries(files, pfn, words, nr_frames, &nr, err);

	if (error)
		return error;
	for (i = 0; i < nr; i++) {
		frames[i].flags = words[i * WORDS_OF_ENTRY];
		frames[i].count = words[i * WORDS_OF_ENTRY + 1];
	}
	error = read_words(&files->flags, "kpageflags", pfn, words, nr, err);
	for (i = 0; !error && i < nr; i++)
		frames[i].kpf = words[i];
	if (!error)
		error = read_words(&files->counts, "kpagecount", pfn, words, nr,
				   err);
	for (i = 0; !error && i < nr; i++)
		frames[i].mapcount = words[i];
	if (!error)
		*ret = nr;
	return error;
}

int ptu_frames_module(const struct ptu_frames *files, uint64_t pfn,
		      struct ptu_frame *ret, struct ptu_err *err)
{
	uint64_t words[WORDS_OF_ENTRY];
	size_t nr = 0;
	int error = read_entries(files, pfn, words, 1, &nr, err);

	if (error)
		return error;
	if (nr != 1)
		return ptu_err_set(err, -EIO,
				   "kpagemap ends before page frame 0x%llx",
				   (unsigned long long)pfn);
	ret->flags = words[0];
	ret->count = words[1];
	return 0;
}

int ptu_frames_proc(const struct ptu_frames *files, uint64_t pfn,
		    struct ptu_frame *ret, struct ptu_err *err)
{
	int error = read_words(&files->flags, "kpageflags", pfn, &ret->kpf, 1,
			       err);

	if (error)
		return error;
	return read_words(&files->counts, "kpagecount", pfn, &ret->mapcount, 1,
			  err);
}
