/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Of known names, the one that an unknown word was probably meant to be.  Pure. */
#ifndef PTU_BASE_NEAREST_H
#define PTU_BASE_NEAREST_H

#include <stddef.h>

/* Longer words are compared with nothing. */
#define PTU_NEAREST_LEN 32

/* Room for the hint. */
#define PTU_NEAREST_HINT (PTU_NEAREST_LEN + 32)

/**
 * struct ptu_nearest - the search for one word
 * @word: the unknown word, [length]; need not end there
 * @length: its length
 * @name: the nearest name so far, or NULL
 * @distance: of @name
 */
struct ptu_nearest {
	const char *word;
	size_t length;
	const char *name;
	unsigned int distance;
};

/**
 * ptu_nearest_try() - Compare the word with one more name.
 *
 * A name is near if at most a third of its letters are wrong, missing, too many
 * or swapped with the next; the case does not count.  Of equally near names the
 * first one stays.
 */
void ptu_nearest_try(struct ptu_nearest *nearest, const char *name);

/**
 * ptu_nearest_hint() - "did you mean 'NAME'?", or @otherwise if none is near.
 * @otherwise: (in) what to say then
 * @hint: (out) [PTU_NEAREST_HINT]
 *
 * Return: @hint or @otherwise.
 */
const char *ptu_nearest_hint(const struct ptu_nearest *nearest,
			     const char *otherwise, char *hint);

#endif
