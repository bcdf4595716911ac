/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the completion of each shell asks: which words can come next. */
#ifndef PTU_CMD_COMPLETE_H
#define PTU_CMD_COMPLETE_H

#include <stddef.h>
#include <stdio.h>

/**
 * ptu_complete() - What the last word of a command line can become.
 * @words: (in) [nr_words] those behind "ptaudit"; the last one may be empty, and is
 *	typed up to the cursor
 * @out: a word in each line, and its meaning behind a tab. Words that do not
 *	begin with what was typed are among them.
 *
 * A line that begins with ":" is for the shell:
 *	:files, :dirs	names of files, of directories
 *	:list-of-files	names of files, behind the last comma of the word
 *	:commands	names of programs
 *	:more		no blank behind the word, as it can go on
 *
 * Return: the exit status: 0; 2 without memory.
 */
int ptu_complete(char *words[], size_t nr_words, FILE *out);

#endif
