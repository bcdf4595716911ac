/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* List the words that can come next, for the shells' completion. */
#ifndef PTU_CMD_COMPLETE_H
#define PTU_CMD_COMPLETE_H

#include <stddef.h>
#include <stdio.h>

/**
 * ptu_complete() - List the completions of the last word of a command line.
 * @words: (in) [nr_words] words after "ptaudit"; the last one ends at the cursor and
 *	may be empty
 * @out: one word per line, with its meaning after a tab; not filtered by the part that
 *	was typed
 *
 * Lines that begin with ":" are for the shell:
 *	:files, :dirs	names of files, of directories
 *	:list-of-files	names of files, after the last comma of the word
 *	:commands	names of programs
 *	:more		no blank after the word, because it may continue
 *
 * Return: exit status: 0; 2 if out of memory.
 */
int ptu_complete(char *words[], size_t nr_words, FILE *out);

#endif
