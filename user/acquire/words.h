/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The words of /proc/PID/pagemap, /proc/kpageflags and /proc/kpagecount, live or
 * recorded.
 */
#ifndef PTU_ACQUIRE_WORDS_H
#define PTU_ACQUIRE_WORDS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

/**
 * struct ptu_run_of_words - equal or evenly increasing words in a recording
 * @index: index of the first word
 * @nr_words: number of words
 * @word: the first word
 * @step: difference between consecutive words
 */
struct ptu_run_of_words {
	uint64_t index;
	uint64_t nr_words;
	uint64_t word;
	uint64_t step;
};

/**
 * struct ptu_words - an open file of 64-bit words
 * @fd: the file; -1 for a recording
 * @deadline_ns: CLOCK_MONOTONIC after which reads are refused; 0: never
 * @runs: [nr_runs] (recording) ascending; words outside all runs are 0
 */
struct ptu_words {
	int fd;
	uint64_t deadline_ns;
	struct ptu_run_of_words *runs;
	size_t nr_runs;
};

/**
 * ptu_words_open() - Open the pagemap of a process, kpageflags or kpagecount.
 * @dirfd: (in) as in ptu_file_open()
 *
 * Return: 0; -EBADMSG the recording is not in record.c's format; -ENODATA a file of
 * /proc itself is empty; -errno.
 */
ptu_must_check int ptu_words_open(int dirfd, const char *name,
				  struct ptu_words *ret);

/**
 * ptu_words_read() - Read words from @index on.
 *
 * Return: words read, fewer only at the end of the file; -errno.
 */
ptu_must_check ssize_t ptu_words_read(const struct ptu_words *file,
				      uint64_t index, uint64_t *words,
				      size_t nr_words);

/**
 * ptu_words_known() - Count the words from @index on that a run of the recording has.
 *
 * Return: at most @nr_words; @nr_words for a live file.
 */
size_t ptu_words_known(const struct ptu_words *file, uint64_t index,
		       size_t nr_words);

/**
 * ptu_words_skip() - Find the next index whose word can be different from 0.
 *
 * Return: an index, @index itself for a live file; UINT64_MAX behind the last one.
 */
uint64_t ptu_words_skip(const struct ptu_words *file, uint64_t index);

void ptu_words_close(struct ptu_words *file);

/**
 * struct ptu_words_writer - converts words to runs
 * @nr_words: number of words different from 0 so far
 */
struct ptu_words_writer {
	FILE *out;
	struct ptu_run_of_words run;
	uint64_t nr_words;
};

/**
 * ptu_words_write() - Write the next words, in ascending order of @index.
 *
 * Words that are 0 are left out.  A word belongs to the current run if its flags
 * (bits 55 to 63) are the same and it differs by the run's step.
 */
void ptu_words_write(struct ptu_words_writer *writer, uint64_t index,
		     const uint64_t *words, size_t nr_words);

/**
 * ptu_words_write_one() - Write the next word, also if it is 0.
 */
void ptu_words_write_one(struct ptu_words_writer *writer, uint64_t index,
			 uint64_t word);

/**
 * ptu_words_write_end() - Write the last run.
 */
void ptu_words_write_end(struct ptu_words_writer *writer);

#endif
