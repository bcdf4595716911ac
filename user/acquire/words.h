/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The words of /proc/PID/pagemap and /proc/kpageflags, live or as a recording
 * has them; for procfs*.c and record.c only.
 */
#ifndef PTU_ACQUIRE_WORDS_H
#define PTU_ACQUIRE_WORDS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

/**
 * struct ptu_run_of_words - equal or evenly rising words, as recordings have them
 * @index: of the first word
 * @nr_words: how many
 * @word: the first one
 * @step: added for each one behind it
 */
struct ptu_run_of_words {
	uint64_t index;
	uint64_t nr_words;
	uint64_t word;
	uint64_t step;
};

/**
 * struct ptu_words - an open file of 64-bit words
 * @fd: the file; -1 for a recording's
 * @deadline_ns: CLOCK_MONOTONIC from which on reads are refused; 0: never
 * @runs: [nr_runs] (recording) ascending; what is in no run is 0
 */
struct ptu_words {
	int fd;
	uint64_t deadline_ns;
	struct ptu_run_of_words *runs;
	size_t nr_runs;
};

/**
 * ptu_words_open() - pagemap of a process, or kpageflags.
 * @dirfd: (in) as ptu_file_open() takes it
 *
 * Return: 0; -EBADMSG a recording that is not as record.c writes it; -errno.
 */
ptu_must_check int ptu_words_open(int dirfd, const char *name,
				  struct ptu_words *ret);

/**
 * ptu_words_read() - Words from @index on.
 *
 * Return: words read, fewer only at the end of the file; -errno.
 */
ptu_must_check ssize_t ptu_words_read(const struct ptu_words *file,
				      uint64_t index, uint64_t *words,
				      size_t nr_words);

/**
 * ptu_words_skip() - Where the next word that is not 0 can be.
 *
 * Return: an index, @index itself for a live file; UINT64_MAX behind the last.
 */
uint64_t ptu_words_skip(const struct ptu_words *file, uint64_t index);

void ptu_words_close(struct ptu_words *file);

/**
 * struct ptu_words_writer - makes runs of words
 * @nr_words: words that are not 0, so far
 */
struct ptu_words_writer {
	FILE *out;
	struct ptu_run_of_words run;
	uint64_t nr_words;
};

/**
 * ptu_words_write() - The next words, in ascending order of @index.
 *
 * Words that are 0 are left out.  Two words are of one run if their upper bits
 * (55 to 63, the flags) are the same and the step is that of the run.
 */
void ptu_words_write(struct ptu_words_writer *writer, uint64_t index,
		     const uint64_t *words, size_t nr_words);

/**
 * ptu_words_write_end() - The last run.
 */
void ptu_words_write_end(struct ptu_words_writer *writer);

#endif
