/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compare words with known names, and suggest the most similar one.  Pure. */
#ifndef PTU_BASE_NEAREST_H
#define PTU_BASE_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

/* Longer words get no suggestion. */
#define PTU_NEAREST_LEN 32

/* Room for the hint. */
#define PTU_NEAREST_HINT (PTU_NEAREST_LEN + 32)

/**
 * struct ptu_nearest - search for the name nearest to one word
 * @word: the unknown word, [length]; not necessarily NUL-terminated
 * @length: length of @word
 * @name: the nearest name so far, or NULL
 * @distance: edit distance of @name
 */
struct ptu_nearest {
	const char *word;
	size_t length;
	const char *name;
	unsigned int distance;
};

/**
 * ptu_is_name() - Is the word this name?  Case is ignored.
 * @word: (in) [@length]; not necessarily NUL-terminated
 *
 * All names are ASCII.  strcasecmp() obeys the locale: in Turkish, i is not I.
 */
bool ptu_is_name(const char *word, size_t length, const char *name);

/**
 * ptu_nearest_try() - Compare the word with one more name.
 *
 * A name matches if at most a third of its letters are wrong, missing, added or
 * swapped with the next one. Case is ignored. If two names are equally near,
 * the first one wins.
 */
void ptu_nearest_try(struct ptu_nearest *nearest, const char *name);

/**
 * ptu_nearest_hint() - "did you mean 'NAME'?", or @otherwise if no name
 *	matches.
 * @otherwise: (in) the text to use if no name matches
 * @hint: (out) [PTU_NEAREST_HINT]
 *
 * Return: @hint or @otherwise.
 */
const char *ptu_nearest_hint(const struct ptu_nearest *nearest,
			     const char *otherwise, char *hint);

#endif
