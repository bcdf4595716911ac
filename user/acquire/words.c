// SPDX-License-Identifier: LGPL-2.1-or-later
/* Read and write files of 64-bit words; must not interpret the bits. */
#include "acquire/words.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acquire/file.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/hex.h"

#define FLAGS_SHIFT 55

/* No address space and no memory has more pages, so sums cannot overflow. */
#define MAX_INDEX (UINT64_C(1) << 52)

static int add_run(struct ptu_words *file, size_t *capacity,
		   const struct ptu_run_of_words *run)
{
	const struct ptu_run_of_words *last =
		file->nr_runs ? &file->runs[file->nr_runs - 1] : NULL;

	if (!run->nr_words ||
	    (last && run->index < last->index + last->nr_words))
		return -EBADMSG;
	if (ptu_array_grow(&file->runs, file->nr_runs, capacity,
			   sizeof(*file->runs)))
		return -ENOMEM;
	file->runs[file->nr_runs++] = *run;
	return 0;
}

/* Parse one run per line: index, number of words, first word, step; in hex. */
static int parse_runs(const char *text, struct ptu_words *file)
{
	uint64_t nr_words = 0;
	size_t capacity = 0;
	int error = 0;

	while (!error && *text) {
		struct ptu_run_of_words run;

		if (!ptu_hex_take(&text, ' ', &run.index) ||
		    !ptu_hex_take(&text, ' ', &run.nr_words) ||
		    !ptu_hex_take(&text, ' ', &run.word) ||
		    !ptu_hex_take(&text, '\n', &run.step))
			return -EBADMSG;
		if (run.index > MAX_INDEX || run.nr_words > MAX_INDEX)
			return -EBADMSG;
		nr_words += run.nr_words;
		if (nr_words > PTU_RECORDING_WORDS)
			return -EFBIG;
		error = add_run(file, &capacity, &run);
	}
	return error;
}

/* A file of /proc itself is empty only if something is mounted over it. */
static int open_live(int dirfd, const char *name, struct ptu_words *file)
{
	uint64_t word;

	file->fd = ptu_file_open(dirfd, name, 0);
	if (file->fd < 0)
		return file->fd;
	if (dirfd != PTU_PROC_ROOT || ptu_words_read(file, 0, &word, 1))
		return 0;
	close(file->fd);
	return -ENODATA;
}

int ptu_words_open(int dirfd, const char *name, struct ptu_words *ret)
{
	struct ptu_words file = { .fd = -1 };
	char *text;
	int error;

	if (!ptu_file_is_recording()) {
		error = open_live(dirfd, name, &file);
		if (!error)
			*ret = file;
		return error;
	}
	error = ptu_file_read(dirfd, name, 0, &text);
	if (error)
		return error;
	error = parse_runs(text, &file);
	free(text);
	if (error) {
		free(file.runs);
		return error;
	}
	*ret = file;
	return 0;
}

/* Find the first run that ends behind the index. */
static size_t find_run(const struct ptu_words *file, uint64_t index)
{
	size_t low = 0, high = file->nr_runs;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct ptu_run_of_words *run = &file->runs[middle];

		if (run->index + run->nr_words <= index)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_late(const struct ptu_words *file)
{
	return file->deadline_ns && ptu_now_ns() >= file->deadline_ns;
}

ssize_t ptu_words_read(const struct ptu_words *file, uint64_t index,
		       uint64_t *words, size_t nr_words)
{
	size_t i;

	if (file->fd >= 0) {
		ssize_t bytes;

		if (is_late(file))
			return -ETIMEDOUT;
		bytes = ptu_file_pread(file->fd, words,
				       nr_words * sizeof(*words),
				       (off_t)(index * sizeof(*words)));

		if (bytes < 0)
			return bytes;
		if (bytes % (ssize_t)sizeof(*words))
			return -EIO;
		return bytes / (ssize_t)sizeof(*words);
	}
	memset(words, 0, nr_words * sizeof(*words));
	for (i = find_run(file, index); i < file->nr_runs; i++) {
		const struct ptu_run_of_words *run = &file->runs[i];
		uint64_t at = run->index > index ? run->index : index;
		uint64_t end = run->index + run->nr_words;

		if (at >= index + nr_words)
			break;
		if (end > index + nr_words)
			end = index + nr_words;
		for (; at < end; at++)
			words[at - index] = run->word +
					    (at - run->index) * run->step;
	}
	return (ssize_t)nr_words;
}

size_t ptu_words_known(const struct ptu_words *file, uint64_t index,
		       size_t nr_words)
{
	uint64_t at = index;
	size_t i;

	if (file->fd >= 0)
		return nr_words;
	for (i = find_run(file, index);
	     i < file->nr_runs && file->runs[i].index <= at &&
	     at - index < nr_words;
	     i++)
		at = file->runs[i].index + file->runs[i].nr_words;
	return at - index < nr_words ? (size_t)(at - index) : nr_words;
}

uint64_t ptu_words_skip(const struct ptu_words *file, uint64_t index)
{
	size_t i;

	if (file->fd >= 0)
		return index;
	i = find_run(file, index);
	if (i == file->nr_runs)
		return UINT64_MAX;
	return file->runs[i].index > index ? file->runs[i].index : index;
}

void ptu_words_close(struct ptu_words *file)
{
	if (file->fd >= 0)
		close(file->fd);
	free(file->runs);
	memset(file, 0, sizeof(*file));
	file->fd = -1;
}

void ptu_words_write_end(struct ptu_words_writer *writer)
{
	const struct ptu_run_of_words *run = &writer->run;

	if (run->nr_words)
		fprintf(writer->out,
			"%" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 "\n",
			run->index, run->nr_words, run->word, run->step);
	writer->run.nr_words = 0;
}

void ptu_words_write_one(struct ptu_words_writer *writer, uint64_t index,
			 uint64_t word)
{
	struct ptu_run_of_words *run = &writer->run;
	uint64_t last = run->word + (run->nr_words - 1) * run->step;

	if (run->nr_words && index == run->index + run->nr_words &&
	    word >> FLAGS_SHIFT == last >> FLAGS_SHIFT &&
	    (run->nr_words == 1 || word - last == run->step)) {
		run->step = word - last;
		run->nr_words++;
		return;
	}
	ptu_words_write_end(writer);
	*run = (struct ptu_run_of_words){ .index = index,
					  .nr_words = 1,
					  .word = word };
}

void ptu_words_write(struct ptu_words_writer *writer, uint64_t index,
		     const uint64_t *words, size_t nr_words)
{
	size_t i;

	for (i = 0; i < nr_words; i++) {
		if (!words[i])
			continue;
		ptu_words_write_one(writer, index + i, words[i]);
		writer->nr_words++;
	}
}
